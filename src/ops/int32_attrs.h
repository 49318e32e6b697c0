// Integer attributes that the interface keeps in 32 bits: a shape function or
// a kernel that reads such an attribute checks its range first.
#ifndef GK_OPS_INT32_ATTRS_H_
#define GK_OPS_INT32_ATTRS_H_

#include <initializer_list>
#include <string_view>

#include "base/status.h"
#include "framework/attr_value.h"

namespace gk {

// InvalidArgument if one of these attributes (integers or lists of them; those
// that the op does not have are passed over) does not fit an int32.
Status CheckInt32Attrs(const AttrMap& attrs,
                       std::initializer_list<std::string_view> names);

}  // namespace gk

#endif  // GK_OPS_INT32_ATTRS_H_
