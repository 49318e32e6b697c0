// The attribute of LeakyRelu and of its gradient.
#ifndef GK_OPS_NN_ALPHA_H_
#define GK_OPS_NN_ALPHA_H_

#include "framework/attr_value.h"
#include "ops/elementwise.h"

namespace gk {

inline void PrepareAlpha(const AttrMap& attrs, TileParams* params) {
  const float* alpha = attrs.Get<float>("alpha");
  params->value = alpha ? *alpha : 0.2f;
}

}  // namespace gk

#endif  // GK_OPS_NN_ALPHA_H_
