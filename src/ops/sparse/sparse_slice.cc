// Boxes of sparse tensors, and softmax of their rows.
#include "ops/fn/sparse_slice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/elementwise.h"
#include "kernels/sparse.h"
#include "kernels/sparse_merge.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Neg.h"
#include "ops/fn/Range.h"
#include "ops/fn/Size.h"
#include "ops/fn/SparseDenseCwiseAdd.h"
#include "ops/fn/SparseReduceSum.h"
#include "ops/fn/SparseSliceGrad.h"
#include "ops/fn/Sub.h"
#include "ops/fn/UnsortedSegmentSum.h"
#include "ops/sparse/sparse_parts.h"

namespace gk {
namespace {

// Takes values by number.
Status PickValues(const Tensor& from, std::span<const int64_t> which,
                  Tensor* to) {
  return VisitMoved(from.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    PickRows(static_cast<const T*>(from.raw_data()), which, 1,
             static_cast<T*>(to->raw_data()));
  });
}

// ---- SparseSlice ----

Status SliceShape(InferenceContext& c) {
  SparseShapes in;
  GK_RETURN_IF_ERROR(InferSparseParts(c, 0, &in));
  int64_t rank = in.shape.dim(0);
  for (int i : {3, 4}) {
    PartialTensorShape list;
    GK_RETURN_IF_ERROR(c.WithRank(i, 1, &list));
    GK_RETURN_IF_ERROR(InferenceContext::MergeDims(rank, list.dim(0), &rank));
  }
  c.set_output(0, {kUnknownDim, rank});
  c.set_output(1, {kUnknownDim});
  c.set_output(2, {rank});
  return OkStatus();
}

// How much of a dimension a slice leaves; `start` may be below 0.
int64_t Left(int64_t size, int64_t start, int64_t wanted) {
  if (start >= size) return 0;
  if (start >= 0) return std::min(size - start, wanted);
  // Without overflow: is size - start, larger than size, less than wanted?
  return wanted <= size || wanted - size <= -(start + 1) ? wanted
                                                         : size - start;
}

Status ComputeSlice(KernelContext& c) {
  const Tensor &indices = c.input(0), &values = c.input(1), &shape = c.input(2);
  GK_RETURN_IF_ERROR(CheckSparseParts(indices, values, shape));
  const Places places = PlacesOf(indices);
  for (int i : {3, 4}) {
    if (c.input(i).rank() != 1 || c.input(i).dim(0) != places.rank) {
      return InvalidArgument(
          "Expected {} to be a vector of length {} but got length {}",
          i == 3 ? "start" : "size", places.rank, c.input(i).num_elements());
    }
  }
  const std::span<const int64_t> start = c.input(3).flat<int64_t>(),
                                 sizes = shape.flat<int64_t>();
  std::vector<int64_t> left(places.rank);
  bool nothing = false;
  for (int64_t d = 0; d < places.rank; ++d) {
    const int64_t wanted = c.input(4).data<int64_t>()[d];
    // Of the least size TensorFlow gives the shape of all and no values.
    const bool least = wanted == std::numeric_limits<int64_t>::min();
    if ((wanted < 0 && !least) || sizes[d] < 0) {
      return InvalidArgument("Expected a non-negative size, got {}",
                             std::min(wanted, sizes[d]));
    }
    nothing = nothing || least;
    left[d] = Left(sizes[d], start[d], least ? sizes[d] : wanted);
  }
  GK_RETURN_IF_ERROR(CheckSizes(sizes));
  std::vector<int64_t> which, moved;
  std::vector<int64_t> at(places.rank);
  TurnPoll poll;
  for (int64_t i = 0; i < places.n; ++i) {
    poll();
    bool inside = !nothing;
    for (int64_t d = 0; inside && d < places.rank; ++d) {
      int64_t place;
      inside = !__builtin_sub_overflow(places[i][d], start[d], &place) &&
               place >= 0 && place < left[d];
      at[d] = place;
    }
    if (!inside) continue;
    which.push_back(i);
    moved.insert(moved.end(), at.begin(), at.end());
  }
  const int64_t n = which.size();
  Tensor *out_indices, *out_values, *out_shape;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kInt64,
                                TensorShape({n, places.rank}), &out_indices));
  GK_RETURN_IF_ERROR(
      c.Allocate(1, values.dtype(), TensorShape({n}), &out_values));
  GK_RETURN_IF_ERROR(
      c.Allocate(2, DataType::kInt64, TensorShape({places.rank}), &out_shape));
  std::ranges::copy(moved, out_indices->data<int64_t>());
  std::ranges::copy(left, out_shape->data<int64_t>());
  return PickValues(values, which, out_values);
}

