// tf.GradientTape, tf.autodiff.ForwardAccumulator, tf.gradients.
#ifndef GK_PYTHON_GRADIENT_TAPE_H_
#define GK_PYTHON_GRADIENT_TAPE_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddGradientTape(nanobind::module_& m);
void AddForwardAccumulator(nanobind::module_& m);
void AddGraphGradients(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_GRADIENT_TAPE_H_
