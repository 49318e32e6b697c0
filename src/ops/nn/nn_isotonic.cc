// Isotonic regression: the nearest rows that never rise.
#include "ops/fn/nn_isotonic.h"

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/elementwise.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/DivNoNan.h"
#include "ops/fn/FloorDiv.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/Prod.h"
#include "ops/fn/Range.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/UnsortedSegmentSum.h"
#include "ops/subscript.h"

namespace gk {
namespace {

// Pools neighbours that rise until none do: the blocks of one row.
template <class In, class Out>
void Isotonic(const In* x, int64_t n, Out* y, int32_t* segment) {
  struct Block {
    double sum;
    int64_t first, size;
    double mean() const { return sum / static_cast<double>(size); }
  };
  std::vector<Block> blocks;
  for (int64_t i = 0; i < n; ++i) {
    Block next{static_cast<double>(Convert<ComputeType<In>>(x[i])), i, 1};
    while (!blocks.empty() && blocks.back().mean() < next.mean()) {
      next = {blocks.back().sum + next.sum, blocks.back().first,
              blocks.back().size + next.size};
      blocks.pop_back();
    }
    blocks.push_back(next);
  }
  for (size_t b = 0; b < blocks.size(); ++b) {
    const auto value =
        Convert<Out>(static_cast<ComputeType<Out>>(blocks[b].mean()));
    for (int64_t i = 0; i < blocks[b].size; ++i) {
      y[blocks[b].first + i] = value;
      segment[blocks[b].first + i] = static_cast<int32_t>(b);
    }
  }
}

Status ComputeIsotonic(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor *y, *segments;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, c.attr<DataType>("output_dtype"), x.shape(), &y));
  GK_RETURN_IF_ERROR(c.Allocate(1, DataType::kInt32, x.shape(), &segments));
  const int64_t n = x.rank() == 0 ? 1 : x.dim(x.rank() - 1);
  if (x.num_elements() == 0) return OkStatus();
  VisitType<float, double, int32_t, uint8_t, int16_t, int8_t, int64_t, bfloat16,
            uint16_t, half, uint32_t, uint64_t>(x.dtype(), [&](auto in) {
    VisitType<half, bfloat16, float, double>(y->dtype(), [&](auto out) {
      using In = decltype(in);
      using Out = decltype(out);
      ThreadPool::Global().ParallelFor(x.num_elements() / n, [&](int64_t r) {
        Isotonic(x.data<In>() + r * n, n, y->data<Out>() + r * n,
                 segments->data<int32_t>() + r * n);
      });
    });
  });
  return OkStatus();
}

Status IsotonicShape(InferenceContext& c) {
  c.set_output(0, c.input(0));
  c.set_output(1, c.input(0));
  return OkStatus();
}

// Means over blocks, whose numbers begin anew in each row.
void IsotonicGradient(GradContext& g) {
  const Tensor& segments = g.y(1);
  const Tensor dy = g.dy(0);
  const Tensor shape = ShapeTensor(segments);
  if (segments.partial_shape().rank() == 0) {
    g.Set(0, CastTo(dy, g.x(0).dtype()));
    return;
  }
  const Tensor all = IntegerVector(std::vector<int64_t>{-1});
  SubscriptEntry last;
  last.kind = SubscriptEntry::Kind::kIndex;
  last.begin = -1;
  const Tensor width = Subscript(shape, {last});
  const Tensor total = ops::Prod(shape, IntegerVector(std::vector<int64_t>{0}));
  const Tensor places =
      ops::Range(IntegerConstant(0), total, IntegerConstant(1));
  const Tensor row =
      ops::FloorDiv(places, ops::Maximum(width, IntegerConstant(1)));
  const Tensor number =
      ops::AddV2(ops::Reshape(segments, all), ops::Mul(row, width));
  const Tensor flat = ops::Reshape(dy, all);
  const Tensor sums = ops::UnsortedSegmentSum(flat, number, total);
  const Tensor counts =
      ops::UnsortedSegmentSum(ops::OnesLike(flat), number, total);
  const Tensor means =
      ops::GatherV2(ops::DivNoNan(sums, counts), number, IntegerConstant(0));
  g.Set(0, CastTo(ops::Reshape(means, shape), g.x(0).dtype()));
}

const OpRecord kRecords[] = {
    {.name = "IsotonicRegression",
     .inputs = "input: T",
     .outputs = "output: output_dtype; segments: int32",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64]; output_dtype: type in "
              "[half, bfloat16, float, double] = float",
     .traits = kExpensive,
     .shape = IsotonicShape,
     .kernel = {.compute = ComputeIsotonic},
     .gradient = IsotonicGradient,
     .doc = "The nearest rows that never rise, and the number of the block of "
            "equal values that each element is in.",
     .test = {.skip_gradient = true}},
};

}  // namespace

GK_REGISTER_OPS(nn_isotonic)

}  // namespace gk
