#include "function/trace_type.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <numeric>
#include <unordered_map>

#include "base/hash.h"
#include "base/process_mutex.h"

namespace gk {
namespace {

size_t HashText(std::string_view text) {
  return std::hash<std::string_view>()(text);
}

}  // namespace

// The types alive. Holds them weakly: a type takes itself out when it dies.
class TraceTypePool {
 public:
  static TraceTypePool& Get() {
    static auto* pool = new TraceTypePool();
    return *pool;
  }

  TraceTypeRef Intern(Ref<TraceType> type) {
    std::lock_guard lock(mutex_);
    auto [it, end] = types_.equal_range(type->hash_);
    for (; it != end; ++it) {
      TraceType* known = it->second;
      // One that is dying has no references left to share.
      if (known->SameNode(*type) && known->TryAddRef()) {
        return TraceTypeRef::Adopt(known);
      }
    }
    types_.emplace(type->hash_, type.get());
    return type;
  }

  void Forget(const TraceType* type) {
    std::lock_guard lock(mutex_);
    auto [it, end] = types_.equal_range(type->hash_);
    for (; it != end; ++it) {
      if (it->second == type) {
        types_.erase(it);
        return;
      }
    }
  }

 private:
  ProcessMutex mutex_;
  std::unordered_multimap<size_t, TraceType*> types_;
};

TraceType::~TraceType() {
  if (!opaque_) TraceTypePool::Get().Forget(this);
}

bool TraceType::TryAddRef() const {
  int n = count_.load(std::memory_order_relaxed);
  while (n != 0) {
    if (count_.compare_exchange_weak(n, n + 1, std::memory_order_acq_rel)) {
      return true;
    }
  }
  return false;
}

TraceTypeRef TraceType::Intern(Ref<TraceType> type) {
  TraceType& t = *type;
  size_t h = static_cast<size_t>(t.kind_);
  h = HashCombine(h, static_cast<size_t>(t.dtype_) * 4 + t.trainable_);
  h = HashCombine(h, t.alias_);
  if (t.kind_ != Kind::kDict) h = HashCombine(h, t.identity_);
  h = HashCombine(h, t.shape_.rank());
  for (int64_t d : t.shape_.dims()) h = HashCombine(h, d);
  h = HashCombine(h, HashText(t.key_));
  if (t.kind_ == Kind::kComposite) h = HashCombine(h, HashText(t.name_));
  for (const std::string& k : t.keys_) h += HashText(k);
  size_t sum = 0;
  for (size_t i = 0; i < t.children_.size(); ++i) {
    const TraceType& child = *t.children_[i];
    t.opaque_ |= child.opaque_;
    // A dict's entries count without their order.
    if (t.kind_ == Kind::kDict) {
      sum += HashCombine(HashText(t.keys_[i]), child.hash_);
    } else {
      sum = HashCombine(sum, child.hash_);
    }
  }
  t.hash_ = HashCombine(h, sum);
  if (t.opaque_) return type;
  return TraceTypePool::Get().Intern(std::move(type));
}

// Equal to the letter, names and order included: what interning merges. A type
// with a value of the host's is never one with a type that has none: a literal
// of C++, or of a file, would take the host's value from it.
// Children are interned already.
bool TraceType::SameNode(const TraceType& o) const {
  return kind_ == o.kind_ && dtype_ == o.dtype_ && trainable_ == o.trainable_ &&
         alias_ == o.alias_ && identity_ == o.identity_ && shape_ == o.shape_ &&
         name_ == o.name_ && key_ == o.key_ && keys_ == o.keys_ &&
         (value_ == nullptr) == (o.value_ == nullptr) &&
         children_ == o.children_;
}

TraceTypeRef TraceType::Tensor(DataType dtype, const PartialTensorShape& shape,
                               std::string_view name) {
  auto t = Ref<TraceType>::Adopt(new TraceType(Kind::kTensor));
  t->dtype_ = dtype;
  t->shape_ = shape;
  t->name_ = name;
  return Intern(std::move(t));
}

TraceTypeRef TraceType::Variable(DataType dtype,
                                 const PartialTensorShape& shape,
                                 bool trainable, int alias) {
  auto t = Ref<TraceType>::Adopt(new TraceType(Kind::kVariable));
  t->dtype_ = dtype;
  t->shape_ = shape;
  t->trainable_ = trainable;
  t->alias_ = alias;
  return Intern(std::move(t));
}

TraceTypeRef TraceType::Literal(std::string key, std::string text,
                                Ref<LanguageValue> value) {
  auto t = Ref<TraceType>::Adopt(new TraceType(Kind::kLiteral));
  t->key_ = std::move(key);
  t->name_ = std::move(text);
  t->value_ = std::move(value);
  return Intern(std::move(t));
}

TraceTypeRef TraceType::Object(Ref<LanguageValue> value) {
  auto t = Ref<TraceType>::Adopt(new TraceType(Kind::kObject));
  t->opaque_ = true;
  t->value_ = std::move(value);
  return Intern(std::move(t));
}

TraceTypeRef TraceType::Sequence(Kind kind,
                                 std::vector<TraceTypeRef> children) {
  auto t = Ref<TraceType>::Adopt(new TraceType(kind));
  t->children_ = std::move(children);
  return Intern(std::move(t));
}

TraceTypeRef TraceType::Record(Kind kind, std::string name, uint64_t identity,
                               std::vector<std::string> keys,
                               std::vector<TraceTypeRef> children,
                               Ref<LanguageValue> value) {
  auto t = Ref<TraceType>::Adopt(new TraceType(kind));
  t->name_ = std::move(name);
  t->identity_ = identity;
  t->keys_ = std::move(keys);
  t->children_ = std::move(children);
  t->value_ = std::move(value);
  return Intern(std::move(t));
}

TraceTypeRef TraceType::Dict(std::vector<std::string> keys,
                             std::vector<std::string> key_texts,
                             uint64_t identity,
                             std::vector<TraceTypeRef> children,
                             Ref<LanguageValue> value, std::vector<int> flat) {
  auto t = Ref<TraceType>::Adopt(new TraceType(Kind::kDict));
  t->order_.resize(keys.size());
  std::iota(t->order_.begin(), t->order_.end(), 0);
  std::sort(t->order_.begin(), t->order_.end(),
            [&](int a, int b) { return keys[a] < keys[b]; });
  t->keys_ = std::move(keys);
  t->key_texts_ = std::move(key_texts);
  t->flat_ = std::move(flat);
  t->identity_ = identity;
  t->children_ = std::move(children);
  t->value_ = std::move(value);
  return Intern(std::move(t));
}

TraceTypeRef TraceType::Composite(std::string name,
                                  std::vector<TraceTypeRef> children,
                                  Ref<LanguageValue> value) {
  auto t = Ref<TraceType>::Adopt(new TraceType(Kind::kComposite));
  t->opaque_ = true;
  t->name_ = std::move(name);
  t->children_ = std::move(children);
  t->value_ = std::move(value);
  return Intern(std::move(t));
}

TraceTypeRef TraceType::Custom(Ref<LanguageType> value) {
  auto t = Ref<TraceType>::Adopt(new TraceType(Kind::kCustom));
  t->opaque_ = true;
  t->value_ = std::move(value);
  return Intern(std::move(t));
}

std::vector<size_t> TraceType::FlatteningOrder() const {
  std::vector<size_t> order(children_.size());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = 0; i < flat_.size(); ++i) order[flat_[i]] = i;
  return order;
}

