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
  explicit PlainValue(std::string text) : text_(std::move(text)) {}
  bool Equals(const LanguageValue& other) const override {
    return text_ == static_cast<const PlainValue&>(other).text_;
  }
  std::string Text() const override { return text_; }

 private:
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
          if (found) return extension->components[component];
          ++component;
        }
      }
    }
    throw ::gk::Error(
        LookupError("{} has no field {} with a spec", to_string(), name));
  });
}

namespace detail {

struct SpecMaker::Rep {
  SpecFields fields;
};

SpecMaker::SpecMaker() : rep_(std::make_unique<Rep>()) {}
SpecMaker::~SpecMaker() = default;

void SpecMaker::Spec(const TypeSpec& spec) {
  structure_.Leaf();
  specs_.push_back(spec);
  rep_->fields.parts.push_back(SpecPart::Of(Inner(spec)));
}
void SpecMaker::Plain(const std::string& text, bool quoted) {
  structure_.Leaf();
  rep_->fields.parts.push_back(SpecPart::OfPlain(
      MakeRef<PlainValue>(quoted ? Format("'{}'", text) : text)));
}

TypeSpec SpecMaker::Take(const StructureFacts& facts) {
  const StructureRef nested = Inner(structure_.Take());
  SpecFields& fields = rep_->fields;
  fields.structure = ::gk::Structure::Of({.kind = ::gk::Structure::Kind::kAttrs,
                                          .name = facts.name + ".Spec",
                                          .identity = nested->identity(),
                                          .keys = nested->keys()},
                                         nested->children());
  const auto spec = MakeRef<ExtensionSpec>(facts.name, &facts, /*stacks=*/true,
                                           std::move(fields));
  TypeSpec made;
  made.kind = TypeSpec::Kind::kExtension;
  made.extension =
      std::make_shared<ExtensionFacts>(ExtensionFacts{spec, std::move(specs_)});
  return made;
}

StructureView OpenFields(const TypeSpec& spec,
                         const std::vector<TypeSpec>** leaves) {
  *leaves = &spec.extension->components;
  return StructureView(
      Outer(StructureRef(spec.extension->inner->fields().structure)));
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
