// Counts of small integers in rows that are dense, ragged or sparse, and whose
// counts are dense or sparse.
#include "ops/fn/math_count_rows.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "base/interrupt.h"
#include "framework/op_registry.h"
#include "kernels/count.h"
#include "kernels/sparse.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

// Integers and the row that each of them counts in.
struct RowValues {
  const Tensor* values = nullptr;
  CountedRows in;
  bool is_matrix = false;  // else there is one row, and no dimension for it
};

// Their dtypes are all that attributes let pass.
void VisitValues(const Tensor& values, auto&& visit) {
  VisitType<int32_t, int64_t>(
      values.dtype(), [&](auto tag) { visit(values.data<decltype(tag)>()); });
}

ValueRange RangeOf(const Tensor& values, int64_t bound) {
  ValueRange range;
  VisitValues(values, [&](const auto* from) {
    range = RangeOfValues(from, values.num_elements(), bound);
  });
  return range;
}

Status NegativeValue() {
  return InvalidArgument("Input values must all be non-negative");
}

StatusOr<RowValues> DenseRows(const Tensor& values) {
  if (values.rank() != 1 && values.rank() != 2) {
    return InvalidArgument("Input must be a 1 or 2-dimensional tensor. Got: {}",
                           values.shape().DebugString());
  }
  RowValues r{.values = &values, .is_matrix = values.rank() == 2};
  r.in = {.n = values.num_elements()};
  if (r.is_matrix) {
    r.in.rows = values.dim(0);
    r.in.width = values.dim(1);
  }
  return r;
}

StatusOr<RowValues> SparseRows(const Tensor& indices, const Tensor& values,
                               const Tensor& dense_shape) {
  if (indices.rank() != 2 || values.rank() != 1 || dense_shape.rank() != 1 ||
      indices.dim(0) != values.dim(0) || indices.dim(1) != dense_shape.dim(0)) {
    return InvalidArgument(
        "indices, values and dense_shape are of no sparse tensor: their "
        "shapes are {}, {} and {}",
        indices.shape().DebugString(), values.shape().DebugString(),
        dense_shape.shape().DebugString());
  }
  const int64_t rank = dense_shape.dim(0);
  if (rank != 1 && rank != 2) {
    return InvalidArgument(
        "Sparse values must be of rank 1 or 2. dense_shape has {} elements",
        rank);
  }
  RowValues r{.values = &values, .is_matrix = rank == 2};
  r.in = {.n = values.num_elements()};
  const std::span<const int64_t> sizes = dense_shape.flat<int64_t>();
  if (r.is_matrix) {
    r.in.rows = sizes[0];
    r.in.places = indices.data<int64_t>();
  }
  if (r.in.rows < 0) {
    return InvalidArgument("dense_shape has a negative dimension: {}",
                           r.in.rows);
  }
  const Places places{indices.data<int64_t>(), r.in.n, rank};
  if (const int64_t i = FirstOutside(places, sizes); i >= 0) {
    const bool first = places[i][0] < 0 || places[i][0] >= sizes[0];
    const int64_t d = first ? 0 : 1;
    return InvalidArgument(
        "Sparse index {} of value {} is out of bounds: it is not in [0, {})",
        places[i][d], i, sizes[d]);
  }
  return r;
}

StatusOr<RowValues> RaggedRows(const Tensor& splits, const Tensor& values) {
  if (splits.num_elements() == 0) {
    return InvalidArgument("Splits must have at least one element");
  }
  RowValues r{.values = &values, .is_matrix = true};
  const std::span<const int64_t> ends = splits.flat<int64_t>();
  r.in = {.n = values.num_elements(),
          .rows = splits.num_elements() - 1,
          .splits = ends.data()};
  if (ends.front() != 0) {
    return InvalidArgument("Splits must start with 0, not with {}",
                           ends.front());
  }
  if (ends.back() != r.in.n) {
    return InvalidArgument(
        "Splits must end with the number of values, got {} instead of {}",
        ends.back(), r.in.n);
  }
  TurnPoll poll;
  for (int64_t row = 0; row < r.in.rows; ++row) {
    poll();
    if (ends[row + 1] < ends[row]) {
      return InvalidArgument("Splits must not fall, but {} follows {}",
                             ends[row + 1], ends[row]);
    }
  }
  return r;
}

