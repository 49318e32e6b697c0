#include "graphkiln/extension_type.h"

#include "api/structure_rep.h"
#include "api/type_spec_inner.h"
#include "base/format.h"
#include "framework/op_builder.h"

namespace gk::api {
namespace {

// A plain value of a field: its text, which tells types of values apart.
class PlainValue final : public LanguageValue {
 public:
  PlainValue(std::string plain, bool quoted)
      : plain_(std::move(plain)),
        text_(quoted ? Format("'{}'", plain_) : plain_) {}
  bool Equals(const LanguageValue& other) const override {
    return text_ == static_cast<const PlainValue&>(other).text_;
  }
  std::string Text() const override { return text_; }
  // What a field is made of again.
  const std::string& plain() const { return plain_; }

 private:
  std::string plain_;
  std::string text_;
};

}  // namespace

TypeSpec TypeSpec::field(std::string_view name) const {
  return Guarded([&]() -> TypeSpec {
    if (extension) {
      const SpecFields& fields = extension->inner->fields();
      const auto& children = fields.structure->children();
      size_t part = 0, component = 0;
      for (size_t i = 0; i < children.size(); ++i) {
        const bool found =
            !children[i]->is_nested() && fields.structure->ChildName(i) == name;
        for (size_t k = 0; k < children[i]->num_leaves(); ++k) {
          if (fields.parts[part++]->kind() != SpecPart::Kind::kSpec) continue;
          if (found) return extension->fields->leaves[component];
          ++component;
        }
      }
    }
    throw ::gk::Error(
        LookupError("{} has no field {} with a spec", to_string(), name));
  });
}

namespace detail {

std::shared_ptr<const ExtensionFacts> FactsWith(Ref<const ExtensionSpec> inner,
                                                std::vector<TypeSpec> specs) {
  const SpecFields& from = inner->fields();
  auto fields = std::make_shared<ElementSpec>();
  fields->structure = Outer(StructureRef(from.structure));
  fields->leaves = std::move(specs);
  for (const SpecPartRef& part : from.parts) {
    if (part->kind() == SpecPart::Kind::kShape) {
      fields->plain.push_back(PlainText(Outer(part->shape())));
    } else if (part->kind() == SpecPart::Kind::kPlain) {
      fields->plain.push_back(
          static_cast<const PlainValue&>(part->plain()).plain());
    }
  }
  return std::make_shared<ExtensionFacts>(
      ExtensionFacts{std::move(inner), std::move(fields)});
}

struct SpecMaker::Rep {
  SpecFields fields;
  std::vector<TypeSpec> specs;
};

SpecMaker::SpecMaker() : rep_(std::make_unique<Rep>()) {}
SpecMaker::~SpecMaker() = default;

void SpecMaker::Spec(const TypeSpec& spec) {
  structure_.Leaf();
  rep_->specs.push_back(spec);
  rep_->fields.parts.push_back(SpecPart::Of(Inner(spec)));
}
void SpecMaker::Plain(const std::string& text, bool quoted) {
  structure_.Leaf();
  rep_->fields.parts.push_back(
      SpecPart::OfPlain(MakeRef<PlainValue>(text, quoted)));
}
void SpecMaker::Plain(const Shape& shape) {
  structure_.Leaf();
  rep_->fields.parts.push_back(SpecPart::OfShape(Inner(shape)));
}

TypeSpec SpecMaker::Take(const StructureFacts& facts) {
  const StructureRef nested = Inner(structure_.Take());
  SpecFields& fields = rep_->fields;
  fields.structure = ::gk::Structure::Of({.kind = ::gk::Structure::Kind::kAttrs,
                                          .name = facts.name + ".Spec",
                                          .identity = nested->identity(),
                                          .keys = nested->keys()},
                                         nested->children());
  TypeSpec made;
  made.kind = TypeSpec::Kind::kExtension;
  made.extension =
      FactsWith(MakeRef<ExtensionSpec>(facts.name, &facts, /*stacks=*/true,
                                       std::move(fields)),
                std::move(rep_->specs));
  return made;
}

bool IsOf(const TypeSpec& spec, const StructureFacts& facts) {
  return spec.extension && spec.extension->inner->identity() == &facts;
}

Tensor AreEqual(const TypeSpec& x, const TypeSpec& y,
                const std::vector<Tensor>& x_tensors,
                const std::vector<Tensor>& y_tensors) {
  EnsureReady();
  return Guarded([&] {
    if (!x.is_compatible_with(y)) {
      return Outer(ConstantHere(InnerTensor::Scalar(false)));
    }
    if (x_tensors.empty())
      return Outer(ConstantHere(InnerTensor::Scalar(true)));
    return Outer(::gk::AreEqual(Inner(x_tensors), Inner(y_tensors)));
  });
}

}  // namespace detail
}  // namespace gk::api
