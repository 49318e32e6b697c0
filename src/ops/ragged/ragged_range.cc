// Ragged rows of evenly spaced numbers.
#include "ops/fn/ragged_range.h"

#include <algorithm>
#include <limits>

#include "framework/op_registry.h"
#include "kernels/ragged.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

constexpr const char* kNames[] = {"starts", "limits", "deltas"};

Status RangeShape(InferenceContext& c) {
  int64_t rows = 1;
  bool known = true, vectors = false;
  for (int i = 0; i < 3; ++i) {
    const PartialTensorShape& s = c.input(i);
    if (s.unknown_rank()) {
      known = false;
    } else if (s.rank() > 1) {
      return InvalidArgument("{} must be a scalar or vector", kNames[i]);
    } else if (s.rank() == 1) {
      GK_RETURN_IF_ERROR(InferenceContext::MergeDims(
          vectors ? rows : kUnknownDim, s.dim(0), &rows));
      vectors = true;
    }
  }
  // One of unknown rank is a scalar, or as long as those that are vectors.
  if (!vectors && !known) rows = kUnknownDim;
  c.set_output(0, {rows < 0 ? kUnknownDim : rows + 1});
  c.set_output(1, {kUnknownDim});
  return OkStatus();
}

template <class T, class Split>
Status FillRows(KernelContext& c, int64_t rows) {
  const auto step = [&](int i) { return c.input(i).rank() == 0 ? 0 : 1; };
  const T *starts = c.input(0).data<T>(), *limits = c.input(1).data<T>(),
          *deltas = c.input(2).data<T>();
  TensorShape shape;
  GK_ASSIGN_OR_RETURN(shape, TensorShape::Make(std::vector<int64_t>{rows + 1}));
  Tensor* splits;
  GK_RETURN_IF_ERROR(c.Allocate(0, kTypeOf<Split>, shape, &splits));
  Split* const ends = splits->data<Split>();
  constexpr int64_t kMost = std::numeric_limits<Split>::max();
  ends[0] = 0;
  TurnPoll poll;
  for (int64_t row = 0; row < rows; ++row) {
    poll();
    const T delta = deltas[row * step(2)];
    if (static_cast<double>(delta) == 0)
      return InvalidArgument("Requires delta != 0");
    const int64_t n =
        RangeLength(starts[row * step(0)], limits[row * step(1)], delta);
    if (n < 0 || n > kMost - ends[row]) {
      return InvalidArgument("Requires ((limit - start) / delta) <= {}", kMost);
    }
    ends[row + 1] = static_cast<Split>(ends[row] + n);
  }
  Tensor* values;
  GK_RETURN_IF_ERROR(
      c.Allocate(1, kTypeOf<T>, TensorShape({int64_t{ends[rows]}}), &values));
  FillRanges(starts, step(0), deltas, step(2), ends, rows, values->data<T>());
  return OkStatus();
}

Status ComputeRange(KernelContext& c) {
  int64_t rows = -1;
  for (int i = 0; i < 3; ++i) {
    const Tensor& t = c.input(i);
    if (t.rank() > 1) {
      return InvalidArgument("{} must be a scalar or vector", kNames[i]);
    }
    if (t.rank() == 0) continue;
    if (rows >= 0 && rows != t.dim(0)) {
      return InvalidArgument(
          "starts, limits, and deltas must have the same shape");
    }
    rows = t.dim(0);
  }
  if (rows < 0) rows = 1;
  Status done;
  const bool known = VisitType<bfloat16, float, double, int32_t, int64_t>(
      c.input(0).dtype(), [&](auto tag) {
        using T = decltype(tag);
        done = c.attr<DataType>("Tsplits") == DataType::kInt32
                   ? FillRows<T, int32_t>(c, rows)
                   : FillRows<T, int64_t>(c, rows);
      });
  return known ? done : c.NoKernel();
}

const OpRecord kRecords[] = {
    {.name = "RaggedRange",
     .inputs = "starts: T; limits: T; deltas: T",
     .outputs = "rt_nested_splits: Tsplits; rt_dense_values: T",
     .attrs = "T: type in [bfloat16, float, double, int32, int64] = int32; "
              "Tsplits: type in [int32, int64] = int64",
     .traits = kNoGradient,
     .shape = RangeShape,
     .kernel = {.compute = ComputeRange},
     .doc = "Ragged rows of numbers from start up to limit, delta apart."},
};

}  // namespace

GK_REGISTER_OPS(ragged_range)

}  // namespace gk