Status CheckWeights(const RowValues& r, const Tensor& weights) {
  const int64_t n = weights.num_elements();
  if (n == 0 || n >= r.in.n) return OkStatus();
  return InvalidArgument(
      "Weights and values must have the same shape. There are {} weights for "
      "{} values",
      n, r.in.n);
}

template <class T>
const T* WeightsOf(const Tensor& weights) {
  return weights.num_elements() > 0 ? weights.data<T>() : nullptr;
}

bool VisitCounts(DataType dtype, auto&& visit) {
  return VisitType<int32_t, int64_t, float, double>(dtype, visit);
}

// --- Into dense bins: values beyond them are dropped.

Status NegativeSize(int64_t size) {
  return InvalidArgument("size ({}) must be non-negative", size);
}

constexpr char kNegativeArr[] = "Input arr must be non-negative!";

// How many bins; kUnknownDim where only the run will tell.
StatusOr<int64_t> KnownSize(InferenceContext& c, int input) {
  PartialTensorShape scalar;
  GK_RETURN_IF_ERROR(c.WithRank(input, 0, &scalar));
  const auto value = c.ValueAsInts(input);
  if (!value || value->size() != 1) return kUnknownDim;
  const int64_t size = (*value)[0];
  if (size < 0) return NegativeSize(size);
  return size;
}

StatusOr<int64_t> SizeOf(const Tensor& input) {
  if (input.rank() != 0) {
    return InvalidArgument("Shape must be rank 0 but is rank {}: size",
                           input.rank());
  }
  int64_t size = 0;
  GK_RETURN_IF_ERROR(IntegerValue(input, "size", &size));
  if (size < 0) return NegativeSize(size);
  return size;
}

// The bins are `shape`, `size` in each row. `negative` is what is said of
// negative values.
Status FillBins(KernelContext& c, const Tensor& values, const CountedRows& in,
                const TensorShape& shape, int64_t size, bool binary,
                const Tensor& weights, const char* negative) {
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, weights.dtype(), shape, &out));
  ZeroElements(out);
  bool any_negative = false;
  const bool known = VisitCounts(weights.dtype(), [&](auto tag) {
    using T = decltype(tag);
    VisitValues(values, [&](const auto* from) {
      any_negative = CountIntoBins(from, in, size, binary,
                                   WeightsOf<T>(weights), out->data<T>());
    });
  });
  if (any_negative) return InvalidArgument("{}", negative);
  return known ? OkStatus() : c.NoKernel();
}

Status CountAllIntoBins(KernelContext& c, int64_t size, bool binary) {
  const Tensor &x = c.input(0), &weights = c.input(2);
  if (!binary && weights.num_elements() == 0) {
    Tensor* out;
    GK_RETURN_IF_ERROR(
        c.Allocate(0, weights.dtype(), TensorShape({size}), &out));
    ZeroElements(out);
    bool negative = false;
    const bool known = VisitCounts(weights.dtype(), [&](auto tag) {
      VisitType<int32_t, int64_t>(x.dtype(), [&](auto value) {
        negative = CountPlain(x.data<decltype(value)>(), x.num_elements(), size,
                              out->data<decltype(tag)>()) < 0;
      });
    });
    if (negative) return InvalidArgument("{}", kNegativeArr);
    return known ? OkStatus() : c.NoKernel();
  }
  return FillBins(c, x, {.n = x.num_elements()}, TensorShape({size}), size,
                  binary, weights, kNegativeArr);
}

