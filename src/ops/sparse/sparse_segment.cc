// Sums, means and scaled sums of rows that are picked by index, by segment.
#include "ops/fn/sparse_segment.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/segment.h"
#include "ops/element_moves.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/SparseSegmentMeanGrad.h"
#include "ops/fn/SparseSegmentMeanGradV2.h"
#include "ops/fn/SparseSegmentMeanWithNumSegments.h"
#include "ops/fn/SparseSegmentSqrtNGrad.h"
#include "ops/fn/SparseSegmentSqrtNGradV2.h"
#include "ops/fn/SparseSegmentSqrtNWithNumSegments.h"
#include "ops/fn/SparseSegmentSumGrad.h"
#include "ops/fn/SparseSegmentSumGradV2.h"
#include "ops/fn/SparseSegmentSumWithNumSegments.h"
#include "ops/sparse/sparse_parts.h"

namespace gk {
namespace {

using Scale = SegmentScale;

// ---- Forward: data, indices, segment_ids, perhaps num_segments ----

Status PickedShape(InferenceContext& c) {
  PartialTensorShape data, indices, ids;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1, &data));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &indices));
  GK_RETURN_IF_ERROR(c.WithRank(2, 1, &ids));
  int64_t n, segments = kUnknownDim;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(indices.dim(0), ids.dim(0), &n));
  if (c.num_inputs() == 4) {
    PartialTensorShape scalar;
    GK_RETURN_IF_ERROR(c.WithRank(3, 0, &scalar));
    if (const auto known = c.ValueAsInts(3)) segments = (*known)[0];
    if (segments < 0 && segments != kUnknownDim) {
      return InvalidArgument(
          "Cannot specify a negative value for num_segments");
    }
  }
  if (data.unknown_rank()) return OkStatus();
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(0);
  out.AddDim(segments);
  for (int d = 1; d < data.rank(); ++d) out.AddDim(data.dim(d));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status CheckVectors(const Tensor& indices, const Tensor& ids) {
  if (indices.rank() != 1) {
    return InvalidArgument("indices should be a vector.");
  }
  if (ids.rank() != 1) {
    return InvalidArgument("segment_ids should be a vector.");
  }
  if (indices.dim(0) != ids.dim(0)) {
    return InvalidArgument("segment_ids and indices should have same size.");
  }
  return OkStatus();
}

// `segments` < 0: the ids tell.
Status CheckIds(std::span<const int64_t> ids, int64_t* segments) {
  const bool given = *segments >= 0;
  if (!given) {
    *segments = ids.empty() ? 0 : ids.back() < 0 ? -1 : ids.back() + 1;
    if (*segments < 0) return InvalidArgument("segment ids must be >= 0");
    constexpr int64_t kLimit = std::numeric_limits<int32_t>::max();
    if (*segments > kLimit) {
      return InvalidArgument(
          "Last segment id must be < kintmax, got {} limit {}", *segments - 1,
          kLimit);
    }
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i > 0 && ids[i] < ids[i - 1]) {
      return InvalidArgument("segment ids are not increasing");
    }
    if (ids[i] >= *segments && given) {
      return InvalidArgument("segment ids must be < num_segments");
    }
    if (ids[i] < 0 || ids[i] >= *segments) {
      return InvalidArgument(
          "Segment id {} out of range [0, {}), possibly because 'segment_ids' "
          "input is not sorted.",
          ids[i], *segments);
    }
  }
  return OkStatus();
}

template <Scale kScale>
Status ComputePicked(KernelContext& c) {
  const Tensor &data = c.input(0), &indices = c.input(1), &ids_in = c.input(2);
  int64_t segments = -1;
  if (c.num_inputs() == 4) {
    if (c.input(3).rank() != 0) {
      return InvalidArgument("num_segments should be a scalar, not shape {}",
                             c.input(3).shape().DebugString());
    }
    GK_RETURN_IF_ERROR(IntegerValue(c.input(3), "num_segments", &segments));
    if (segments < 0) return InvalidArgument("segment ids must be >= 0");
  }
  GK_RETURN_IF_ERROR(CheckVectors(indices, ids_in));
  if (data.rank() < 1) return InvalidArgument("Shape must be at least rank 1");
  std::vector<int64_t> rows, ids;
  GK_RETURN_IF_ERROR(IntegerValues(indices, &rows));
  GK_RETURN_IF_ERROR(IntegerValues(ids_in, &ids));
  GK_RETURN_IF_ERROR(CheckIds(ids, &segments));
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= data.dim(0)) {
      return InvalidArgument("Bad: indices[{}] == {} out of range [0, {})", i,
                             rows[i], data.dim(0));
    }
  }
  InlinedVector<int64_t, 8> dims(data.shape().dims());
  dims[0] = segments;
  GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, data.dtype(), shape, &out));
  int64_t inner = 1;
  for (int d = 1; d < data.rank(); ++d) inner *= data.dim(d);
  const std::vector<int64_t> starts = SegmentStarts(ids, segments);
  const auto each = [&](auto tag) {
    using T = decltype(tag);
    SumPickedRows<T>(data.data<T>(), rows, starts, inner, kScale,
                     out->data<T>(), ThreadPool::Global());
  };
  const bool known =
      kScale == Scale::kSum
          ? VisitRealNumber(data.dtype(), each)
          : VisitType<float, double, half, bfloat16>(data.dtype(), each);
  return known ? OkStatus() : c.NoKernel();
}

