// Reductions of rows by segment, with sorted and unsorted segment ids.
#include "ops/fn/array_segment.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/interrupt.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/segment.h"
#include "ops/element_moves.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Equal.h"
#include "ops/fn/Fill.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Greater.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/LogicalAnd.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Rank.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/SegmentProd.h"
#include "ops/fn/SegmentSum.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Sub.h"
#include "ops/fn/UnsortedSegmentProd.h"
#include "ops/fn/UnsortedSegmentSum.h"

namespace gk {
namespace {

// What an unsorted segment without rows holds.
template <SegmentOp kOp, class T>
T EmptySegment() {
  using C = ComputeType<T>;
  if constexpr (kOp == SegmentOp::kSum) {
    return T{};
  } else if constexpr (kOp == SegmentOp::kProd) {
    return Convert<T>(C(1));
  } else if constexpr (std::is_same_v<T, half>) {
    return Convert<T>(C(kOp == SegmentOp::kMax ? -65504.f : 65504.f));
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return Convert<T>(
        C(kOp == SegmentOp::kMax ? -3.38953139e38f : 3.38953139e38f));
  } else if constexpr (kOp == SegmentOp::kMax) {
    return std::numeric_limits<T>::lowest();
  } else {
    return std::numeric_limits<T>::max();
  }
}

template <SegmentOp kOp, class Fn>
bool VisitSegmentType(DataType t, Fn&& fn) {
  if (VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(t, fn)) {
    return true;
  }
  if constexpr (kOp == SegmentOp::kSum || kOp == SegmentOp::kProd) {
    return VisitType<complex64, complex128>(t, fn);
  }
  return false;
}

Status NoKernel(const KernelContext& c) { return c.NoKernel(); }

// data.shape with the leading dims of `ids` replaced by `segments`.
Status SegmentShapeOf(InferenceContext& c, int ids_rank, int64_t segments,
                      bool ids_match = true) {
  const PartialTensorShape& data = c.input(0);
  if (data.unknown_rank() || ids_rank < 0) return OkStatus();
  if (data.rank() < ids_rank || data.rank() == 0) {
    return InvalidArgument("Shape must be at least rank {} but is rank {}",
                           std::max(ids_rank, 1), data.rank());
  }
  const bool check = ids_match && !c.input(1).unknown_rank();
  for (int i = 0; i < ids_rank && check; ++i) {
    int64_t d;
    GK_RETURN_IF_ERROR(
        InferenceContext::MergeDims(data.dim(i), c.input(1).dim(i), &d));
  }
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(0);
  out.AddDim(segments);
  for (int i = ids_rank; i < data.rank(); ++i) out.AddDim(data.dim(i));
  c.set_output(0, std::move(out));
  return OkStatus();
}

// Whether there are as many ids as rows is seen when it runs.
Status SortedShape(InferenceContext& c) {
  PartialTensorShape ids;
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &ids));
  return SegmentShapeOf(c, 1, kUnknownDim, /*ids_match=*/false);
}

Status UnsortedShape(InferenceContext& c) {
  if (c.input(2).rank() > 0) {
    return InvalidArgument("Shape must be rank 0 but is rank {}",
                           c.input(2).rank());
  }
  if (c.input(0).unknown_rank() || c.input(1).unknown_rank()) return OkStatus();
  auto n = c.ValueAsInts(2);
  if (n && (*n)[0] < 0) {
    return InvalidArgument(
        "Dimension size, given by scalar input 2, must be "
        "non-negative but is {}",
        (*n)[0]);
  }
  const PartialTensorShape& data = c.input(0);
  const int rank = c.input(1).rank();
  if (!data.unknown_rank() && rank > data.rank()) {
    return InvalidArgument("Shape must be at least rank {} but is rank {}",
                           rank, data.rank());
  }
  if (data.unknown_rank() || rank < 0) return OkStatus();
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(0);
  for (int i = 0; i < rank; ++i) {
    int64_t d;
    GK_RETURN_IF_ERROR(
        InferenceContext::MergeDims(data.dim(i), c.input(1).dim(i), &d));
  }
  out.AddDim(n ? (*n)[0] : kUnknownDim);
  for (int i = rank; i < data.rank(); ++i) out.AddDim(data.dim(i));
  c.set_output(0, std::move(out));
  return OkStatus();
}