void SliceGradient(GradContext& g) {
  g.Set(1, ops::SparseSliceGrad(g.dy(1), g.x(0), g.x(3), g.y(0)));
}

// ---- SparseSliceGrad ----

Status SliceGradShape(InferenceContext& c) {
  PartialTensorShape indices;
  GK_RETURN_IF_ERROR(c.WithRank(1, 2, &indices));
  c.set_output(0, {indices.dim(0)});
  return OkStatus();
}

Status CheckSliceGrad(const Tensor& grad, const Tensor& in, const Tensor& start,
                      const Tensor& out) {
  if (in.rank() != 2 || out.rank() != 2) {
    return InvalidArgument(
        "Input and output indices should be matrices but received shapes: {} "
        "and {}",
        in.shape().DebugString(), out.shape().DebugString());
  }
  if (grad.rank() != 1) {
    return InvalidArgument(
        "Input backprop_val_grad should be a vector but received shape: {}",
        grad.shape().DebugString());
  }
  if (in.dim(1) != out.dim(1)) {
    return InvalidArgument(
        "The input and output should have the same ndims: got: {} and {}",
        in.dim(1), out.dim(1));
  }
  if (out.dim(0) > in.dim(0)) {
    return InvalidArgument(
        "# rows of output_indices should be not greater than of "
        "input_indices, got {} and {}",
        out.dim(0), in.dim(0));
  }
  if (grad.dim(0) != out.dim(0)) {
    return InvalidArgument(
        "# elements of backprop_val_grad and # rows of output_indices should "
        "match (#nnz of sum): got {} and {}",
        grad.dim(0), out.dim(0));
  }
  if (start.rank() != 1 || start.dim(0) != in.dim(1)) {
    return InvalidArgument(
        "Expected input_start to be a vector of length {} but got length {}",
        in.dim(1), start.num_elements());
  }
  return OkStatus();
}

Status ComputeSliceGrad(KernelContext& c) {
  const Tensor &grad = c.input(0), &in = c.input(1), &start = c.input(2),
               &out_places = c.input(3);
  GK_RETURN_IF_ERROR(CheckSliceGrad(grad, in, start, out_places));
  const Places places = PlacesOf(in);
  const Places slice{out_places.data<int64_t>(), out_places.dim(0),
                     places.rank};
  Tensor* out;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, grad.dtype(), TensorShape({places.n}), &out));
  // Places that come in the order of those they were cut out of, as they do.
  int64_t in_order = 0;
  GK_RETURN_IF_ERROR(VisitMoved(grad.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    in_order = PutWhereFound(static_cast<const T*>(grad.raw_data()), slice,
                             start.data<int64_t>(), places,
                             static_cast<T*>(out->raw_data()));
  }));
  if (in_order == slice.n) return OkStatus();
  // Where the slice's places are in what it was cut out of.
  std::vector<int64_t> back(out_places.num_elements());
  for (size_t k = 0; k < back.size(); ++k) {
    if (__builtin_add_overflow(out_places.data<int64_t>()[k],
                               start.data<int64_t>()[k % places.rank],
                               &back[k])) {
      return InvalidArgument("output_indices[{}] is out of range",
                             k / places.rank);
    }
  }
  std::vector<int64_t> found(slice.n);
  PlaceFinder(places).Find({back.data(), slice.n, places.rank},
                           [&](int64_t i, int64_t at) { found[i] = at; });
  const auto used = std::ranges::count_if(found, [](auto i) { return i >= 0; });
  if (used != std::ssize(found)) {
    return InvalidArgument(
        "Elements of backprop_val_grad aren't all propagated. Num elements:{}, "
        "used: {}; output_indices must be places of input_indices, less "
        "input_start",
        found.size(), used);
  }
  ZeroElements(out);
  return VisitMoved(grad.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    PutElements(static_cast<const T*>(grad.raw_data()), 1, found,
                static_cast<T*>(out->raw_data()));
  });
}

// Of each element of the slice the one that went to its place.
void SliceGradGradient(GradContext& g) {
  const Tensor n = ops::Size(g.x(0), DataType::kInt64),
               one = IntegerConstant(1, DataType::kInt64);
  const Tensor numbers = ops::SparseSliceGrad(
      ops::Range(one, ops::AddV2(n, one), one), g.x(1), g.x(2), g.x(3));
  // Numbers below 0 are of places outside of the slice.
  g.Set(0, ops::UnsortedSegmentSum(g.dy(0), ops::Sub(numbers, one), n));
}

// ---- SparseSplit ----

