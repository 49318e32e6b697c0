// PartScope: builds a branch or a part of a loop on this thread, its nodes
// below the name of the node that it will belong to.
//
// Undone in any case, also when what is traced throws.
#ifndef GK_FUNCTION_PART_SCOPE_H_
#define GK_FUNCTION_PART_SCOPE_H_

#include <string>

#include "function/func_graph.h"

namespace gk {

// Enters a name scope of a graph; throws Error if the name cannot be one.
class NameScope {
 public:
  NameScope(FuncGraph* graph, std::string_view name)
      : graph_(graph), name_(ValueOrThrow(graph->scopes().PushName(name))) {}
  ~NameScope() { graph_->scopes().PopName(); }
  NameScope(const NameScope&) = delete;
  // "outer/name/".
  const std::string& name() const { return name_; }

 private:
  Ref<FuncGraph> graph_;
  std::string name_;
};

// "outer/cond/" and "true" -> "outer_cond_true".
std::string PartName(std::string scope, std::string_view suffix);

class PartScope {
 public:
  // The graph of a part of the node whose scope is `scope`, in `outer`.
  static Ref<FuncGraph> NewPart(const FuncGraph& outer,
                                const std::string& scope,
                                std::string_view suffix);
  // RuntimeError where parts are in parts without end: a function that calls
  // itself in a branch is traced for ever.
  PartScope(FuncGraph* part, std::string_view scope)
      : part_(part), building_(part), names_(part, scope) {}
  // What stands for `results` as those of the part.
  TensorVector Returned(std::span<const Tensor> results);

 private:
  class Depth {
   public:
    Depth();
    ~Depth();
  };

  Depth depth_;
  FuncGraph* part_;
  FuncGraph::Building building_;
  NameScope names_;
};

}  // namespace gk

#endif  // GK_FUNCTION_PART_SCOPE_H_
