// Kernels of functions of one number that have a table for floats and their own
// series for doubles: kernels/math/tabulated.h.
#ifndef GK_OPS_QUICK_UNARY_H_
#define GK_OPS_QUICK_UNARY_H_

#include "kernels/math/tabulated.h"
#include "ops/elementwise.h"

namespace gk {

template <class Quick, auto kExact>
constexpr KernelSet QuickUnary() {
  constexpr math::QuickCall<Quick, kExact> kCall;
  return Overloads<UnaryFor<kCall, TypeList<half, bfloat16, float>, kSlowLoop>,
                   UnaryFor<kCall, TypeList<double>, kPlainLoop | kSlowLoop>>();
}

}  // namespace gk

#endif  // GK_OPS_QUICK_UNARY_H_
