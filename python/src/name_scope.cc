#include "name_scope.h"

#include "errors.h"

namespace gk::py {

std::string (*reserve_name)(std::string_view name) = nullptr;
std::string (*enter_name_scope)(std::string_view name) = nullptr;
void (*leave_name_scope)() = nullptr;

bool AddNameScope(PyObject*) { return true; }

}  // namespace gk::py