// The loops know ids of 32 and 64 bits.
StatusOr<Tensor> WideIds(const Tensor& ids) {
  if (ids.dtype() != DataType::kInt16) return ids;
  std::vector<int64_t> values;
  GK_RETURN_IF_ERROR(IntegerValues(ids, &values));
  return IntegerTensor(DataType::kInt32, values, ids.shape());
}

SegmentIds IdsOf(const Tensor& t) {
  return {t.raw_data(), t.dtype() == DataType::kInt64, t.num_elements()};
}

template <SegmentOp kOp>
Status ComputeUnsorted(KernelContext& c) {
  const Tensor& data = c.input(0);
  GK_ASSIGN_OR_RETURN(const Tensor ids_in, WideIds(c.input(1)));
  int64_t segments;
  if (c.input(2).rank() != 0) {
    return InvalidArgument("num_segments should be a scalar, not shape {}",
                           c.input(2).shape().DebugString());
  }
  GK_RETURN_IF_ERROR(IntegerValue(c.input(2), "num_segments", &segments));
  bool prefix = ids_in.rank() <= data.rank();
  for (int i = 0; prefix && i < ids_in.rank(); ++i) {
    prefix = data.dim(i) == ids_in.dim(i);
  }
  if (!prefix) {
    return InvalidArgument(
        "data.shape = {} does not start with segment_ids.shape = {}",
        data.shape().DebugString(), ids_in.shape().DebugString());
  }
  if (segments < 0) {
    return InvalidArgument("Input num_segments == {} must not be negative.",
                           segments);
  }
  const SegmentIds ids = IdsOf(ids_in);
  int64_t most = -1;
  VisitType<int32_t, int64_t>(ids_in.dtype(), [&](auto tag) {
    decltype(tag) largest = -1;
    for (auto id : ids_in.flat<decltype(tag)>()) {
      largest = std::max(largest, id);
    }
    most = largest;
  });
  for (int64_t i = 0; most >= segments; ++i) {
    if (ids[i] >= segments) {
      return InvalidArgument("segment_ids{} = {} is out of range [0, {})",
                             PositionString(ids_in.shape(), i), ids[i],
                             segments);
    }
  }
  InlinedVector<int64_t, 8> dims{segments};
  int64_t inner = 1;
  for (int i = ids_in.rank(); i < data.rank(); ++i) {
    dims.push_back(data.dim(i));
    inner *= data.dim(i);
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, data.dtype(), shape, &out));
  const bool known = VisitSegmentType<kOp>(data.dtype(), [&](auto tag) {
    using T = decltype(tag);
    T* to = out->data<T>();
    std::fill_n(to, out->num_elements(), EmptySegment<kOp, T>());
    ReduceSegments<kOp>(data.data<T>(), ids, inner, segments, to,
                        ThreadPool::Global());
  });
  return known ? OkStatus() : NoKernel(c);
}

// Sorted ids: the last one says how many segments there are; those without
// rows are zeros (ones for products).
template <SegmentOp kOp, bool kMean>
Status ComputeSorted(KernelContext& c) {
  const Tensor &data = c.input(0), &ids_in = c.input(1);
  if (ids_in.rank() != 1) {
    return InvalidArgument("segment_ids should be a vector, not shape {}",
                           ids_in.shape().DebugString());
  }
  if (data.rank() == 0) {
    return InvalidArgument("input must be at least rank 1");
  }
  if (data.dim(0) != ids_in.dim(0)) {
    return InvalidArgument(
        "segment_ids should be the same size as dimension 0 of input.");
  }
  const SegmentIds ids = IdsOf(ids_in);
  int64_t last = ids.size == 0 ? -1 : ids[ids.size - 1];
  if (ids.size > 0 && last < 0) {
    return InvalidArgument("segment ids must be >= 0");
  }
  bool sorted = ids.size == 0 || ids[0] >= 0;
  VisitType<int32_t, int64_t>(ids_in.dtype(), [&](auto tag) {
    const auto values = ids_in.flat<decltype(tag)>();
    for (size_t i = 1; i < values.size(); ++i) {
      sorted &= values[i] >= values[i - 1];
    }
  });
  for (int64_t i = 0, before = -1; !sorted; before = ids[i++]) {
    if (ids[i] < 0) {
      return InvalidArgument(
          "Segment id {} out of range [0, {}), possibly because 'segment_ids' "
          "input is not sorted.",
          ids[i], last + (last < INT64_MAX));
    }
    if (ids[i] < before) {
      return InvalidArgument("segment ids are not increasing");
    }
  }
  if (last == INT64_MAX) return InvalidArgument("segment id is too large");
  InlinedVector<int64_t, 8> dims(data.shape().dims());
  dims[0] = last + 1;
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  int64_t inner = 1;
  for (int i = 1; i < data.rank(); ++i) inner *= data.dim(i);
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, data.dtype(), shape, &out));
  const bool known = VisitSegmentType<kOp>(data.dtype(), [&](auto tag) {
    using T = decltype(tag);
    using C = ComputeType<T>;
    T* to = out->data<T>();
    const T empty = kOp == SegmentOp::kProd ? Convert<T>(C(1)) : T{};
    std::fill_n(to, out->num_elements(), empty);
    ReduceSortedSegments<kOp, kMean>(data.data<T>(), ids, inner, to,
                                     ThreadPool::Global());
  });
  return known ? OkStatus() : NoKernel(c);
}

