// tf.random.Generator and tf.random.Algorithm.
#ifndef GK_PYTHON_GENERATOR_H_
#define GK_PYTHON_GENERATOR_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddGenerator(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_GENERATOR_H_