Status ComputeBincount(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const int64_t size, SizeOf(c.input(1)));
  const int64_t weights = c.input(2).num_elements();
  if (weights != 0 && weights != c.input(0).num_elements()) {
    return InvalidArgument(
        "Input indices and weights must have the same size.");
  }
  return CountAllIntoBins(c, size, false);
}

Status ComputeDenseBins(KernelContext& c) {
  const Tensor &x = c.input(0), &weights = c.input(2);
  GK_ASSIGN_OR_RETURN(const int64_t size, SizeOf(c.input(1)));
  if (x.rank() > 2) {
    return InvalidArgument("Shape must be at most rank 2 but is rank {}",
                           x.rank());
  }
  if (!(weights.shape() == x.shape()) && weights.num_elements() != 0) {
    return InvalidArgument(
        "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in "
        "which case it acts as all weights equal to 1. Received {}",
        weights.shape().DebugString());
  }
  const bool binary = c.attr<bool>("binary_output");
  if (x.rank() < 2) return CountAllIntoBins(c, size, binary);
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make({{x.dim(0), size}}));
  return FillBins(c, x,
                  {.n = x.num_elements(), .rows = x.dim(0), .width = x.dim(1)},
                  shape, size, binary, weights, kNegativeArr);
}

Status CountRowsIntoBins(KernelContext& c, const StatusOr<RowValues>& read,
                         const Tensor& size_input, const Tensor& weights) {
  GK_RETURN_IF_ERROR(read.status());
  const RowValues& r = *read;
  GK_RETURN_IF_ERROR(CheckWeights(r, weights));
  GK_ASSIGN_OR_RETURN(const int64_t size, SizeOf(size_input));
  TensorShape shape({size});
  if (r.is_matrix) {
    GK_ASSIGN_OR_RETURN(shape, TensorShape::Make({{r.in.rows, size}}));
  }
  return FillBins(c, *r.values, r.in, shape, size,
                  c.attr<bool>("binary_output"), weights,
                  "Input must be non-negative");
}

Status ComputeRaggedBins(KernelContext& c) {
  return CountRowsIntoBins(c, RaggedRows(c.input(0), c.input(1)), c.input(2),
                           c.input(3));
}

Status ComputeSparseBins(KernelContext& c) {
  return CountRowsIntoBins(c, SparseRows(c.input(0), c.input(1), c.input(2)),
                           c.input(3), c.input(4));
}

Status BincountShape(InferenceContext& c) {
  GK_ASSIGN_OR_RETURN(const int64_t size, KnownSize(c, 1));
  c.set_output(0, {size});
  return OkStatus();
}

Status DenseBinsShape(InferenceContext& c) {
  GK_ASSIGN_OR_RETURN(const int64_t size, KnownSize(c, 1));
  const PartialTensorShape& x = c.input(0);
  if (x.unknown_rank()) return OkStatus();
  if (x.rank() > 2) {
    return InvalidArgument("Shape must be at most rank 2 but is rank {}",
                           x.rank());
  }
  if (x.rank() == 2) {
    c.set_output(0, {x.dim(0), size});
  } else {
    c.set_output(0, {size});
  }
  return OkStatus();
}

Status RaggedBinsShape(InferenceContext& c) {
  PartialTensorShape splits;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &splits));
  GK_ASSIGN_OR_RETURN(const int64_t size, KnownSize(c, 2));
  const int64_t n = splits.dim(0);
  if (n == 0) {
    return InvalidArgument("Splits must be non-empty");
  }
  c.set_output(0, {n < 0 ? kUnknownDim : n - 1, size});
  return OkStatus();
}