Status SplitShape(InferenceContext& c) {
  SparseShapes in;
  GK_RETURN_IF_ERROR(InferSparseParts(c, 1, &in));
  const auto n = static_cast<int>(c.attr<int64_t>("num_split"));
  const int64_t rank = in.shape.dim(0);
  for (int i = 0; i < n; ++i) {
    c.set_output(i, {kUnknownDim, rank});
    c.set_output(n + i, {kUnknownDim});
    c.set_output(2 * n + i, {rank});
  }
  return OkStatus();
}

Status CheckSplit(const Tensor& axis, const Tensor& indices,
                  const Tensor& values, const Tensor& shape) {
  if (axis.rank() != 0) {
    return InvalidArgument(
        "Input axis should be a scalar but received shape {}",
        axis.shape().DebugString());
  }
  if (indices.rank() != 2) {
    return InvalidArgument(
        "Input indices should be a matrix but received shape {}",
        indices.shape().DebugString());
  }
  if (values.rank() != 1) {
    return InvalidArgument(
        "Input values should be a vector but received shape {}",
        values.shape().DebugString());
  }
  if (shape.rank() != 1) {
    return InvalidArgument(
        "Input shape should be a vector but received shape {}",
        shape.shape().DebugString());
  }
  return CheckSparseParts(indices, values, shape);
}

Status ComputeSplit(KernelContext& c) {
  const Tensor &indices = c.input(1), &values = c.input(2), &shape = c.input(3);
  GK_RETURN_IF_ERROR(CheckSplit(c.input(0), indices, values, shape));
  const Places places = PlacesOf(indices);
  const std::span<const int64_t> sizes = shape.flat<int64_t>();
  const int64_t given = *c.input(0).data<int64_t>();
  const int axis = NormalAxis(given, static_cast<int>(places.rank));
  if (axis < 0) {
    return InvalidArgument("Input axis should be in range [{}, {}), got {}",
                           -places.rank, places.rank, given);
  }
  const int64_t n = c.attr<int64_t>("num_split");
  if (n < 1 || n > sizes[axis]) {
    return InvalidArgument(
        "Input num_split should be between 1 and the splitting dimension size "
        "({}), got {}",
        sizes[axis], n);
  }
  GK_RETURN_IF_ERROR(CheckSizes(sizes));
  GK_RETURN_IF_ERROR(CheckPlacesInside(places, sizes));
  // The first ones are larger by one, if it does not come out even.
  const int64_t small = sizes[axis] / n, large = sizes[axis] % n;
  const int64_t border = large * (small + 1);
  std::vector<std::vector<int64_t>> which(n);
  TurnPoll poll;
  for (int64_t i = 0; i < places.n; ++i) {
    poll();
    const int64_t at = places[i][axis];
    which[at < border ? at / (small + 1) : large + (at - border) / small]
        .push_back(i);
  }
  for (int64_t k = 0; k < n; ++k) {
    const int64_t count = which[k].size();
    const int64_t first =
        k < large ? k * (small + 1) : border + (k - large) * small;
    Tensor *out_indices, *out_values, *out_shape;
    GK_RETURN_IF_ERROR(c.Allocate(static_cast<int>(k), DataType::kInt64,
                                  TensorShape({count, places.rank}),
                                  &out_indices));
    GK_RETURN_IF_ERROR(c.Allocate(static_cast<int>(n + k), values.dtype(),
                                  TensorShape({count}), &out_values));
    GK_RETURN_IF_ERROR(c.Allocate(static_cast<int>(2 * n + k), DataType::kInt64,
                                  TensorShape({places.rank}), &out_shape));
    int64_t* to = out_indices->data<int64_t>();
    PickRows(places.data, which[k], places.rank, to);
    for (int64_t i = 0; i < count; ++i) to[i * places.rank + axis] -= first;
    std::ranges::copy(sizes, out_shape->data<int64_t>());
    out_shape->data<int64_t>()[axis] = k < large ? small + 1 : small;
    GK_RETURN_IF_ERROR(PickValues(values, which[k], out_values));
  }
  return OkStatus();
}

// ---- SparseSoftmax ----

Status SoftmaxShape(InferenceContext& c) {
  SparseShapes in;
  GK_RETURN_IF_ERROR(InferSparseParts(c, 0, &in));
  c.set_output(0, in.values);
  return OkStatus();
}