// ---- Gradients ----

Tensor Gather(const Tensor& x, const Tensor& indices) {
  return ops::GatherV2(x, indices, IntegerConstant(0));
}
Tensor Zero(const Tensor& like) {
  return CastTo(IntegerConstant(0), like.dtype());
}

// A boolean of the ids' shape, brought to the rank of `values`.
Tensor Outward(const Tensor& mask, const Tensor& values) {
  const Tensor left = ops::Rank(values);
  Tensor extra = ops::Sub(left, ops::Rank(mask));
  const Tensor dims = ops::Reshape(extra, IntegerVector({{1}}));
  Tensor ones = ops::Fill(dims, IntegerConstant(1));
  const Tensor parts[] = {ShapeTensor(mask), ones};
  return ops::Reshape(mask, ops::ConcatV2(parts, IntegerConstant(0)));
}

// Rows of x by id; rows of dropped (negative) ids are zero.
Tensor GatherDropped(const Tensor& x, const Tensor& ids) {
  const Tensor zero = Zero(ids);
  Tensor rows = Gather(x, ops::Maximum(ids, zero));
  Tensor kept = Outward(ops::GreaterEqual(ids, zero), rows);
  return ops::SelectV2(kept, rows, Zero(rows));
}

void UnsortedSumGradient(GradContext& g) {
  if (g.wants(0)) g.Set(0, GatherDropped(g.dy(0), g.x(1)));
}

// The gradient goes to the elements that equal the result, in equal parts.
void UnsortedExtremeGradient(GradContext& g) {
  if (!g.wants(0)) return;
  const Tensor x = g.x(0), ids = g.x(1), dy = g.dy(0);
  Tensor hit = ops::Equal(x, GatherDropped(g.y(0), ids));
  hit = ops::LogicalAnd(hit, Outward(ops::GreaterEqual(ids, Zero(ids)), hit));
  Tensor count = ops::UnsortedSegmentSum(CastTo(hit, dy.dtype()), ids, g.x(2));
  Tensor share = GatherDropped(ops::RealDiv(dy, count), ids);
  g.Set(0, ops::SelectV2(hit, share, Zero(share)));
}

void UnsortedProdGradient(GradContext& g) {
  if (!g.wants(0)) return;
  const Tensor x = g.x(0), ids = g.x(1), dy = g.dy(0);
  // Where an element is zero its share is the product of the others; with
  // two zeros in a segment nothing is left.
  const Tensor zero = Zero(x);
  const Tensor one = CastTo(IntegerConstant(1), x.dtype());
  Tensor is_zero = ops::Equal(x, zero);
  Tensor zeros =
      ops::UnsortedSegmentSum(CastTo(is_zero, DataType::kInt32), ids, g.x(2));
  const Tensor condition = ops::Greater(zeros, IntegerConstant(1));
  Tensor weight = ops::SelectV2(condition, Zero(dy), dy);
  Tensor others =
      ops::UnsortedSegmentProd(ops::SelectV2(is_zero, one, x), ids, g.x(2));
  Tensor of_zero = GatherDropped(others, ids);
  Tensor safe = ops::SelectV2(is_zero, one, x);
  Tensor of_rest = ops::RealDiv(GatherDropped(g.y(0), ids), safe);
  Tensor part = ops::SelectV2(is_zero, of_zero, of_rest);
  g.Set(0, ops::Mul(GatherDropped(weight, ids), part));
}

