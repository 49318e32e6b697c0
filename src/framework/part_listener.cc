#include "framework/part_listener.h"

#include <utility>

namespace gk {
namespace {

thread_local PartListener::Scope* listening = nullptr;

}  // namespace

const PartDone* PartListener::Of(const void* result, int64_t bytes) {
  const Scope* const scope = listening;
  return scope != nullptr && scope->result_ == result && scope->bytes_ == bytes
             ? &scope->done_
             : nullptr;
}

PartListener::Scope::Scope(const void* result, int64_t bytes, PartDone done)
    : result_(result),
      bytes_(bytes),
      done_(done),
      outer_(std::exchange(listening, this)) {}
PartListener::Scope::~Scope() { listening = outer_; }

}  // namespace gk
