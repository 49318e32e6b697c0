#include "api/dataset_parts.h"

#include "api/result_parts.h"

namespace gk::api {

using InnerStructure = ::gk::Structure;
using detail::ElementBody;
using detail::ElementResult;
using detail::ElementValue;

InnerTensor Int64(const Tensor& t) { return AsInt64(Inner(t)); }
InnerTensor Int64OrNull(const Tensor& t) {
  return t.defined() ? Int64(t) : InnerTensor();
}
InnerTensor Bool(bool value) {
  return ConstantHere(InnerTensor::Scalar(value));
}

ElementSignature SignatureOf(const ElementSpec& spec) {
  return ::gk::SignatureOf(Inner(spec));
}

Spec SpecOf(const ElementResult& value, const ElementSignature& e) {
  if (!value.parts.form.arrays.empty()) {
    throw ::gk::Error(TypeError("Elements of datasets hold no TensorArrays"));
  }
  ElementSpec spec{value.parts.form.structure, {}};
  detail::ForEachValue(
      e.types.size(), value.leaves,
      [&](size_t first, size_t, const TypeSpec* leaf) {
        spec.leaves.push_back(
            leaf != nullptr
                ? *leaf
                : TensorSpec{Outer(e.shapes[first]), Outer(e.types[first])});
      });
  return std::make_shared<ElementSpec>(std::move(spec));
}

Spec WithLeaves(const ElementSpec& like, std::vector<TypeSpec> leaves) {
  auto made = std::make_shared<ElementSpec>(like);
  made->leaves = std::move(leaves);
  return made;
}

Spec TupleOf(std::span<const Spec> parts) {
  auto made = std::make_shared<ElementSpec>();
  std::vector<StructureRef> structures;
  for (const Spec& part : parts) {
    structures.push_back(Inner(part->structure));
    made->leaves.insert(made->leaves.end(), part->leaves.begin(),
                        part->leaves.end());
  }
  made->structure = Outer(InnerStructure::Tuple(std::move(structures)));
  return made;
}

Spec ScalarSpec(InnerType dtype) {
  static const Structure leaf = Outer(InnerStructure::Leaf());
  return std::make_shared<ElementSpec>(
      ElementSpec{leaf, {TensorSpec{Shape(), Outer(dtype)}}});
}

Spec DatasetsOf(const ElementSpec& elements) {
  ElementSpec spec = *ScalarSpec(InnerType::kVariant);
  spec.leaves = {DatasetSpec(elements)};
  return std::make_shared<ElementSpec>(std::move(spec));
}

Spec CommonSpec(const std::vector<Dataset>& datasets) {
  steps::CheckSome(!datasets.empty());
  Spec common = datasets[0].spec();
  for (size_t i = 1; i < datasets.size(); ++i) {
    const Spec& next = datasets[i].spec();
    const auto both = CommonElements(Inner(*common), Inner(*next));
    if (!both) {
      throw ::gk::Error(TypeError(
          "Incompatible dataset elements: dataset 0 has {}, dataset {} has {}",
          common->to_string(), i, next->to_string()));
    }
    common = Outer(*both, *common);
  }
  return common;
}

TypedDataset Typed(const Dataset& d) {
  return {Inner(d.variant()), SignatureOf(*d.spec())};
}
TensorVector Variants(const std::vector<Dataset>& datasets) {
  TensorVector variants;
  for (const Dataset& d : datasets) variants.push_back(Inner(d.variant()));
  return variants;
}

Dataset Made(const TypedDataset& made, Spec spec) {
  return Dataset(Outer(made.variant), std::move(spec));
}

Traced Trace(const char* name, const std::vector<Spec>& arguments,
             const ElementBody& body) {
  Traced made;
  ElementSignature all;
  for (const Spec& s : arguments) all = Joined(std::move(all), SignatureOf(*s));
  std::vector<ElementResult> results;
  const auto of_components = [&](std::span<const InnerTensor> given) {
    std::vector<ElementValue> values;
    for (const Spec& s : arguments) {
      const auto part = given.first(SignatureOf(*s).types.size());
      given = given.subspan(part.size());
      values.push_back({Outer(TensorVector(part.begin(), part.end())), s});
    }
    results = body(values);
    TensorVector tensors;
    for (const ElementResult& r : results) {
      const TensorVector own = Inner(r.parts.tensors);
      tensors.insert(tensors.end(), own.begin(), own.end());
    }
    return tensors;
  };
  made.f = TraceElementFunction(name, all, of_components, &kCppWords);
  size_t next = 0;
  for (const ElementResult& r : results) {
    ElementSignature own;
    for (size_t i = 0; i < r.parts.tensors.size(); ++i, ++next) {
      own.types.push_back(made.f.result.types[next]);
      own.shapes.push_back(made.f.result.shapes[next]);
    }
    made.specs.push_back(SpecOf(r, own));
  }
  return made;
}

Traced TraceState(const char* name, Spec* state, const Spec& element,
                  const ElementBody& body) {
  Traced made;
  UntilFixed(Inner(**state), [&](const ::gk::ElementSpec& now) {
    *state = Outer(now, **state);
    made = Trace(name, {*state, element}, body);
    return Inner(*made.specs[0]);
  });
  return made;
}

Traced TraceInteger(std::string_view name, const char* traced_as,
                    const Spec& argument, const ElementBody& body,
                    FunctionRef<InnerTensor(const InnerTensor&)> adjust) {
  const Traced made = Trace(
      traced_as, {argument}, [&](const std::vector<ElementValue>& values) {
        std::vector<ElementResult> results = body(values);
        std::vector<Tensor>& tensors = results[0].parts.tensors;
        if (tensors.size() == 1) tensors[0] = Outer(adjust(Inner(tensors[0])));
        return results;
      });
  WithWords(*made.specs[0],
            [&](const auto& returned) { steps::CheckInteger(name, returned); });
  return made;
}

Spec NestedSpec(const Traced& made) {
  const ElementSpec& spec = *made.specs[0];
  const bool dataset = spec.structure.kind() == Structure::Kind::kLeaf &&
                       spec.leaves[0].kind == TypeSpec::Kind::kDataset;
  return dataset ? spec.leaves[0].element_spec : nullptr;
}

}  // namespace gk::api
