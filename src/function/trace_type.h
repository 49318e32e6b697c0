// TraceType: what of an argument decides which trace serves a call.
//
// Types are immutable, shared and interned: two equal types without opaque
// host objects are one object. Thread-safe. The host language supplies its
// own values through LanguageValue; literals are compared by the bytes of
// their key, so no host code runs for them.
#ifndef GK_FUNCTION_TRACE_TYPE_H_
#define GK_FUNCTION_TRACE_TYPE_H_

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "framework/language_value.h"
#include "framework/tensor_shape.h"
#include "framework/types.h"

namespace gk {

class TraceType;
using TraceTypeRef = Ref<const TraceType>;

class TraceType {
 public:
  enum class Kind : uint8_t {
    kTensor,
    kVariable,
    kLiteral,  // value() shown to the traced function, compared by key()
    kObject,   // value() compared by LanguageValue::Equals
    kList,
    kTuple,
    kNamedTuple,  // keys() are its fields; value() its class, name() shown
    kAttrs,       // likewise
    kDict,        // keys() as given, key_texts() as they print
    kComposite,   // children() flattened; value() compared; name() shown
    kCustom,      // value() is a LanguageType
  };

  // A tensor; `name` is that of its placeholder, and asked for by name: types
  // of other names are others, but a type without one is a subtype of each.
  static TraceTypeRef Tensor(DataType dtype, const PartialTensorShape& shape,
                             std::string_view name = {});
  static TraceTypeRef Variable(DataType dtype, const PartialTensorShape& shape,
                               bool trainable, int alias);
  // `key`: bytes that are equal for equal literals of equal type. It begins
  // with one of "dfiucn" for numbers and for nothing else.
  static TraceTypeRef Literal(std::string key, std::string text,
                              Ref<LanguageValue> value);
  static TraceTypeRef Object(Ref<LanguageValue> value);
  static TraceTypeRef Sequence(Kind list_or_tuple,
                               std::vector<TraceTypeRef> children);
  // `identity`: the class, as a number that no other live class has.
  static TraceTypeRef Record(Kind named_tuple_or_attrs, std::string name,
                             uint64_t identity, std::vector<std::string> keys,
                             std::vector<TraceTypeRef> children,
                             Ref<LanguageValue> value);
  // Children come in the order of the program; `keys` are literal keys.
  // Equality ignores the order and the class, whose number is `identity`.
  // `value` is what the host needs to make such a mapping; `flat`: the
  // position in the order of flattening of each entry, empty if that is the
  // same.
  static TraceTypeRef Dict(std::vector<std::string> keys,
                           std::vector<std::string> key_texts,
                           uint64_t identity,
                           std::vector<TraceTypeRef> children,
                           Ref<LanguageValue> value,
                           std::vector<int> flat = {});
  static TraceTypeRef Composite(std::string name,
                                std::vector<TraceTypeRef> children,
                                Ref<LanguageValue> value);
  static TraceTypeRef Custom(Ref<LanguageType> value);

  TraceType(const TraceType&) = delete;
  // Counted as RefCounted does, and a count of zero is final: the pool of
  // types must not revive one that is being deleted.
  void AddRef() const { count_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() const {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  Kind kind() const { return kind_; }
  DataType dtype() const { return dtype_; }
  const PartialTensorShape& shape() const { return shape_; }
  bool trainable() const { return trainable_; }
  int alias() const { return alias_; }
  const std::string& name() const { return name_; }
  const std::string& key() const { return key_; }
  uint64_t identity() const { return identity_; }
  const std::vector<std::string>& keys() const { return keys_; }
  const std::vector<std::string>& key_texts() const { return key_texts_; }
  const std::vector<TraceTypeRef>& children() const { return children_; }
  // Positions of the children in the order of flattening: mappings by sorted
  // keys.
  std::vector<size_t> FlatteningOrder() const;
  const std::vector<int>& flat() const { return flat_; }
  const Ref<LanguageValue>& value() const { return value_; }
  const LanguageType* custom() const {
    return static_cast<const LanguageType*>(value_.get());
  }
  bool is_container() const {
    return kind_ >= Kind::kList && kind_ <= Kind::kComposite;
  }
  // A literal that is a number.
  bool is_number() const;
  // No object in it is gone, so that a value of this type may come again.
  bool IsAlive() const;
  // Contains host objects, so that equality is more than identity.
  bool opaque() const { return opaque_; }

  // Equal hashes for equal types; names of tensors do not count.
  size_t hash() const;
  bool Equals(const TraceType& other) const;
  // Every value of this type may be passed where `other` was traced.
  bool IsSubtypeOf(const TraceType& other) const;
  // The most specific type that covers both; null if there is none.
  TraceTypeRef CommonSupertype(const TraceType& other) const;

  // The same with another name (of tensors).
  TraceTypeRef WithName(std::string_view name) const;

  // "TensorSpec(shape=(2,), dtype=tf.int32, name=None)", "Literal[1]".
  std::string Text() const;

 private:
  friend class TraceTypePool;
  explicit TraceType(Kind kind) : kind_(kind) {}
  ~TraceType();
  bool TryAddRef() const;
  static TraceTypeRef Intern(Ref<TraceType> type);
  bool SameNode(const TraceType& other) const;
  bool Relate(const TraceType& other, bool subtype) const;
  // Position in `other` of each of our keys; false if the sets differ.
  bool MatchKeys(const TraceType& other, std::vector<int>* index) const;

  mutable std::atomic<int> count_{1};
  Kind kind_;
  DataType dtype_ = DataType::kInvalid;
  bool trainable_ = false;
  bool opaque_ = false;
  int alias_ = 0;
  uint64_t identity_ = 0;
  PartialTensorShape shape_;
  std::string name_;
  std::string key_;
  std::vector<std::string> keys_, key_texts_;
  std::vector<int> order_;  // of a dict: positions of its keys, sorted
  std::vector<int> flat_;
  std::vector<TraceTypeRef> children_;
  Ref<LanguageValue> value_;
  size_t hash_ = 0;  // without opaque host objects
};

// "TensorSpec(shape=(2,), dtype=tf.int32, name=None)".
std::string TensorSpecText(DataType dtype, const PartialTensorShape& shape,
                           std::string_view name);

}  // namespace gk

#endif  // GK_FUNCTION_TRACE_TYPE_H_
