// Public specs <-> those of the library.
#ifndef GK_API_TYPE_SPEC_INNER_H_
#define GK_API_TYPE_SPEC_INNER_H_

#include <memory>

#include "api/inner.h"
#include "function/specs/type_spec.h"
#include "graphkiln/type_spec.h"

namespace gk::api {

::gk::TypeSpec Inner(const TypeSpec& spec);
TypeSpec Outer(const ::gk::TypeSpec& spec);
::gk::ElementSpec Inner(const ElementSpec& spec);
// Elements that nest and read as those of `like`.
std::shared_ptr<const ElementSpec> Outer(const ::gk::ElementSpec& spec,
                                         const ElementSpec& like);

}  // namespace gk::api

#endif  // GK_API_TYPE_SPEC_INNER_H_