void SortedSumGradient(GradContext& g) {
  if (g.wants(0)) g.Set(0, Gather(g.dy(0), g.x(1)));
}

Tensor RowCounts(const Tensor& ids, DataType dtype) {
  const Tensor dims = ShapeTensor(ids);
  Tensor ones = ops::Fill(dims, CastTo(IntegerConstant(1), dtype));
  return ops::SegmentSum(ones, ids);
}

void SortedMeanGradient(GradContext& g) {
  if (!g.wants(0)) return;
  const Tensor dy = g.dy(0), ids = g.x(1);
  Tensor counts = RowCounts(ids, RealType(dy.dtype()));
  counts = ops::Maximum(counts, CastTo(IntegerConstant(1), counts.dtype()));
  counts = CastTo(counts, dy.dtype());
  g.Set(0, Gather(ops::RealDiv(dy, Outward(counts, dy)), ids));
}

void SortedExtremeGradient(GradContext& g) {
  if (!g.wants(0)) return;
  const Tensor x = g.x(0), ids = g.x(1), dy = g.dy(0);
  Tensor hit = ops::Equal(x, Gather(g.y(0), ids));
  Tensor count = ops::SegmentSum(CastTo(hit, dy.dtype()), ids);
  Tensor share = Gather(ops::RealDiv(dy, count), ids);
  g.Set(0, ops::SelectV2(hit, share, Zero(share)));
}

void SortedProdGradient(GradContext& g) {
  if (!g.wants(0)) return;
  const Tensor x = g.x(0), ids = g.x(1), dy = g.dy(0);
  const Tensor one = CastTo(IntegerConstant(1), x.dtype());
  Tensor is_zero = ops::Equal(x, Zero(x));
  Tensor zeros = ops::SegmentSum(CastTo(is_zero, DataType::kInt32), ids);
  const Tensor condition = ops::Greater(zeros, IntegerConstant(1));
  Tensor weight = ops::SelectV2(condition, Zero(dy), dy);
  Tensor safe = ops::SelectV2(is_zero, one, x);
  Tensor of_zero = Gather(ops::SegmentProd(safe, ids), ids);
  Tensor of_rest = ops::RealDiv(Gather(g.y(0), ids), safe);
  Tensor part = ops::SelectV2(is_zero, of_zero, of_rest);
  g.Set(0, ops::Mul(Gather(weight, ids), part));
}

