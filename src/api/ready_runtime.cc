// The machine of a runtime alone (cmake/runtime.cmake), in the place of
// ready.cc: it runs what was loaded.
#include "api/inner.h"
#include "eager/eager_context.h"

namespace gk::api {

void EnsureReady() {
  static const bool ready = [] {
    InitEager();
    return true;
  }();
  (void)ready;
}

}  // namespace gk::api
