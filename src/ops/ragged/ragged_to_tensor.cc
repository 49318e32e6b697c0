// Ragged rows made dense, or sparse.
#include "ops/fn/ragged_to_tensor.h"

#include <algorithm>
#include <string>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/ragged.h"
#include "ops/broadcast_gradient.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Equal.h"
#include "ops/fn/RaggedTensorToTensor.h"
#include "ops/fn/Range.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Slice.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/fn/UnsortedSegmentSum.h"
#include "ops/fn/ZerosLike.h"
#include "ops/ragged/row_splits.h"

namespace gk {
namespace {

using Kinds = std::vector<std::string>;

// ---- RaggedTensorToTensor: shape, values, default_value, partitions ----

constexpr int kFirstPartition = 3;

Status CheckKinds(const Kinds& kinds, int partitions) {
  for (const std::string& kind : kinds) {
    static constexpr std::string_view kKnown[] = {
        "FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_LENGTHS",
        "ROW_SPLITS",     "ROW_LIMITS",   "ROW_STARTS"};
    if (std::ranges::find(kKnown, kind) == std::end(kKnown)) {
      return InvalidArgument("Unknown string for partition info type: {}",
                             kind);
    }
  }
  if (static_cast<int>(kinds.size()) != partitions || kinds.empty()) {
    return InvalidArgument(
        "row_partition_types has {} elements, row_partition_tensors {}",
        kinds.size(), partitions);
  }
  if (kinds[0] == "VALUE_ROWIDS") {
    return InvalidArgument("Cannot handle VALUE_ROWIDS in first dimension.");
  }
  for (size_t i = 0; i < kinds.size(); ++i) {
    const bool fits =
        i == 0 ? kinds[i] == "FIRST_DIM_SIZE" || kinds[i] == "ROW_SPLITS"
               : kinds[i] == "VALUE_ROWIDS" || kinds[i] == "ROW_SPLITS";
    if (!fits) return InvalidArgument("Cannot handle type {}", kinds[i]);
  }
  return OkStatus();
}

int RaggedRankOf(const Kinds& kinds) {
  return static_cast<int>(kinds.size()) -
         (!kinds.empty() && kinds[0] == "FIRST_DIM_SIZE" ? 1 : 0);
}

Status ToTensorShape(InferenceContext& c) {
  const Kinds kinds = c.attr<Kinds>("row_partition_types");
  GK_RETURN_IF_ERROR(CheckKinds(kinds, c.num_inputs() - kFirstPartition));
  const int ragged_rank = RaggedRankOf(kinds);
  const PartialTensorShape& values = c.input(1);
  if (values.unknown_rank()) return OkStatus();
  PartialTensorShape wanted;
  if (c.input(0).rank() == 1) wanted = c.ValueAsShape(0);
  const int rank = ragged_rank + values.rank();
  if (values.rank() < 1 || (!wanted.unknown_rank() && wanted.rank() != rank)) {
    return OkStatus();  // the kernel says what is wrong
  }
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(0);
  for (int d = 0; d < rank; ++d) {
    const int64_t asked = wanted.unknown_rank() ? kUnknownDim : wanted.dim(d);
    const int64_t own =
        d > ragged_rank ? values.dim(d - ragged_rank) : kUnknownDim;
    out.AddDim(asked >= 0 ? asked : own);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

// A vector of rising row numbers below `rows` as splits.
Status SplitsOfRowids(const Splits& ids, int64_t rows, Splits* splits) {
  splits->assign(rows + 1, 0);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= rows) {
      const std::string_view which = i == 0 ? "current" : "next";
      return InvalidArgument("Got {}_value_rowid={} which is not less than {}",
                             which, ids[i], rows);
    }
    if (i > 0 && ids[i] < ids[i - 1]) {
      return InvalidArgument(
          "row_partition_tensors: value rowids must not fall, but {} follows "
          "{}",
          ids[i], ids[i - 1]);
    }
    ++(*splits)[ids[i] + 1];
  }
  for (int64_t r = 0; r < rows; ++r) (*splits)[r + 1] += (*splits)[r];
  return OkStatus();
}

struct Rows {
  int64_t count = 0;           // of the outermost
  std::vector<Splits> splits;  // the outermost first
};

Status CheckRowSplits(const Splits& splits, int64_t rows) {
  if (static_cast<int64_t>(splits.size()) != rows + 1 || splits[0] != 0 ||
      !std::ranges::is_sorted(splits)) {
    return InvalidArgument("Invalid row split size.");
  }
  return OkStatus();
}

Status ReadPartitions(const KernelContext& c, const Kinds& kinds, Rows* rows) {
  int64_t parents = 0;
  for (size_t i = 0; i < kinds.size(); ++i) {
    Splits given, splits;
    const Tensor& partition = c.input(kFirstPartition + static_cast<int>(i));
    if (partition.rank() != 1 && kinds[i] != "FIRST_DIM_SIZE") {
      return InvalidArgument(
          "row_partition_tensors must be vectors, got shape "
          "{}",
          partition.shape().DebugString());
    }
    GK_RETURN_IF_ERROR(IntegerValues(partition, &given));
    if (i == 0) {
      if (given.empty()) {
        return InvalidArgument(
            "Invalid first partition input. Tensor requires at least one "
            "element.");
      }
      const bool size = kinds[0] == "FIRST_DIM_SIZE";
      parents = rows->count =
          size ? given[0] : static_cast<int64_t>(given.size()) - 1;
      if (parents < 0) {
        return InvalidArgument("row_partition_tensors: a negative size, {}",
                               parents);
      }
      if (size) continue;
    }
    if (kinds[i] == "ROW_SPLITS") {
      GK_RETURN_IF_ERROR(CheckRowSplits(given, parents));
      splits = std::move(given);
    } else {
      GK_RETURN_IF_ERROR(SplitsOfRowids(given, parents, &splits));
    }
    parents = splits.back();
    rows->splits.push_back(std::move(splits));
  }
  return OkStatus();
}

// The sizes that the result is to have, -1 where the rows tell.
Status ReadWanted(const Tensor& shape, const Tensor& values, int ragged_rank,
                  std::vector<int64_t>* wanted) {
  const int rank = ragged_rank + values.rank();
  std::vector<int64_t> given;
  GK_RETURN_IF_ERROR(IntegerValues(shape, &given));
  if (shape.rank() == 0) {
    if (given[0] != -1) {
      return InvalidArgument(
          "The only valid scalar shape tensor is the fully unknown shape "
          "specified as -1.");
    }
    given.assign(rank, -1);
  } else if (shape.rank() != 1) {
    return InvalidArgument("shape must be a vector or -1, got shape {}",
                           shape.shape().DebugString());
  }
  std::string shown;
  for (int64_t d : given) {
    if (d < -1) return InvalidArgument("Dimension {} must be >= -1", d);
    shown += Format("{}{}", shown.empty() ? "" : ",",
                    d < 0 ? std::string("?") : Format("{}", d));
  }
  if (static_cast<int>(given.size()) != rank) {
    return InvalidArgument(
        "rt_input.shape and shape=[{}] are incompatible: rt_input.rank = {} "
        "but shape.rank = {}",
        shown, rank, given.size());
  }
  for (int d = ragged_rank + 1; d < rank; ++d) {
    const int64_t own = values.dim(d - ragged_rank);
    if (given[d] >= 0 && given[d] != own) {
      return InvalidArgument(
          "rt_input.shape and shape=[{0}] are incompatible: rt_input.shape[{1}]"
          " = {2} but shape[{1}] = {3}",
          shown, d, own, given[d]);
    }
    given[d] = own;
  }
  *wanted = std::move(given);
  return OkStatus();
}

Status CheckDefault(const Tensor& otherwise, const Tensor& values) {
  const auto refuse = [&](const std::string& why) {
    return InvalidArgument(
        "default_value.shape={} and rt_input.flat_values.shape={} are "
        "incompatible: {}",
        otherwise.shape().DebugString(), values.shape().DebugString(), why);
  };
  if (otherwise.rank() >= values.rank()) {
    return refuse(
        Format("default_value.rank = {}  must be less than "
               "rt_input.flat_values.rank = {}",
               otherwise.rank(), values.rank()));
  }
  for (int d = 0; d < otherwise.rank(); ++d) {
    const int64_t own = values.dim(values.rank() - otherwise.rank() + d);
    if (otherwise.dim(d) != 1 && otherwise.dim(d) != own) {
      return refuse(Format(
          "default_value.shape[{}] = {} but "
          "rt_input.flat_values.shape[{}] = {}",
          d - otherwise.rank(), otherwise.dim(d), d - otherwise.rank(), own));
    }
  }
  return OkStatus();
}

// Every block of `out` becomes the default, which broadcasts to one.
template <class T>
void FillBlocks(const Tensor& otherwise, std::span<const int64_t> block,
                int64_t elements, T* out, int64_t n) {
  const T* from = static_cast<const T*>(otherwise.raw_data());
  std::vector<int64_t> strides(block.size());
  int64_t apart = 1;
  for (int d = otherwise.rank() - 1; d >= 0; --d) {
    strides[block.size() - otherwise.rank() + d] =
        otherwise.dim(d) == 1 ? 0 : apart;
    apart *= otherwise.dim(d);
  }
  for (int64_t i = 0; i < std::min(elements, n); ++i) {
    int64_t at = 0, rest = i;
    for (size_t d = block.size(); d-- > 0;) {
      at += rest % block[d] * strides[d];
      rest /= block[d];
    }
    out[i] = from[at];
  }
  // What is there already, again and again.
  constexpr int64_t kPiece = 1 << 15;
  for (int64_t i = elements; i < n;) {
    PollInterrupt();
    const int64_t more = std::min(
        {n - i, i, std::max(kPiece / elements, int64_t{1}) * elements});
    if (elements == 1) {
      std::fill_n(out + i, n - i, out[0]);
      break;
    }
    std::copy_n(out, more, out + i);
    i += more;
  }
}

Status ComputeToTensor(KernelContext& c) {
  const Tensor &values = c.input(1), &otherwise = c.input(2);
  const Kinds& kinds = c.attr<Kinds>("row_partition_types");
  GK_RETURN_IF_ERROR(CheckKinds(kinds, c.num_inputs() - kFirstPartition));
  Rows rows;
  GK_RETURN_IF_ERROR(ReadPartitions(c, kinds, &rows));
  GK_RETURN_IF_ERROR(CheckDefault(otherwise, values));
  const int ragged_rank = RaggedRankOf(kinds);
  std::vector<int64_t> sizes;
  GK_RETURN_IF_ERROR(ReadWanted(c.input(0), values, ragged_rank, &sizes));
  const int64_t held =
      rows.splits.empty() ? rows.count : rows.splits.back().back();
  if (held > values.dim(0) && !rows.splits.empty()) {
    return InvalidArgument(
        "row_partition_tensors have {} values, but there are {}", held,
        values.dim(0));
  }
  if (sizes[0] < 0) sizes[0] = rows.count;
  std::vector<int64_t> places(
      rows.splits.empty() ? std::min(rows.count, values.dim(0)) : rows.count);
  for (size_t i = 0; i < places.size(); ++i) {
    places[i] = static_cast<int64_t>(i) < sizes[0] ? i : -1;
  }
  // Of the innermost rows, whose values go one after the other.
  for (int d = 0; d < ragged_rank; ++d) {
    if (sizes[d + 1] < 0) sizes[d + 1] = LongestRow(rows.splits[d]);
    if (d + 1 == ragged_rank) break;
    places = PlacesInRows(places, rows.splits[d], sizes[d + 1]);
  }
  GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(sizes));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, values.dtype(), shape, &out));
  const std::span<const int64_t> block =
      std::span<const int64_t>(sizes).subspan(ragged_rank + 1);
  int64_t elements = 1;
  for (int64_t d : block) elements *= d;
  if (out->num_elements() == 0) return OkStatus();
  return VisitMoved(values.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = static_cast<const T*>(values.raw_data());
    T* to = static_cast<T*>(out->raw_data());
    FillBlocks(otherwise, block, elements, to, out->num_elements());
    if (ragged_rank > 0) {
      PutRows(from, places, rows.splits.back(), sizes[ragged_rank], elements,
              to);
      return;
    }
    TurnPoll poll;
    for (size_t k = 0; k < places.size(); ++k) {
      poll();
      if (places[k] < 0) continue;
      std::copy_n(from + k * elements, elements, to + places[k] * elements);
    }
  });
}

