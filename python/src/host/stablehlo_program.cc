// Modules of StableHLO, which the package's module host/stablehlo runs by JAX.
#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>

#include "framework/host_language.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/graph/graph_parts.h"
#include "python/src/host/python_language.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/converted.h"
#include "python/src/tensors/tensor_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// What Python raised. An error of the package's own has its code; what is no
// Exception is left to who waits.
Status StatusOfRaised(nb::python_error& error) {
  if (!error.matches(PyExc_Exception)) {
    error.restore();
    return PythonError();
  }
  const std::string text = TextOf(error.value());
  if (error.matches(PyExc_ImportError)) {
    return FailedPrecondition(
        "A module of StableHLO, which a function of JAX becomes, is run by the "
        "package jax: {} (pip install jax)",
        text);
  }
  if (nb::hasattr(error.value(), "error_code")) {
    const nb::object code = error.value().attr("error_code");
    return Status(static_cast<Code>(nb::cast<int>(code)),
                  nb::cast<std::string>(error.value().attr("message")));
  }
  return Status(
      Code::kUnknown,
      Format("{}: {}", nb::cast<std::string>(error.type().attr("__name__")),
             text));
}

class JaxProgram final : public StableHloProgram {
 public:
  explicit JaxProgram(nb::object program)
      : program_(program.release().ptr(), DeferredDecref) {}

  Status Run(std::span<const Tensor* const> inputs,
             std::span<Tensor> outputs) override {
    const ScopedGil gil;
    try {
      nb::list arrays;
      for (const Tensor* t : inputs) {
        arrays.append(Owned(ToNumpy(*t, /*scalars_as_objects=*/false)));
      }
      const nb::list results(nb::handle(program_.get())(
          *nb::tuple(arrays), nb::arg("outputs") = outputs.size()));
      for (size_t i = 0; i < outputs.size(); ++i) {
        outputs[i] = Converted(results[i]);
      }
      return OkStatus();
    } catch (nb::python_error& error) {
      return StatusOfRaised(error);
    } catch (const Error& error) {
      return error.status();
    }
  }

 private:
  const std::shared_ptr<PyObject> program_;
};

}  // namespace

StatusOr<std::shared_ptr<StableHloProgram>> PythonLanguage::MakeProgram(
    const StableHloModule& module) {
  const ScopedGil gil;
  try {
    return std::shared_ptr<StableHloProgram>(
        std::make_shared<JaxProgram>(package::stablehlo_program(
            nb::bytes(module.bytes.data(), module.bytes.size()),
            nb::int_(module.platform_index), nb::bool_(module.shape_assertions),
            nb::bool_(module.shardy))));
  } catch (nb::python_error& error) {
    return StatusOfRaised(error);
  }
}

}  // namespace gk::py
