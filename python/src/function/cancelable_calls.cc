#include "python/src/function/cancelable_calls.h"

#include <memory>

#include "base/cancellation.h"
#include "python/src/binding/throw_status.h"
#include "python/src/function/concrete_function.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

class CancellationManager {
 public:
  bool is_cancelled() const { return token_->IsCancelled(); }
  void StartCancel() { token_->Cancel(); }

  nb::object CancelableFunction(nb::object function) const {
    if (!IsConcreteFunction(function.ptr())) {
      Throw(TypeError("get_cancelable_function takes a ConcreteFunction, got "
                      "{}. A tf.function has them: get_concrete_function(...).",
                      Py_TYPE(function.ptr())->tp_name));
    }
    return nb::cpp_function([token = token_, function](nb::args args,
                                                       nb::kwargs kwargs) {
      if (token->IsCancelled()) {
        Throw(Status(Code::kCancelled, "The call was stopped before it began"));
      }
      const CancellableCalls within(token.get());
      ConcreteFunctionOf(function.ptr())->long_running = true;
      return nb::object(function(*args, **kwargs));
    });
  }

 private:
  const std::shared_ptr<CancellationToken> token_ =
      std::make_shared<CancellationToken>();
};

}  // namespace

void AddCancellationManager(nb::module_& m) {
  using M = CancellationManager;
  nb::class_<M>(m, "CancellationManager",
                "Stops calls of ConcreteFunctions that are under way.")
      .def(nb::init<>())
      .def_prop_ro("is_cancelled", &M::is_cancelled, "Was start_cancel called?")
      .def("start_cancel", &M::StartCancel,
           "Stops the calls, and all that follow, with CancelledError.")
      .def("get_cancelable_function", &M::CancelableFunction,
           nb::arg("concrete_function"),
           "What calls the function and can be stopped.");
}

}  // namespace gk::py