// ---- Backward: grad, indices, segment_ids, the size of data ----

Status PickedGradShape(InferenceContext& c) {
  PartialTensorShape grad, indices, ids, scalar;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1, &grad));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &indices));
  GK_RETURN_IF_ERROR(c.WithRank(2, 1, &ids));
  GK_RETURN_IF_ERROR(c.WithRank(3, 0, &scalar));
  int64_t n;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(indices.dim(0), ids.dim(0), &n));
  const bool unique = c.num_outputs() == 2;
  int64_t rows = kUnknownDim;
  if (const auto known = c.ValueAsInts(3); known && !unique) {
    rows = (*known)[0];
    if (rows < 0) {
      return InvalidArgument("Cannot specify a negative value");
    }
  }
  if (unique) c.set_output(1, {kUnknownDim});
  if (grad.unknown_rank()) return OkStatus();
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(0);
  out.AddDim(rows);
  for (int d = 1; d < grad.rank(); ++d) out.AddDim(grad.dim(d));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status CheckPickedGrad(std::span<const int64_t> rows,
                       std::span<const int64_t> ids, int64_t size,
                       int64_t segments) {
  if (size < 0 || size > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("Expected a non-negative size, got {}", size);
  }
  for (int64_t row : rows) {
    if (row < 0 || row >= size) {
      return InvalidArgument("Index {} out of range [0, {}).", row, size);
    }
  }
  for (int64_t id : ids) {
    if (id < 0 || id >= segments) {
      return InvalidArgument("Invalid number of segments");
    }
  }
  return OkStatus();
}

// The rows below `size` that are named, in order; the names become the numbers
// of them.
std::vector<int64_t> NumberRows(int64_t size, std::vector<int64_t>* rows) {
  std::vector<int64_t> sorted;
  if (size > 16 * std::ssize(*rows)) {
    sorted = *rows;
    std::ranges::sort(sorted);
    sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
    for (int64_t& row : *rows) {
      row = std::ranges::lower_bound(sorted, row) - sorted.begin();
    }
    return sorted;
  }
  // A table of all rows.
  std::vector<int64_t> numbers(size, -1);
  for (int64_t row : *rows) numbers[row] = 0;
  for (int64_t row = 0; row < size; ++row) {
    if (numbers[row] < 0) continue;
    numbers[row] = std::ssize(sorted);
    sorted.push_back(row);
  }
  for (int64_t& row : *rows) row = numbers[row];
  return sorted;
}

template <Scale kScale, bool kUnique>
Status ComputePickedGrad(KernelContext& c) {
  const Tensor &grad = c.input(0), &indices = c.input(1), &ids_in = c.input(2);
  GK_RETURN_IF_ERROR(CheckVectors(indices, ids_in));
  if (c.input(3).rank() != 0) {
    return InvalidArgument("output_dim0 should be a scalar.");
  }
  if (grad.rank() < 1) return InvalidArgument("Shape must be at least rank 1");
  int64_t size;
  GK_RETURN_IF_ERROR(IntegerValue(c.input(3), "output_dim0", &size));
  std::vector<int64_t> rows, ids;
  GK_RETURN_IF_ERROR(IntegerValues(indices, &rows));
  GK_RETURN_IF_ERROR(IntegerValues(ids_in, &ids));
  GK_RETURN_IF_ERROR(CheckPickedGrad(rows, ids, size, grad.dim(0)));
  if constexpr (kUnique) {
    const std::vector<int64_t> sorted = NumberRows(size, &rows);
    size = std::ssize(sorted);
    GK_ASSIGN_OR_RETURN(Tensor unique, IntegerTensor(indices.dtype(), sorted,
                                                     TensorShape({size})));
    c.set_output(1, std::move(unique));
  }
  InlinedVector<int64_t, 8> dims(grad.shape().dims());
  dims[0] = size;
  GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, grad.dtype(), shape, &out));
  int64_t inner = 1;
  for (int d = 1; d < grad.rank(); ++d) inner *= grad.dim(d);
  std::vector<int64_t> sizes(grad.dim(0));
  for (int64_t id : ids) ++sizes[id];
  const bool known =
      VisitType<float, double, half, bfloat16>(grad.dtype(), [&](auto tag) {
        using T = decltype(tag);
        AddPickedRows<T>(grad.data<T>(), rows, ids, sizes, size, inner, kScale,
                         out->data<T>(), ThreadPool::Global());
      });
  return known ? OkStatus() : c.NoKernel();
}

