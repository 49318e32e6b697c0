// Structure: how a value nests, without its leaves: what nest functions,
// traces and signatures know of the arguments and results of the user.
//
// Immutable, shared and, without opaque facts of the host, interned: equal
// structures are one object. Thread-safe. Leaves are numbered from left to
// right; mappings count by their sorted keys. The host language makes
// structures of its values and values of structures; everything between them
// is decided here and in structure_match.h.
#ifndef GK_FRAMEWORK_STRUCTURE_H_
#define GK_FRAMEWORK_STRUCTURE_H_

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "framework/language_value.h"

namespace gk {

class Structure;
using StructureRef = Ref<const Structure>;

class Structure {
 public:
  enum class Kind : uint8_t {
    kLeaf,
    kNone,  // no leaf: nothing is there
    kList,
    kTuple,
    kSequence,    // another class of sequence
    kNamedTuple,  // keys: its fields
    kAttrs,       // an attrs class or a C++ struct; keys: its fields
    kDict,        // any mapping
    kFlattened,   // an object that takes itself apart
    kComposite,   // made of tensors; one child: the structure of those
  };
  struct Key {
    std::string bytes;  // equal for equal keys: "s" and the text of a text
    std::string text;   // as the key prints; of fields the name
    friend bool operator==(const Key&, const Key&) = default;
  };
  // What a container is besides its children.
  struct Facts {
    Kind kind = Kind::kTuple;
    // Of the class; empty for the language's own list, tuple and mapping.
    std::string name;
    uint64_t identity = 0;  // of the class, as no other live one has
    std::vector<Key> keys;  // of the children, in order
    // Of a mapping whose own order is another: the child of each entry.
    std::vector<int> order;
    // What the host needs to make such a container; of a kComposite that knows
    // its type, a LanguageType.
    Ref<LanguageValue> value;
    // `value` or a key is compared by the user's code: not interned.
    bool opaque = false;
  };

  static StructureRef Leaf();
  static StructureRef None();
  static StructureRef Of(Facts facts, std::vector<StructureRef> children);
  // The language's own.
  static StructureRef List(std::vector<StructureRef> children);
  static StructureRef Tuple(std::vector<StructureRef> children);

  Structure(const Structure&) = delete;
  // As RefCounted, but a count of zero is final: the pool of structures must
  // not revive one that is being deleted.
  void AddRef() const { count_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() const {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  Kind kind() const { return facts_.kind; }
  bool is_nested() const { return kind() > Kind::kNone; }
  const std::string& name() const { return facts_.name; }
  uint64_t identity() const { return facts_.identity; }
  const std::vector<Key>& keys() const { return facts_.keys; }
  const std::vector<int>& order() const { return facts_.order; }
  const Ref<LanguageValue>& value() const { return facts_.value; }
  // The type of a kComposite, or null.
  const LanguageType* type() const;
  const std::vector<StructureRef>& children() const { return children_; }
  size_t num_leaves() const { return num_leaves_; }
  bool opaque() const { return facts_.opaque; }

  // May run the user's code if both are opaque.
  bool Equals(const Structure& other) const;

  // A key as it prints without quotes, a field or a number.
  std::string ChildName(size_t i) const;
  // Names of the children on the way to each leaf.
  std::vector<std::vector<std::string>> LeafPaths() const;
  // The same joined, as "a/0/x".
  std::vector<std::string> JoinedLeafPaths(std::string_view separator) const;

  // "{'a': ., 'b': (., .)}" with what `leaf` says of leaf i.
  std::string Text(FunctionRef<std::string(size_t)> leaf) const;
  std::string Text() const;

 private:
  friend class StructurePool;
  Structure(size_t hash, Facts facts, std::vector<StructureRef> children);
  ~Structure();
  bool TryAddRef() const;
  bool SameNode(const Facts& facts,
                const std::vector<StructureRef>& children) const;
  void AddPaths(std::vector<std::string>* path,
                std::vector<std::vector<std::string>>* paths) const;
  void AddText(FunctionRef<std::string(size_t)> leaf, size_t* next,
               std::string* out) const;

  mutable std::atomic<int> count_{1};
  Facts facts_;
  std::vector<StructureRef> children_;
  size_t num_leaves_ = 0;
  size_t hash_;
};

}  // namespace gk

#endif  // GK_FRAMEWORK_STRUCTURE_H_
