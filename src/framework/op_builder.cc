#include "framework/op_builder.h"

#include "base/per_thread.h"

namespace gk {
namespace {

OpBuilder* eager_builder = nullptr;
thread_local OpBuilder* current_builder = nullptr;

}  // namespace

OpBuilder* OpBuilder::Current() {
  return current_builder ? current_builder : eager_builder;
}
OpBuilder* OpBuilder::Eager() { return eager_builder; }
void OpBuilder::SetEager(OpBuilder* eager) { eager_builder = eager; }

OpBuilder::Scope::Scope(OpBuilder* builder) : saved_(current_builder) {
  current_builder = builder;
}
OpBuilder::Scope::~Scope() { current_builder = saved_; }

ObserverList& CurrentObservers() {
  return PerThread<ObserverList, ObserverList>::Get();
}

}  // namespace gk
