#include "function/specs/type_spec.h"

#include "framework/structure_match.h"
#include "framework/tensor_text.h"
#include "function/dataset_builder.h"
#include "function/ragged/integer_arithmetic.h"
#include "function/trace_type.h"
#include "ops/fn/DeserializeSparse.h"
#include "ops/fn/RaggedTensorFromVariant.h"
#include "ops/fn/RaggedTensorToVariant.h"
#include "ops/fn/SerializeManySparse.h"
#include "ops/fn/SerializeSparse.h"

namespace gk {
namespace {

using Kind = TypeSpec::Kind;

std::string TypeText(DataType dtype) {
  return Format("tf.{}", DataTypeName(dtype));
}

bool NestAlike(const ElementSpec& a, const ElementSpec& b) {
  const Structure &x = *a.structure, &y = *b.structure;
  return AssertSameStructure(x, y, /*check_types=*/true, StructureWords(x, y))
      .ok();
}

[[noreturn]] void OtherState(const char* what, const std::string& before,
                             const std::string& after) {
  throw Error(
      TypeError("The element {} for the new state must match the initial "
                "state. Expected {} but got {}.",
                what, before, after));
}
std::string TypesText(const ElementSpec& spec) {
  return spec.structure->Text([&](size_t i) {
    const TypeSpec& leaf = spec.leaves[i];
    if (leaf.host) return leaf.host->TypeName();
    const bool typed = leaf.kind <= Kind::kSlices && leaf.kind != Kind::kNone;
    if (typed && !spec.structure->is_nested()) {  // str(), not repr()
      return Format("<dtype: '{}'>", DataTypeName(leaf.dtype));
    }
    if (typed) return TypeText(leaf.dtype);
    const std::string text = leaf.Text();
    return text.substr(0, text.find('('));
  });
}

}  // namespace

TypeSpec TypeSpec::Ragged(DataType dtype, PartialTensorShape shape,
                          std::optional<int64_t> ragged_rank, DataType splits) {
  if (!ragged_rank && shape.unknown_rank()) {
    throw Error(
        ValueError("Must specify ragged_rank or a shape with a known rank."));
  }
  const int64_t rank = ragged_rank.value_or(shape.rank() - 1);
  if (!shape.unknown_rank() && rank >= shape.rank()) {
    throw Error(
        ValueError("Argument `ragged_rank` ({}) must be less than rank ({}).",
                   rank, shape.rank()));
  }
  TypeSpec spec{Kind::kRagged, dtype, std::move(shape)};
  spec.ragged_rank = static_cast<int>(rank);
  spec.splits = splits;
  return spec;
}

TypeSpec TypeSpec::Of(Kind kind, ElementSpecRef elements,
                      PartialTensorShape shape) {
  const DataType dtype =
      kind == Kind::kIterator ? DataType::kResource : DataType::kVariant;
  TypeSpec spec{kind, dtype, std::move(shape)};
  spec.elements = std::move(elements);
  return spec;
}

std::vector<TypeSpec> TypeSpec::Tensors() const {
  return host ? host->Tensors() : Parts();
}

std::vector<TypeSpec> TypeSpec::Parts() const {
  if (host) return host->Parts();
  switch (kind) {
    case Kind::kNone:
      return {};
    case Kind::kRagged: {
      PartialTensorShape flat = shape;
      if (ragged_rank > 0 && !shape.unknown_rank()) {
        flat = PartialTensorShape({kUnknownDim});
        for (int i = ragged_rank + 1; i < shape.rank(); ++i) {
          flat.AddDim(shape.dim(i));
        }
      }
      std::vector<TypeSpec> parts = {Tensor(dtype, std::move(flat))};
      for (int level = 0; level < ragged_rank; ++level) {
        const bool known =
            level == 0 && !shape.unknown_rank() && shape.dim(0) >= 0;
        parts.push_back(Tensor(
            splits,
            PartialTensorShape({known ? shape.dim(0) + 1 : kUnknownDim})));
      }
      return parts;
    }
    case Kind::kSparse: {
      const int64_t rank = shape.rank();
      return {Tensor(DataType::kInt64, PartialTensorShape({kUnknownDim, rank})),
              Tensor(dtype, PartialTensorShape({kUnknownDim})),
              Tensor(DataType::kInt64, PartialTensorShape({rank}))};
    }
    case Kind::kSlices: {
      PartialTensorShape values = shape.unknown_rank() ? shape : rows;
      for (int i = 1; i < shape.rank(); ++i) values.AddDim(shape.dim(i));
      std::vector<TypeSpec> parts = {Tensor(dtype, std::move(values)),
                                     Tensor(splits, rows)};
      if (dense_shape != DataType::kInvalid) {
        parts.push_back(
            Tensor(dense_shape, PartialTensorShape({shape.rank()})));
      }
      return parts;
    }
    default:
      return {Tensor(dtype, shape)};
  }
}

void TypeSpec::AddComponents(ElementSignature* e) const {
  if (!host && (kind == Kind::kRagged || kind == Kind::kSparse)) {
    e->types.push_back(DataType::kVariant);
    e->shapes.emplace_back();
  } else if (host || kind == Kind::kSlices) {
    for (const TypeSpec& part : Parts()) part.AddComponents(e);
  } else if (kind != Kind::kNone) {
    e->types.push_back(dtype);
    e->shapes.push_back(shape);
  }
}

TypeSpec TypeSpec::WithShape(PartialTensorShape given, int ranks) const {
  if (kind == Kind::kRagged && ragged_rank + ranks < 0) {
    return Tensor(dtype, std::move(given));
  }
  if (kind == Kind::kRagged) {
    return Ragged(dtype, std::move(given), ragged_rank + ranks, splits);
  }
  TypeSpec spec = *this;
  spec.shape = std::move(given);
  spec.name.clear();
  return spec;
}

TypeSpec TypeSpec::Batched(int64_t size) const {
  if (kind == Kind::kNone) return *this;
  if (has_encoder()) return host->Batched(size);
  if (kind > Kind::kSparse && kind != Kind::kDataset) {
    throw Error(TypeError("Elements of {} cannot be batched", Text()));
  }
  PartialTensorShape stacked = shape;
  if (!stacked.unknown_rank()) stacked.InsertDim(0, size);
  return WithShape(std::move(stacked), 1);
}

TypeSpec TypeSpec::Row() const {
  if (kind == Kind::kNone) return *this;
  if (has_encoder()) return host->Row();
  if (kind > Kind::kSparse && kind != Kind::kDataset) {
    throw Error(TypeError("Elements of {} cannot be sliced", Text()));
  }
  if (shape.rank() == 0) {
    throw Error(
        kind == Kind::kDataset
            ? ValueError("Slicing dataset elements is not supported for rank "
                         "0.")
            : ValueError("Unbatching a tensor is only supported for rank >= "
                         "1"));
  }
  PartialTensorShape row = shape;
  if (!row.unknown_rank()) row.RemoveDim(0);
  return WithShape(std::move(row), -1);
}

bool TypeSpec::operator==(const TypeSpec& o) const {
  if (kind != o.kind || !host != !o.host) return false;
  if (kind == Kind::kHost) return host->Equals(*o.host);
  if (host && !host->Equals(*o.host)) return false;
  if (!elements != !o.elements) return false;
  return dtype == o.dtype && shape == o.shape && name == o.name &&
         ragged_rank == o.ragged_rank && splits == o.splits &&
         dense_shape == o.dense_shape && rows == o.rows &&
         (!elements || (elements->structure->Equals(*o.elements->structure) &&
                        elements->leaves == o.elements->leaves));
}

std::optional<TypeSpec> TypeSpec::Common(const TypeSpec& o) const {
  if (kind != o.kind || !host != !o.host) return std::nullopt;
  if (host) return host->Common(*o.host);
  if (dtype != o.dtype || ragged_rank != o.ragged_rank || splits != o.splits ||
      dense_shape != o.dense_shape) {
    return std::nullopt;
  }
  TypeSpec both = *this;
  if (name != o.name) both.name.clear();
  both.shape = shape.CommonSupertype(o.shape);
  both.rows = rows.CommonSupertype(o.rows);
  if (elements) {
    std::optional<ElementSpec> inner = CommonElements(*elements, *o.elements);
    if (!inner) return std::nullopt;
    both.elements = std::make_shared<ElementSpec>(*std::move(inner));
  }
  return both;
}

bool TypeSpec::IsCompatibleWith(const TypeSpec& o) const {
  if (kind != o.kind || !host != !o.host) return false;
  if (host) return host->IsCompatibleWith(*o.host);
  if (!shape.IsCompatibleWith(o.shape) || !rows.IsCompatibleWith(o.rows) ||
      !Common(o)) {
    return false;
  }
  for (size_t i = 0; elements && i < elements->leaves.size(); ++i) {
    if (!elements->leaves[i].IsCompatibleWith(o.elements->leaves[i])) {
      return false;
    }
  }
  return true;
}

bool TypeSpec::IsSubtypeOf(const TypeSpec& o) const {
  if (kind == o.kind && host && o.host) return host->IsSubtypeOf(*o.host);
  const std::optional<TypeSpec> both = o.Common(*this);
  return both && *both == o;
}

void TypeSpec::Encode(std::span<const gk::Tensor> parts, bool rows,
                      TensorVector* components) const {
  const bool coded = !host &&
                     (kind == Kind::kRagged || kind == Kind::kSparse) &&
                     !(kind == Kind::kRagged && rows && parts.size() == 1);
  if (!coded) {
    components->insert(components->end(), parts.begin(), parts.end());
  } else if (kind == Kind::kRagged) {
    components->push_back(
        ops::RaggedTensorToVariant(parts.subspan(1), parts[0], rows));
  } else {
    components->push_back(
        (rows ? ops::SerializeManySparse(parts[0], parts[1], parts[2],
                                         DataType::kVariant)
              : ops::SerializeSparse(parts[0], parts[1], parts[2],
                                     DataType::kVariant)));
  }
}

TensorVector TypeSpec::Decode(std::span<const gk::Tensor> components,
                              size_t* next) const {
  const auto take = [&] {
    if (*next >= components.size()) {
      throw Error(ValueError("An element has fewer components than its spec."));
    }
    return components[(*next)++];
  };
  TensorVector parts;
  if (!host && kind == Kind::kRagged) {
    TensorVector made = ops::RaggedTensorFromVariant(
        take(), /*input_ragged_rank=*/-1, ragged_rank, dtype, splits);
    parts.push_back(std::move(made.back()));
    made.pop_back();
    parts.insert(parts.end(), made.begin(), made.end());
  } else if (!host && kind == Kind::kSparse) {
    parts = ops::DeserializeSparse(take(), dtype);
  } else {
    ElementSignature e;
    AddComponents(&e);
    for (size_t i = 0; i < e.types.size(); ++i) parts.push_back(take());
    return parts;
  }
  const std::vector<TypeSpec> known = Parts();
  for (size_t i = 0; i < parts.size(); ++i)
    integers::Refine(parts[i], known[i].shape);
  return parts;
}

std::string TypeSpec::Text() const {
  switch (kind) {
    case Kind::kTensor:
      return TensorSpecText(dtype, shape, name);
    case Kind::kNone:
      return "NoneTensorSpec()";
    case Kind::kRagged:
      if (host) return host->Text();
      return Format("RaggedTensorSpec({}, {}, {}, {})", ShapeObjectText(shape),
                    TypeText(dtype), ragged_rank, TypeText(splits));
    case Kind::kSparse:
      return Format("SparseTensorSpec({}, {})", ShapeObjectText(shape),
                    TypeText(dtype));
    case Kind::kSlices:
      return Format(
          "IndexedSlicesSpec({}, {}, {}, {}, {})", ShapeObjectText(shape),
          TypeText(dtype), TypeText(splits),
          dense_shape == DataType::kInvalid ? "None" : TypeText(dense_shape),
          ShapeObjectText(rows));
    case Kind::kDataset:
      return Format("DatasetSpec({}, {})", elements->Text(),
                    ShapeObjectText(shape));
    case Kind::kOptional:
      return Format("OptionalSpec({},)", elements->Text());
    case Kind::kIterator:
      return Format("IteratorSpec({},)", elements->Text());
    case Kind::kHost:
      return host->Text();
  }
  return {};
}

std::string ElementSpec::Text() const {
  return structure->Text([&](size_t i) { return leaves[i].Text(); });
}

ElementSignature SignatureOf(const ElementSpec& spec) {
  ElementSignature e;
  for (const TypeSpec& leaf : spec.leaves) leaf.AddComponents(&e);
  return e;
}

TensorVector RowsOfComponents(const ElementSpec& spec,
                              std::span<const Tensor> components) {
  TensorVector rows;
  size_t next = 0;
  for (const TypeSpec& leaf : LeavesInside(spec)) {
    leaf.Encode(leaf.Decode(components, &next), /*rows=*/true, &rows);
  }
  return rows;
}

std::vector<TypeSpec> LeavesInside(const ElementSpec& spec) {
  std::vector<TypeSpec> leaves;
  const auto add = [&](auto&& self, const TypeSpec& leaf) -> void {
    if (!leaf.has_encoder()) return leaves.push_back(leaf);
    for (const TypeSpec& part : leaf.host->Parts()) self(self, part);
  };
  for (const TypeSpec& leaf : spec.leaves) add(add, leaf);
  return leaves;
}

std::optional<std::pair<int64_t, int64_t>> UnequalLengths(
    const ElementSpec& spec) {
  ElementSignature shapes;
  for (const TypeSpec& leaf : LeavesInside(spec)) {
    if (leaf.kind <= Kind::kSlices && leaf.kind != Kind::kNone) {
      shapes.shapes.push_back(leaf.shape);
    } else if (leaf.kind == Kind::kHost) {
      if (auto shape = leaf.host->shape()) shapes.shapes.push_back(*shape);
    }
  }
  return UnequalLengths(shapes);
}

void RefuseEmptyElement(const ElementSpec& spec) {
  if (!SignatureOf(spec).types.empty()) return;
  throw Error(ValueError("Invalid `element`. `element` should not be empty."));
}

ElementSpec Batched(const ElementSpec& spec, int64_t size) {
  ElementSpec made{spec.structure};
  for (const TypeSpec& leaf : spec.leaves) {
    made.leaves.push_back(leaf.Batched(size));
  }
  return made;
}
ElementSpec RowsOf(const ElementSpec& spec) {
  ElementSpec made{spec.structure};
  for (const TypeSpec& leaf : spec.leaves) made.leaves.push_back(leaf.Row());
  return made;
}

std::optional<ElementSpec> CommonElements(const ElementSpec& a,
                                          const ElementSpec& b) {
  if (!NestAlike(a, b)) return std::nullopt;
  ElementSpec common{a.structure};
  for (size_t i = 0; i < a.leaves.size(); ++i) {
    std::optional<TypeSpec> both = a.leaves[i].Common(b.leaves[i]);
    if (!both) return std::nullopt;
    common.leaves.push_back(*std::move(both));
  }
  return common;
}

ElementSpec UntilFixed(ElementSpec state,
                       FunctionRef<ElementSpec(const ElementSpec&)> next) {
  while (true) {
    const ElementSpec after = next(state);
    if (!NestAlike(state, after) ||
        state.leaves.size() != after.leaves.size()) {
      OtherState("structure", state.Text(), after.Text());
    }
    const std::string types = TypesText(state), others = TypesText(after);
    if (types != others) OtherState("types", types, others);
    std::optional<ElementSpec> wider = CommonElements(state, after);
    if (!wider) OtherState("classes", state.Text(), after.Text());
    if (wider->leaves == state.leaves) return state;
    state = *std::move(wider);
  }
}

}  // namespace gk
