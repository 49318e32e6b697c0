// The C++ gradient tape as Python sees it; tf.GradientTape
// (graphkiln/_gradient_tape.py) adds nested structures.
#ifndef GK_PYTHON_GRADIENT_TAPE_H_
#define GK_PYTHON_GRADIENT_TAPE_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddGradientTape(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_GRADIENT_TAPE_H_
