#include "base/checks.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

namespace gk {
namespace {

std::atomic<bool>& Switch() {
  static std::atomic<bool> on = [] {
    const char* value = std::getenv("GK_CHECK_PLANS");
    return value != nullptr && std::string_view(value) == "1";
  }();
  return on;
}

}  // namespace

bool ChecksOn() { return Switch().load(std::memory_order_relaxed); }
void SetChecks(bool on) { Switch().store(on, std::memory_order_relaxed); }

}  // namespace gk
