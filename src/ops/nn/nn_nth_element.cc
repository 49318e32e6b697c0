// The n-th smallest element of each row.
#include "ops/fn/nn_nth_element.h"

#include <algorithm>

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/elementwise.h"
#include "ops/element_moves.h"
#include "ops/fn/Equal.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Mul.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Sum.h"

namespace gk {
namespace {

Status ComputeNth(KernelContext& c) {
  const Tensor &x = c.input(0), &number = c.input(1);
  if (number.rank() != 0) {
    return InvalidArgument("N must be scalar but has rank {}", number.rank());
  }
  int64_t n = number.scalar<int32_t>();
  if (n < 0) return InvalidArgument("n must be non-negative but is {}", n);
  if (x.rank() < 1) {
    return InvalidArgument("Input must be at least rank 1 but is rank {}",
                           x.rank());
  }
  const int64_t width = x.dim(x.rank() - 1);
  if (width <= n) {
    return InvalidArgument("Input must have last dimension > n = {}", n);
  }
  if (c.attr<bool>("reverse")) n = width - 1 - n;
  TensorShape shape = x.shape();
  shape.RemoveDim(x.rank() - 1);
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  VisitType<float, double, int32_t, uint8_t, int16_t, int8_t, int64_t, bfloat16,
            uint16_t, half, uint32_t, uint64_t>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    ThreadPool::Global().ParallelFor(out->num_elements(), [&](int64_t r) {
      const T* row = x.data<T>() + r * width;
      std::vector<T> values(row, row + width);
      std::nth_element(values.begin(), values.begin() + n, values.end(),
                       [](T a, T b) { return Convert<C>(a) < Convert<C>(b); });
      out->data<T>()[r] = values[n];
    });
  });
  return OkStatus();
}

Status NthShape(InferenceContext& c) {
  PartialTensorShape x, number;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1, &x));
  GK_RETURN_IF_ERROR(c.WithRank(1, 0, &number));
  if (x.unknown_rank()) return shape_fn::Unknown(c);
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  const int64_t width = dims.back();
  const auto n = c.value(1) ? c.ValueAsInts(1) : std::nullopt;
  if (width >= 0 && n && n->size() == 1 && width <= (*n)[0]) {
    return InvalidArgument("Input must have last dimension > n = {} but is {}",
                           (*n)[0], width);
  }
  dims.pop_back();
  c.set_output(0, PartialTensorShape(dims));
  return OkStatus();
}

// Equal elements share it.
void NthGradient(GradContext& g) {
  const Tensor& x = g.x(0);
  const Tensor last = IntegerConstant(-1);
  const Tensor hit =
      CastTo(ops::Equal(ops::ExpandDims(g.y(0), last), x), x.dtype());
  const Tensor share = ops::RealDiv(hit, ops::Sum(hit, last, true));
  g.Set(0, ops::Mul(share, ops::ExpandDims(g.dy(0), last)));
}

const OpRecord kRecords[] = {
    {.name = "NthElement",
     .inputs = "input: T; n: int32",
     .outputs = "values: T",
     .attrs = "reverse: bool = False; T: type in [float, double, int32, uint8, "
              "int16, int8, int64, bfloat16, uint16, half, uint32, uint64]",
     .traits = kExpensive,
     .shape = NthShape,
     .kernel = {.compute = ComputeNth},
     .gradient = NthGradient,
     .doc = "The n-th smallest element of each row, from 0; largest where "
            "`reverse`."},
};

}  // namespace

GK_REGISTER_OPS(nn_nth_element)

}  // namespace gk
