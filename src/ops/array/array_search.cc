// Places of values: in sorted rows, in buckets, in a grid.
#include "ops/fn/array_search.h"

#include <algorithm>
#include <limits>

#include "base/interrupt.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/elementwise.h"
#include "kernels/search.h"
#include "kernels/sort.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

// ---- LowerBound, UpperBound ----

Status BoundShape(InferenceContext& c) {
  PartialTensorShape sorted, values;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &sorted));
  GK_RETURN_IF_ERROR(c.WithRank(1, 2, &values));
  int64_t rows;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(sorted.dim(0), values.dim(0), &rows));
  values.SetDim(0, rows);
  c.set_output(0, std::move(values));
  return OkStatus();
}

template <bool kUpper>
Status ComputeBound(KernelContext& c) {
  const Tensor &sorted = c.input(0), &values = c.input(1);
  const char* names[] = {"sorted_inputs", "values"};
  for (int i = 0; i < 2; ++i) {
    if (c.input(i).rank() != 2) {
      return InvalidArgument(
          "Shape must be rank 2 but is rank {} for `{}` "
          "argument",
          c.input(i).rank(), names[i]);
    }
  }
  if (sorted.dim(0) != values.dim(0)) {
    return InvalidArgument("Leading dim_size of both tensors must match.");
  }
  const DataType index = c.attr<DataType>("out_type");
  if (index == DataType::kInt32 &&
      sorted.dim(1) > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument(
        "trailing dim_size must less than INT_MAX for int32 "
        "output type, was {}",
        sorted.dim(1));
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, index, values.shape(), &out));
  if (values.num_elements() == 0) return OkStatus();
  auto run = [&]<class T>(const T* from, auto less) {
    VisitType<int32_t, int64_t>(index, [&](auto tag) {
      BoundRows<kUpper>(from, values.data<T>(), out->data<decltype(tag)>(),
                        sorted.dim(0), sorted.dim(1), values.dim(1), less);
    });
  };
  const bool known =
      VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
          sorted.dtype(), [&](auto tag) {
            using T = decltype(tag);
            // What is no number is less than nothing and greater than nothing.
            run(sorted.data<T>(), [](const T& a, const T& b) {
              return Convert<ComputeType<T>>(a) < Convert<ComputeType<T>>(b);
            });
          });
  if (known) return OkStatus();
  if (sorted.dtype() == DataType::kString) {
    run(sorted.data<std::string>(), std::less<std::string>());
    return OkStatus();
  }
  return c.NoKernel();
}

// ---- Bucketize ----

Status ComputeBucketize(KernelContext& c) {
  const Tensor& x = c.input(0);
  const auto& bounds = c.attr<std::vector<float>>("boundaries");
  if (!std::is_sorted(bounds.begin(), bounds.end())) {
    return InvalidArgument("Expected sorted boundaries");
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kInt32, x.shape(), &out));
  const bool known =
      VisitType<float, double, int32_t, int64_t>(x.dtype(), [&](auto tag) {
        using T = decltype(tag);
        Bucketize(bounds, x.data<T>(), x.num_elements(), out->data<int32_t>());
      });
  if (known) return OkStatus();
  return c.NoKernel();
}

// ---- UnravelIndex ----

Status UnravelShape(InferenceContext& c) {
  PartialTensorShape dims;
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &dims));
  const PartialTensorShape& indices = c.input(0);
  if (indices.unknown_rank()) return OkStatus();
  if (indices.rank() == 0) {
    c.set_output(0, {dims.dim(0)});
  } else if (indices.rank() == 1) {
    c.set_output(0, {dims.dim(0), indices.dim(0)});
  } else {
    return InvalidArgument("Shape must be at most rank 1 but is rank {}",
                           indices.rank());
  }
  return OkStatus();
}

