#include "function/graph_collections.h"

#include <algorithm>

namespace gk {
namespace {

bool Same(const LanguageValue& a, const LanguageValue& b) {
  return a.Hash() == b.Hash() && a.Equals(b);
}

}  // namespace

Status GraphCollections::Finalized() {
  return RuntimeError("Graph is finalized and cannot be modified.");
}

// Comparing may change the lists: so it goes by numbers, and what is compared
// is kept.
size_t GraphCollections::IndexOf(const Name& name) const {
  for (size_t i = 0; i < lists_.size(); ++i) {
    const Name known = lists_[i].first;
    if (known.value == nullptr || name.value == nullptr
            ? known.value == name.value && known.text == name.text
            : Same(*known.value, *name.value)) {
      return std::min(i, lists_.size());
    }
  }
  return lists_.size();
}

GraphCollections::Value GraphCollections::Find(const Name& name) const {
  const size_t i = IndexOf(name);
  return i < lists_.size() ? lists_[i].second : nullptr;
}

GraphCollections::Value GraphCollections::FindOrMake(const Name& name,
                                                     MakeFn make) {
  if (Value known = Find(name)) return known;
  return lists_.emplace_back(name, make()).second;
}

StatusOr<std::vector<GraphCollections::Value>> GraphCollections::ToExtend(
    std::span<const Name> names, MakeFn make) {
  std::vector<Value> lists;
  for (const Name& name : names) {
    GK_RETURN_IF_ERROR(CheckOpen());
    Value list = FindOrMake(name, make);
    if (std::find(lists.begin(), lists.end(), list) == lists.end()) {
      lists.push_back(std::move(list));
    }
  }
  return lists;
}

Status GraphCollections::Clear(const Name& name) {
  GK_RETURN_IF_ERROR(CheckOpen());
  const size_t i = IndexOf(name);
  if (i == lists_.size()) return OkStatus();
  // Ends when the list is out of here: what it holds may be the last of.
  const auto gone = std::move(lists_[i]);
  lists_.erase(lists_.begin() + i);
  return OkStatus();
}

std::vector<GraphCollections::Name> GraphCollections::Names() const {
  std::vector<Name> names;
  for (const auto& [name, list] : lists_) names.push_back(name);
  return names;
}

void GraphCollections::Set(Mark mark, Value value) {
  if (!Has(mark, *value)) {
    marked_[static_cast<int>(mark)].push_back(std::move(value));
  }
}

bool GraphCollections::Has(Mark mark, const LanguageValue& value) const {
  const std::vector<Value>& marked = marked_[static_cast<int>(mark)];
  for (size_t i = 0; i < marked.size(); ++i) {
    const Value known = marked[i];
    if (Same(*known, value)) return true;
  }
  return false;
}

int GraphCollections::Visit(
    FunctionRef<int(const LanguageValue&)> visit) const {
  for (const auto& [name, list] : lists_) {
    if (name.value != nullptr) {
      if (const int stop = visit(*name.value)) return stop;
    }
    if (const int stop = visit(*list)) return stop;
  }
  for (const auto& marked : marked_) {
    for (const Value& value : marked) {
      if (const int stop = visit(*value)) return stop;
    }
  }
  return 0;
}

void GraphCollections::Drop() {
  const auto lists = std::exchange(lists_, {});
  const std::vector<Value> marked[] = {std::exchange(marked_[0], {}),
                                       std::exchange(marked_[1], {})};
}

}  // namespace gk
