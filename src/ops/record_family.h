// Which folder of src/ops the record of an op lies in.
#ifndef GK_OPS_RECORD_FAMILY_H_
#define GK_OPS_RECORD_FAMILY_H_

#include <string_view>

namespace gk {

// "math" for the id of an op of src/ops/math. Generated with RegisterAllOps.
std::string_view RecordFamily(int op);

}  // namespace gk

#endif  // GK_OPS_RECORD_FAMILY_H_
