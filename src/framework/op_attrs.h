// OpAttrs: all attributes of an op at once, as its function in
// ops/with_attrs/<Op>.h takes them: ops::Conv2D(OpAttrs(attrs), x, filter).
#ifndef GK_FRAMEWORK_OP_ATTRS_H_
#define GK_FRAMEWORK_OP_ATTRS_H_

#include <string_view>
#include <utility>

#include "framework/attr_value.h"

namespace gk {

struct OpAttrs {
  // `name`: of the node, as an OpName's; read within the call alone.
  explicit OpAttrs(AttrMap attrs, std::string_view name = {})
      : attrs(std::move(attrs)), name(name) {}
  AttrMap attrs;
  std::string_view name;
};

}  // namespace gk

#endif  // GK_FRAMEWORK_OP_ATTRS_H_
