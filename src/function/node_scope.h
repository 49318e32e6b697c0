// NodeScope: the name scope of one node that is made of other nodes, too, in
// the graph that is built on this thread; nothing when eager.
#ifndef GK_FUNCTION_NODE_SCOPE_H_
#define GK_FUNCTION_NODE_SCOPE_H_

#include <optional>
#include <string_view>

#include "function/part_scope.h"

namespace gk {

class NodeScope {
 public:
  // Throws Error if the name cannot be one.
  explicit NodeScope(std::string_view name) {
    if (FuncGraph* graph = FuncGraph::Current()) scope_.emplace(graph, name);
  }
  // That of the node: "outer/truediv/", taken literally.
  std::string_view name() const {
    return scope_ ? std::string_view(scope_->name()) : std::string_view();
  }

 private:
  std::optional<NameScope> scope_;
};

}  // namespace gk

#endif  // GK_FUNCTION_NODE_SCOPE_H_
