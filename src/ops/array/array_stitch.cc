// Rows dealt out by number, and put together again.
#include "ops/fn/array_stitch.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/stitch.h"
#include "ops/element_moves.h"
#include "ops/fn/DynamicPartition.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/ParallelDynamicStitch.h"
#include "ops/fn/Range.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Size.h"

namespace gk {
namespace {

// Does `data` begin with the dims of `prefix`?
bool StartsWith(const TensorShape& data, const TensorShape& prefix) {
  return data.rank() >= prefix.rank() &&
         std::equal(prefix.dims().begin(), prefix.dims().end(),
                    data.dims().begin());
}

// What follows the first `skip` dims.
std::span<const int64_t> Rest(const TensorShape& s, int skip) {
  return s.dims().subspan(skip);
}

// ---- DynamicStitch ----

Status StitchShape(InferenceContext& c) {
  const int n = c.num_inputs() / 2;
  PartialTensorShape rest;
  bool all_known = true;
  int64_t last = -1;
  for (int i = 0; i < n; ++i) {
    if (auto ids = c.ValueAsInts(i)) {
      for (int64_t id : *ids) last = std::max(last, id);
    } else {
      all_known = false;
    }
    const PartialTensorShape &ids = c.input(i), &data = c.input(n + i);
    if (ids.unknown_rank() || data.unknown_rank()) continue;
    if (data.rank() < ids.rank()) {
      return InvalidArgument("Shape must be at least rank {} but is rank {}",
                             ids.rank(), data.rank());
    }
    for (int k = 0; k < ids.rank(); ++k) {
      int64_t d;
      GK_RETURN_IF_ERROR(
          InferenceContext::MergeDims(data.dim(k), ids.dim(k), &d));
    }
    GK_ASSIGN_OR_RETURN(
        rest,
        rest.MergeWith(PartialTensorShape(data.dims().subspan(ids.rank()))));
  }
  if (rest.unknown_rank()) return OkStatus();
  rest.InsertDim(0, all_known ? last + 1 : kUnknownDim);
  c.set_output(0, std::move(rest));
  return OkStatus();
}

Status ComputeStitch(KernelContext& c) {
  const int n = c.num_inputs() / 2;
  // Of each input's numbers, none of which may be below zero, and of all.
  int32_t last = -1;
  std::vector<int32_t> lowest;
  for (int i = 0; i < n; ++i) {
    const auto range = WidenRange(c.input(i).flat<int32_t>(), {0, last});
    lowest.push_back(range.first);
    last = range.second;
    const TensorShape &ids = c.input(i).shape(), &data = c.input(n + i).shape();
    if (!StartsWith(data, ids)) {
      return InvalidArgument(
          "data[{}].shape = {} does not start with indices[{}].shape = {}", i,
          data.DebugString(), i, ids.DebugString());
    }
    const TensorShape &ids0 = c.input(0).shape(), &data0 = c.input(n).shape();
    if (!std::ranges::equal(Rest(data0, ids0.rank()), Rest(data, ids.rank()))) {
      return InvalidArgument(
          "Need data[0].shape[{}:] = data[{}].shape[{}:], got data[0].shape = "
          "{}, data[{}].shape = {}, indices[0].shape = {}, indices[{}].shape = "
          "{}",
          ids0.rank(), i, ids.rank(), data0.DebugString(), i,
          data.DebugString(), ids0.DebugString(), i, ids.DebugString());
    }
  }
  if (last == std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("Expected a non-negative size, got {}",
                           std::numeric_limits<int32_t>::min());
  }
  InlinedVector<int64_t, 8> dims{int64_t{last} + 1};
  int64_t inner = 1;
  for (int64_t d : Rest(c.input(n).shape(), c.input(0).rank())) {
    dims.push_back(d);
    inner = MultiplyWithoutOverflow(inner, d);
  }
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  for (int i = 0; i < n; ++i) {
    if (lowest[i] < 0) {
      return InvalidArgument("indices[{}] is out of range", i);
    }
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, c.input(n).dtype(), shape, &out));
  // Rows that nothing is put into are zeros. To find out whether there are any
  // takes longer than to write short ones.
  constexpr int64_t kShort = 32;
  bool whole = false;
  if (inner > kShort) {
    std::vector<bool> written(int64_t{last} + 1);
    for (int i = 0; i < n; ++i) {
      MarkIds(c.input(i).flat<int32_t>(), &written);
    }
    whole = std::ranges::count(written, false) == 0;
  }
  if (!whole) ZeroElements(out);
  if (shape.num_elements() == 0) return OkStatus();
  return VisitMoved(out->dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = static_cast<T*>(out->raw_data());
    for (int i = 0; i < n; ++i) {
      PlaceRows(static_cast<const T*>(c.input(n + i).raw_data()),
                c.input(i).flat<int32_t>(), inner, to);
    }
  });
}

void StitchGradient(GradContext& g) {
  const int n = g.num_inputs() / 2;
  for (int i = 0; i < n; ++i) {
    if (!g.wants(n + i)) continue;
    g.Set(n + i, ops::GatherV2(g.dy(0), g.x(i), IntegerConstant(0)));
  }
}

