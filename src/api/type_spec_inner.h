// Public specs <-> those of the library.
#ifndef GK_API_TYPE_SPEC_INNER_H_
#define GK_API_TYPE_SPEC_INNER_H_

#include <memory>

#include "api/inner.h"
#include "function/specs/spec_fields.h"
#include "graphkiln/type_spec.h"

namespace gk::api {

namespace detail {
// The class and the fields of an extension type; the specs among these, and how
// a value is put together of what they describe.
struct ExtensionFacts {
  Ref<const ExtensionSpec> inner;
  std::shared_ptr<const ElementSpec> fields;
};
// `specs`: the components of the fields.
std::shared_ptr<const ExtensionFacts> FactsWith(Ref<const ExtensionSpec> inner,
                                                std::vector<TypeSpec> specs);
}  // namespace detail

::gk::TypeSpec Inner(const TypeSpec& spec);
TypeSpec Outer(const ::gk::TypeSpec& spec);
// The same, whose elements nest and read as those of `like`.
TypeSpec Outer(const ::gk::TypeSpec& spec, const TypeSpec& like);
::gk::ElementSpec Inner(const ElementSpec& spec);
// Elements that nest and read as those of `like`.
std::shared_ptr<const ElementSpec> Outer(const ::gk::ElementSpec& spec,
                                         const ElementSpec& like);

}  // namespace gk::api

#endif  // GK_API_TYPE_SPEC_INNER_H_
