#include "graphkiln/type_spec.h"

#include "api/element_encoding.h"
#include "api/structure_rep.h"
#include "api/type_spec_inner.h"
#include "function/ragged/ragged_value.h"
#include "function/slices_value.h"
#include "function/sparse_value.h"
#include "graphkiln/dataset.h"
#include "graphkiln/indexed_slices.h"
#include "graphkiln/ragged_tensor.h"
#include "graphkiln/sparse_tensor.h"

namespace gk::api {
namespace {

using InnerSpec = ::gk::TypeSpec;

TypeSpec OfElements(TypeSpec::Kind kind, const ElementSpec& elements,
                    const Shape& shape = {}) {
  TypeSpec spec;
  spec.kind = kind;
  spec.shape = shape;
  spec.dtype = kind == TypeSpec::Kind::kIterator ? DataType::kResource
                                                 : DataType::kVariant;
  spec.element_spec = std::make_shared<ElementSpec>(elements);
  return spec;
}
InnerSpec SpecOf(const RaggedValue& value) {
  return InnerSpec::Ragged(
      value.dtype(), value.shape(), value.ragged_rank(),
      value.is_ragged() ? value.splits_type() : InnerType::kInt64);
}
std::string NameOf(DataType type) {
  return std::string(DataTypeName(Inner(type)));
}

}  // namespace

InnerSpec Inner(const TypeSpec& spec) {
  if (spec.extension) {
    return InnerSpec::Of(
        Ref<HostSpec>(const_cast<ExtensionSpec*>(spec.extension->inner.get())));
  }
  InnerSpec inner{static_cast<InnerSpec::Kind>(spec.kind), Inner(spec.dtype),
                  Inner(spec.shape), spec.name};
  inner.ragged_rank = spec.ragged_rank;
  inner.splits =
      Inner(spec.kind == TypeSpec::Kind::kSlices ? spec.indices_dtype
                                                 : spec.row_splits_dtype);
  if (spec.dense_shape_dtype)
    inner.dense_shape = Inner(*spec.dense_shape_dtype);
  if (spec.kind == TypeSpec::Kind::kSlices) {
    inner.rows = Inner(spec.indices_shape);
  }
  if (spec.element_spec) {
    inner.elements =
        std::make_shared<::gk::ElementSpec>(Inner(*spec.element_spec));
  }
  return inner;
}

TypeSpec Outer(const InnerSpec& inner) {
  TypeSpec spec;
  spec.kind = static_cast<TypeSpec::Kind>(inner.kind);
  spec.shape = Outer(inner.shape);
  spec.dtype = Outer(inner.dtype);
  spec.name = inner.name;
  spec.ragged_rank = inner.ragged_rank;
  (spec.kind == TypeSpec::Kind::kSlices ? spec.indices_dtype
                                        : spec.row_splits_dtype) =
      Outer(inner.splits);
  if (inner.dense_shape != InnerType::kInvalid) {
    spec.dense_shape_dtype = Outer(inner.dense_shape);
  }
  if (inner.kind == InnerSpec::Kind::kSlices) {
    spec.indices_shape = Outer(inner.rows);
  }
  if (inner.host) {
    Ref<const ExtensionSpec> host(
        static_cast<const ExtensionSpec*>(inner.host.get()));
    std::vector<TypeSpec> parts;
    for (const InnerSpec& part : host->fields().Components()) {
      parts.push_back(Outer(part));
    }
    spec.extension = detail::FactsWith(std::move(host), std::move(parts));
  }
  return spec;
}

TypeSpec Outer(const InnerSpec& inner, const TypeSpec& like) {
  TypeSpec spec = Outer(inner);
  if (inner.elements && like.element_spec) {
    spec.element_spec = Outer(*inner.elements, *like.element_spec);
  }
  if (spec.extension && like.extension) {
    const std::vector<TypeSpec>& fields = like.extension->fields->leaves;
    std::vector<TypeSpec> parts;
    for (const InnerSpec& part : spec.extension->inner->fields().Components()) {
      const size_t i = parts.size();
      parts.push_back(i < fields.size() ? Outer(part, fields[i]) : Outer(part));
    }
    spec.extension = detail::FactsWith(spec.extension->inner, std::move(parts));
  }
  return spec;
}

::gk::ElementSpec Inner(const ElementSpec& spec) {
  ::gk::ElementSpec inner{Inner(spec.structure)};
  for (const TypeSpec& leaf : spec.leaves) inner.leaves.push_back(Inner(leaf));
  return inner;
}

std::shared_ptr<const ElementSpec> Outer(const ::gk::ElementSpec& spec,
                                         const ElementSpec& like) {
  auto made = std::make_shared<ElementSpec>(like);
  for (size_t i = 0; i < spec.leaves.size(); ++i) {
    made->leaves[i] = Outer(spec.leaves[i], like.leaves[i]);
  }
  return made;
}

// --- TypeSpec.

std::vector<TensorSpec> TypeSpec::flatten() const {
  std::vector<TensorSpec> parts;
  for (const InnerSpec& part : Inner(*this).Tensors()) {
    parts.push_back({Outer(part.shape), Outer(part.dtype), part.name});
  }
  return parts;
}

bool TypeSpec::is_compatible_with(const TypeSpec& other) const {
  return Inner(*this).IsCompatibleWith(Inner(other));
}

bool TypeSpec::is_subtype_of(const TypeSpec& other) const {
  return Inner(*this).IsSubtypeOf(Inner(other));
}

std::optional<TypeSpec> TypeSpec::most_specific_common_supertype(
    const TypeSpec& other) const {
  const auto both = Inner(*this).Common(Inner(other));
  if (!both) return std::nullopt;
  return Outer(*both, *this);
}

std::string TypeSpec::to_string() const {
  const auto with = [&](const char* kind, const std::string& more = {}) {
    return Format("{}(shape={}, dtype={}{})", kind, shape.to_string(),
                  NameOf(dtype), more);
  };
  switch (kind) {
    case Kind::kTensor:
      return with("TensorSpec");
    case Kind::kNone:
      return "NoneTensorSpec()";
    case Kind::kRagged:
      return with("RaggedTensorSpec",
                  Format(", ragged_rank={}, row_splits_dtype={}", ragged_rank,
                         NameOf(row_splits_dtype)));
    case Kind::kSparse:
      return with("SparseTensorSpec");
    case Kind::kSlices:
      return with("IndexedSlicesSpec",
                  Format(", indices_dtype={}", NameOf(indices_dtype)));
    case Kind::kDataset:
      return "DatasetSpec(" + element_spec->to_string() + ")";
    case Kind::kOptional:
      return "OptionalSpec(" + element_spec->to_string() + ")";
    case Kind::kIterator:
      return "IteratorSpec(" + element_spec->to_string() + ")";
    case Kind::kExtension: {
      const SpecFields& fields = extension->inner->fields();
      auto component = extension->fields->leaves.begin();
      return fields.structure->Text([&](size_t i) {
        const SpecPart& part = *fields.parts[i];
        return part.kind() == SpecPart::Kind::kSpec ? (component++)->to_string()
                                                    : part.Text();
      });
    }
  }
  return {};
}

bool operator==(const TypeSpec& a, const TypeSpec& b) {
  return Inner(a) == Inner(b);
}
std::ostream& operator<<(std::ostream& out, const TypeSpec& spec) {
  return out << spec.to_string();
}

std::string ElementSpec::to_string() const {
  return Inner(structure)->Text(
      [&](size_t i) { return leaves[i].to_string(); });
}

// --- Its kinds.

RaggedTensorSpec::RaggedTensorSpec(const Shape& shape, DataType dtype,
                                   std::optional<int64_t> ragged_rank,
                                   DataType row_splits_dtype)
    : TypeSpec(Guarded([&] {
        return Outer(InnerSpec::Ragged(Inner(dtype), Inner(shape), ragged_rank,
                                       Inner(row_splits_dtype)));
      })) {}
RaggedTensorSpec RaggedTensorSpec::from_value(const RaggedTensor& value) {
  return Guarded([&] {
    const TypeSpec spec = Outer(SpecOf(value.value()));
    return RaggedTensorSpec(spec.shape, spec.dtype, spec.ragged_rank,
                            spec.row_splits_dtype);
  });
}

SparseTensorSpec::SparseTensorSpec(const Shape& given, DataType type) {
  kind = Kind::kSparse;
  shape = given;
  dtype = type;
}
SparseTensorSpec SparseTensorSpec::from_value(const SparseTensor& value) {
  return SparseTensorSpec(value.shape(), value.dtype());
}

IndexedSlicesSpec::IndexedSlicesSpec(const Shape& given, DataType type,
                                     DataType indices,
                                     std::optional<DataType> dense_shape,
                                     const Shape& rows) {
  kind = Kind::kSlices;
  shape = given;
  dtype = type;
  indices_dtype = indices;
  dense_shape_dtype = dense_shape;
  indices_shape = rows;
}
IndexedSlicesSpec IndexedSlicesSpec::from_value(const IndexedSlices& value) {
  return Guarded([&] {
    const TypeSpec spec = Outer(value.value().Spec());
    return IndexedSlicesSpec(spec.shape, spec.dtype, spec.indices_dtype,
                             spec.dense_shape_dtype, spec.indices_shape);
  });
}

DatasetSpec::DatasetSpec(const ElementSpec& element_spec, const Shape& shape)
    : TypeSpec(OfElements(Kind::kDataset, element_spec, shape)) {}
DatasetSpec DatasetSpec::from_value(const Dataset& value) {
  return DatasetSpec(value.element_spec());
}
OptionalSpec::OptionalSpec(const ElementSpec& element_spec)
    : TypeSpec(OfElements(Kind::kOptional, element_spec)) {}
OptionalSpec OptionalSpec::from_value(const Optional& value) {
  return OptionalSpec(value.element_spec());
}
IteratorSpec::IteratorSpec(const ElementSpec& element_spec)
    : TypeSpec(OfElements(Kind::kIterator, element_spec)) {}
IteratorSpec IteratorSpec::from_value(const Iterator& value) {
  return IteratorSpec(value.element_spec());
}

// --- Values as leaves of elements.

namespace detail {
namespace {

using Kind = TypeSpec::Kind;

void Add(Results& out, const TypeSpec& spec, TensorVector components) {
  out.leaves->entries.push_back({out.tensors.size(), components.size(),
                                 std::make_shared<TypeSpec>(spec)});
  for (InnerTensor& t : components) out.tensors.push_back(Outer(std::move(t)));
}
// Of a value made of these parts.
void AddParts(Results& out, const InnerSpec& spec, const TensorVector& parts) {
  TensorVector components = parts;
  if (!out.leaves->parts) {
    components.clear();
    spec.Encode(parts, out.leaves->rows, &components);
  }
  Add(out, Outer(spec), std::move(components));
}

// How many tensors a value is read of.
size_t CountTensors(const TypeSpec& leaf, bool parts) {
  if (parts) return Inner(leaf).Tensors().size();
  ElementSignature e;
  Inner(leaf).AddComponents(&e);
  return e.types.size();
}
TensorVector NextParts(ResultReader& reader, const InnerSpec& spec) {
  if (reader.parts) {
    const auto begin = reader.tensors.begin() + reader.next_tensor;
    const size_t n = spec.Tensors().size();
    reader.next_tensor += n;
    return Inner(std::vector<Tensor>(begin, begin + n));
  }
  return Guarded(
      [&] { return spec.Decode(Inner(reader.tensors), &reader.next_tensor); });
}

}  // namespace

const TypeSpec& NextLeaf(ResultReader& reader) {
  if (reader.leaves == nullptr) ThrowOutsideElements();
  if (reader.next_leaf == reader.leaves->size()) {
    ThrowPublic(ValueError("An element has fewer components than its spec."));
  }
  return (*reader.leaves)[reader.next_leaf++];
}

ElementValue NextExtension(ResultReader& reader) {
  const TypeSpec& leaf = NextLeaf(reader);
  if (!leaf.extension) {
    ThrowPublic(TypeError("An element is {}, which is no extension type",
                          leaf.to_string()));
  }
  ElementValue value;
  const auto begin = reader.tensors.begin() + reader.next_tensor;
  const size_t n = CountTensors(leaf, reader.parts);
  value.tensors.assign(begin, begin + n);
  reader.next_tensor += n;
  const auto* const encoding =
      reader.parts ? nullptr
                   : static_cast<const ElementEncoding*>(
                         leaf.extension->inner->encoding().get());
  value.spec = encoding ? encoding->outer() : leaf.extension->fields;
  return value;
}

void ThrowOutsideElements() {
  ThrowPublic(TypeError(
      "Datasets and optionals are values of elements of datasets alone: traced "
      "functions, branches and loops take and give tensors"));
}

void ElementLeaf<RaggedTensor>::Add(Results& out, const RaggedTensor& value) {
  if (value.ragged_rank() == 0 && !(out.leaves && out.leaves->uniform)) {
    out.tensors.push_back(value.flat_values());
    return;
  }
  Guarded([&] {
    const RaggedValue ragged = value.value();
    TensorVector parts = {ragged.flat()};
    for (const RowPartition& p : ragged.partitions()) parts.push_back(p.splits);
    AddParts(out, SpecOf(ragged), parts);
  });
}
RaggedTensor ElementLeaf<RaggedTensor>::Next(ResultReader& reader) {
  const TypeSpec& leaf = NextLeaf(reader);
  if (leaf.kind == Kind::kTensor) return reader.tensors[reader.next_tensor++];
  const InnerSpec spec = Inner(leaf);
  const TensorVector parts = NextParts(reader, spec);
  std::vector<RowPartition> partitions;
  for (size_t i = 1; i < parts.size(); ++i) {
    const int64_t length = spec.shape.unknown_rank()
                               ? kUnknownDim
                               : spec.shape.dim(static_cast<int>(i));
    partitions.push_back({parts[i], {}});
    if (length >= 0) partitions.back().uniform = length;
  }
  return RaggedTensor(RaggedValue(parts[0], std::move(partitions)));
}
bool ElementLeaf<RaggedTensor>::Fits(const TypeSpec& spec) {
  return spec.kind == Kind::kRagged || spec.kind == Kind::kTensor;
}

void ElementLeaf<SparseTensor>::Add(Results& out, const SparseTensor& value) {
  Guarded([&] {
    const SparseValue sparse = value.value();
    AddParts(out, Inner(SparseTensorSpec::from_value(value)),
             {sparse.indices, sparse.values, sparse.dense_shape});
  });
}
SparseTensor ElementLeaf<SparseTensor>::Next(ResultReader& reader) {
  const TensorVector parts = NextParts(reader, Inner(NextLeaf(reader)));
  return Guarded([&] {
    return SparseTensor(SparseValue{parts[0], parts[1], parts[2], {}});
  });
}
bool ElementLeaf<SparseTensor>::Fits(const TypeSpec& spec) {
  return spec.kind == Kind::kSparse;
}

void ElementLeaf<IndexedSlices>::Add(Results& out, const IndexedSlices& value) {
  std::vector<Tensor> parts = {value.values(), value.indices()};
  if (value.dense_shape().defined()) parts.push_back(value.dense_shape());
  Guarded([&] {
    detail::Add(out, IndexedSlicesSpec::from_value(value), Inner(parts));
  });
}
IndexedSlices ElementLeaf<IndexedSlices>::Next(ResultReader& reader) {
  const std::vector<Tensor> parts =
      Outer(NextParts(reader, Inner(NextLeaf(reader))));
  return {parts[0], parts[1], parts.size() > 2 ? parts[2] : Tensor()};
}
bool ElementLeaf<IndexedSlices>::Fits(const TypeSpec& spec) {
  return spec.kind == Kind::kSlices;
}

void ElementLeaf<Dataset>::Add(Results& out, const Dataset& value) {
  detail::Add(out, DatasetSpec::from_value(value), {Inner(value.variant())});
}
Dataset ElementLeaf<Dataset>::Next(ResultReader& reader) {
  const TypeSpec& leaf = NextLeaf(reader);
  return Dataset(reader.tensors[reader.next_tensor++], leaf.element_spec);
}
bool ElementLeaf<Dataset>::Fits(const TypeSpec& spec) {
  return spec.kind == Kind::kDataset && spec.shape.rank() == 0;
}

void ElementLeaf<Optional>::Add(Results& out, const Optional& value) {
  detail::Add(out, OptionalSpec::from_value(value), {Inner(value.variant())});
}
Optional ElementLeaf<Optional>::Next(ResultReader& reader) {
  const TypeSpec& leaf = NextLeaf(reader);
  return Optional(reader.tensors[reader.next_tensor++], leaf.element_spec);
}
bool ElementLeaf<Optional>::Fits(const TypeSpec& spec) {
  return spec.kind == Kind::kOptional;
}

}  // namespace detail
}  // namespace gk::api
