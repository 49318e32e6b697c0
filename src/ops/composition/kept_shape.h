// Functions whose result has the shape of an argument: another that would
// broadcast it is refused, as far as shapes are known.
#ifndef GK_OPS_COMPOSITION_KEPT_SHAPE_H_
#define GK_OPS_COMPOSITION_KEPT_SHAPE_H_

#include "base/status.h"
#include "framework/tensor.h"

namespace gk {

// Throws Error.
inline void CheckShapeKept(const Tensor& argument, const Tensor& result) {
  const PartialTensorShape before = argument.partial_shape(),
                           after = result.partial_shape();
  if (before.IsCompatibleWith(after)) return;
  throw Error(ValueError("Shapes {} and {} are incompatible",
                         before.PythonString(), after.PythonString()));
}

}  // namespace gk

#endif  // GK_OPS_COMPOSITION_KEPT_SHAPE_H_
