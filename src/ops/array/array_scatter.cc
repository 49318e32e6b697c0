// Writing slices into a tensor at index tuples.
#include "ops/fn/array_scatter.h"

#include <algorithm>

#include "base/interrupt.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/gather.h"
#include "kernels/scatter.h"
#include "ops/element_moves.h"
#include "ops/fn/Equal.h"
#include "ops/fn/GatherNd.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Neg.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/TensorScatterAdd.h"
#include "ops/fn/ZerosLike.h"

namespace gk {
namespace {

// Offsets into a tensor of `shape` for each index tuple; -1 for bad ones
// that the policy lets pass.
struct Targets {
  std::vector<int64_t> offsets;
  int64_t width = 1;
};

// `into_zeros`: of which ScatterNd's errors tell otherwise.
Status FindTargets(KernelContext& c, const Tensor& indices,
                   const Tensor& updates, const TensorShape& shape,
                   bool into_zeros, Targets* out) {
  const std::string& policy = c.attr<std::string>("bad_indices_policy");
  if (!policy.empty() && policy != "DEFAULT" && policy != "ERROR" &&
      policy != "IGNORE") {
    return InvalidArgument("Unknown bad_indices_policy: {}", policy);
  }
  const int batch = indices.rank() - 1;
  if (batch < 0) {
    return InvalidArgument(
        "Indices shape must have rank at least one. "
        "Found:{}",
        indices.shape().DebugString());
  }
  if (updates.rank() == 0) {
    return InvalidArgument(
        "Updates shape must have rank at least one. "
        "Found:{}",
        updates.shape().DebugString());
  }
  const bool nothing =
      indices.num_elements() == 0 && updates.num_elements() == 0;
  if (!nothing && (shape.num_elements() == 0 || indices.num_elements() == 0 ||
                   updates.num_elements() == 0)) {
    return InvalidArgument(
        "Indices and updates specified for empty output shape");
  }
  const int64_t depth = indices.dim(batch);
  if (depth > shape.rank()) {
    return InvalidArgument(
        "The inner dimension of indices ({}) must be at most the rank of the "
        "output shape {}",
        depth, shape.DebugString());
  }
  int64_t rows = 1;
  for (int i = 0; i < batch; ++i) {
    rows *= indices.dim(i);
    if (i < updates.rank() && updates.dim(i) == indices.dim(i)) continue;
    if (into_zeros) {
      return InvalidArgument(
          "Dimensions [0,{0}) of indices[shape={1}] must match dimensions "
          "[0,{0}) of updates[shape={2}]",
          batch, indices.shape().DebugString(), updates.shape().DebugString());
    }
    return InvalidArgument(
        "Outer dimensions of indices and update must match. "
        "Indices shape: {}, updates shape:{}",
        indices.shape().DebugString(), updates.shape().DebugString());
  }
  const int inner = shape.rank() - static_cast<int>(depth);
  bool fits = updates.rank() == batch + inner;
  const bool same_rank = fits;
  for (int i = 0; i < inner; ++i) {
    const int64_t size = shape.dim(static_cast<int>(depth) + i);
    out->width *= size;
    fits = fits && updates.dim(batch + i) == size;
  }
  if (!fits && into_zeros) {
    return InvalidArgument(
        "Dimensions [{},{}) of input[shape={}] must match dimensions [{},{}) "
        "of updates[shape={}]",
        depth, shape.rank(), shape.DebugString(), batch, updates.rank(),
        updates.shape().DebugString());
  }
  if (!same_rank) {
    return InvalidArgument(
        "Inner dimensions of output shape must match inner dimensions of "
        "updates shape. Output: {} updates: {}",
        shape.DebugString(), updates.shape().DebugString());
  }
  if (!fits) {
    return InvalidArgument(
        "The inner {0} dimensions of output.shape={1} must "
        "match the inner {0} dimensions of updates.shape={2}",
        inner, shape.DebugString(), updates.shape().DebugString());
  }
  std::vector<int64_t> values;
  GK_RETURN_IF_ERROR(IntegerValues(indices, &values));
  const auto strides = StridesOf(shape);
  out->offsets.resize(rows);
  const int64_t bad = PlacesOfIndices(
      values.data(), shape.dims().subspan(0, depth), strides, out->offsets);
  if (bad >= 0 && policy != "IGNORE") {
    return InvalidArgument(
        "indices[{}] = [{}] does not index into shape {}", bad,
        JoinText(std::span(values).subspan(bad * depth, depth), ", "),
        shape.DebugString());
  }
  return OkStatus();
}

template <ScatterOp kOp>
Status Accumulate(const Targets& targets, const Tensor& updates, Tensor* out) {
  if constexpr (kOp == ScatterOp::kUpdate) {
    return VisitMoved(out->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      ScatterSlices<kOp, 1>(targets.offsets, targets.width,
                            static_cast<const T*>(updates.raw_data()),
                            static_cast<T*>(out->raw_data()));
    });
  } else {
    auto run = [&](auto tag) {
      using T = decltype(tag);
      ScatterSlices<kOp, 1>(targets.offsets, targets.width, updates.data<T>(),
                            out->data<T>());
    };
    bool known =
        VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                  int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(out->dtype(),
                                                                  run);
    if constexpr (kOp != ScatterOp::kMax && kOp != ScatterOp::kMin) {
      known = known || VisitType<complex64, complex128>(out->dtype(), run);
    }
    if (known) return OkStatus();
    return Unimplemented("Scatter of type {} is not supported",
                         DataTypeString(out->dtype()));
  }
}

// A bool that is added to another is true if one of both is: the larger one.
void AddBools(const Targets& targets, const Tensor& updates, Tensor* out) {
  // Bools are bytes of 0 and 1.
  ScatterSlices<ScatterOp::kMax, 1>(
      targets.offsets, targets.width,
      static_cast<const uint8_t*>(updates.raw_data()),
      static_cast<uint8_t*>(out->raw_data()));
}

// Texts for one place are joined.
void AddTexts(const Targets& targets, const Tensor& updates, Tensor* out) {
  const std::string* from = updates.data<std::string>();
  for (const int64_t offset : targets.offsets) {
    for (int64_t i = 0; i < targets.width; ++i, ++from) {
      if (offset >= 0) out->data<std::string>()[offset + i] += *from;
    }
  }
}

Status ScatterNdShape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1, &s));
  GK_RETURN_IF_ERROR(c.WithRank(2, 1, &s));
  if (const auto dims = c.ValueAsInts(2)) {
    for (const int64_t d : *dims) {
      if (d >= -1) continue;
      return InvalidArgument("Invalid value in tensor used for shape: {}", d);
    }
  }
  c.set_output(0, c.ValueAsShape(2));
  return OkStatus();
}

