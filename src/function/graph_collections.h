// GraphCollections: what a program keeps with a graph beside its operations:
// lists of its own values by name, and marks of what cannot be fed or fetched.
//
// All are values of the host, names of lists, too; they are told apart by their
// Hash and Equals, which may run the user's code. Used by one thread at a time.
#ifndef GK_FUNCTION_GRAPH_COLLECTIONS_H_
#define GK_FUNCTION_GRAPH_COLLECTIONS_H_

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "base/status.h"
#include "framework/language_value.h"

namespace gk {

class GraphCollections final : public RefCounted {
 public:
  using Value = Ref<LanguageValue>;
  using Values = std::vector<Value>;
  using MakeFn = FunctionRef<Value()>;
  enum class Mark { kUnfeedable, kUnfetchable };

  // RuntimeError once nothing can be added to the graph or to its lists.
  Status CheckOpen() const { return finalized_ ? Finalized() : OkStatus(); }
  static Status Finalized();
  void Finalize() { finalized_ = true; }
  // From now on the lists are those of `other`: as those of branches and of
  // parts of loops are those of the graph around them.
  void ShareLists(Ref<GraphCollections> other) { shared_ = std::move(other); }
  bool finalized() const { return finalized_; }

  // The list of that name; null if there is none.
  Value Find(const LanguageValue& name) const;
  Value FindOrMake(const Value& name, MakeFn make);
  // The lists of these names, each once, to add a value to.
  StatusOr<Values> ToExtend(std::span<const Value> names, MakeFn make);
  Status Clear(const LanguageValue& name);
  // In the order they were made.
  const Values& names() const { return owner().names_; }

  // How many operations there were when this was last asked for, which are now
  // so many.
  size_t Seen(size_t now) { return std::exchange(seen_, now); }

  void Set(Mark mark, Value value);
  bool Has(Mark mark, const LanguageValue& value) const;

  // For collectors of garbage: each value, until one gives another number than
  // 0, which is the result; and no value any more. Not those of shared lists,
  // which are another's.
  int Visit(FunctionRef<int(const LanguageValue&)> visit) const;
  void Drop();

 private:
  const GraphCollections& owner() const {
    return shared_ ? shared_->owner() : *this;
  }
  GraphCollections& owner() { return shared_ ? shared_->owner() : *this; }

  Ref<GraphCollections> shared_;
  Values names_, lists_;  // a list for each name
  Values marked_[2];
  bool finalized_ = false;
  size_t seen_ = 0;
};

}  // namespace gk

#endif  // GK_FUNCTION_GRAPH_COLLECTIONS_H_