// ---- Gradients ----

Tensor RowsOf(const Tensor& x) {
  return ops::GatherV2(ShapeTensor(x), IntegerConstant(0), IntegerConstant(0));
}

template <Scale kScale>
void PickedGradient(GradContext& g) {
  if (!g.wants(0)) return;
  const Tensor dy = g.dy(0), indices = g.x(1), ids = g.x(2);
  const Tensor rows = RowsOf(g.x(0));
  if (g.attr<bool>("sparse_gradient")) {
    const TensorVector parts =
        kScale == Scale::kSum
            ? ops::SparseSegmentSumGradV2(dy, indices, ids, rows)
        : kScale == Scale::kMean
            ? ops::SparseSegmentMeanGradV2(dy, indices, ids, rows)
            : ops::SparseSegmentSqrtNGradV2(dy, indices, ids, rows);
    g.SetSlices(0, parts[0], parts[1], ShapeTensor(g.x(0)));
    return;
  }
  g.Set(0, kScale == Scale::kSum
               ? ops::SparseSegmentSumGrad(dy, indices, ids, rows)
           : kScale == Scale::kMean
               ? ops::SparseSegmentMeanGrad(dy, indices, ids, rows)
               : ops::SparseSegmentSqrtNGrad(dy, indices, ids, rows));
}

template <Scale kScale>
void PickedGradGradient(GradContext& g) {
  if (!g.wants(0)) return;
  const Tensor dy = g.dy(0), indices = g.x(1), ids = g.x(2);
  const Tensor segments = RowsOf(g.x(0));
  g.Set(
      0,
      kScale == Scale::kSum
          ? ops::SparseSegmentSumWithNumSegments(dy, indices, ids, segments)
      : kScale == Scale::kMean
          ? ops::SparseSegmentMeanWithNumSegments(dy, indices, ids, segments)
          : ops::SparseSegmentSqrtNWithNumSegments(dy, indices, ids, segments));
}

#define FLOATS "[bfloat16, half, float, double]"
#define IDS                                                       \
  "; Tidx: type in [int32, int64] = int32; Tsegmentids: type in " \
  "[int32, int64] = int32"
#define NUMBERED                                                   \
  "; Tidx: type in [int32, int64] = int32; Tnumsegments: type in " \
  "[int32, int64] = int32; Tsegmentids: type in [int32, int64] = int32"
#define SPARSE "; sparse_gradient: bool = False"
#define PICKED "data: T; indices: Tidx; segment_ids: Tsegmentids"
#define PICKED_N PICKED "; num_segments: Tnumsegments"
#define BACK \
  "grad: T; indices: Tidx; segment_ids: Tsegmentids; output_dim0: int32"
#define BACK_V2                                        \
  "grad: T; indices: Tidx; segment_ids: Tsegmentids; " \
  "dense_output_dim0: int32"