Status ComputeScatterNd(KernelContext& c) {
  std::vector<int64_t> dims;
  if (c.input(2).rank() != 1) {
    return InvalidArgument("Shape must be a vector");
  }
  GK_RETURN_IF_ERROR(IntegerValues(c.input(2), &dims));
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  const Tensor& updates = c.input(1);
  Targets targets;
  GK_RETURN_IF_ERROR(
      FindTargets(c, c.input(0), updates, shape, true, &targets));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, updates.dtype(), shape, &out));
  ZeroElements(out);
  if (out->dtype() == DataType::kBool) {
    AddBools(targets, updates, out);
    return OkStatus();
  }
  if (out->dtype() == DataType::kString) {
    AddTexts(targets, updates, out);
    return OkStatus();
  }
  if (IsObjectType(out->dtype())) {
    return Accumulate<ScatterOp::kUpdate>(targets, updates, out);
  }
  return Accumulate<ScatterOp::kAdd>(targets, updates, out);
}

Status TensorScatterShape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(1, 1, &s));
  c.set_output(0, c.input(0));
  return OkStatus();
}

template <ScatterOp kOp>
Status ComputeTensorScatter(KernelContext& c) {
  const Tensor &x = c.input(0), &updates = c.input(2);
  Targets targets;
  GK_RETURN_IF_ERROR(
      FindTargets(c, c.input(1), updates, x.shape(), false, &targets));
  // Loops that fill a tensor do so in place.
  const bool in_place = c.MayOverwrite(0);
  Tensor out = x;
  if (!in_place) {
    GK_ASSIGN_OR_RETURN(out, x.Copy());
  }
  GK_RETURN_IF_ERROR(Accumulate<kOp>(targets, updates, &out));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ComputeNonAliasingAdd(KernelContext& c) {
  if (c.input(0).dtype() != DataType::kBool) {
    return ComputeTensorScatter<ScatterOp::kAdd>(c);
  }
  const Tensor &x = c.input(0), &updates = c.input(2);
  Targets targets;
  GK_RETURN_IF_ERROR(
      FindTargets(c, c.input(1), updates, x.shape(), false, &targets));
  GK_ASSIGN_OR_RETURN(Tensor out, x.Copy());
  AddBools(targets, updates, &out);
  c.set_output(0, std::move(out));
  return OkStatus();
}

Tensor GatherNd(const Tensor& x, const Tensor& indices) {
  return ops::GatherNd(x, indices);
}

// The gradient of an extreme goes to what equals it, in equal parts.
void ExtremeGradient(GradContext& g) {
  const Tensor dy = g.dy(0), indices = g.x(1);
  const auto policy = g.attr<std::string>("bad_indices_policy");
  Tensor in_x = CastTo(ops::Equal(g.x(0), g.y(0)), dy.dtype());
  Tensor in_updates = CastTo(
      ops::Equal(g.x(2), ops::GatherNd(g.y(0), indices, policy)), dy.dtype());
  Tensor count = ops::TensorScatterAdd(in_x, indices, in_updates, policy);
  Tensor share = ops::RealDiv(dy, count);
  if (g.wants(0)) g.Set(0, ops::Mul(share, in_x));
  if (g.wants(2)) {
    g.Set(2, ops::Mul(ops::GatherNd(share, indices, policy), in_updates));
  }
}

const OpRecord kRecords[] = {
    {.name = "ScatterNd",
     .inputs = "indices: Tindices; updates: T; shape: Tindices",
     .outputs = "output: T",
     .attrs = "T: type; Tindices: type in [int16, int32, int64]; "
              "bad_indices_policy: string = ''",
     .shape = ScatterNdShape,
     .kernel = {.compute = ComputeScatterNd},
     .gradient =
         [](GradContext& g) {
           if (g.wants(1)) g.Set(1, GatherNd(g.dy(0), g.x(0)));
         },
     .python = {.names = "scatter_nd"},
     .doc = "Zeros of the given shape to which updates are added at index "
            "tuples.",
     .example = ">>> tf.scatter_nd([[1], [3]], [9, 8], [5]).numpy().tolist()\n"
                "[0, 9, 0, 8, 0]"},

    {.name = "TensorScatterUpdate",
     .inputs = "tensor: T; indices: Tindices; updates: T",
     .outputs = "output: T",
     .attrs = "T: type; Tindices: type in [int16, int32, int64, uint16]; "
              "bad_indices_policy: string = ''",
     .traits = kUpdatesInput,
     .shape = TensorScatterShape,
     .kernel = {.compute = ComputeTensorScatter<ScatterOp::kUpdate>},
     .gradient =
         [](GradContext& g) {
           if (g.wants(0)) {
             g.Set(0, ops::TensorScatterUpdate(g.dy(0), g.x(1),
                                               ops::ZerosLike(g.x(2))));
           }
           if (g.wants(2)) g.Set(2, GatherNd(g.dy(0), g.x(1)));
         },
     .python = {.names = "tensor_scatter_nd_update"},
     .doc = "A tensor with the slices at index tuples replaced.",
     .example = ">>> tf.tensor_scatter_nd_update([1, 1, 1], [[0], [2]], [5, "
                "6]).numpy().tolist()\n[5, 1, 6]"},

    {.name = "TensorScatterAdd",
     .inputs = "tensor: T; indices: Tindices; updates: T",
     .outputs = "output: T",
     .attrs = "T: type; Tindices: type in [int32, int64]; bad_indices_policy: "
              "string = ''",
     .traits = kUpdatesInput,
     .shape = TensorScatterShape,
     .kernel = {.compute = ComputeTensorScatter<ScatterOp::kAdd>},
     .gradient =
         [](GradContext& g) {
           if (g.wants(0)) g.Set(0, g.dy(0));
           if (g.wants(2)) g.Set(2, GatherNd(g.dy(0), g.x(1)));
         },
     .python = {.names = "tensor_scatter_nd_add"},
     .doc = "A tensor with updates added to the slices at index tuples.",
     .example = ">>> tf.tensor_scatter_nd_add([1, 1, 1], [[0], [2]], [5, "
                "6]).numpy().tolist()\n[6, 1, 7]"},

    {.name = "ScatterNdNonAliasingAdd",
     .inputs = "input: T; indices: Tindices; updates: T",
     .outputs = "output: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64, bool]; "
              "Tindices: type in [int32, int64]; bad_indices_policy: string = "
              "''",
     .traits = kUpdatesInput,
     .shape = TensorScatterShape,
     .kernel = {.compute = ComputeNonAliasingAdd},
     .gradient =
         [](GradContext& g) {
           if (g.wants(0)) g.Set(0, g.dy(0));
           if (g.wants(2)) g.Set(2, GatherNd(g.dy(0), g.x(1)));
         },
     .doc = "A tensor with updates added to the slices at index tuples; of "
            "bools any one is enough."},

    {.name = "TensorScatterSub",
     .inputs = "tensor: T; indices: Tindices; updates: T",
     .outputs = "output: T",
     .attrs = "T: type; Tindices: type in [int32, int64]; bad_indices_policy: "
              "string = ''",
     .traits = kUpdatesInput,
     .shape = TensorScatterShape,
     .kernel = {.compute = ComputeTensorScatter<ScatterOp::kSub>},
     .gradient =
         [](GradContext& g) {
           if (g.wants(0)) g.Set(0, g.dy(0));
           if (g.wants(2)) {
             g.Set(2, ops::Neg(GatherNd(g.dy(0), g.x(1))));
           }
         },
     .python = {.names = "tensor_scatter_nd_sub"},
     .doc = "A tensor with updates subtracted from the slices at index "
            "tuples.",
     .example = ">>> tf.tensor_scatter_nd_sub([1, 1, 1], [[0], [2]], [5, "
                "6]).numpy().tolist()\n[-4, 1, -5]"},

    {.name = "TensorScatterMax",
     .inputs = "tensor: T; indices: Tindices; updates: T",
     .outputs = "output: T",
     .attrs = "T: type; Tindices: type in [int32, int64]; bad_indices_policy: "
              "string = ''",
     .traits = kUpdatesInput,
     .shape = TensorScatterShape,
     .kernel = {.compute = ComputeTensorScatter<ScatterOp::kMax>},
     .gradient = ExtremeGradient,
     .python = {.names = "tensor_scatter_nd_max"},
     .doc = "A tensor with the slices at index tuples raised to updates.",
     .example = ">>> tf.tensor_scatter_nd_max([1, 9, 1], [[0], [1]], [5, "
                "6]).numpy().tolist()\n[5, 9, 1]"},

    {.name = "TensorScatterMin",
     .inputs = "tensor: T; indices: Tindices; updates: T",
     .outputs = "output: T",
     .attrs = "T: type; Tindices: type in [int32, int64]; bad_indices_policy: "
              "string = ''",
     .traits = kUpdatesInput,
     .shape = TensorScatterShape,
     .kernel = {.compute = ComputeTensorScatter<ScatterOp::kMin>},
     .gradient = ExtremeGradient,
     .python = {.names = "tensor_scatter_nd_min"},
     .doc = "A tensor with the slices at index tuples lowered to updates.",
     .example = ">>> tf.tensor_scatter_nd_min([1, 9, 1], [[0], [1]], [5, "
                "6]).numpy().tolist()\n[1, 6, 1]"},
};

}  // namespace

GK_REGISTER_OPS(array_scatter)

}  // namespace gk
