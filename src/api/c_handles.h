// What is behind the handles of the C interface, and the border where
// exceptions become statuses.
#ifndef GK_API_C_HANDLES_H_
#define GK_API_C_HANDLES_H_

#include <string>
#include <utility>

#include "api/inner.h"
#include "base/caught.h"
#include "graphkiln/c_api.h"

struct gk_status {
  gk_code code;
  std::string message;
};
struct gk_tensor {
  gk::Tensor tensor;
};

namespace gk::api {

// Null if all is well. Never throws.
gk_status* NewStatus(const Status& status) noexcept;
// Runs `body`, which throws or gives a Status.
template <class F>
gk_status* Checked(F&& body) noexcept {
  try {
    EnsureReady();
    return NewStatus(body());
  } catch (const Error& e) {
    return NewStatus(Status(static_cast<Code>(e.code()), e.what()));
  } catch (...) {
    return NewStatus(LastCaughtStatus());
  }
}
Status CheckGiven(const void* argument, std::string_view function,
                  std::string_view name);
// The tensor of a handle that was given; InvalidArgument for NULL.
StatusOr<InnerTensor> TensorOf(const gk_tensor* handle,
                               std::string_view function,
                               std::string_view name);

}  // namespace gk::api

#endif  // GK_API_C_HANDLES_H_
