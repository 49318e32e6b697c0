#include "function/graph_collections.h"

#include <algorithm>
#include <utility>

namespace gk {
namespace {

using Values = GraphCollections::Values;

// The number of the one that equals `value`, or how many there are. Comparing
// may change them: so it goes by numbers, and what is compared is kept.
size_t IndexOf(const Values& values, const LanguageValue& value) {
  for (size_t i = 0; i < values.size(); ++i) {
    const Ref<LanguageValue> known = values[i];
    if (known->Hash() == value.Hash() && known->Equals(value)) {
      return std::min(i, values.size());
    }
  }
  return values.size();
}

}  // namespace

Status GraphCollections::Finalized() {
  return RuntimeError("Graph is finalized and cannot be modified.");
}

Ref<LanguageValue> GraphCollections::Find(const LanguageValue& name) const {
  const GraphCollections& o = owner();
  const size_t i = IndexOf(o.names_, name);
  return i < o.names_.size() ? o.lists_[i] : nullptr;
}

Ref<LanguageValue> GraphCollections::FindOrMake(const Value& name,
                                                MakeFn make) {
  if (Value known = Find(*name)) return known;
  Value made = make();
  owner().names_.push_back(name);
  owner().lists_.push_back(made);
  return made;
}

StatusOr<Values> GraphCollections::ToExtend(std::span<const Value> names,
                                            MakeFn make) {
  Values lists;
  for (const Value& name : names) {
    GK_RETURN_IF_ERROR(CheckOpen());
    Value list = FindOrMake(name, make);
    if (std::find(lists.begin(), lists.end(), list) == lists.end()) {
      lists.push_back(std::move(list));
    }
  }
  return lists;
}

Status GraphCollections::Clear(const LanguageValue& name) {
  GK_RETURN_IF_ERROR(CheckOpen());
  if (shared_) return owner().Clear(name);
  const size_t i = IndexOf(names_, name);
  if (i == names_.size()) return OkStatus();
  // They go when they are out of here: what they hold may run code.
  const Value gone[] = {std::move(names_[i]), std::move(lists_[i])};
  names_.erase(names_.begin() + i);
  lists_.erase(lists_.begin() + i);
  return OkStatus();
}

void GraphCollections::Set(Mark mark, Value value) {
  if (!Has(mark, *value)) {
    marked_[static_cast<int>(mark)].push_back(std::move(value));
  }
}

bool GraphCollections::Has(Mark mark, const LanguageValue& value) const {
  const Values& marked = marked_[static_cast<int>(mark)];
  return IndexOf(marked, value) < marked.size();
}

int GraphCollections::Visit(
    FunctionRef<int(const LanguageValue&)> visit) const {
  for (const Values* values : {&names_, &lists_, &marked_[0], &marked_[1]}) {
    for (const Value& value : *values) {
      if (const int stop = visit(*value)) return stop;
    }
  }
  return 0;
}

void GraphCollections::Drop() {
  Values gone[4];
  size_t i = 0;
  for (Values* values : {&names_, &lists_, &marked_[0], &marked_[1]}) {
    gone[i++].swap(*values);
  }
}

}  // namespace gk