// The number of the value at each place of the result, from 1; 0: the default.
void ToTensorGradient(GradContext& g) {
  const Tensor values = g.x(1), dy = g.dy(0);
  const DataType wide = DataType::kInt64;
  const Tensor one = IntegerConstant(1, wide), zero = IntegerConstant(0, wide);
  const std::vector<int64_t> first{0}, flat{-1};
  const Kinds kinds = g.attr<Kinds>("row_partition_types");
  const int64_t outer = RaggedRankOf(kinds) + 1;
  const Tensor size = ShapeTensor(values, wide);
  const std::vector<int64_t> second{1}, single{1};
  const Tensor inner =
      ops::Slice(size, IntegerVector(second), IntegerVector(flat));
  const Tensor n = ops::Reshape(
      ops::Slice(size, IntegerVector(first), IntegerVector(single)),
      IntegerVector(std::vector<int64_t>{}));
  const std::vector<int64_t> count{outer};
  const Tensor shape =
      g.x(0).partial_shape().rank() == 0
          ? g.x(0)
          : ops::Slice(g.x(0), IntegerVector(first), IntegerVector(count));
  TensorVector partitions;
  for (int i = kFirstPartition; i < g.num_inputs(); ++i) {
    partitions.push_back(g.x(i));
  }
  const Tensor numbers = ops::Reshape(
      ops::RaggedTensorToTensor(shape, ops::Range(one, ops::AddV2(n, one), one),
                                zero, partitions, kinds),
      IntegerVector(flat));
  const Tensor blocks = ops::Reshape(
      dy, ops::ConcatV2(TensorVector{IntegerVector(flat, wide), inner},
                        IntegerConstant(0)));
  if (g.wants(1)) {
    g.Set(1, ops::UnsortedSegmentSum(blocks, ops::Sub(numbers, one), n));
  }
  if (g.wants(2)) {
    // Segment 0: all places that hold the default.
    const Tensor ids =
        ops::SelectV2(ops::Equal(numbers, zero), ops::ZerosLike(numbers),
                      IntegerConstant(-1, wide));
    const Tensor sum =
        ops::Reshape(ops::UnsortedSegmentSum(blocks, ids, one), inner);
    g.Set(2, SumToShape(sum, g.x(2), sum));
  }
}

