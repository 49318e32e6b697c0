// GraphCollections: what a program keeps with a graph beside its operations:
// lists of its own values by name, and marks of what cannot be fed or fetched.
//
// Lists, and what is marked, are the host's. Comparing them may run the user's
// code. Used by one thread at a time.
#ifndef GK_FUNCTION_GRAPH_COLLECTIONS_H_
#define GK_FUNCTION_GRAPH_COLLECTIONS_H_

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "base/status.h"
#include "framework/language_value.h"

namespace gk {

class GraphCollections final : public RefCounted {
 public:
  using Value = Ref<LanguageValue>;
  // Of a list: a text or, in languages that have other names, a value.
  struct Name {
    std::string text;
    Value value = nullptr;  // null: the text
  };
  using MakeFn = FunctionRef<Value()>;
  enum class Mark { kUnfeedable, kUnfetchable };

  // RuntimeError once nothing can be added to the graph or to its lists.
  Status CheckOpen() const { return finalized_ ? Finalized() : OkStatus(); }
  static Status Finalized();
  void Finalize() { finalized_ = true; }
  bool finalized() const { return finalized_; }

  // Null if there is none.
  Value Find(const Name& name) const;
  Value FindOrMake(const Name& name, MakeFn make);
  // The lists of these names, each once, to add a value to.
  StatusOr<std::vector<Value>> ToExtend(std::span<const Name> names,
                                        MakeFn make);
  Status Clear(const Name& name);
  // In the order they were made.
  std::vector<Name> Names() const;

  void Set(Mark mark, Value value);
  bool Has(Mark mark, const LanguageValue& value) const;

  // For collectors of garbage: each value, until one gives another number than
  // 0, which is the result; and no value any more.
  int Visit(FunctionRef<int(const LanguageValue&)> visit) const;
  void Drop();

 private:
  size_t IndexOf(const Name& name) const;

  std::vector<std::pair<Name, Value>> lists_;
  std::vector<Value> marked_[2];
  bool finalized_ = false;
};

}  // namespace gk

#endif  // GK_FUNCTION_GRAPH_COLLECTIONS_H_