Status SparseBinsShape(InferenceContext& c) {
  GK_ASSIGN_OR_RETURN(const int64_t size, KnownSize(c, 3));
  const PartialTensorShape& dense_shape = c.input(2);
  if (dense_shape.unknown_rank() || dense_shape.rank() != 1 ||
      dense_shape.dim(0) < 0) {
    return OkStatus();
  }
  if (dense_shape.dim(0) == 1) {
    c.set_output(0, {size});
  } else if (dense_shape.dim(0) == 2) {
    const auto known = c.ValueAsInts(2);
    c.set_output(0,
                 {known && (*known)[0] >= 0 ? (*known)[0] : kUnknownDim, size});
  } else {
    return InvalidArgument("Input must be at most of rank 2 but is of rank {}",
                           dense_shape.dim(0));
  }
  return OkStatus();
}

// --- Into a sparse tensor of what occurs.

Status CountWhatOccurs(KernelContext& c, const StatusOr<RowValues>& read,
                       const Tensor& weights) {
  GK_RETURN_IF_ERROR(read.status());
  const RowValues& r = *read;
  GK_RETURN_IF_ERROR(CheckWeights(r, weights));
  const int64_t min_length = c.attr<int64_t>("minlength");
  const int64_t max_length = c.attr<int64_t>("maxlength");
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const ValueRange range =
      RangeOf(*r.values, max_length >= 0 ? max_length : kMost);
  if (range.negative) return NegativeValue();
  if (max_length < 0 && range.kept < r.in.n) {
    return InvalidArgument("Input value {} is too large", kMost);
  }
  const int64_t largest = range.largest;
  const auto allocate = [&](int64_t n, Tensor** indices,
                            Tensor** counts) -> Status {
    const int64_t rank = r.is_matrix ? 2 : 1;
    GK_RETURN_IF_ERROR(
        c.Allocate(0, DataType::kInt64, TensorShape({n, rank}), indices));
    GK_RETURN_IF_ERROR(
        c.Allocate(1, weights.dtype(), TensorShape({n}), counts));
    Tensor* dense_shape;
    GK_RETURN_IF_ERROR(
        c.Allocate(2, DataType::kInt64, TensorShape({rank}), &dense_shape));
    int64_t* const sizes = dense_shape->data<int64_t>();
    sizes[0] = r.in.rows;
    sizes[rank - 1] =
        max_length >= 0 ? max_length : std::max(largest + 1, min_length);
    return OkStatus();
  };
  const bool binary = c.attr<bool>("binary_output");
  // A table of all numbers, looked through after each row, unless rows have
  // few.
  int64_t all;
  if (range.kept > 256 && largest < std::numeric_limits<int32_t>::max() &&
      !__builtin_mul_overflow(r.in.rows, largest / 8 + 1, &all) &&
      all <= 4 * range.kept && largest <= 16 * range.kept && r.in.InOrder()) {
    bool known = false;
    Status status;
    VisitCounts(weights.dtype(), [&](auto tag) {
      using T = decltype(tag);
      known = true;
      const auto found = std::make_unique_for_overwrite<int64_t[]>(range.kept);
      const auto sums = std::make_unique_for_overwrite<T[]>(range.kept);
      std::vector<int64_t> ends(r.in.rows);
      VisitValues(*r.values, [&](const auto* values) {
        CountRowByRow(values, r.in, largest + 1, binary, WeightsOf<T>(weights),
                      found.get(), sums.get(), ends.data());
      });
      Tensor *indices, *counts;
      status = allocate(ends.back(), &indices, &counts);
      if (!status.ok()) return;
      std::copy_n(sums.get(), ends.back(), counts->data<T>());
      int64_t* place = indices->data<int64_t>();
      TurnPoll poll;
      for (int64_t row = 0, k = 0; row < r.in.rows; ++row) {
        for (; k < ends[row]; ++k) {
          poll();
          if (r.is_matrix) *place++ = row;
          *place++ = found[k];
        }
      }
    });
    return known ? status : c.NoKernel();
  }
  std::vector<int64_t> rows(r.in.n), values;
  GK_RETURN_IF_ERROR(IntegerValues(*r.values, &values));
  r.in.Visit([&](int64_t row, int64_t first, int64_t end) {
    std::fill(rows.begin() + first, rows.begin() + end, row);
  });
  std::vector<size_t> order;
  order.reserve(range.kept);
  for (size_t i = 0; i < values.size(); ++i) {
    if (max_length < 0 || values[i] < max_length) order.push_back(i);
  }
  const auto key = [&](size_t i) { return std::pair(rows[i], values[i]); };
  TurnPoll poll;
  // Weights are added in the order in which they are given.
  uint64_t most;
  if (order.size() > 256 &&
      !__builtin_mul_overflow(static_cast<uint64_t>(r.in.rows),
                              static_cast<uint64_t>(largest) + 1, &most)) {
    std::vector<uint64_t> keys(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      const auto [row, value] = key(order[i]);
      keys[i] = static_cast<uint64_t>(row) * (largest + 1) + value;
    }
    std::vector<size_t> sorted(order.size());
    std::ranges::transform(OrderOfKeys(keys), sorted.begin(),
                           [&](int64_t k) { return order[k]; });
    order.swap(sorted);
  } else {
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      poll();
      return key(a) < key(b);
    });
  }
  std::vector<size_t> first;  // in `order`, of each value of each row
  for (size_t i = 0; i < order.size(); ++i) {
    poll();
    if (i == 0 || key(order[i]) != key(order[i - 1])) first.push_back(i);
  }
  const auto n = static_cast<int64_t>(first.size());
  const int64_t rank = r.is_matrix ? 2 : 1;
  Tensor *indices, *counts;
  GK_RETURN_IF_ERROR(allocate(n, &indices, &counts));
  for (int64_t k = 0; k < n; ++k) {
    poll();
    const auto [row, value] = key(order[first[k]]);
    indices->data<int64_t>()[k * rank] = row;
    indices->data<int64_t>()[k * rank + rank - 1] = value;
  }
  const bool known = VisitCounts(weights.dtype(), [&](auto tag) {
    using T = decltype(tag);
    CountRuns<T>(order, first, binary, WeightsOf<T>(weights),
                 counts->data<T>());
  });
  return known ? OkStatus() : c.NoKernel();
}

