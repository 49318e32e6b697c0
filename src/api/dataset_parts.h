// What the methods of gk::Dataset share: specs of elements, functions of them,
// and the way to the steps that make datasets.
#ifndef GK_API_DATASET_PARTS_H_
#define GK_API_DATASET_PARTS_H_

#include <string>
#include <utility>
#include <vector>

#include "api/inner.h"
#include "api/structure_rep.h"
#include "api/type_spec_inner.h"
#include "api/words.h"
#include "function/dataset_steps.h"
#include "graphkiln/dataset.h"

namespace gk::api {

using Spec = Dataset::Spec;

InnerTensor Int64(const Tensor& t);
InnerTensor Int64OrNull(const Tensor& t);
InnerTensor Bool(bool value);

ElementSignature SignatureOf(const ElementSpec& spec);
// Of what a function returned, or was given, with these components.
Spec SpecOf(const detail::ElementResult& value, const ElementSignature& e);
// Elements that nest as those of `like`, with other leaves.
Spec WithLeaves(const ElementSpec& like, std::vector<TypeSpec> leaves);
// An element that is a tuple of parts.
Spec TupleOf(std::span<const Spec> parts);
Spec ScalarSpec(InnerType dtype);
// Of a dataset of such elements.
Spec DatasetsOf(const ElementSpec& elements);
// Datasets of one structure: the spec of all their elements.
Spec CommonSpec(const std::vector<Dataset>& datasets);

TypedDataset Typed(const Dataset& d);
TensorVector Variants(const std::vector<Dataset>& datasets);
Dataset Made(const TypedDataset& made, Spec spec);

// `use` gets what elements are as the steps take it.
template <class F>
decltype(auto) WithWords(const ElementSpec& spec, F&& use) {
  const ElementSignature e = SignatureOf(spec);
  const bool tensor = spec.structure.kind() == Structure::Kind::kLeaf &&
                      spec.leaves[0].kind == TypeSpec::Kind::kTensor;
  return std::forward<F>(use)(
      steps::Described{e, tensor, [&] { return spec.to_string(); }});
}

// The dataset of the same elements that `step` makes of one.
template <class F>
Dataset Same(const Dataset& d, F&& step) {
  return Guarded([&] {
    EnsureReady();
    return Made(std::forward<F>(step)(Typed(d)), d.spec());
  });
}
// A function of elements, and what it returns.
struct Traced {
  ElementFunction f;
  std::vector<Spec> specs;
};
Traced Trace(const char* name, const std::vector<Spec>& arguments,
             const detail::ElementBody& body);
// The same of a state and an element; `state` becomes what it settles at.
Traced TraceState(const char* name, Spec* state, const Spec& element,
                  const detail::ElementBody& body);
// The same of an element, which returns what `adjust` makes of the tensor that
// `body` does: an int64 scalar, else ValueError for the argument `name`.
Traced TraceInteger(std::string_view name, const char* traced_as,
                    const Spec& argument, const detail::ElementBody& body,
                    FunctionRef<InnerTensor(const InnerTensor&)> adjust);
// What the dataset that a function returns holds; null if it returns none.
Spec NestedSpec(const Traced& made);

}  // namespace gk::api

#endif  // GK_API_DATASET_PARTS_H_
