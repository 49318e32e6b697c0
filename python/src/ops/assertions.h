// tf.debugging's functions that no record makes.
#ifndef GK_PYTHON_ASSERTIONS_H_
#define GK_PYTHON_ASSERTIONS_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// Takes our own frames out of an error's traceback, if that is wanted.
void WithoutOwnFrames(nanobind::handle error);

void AddAssertions(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_ASSERTIONS_H_
