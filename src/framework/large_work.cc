#include "framework/large_work.h"

#include <utility>

namespace gk {
namespace {

thread_local LargeWorkListener* innermost = nullptr;

}  // namespace

void LargeWorkListener::Note() {
  if (innermost != nullptr) innermost->OnLargeWork();
}

LargeWorkListener::Scope::Scope(LargeWorkListener* listener)
    : outer_(std::exchange(innermost, listener)) {}
LargeWorkListener::Scope::~Scope() { innermost = outer_; }

}  // namespace gk
