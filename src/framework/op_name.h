// OpName: the name of a node that an op function is to make, as its first
// argument: ops::Cast(OpName("index"), x, DataType::kInt64).
#ifndef GK_FRAMEWORK_OP_NAME_H_
#define GK_FRAMEWORK_OP_NAME_H_

#include <string_view>

namespace gk {

struct OpName {
  // Empty: the op's own name. Read within the call alone.
  explicit OpName(std::string_view name) : text(name) {}
  std::string_view text;
};

}  // namespace gk

#endif  // GK_FRAMEWORK_OP_NAME_H_
