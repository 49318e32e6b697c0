// Places of sparse tensors in another order, and in tensors of other shapes.
#include "ops/fn/sparse_order.h"

#include <algorithm>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/search.h"
#include "kernels/sparse.h"
#include "ops/element_moves.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/InvertPermutation.h"
#include "ops/fn/Range.h"
#include "ops/fn/Size.h"
#include "ops/sparse/sparse_parts.h"

namespace gk {
namespace {

// ---- SparseReorder ----

Status ReorderShape(InferenceContext& c) {
  PartialTensorShape indices, values, shape;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &indices));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &values));
  GK_RETURN_IF_ERROR(c.WithRank(2, 1, &shape));
  c.set_output(0, std::move(indices));
  c.set_output(1, std::move(values));
  return OkStatus();
}

Status ComputeReorder(KernelContext& c) {
  const Tensor &indices = c.input(0), &values = c.input(1);
  GK_RETURN_IF_ERROR(CheckSparseParts(indices, values, c.input(2)));
  const Places places{indices.data<int64_t>(), indices.dim(0), indices.dim(1)};
  if (AreRowMajor(places)) {
    c.set_output(0, indices.Alias());
    c.set_output(1, values.Alias());
    return OkStatus();
  }
  const std::vector<int64_t> order = RowMajorOrder(places);
  Tensor *out_indices, *out_values;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, DataType::kInt64, indices.shape(), &out_indices));
  GK_RETURN_IF_ERROR(
      c.Allocate(1, values.dtype(), values.shape(), &out_values));
  PickRows(places.data, order, places.rank, out_indices->data<int64_t>());
  return VisitMoved(values.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    PickRows(static_cast<const T*>(values.raw_data()), order, 1,
             static_cast<T*>(out_values->raw_data()));
  });
}

// Where each value has gone: the numbers of the values, ordered like them.
void ReorderGradient(GradContext& g) {
  const Tensor numbers = ops::Range(IntegerConstant(0, DataType::kInt64),
                                    ops::Size(g.x(1), DataType::kInt64),
                                    IntegerConstant(1, DataType::kInt64));
  const Tensor from = ops::SparseReorder(g.x(0), numbers, g.x(2))[1];
  g.Set(1, ops::GatherV2(g.dy(1), ops::InvertPermutation(from),
                         IntegerConstant(0)));
}

// ---- SparseReshape ----

Status ReshapeShape(InferenceContext& c) {
  PartialTensorShape indices, from, to;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &indices));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &from));
  GK_RETURN_IF_ERROR(c.WithRank(2, 1, &to));
  int64_t rank;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(indices.dim(1), from.dim(0), &rank));
  c.set_output(0, {indices.dim(0), to.dim(0)});
  c.set_output(1, {to.dim(0)});
  return OkStatus();
}

// `to` with the size that is -1, if there is one.
StatusOr<std::vector<int64_t>> FilledIn(std::span<const int64_t> from,
                                        std::span<const int64_t> to) {
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] < 0) {
      return InvalidArgument(
          "size {} of the input must be non-negative, not "
          "{}",
          d, from[d]);
    }
  }
  GK_ASSIGN_OR_RETURN(const int64_t elements, ElementsOf(from));
  std::vector<int64_t> sizes(to.begin(), to.end()), known;
  int64_t open = -1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == -1) {
      if (open >= 0) {
        return InvalidArgument(
            "only one output dimension may be -1, not both {} and {}", open, d);
      }
      open = static_cast<int64_t>(d);
    } else if (sizes[d] < 0) {
      return InvalidArgument("size {} must be non-negative, not {}", d,
                             sizes[d]);
    } else {
      known.push_back(sizes[d]);
    }
  }
  GK_ASSIGN_OR_RETURN(const int64_t product, ElementsOf(known));
  if (open >= 0) {
    if (product == 0) {
      return InvalidArgument(
          "reshape cannot infer the missing input size for an empty tensor "
          "unless all specified input sizes are non-zero");
    }
    sizes[open] = elements / product;
    if (sizes[open] * product != elements) {
      return InvalidArgument(
          "Input to reshape is a SparseTensor with {} dense values, but the "
          "requested shape requires a multiple of {}. input_shape={} "
          "output_shape={}",
          elements, product, ShownSizes(from), ShownSizes(sizes));
    }
  } else if (product != elements) {
    return InvalidArgument(
        "Input to reshape is a tensor with {} dense values, but the requested "
        "shape has {}. input_shape={} output_shape={}",
        elements, product, ShownSizes(from), ShownSizes(sizes));
  }
  return sizes;
}