Status ComputeUnravel(KernelContext& c) {
  const Tensor &indices = c.input(0), &dims_in = c.input(1);
  if (indices.rank() > 1) {
    return InvalidArgument(
        "The indices can only be scalar or vector, got \"{}\"",
        indices.shape().DebugString());
  }
  if (dims_in.rank() != 1) {
    return InvalidArgument("The indices can only be 1-D, got \"{}\"",
                           dims_in.shape().DebugString());
  }
  if (indices.num_elements() == 0) {
    return InvalidArgument("received empty tensor indices");
  }
  std::vector<int64_t> dims, flat;
  GK_RETURN_IF_ERROR(IntegerValues(dims_in, &dims));
  GK_RETURN_IF_ERROR(IntegerValues(indices, &flat));
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) {
      return InvalidArgument("Input dims cannot be negative, but got {}",
                             dims[i]);
    }
    if (dims[i] == 0) {
      return InvalidArgument(
          "Input dims cannot contain a dim of zero, but dims contains zero at "
          "index {}",
          i);
    }
  }
  const int64_t limit = dims_in.dtype() == DataType::kInt32
                            ? std::numeric_limits<int32_t>::max()
                            : std::numeric_limits<int64_t>::max();
  int64_t size = 1;
  for (int64_t d : dims) {
    if (__builtin_mul_overflow(size, d, &size) || size > limit) {
      return InvalidArgument(
          "Input dims product is causing integer overflow: ({})",
          JoinText(dims, " "));
    }
  }
  for (int64_t i : flat) {
    if (i >= size) {
      return InvalidArgument("index is out of bound as with dims");
    }
  }
  const int64_t rank = dims_in.num_elements(), n = indices.num_elements();
  std::vector<int64_t> places(rank * n);
  // An index below zero may be so in the first place only, where it turns.
  Unravel(flat, dims, 1, n, places.data());
  if (rank > 0) {
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = places[i], most = dims[0];
      if (at < 0 || at >= most) places[i] = at % most;
    }
  }
  const TensorShape shape =
      indices.rank() == 0 ? TensorShape({rank}) : TensorShape({rank, n});
  GK_ASSIGN_OR_RETURN(Tensor out,
                      IntegerTensor(dims_in.dtype(), places, shape));
  c.set_output(0, std::move(out));
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "LowerBound",
     .inputs = "sorted_inputs: T; values: T",
     .outputs = "output: out_type",
     .attrs = "T: type; out_type: type in [int32, int64] = int32",
     .traits = kNoGradient,
     .shape = BoundShape,
     .kernel = {.compute = ComputeBound<false>},
     .python = {.converts_first = true},
     .doc = "For each value the first place in the sorted row of the same "
            "number where it could stand."},

    {.name = "UpperBound",
     .inputs = "sorted_inputs: T; values: T",
     .outputs = "output: out_type",
     .attrs = "T: type; out_type: type in [int32, int64] = int32",
     .traits = kNoGradient,
     .shape = BoundShape,
     .kernel = {.compute = ComputeBound<true>},
     .python = {.converts_first = true},
     .doc = "For each value the last place in the sorted row of the same "
            "number where it could stand."},

    {.name = "Bucketize",
     .inputs = "input: T",
     .outputs = "output: int32",
     .attrs = "T: type in [int32, int64, float, double]; boundaries: "
              "list(float)",
     .traits = kNoGradient,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeBucketize},
     .doc = "The number of sorted boundaries that are at most each value."},

    {.name = "UnravelIndex",
     .inputs = "indices: Tidx; dims: Tidx",
     .outputs = "output: Tidx",
     .attrs = "Tidx: type in [int32, int64] = int32",
     .traits = kNoGradient,
     .shape = UnravelShape,
     .kernel = {.compute = ComputeUnravel},
     .python = {.names = "unravel_index"},
     .doc = "The coordinates of flat positions in an array of shape dims.",
     .example = ">>> tf.unravel_index([5], [2, 3]).numpy().tolist()\n[[1], "
                "[2]]"},
};

}  // namespace

GK_REGISTER_OPS(array_search)

}  // namespace gk