Status CheckSoftmax(const Tensor& indices, const Tensor& values,
                    const Tensor& shape) {
  GK_RETURN_IF_ERROR(CheckSparseForms(indices, values, shape, "sp"));
  if (shape.num_elements() < 2) {
    return InvalidArgument(
        "Input should have rank >= 2, but received shape: {}",
        shape.num_elements() == 0 ? 0 : shape.data<int64_t>()[0]);
  }
  if (indices.dim(0) != values.dim(0)) {
    return InvalidArgument(
        "indices and values rows (indexing dimension) must match. (indices = "
        "{}, values = {})",
        indices.dim(0), values.dim(0));
  }
  return CheckSparseParts(indices, values, shape);
}

// One row: the values that `which` names.
template <class T>
void SoftmaxOf(const T* values, std::span<const int64_t> which, T* out) {
  using C = ComputeType<T>;
  C largest = Convert<C>(values[which[0]]), sum = 0;
  for (int64_t i : which) largest = std::max(largest, Convert<C>(values[i]));
  for (int64_t i : which) sum += std::exp(Convert<C>(values[i]) - largest);
  for (int64_t i : which) {
    out[i] = Convert<T>(C(std::exp(Convert<C>(values[i]) - largest) / sum));
  }
}

Status ComputeSoftmax(KernelContext& c) {
  const Tensor &indices = c.input(0), &values = c.input(1);
  GK_RETURN_IF_ERROR(CheckSoftmax(indices, values, c.input(2)));
  const Places places = PlacesOf(indices);
  // Which row a value is in does not depend on how many there are.
  GK_RETURN_IF_ERROR(CheckSizes(c.input(2).flat<int64_t>()));
  const std::vector<int64_t> order = RowMajorOrder(places);
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, values.dtype(), values.shape(), &out));
  const auto same_row = [&](int64_t i, int64_t j) {
    return std::equal(places[i].begin(), places[i].end() - 1,
                      places[j].begin());
  };
  const bool known =
      VisitType<float, double, half>(values.dtype(), [&](auto tag) {
        using T = decltype(tag);
        TurnPoll poll;
        for (int64_t k = 0, end; k < places.n; k = end) {
          for (end = k + 1; end < places.n && same_row(order[k], order[end]);
               ++end) {
            poll();
          }
          SoftmaxOf(values.data<T>(), std::span(order).subspan(k, end - k),
                    out->data<T>());
        }
      });
  return known ? OkStatus() : c.NoKernel();
}

void SoftmaxGradient(GradContext& g) {
  const Tensor indices = g.x(0), shape = g.x(2), y = g.y(0), dy = g.dy(0);
  const std::vector<int64_t> last{-1};
  const Tensor sums = ops::SparseReduceSum(indices, ops::Mul(y, dy), shape,
                                           IntegerVector(last), true);
  g.Set(1,
        ops::Mul(ops::SparseDenseCwiseAdd(indices, dy, shape, ops::Neg(sums)),
                 y));
}

const OpRecord kRecords[] = {
    {.name = "SparseSlice",
     .inputs = "indices: int64; values: T; shape: int64; start: int64; size: "
               "int64",
     .outputs = "output_indices: int64; output_values: T; output_shape: int64",
     .attrs = "T: type",
     .shape = SliceShape,
     .kernel = {.compute = ComputeSlice},
     .gradient = SliceGradient,
     .doc = "A box of a sparse tensor, of at most `size` from `start`."},

    {.name = "SparseSliceGrad",
     .inputs = "backprop_val_grad: T; input_indices: int64; input_start: "
               "int64; output_indices: int64",
     .outputs = "val_grad: T",
     .attrs = "T: type in " GK_SPARSE_NUMBERS,
     .shape = SliceGradShape,
     .kernel = {.compute = ComputeSliceGrad},
     .gradient = SliceGradGradient,
     .doc = "The gradient of SparseSlice."},

    {.name = "SparseSplit",
     .inputs = "split_dim: int64; indices: int64; values: T; shape: int64",
     .outputs = "output_indices: num_split * int64; output_values: num_split "
                "* T; output_shape: num_split * int64",
     .attrs = "num_split: int >= 1; T: type",
     .traits = kNoGradient,
     .shape = SplitShape,
     .kernel = {.compute = ComputeSplit},
     .doc = "A sparse tensor cut into pieces along a dimension; the first are "
            "larger by one where it does not come out even."},

    {.name = "SparseSoftmax",
     .inputs = "sp_indices: int64; sp_values: T; sp_shape: int64",
     .outputs = "output: T",
     .attrs = "T: type in [half, float, double]",
     .shape = SoftmaxShape,
     .kernel = {.compute = ComputeSoftmax},
     .gradient = SoftmaxGradient,
     .doc = "Softmax of the elements that each row, along the last dimension, "
            "has."},
};

}  // namespace

GK_REGISTER_OPS(sparse_slice)

}  // namespace gk