// ---- DynamicPartition ----

Status PartitionShape(InferenceContext& c) {
  const PartialTensorShape &data = c.input(0), &ids = c.input(1);
  if (data.unknown_rank() || ids.unknown_rank()) return OkStatus();
  if (data.rank() < ids.rank()) {
    return InvalidArgument("Shape must be at least rank {} but is rank {}",
                           ids.rank(), data.rank());
  }
  for (int i = 0; i < ids.rank(); ++i) {
    int64_t d;
    GK_RETURN_IF_ERROR(
        InferenceContext::MergeDims(data.dim(i), ids.dim(i), &d));
  }
  PartialTensorShape part(data.dims().subspan(ids.rank()));
  part.InsertDim(0, kUnknownDim);
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, part);
  return OkStatus();
}

Status ComputePartition(KernelContext& c) {
  const Tensor &data = c.input(0), &ids = c.input(1);
  if (!StartsWith(data.shape(), ids.shape())) {
    return InvalidArgument(
        "data.shape must start with partitions.shape, got data.shape = {}, "
        "partitions.shape = {}",
        data.shape().DebugString(), ids.shape().DebugString());
  }
  const int64_t parts = c.num_outputs();
  std::vector<int64_t> sizes(parts);
  const int64_t bad = CountParts(ids.flat<int32_t>(), &sizes);
  if (bad >= 0) {
    return InvalidArgument("partitions{} = {} is not in [0, {})",
                           PositionString(ids.shape(), bad),
                           ids.data<int32_t>()[bad], parts);
  }
  int64_t inner = 1;
  for (int64_t d : Rest(data.shape(), ids.rank())) {
    inner = MultiplyWithoutOverflow(inner, d);
  }
  for (int64_t p = 0; p < parts; ++p) {
    InlinedVector<int64_t, 8> dims{sizes[p]};
    for (int64_t d : Rest(data.shape(), ids.rank())) dims.push_back(d);
    GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    Tensor* out;
    GK_RETURN_IF_ERROR(
        c.Allocate(static_cast<int>(p), data.dtype(), shape, &out));
  }
  if (data.num_elements() == 0) return OkStatus();
  return VisitMoved(data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<T*> to(parts);
    for (int64_t p = 0; p < parts; ++p) {
      to[p] = static_cast<T*>(c.output(static_cast<int>(p)).raw_data());
    }
    DealRows(static_cast<const T*>(data.raw_data()), ids.flat<int32_t>(), inner,
             std::move(to));
  });
}

// The rows' own numbers, dealt out alike, say where gradients belong.
void PartitionGradient(GradContext& g) {
  if (!g.wants(0)) return;
  const Tensor ids = g.x(1), shape = ShapeTensor(ids);
  const Tensor start = IntegerConstant(0);
  const Tensor limit = ops::Size(ids);
  Tensor numbers = ops::Range(start, limit, IntegerConstant(1));
  numbers = ops::Reshape(numbers, shape);
  const TensorVector places =
      ops::DynamicPartition(numbers, ids, g.num_outputs());
  TensorVector parts;
  for (int i = 0; i < g.num_outputs(); ++i) parts.push_back(g.dy(i));
  Tensor dx = ops::ParallelDynamicStitch(places, parts);
  g.Set(0, ops::Reshape(dx, ShapeTensor(g.x(0))));
}

const OpRecord kRecords[] = {
    {.name = "DynamicStitch",
     .inputs = "indices: N * int32; data: N * T",
     .outputs = "merged: T",
     .attrs = "N: int >= 1; T: type",
     .shape = StitchShape,
     .kernel = {.compute = ComputeStitch},
     .gradient = StitchGradient,
     .python = {.names = "dynamic_stitch"},
     .doc = "One tensor of the rows of several: row i of the result is the "
            "one whose index is i, the last one if there are several.",
     .example = ">>> tf.dynamic_stitch([[0, 2], [1]], [[10, 30], "
                "[20]]).numpy().tolist()\n[10, 20, 30]"},

    {.name = "ParallelDynamicStitch",
     .inputs = "indices: N * int32; data: N * T",
     .outputs = "merged: T",
     .attrs = "N: int >= 1; T: type",
     .shape = StitchShape,
     .kernel = {.compute = ComputeStitch},
     .gradient = StitchGradient,
     .doc = "One tensor of the rows of several; indices should differ."},

    {.name = "DynamicPartition",
     .inputs = "data: T; partitions: int32",
     .outputs = "outputs: num_partitions * T",
     .attrs = "num_partitions: int >= 1; T: type",
     .shape = PartitionShape,
     .kernel = {.compute = ComputePartition},
     .gradient = PartitionGradient,
     .python = {.names = "dynamic_partition",
                .ragged = RaggedForm::kDynamicPartition},
     .doc = "The rows of data dealt out to tensors by number.",
     .example = ">>> [p.numpy().tolist() for p in tf.dynamic_partition([10, "
                "20, 30], [0, 1, 0], 2)]\n[[10, 30], [20]]"},
};

}  // namespace

GK_REGISTER_OPS(array_stitch)

}  // namespace gk
