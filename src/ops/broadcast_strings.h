// Binary ops over string tensors: one call for each pair of elements.
#ifndef GK_OPS_BROADCAST_STRINGS_H_
#define GK_OPS_BROADCAST_STRINGS_H_

#include <string>
#include <type_traits>

#include "base/interrupt.h"
#include "framework/kernel_context.h"

namespace gk {

// Calls visit(i, x, y) for element i of the broadcast of two shapes, with
// the flat positions of the inputs' elements.
template <class Visit>
void VisitBroadcast(const TensorShape& x, const TensorShape& y,
                    const TensorShape& out, Visit visit) {
  TurnPoll poll;
  // Of each as many as of the result, or one.
  const int64_t n = out.num_elements();
  if (x == out && (y == out || y.num_elements() == 1)) {
    const int64_t step = y == out ? 1 : 0;
    for (int64_t i = 0; i < n; ++i) {
      poll();
      visit(i, i, i * step);
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    poll();
    int64_t rest = i, at[2] = {0, 0}, stride[2] = {1, 1};
    const TensorShape* const in[2] = {&x, &y};
    for (int d = out.rank() - 1; d >= 0; --d) {
      const int64_t index = rest % out.dim(d);
      rest /= out.dim(d);
      for (int k = 0; k < 2; ++k) {
        const int own = d - (out.rank() - in[k]->rank());
        if (own < 0) continue;
        if (in[k]->dim(own) != 1) at[k] += index * stride[k];
        stride[k] *= in[k]->dim(own);
      }
    }
    visit(i, at[0], at[1]);
  }
}

// Output 0 = fn(x, y) for two string inputs; fn returns std::string or bool.
template <class Fn>
Status ComputeBroadcastStrings(KernelContext& c, Fn fn) {
  using Out = std::invoke_result_t<Fn, const std::string&, const std::string&>;
  const Tensor &x = c.input(0), &y = c.input(1);
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      BroadcastShapes(x.shape(), y.shape()));
  Tensor* out = nullptr;
  GK_RETURN_IF_ERROR(c.Allocate(0, kTypeOf<Out>, shape, &out));
  VisitBroadcast(
      x.shape(), y.shape(), shape, [&](int64_t i, int64_t at_x, int64_t at_y) {
        out->data<Out>()[i] =
            fn(x.data<std::string>()[at_x], y.data<std::string>()[at_y]);
      });
  return OkStatus();
}

}  // namespace gk

#endif  // GK_OPS_BROADCAST_STRINGS_H_
