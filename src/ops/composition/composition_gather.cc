// Picking elements: gather, gather_nd, slices, repeat, reverse, sort, search.
#include <algorithm>
#include <optional>

#include "framework/symbolic_tensor.h"
#include "ops/composition.h"
#include "ops/composition/embedding_rows.h"
#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/BroadcastTo.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Cumsum.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Fill.h"
#include "ops/fn/GatherNd.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Invert.h"
#include "ops/fn/LowerBound.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Neg.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Range.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Squeeze.h"
#include "ops/fn/StridedSlice.h"
#include "ops/fn/Sum.h"
#include "ops/fn/Tile.h"
#include "ops/fn/TopKV2.h"
#include "ops/fn/Transpose.h"
#include "ops/fn/UpperBound.h"
#include "ops/fn/Where.h"
#include "ops/subscript.h"

namespace gk {
namespace {

TensorVector Gather(CompositionCall& c) {
  const Tensor &params = c.tensor(0), &indices = c.tensor(1);
  int64_t batch_dims = c.integer(4);
  Tensor axis;
  if (c.get<int64_t>(3)) {
    axis = IndexOf(c.integer(3), c.name("axis"));
  } else if (c.has(3)) {
    axis = c.tensor(3);
  } else {
    // Batches are skipped unless told otherwise.
    axis = IndexOf(batch_dims, c.name("axis"));
  }
  // Along the first dimension there are none, as TensorFlow has it.
  if (const auto known = KnownInts(axis); known && known->front() == 0) {
    batch_dims = 0;
  }
  return {ops::GatherV2(OpName(c.name()), params, indices, axis, batch_dims)};
}

// shape[begin:end], as an op of which partial shapes are known.
Tensor Sizes(const Tensor& shape, int64_t begin, std::optional<int64_t> end) {
  const auto bound = [](int64_t i) {
    return IndicesOf(std::vector<int64_t>{i});
  };
  return ops::StridedSlice(shape, bound(begin), bound(end.value_or(0)),
                           bound(1), 0, end ? 0 : 1);
}

// Batches are folded into the indices: each gets its own row number in front.
TensorVector GatherNd(CompositionCall& c) {
  const Tensor &params = c.tensor(0), &indices = c.tensor(1);
  const int64_t batch_dims = c.integer(2);
  if (batch_dims == 0) {
    return {ops::GatherNd(OpName(c.name()), params, indices, c.text(4))};
  }
  const PartialTensorShape ps = params.partial_shape(),
                           is = indices.partial_shape();
  if (batch_dims < 0 || (!is.unknown_rank() && batch_dims >= is.rank()) ||
      (!ps.unknown_rank() && batch_dims > ps.rank())) {
    throw Error(
        ValueError("batch_dims = {} must be less than the rank of "
                   "indices, {}, and at most that of params",
                   batch_dims, is.rank()));
  }
  const Tensor pshape = ops::Shape(params);
  const Tensor ishape = ops::Shape(indices);
  const Tensor batch = Sizes(ishape, 0, batch_dims);
  const Tensor batch_size = ProductOf(batch);
  const Tensor flat_params =
      ops::Reshape(params, Joined({batch_size, Sizes(pshape, batch_dims, {})}));
  const Tensor inner = Sizes(ishape, batch_dims, -1);
  const Tensor inner_size = ProductOf(inner);
  const Tensor depth = LastOf(ishape);
  const Tensor flat_indices =
      ops::Reshape(indices, Joined({batch_size, inner_size, depth}));
  const Tensor scalar = IntsTensor(std::vector<int64_t>{}, DataType::kInt32);
  const Tensor start = Int32Of(0);
  const Tensor limit = ops::Reshape(batch_size, scalar);
  Tensor rows = ops::Range(start, limit, Int32Of(1));
  const Tensor one = IntsTensor(std::vector<int64_t>{1}, DataType::kInt32);
  rows = ops::Reshape(rows, Joined({batch_size, one, one}));
  rows = ops::BroadcastTo(rows, Joined({batch_size, inner_size, one}));
  if (indices.dtype() != DataType::kInt32) {
    rows = ops::Cast(rows, indices.dtype());
  }
  const Tensor full =
      ops::ConcatV2(TensorVector{rows, flat_indices}, Int32Of(2));
  const Tensor picked = ops::GatherNd(flat_params, full, c.text(4));
  const int64_t n = is.unknown_rank() ? -1 : is.dim(is.rank() - 1);
  const Tensor tail_shape = n < 0 ? Sizes(ops::Shape(picked), 2, {})
                                  : Sizes(pshape, batch_dims + n, {});
  return {ops::Reshape(OpName(c.name()), picked,
                       Joined({batch, inner, tail_shape}))};
}

bool Descending(const CompositionCall& c, int i) {
  if (c.text(i) == "ASCENDING") return false;
  if (c.text(i) == "DESCENDING") return true;
  throw Error(
      ValueError("Argument `direction` should be one of 'ASCENDING' or "
                 "'DESCENDING'. Received: direction={}",
                 c.text(i)));
}

// Sorting is top_k of the whole axis, brought to the end. Values are negated
// for the ascending order; of unsigned and integer types by complement.
TensorVector SortBy(const CompositionCall& c, int64_t axis, bool descending,
                    int output) {
  Tensor x = c.tensor(0);
  const PartialTensorShape s = x.partial_shape();
  if (!s.unknown_rank()) {
    axis = PositiveAxis(axis, s.rank());
    if (axis == s.rank() - 1) axis = -1;
  }
  const bool move = axis != -1;
  Tensor order;
  if (move) {
    order = SwappedWithLast(x, axis);
    x = ops::Transpose(x, order);
  }
  const bool integer = IsInteger(x.dtype());
  const auto flip = [&](const Tensor& t) {
    return integer ? ops::Invert(t) : ops::Neg(t);
  };
  if (!descending) x = flip(x);
  const PartialTensorShape now = x.partial_shape();
  const int64_t size = now.unknown_rank() ? -1 : now.dim(now.rank() - 1);
  const Tensor k =
      size >= 0 ? IndexOf(size) : ops::Squeeze(LastOf(ops::Shape(x)));
  Tensor out = ops::TopKV2(x, k)[output];
  if (output == 0 && !descending) out = flip(out);
  return {move ? ops::Transpose(out, order) : out};
}

TensorVector Sort(CompositionCall& c) {
  return SortBy(c, c.integer(1), Descending(c, 2), 0);
}
TensorVector Argsort(CompositionCall& c) {
  return SortBy(c, c.integer(1), Descending(c, 2), 1);
}

TensorVector SearchSorted(CompositionCall& c) {
  const Tensor &sorted = c.tensor(0), &values = c.tensor(1);
  const std::string& side = c.text(2);
  if (side != "left" && side != "right") {
    throw Error(
        ValueError("Argument `side` must be either 'right' or 'left'. "
                   "Received: `side` = '{}'.",
                   side));
  }
  const Tensor s_shape = ops::Shape(sorted);
  const Tensor v_shape = ops::Shape(values);
  const PartialTensorShape ss = sorted.partial_shape(),
                           vs = values.partial_shape();
  const auto is_scalar = [](const PartialTensorShape& shape) {
    return !shape.unknown_rank() && shape.rank() == 0;
  };
  if (is_scalar(ss) || is_scalar(vs)) {
    throw Error(ValueError("searchsorted needs tensors of rank 1 or more"));
  }
  const auto matrix = [](const Tensor& t, const Tensor& shape) {
    return ops::Reshape(t,
                        Joined({ProductOf(AllButLast(shape)), LastOf(shape)}));
  };
  const Tensor rows = matrix(sorted, s_shape), wanted = matrix(values, v_shape);
  const DataType type = c.type(3);
  const Tensor found = side == "left" ? ops::LowerBound(rows, wanted, type)
                                      : ops::UpperBound(rows, wanted, type);
  return {ops::Reshape(found, v_shape)};
}

// Python's dims[begin:end].
std::vector<int64_t> Part(const PartialTensorShape& shape, int64_t begin,
                          int64_t end) {
  const int64_t rank = shape.rank();
  const auto bound = [&](int64_t i) {
    return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank);
  };
  std::vector<int64_t> dims;
  for (int64_t i = bound(begin); i < bound(end); ++i) {
    dims.push_back(shape.dim(i));
  }
  return dims;
}

Tensor Part(const Tensor& shape, std::optional<int64_t> begin,
            std::optional<int64_t> end) {
  SubscriptEntry entry;
  if (begin) entry.begin = *begin;
  if (end) entry.end = *end;
  return Subscript(shape, {entry});
}

// The dimensions that the mask covers become one, of which it takes some.
TensorVector BooleanMask(CompositionCall& c) {
  const Tensor &x = c.tensor(0), &mask = c.tensor(1);
  const PartialTensorShape xs = x.partial_shape(), ms = mask.partial_shape();
  if (ms.unknown_rank()) {
    throw Error(ValueError(
        "Number of mask dimensions must be specified, even if some "
        "dimensions are None. E.g. shape=[None] is ok, but shape=None is "
        "not."));
  }
  if (ms.rank() == 0) throw Error(ValueError("mask cannot be scalar."));
  const int64_t axis = c.has(2) ? c.integer(2) : 0, end = axis + ms.rank();
  if (!xs.unknown_rank()) {
    const PartialTensorShape covered(Part(xs, axis, end));
    if (!covered.IsCompatibleWith(ms)) {
      throw Error(ValueError("Shapes {} and {} are incompatible",
                             covered.PythonString(), ms.PythonString()));
    }
  }
  const Tensor shape = ops::Shape(x);
  const Tensor flat = ops::Reshape(
      x, Joined({Part(shape, {}, axis), ProductOf(Part(shape, axis, end)),
                 Part(shape, end, {})}));
  const Tensor flat_mask = ops::Reshape(
      mask, IntsTensor(std::vector<int64_t>{-1}, DataType::kInt32));
  const Tensor chosen =
      ops::Squeeze(ops::Where(flat_mask), std::vector<int64_t>{1});
  return {ops::GatherV2(OpName(c.name()), flat, chosen, IndexOf(axis))};
}

TensorVector StridedSlice(CompositionCall& c) {
  const Tensor& begin = c.tensor(1);
  const Tensor strides = c.has(3) ? c.tensor(3) : ops::OnesLike(begin);
  return {ops::StridedSlice(OpName(c.name()), c.tensor(0), begin, c.tensor(2),
                            strides, c.integer(4), c.integer(5), c.integer(6),
                            c.integer(7), c.integer(8))};
}

// Each slice along an axis `count` times; of a graph the shape is known as far
// as that of `x` and the count are.
Tensor RepeatAll(const Tensor& x, const Tensor& count, int64_t axis) {
  const Tensor shape = ops::Shape(x, count.dtype());
  const Tensor before = Part(shape, {}, axis),
               size = Part(shape, axis, axis + 1),
               behind = Part(shape, axis + 1, {});
  const Tensor ones = ops::Fill(IntsTensor({&axis, 1}, DataType::kInt32),
                                IntegerOf(1, count.dtype()));
  const Tensor one = IntsTensor(std::vector<int64_t>{1}, count.dtype());
  const Tensor tiled =
      ops::Tile(ops::ExpandDims(x, IndexOf(axis + 1)),
                Joined({ones, one, count, ops::OnesLike(behind)}));
  const Tensor made =
      ops::Reshape(tiled, Joined({before, ops::Mul(size, count), behind}));
  const PartialTensorShape from = x.partial_shape();
  if (made.is_symbolic() && !from.unknown_rank()) {
    std::vector<int64_t> dims(from.dims().begin(), from.dims().end());
    const auto known = KnownInts(count);
    if (dims[axis] >= 0) dims[axis] = known ? dims[axis] * (*known)[0] : -1;
    const SymbolicTensor* s = SymbolicTensor::Of(made);
    s->source()->RefineShape(s->node(), s->index(), PartialTensorShape(dims));
  }
  return made;
}

TensorVector Repeat(CompositionCall& c) {
  // A scalar is repeated as a vector.
  const bool flat = !c.has(2) || c.tensor(0).partial_shape().rank() == 0;
  const Tensor flat_shape =
      flat ? IndicesOf(std::vector<int64_t>{-1}) : Tensor();
  const Tensor x = flat ? ops::Reshape(c.tensor(0), flat_shape) : c.tensor(0);
  int64_t axis = c.has(2) ? c.integer(2) : 0;
  const PartialTensorShape xs = x.partial_shape();
  if (!xs.unknown_rank()) {
    if (axis < -xs.rank() || axis >= xs.rank()) {
      throw Error(ValueError("axis={0} out of bounds: expected -{1}<=axis<{1}",
                             axis, xs.rank()));
    }
    axis = PositiveAxis(axis, xs.rank());
  } else if (axis < 0) {
    throw Error(ValueError("axis={} needs an `input` of a known rank", axis));
  }
  Tensor repeats = c.tensor(1);
  if (repeats.dtype() != DataType::kInt64) {
    repeats = CastTo(repeats, DataType::kInt32);
  }
  const PartialTensorShape rs = repeats.partial_shape();
  if (rs.rank() > 1) {
    throw Error(
        ValueError("Shape {} must have rank at most 1", rs.PythonString()));
  }
  if (rs.num_elements() == 1) {
    return {RepeatAll(
        x, ops::Reshape(repeats, IndicesOf(std::vector<int64_t>{1})), axis)};
  }
  if (rs.rank() == 1 && !xs.unknown_rank()) {
    const PartialTensorShape along({xs.dim(axis)});
    if (!along.IsCompatibleWith(rs)) {
      throw Error(ValueError("Shapes {} and {} are incompatible",
                             along.PythonString(), rs.PythonString()));
    }
  }
  const Tensor sizes = Part(ops::Shape(x), axis, axis + 1);
  const Tensor counts = ops::BroadcastTo(
      ops::Reshape(repeats, IndicesOf(std::vector<int64_t>{-1})), sizes);
  const Tensor ends = ops::Cumsum(counts, Int32Of(0));
  const Tensor total = ops::Sum(counts, Int32Of(0));
  const Tensor all = ops::Range(IntegerOf(0, total.dtype()), total,
                                IntegerOf(1, total.dtype()));
  const Tensor places =
      CallComposition("searchsorted", {ends, all, std::string("right")})[0];
  return {ops::GatherV2(x, places, IndexOf(axis))};
}

TensorVector EmbeddingLookup(CompositionCall& c) {
  const TensorVector& parts = c.tensors(0);
  const Tensor& ids = c.tensor(1);
  const Tensor rows = RowsOfParts(parts, ids);
  return {c.has(2) ? WithinNorm(c, 2, rows, ids) : rows};
}

const CompositionRecord kRecords[] = {
    {.names = "strided_slice",
     .args = "input_: tensor; begin: tensor(T); end: tensor(T); strides: "
             "tensor(T) = None; begin_mask: int = 0; end_mask: int = 0; "
             "ellipsis_mask: int = 0; new_axis_mask: int = 0; "
             "shrink_axis_mask: int = 0; var: handle = None",
     .scope = "StridedSlice",
     .wraps_op = true,
     .build = StridedSlice,
     .doc = "`input_[begin[0]:end[0]:strides[0], ...]`.\n\nBit i of a mask "
            "says of entry i: it begins at the start (`begin_mask`), ends at "
            "the end (`end_mask`), stands for all dimensions that no entry "
            "names (`ellipsis_mask`), adds a dimension of size 1 "
            "(`new_axis_mask`) or takes one index and drops the dimension "
            "(`shrink_axis_mask`). `strides` are 1 by default; `var`, the "
            "variable sliced, changes nothing.\n\nRaises:\n  "
            "InvalidArgumentError: for begin, end and strides that are not "
            "vectors of the same size, strides of 0 and an index out of "
            "bounds.",
     .example = ">>> tf.strided_slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, 3])"
                ".numpy().tolist()\n[[2, 3], [5, 6]]"},
    {.names = "repeat",
     .args = "input: tensor; repeats: tensor; axis: int = None",
     .scope = "Repeat",
     .build = Repeat,
     .doc = "Repeats each element (or slice along an axis) `repeats` times.",
     .example = ">>> tf.repeat([1, 2], [2, 1]).numpy().tolist()\n"
                "[1, 1, 2]"},
    {.names = "nn.embedding_lookup",
     .args = "params: tensors(parts); ids: tensor; max_norm: native = None",
     .scope = "embedding_lookup",
     .ragged = RaggedForm::kGather,
     .build = EmbeddingLookup,
     .doc = "The rows of `params` that `ids` name.\n\nArgs:\n  params: a "
            "tensor or variable [rows, ...], or a list of them, whose rows "
            "are counted on.\n  ids: integers.\n  max_norm: "
            "rows of a larger norm are scaled down to it.",
     .example = ">>> tf.nn.embedding_lookup(tf.constant([[1.], [2.]]), [1])"
                ".numpy().tolist()\n[[2.0]]"},
    {.names = "boolean_mask",
     .args = "tensor: tensor; mask: tensor; axis: int = None; name: name = "
             "'boolean_mask'",
     .scope = "boolean_mask",
     .build = BooleanMask,
     .doc = "The elements of `tensor` where `mask` holds.\n\nArgs:\n  mask: "
            "of a known rank K >= 1; its shape is that of the dimensions "
            "axis, ..., axis + K - 1 of `tensor`, which become one.\n  axis: "
            "0 unless given.\n\nRaises ValueError for a mask of another "
            "shape, a scalar or one of unknown rank.",
     .example = ">>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy()"
                ".tolist()\n[1, 3]"},
    {.names = "gather",
     .args = "params: tensor; indices: tensor(int32); validate_indices: native "
             "= None; axis: native = None; batch_dims: int = 0",
     .scope = "GatherV2",
     .ragged = RaggedForm::kGather,
     .build = Gather,
     .doc = "The slices of `params` along an axis that `indices` "
            "names.\n\nArgs:\n  indices: integers in [0, params.shape[axis])."
            "\n  axis: batch_dims unless given.\n  batch_dims: leading "
            "dimensions that params and indices share.\n\nRaises "
            "InvalidArgumentError for an index out of range.",
     .example = ">>> tf.gather([5, 6, 7], [2, 0]).numpy().tolist()\n[7, 5]"},
    {.names = "gather_nd",
     .args = "params: tensor; indices: tensor(int32); batch_dims: int = 0; "
             "name: name = None; bad_indices_policy: string = ''",
     .scope = "GatherNd",
     .ragged = RaggedForm::kGatherNd,
     .build = GatherNd,
     .doc = "The elements or slices of `params` at the positions in the last "
            "dimension of `indices`.",
     .example = ">>> tf.gather_nd([[1, 2], [3, 4]], [[1, 0]]).numpy().tolist()"
                "\n[3]"},
    {.names = "sort",
     .args = "values: tensor; axis: int = -1; direction: string = 'ASCENDING'",
     .scope = "sort",
     .build = Sort,
     .doc = "The elements along an axis in order.",
     .example = ">>> tf.sort([3, 1, 2]).numpy().tolist()\n[1, 2, 3]"},
    {.names = "argsort",
     .args = "values: tensor; axis: int = -1; direction: string = "
             "'ASCENDING'; stable: bool = False",
     .scope = "argsort",
     .build = Argsort,
     .doc = "The indices that sort a tensor along an axis; equal elements keep "
            "their order.",
     .example = ">>> tf.argsort([3, 1, 2]).numpy().tolist()\n[1, 2, 0]"},
    {.names = "searchsorted",
     .args = "sorted_sequence: tensor(T); values: tensor(T); side: string = "
             "'left'; out_type: type? = int32",
     .scope = "searchsorted",
     .build = SearchSorted,
     .doc = "Where each of `values` would go into the sorted last dimension "
            "of `sorted_sequence`, before ('left') or after ('right') equal "
            "elements.",
     .example = ">>> tf.searchsorted([1, 3, 5], [2, 5]).numpy().tolist()\n"
                "[1, 2]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_gather)

}  // namespace gk
