#include "api/element_encoding.h"

#include "api/dataset_parts.h"

namespace gk::api {
namespace {

// What `f` says of an element that is known by its spec alone.
TypeSpec SpecWhenTraced(const char* name, const Spec& element,
                        const detail::DecodedSpec& f) {
  TypeSpec spec;
  Trace(name, {element}, [&](const std::vector<detail::ElementValue>& values) {
    spec = f(values[0]);
    return std::vector<detail::ElementResult>();
  });
  return spec;
}
TypeSpec WithEncoding(const TypeSpec& spec, SpecEncodingRef encoding) {
  const detail::ExtensionFacts& facts = *spec.extension;
  TypeSpec made = spec;
  made.extension = detail::FactsWith(
      MakeRef<ExtensionSpec>(facts.inner->name(), facts.inner->identity(),
                             /*stacks=*/true, facts.inner->fields(),
                             std::move(encoding)),
      facts.fields->leaves);
  return made;
}

}  // namespace

SpecFields ElementEncoding::Decoded() const {
  return SpecWhenTraced("decode", outer_, decode_).extension->inner->fields();
}

namespace detail {

TypeSpec WithEncoding(const TypeSpec& spec, const ElementResult& encoded,
                      const DecodedSpec& decode) {
  return Guarded([&] {
    const Spec outer =
        SpecOf(encoded, ::gk::SignatureOf(Inner(encoded.parts.tensors)));
    return api::WithEncoding(spec,
                             std::make_shared<ElementEncoding>(outer, decode));
  });
}

TypeSpec WithEncoding(const TypeSpec& spec, const DecodedSpec& encode) {
  return Guarded([&] {
    EnsureReady();
    // A value of such fields, which are not stacked yet.
    const TypeSpec seen =
        SpecWhenTraced("encode", spec.extension->fields, encode);
    return api::WithEncoding(spec, seen.extension->inner->encoding());
  });
}

}  // namespace detail
}  // namespace gk::api
