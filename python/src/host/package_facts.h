// What the package says of itself, and which names of it are public.
#ifndef GK_PYTHON_PACKAGE_FACTS_H_
#define GK_PYTHON_PACKAGE_FACTS_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddPackageFacts(nanobind::module_& m);
void AddPublicNames(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_PACKAGE_FACTS_H_