// Of places that may lie outside of the sizes, as far as numbers go round: the
// quotients and remainders of their flat numbers, which may be negative. No
// size of `to` is 0.
void MoveAnywhere(const Places& places, std::span<const int64_t> from,
                  std::span<const int64_t> to, int64_t* out) {
  TurnPoll poll;
  for (int64_t i = 0; i < places.n; ++i) {
    poll();
    uint64_t flat = 0;
    for (size_t d = 0; d < from.size(); ++d) {
      flat = flat * static_cast<uint64_t>(from[d]) +
             static_cast<uint64_t>(places[i][d]);
    }
    auto rest = static_cast<int64_t>(flat);
    // From the last to the first: the first takes what is left.
    for (size_t d = to.size(); d-- > 1;) {
      out[d] = rest % to[d];
      rest /= to[d];
    }
    if (!to.empty()) out[0] = rest;
    out += to.size();
  }
}

Status ComputeReshape(KernelContext& c) {
  const Tensor &indices = c.input(0), &from = c.input(1), &to = c.input(2);
  if (indices.rank() != 2) return InvalidArgument("Input must be a matrix.");
  if (from.rank() != 1) return InvalidArgument("Input shape must be a vector.");
  if (to.rank() != 1) {
    return InvalidArgument(
        "Target shape should be a vector but received shape "
        "{}",
        to.shape().DebugString());
  }
  if (indices.dim(1) != from.dim(0)) {
    return InvalidArgument("Input tensor rank must match input shape length.");
  }
  const std::span<const int64_t> sizes = from.flat<int64_t>();
  GK_ASSIGN_OR_RETURN(const std::vector<int64_t> wanted,
                      FilledIn(sizes, to.flat<int64_t>()));
  const Places places{indices.data<int64_t>(), indices.dim(0), indices.dim(1)};
  const int64_t bad = FirstOutside(places, sizes);
  if (bad >= 0 && std::ranges::find(wanted, 0) != wanted.end()) {
    return InvalidArgument(
        "indices[{}] = {} is out of bounds: need 0 <= index < {}", bad,
        ShownSizes(places[bad]), ShownSizes(sizes));
  }
  const auto rank = static_cast<int64_t>(wanted.size());
  Tensor *out, *shape;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, DataType::kInt64, TensorShape({places.n, rank}), &out));
  GK_RETURN_IF_ERROR(
      c.Allocate(1, DataType::kInt64, TensorShape({rank}), &shape));
  std::copy(wanted.begin(), wanted.end(), shape->data<int64_t>());
  int64_t* const places_out = out->data<int64_t>();
  if (bad >= 0) {
    MoveAnywhere(places, sizes, wanted, places_out);
    return OkStatus();
  }
  VisitFlatPlaces(places.data, places.n, sizes, false,
                  [&](int64_t first, std::span<const int64_t> flat) {
                    if (rank == 1) {
                      std::ranges::copy(flat, places_out + first);
                    } else {
                      Unravel(flat, wanted, rank, 1, places_out + first * rank);
                    }
                  });
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "SparseReorder",
     .inputs = "input_indices: int64; input_values: T; input_shape: int64",
     .outputs = "output_indices: int64; output_values: T",
     .attrs = "T: type",
     .shape = ReorderShape,
     .kernel = {.compute = ComputeReorder},
     .gradient = ReorderGradient,
     .doc = "The places and values of a sparse tensor row by row."},

    {.name = "SparseReshape",
     .inputs = "input_indices: int64; input_shape: int64; new_shape: int64",
     .outputs = "output_indices: int64; output_shape: int64",
     .attrs = "",
     .traits = kNoGradient,
     .shape = ReshapeShape,
     .kernel = {.compute = ComputeReshape},
     .doc = "Places of the same elements, counted row by row, in a tensor of "
            "another shape; one size may be -1."},
};

}  // namespace

GK_REGISTER_OPS(sparse_order)

}  // namespace gk