// ---- RaggedTensorToSparse ----

Status ToSparseShape(InferenceContext& c) {
  const int n = c.num_inputs() - 1;
  for (int i = 0; i < n; ++i) {
    PartialTensorShape splits;
    GK_RETURN_IF_ERROR(c.WithRank(i, 1, &splits));
  }
  const PartialTensorShape& values = c.input(n);
  if (values.unknown_rank()) {
    c.set_output(0, {kUnknownDim, kUnknownDim});
    c.set_output(1, {kUnknownDim});
    c.set_output(2, {kUnknownDim});
    return OkStatus();
  }
  int64_t count = 1;
  for (int d = 0; d < values.rank(); ++d) {
    count =
        count < 0 || values.dim(d) < 0 ? kUnknownDim : count * values.dim(d);
  }
  const int64_t rank = n + values.rank();
  c.set_output(0, {count, rank});
  c.set_output(1, {count});
  c.set_output(2, {rank});
  return OkStatus();
}

Status ComputeToSparse(KernelContext& c) {
  const int n = c.num_inputs() - 1;
  const Tensor& values = c.input(n);
  if (values.rank() < 1) {
    return InvalidArgument("rt_dense_values must be at least a vector, got {}",
                           values.shape().DebugString());
  }
  if (c.input(0).rank() != 1) {
    return InvalidArgument("ragged splits must be a vector, got shape {}",
                           c.input(0).shape().DebugString());
  }
  std::vector<Splits> splits;
  GK_RETURN_IF_ERROR(ReadNestedSplits(c, 0, n, values.dim(0), false, &splits));
  std::vector<int64_t> sizes{static_cast<int64_t>(splits[0].size()) - 1};
  // The bounding box; its inner dimensions are the values'.
  for (const Splits& s : splits) sizes.push_back(LongestRow(s));
  const size_t ragged = sizes.size();
  for (int d = 1; d < values.rank(); ++d) sizes.push_back(values.dim(d));
  // Places are counted below 2**63, or not at all.
  GK_RETURN_IF_ERROR(TensorShape::Make(sizes).status());
  const auto rank = static_cast<int64_t>(sizes.size());
  const int64_t total = values.num_elements();
  Tensor *indices, *shape;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, DataType::kInt64, TensorShape({total, rank}), &indices));
  GK_RETURN_IF_ERROR(
      c.Allocate(2, DataType::kInt64, TensorShape({rank}), &shape));
  PlacesOfValues(splits, std::span(sizes).subspan(ragged),
                 indices->data<int64_t>());
  std::ranges::copy(sizes, shape->data<int64_t>());
  c.set_output(1, values.WithShape(TensorShape({total})));
  return OkStatus();
}