size_t TraceType::hash() const {
  if (!opaque_) return hash_;
  size_t h = hash_;
  if (kind_ == Kind::kObject || kind_ == Kind::kCustom ||
      kind_ == Kind::kComposite) {
    h = HashCombine(h, value_->Hash());
  }
  if (kind_ == Kind::kDict) {
    for (int i : order_) h = HashCombine(h, children_[i]->hash());
  } else {
    for (const TraceTypeRef& c : children_) h = HashCombine(h, c->hash());
  }
  return h;
}

bool TraceType::is_number() const {
  constexpr std::string_view kNumbers = "dfiucn";
  return kind_ == Kind::kLiteral && !key_.empty() &&
         kNumbers.find(key_[0]) != kNumbers.npos;
}

bool TraceType::IsAlive() const {
  if (!opaque_) return true;
  if (kind_ == Kind::kObject) return value_->IsAlive();
  return std::all_of(children_.begin(), children_.end(),
                     [](const TraceTypeRef& c) { return c->IsAlive(); });
}

bool TraceType::Equals(const TraceType& o) const {
  return Relate(o, /*subtype=*/false);
}

bool TraceType::IsSubtypeOf(const TraceType& o) const {
  return Relate(o, /*subtype=*/true);
}

bool TraceType::MatchKeys(const TraceType& o, std::vector<int>* index) const {
  if (keys_.size() != o.keys_.size()) return false;
  index->resize(keys_.size());
  for (size_t i = 0; i < order_.size(); ++i) {
    if (keys_[order_[i]] != o.keys_[o.order_[i]]) return false;
    (*index)[order_[i]] = o.order_[i];
  }
  return true;
}

