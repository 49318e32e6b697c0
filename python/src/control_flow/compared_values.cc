#include "python/src/control_flow/compared_values.h"

#include <vector>

#include "python/src/control_flow/staged_values.h"
#include "python/src/control_flow/tensor_array.h"

namespace gk::py {
namespace nb = nanobind;

namespace {

// TypeError if TensorArrays differ in dtype, which handles do not tell.
void CheckArrays(nb::handle a, nb::handle b) {
  const std::vector<nb::object> ours = Leaves(a, false),
                                theirs = Leaves(b, false);
  for (size_t i = 0; i < ours.size() && i < theirs.size(); ++i) {
    const DataType dtype = ElementTypeOf(ours[i]);
    const DataType other = ElementTypeOf(theirs[i]);
    if (dtype == other || dtype == DataType::kInvalid ||
        other == DataType::kInvalid) {
      continue;
    }
    Throw(TypeError("No common supertype of {} and {}.",
                    TextOf(ours[i].attr("_type_spec")),
                    TextOf(theirs[i].attr("_type_spec"))));
  }
}

template <class F>
Status ErrorOf(F&& compare) {
  try {
    compare();
    return OkStatus();
  } catch (nb::python_error& e) {
    if (e.matches(PyExc_TypeError)) return TypeError("{}", TextOf(e.value()));
    if (e.matches(PyExc_ValueError)) {
      return ValueError("{}", TextOf(e.value()));
    }
    throw;
  }
}

}  // namespace

Status ComparedBranches(const StagedValue& a, const StagedValue& b) {
  if (AreAlike(a, b)) return OkStatus();
  return ErrorOf([&] {
    const nb::object first = PythonValue(a), second = PythonValue(b);
    CheckNests(first, second, true, NestRules::kExpanded);
    CheckArrays(first, second);
  });
}
Status ComparedIterations(const StagedValue& before, const StagedValue& after) {
  if (AreAlike(before, after)) return OkStatus();
  return ErrorOf([&] {
    const nb::object first = PythonValue(before), second = PythonValue(after);
    CheckNests(second, first, true, NestRules::kExpanded);
    CheckArrays(first, second);
  });
}

}  // namespace gk::py
