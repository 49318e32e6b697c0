// The machine starts with all that programs do: gradients, host functions.
#include "api/inner.h"
#include "function/control_flow.h"

namespace gk::api {

void EnsureReady() {
  static const bool ready = [] {
    InitControlFlow();
    return true;
  }();
  (void)ready;
}

}  // namespace gk::api