bool TraceType::Relate(const TraceType& o, bool subtype) const {
  if (this == &o) return true;
  if (kind_ != o.kind_) return false;
  switch (kind_) {
    case Kind::kTensor:
      // A tensor of a call has no name and passes for any.
      return dtype_ == o.dtype_ &&
             (subtype ? (name_.empty() || name_ == o.name_) &&
                            shape_.IsSubtypeOf(o.shape_)
                      : name_ == o.name_ && shape_ == o.shape_);
    case Kind::kVariable:
      return dtype_ == o.dtype_ && trainable_ == o.trainable_ &&
             alias_ == o.alias_ &&
             (subtype ? shape_.IsSubtypeOf(o.shape_) : shape_ == o.shape_);
    case Kind::kLiteral:
      return key_ == o.key_;
    case Kind::kObject:
      return value_ == o.value_ || value_->Equals(*o.value_);
    case Kind::kCustom:
      return value_ == o.value_ || (subtype ? custom()->IsSubtypeOf(*o.custom())
                                            : value_->Equals(*o.value_));
    case Kind::kDict: {
      std::vector<int> index;
      if (!MatchKeys(o, &index)) return false;
      for (size_t i = 0; i < index.size(); ++i) {
        if (!children_[i]->Relate(*o.children_[index[i]], subtype)) {
          return false;
        }
      }
      return true;
    }
    case Kind::kComposite:
      if (name_ != o.name_ || !value_->Equals(*o.value_)) return false;
      [[fallthrough]];
    case Kind::kNamedTuple:
    case Kind::kAttrs:
      if (identity_ != o.identity_ || keys_ != o.keys_) return false;
      [[fallthrough]];
    case Kind::kList:
    case Kind::kTuple:
      break;
  }
  if (children_.size() != o.children_.size()) return false;
  for (size_t i = 0; i < children_.size(); ++i) {
    if (!children_[i]->Relate(*o.children_[i], subtype)) return false;
  }
  return true;
}

TraceTypeRef TraceType::CommonSupertype(const TraceType& o) const {
  if (this == &o) return TraceTypeRef(this);
  if (kind_ != o.kind_) return nullptr;
  switch (kind_) {
    case Kind::kTensor:
      if (dtype_ != o.dtype_ || name_ != o.name_) return nullptr;
      return Tensor(dtype_, shape_.CommonSupertype(o.shape_), name_);
    case Kind::kVariable:
      if (dtype_ != o.dtype_ || trainable_ != o.trainable_ ||
          alias_ != o.alias_) {
        return nullptr;
      }
      return Variable(dtype_, shape_.CommonSupertype(o.shape_), trainable_,
                      alias_);
    case Kind::kLiteral:
    case Kind::kObject:
      return Equals(o) ? TraceTypeRef(this) : nullptr;
    case Kind::kCustom: {
      Ref<LanguageType> common = custom()->CommonSupertype(*o.custom());
      return common ? Custom(std::move(common)) : nullptr;
    }
    default:
      break;
  }
  std::vector<int> index(children_.size());
  std::iota(index.begin(), index.end(), 0);
  if (kind_ == Kind::kDict ? !MatchKeys(o, &index)
                           : keys_ != o.keys_ || identity_ != o.identity_ ||
                                 children_.size() != o.children_.size()) {
    return nullptr;
  }
  if (kind_ == Kind::kComposite &&
      (name_ != o.name_ || !value_->Equals(*o.value_))) {
    return nullptr;
  }
  std::vector<TraceTypeRef> children;
  for (size_t i = 0; i < children_.size(); ++i) {
    TraceTypeRef c = children_[i]->CommonSupertype(*o.children_[index[i]]);
    if (!c) return nullptr;
    children.push_back(std::move(c));
  }
  switch (kind_) {
    case Kind::kDict:
      return Dict(keys_, key_texts_, identity_, std::move(children), value_);
    case Kind::kNamedTuple:
    case Kind::kAttrs:
      return Record(kind_, name_, identity_, keys_, std::move(children),
                    value_);
    case Kind::kComposite:
      return Composite(name_, std::move(children), value_);
    default:
      return Sequence(kind_, std::move(children));
  }
}

TraceTypeRef TraceType::WithName(std::string_view name) const {
  if (kind_ != Kind::kTensor || name_ == name) return TraceTypeRef(this);
  return Tensor(dtype_, shape_, name);
}

}  // namespace gk
