// Classes that nanobind makes.
#ifndef GK_PYTHON_BOUND_CLASSES_H_
#define GK_PYTHON_BOUND_CLASSES_H_

#include <nanobind/nanobind.h>

namespace gk::py {

// Those of a module whose instances Python makes: where nanobind has no memory
// for one, the exception becomes Python's MemoryError.
void GuardBoundClasses(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_BOUND_CLASSES_H_
