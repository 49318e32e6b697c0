#include "function/specs/spec_fields.h"

#include "framework/structure_match.h"
#include "framework/tensor_text.h"
#include "function/ragged/integer_arithmetic.h"
#include "ops/fn/Equal.h"

namespace gk {
namespace {

using PartKind = SpecPart::Kind;

bool NestAlike(const SpecFields& a, const SpecFields& b) {
  const Structure &x = *a.structure, &y = *b.structure;
  return AssertSameStructure(x, y, /*check_types=*/true, StructureWords(x, y))
      .ok();
}

// Do both nest alike, and all parts stand in a relation?
bool AllOf(const SpecFields& a, const SpecFields& b,
           FunctionRef<bool(const SpecPart&, const SpecPart&)> related) {
  if (!NestAlike(a, b)) return false;
  for (size_t i = 0; i < a.parts.size(); ++i) {
    const SpecPart &x = *a.parts[i], &y = *b.parts[i];
    if (x.kind() != y.kind() || !related(x, y)) return false;
  }
  return true;
}

SpecFields Mapped(const SpecFields& fields,
                  FunctionRef<SpecPartRef(const SpecPart&)> f) {
  SpecFields made{fields.structure, {}};
  for (const SpecPartRef& part : fields.parts) {
    const bool stays = part->kind() == PartKind::kPlain;
    made.parts.push_back(stays ? part : f(*part));
  }
  return made;
}

}  // namespace

// --- SpecPart. Both of a relation are of one kind.

SpecPartRef SpecPart::Of(TypeSpec spec) {
  auto part = std::make_shared<SpecPart>();
  part->spec_ = std::move(spec);
  return part;
}
SpecPartRef SpecPart::OfShape(PartialTensorShape shape) {
  auto part = std::make_shared<SpecPart>();
  part->kind_ = PartKind::kShape;
  part->spec_.shape = std::move(shape);
  return part;
}
SpecPartRef SpecPart::OfPlain(Ref<LanguageValue> value) {
  auto part = std::make_shared<SpecPart>();
  part->kind_ = PartKind::kPlain;
  part->plain_ = std::move(value);
  return part;
}

SpecPartRef SpecPart::Batched(int64_t size) const {
  if (kind_ == PartKind::kSpec) return Of(spec_.Batched(size));
  PartialTensorShape stacked = shape();
  if (!stacked.unknown_rank()) stacked.InsertDim(0, size);
  return OfShape(std::move(stacked));
}
SpecPartRef SpecPart::Row() const {
  if (kind_ == PartKind::kSpec) return Of(spec_.Row());
  PartialTensorShape row = shape();
  if (row.rank() > 0) row.RemoveDim(0);
  return OfShape(std::move(row));
}
bool SpecPart::IsCompatibleWith(const SpecPart& o) const {
  if (kind_ == PartKind::kPlain) return Equals(o);
  return kind_ == PartKind::kShape ? shape().IsCompatibleWith(o.shape())
                                   : spec_.IsCompatibleWith(o.spec_);
}
bool SpecPart::IsSubtypeOf(const SpecPart& o) const {
  if (kind_ == PartKind::kPlain) return Equals(o);
  return kind_ == PartKind::kShape ? shape().IsSubtypeOf(o.shape())
                                   : spec_.IsSubtypeOf(o.spec_);
}
bool SpecPart::Equals(const SpecPart& o) const {
  return kind_ == PartKind::kPlain ? plain_->Equals(*o.plain_)
                                   : spec_ == o.spec_;
}
SpecPartRef SpecPart::Common(const SpecPart& o) const {
  if (kind_ == PartKind::kPlain) return Equals(o) ? OfPlain(plain_) : nullptr;
  if (kind_ == PartKind::kShape) {
    return OfShape(shape().CommonSupertype(o.shape()));
  }
  std::optional<TypeSpec> both = spec_.Common(o.spec_);
  return both ? Of(*std::move(both)) : nullptr;
}
std::string SpecPart::Text() const {
  if (kind_ == PartKind::kPlain) return plain_->Text();
  return kind_ == PartKind::kShape ? ShapeObjectText(shape()) : spec_.Text();
}

// --- SpecFields.

std::vector<TypeSpec> SpecFields::Components() const {
  std::vector<TypeSpec> specs;
  for (const SpecPartRef& part : parts) {
    if (part->kind() == PartKind::kSpec) specs.push_back(part->spec());
  }
  return specs;
}

SpecFields SpecFields::Batched(int64_t size) const {
  return Mapped(*this,
                [&](const SpecPart& part) { return part.Batched(size); });
}
SpecFields SpecFields::Row() const {
  return Mapped(*this, [](const SpecPart& part) { return part.Row(); });
}

bool SpecFields::IsCompatibleWith(const SpecFields& other) const {
  return AllOf(*this, other, [](const SpecPart& a, const SpecPart& b) {
    return a.IsCompatibleWith(b);
  });
}
bool SpecFields::IsSubtypeOf(const SpecFields& other) const {
  return AllOf(*this, other, [](const SpecPart& a, const SpecPart& b) {
    return a.IsSubtypeOf(b);
  });
}
bool SpecFields::Describes(const SpecFields& value) const {
  return AllOf(*this, value, [](const SpecPart& a, const SpecPart& b) {
    return a.kind() == PartKind::kSpec || a.IsCompatibleWith(b);
  });
}
bool SpecFields::operator==(const SpecFields& other) const {
  return structure->Equals(*other.structure) &&
         AllOf(*this, other, [](const SpecPart& a, const SpecPart& b) {
           return a.Equals(b);
         });
}

std::optional<SpecFields> SpecFields::Common(const SpecFields& other) const {
  SpecFields common{structure, {}};
  const bool found =
      AllOf(*this, other, [&](const SpecPart& a, const SpecPart& b) {
        common.parts.push_back(a.Common(b));
        return common.parts.back() != nullptr;
      });
  if (!found) return std::nullopt;
  return common;
}

std::string SpecFields::Text() const {
  return structure->Text([&](size_t i) { return parts[i]->Text(); });
}

// --- ExtensionSpec.

std::vector<TypeSpec> ExtensionSpec::Parts() const {
  if (encoding_) return encoding_->spec().leaves;
  return stacks_ ? fields_.Components() : Tensors();
}

std::vector<TypeSpec> ExtensionSpec::Tensors() const {
  std::vector<TypeSpec> tensors;
  for (const TypeSpec& spec : fields_.Components()) {
    for (TypeSpec& part : spec.Tensors()) tensors.push_back(std::move(part));
  }
  return tensors;
}

const ExtensionSpec* ExtensionSpec::Alike(const LanguageValue& other) const {
  const auto* o = dynamic_cast<const ExtensionSpec*>(&other);
  return o != nullptr && o->identity_ == identity_ ? o : nullptr;
}

TypeSpec ExtensionSpec::With(SpecFields fields,
                             SpecEncodingRef encoding) const {
  return TypeSpec::Of(MakeRef<ExtensionSpec>(
      name_, identity_, stacks_, std::move(fields), std::move(encoding)));
}

TypeSpec ExtensionSpec::Batched(int64_t size) const {
  if (!encoding_) return With(fields_.Batched(size));
  const SpecEncodingRef stacked =
      encoding_->With(gk::Batched(encoding_->spec(), size));
  return With(stacked->Decoded(), stacked);
}
TypeSpec ExtensionSpec::Row() const {
  if (!encoding_) return With(fields_.Row());
  const SpecEncodingRef row = encoding_->With(RowsOf(encoding_->spec()));
  return With(row->Decoded(), row);
}

std::optional<TypeSpec> ExtensionSpec::Common(const HostSpec& other) const {
  const ExtensionSpec* const o = Alike(other);
  std::optional<SpecFields> both;
  if (o != nullptr) both = fields_.Common(o->fields_);
  if (!both) return std::nullopt;
  if (!encoding_ || !o->encoding_) return With(*std::move(both));
  std::optional<ElementSpec> encoding =
      CommonElements(encoding_->spec(), o->encoding_->spec());
  if (!encoding) return std::nullopt;
  return With(*std::move(both), encoding_->With(*std::move(encoding)));
}
bool ExtensionSpec::IsCompatibleWith(const HostSpec& other) const {
  const ExtensionSpec* const o = Alike(other);
  return o != nullptr && fields_.IsCompatibleWith(o->fields_);
}
bool ExtensionSpec::IsSubtypeOf(const LanguageType& other) const {
  const ExtensionSpec* const o = Alike(other);
  return o != nullptr && fields_.IsSubtypeOf(o->fields_);
}
bool ExtensionSpec::Equals(const LanguageValue& other) const {
  const ExtensionSpec* const o = Alike(other);
  return o != nullptr && fields_ == o->fields_;
}

Tensor AreEqual(std::span<const Tensor> a, std::span<const Tensor> b) {
  TensorVector equal;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].partial_shape().IsCompatibleWith(b[i].partial_shape())) {
      return ValueOrThrow(
          OpBuilder::Current()->Constant(Tensor::Scalar(false), {}));
    }
    equal.push_back(integers::IsAll(ops::Equal(a[i], b[i])));
  }
  return integers::IsAll(integers::Vector(equal));
}

}  // namespace gk