const OpRecord kRecords[] = {
    {.name = "SparseSegmentSum",
     .inputs = PICKED,
     .outputs = "output: T",
     .attrs = "T: type in " GK_SPARSE_REALS IDS SPARSE,
     .shape = PickedShape,
     .kernel = {.compute = ComputePicked<Scale::kSum>},
     .gradient = PickedGradient<Scale::kSum>,
     .doc = "Sums of the rows of data that indices name, by segment."},

    {.name = "SparseSegmentMean",
     .inputs = PICKED,
     .outputs = "output: T",
     .attrs = "T: type in " FLOATS IDS SPARSE,
     .shape = PickedShape,
     .kernel = {.compute = ComputePicked<Scale::kMean>},
     .gradient = PickedGradient<Scale::kMean>,
     .doc = "Means of the rows of data that indices name, by segment."},

    {.name = "SparseSegmentSqrtN",
     .inputs = PICKED,
     .outputs = "output: T",
     .attrs = "T: type in " FLOATS IDS SPARSE,
     .shape = PickedShape,
     .kernel = {.compute = ComputePicked<Scale::kSqrtN>},
     .gradient = PickedGradient<Scale::kSqrtN>,
     .doc = "Sums of the rows of data that indices name, by segment, divided "
            "by the root of their number."},

    {.name = "SparseSegmentSumWithNumSegments",
     .inputs = PICKED_N,
     .outputs = "output: T",
     .attrs = "T: type in " GK_SPARSE_REALS NUMBERED SPARSE,
     .shape = PickedShape,
     .kernel = {.compute = ComputePicked<Scale::kSum>},
     .gradient = PickedGradient<Scale::kSum>,
     .doc = "SparseSegmentSum with a number of segments; those without rows "
            "are zero."},

    {.name = "SparseSegmentMeanWithNumSegments",
     .inputs = PICKED_N,
     .outputs = "output: T",
     .attrs = "T: type in " FLOATS NUMBERED SPARSE,
     .shape = PickedShape,
     .kernel = {.compute = ComputePicked<Scale::kMean>},
     .gradient = PickedGradient<Scale::kMean>,
     .doc = "SparseSegmentMean with a number of segments; those without rows "
            "are zero."},

    {.name = "SparseSegmentSqrtNWithNumSegments",
     .inputs = PICKED_N,
     .outputs = "output: T",
     .attrs = "T: type in " FLOATS NUMBERED SPARSE,
     .shape = PickedShape,
     .kernel = {.compute = ComputePicked<Scale::kSqrtN>},
     .gradient = PickedGradient<Scale::kSqrtN>,
     .doc = "SparseSegmentSqrtN with a number of segments; those without rows "
            "are zero."},

    {.name = "SparseSegmentSumGrad",
     .inputs = BACK,
     .outputs = "output: T",
     .attrs = "T: type in " FLOATS IDS,
     .shape = PickedGradShape,
     .kernel = {.compute = ComputePickedGrad<Scale::kSum, false>},
     .gradient = PickedGradGradient<Scale::kSum>,
     .doc = "The gradient of SparseSegmentSum."},

    {.name = "SparseSegmentMeanGrad",
     .inputs = BACK,
     .outputs = "output: T",
     .attrs = "T: type in " FLOATS IDS,
     .shape = PickedGradShape,
     .kernel = {.compute = ComputePickedGrad<Scale::kMean, false>},
     .gradient = PickedGradGradient<Scale::kMean>,
     .doc = "The gradient of SparseSegmentMean."},

    {.name = "SparseSegmentSqrtNGrad",
     .inputs = BACK,
     .outputs = "output: T",
     .attrs = "T: type in " FLOATS IDS,
     .shape = PickedGradShape,
     .kernel = {.compute = ComputePickedGrad<Scale::kSqrtN, false>},
     .gradient = PickedGradGradient<Scale::kSqrtN>,
     .doc = "The gradient of SparseSegmentSqrtN."},

    {.name = "SparseSegmentSumGradV2",
     .inputs = BACK_V2,
     .outputs = "output: T; sorted_unique_indices: Tidx",
     .attrs = "T: type in " FLOATS IDS,
     .traits = kNoGradient,
     .shape = PickedGradShape,
     .kernel = {.compute = ComputePickedGrad<Scale::kSum, true>},
     .doc = "The gradient of SparseSegmentSum, of the rows alone that are "
            "named, and their indices."},

    {.name = "SparseSegmentMeanGradV2",
     .inputs = BACK_V2,
     .outputs = "output: T; sorted_unique_indices: Tidx",
     .attrs = "T: type in " FLOATS IDS,
     .traits = kNoGradient,
     .shape = PickedGradShape,
     .kernel = {.compute = ComputePickedGrad<Scale::kMean, true>},
     .doc = "The gradient of SparseSegmentMean, of the rows alone that are "
            "named, and their indices."},

    {.name = "SparseSegmentSqrtNGradV2",
     .inputs = BACK_V2,
     .outputs = "output: T; sorted_unique_indices: Tidx",
     .attrs = "T: type in " FLOATS IDS,
     .traits = kNoGradient,
     .shape = PickedGradShape,
     .kernel = {.compute = ComputePickedGrad<Scale::kSqrtN, true>},
     .doc = "The gradient of SparseSegmentSqrtN, of the rows alone that are "
            "named, and their indices."},
};

}  // namespace

GK_REGISTER_OPS(sparse_segment)

}  // namespace gk
