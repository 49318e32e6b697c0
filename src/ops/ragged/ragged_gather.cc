// Rows of ragged tensors picked by index, and empty rows filled.
#include "ops/fn/ragged_gather.h"

#include <algorithm>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/sparse.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/RaggedFillEmptyRowsGrad.h"
#include "ops/fn/RaggedGather.h"
#include "ops/fn/Range.h"
#include "ops/fn/UnsortedSegmentSum.h"
#include "ops/ragged/row_splits.h"
#include "ops/sparse/sparse_parts.h"

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

// What a gather of rows gives: splits of each level, and which values.
struct Picked {
  std::vector<Splits> splits;
  std::vector<int64_t> values;
};
Picked PickNested(const std::vector<Splits>& params,
                  std::vector<int64_t> rows) {
  Picked picked;
  TurnPoll poll;
  for (const Splits& level : params) {
    Splits made{0};
    std::vector<int64_t> next;
    for (int64_t row : rows) {
      for (int64_t k = level[row]; k < level[row + 1]; ++k) {
        poll();
        next.push_back(k);
      }
      made.push_back(std::ssize(next));
    }
    picked.splits.push_back(std::move(made));
    rows = std::move(next);
  }
  picked.values = std::move(rows);
  return picked;
}

Status ComputeRaggedGather(KernelContext& c) {
  const int params = ParamsRank(c), result = ResultRank(c);
  const Tensor &values = c.input(params), &indices = c.input(params + 1);
  if (values.rank() < 1) {
    return InvalidArgument("params.rank must be nonzero");
  }
  GK_RETURN_IF_ERROR(CheckResultRank(params, indices.rank(), result));
  std::vector<Splits> splits;
  GK_RETURN_IF_ERROR(ReadNestedSplits(c, 0, params, values.dim(0), &splits));
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
  dims[0] = std::ssize(picked.values);
  int64_t inner = 1;
  for (int d = 1; d < values.rank(); ++d) inner *= values.dim(d);
  GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(result, values.dtype(), shape, &out));
  return VisitMoved(values.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    PickRows(static_cast<const T*>(values.raw_data()), picked.values, inner,
             static_cast<T*>(out->raw_data()));
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
  g.Set(params, ops::UnsortedSegmentSum(g.dy(result), numbers[result], n));
}

// ---- RaggedFillEmptyRows ----

Status FillRowsShape(InferenceContext& c) {
  PartialTensorShape ids, values, nrows, otherwise;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &ids));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &values));
  GK_RETURN_IF_ERROR(c.WithRank(2, 0, &nrows));
  GK_RETURN_IF_ERROR(c.WithRank(3, 0, &otherwise));
  int64_t n;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(ids.dim(0), values.dim(0), &n));
  const auto rows = c.ValueAsInts(2);
  c.set_output(0, {kUnknownDim});
  c.set_output(1, {kUnknownDim});
  c.set_output(2, {rows && (*rows)[0] >= 0 ? (*rows)[0] : kUnknownDim});
  c.set_output(3, {n});
  return OkStatus();
}

Status CheckFillRows(const KernelContext& c) {
  const Tensor &ids = c.input(0), &values = c.input(1), &nrows = c.input(2),
               &otherwise = c.input(3);
  if (nrows.rank() != 0) {
    return InvalidArgument("nrows must be a scalar, saw: {}",
                           nrows.shape().DebugString());
  }
  if (ids.rank() != 1) {
    return InvalidArgument("value_rowids must be a vector, saw: {}",
                           ids.shape().DebugString());
  }
  if (values.rank() != 1) {
    return InvalidArgument("values must be a vector, saw: {}",
                           values.shape().DebugString());
  }
  if (values.dim(0) != ids.dim(0)) {
    return InvalidArgument(
        "The length of `values` ({}) must match the first dimension of "
        "`value_rowids` ({}).",
        values.dim(0), ids.dim(0));
  }
  if (otherwise.rank() != 0) {
    return InvalidArgument("default_value must be a scalar, saw: {}",
                           otherwise.shape().DebugString());
  }
  const int64_t rows = *nrows.data<int64_t>();
  if (rows < 0) {
    return InvalidArgument(
        "Expected shape dimensions to be non-negative, got {}", rows);
  }
  if (rows == 0 && ids.dim(0) > 0) {
    return InvalidArgument("Received nrows = 0 but {} value_rowids",
                           ids.dim(0));
  }
  return OkStatus();
}

Status ComputeFillRows(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckFillRows(c));
  const Tensor &ids = c.input(0), &values = c.input(1);
  const int64_t rows = *c.input(2).data<int64_t>();
  const Places places{ids.data<int64_t>(), ids.dim(0), 1};
  Tensor* empty;
  GK_RETURN_IF_ERROR(
      c.Allocate(2, DataType::kBool, TensorShape({rows}), &empty));
  std::vector<int64_t> first(rows + 1);
  if (const int64_t bad = FirstOfRows(places, rows, first.data()); bad >= 0) {
    return InvalidArgument("indices({}, 0) is invalid: {} >= {}", bad,
                           places[bad][0], rows);
  }
  const int64_t n = first[rows];
  Tensor *out, *filled, *moved;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kInt64, TensorShape({n}), &out));
  GK_RETURN_IF_ERROR(c.Allocate(1, values.dtype(), TensorShape({n}), &filled));
  GK_RETURN_IF_ERROR(
      c.Allocate(3, DataType::kInt64, TensorShape({places.n}), &moved));
  GK_RETURN_IF_ERROR(FillElements(c.input(3), filled));
  FillEmptyRows(places, rows, first.data(), empty->data<bool>(),
                out->data<int64_t>(), moved->data<int64_t>());
  return VisitMoved(values.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    PutElements(static_cast<const T*>(values.raw_data()), 1,
                moved->flat<int64_t>(), static_cast<T*>(filled->raw_data()));
  });
}

void FillRowsGradient(GradContext& g) {
  const TensorVector found = ops::RaggedFillEmptyRowsGrad(g.y(3), g.dy(1));
  g.Set(1, found[0]);
  g.Set(3, found[1]);
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

    {.name = "RaggedFillEmptyRows",
     .inputs = "value_rowids: int64; values: T; nrows: int64; default_value: T",
     .outputs = "output_value_rowids: int64; output_values: T; "
                "empty_row_indicator: bool; reverse_index_map: int64",
     .attrs = "T: type",
     .shape = FillRowsShape,
     .kernel = {.compute = ComputeFillRows},
     .gradient = FillRowsGradient,
     .python = {.names = "ragged_fill_empty_rows"},
     .doc = "The values of rows with default_value in each row that was empty; "
            "which rows those are, and where the values are now.",
     .example = ">>> tf.ragged_fill_empty_rows([0, 2], [5, 6], 3, 9)[1]."
                "numpy().tolist()\n[5, 9, 6]"},
};

}  // namespace

GK_REGISTER_OPS(ragged_gather)

}  // namespace gk