const OpRecord kRecords[] = {
    {.name = "UnsortedSegmentSum",
     .inputs = "data: T; segment_ids: Tindices; num_segments: Tnumsegments",
     .outputs = "output: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64]; Tindices: "
              "type in [int16, int32, int64]; Tnumsegments: type in [int32, "
              "int64] = int32",
     .shape = UnsortedShape,
     .kernel = {.compute = ComputeUnsorted<SegmentOp::kSum>},
     .gradient = UnsortedSumGradient,
     .python = {.names = "math.unsorted_segment_sum",
                .ragged = RaggedForm::kSegments},
     .doc = "Sums of the rows of each segment; negative ids are dropped.",
     .example = ">>> tf.math.unsorted_segment_sum([1, 5, 2], [1, 0, 1], "
                "2).numpy().tolist()\n[5, 3]"},

    {.name = "UnsortedSegmentProd",
     .inputs = "data: T; segment_ids: Tindices; num_segments: Tnumsegments",
     .outputs = "output: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64]; Tindices: "
              "type in [int32, int64]; Tnumsegments: type in [int32, int64] = "
              "int32",
     .shape = UnsortedShape,
     .kernel = {.compute = ComputeUnsorted<SegmentOp::kProd>},
     .gradient = UnsortedProdGradient,
     .python = {.names = "math.unsorted_segment_prod",
                .ragged = RaggedForm::kSegments},
     .doc = "Products of the rows of each segment; negative ids are dropped.",
     .example = ">>> tf.math.unsorted_segment_prod([1, 5, 2], [1, 0, 1], "
                "2).numpy().tolist()\n[5, 2]"},

    {.name = "UnsortedSegmentMax",
     .inputs = "data: T; segment_ids: Tindices; num_segments: Tnumsegments",
     .outputs = "output: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64]; Tindices: type in "
              "[int32, int64]; Tnumsegments: type in [int32, int64] = int32",
     .shape = UnsortedShape,
     .kernel = {.compute = ComputeUnsorted<SegmentOp::kMax>},
     .gradient = UnsortedExtremeGradient,
     .python = {.names = "math.unsorted_segment_max",
                .ragged = RaggedForm::kSegments},
     .doc = "Maxima of the rows of each segment; the lowest value where there "
            "are none.",
     .example = ">>> tf.math.unsorted_segment_max([1, 5, 2], [1, 0, 1], "
                "2).numpy().tolist()\n[5, 2]"},

    {.name = "UnsortedSegmentMin",
     .inputs = "data: T; segment_ids: Tindices; num_segments: Tnumsegments",
     .outputs = "output: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64]; Tindices: type in "
              "[int32, int64]; Tnumsegments: type in [int32, int64] = int32",
     .shape = UnsortedShape,
     .kernel = {.compute = ComputeUnsorted<SegmentOp::kMin>},
     .gradient = UnsortedExtremeGradient,
     .python = {.names = "math.unsorted_segment_min",
                .ragged = RaggedForm::kSegments},
     .doc = "Minima of the rows of each segment; the highest value where "
            "there are none.",
     .example = ">>> tf.math.unsorted_segment_min([1, 5, 2], [1, 0, 1], "
                "2).numpy().tolist()\n[5, 1]"},

    {.name = "SegmentSum",
     .inputs = "data: T; segment_ids: Tindices",
     .outputs = "output: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64]; Tindices: "
              "type in [int32, int64]",
     .shape = SortedShape,
     .kernel = {.compute = ComputeSorted<SegmentOp::kSum, false>},
     .gradient = SortedSumGradient,
     .python = {.names = "math.segment_sum"},
     .doc = "Sums of the rows of each segment; ids are sorted.",
     .example = ">>> tf.math.segment_sum([1, 5, 2], [0, 0, "
                "1]).numpy().tolist()\n[6, 2]"},

    {.name = "SegmentMean",
     .inputs = "data: T; segment_ids: Tindices",
     .outputs = "output: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64]; Tindices: "
              "type in [int32, int64]",
     .shape = SortedShape,
     .kernel = {.compute = ComputeSorted<SegmentOp::kSum, true>},
     .gradient = SortedMeanGradient,
     .python = {.names = "math.segment_mean"},
     .doc = "Means of the rows of each segment; ids are sorted.",
     .example = ">>> tf.math.segment_mean([1., 5., 2.], [0, 0, "
                "1]).numpy().tolist()\n[3.0, 2.0]"},

    {.name = "SegmentProd",
     .inputs = "data: T; segment_ids: Tindices",
     .outputs = "output: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64]; Tindices: "
              "type in [int32, int64]",
     .shape = SortedShape,
     .kernel = {.compute = ComputeSorted<SegmentOp::kProd, false>},
     .gradient = SortedProdGradient,
     .python = {.names = "math.segment_prod"},
     .doc = "Products of the rows of each segment; ids are sorted.",
     .example = ">>> tf.math.segment_prod([1, 5, 2], [0, 0, "
                "1]).numpy().tolist()\n[5, 2]"},

    {.name = "SegmentMax",
     .inputs = "data: T; segment_ids: Tindices",
     .outputs = "output: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64]; Tindices: type in "
              "[int32, int64]",
     .shape = SortedShape,
     .kernel = {.compute = ComputeSorted<SegmentOp::kMax, false>},
     .gradient = SortedExtremeGradient,
     .python = {.names = "math.segment_max"},
     .doc = "Maxima of the rows of each segment; ids are sorted.",
     .example = ">>> tf.math.segment_max([1, 5, 2], [0, 0, "
                "1]).numpy().tolist()\n[5, 2]"},

    {.name = "SegmentMin",
     .inputs = "data: T; segment_ids: Tindices",
     .outputs = "output: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, int64, "
              "bfloat16, uint16, half, uint32, uint64]; Tindices: type in "
              "[int32, int64]",
     .shape = SortedShape,
     .kernel = {.compute = ComputeSorted<SegmentOp::kMin, false>},
     .gradient = SortedExtremeGradient,
     .python = {.names = "math.segment_min"},
     .doc = "Minima of the rows of each segment; ids are sorted.",
     .example = ">>> tf.math.segment_min([1, 5, 2], [0, 0, "
                "1]).numpy().tolist()\n[1, 2]"},
};

}  // namespace

GK_REGISTER_OPS(array_segment)

}  // namespace gk
