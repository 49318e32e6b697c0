// NodeScope: the name of a node that is made with constants of its own below
// it, "add" and "add/y"; and what some operators make so, as TensorFlow's
// Python names it.
//
// Made with the current builder; eagerly nothing has a name. Throws Error.
#ifndef GK_FUNCTION_NODE_SCOPE_H_
#define GK_FUNCTION_NODE_SCOPE_H_

#include <optional>
#include <string_view>
#include <vector>

#include "function/part_scope.h"
#include "ops/subscript.h"

namespace gk {

class NodeScope {
 public:
  explicit NodeScope(std::string_view name);
  // The node's, taken literally, "outer/add/"; empty when eager.
  std::string_view name() const {
    return scope_ ? std::string_view(scope_->name()) : std::string_view();
  }

 private:
  std::optional<NameScope> scope_;
};

// An integer scalar and a number; a negative one is subtracted.
Tensor PlusNumber(const Tensor& x, int64_t number);
// x[entries], and x[0].
Tensor SubscriptOf(const Tensor& x, std::vector<SubscriptEntry> entries);
Tensor FirstOf(const Tensor& x);

}  // namespace gk

#endif  // GK_FUNCTION_NODE_SCOPE_H_
