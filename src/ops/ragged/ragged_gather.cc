// Rows of ragged tensors picked by index.
#include "ops/fn/ragged_gather.h"

#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/ragged.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/RaggedGather.h"
#include "ops/fn/Range.h"
#include "ops/ragged/row_splits.h"

namespace gk {
namespace {

// ---- RaggedGather: nested splits of params, their values, indices ----

int ParamsRank(const auto& c) {
  return static_cast<int>(c.template attr<int64_t>("PARAMS_RAGGED_RANK"));
}
int ResultRank(const auto& c) {
  return static_cast<int>(c.template attr<int64_t>("OUTPUT_RAGGED_RANK"));
}

Status CheckResultRank(int params, int indices, int result) {
  if (indices >= 0 && result != indices + params - 1) {
    return InvalidArgument(
        "OUTPUT_RAGGED_RANK is {}, but indices of rank {} into params of "
        "ragged "
        "rank {} give {}",
        result, indices, params, indices + params - 1);
  }
  return OkStatus();
}

Status RaggedGatherShape(InferenceContext& c) {
  const int params = ParamsRank(c), result = ResultRank(c);
  for (int i = 0; i < params; ++i) {
    PartialTensorShape splits;
    GK_RETURN_IF_ERROR(c.WithRank(i, 1, &splits));
  }
  const PartialTensorShape &values = c.input(params),
                           &indices = c.input(params + 1);
  GK_RETURN_IF_ERROR(CheckResultRank(
      params, indices.unknown_rank() ? -1 : indices.rank(), result));
  for (int i = 0; i < result; ++i) c.set_output(i, {kUnknownDim});
  if (values.unknown_rank() || values.rank() < 1) return OkStatus();
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(0);
  out.AddDim(kUnknownDim);
  for (int d = 1; d < values.rank(); ++d) out.AddDim(values.dim(d));
  c.set_output(result, std::move(out));
  return OkStatus();
}

// What a gather of rows gives: splits of each level, and which rows of the
// innermost.
struct Picked {
  std::vector<Splits> splits;
  std::vector<int64_t> rows;
};
Picked PickNested(const std::vector<Splits>& params,
                  std::vector<int64_t> rows) {
  Picked picked;
  TurnPoll poll;
  for (size_t d = 0; d < params.size(); ++d) {
    const Splits& level = params[d];
    Splits made{0};
    made.reserve(rows.size() + 1);
    int64_t held = 0;
    for (int64_t row : rows) {
      poll();
      made.push_back(held += level[row + 1] - level[row]);
    }
    picked.splits.push_back(std::move(made));
    if (d + 1 == params.size()) break;
    std::vector<int64_t> next;
    next.reserve(held);
    for (int64_t row : rows) {
      for (int64_t k = level[row]; k < level[row + 1]; ++k) {
        poll();
        next.push_back(k);
      }
    }
    rows = std::move(next);
  }
  picked.rows = std::move(rows);
  return picked;
}

Status ComputeRaggedGather(KernelContext& c) {
  const int params = ParamsRank(c), result = ResultRank(c);
  const Tensor &values = c.input(params), &indices = c.input(params + 1);
  if (values.rank() < 1) {
    return InvalidArgument("params.rank must be nonzero");
  }
  GK_RETURN_IF_ERROR(CheckResultRank(params, indices.rank(), result));
  for (int i = 0; i < params; ++i) {
    if (c.input(i).rank() == 1) continue;
    return InvalidArgument("ragged splits must be a vector, got shape {}",
                           c.input(i).shape().DebugString());
  }
  std::vector<Splits> splits;
  GK_RETURN_IF_ERROR(
      ReadNestedSplits(c, 0, params, values.dim(0), true, &splits));
  std::vector<int64_t> rows;
  GK_RETURN_IF_ERROR(IntegerValues(indices, &rows));
  const int64_t count = std::ssize(splits[0]) - 1;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= count) {
      return InvalidArgument("indices{} = {} is not in [0, {})",
                             PositionString(indices.shape(), i), rows[i],
                             count);
    }
  }
  Picked picked = PickNested(splits, std::move(rows));
  const DataType type = c.input(0).dtype();
  // A scalar's row is no row of a ragged tensor: its values alone.
  const int scalar = indices.rank() == 0 ? 1 : 0;
  int made = 0;
  int64_t outer = 1;
  for (int d = 0; d + 1 < indices.rank(); ++d) {
    outer *= indices.dim(d);
    Splits uniform(outer + 1);
    for (int64_t r = 0; r <= outer; ++r) uniform[r] = r * indices.dim(d + 1);
    GK_ASSIGN_OR_RETURN(Tensor t,
                        IntegerTensor(type, uniform, TensorShape({outer + 1})));
    c.set_output(made++, std::move(t));
  }
  for (size_t i = scalar; i < picked.splits.size(); ++i) {
    GK_ASSIGN_OR_RETURN(
        Tensor t, IntegerTensor(type, picked.splits[i],
                                TensorShape({std::ssize(picked.splits[i])})));
    c.set_output(made++, std::move(t));
  }
  InlinedVector<int64_t, 8> dims(values.shape().dims());
  dims[0] = picked.splits.back().back();
  int64_t inner = 1;
  for (int d = 1; d < values.rank(); ++d) inner *= values.dim(d);
  GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(result, values.dtype(), shape, &out));
  return VisitMoved(values.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    TakeRows(static_cast<const T*>(values.raw_data()), picked.rows,
             splits.back(), inner, static_cast<T*>(out->raw_data()));
  });
}

// Which value each one of the result is.
void RaggedGatherGradient(GradContext& g) {
  const int params = ParamsRank(g), result = ResultRank(g);
  if (!g.wants(params)) return;
  const DataType wide = DataType::kInt64;
  const Tensor n = ops::GatherV2(ShapeTensor(g.x(params), wide),
                                 IntegerConstant(0), IntegerConstant(0));
  TensorVector splits;
  for (int i = 0; i < params; ++i) splits.push_back(g.x(i));
  const TensorVector numbers = ops::RaggedGather(
      splits, ops::Range(IntegerConstant(0, wide), n, IntegerConstant(1, wide)),
      g.x(params + 1), result);
  g.SetSlices(params, g.dy(result), numbers[result], ShapeTensor(g.x(params)));
}

const OpRecord kRecords[] = {
    {.name = "RaggedGather",
     .inputs = "params_nested_splits: PARAMS_RAGGED_RANK * Tsplits; "
               "params_dense_values: Tvalues; indices: Tindices",
     .outputs = "output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits; "
                "output_dense_values: Tvalues",
     .attrs = "Tvalues: type; Tindices: type in [int32, int64]; Tsplits: type "
              "in [int32, int64] = int64; PARAMS_RAGGED_RANK: int >= 1; "
              "OUTPUT_RAGGED_RANK: int >= 0",
     .shape = RaggedGatherShape,
     .kernel = {.compute = ComputeRaggedGather},
     .gradient = RaggedGatherGradient,
     .doc = "Rows of a ragged tensor picked by index."},
};

}  // namespace

GK_REGISTER_OPS(ragged_gather)

}  // namespace gk
