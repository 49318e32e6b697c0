// Why an op may be missing. Generated beside RegisterAllOps, as only a library
// of chosen ops (GK_OPS) can say more than that it is.
#ifndef GK_FRAMEWORK_MISSING_OP_H_
#define GK_FRAMEWORK_MISSING_OP_H_

#include <string>
#include <string_view>

namespace gk {

// Of a library that has all ops: empty. Of others: that the op may have been
// left out, and the cure.
std::string MissingOpCure(std::string_view op);

}  // namespace gk

#endif  // GK_FRAMEWORK_MISSING_OP_H_
