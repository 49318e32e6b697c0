#include "base/run_limit.h"

#include <utility>

namespace gk {
namespace {

thread_local const RunLimit* current_limit = nullptr;

}  // namespace

RunLimit::RunLimit(const CancellationToken* token, Clock::time_point deadline)
    : token_(token),
      deadline_(deadline),
      outer_(std::exchange(current_limit, this)) {}
RunLimit::~RunLimit() { current_limit = outer_; }

bool RunLimit::ThreadHasEnded() {
  return current_limit != nullptr && current_limit->HasEnded();
}

RunLimit::Apart::Apart() : outer_(std::exchange(current_limit, nullptr)) {}
RunLimit::Apart::~Apart() { current_limit = outer_; }

}  // namespace gk
