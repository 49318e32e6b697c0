#include "function/blocking_wait.h"

namespace gk {
namespace {

void (*blocking_wait)(FunctionRef<void()>) = nullptr;

}  // namespace

void SetBlockingWait(void (*around)(FunctionRef<void()> wait)) {
  blocking_wait = around;
}

void WaitBlocking(FunctionRef<void()> wait) {
  if (blocking_wait != nullptr) {
    blocking_wait(wait);
  } else {
    wait();
  }
}

}  // namespace gk
