#include "function/specs/spec_fields.h"

#include "framework/structure_match.h"
#include "framework/tensor_text.h"
#include "function/ragged/integer_arithmetic.h"
#include "ops/fn/Equal.h"

namespace gk {
namespace {

using Part = SpecFields::Part;

bool NestAlike(const SpecFields& a, const SpecFields& b) {
  const Structure &x = *a.structure, &y = *b.structure;
  return AssertSameStructure(x, y, /*check_types=*/false, StructureWords(x, y))
      .ok();
}

// Do both nest alike, and all specs and shapes stand in a relation?
template <class F>
bool AllOf(const SpecFields& a, const SpecFields& b, F&& related) {
  if (!NestAlike(a, b)) return false;
  for (size_t i = 0; i < a.parts.size(); ++i) {
    const Part &x = a.parts[i], &y = b.parts[i];
    if (x.index() != y.index()) return false;
    const bool fits =
        x.index() == 0   ? related(std::get<0>(x), std::get<0>(y))
        : x.index() == 1 ? related(std::get<1>(x), std::get<1>(y))
                         : std::get<2>(x)->Equals(*std::get<2>(y));
    if (!fits) return false;
  }
  return true;
}

// With other specs and shapes.
template <class S, class P>
SpecFields Mapped(const SpecFields& fields, S&& spec, P&& shape) {
  SpecFields made{fields.structure, {}};
  for (const Part& part : fields.parts) {
    if (const auto* s = std::get_if<TypeSpec>(&part)) {
      made.parts.emplace_back(spec(*s));
    } else if (const auto* p = std::get_if<PartialTensorShape>(&part)) {
      made.parts.emplace_back(shape(*p));
    } else {
      made.parts.push_back(part);
    }
  }
  return made;
}

}  // namespace

std::vector<TypeSpec> SpecFields::Components() const {
  std::vector<TypeSpec> specs;
  for (const Part& part : parts) {
    if (const auto* spec = std::get_if<TypeSpec>(&part)) specs.push_back(*spec);
  }
  return specs;
}

SpecFields SpecFields::Batched(int64_t size) const {
  return Mapped(
      *this, [&](const TypeSpec& spec) { return spec.Batched(size); },
      [&](PartialTensorShape shape) {
        if (!shape.unknown_rank()) shape.InsertDim(0, size);
        return shape;
      });
}

SpecFields SpecFields::Row() const {
  return Mapped(
      *this, [](const TypeSpec& spec) { return spec.Row(); },
      [](PartialTensorShape shape) {
        if (shape.rank() > 0) shape.RemoveDim(0);
        return shape;
      });
}

bool SpecFields::IsCompatibleWith(const SpecFields& other) const {
  return AllOf(*this, other, [](const auto& a, const auto& b) {
    return a.IsCompatibleWith(b);
  });
}

bool SpecFields::IsSubtypeOf(const SpecFields& other) const {
  return AllOf(*this, other,
               [](const auto& a, const auto& b) { return a.IsSubtypeOf(b); });
}

bool SpecFields::Describes(const SpecFields& value) const {
  return AllOf(*this, value, [](const auto& a, const auto& b) {
    if constexpr (std::is_same_v<decltype(a), const TypeSpec&>) return true;
    else return a.IsCompatibleWith(b);
  });
}

bool SpecFields::operator==(const SpecFields& other) const {
  return structure->Equals(*other.structure) &&
         AllOf(*this, other,
               [](const auto& a, const auto& b) { return a == b; });
}

std::optional<SpecFields> SpecFields::Common(const SpecFields& other) const {
  if (!NestAlike(*this, other)) return std::nullopt;
  SpecFields common{structure, {}};
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part &x = parts[i], &y = other.parts[i];
    if (x.index() != y.index()) return std::nullopt;
    if (const auto* spec = std::get_if<TypeSpec>(&x)) {
      std::optional<TypeSpec> both = spec->Common(std::get<TypeSpec>(y));
      if (!both) return std::nullopt;
      common.parts.emplace_back(*std::move(both));
    } else if (const auto* shape = std::get_if<PartialTensorShape>(&x)) {
      common.parts.emplace_back(
          shape->CommonSupertype(std::get<PartialTensorShape>(y)));
    } else {
      if (!std::get<2>(x)->Equals(*std::get<2>(y))) return std::nullopt;
      common.parts.push_back(x);
    }
  }
  return common;
}

std::string SpecFields::Text() const {
  return structure->Text([&](size_t i) {
    const Part& part = parts[i];
    if (const auto* spec = std::get_if<TypeSpec>(&part)) return spec->Text();
    const auto* shape = std::get_if<PartialTensorShape>(&part);
    return shape ? ShapeObjectText(*shape) : std::get<2>(part)->Text();
  });
}

// --- ExtensionSpec.

std::vector<TypeSpec> ExtensionSpec::Parts() const {
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

TypeSpec ExtensionSpec::With(SpecFields fields) const {
  return TypeSpec::Of(
      MakeRef<ExtensionSpec>(name_, identity_, stacks_, std::move(fields)));
}

TypeSpec ExtensionSpec::Batched(int64_t size) const {
  return With(fields_.Batched(size));
}
TypeSpec ExtensionSpec::Row() const { return With(fields_.Row()); }

std::optional<TypeSpec> ExtensionSpec::Common(const HostSpec& other) const {
  const ExtensionSpec* const o = Alike(other);
  std::optional<SpecFields> both;
  if (o != nullptr) both = fields_.Common(o->fields_);
  if (!both) return std::nullopt;
  return With(*std::move(both));
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
