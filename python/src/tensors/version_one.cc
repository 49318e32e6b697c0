#include "python/src/tensors/version_one.h"

namespace nb = nanobind;

namespace gk::py {

void AddVersionOne(nb::module_& m) {
  m.def(
      "_set_tensor_equality",
      [](bool elementwise) { version_one.compares_identity = !elementwise; },
      nb::arg("elementwise"),
      "Do tensors compare element by element, or by what they are?");
  m.def(
      "_set_v2_tensorshape",
      [](bool enabled) { version_one.has_dimensions = !enabled; },
      nb::arg("enabled"), "Do shapes hold ints and None, or Dimensions?");
}

}  // namespace gk::py
