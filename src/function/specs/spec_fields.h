// SpecFields: what a spec that the program defines is made of: specs, shapes
// and plain values, which nest, under names if they are fields of a class.
// ExtensionSpec: of a class whose fields these are.
//
// Values; ops are made with the current builder. Functions throw Error.
#ifndef GK_FUNCTION_SPECS_SPEC_FIELDS_H_
#define GK_FUNCTION_SPECS_SPEC_FIELDS_H_

#include <memory>
#include <string>
#include <vector>

#include "function/specs/type_spec.h"

namespace gk {

class SpecPart;
using SpecPartRef = std::shared_ptr<const SpecPart>;

// The spec of a value made of tensors; a shape, which is part of the type as
// far as it is known; or a plain value that all have in common.
class SpecPart {
 public:
  enum class Kind : uint8_t { kSpec, kShape, kPlain };
  static SpecPartRef Of(TypeSpec spec);
  static SpecPartRef OfShape(PartialTensorShape shape);
  static SpecPartRef OfPlain(Ref<LanguageValue> value);

  Kind kind() const { return kind_; }
  const TypeSpec& spec() const { return spec_; }
  const PartialTensorShape& shape() const { return spec_.shape; }
  const LanguageValue& plain() const { return *plain_; }

  SpecPartRef Batched(int64_t size) const;
  SpecPartRef Row() const;
  bool IsCompatibleWith(const SpecPart& other) const;
  bool IsSubtypeOf(const SpecPart& other) const;
  bool Equals(const SpecPart& other) const;
  SpecPartRef Common(const SpecPart& other) const;  // null if there is none
  std::string Text() const;

 private:
  Kind kind_ = Kind::kSpec;
  TypeSpec spec_;  // of a shape its shape
  Ref<LanguageValue> plain_;
};

struct SpecFields {
  StructureRef structure;
  std::vector<SpecPartRef> parts;

  // The specs among the parts.
  std::vector<TypeSpec> Components() const;
  // Of `size` values stacked (-1: of how many is not known) and of a row, each
  // part by itself; errors as TypeSpec's.
  SpecFields Batched(int64_t size) const;
  SpecFields Row() const;
  bool IsCompatibleWith(const SpecFields& other) const;
  bool IsSubtypeOf(const SpecFields& other) const;
  // Does `value`, of one value, differ in no more than its specs?
  bool Describes(const SpecFields& value) const;
  // The narrowest that covers both, if any does.
  std::optional<SpecFields> Common(const SpecFields& other) const;
  bool operator==(const SpecFields& other) const;
  // "Point.Spec(x=TensorSpec(...), tag='a')".
  std::string Text() const;
};

// What values of a class are stacked as that are not stacked field by field.
class SpecEncoding {
 public:
  explicit SpecEncoding(ElementSpec spec) : spec_(std::move(spec)) {}
  virtual ~SpecEncoding() = default;

  const ElementSpec& spec() const { return spec_; }
  // The same encoding, of values that it makes something else of.
  virtual std::shared_ptr<const SpecEncoding> With(ElementSpec spec) const = 0;
  // Of the value that this is the encoding of.
  virtual SpecFields Decoded() const = 0;

 private:
  ElementSpec spec_;
};
using SpecEncodingRef = std::shared_ptr<const SpecEncoding>;

class ExtensionSpec : public HostSpec {
 public:
  // `name`: the class of the values; `identity`: as no other class has.
  // `stacks`: by field, or as `encoding` has it. The structure has the fields
  // for its children.
  ExtensionSpec(std::string name, const void* identity, bool stacks,
                SpecFields fields, SpecEncodingRef encoding = nullptr)
      : name_(std::move(name)),
        identity_(identity),
        stacks_(stacks),
        fields_(std::move(fields)),
        encoding_(std::move(encoding)) {}

  const std::string& name() const { return name_; }
  const void* identity() const { return identity_; }
  const SpecFields& fields() const { return fields_; }
  // Null: by field.
  const SpecEncodingRef& encoding() const { return encoding_; }

  std::vector<TypeSpec> Parts() const override;
  std::vector<TypeSpec> Tensors() const override;
  bool has_encoder() const override { return stacks_; }
  TypeSpec Batched(int64_t size) const override;
  TypeSpec Row() const override;
  std::optional<TypeSpec> Common(const HostSpec& other) const override;
  bool IsCompatibleWith(const HostSpec& other) const override;
  bool IsSubtypeOf(const LanguageType& other) const override;
  bool Equals(const LanguageValue& other) const override;
  std::optional<PartialTensorShape> shape() const override { return {}; }
  std::string Text() const override { return fields_.Text(); }
  std::string TypeName() const override { return name_; }

 private:
  // Null unless it is one of this class.
  const ExtensionSpec* Alike(const LanguageValue& other) const;
  TypeSpec With(SpecFields fields, SpecEncodingRef encoding = nullptr) const;

  std::string name_;
  const void* identity_;
  bool stacks_;
  SpecFields fields_;
  SpecEncodingRef encoding_;
};

// Are the tensors of two values of compatible specs equal? A bool scalar.
Tensor AreEqual(std::span<const Tensor> a, std::span<const Tensor> b);

}  // namespace gk

#endif  // GK_FUNCTION_SPECS_SPEC_FIELDS_H_
