#include "framework/structure.h"

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

bool SameValue(const Ref<LanguageValue>& a, const Ref<LanguageValue>& b) {
  return a == b || (a && b && a->Equals(*b));
}

}  // namespace

// The structures alive. Holds them weakly: one takes itself out when it dies.
class StructurePool {
 public:
  static StructurePool& Get() {
    static auto* pool = new StructurePool();
    return *pool;
  }

  // The one of these, which are not opaque; made if there is none.
  StructureRef Intern(size_t hash, Structure::Facts* facts,
                      std::vector<StructureRef>* children) {
    StructureRef made;  // outlives the lock, which its end would want
    std::lock_guard lock(mutex_);
    auto [it, end] = structures_.equal_range(hash);
    for (; it != end; ++it) {
      const Structure* known = it->second;
      // One that is dying has no references left to share.
      if (known->SameNode(*facts, *children) && known->TryAddRef()) {
        return StructureRef::Adopt(known);
      }
    }
    made = StructureRef::Adopt(
        new Structure(hash, std::move(*facts), std::move(*children)));
    structures_.emplace(hash, made.get());
    return made;
  }

  void Forget(const Structure* structure) {
    std::lock_guard lock(mutex_);
    auto [it, end] = structures_.equal_range(structure->hash_);
    for (; it != end; ++it) {
      if (it->second == structure) {
        structures_.erase(it);
        return;
      }
    }
  }

 private:
  ProcessMutex mutex_;
  std::unordered_multimap<size_t, const Structure*> structures_;
};

Structure::Structure(size_t hash, Facts facts,
                     std::vector<StructureRef> children)
    : facts_(std::move(facts)), children_(std::move(children)), hash_(hash) {
  num_leaves_ = kind() == Kind::kLeaf;
  for (const StructureRef& child : children_) {
    num_leaves_ += child->num_leaves_;
  }
}

Structure::~Structure() {
  if (!opaque()) StructurePool::Get().Forget(this);
}

bool Structure::TryAddRef() const {
  int n = count_.load(std::memory_order_relaxed);
  while (n != 0) {
    if (count_.compare_exchange_weak(n, n + 1, std::memory_order_acq_rel)) {
      return true;
    }
  }
  return false;
}

// Children are interned already; values of what is not opaque are compared
// without the user's code.
bool Structure::SameNode(const Facts& facts,
                         const std::vector<StructureRef>& children) const {
  return kind() == facts.kind && identity() == facts.identity &&
         name() == facts.name && keys() == facts.keys &&
         order() == facts.order && children_ == children &&
         SameValue(value(), facts.value);
}

StructureRef Structure::Leaf() {
  static const auto* leaf = new StructureRef(Of({.kind = Kind::kLeaf}, {}));
  return *leaf;
}

StructureRef Structure::None() {
  static const auto* none = new StructureRef(Of({.kind = Kind::kNone}, {}));
  return *none;
}

StructureRef Structure::List(std::vector<StructureRef> children) {
  return Of({.kind = Kind::kList}, std::move(children));
}

StructureRef Structure::Tuple(std::vector<StructureRef> children) {
  return Of({.kind = Kind::kTuple}, std::move(children));
}

StructureRef Structure::Of(Facts facts, std::vector<StructureRef> children) {
  size_t h = HashCombine(static_cast<size_t>(facts.kind), facts.identity);
  h = HashCombine(h, HashText(facts.name));
  for (const Key& key : facts.keys) h = HashCombine(h, HashText(key.bytes));
  for (int i : facts.order) h = HashCombine(h, i);
  for (const StructureRef& child : children) {
    h = HashCombine(h, child->hash_);
    facts.opaque |= child->opaque();
  }
  if (!facts.opaque) return StructurePool::Get().Intern(h, &facts, &children);
  return StructureRef::Adopt(
      new Structure(h, std::move(facts), std::move(children)));
}

