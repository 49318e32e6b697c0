// Python values as tensors, truths and back, with errors thrown: for code in
// which nanobind::python_error goes through.
#ifndef GK_PYTHON_CONVERTED_H_
#define GK_PYTHON_CONVERTED_H_

#include <nanobind/nanobind.h>

#include <span>
#include <string_view>

#include "python/src/tensors/convert.h"

namespace gk::py {

bool Truth(nanobind::handle value);

nanobind::object Wrapped(const Tensor& t);
nanobind::object Wrapped(std::span<const Tensor> tensors);
TensorVector Tensors(nanobind::handle list);

// tf.convert_to_tensor.
Tensor Converted(nanobind::handle value, std::string_view name = kConst);
// The same, of this dtype if it is no tensor and can be.
Tensor ConvertedTo(nanobind::handle value, DataType dtype,
                   std::string_view name = kConst);

}  // namespace gk::py

#endif  // GK_PYTHON_CONVERTED_H_
