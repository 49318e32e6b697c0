#include "python/src/function/told_function.h"

#include "python/src/binding/bound_values.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// As an inspect.Signature, for who asks.
nb::object SignatureOfTold(const ToldFunction& self) {
  const nb::module_ inspect = nb::module_::import_("inspect");
  const nb::object make = inspect.attr("Parameter");
  nb::list parameters;
  for (const auto& p : self.Parameters()) {
    const nb::object value = p.default_value ? nb::borrow(p.default_value.get())
                                             : nb::object(make.attr("empty"));
    parameters.append(make(nb::cast(p.name), static_cast<int>(p.kind),
                           nb::arg("default") = value));
  }
  return inspect.attr("Signature")(parameters);
}

}  // namespace

const ToldFunction* ToldFunctionIn(nb::handle function) {
  return nb::isinstance<ToldFunction>(function)
             ? nb::cast<const ToldFunction*>(function)
             : nullptr;
}

void AddToldFunction(nb::module_& m) {
  nb::class_<ToldFunction>(m, "_ToldFunction")
      .def_prop_ro("__signature__", SignatureOfTold);
}

}  // namespace gk::py