Status CheckSameShape(const Tensor& weights, const Tensor& values) {
  if (weights.num_elements() == 0 || weights.shape() == values.shape()) {
    return OkStatus();
  }
  return InvalidArgument(
      "Weights and values must have the same shape. Weight shape: {}; values "
      "shape: {}",
      weights.shape().DebugString(), values.shape().DebugString());
}

Status ComputeDenseCount(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckSameShape(c.input(1), c.input(0)));
  return CountWhatOccurs(c, DenseRows(c.input(0)), c.input(1));
}

Status ComputeSparseCount(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckSameShape(c.input(3), c.input(1)));
  const Tensor& sizes = c.input(2);
  if (sizes.rank() == 1 && sizes.dim(0) > 1) {
    const auto rows = static_cast<int32_t>(sizes.data<int64_t>()[0]);
    if (rows <= 0 || rows == INT32_MAX) {
      return InvalidArgument("Cannot allocate {} batches", rows);
    }
  }
  return CountWhatOccurs(c, SparseRows(c.input(0), c.input(1), c.input(2)),
                         c.input(3));
}

Status ComputeRaggedCount(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckSameShape(c.input(2), c.input(1)));
  return CountWhatOccurs(c, RaggedRows(c.input(0), c.input(1)), c.input(2));
}

void SetCountShapes(InferenceContext& c, int64_t rank) {
  c.set_output(0, {kUnknownDim, rank});
  c.set_output(1, {kUnknownDim});
  c.set_output(2, {rank});
}

Status DenseCountShape(InferenceContext& c) {
  const PartialTensorShape& values = c.input(0);
  if (!values.unknown_rank() && values.rank() != 1 && values.rank() != 2) {
    return InvalidArgument("Shape must be of rank 1 or 2 but is of rank {}",
                           values.rank());
  }
  SetCountShapes(c, values.unknown_rank() ? kUnknownDim : values.rank());
  return OkStatus();
}