void ToSparseGradient(GradContext& g) {
  const int n = g.num_inputs() - 1;
  g.Set(n, ops::Reshape(g.dy(1), ShapeTensor(g.x(n))));
}

const OpRecord kRecords[] = {
    {.name = "RaggedTensorToTensor",
     .inputs = "shape: Tshape; values: T; default_value: T; "
               "row_partition_tensors: num_row_partition_tensors * Tindex",
     .outputs = "result: T",
     .attrs = "T: type; Tindex: type in [int64, int32]; Tshape: type in "
              "[int64, int32]; num_row_partition_tensors: int >= 1; "
              "row_partition_types: list(string)",
     .shape = ToTensorShape,
     .kernel = {.compute = ComputeToTensor},
     .gradient = ToTensorGradient,
     .doc = "The values of ragged rows in a dense tensor; default_value where "
            "rows are shorter, cut where they are longer."},

    {.name = "RaggedTensorToSparse",
     .inputs = "rt_nested_splits: RAGGED_RANK * Tsplits; rt_dense_values: T",
     .outputs = "sparse_indices: int64; sparse_values: T; sparse_dense_shape: "
                "int64",
     .attrs = "RAGGED_RANK: int >= 1; T: type; Tsplits: type in [int32, "
              "int64] = int64",
     .shape = ToSparseShape,
     .kernel = {.compute = ComputeToSparse},
     .gradient = ToSparseGradient,
     .doc = "The values of ragged rows and where they are in the smallest "
            "dense tensor that holds them."},
};

}  // namespace

GK_REGISTER_OPS(ragged_to_tensor)

}  // namespace gk
