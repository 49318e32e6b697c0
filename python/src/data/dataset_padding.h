// What elements are filled up to, and with what, as methods of datasets take
// it.
#ifndef GK_PYTHON_DATASET_PADDING_H_
#define GK_PYTHON_DATASET_PADDING_H_

#include <nanobind/nanobind.h>

#include "function/dataset_steps.h"
#include "python/src/binding/told_function.h"

namespace gk::py {

// Of the arguments padded_shapes and padding_values.
steps::Padding PaddingOf(const Arguments& a, nanobind::handle spec);
// Elements of tensors that nest as `like`.
nanobind::object SpecOfComponents(nanobind::handle like,
                                  const ElementSignature& e);

}  // namespace gk::py

#endif  // GK_PYTHON_DATASET_PADDING_H_
