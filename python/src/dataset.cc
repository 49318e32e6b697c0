#include "dataset.h"

#include "bound_values.h"
#include "dtype_type.h"

namespace gk::py {

namespace nb = nanobind;

ElementSignature Elements(nb::handle types, nb::handle shapes) {
  ElementSignature e;
  for (nb::handle t : types) {
    e.types.push_back(AsDType(t.ptr()));
    if (e.types.back() == DataType::kInvalid) throw nb::python_error();
  }
  for (nb::handle s : shapes) e.shapes.push_back(Shape(s));
  return e;
}

TypedDataset DatasetOf(nb::handle dataset) {
  return {AsTensor(dataset[0]), Elements(dataset[1], dataset[2])};
}

}  // namespace gk::py