Status SparseCountShape(InferenceContext& c) {
  const PartialTensorShape& indices = c.input(0);
  const bool known = !indices.unknown_rank() && indices.rank() == 2;
  SetCountShapes(c, known ? indices.dim(1) : kUnknownDim);
  return OkStatus();
}

Status RaggedCountShape(InferenceContext& c) {
  SetCountShapes(c, 2);
  return OkStatus();
}

constexpr char kBinAttrs[] =
    "Tidx: type in [int32, int64]; T: type in [int32, int64, float, double]; "
    "binary_output: bool = False";
constexpr char kCountAttrs[] =
    "T: type in [int32, int64]; minlength: int >= -1 = -1; maxlength: int >= "
    "-1 = -1; binary_output: bool; output_type: type in [int32, int64, float, "
    "double]";
constexpr char kCountOutputs[] =
    "output_indices: int64; output_values: output_type; output_dense_shape: "
    "int64";

const OpRecord kRecords[] = {
    {.name = "Bincount",
     .inputs = "arr: int32; size: int32; weights: T",
     .outputs = "bins: T",
     .attrs = "T: type in [int32, int64, float, double]",
     .shape = BincountShape,
     .kernel = {.compute = ComputeBincount},
     .doc = "How often each of the integers below size appears, or the sums "
            "of their weights."},

    {.name = "DenseBincount",
     .inputs = "input: Tidx; size: Tidx; weights: T",
     .outputs = "output: T",
     .attrs = kBinAttrs,
     .shape = DenseBinsShape,
     .kernel = {.compute = ComputeDenseBins},
     .doc = "How often each of the integers below size appears in each row."},

    {.name = "RaggedBincount",
     .inputs = "splits: int64; values: Tidx; size: Tidx; weights: T",
     .outputs = "output: T",
     .attrs = kBinAttrs,
     .traits = kNoGradient,
     .shape = RaggedBinsShape,
     .kernel = {.compute = ComputeRaggedBins},
     .doc = "How often each of the integers below size appears in each row of "
            "a ragged tensor."},

    {.name = "SparseBincount",
     .inputs = "indices: int64; values: Tidx; dense_shape: int64; size: Tidx; "
               "weights: T",
     .outputs = "output: T",
     .attrs = kBinAttrs,
     .traits = kNoGradient,
     .shape = SparseBinsShape,
     .kernel = {.compute = ComputeSparseBins},
     .doc = "How often each of the integers below size appears in each row of "
            "a sparse tensor."},

    {.name = "DenseCountSparseOutput",
     .inputs = "values: T; weights: output_type",
     .outputs = kCountOutputs,
     .attrs = kCountAttrs,
     .traits = kNoGradient,
     .shape = DenseCountShape,
     .kernel = {.compute = ComputeDenseCount},
     .doc = "How often each integer that occurs appears in each row, as a "
            "sparse tensor."},

    {.name = "SparseCountSparseOutput",
     .inputs = "indices: int64; values: T; dense_shape: int64; weights: "
               "output_type",
     .outputs = kCountOutputs,
     .attrs = kCountAttrs,
     .traits = kNoGradient,
     .shape = SparseCountShape,
     .kernel = {.compute = ComputeSparseCount},
     .doc = "How often each integer that occurs appears in each row of a "
            "sparse tensor, as a sparse tensor."},

    {.name = "RaggedCountSparseOutput",
     .inputs = "splits: int64; values: T; weights: output_type",
     .outputs = kCountOutputs,
     .attrs = kCountAttrs,
     .traits = kNoGradient,
     .shape = RaggedCountShape,
     .kernel = {.compute = ComputeRaggedCount},
     .doc = "How often each integer that occurs appears in each row of a "
            "ragged tensor, as a sparse tensor."},
};

}  // namespace

GK_REGISTER_OPS(math_count_rows)

}  // namespace gk