const LanguageType* Structure::type() const {
  return kind() == Kind::kComposite
             ? dynamic_cast<const LanguageType*>(value().get())
             : nullptr;
}

bool Structure::Equals(const Structure& o) const {
  if (this == &o) return true;
  if (!opaque() || !o.opaque() || hash_ != o.hash_ || kind() != o.kind() ||
      identity() != o.identity() || name() != o.name() || keys() != o.keys() ||
      order() != o.order() || children_.size() != o.children_.size()) {
    return false;
  }
  for (size_t i = 0; i < children_.size(); ++i) {
    if (!children_[i]->Equals(*o.children_[i])) return false;
  }
  return SameValue(value(), o.value());
}

std::string Structure::ChildName(size_t i) const {
  if (i >= keys().size()) return std::to_string(i);
  const Key& key = keys()[i];
  return key.bytes.starts_with('s') ? key.bytes.substr(1) : key.text;
}

void Structure::AddPaths(std::vector<std::string>* path,
                         std::vector<std::vector<std::string>>* paths) const {
  if (kind() == Kind::kLeaf) paths->push_back(*path);
  for (size_t i = 0; i < children_.size(); ++i) {
    path->push_back(ChildName(i));
    children_[i]->AddPaths(path, paths);
    path->pop_back();
  }
}

std::vector<std::vector<std::string>> Structure::LeafPaths() const {
  std::vector<std::string> path;
  std::vector<std::vector<std::string>> paths;
  AddPaths(&path, &paths);
  return paths;
}

std::vector<std::string> Structure::JoinedLeafPaths(
    std::string_view separator) const {
  std::vector<std::string> joined;
  for (const std::vector<std::string>& path : LeafPaths()) {
    std::string text;
    for (const std::string& part : path) {
      if (&part != &path.front()) text += separator;
      text += part;
    }
    joined.push_back(std::move(text));
  }
  return joined;
}

void Structure::AddText(FunctionRef<std::string(size_t)> leaf, size_t* next,
                        std::string* out) const {
  if (kind() == Kind::kLeaf) {
    *out += leaf((*next)++);
    return;
  }
  if (kind() == Kind::kNone) {
    *out += "None";
    return;
  }
  // Leaves are numbered as children come, a mapping prints in its own order.
  std::vector<std::string> parts;
  for (size_t i = 0; i < children_.size(); ++i) {
    std::string part;
    if (kind() == Kind::kDict) part = keys()[i].text + ": ";
    if (kind() == Kind::kNamedTuple || kind() == Kind::kAttrs) {
      if (i < keys().size()) part = keys()[i].text + "=";
    }
    children_[i]->AddText(leaf, next, &part);
    parts.push_back(std::move(part));
  }
  std::vector<int> shown = order();
  if (shown.size() != parts.size()) {
    shown.resize(parts.size());
    std::iota(shown.begin(), shown.end(), 0);
  }
  std::string inside;
  for (size_t i = 0; i < shown.size(); ++i) {
    if (i > 0) inside += ", ";
    inside += parts[shown[i]];
  }
  std::string_view open = "(", close = ")";
  if (kind() == Kind::kList || kind() == Kind::kSequence)
    open = "[", close = "]";
  if (kind() == Kind::kDict) open = "{", close = "}";
  if (kind() == Kind::kTuple && parts.size() == 1) inside += ",";
  const bool record = kind() == Kind::kNamedTuple || kind() == Kind::kAttrs;
  *out += name();
  if (!name().empty() && !record && open != "(") *out += "(";
  *out += open;
  *out += inside;
  *out += close;
  if (!name().empty() && !record && open != "(") *out += ")";
}

std::string Structure::Text(FunctionRef<std::string(size_t)> leaf) const {
  std::string out;
  size_t next = 0;
  AddText(leaf, &next, &out);
  return out;
}

std::string Structure::Text() const {
  return Text([](size_t) { return std::string("."); });
}

}  // namespace gk
