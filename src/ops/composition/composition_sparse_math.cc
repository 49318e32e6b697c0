// tf.sparse: sums, extremes and parts of sparse tensors.
#include <algorithm>
#include <vector>

#include "ops/composition.h"
#include "ops/composition/sparse_arguments.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Fill.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Identity.h"
#include "ops/fn/Max.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Range.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Size.h"
#include "ops/fn/Slice.h"
#include "ops/fn/SparseAdd.h"
#include "ops/fn/SparseConcat.h"
#include "ops/fn/SparseFillEmptyRows.h"
#include "ops/fn/SparseReduceMax.h"
#include "ops/fn/SparseReduceMaxSparse.h"
#include "ops/fn/SparseReduceSum.h"
#include "ops/fn/SparseReduceSumSparse.h"
#include "ops/fn/SparseReorder.h"
#include "ops/fn/SparseSegmentMean.h"
#include "ops/fn/SparseSegmentMeanWithNumSegments.h"
#include "ops/fn/SparseSegmentSqrtN.h"
#include "ops/fn/SparseSegmentSqrtNWithNumSegments.h"
#include "ops/fn/SparseSegmentSum.h"
#include "ops/fn/SparseSegmentSumWithNumSegments.h"
#include "ops/fn/SparseSlice.h"
#include "ops/fn/SparseSoftmax.h"
#include "ops/fn/SparseSparseMaximum.h"
#include "ops/fn/SparseSparseMinimum.h"
#include "ops/fn/SparseSplit.h"
#include "ops/fn/SparseTensorDenseAdd.h"
#include "ops/fn/SparseToDense.h"
#include "ops/fn/Where.h"

namespace gk {
namespace {

using Kind = RowsValue::Kind;
using Ints = std::vector<int64_t>;

Tensor Row(int64_t value) { return IntegerVector(Ints{value}); }

// ---- Sums and extremes of two ----

TensorVector SparseSum(CompositionCall& c) {
  const RowsValue &a = c.rows(0), &b = c.rows(1);
  if (a.kind != Kind::kSparse && b.kind != Kind::kSparse) {
    throw Error(TypeError(
        "At least one input should be SparseTensor; do you mean to use "
        "tf.add()?"));
  }
  if (a.kind == Kind::kSparse && b.kind == Kind::kSparse) {
    const SparseParts x = SparsePartsOf(a), y = SparsePartsOf(b);
    return ops::SparseAdd(
        x.indices, x.values, x.dense_shape, y.indices, y.values, y.dense_shape,
        ArgumentAs(c, 2, RealType(x.values.dtype()), "threshold"));
  }
  const bool swap = a.kind != Kind::kSparse;
  const SparseParts x = SparsePartsOf(swap ? b : a);
  const RowsValue& dense = swap ? a : b;
  if (dense.kind != Kind::kDense) {
    throw Error(TypeError("A RaggedTensor cannot be added to a SparseTensor"));
  }
  return {ops::SparseTensorDenseAdd(x.indices, x.values, x.dense_shape,
                                    dense.values)};
}

template <auto kOp>
TensorVector SparseExtreme(CompositionCall& c) {
  const SparseParts a = SparsePartsOf(c.rows(0)), b = SparsePartsOf(c.rows(1));
  const TensorVector made =
      kOp(OpName(c.name()), a.indices, a.values, a.dense_shape, b.indices,
          b.values, b.dense_shape);
  return {made[0], made[1], a.dense_shape};
}

// ---- Reductions ----

Tensor AxesOrAll(const CompositionCall& c, int i, const SparseParts& s) {
  if (c.has(i)) return CastTo(c.tensor(i), DataType::kInt32);
  const int64_t rank = s.dense_shape.partial_shape().dim(0);
  if (rank >= 0) {
    Ints all(rank);
    for (int64_t d = 0; d < rank; ++d) all[d] = d;
    return IntegerVector(all);
  }
  return ops::Range(IntegerConstant(0),
                    ops::Size(s.dense_shape, DataType::kInt32),
                    IntegerConstant(1));
}

template <bool kMax>
TensorVector SparseReduced(CompositionCall& c) {
  const SparseParts s = SparsePartsOf(c.rows(0));
  const Tensor axes = AxesOrAll(c, 1, s);
  const bool keep = c.has(2) && c.flag(2);
  const OpName name(c.name());
  if (c.flag(3)) {
    return kMax ? ops::SparseReduceMaxSparse(name, s.indices, s.values,
                                             s.dense_shape, axes, keep)
                : ops::SparseReduceSumSparse(name, s.indices, s.values,
                                             s.dense_shape, axes, keep);
  }
  return {kMax ? ops::SparseReduceMax(name, s.indices, s.values, s.dense_shape,
                                      axes, keep)
               : ops::SparseReduceSum(name, s.indices, s.values, s.dense_shape,
                                      axes, keep)};
}

TensorVector SparseSoftmaxed(CompositionCall& c) {
  const SparseParts s = SparsePartsOf(c.rows(0));
  return {
      s.indices,
      ops::SparseSoftmax(OpName(c.name()), s.indices, s.values, s.dense_shape),
      s.dense_shape};
}

// ---- Parts ----

// All shapes as large as the largest one, but along `axis`.
void ExpandShapes(int64_t axis, TensorVector* shapes) {
  const int64_t rank = (*shapes)[0].partial_shape().dim(0);
  if (rank < 0) {
    throw Error(ValueError(
        "expand_nonconcat_dims needs sparse tensors whose rank is known"));
  }
  const int64_t at = PositiveAxis(axis, static_cast<int>(rank));
  const Tensor largest = ops::Max(ops::Pack(*shapes), IntegerConstant(0));
  const Tensor zero = Row(0), before = Row(at), behind = Row(at + 1);
  for (Tensor& shape : *shapes) {
    shape = ops::ConcatV2(
        TensorVector{ops::Slice(largest, zero, before),
                     ops::Slice(shape, before, Row(1)),
                     ops::Slice(largest, behind, Row(rank - at - 1))},
        IntegerConstant(0));
  }
}

TensorVector SparseJoined(CompositionCall& c) {
  TensorVector indices, values, shapes;
  for (const RowsValue& rows : c.many_rows(1)) {
    const SparseParts s = SparsePartsOf(rows);
    indices.push_back(s.indices);
    values.push_back(s.values);
    shapes.push_back(s.dense_shape);
  }
  if (indices.empty()) {
    throw Error(
        InvalidArgument("sp_inputs must hold at least one SparseTensor"));
  }
  if (indices.size() == 1) return {indices[0], values[0], shapes[0]};
  if (c.flag(2)) ExpandShapes(c.integer(0), &shapes);
  return ops::SparseConcat(OpName(c.name()), indices, values, shapes,
                           c.integer(0));
}

TensorVector SparseParted(CompositionCall& c) {
  const SparseParts s = SparsePartsOf(c.rows(0));
  if (!c.has(1)) throw Error(ValueError("num_split is required"));
  if (!c.has(2)) throw Error(ValueError("axis is required"));
  const TensorVector made =
      ops::SparseSplit(OpName(c.name()), CastTo(c.tensor(2), DataType::kInt64),
                       s.indices, s.values, s.dense_shape, c.integer(1));
  TensorVector parts;
  const size_t n = made.size() / 3;
  for (size_t i = 0; i < n; ++i) {
    parts.insert(parts.end(), {made[i], made[n + i], made[2 * n + i]});
  }
  return parts;
}

TensorVector SparseSliced(CompositionCall& c) {
  const SparseParts s = SparsePartsOf(c.rows(0));
  return ops::SparseSlice(OpName(c.name()), s.indices, s.values, s.dense_shape,
                          c.tensor(1), c.tensor(2));
}

TensorVector EmptyRowsFilled(CompositionCall& c) {
  const SparseParts s = SparsePartsOf(c.rows(0));
  const TensorVector made = ops::SparseFillEmptyRows(
      s.indices, s.values, s.dense_shape,
      ArgumentAs(c, 1, s.values.dtype(), "default_value"));
  return {made[0], made[1], s.dense_shape, made[2]};
}

TensorVector Retained(CompositionCall& c) {
  const SparseParts s = SparsePartsOf(c.rows(0));
  const Tensor& kept = c.tensor(1);
  const PartialTensorShape flags = kept.partial_shape();
  const PartialTensorShape values = s.values.partial_shape();
  if (!flags.unknown_rank() && flags.rank() != 1) {
    throw Error(ValueError("Shape {} must have rank 1", flags.DebugString()));
  }
  if (!flags.unknown_rank() && !values.unknown_rank() && flags.dim(0) >= 0 &&
      values.dim(0) >= 0 && flags.dim(0) != values.dim(0)) {
    throw Error(ValueError("Dimensions {} and {} are not compatible",
                           values.dim(0), flags.dim(0)));
  }
  const Tensor which = ops::Reshape(ops::Where(kept), Row(-1));
  const Tensor axis = IntegerConstant(0);
  return {ops::GatherV2(s.indices, which, axis),
          ops::GatherV2(s.values, which, axis), ops::Identity(s.dense_shape)};
}

// ---- Shapes ----

// No smaller than it was: known now, or asserted when it runs.
Tensor LargerShape(const CompositionCall& c, const SparseParts& s) {
  const Tensor wanted = CastTo(c.tensor(1), DataType::kInt64);
  const PartialTensorShape size = wanted.partial_shape();
  const int64_t rank = s.dense_shape.partial_shape().dim(0);
  if (!size.unknown_rank() && size.rank() != 1) {
    throw Error(ValueError("Shape {} must have rank 1", size.DebugString()));
  }
  if (!size.unknown_rank() && size.dim(0) >= 0 && rank >= 0 &&
      size.dim(0) != rank) {
    throw Error(ValueError("Dimensions {} and {} are not compatible",
                           size.dim(0), rank));
  }
  const auto to = KnownInts(wanted), from = KnownInts(s.dense_shape);
  if (to && from) {
    for (size_t d = 0; d < from->size(); ++d) {
      if ((*from)[d] > (*to)[d]) {
        throw Error(ValueError(
            "Requested new_shape should have dimension sizes >= "
            "sp_input.shape.  Found new_shape ({}), sp_input.shape ({}).",
            TensorShape(*to).DebugString(), TensorShape(*from).DebugString()));
      }
    }
    return wanted;
  }
  CallComposition("debugging.assert_less_equal",
                  {s.dense_shape, wanted,
                   std::string("Requested new_shape should have dimension "
                               "sizes >= sp_input.shape.")});
  return wanted;
}

TensorVector Reset(CompositionCall& c) {
  const SparseParts s = SparsePartsOf(c.rows(0));
  const Tensor indices = ops::Identity(s.indices),
               values = ops::Identity(s.values);
  if (c.has(1)) return {indices, values, LargerShape(c, s)};
  const Tensor last = ops::Max(indices, IntegerConstant(0));
  return {indices, values,
          ops::Maximum(IntegerConstant(0, DataType::kInt64),
                       ops::AddV2(last, ops::OnesLike(s.dense_shape)))};
}

// The last coordinate of each place becomes the value that is there.
TensorVector Indicator(CompositionCall& c) {
  const SparseParts s = SparsePartsOf(c.rows(0));
  const Tensor zero = IntegerConstant(0), ones = Row(1);
  const Tensor size = CastTo(c.tensor(1), DataType::kInt64);
  const int64_t rank = s.dense_shape.partial_shape().dim(0);
  if (rank < 0) {
    throw Error(ValueError(
        "sparse.to_indicator needs a sparse tensor whose rank is known"));
  }
  if (rank == 0) {
    throw Error(ValueError("sp_input must have at least one dimension"));
  }
  const Tensor front = ops::Slice(s.indices, IntegerVector(Ints{0, 0}),
                                  IntegerVector(Ints{-1, rank - 1}));
  const Tensor ids =
      ops::ExpandDims(CastTo(s.values, DataType::kInt64), IntegerConstant(1));
  const Tensor indices =
      ops::ConcatV2(TensorVector{front, ids}, IntegerConstant(1));
  const Tensor shape = ops::ConcatV2(
      TensorVector{ops::Slice(s.dense_shape, Row(0), Row(rank - 1)),
                   ops::Reshape(size, ones)},
      zero);
  const Tensor yes =
      ops::Fill(ops::Shape(s.values), NumberOf(1, DataType::kBool));
  const TensorVector sorted = ops::SparseReorder(indices, yes, shape);
  return {ops::SparseToDense(OpName(c.name()), sorted[0], shape, sorted[1],
                             BlankOf(DataType::kBool), false)};
}

// ---- Segments ----

template <auto kOp, auto kNumbered>
TensorVector PickedSegments(CompositionCall& c) {
  const OpName name(c.name());
  if (!c.has(3)) {
    return {kOp(name, c.tensor(0), c.tensor(1), c.tensor(2), c.flag(5))};
  }
  return {kNumbered(name, c.tensor(0), c.tensor(1), c.tensor(2), c.tensor(3),
                    c.flag(5))};
}

#define PICKED_ARGS                                                    \
  "data: tensor; indices: tensor; segment_ids: tensor; num_segments: " \
  "tensor? = None; name: name = None; sparse_gradient: bool = False"
#define PICKED_DOC                                                        \
  "\n\nArgs:\n  data: rows.\n  indices: which rows, an int32 or int64 "   \
  "vector.\n  segment_ids: sorted; the segment of each index.\n  "        \
  "num_segments: how many segments the result has; else as many as "      \
  "segment_ids name.\n  sparse_gradient: whether the gradient with "      \
  "respect to data is IndexedSlices.\n\nRaises InvalidArgumentError for " \
  "indices out of range and ids that are not sorted."

const CompositionRecord kRecords[] = {
    {.names = "sparse.add",
     .args = "a: rows; b: rows; threshold: native = 0",
     .build = SparseSum,
     .result = "SparseTensor?",
     .doc = "The sum of two sparse tensors of one shape, or of a sparse and a "
            "dense one: then a dense one.\n\n"
            "Args:\n  threshold: sums of two elements of smaller magnitude are "
            "left out.\n\nRaises TypeError if none is sparse.",
     .example = ">>> s = tf.sparse.from_dense([[0, 7], [5, 0]])\n"
                ">>> tf.sparse.add(s, s).values.numpy().tolist()\n"
                "[14, 10]",
     .takes_name = false},
    {.names = "sparse.maximum",
     .args = "sp_a: rows; sp_b: rows",
     .scope = "SparseSparseMaximum",
     .wraps_op = true,
     .build = SparseExtreme<[](auto&&... a) {
       return ops::SparseSparseMaximum(a...);
     }>,
     .result = "SparseTensor",
     .doc = "The larger elements of two sparse tensors of one shape; what is "
            "not there counts as 0.",
     .example = ">>> a = tf.sparse.from_dense([0, 7])\n"
                ">>> b = tf.sparse.from_dense([-1, 9])\n"
                ">>> tf.sparse.maximum(a, b).values.numpy().tolist()\n"
                "[0, 9]"},
    {.names = "sparse.minimum",
     .args = "sp_a: rows; sp_b: rows",
     .scope = "SparseSparseMinimum",
     .wraps_op = true,
     .build = SparseExtreme<[](auto&&... a) {
       return ops::SparseSparseMinimum(a...);
     }>,
     .result = "SparseTensor",
     .doc = "The smaller elements of two sparse tensors of one shape; what is "
            "not there counts as 0.",
     .example = ">>> a = tf.sparse.from_dense([0, 7])\n"
                ">>> b = tf.sparse.from_dense([-1, 9])\n"
                ">>> tf.sparse.minimum(a, b).values.numpy().tolist()\n"
                "[-1, 7]"},
    {.names = "sparse.reduce_sum",
     .args = "sp_input: rows; axis: tensor(int32)? = None; keepdims: bool? = "
             "None; output_is_sparse: bool = False",
     .scope = "SparseReduceSum",
     .wraps_op = true,
     .build = SparseReduced<false>,
     .result = "SparseTensor?",
     .doc = "Sums along axes, of all elements if None; dense, or sparse if "
            "`output_is_sparse`.",
     .example = ">>> s = tf.sparse.from_dense([[0, 7], [5, 1]])\n"
                ">>> tf.sparse.reduce_sum(s, 1).numpy().tolist()\n"
                "[7, 6]"},
    {.names = "sparse.reduce_max",
     .args = "sp_input: rows; axis: tensor(int32)? = None; keepdims: bool? = "
             "None; output_is_sparse: bool = False",
     .scope = "SparseReduceMax",
     .wraps_op = true,
     .build = SparseReduced<true>,
     .result = "SparseTensor?",
     .doc = "The largest of the elements that are there along axes, of all if "
            "None, 0 where there are none; dense, or sparse if "
            "`output_is_sparse`.",
     .example = ">>> s = tf.sparse.from_dense([[0, -7], [5, 1]])\n"
                ">>> tf.sparse.reduce_max(s, 1).numpy().tolist()\n"
                "[-7, 5]"},
    {.names = "sparse.softmax",
     .args = "sp_input: rows",
     .scope = "SparseSoftmax",
     .build = SparseSoftmaxed,
     .result = "SparseTensor",
     .doc = "Softmax of the elements that each row, along the last dimension, "
            "has.",
     .example = ">>> s = tf.sparse.from_dense([[0.0, 3.0], [1.0, 1.0]])\n"
                ">>> tf.sparse.softmax(s).values.numpy().tolist()\n"
                "[1.0, 0.5, 0.5]"},
    {.names = "sparse.concat",
     .args = "axis: int; sp_inputs: many_rows; expand_nonconcat_dims: bool = "
             "False",
     .scope = "SparseConcat",
     .wraps_op = true,
     .build = SparseJoined,
     .result = "SparseTensor",
     .doc =
         "Sparse tensors one after the other along an axis.\n\n"
         "Args:\n  expand_nonconcat_dims: whether their other dimensions may "
         "differ; the result's are the largest.\n\n"
         "Raises InvalidArgumentError if the shapes do not fit.",
     .example = ">>> s = tf.sparse.from_dense([[0, 7], [5, 0]])\n"
                ">>> tf.sparse.concat(1, [s, s]).indices.numpy().tolist()\n"
                "[[0, 1], [0, 3], [1, 0], [1, 2]]"},
    {.names = "sparse.split",
     .args = "sp_input: rows; num_split: int = None; axis: tensor(int64)? = "
             "None",
     .scope = "SparseSplit",
     .wraps_op = true,
     .build = SparseParted,
     .result = "SparseTensors",
     .doc = "A list of the pieces of a sparse tensor cut along an axis; the "
            "first are larger by one where it does not come out even.",
     .example = ">>> s = tf.sparse.from_dense([[0, 7], [5, 0]])\n"
                ">>> [p.values.numpy().tolist() for p in tf.sparse.split(s, 2, "
                "1)]\n[[5], [7]]"},
    {.names = "sparse.slice",
     .args = "sp_input: rows; start: tensor(int64!); size: tensor(int64!)",
     .scope = "SparseSlice",
     .wraps_op = true,
     .build = SparseSliced,
     .result = "SparseTensor",
     .doc = "The box of at most `size` from `start`.",
     .example = ">>> s = tf.sparse.from_dense([[0, 7], [5, 0]])\n"
                ">>> tf.sparse.slice(s, [0, 1], [2, 1]).indices.numpy()."
                "tolist()\n[[0, 0]]"},
    {.names = "sparse.fill_empty_rows",
     .args = "sp_input: rows; default_value: native",
     .scope = "SparseFillEmptyRows",
     .build = EmptyRowsFilled,
     .result = "SparseTensor, Tensor",
     .doc = "The same with `default_value` first in each row without elements, "
            "and a bool vector: which rows those were.",
     .example = ">>> s = tf.sparse.from_dense([[0, 7], [0, 0]])\n"
                ">>> filled, empty = tf.sparse.fill_empty_rows(s, 3)\n"
                ">>> filled.values.numpy().tolist(), empty.numpy().tolist()\n"
                "([7, 3], [False, True])"},
    {.names = "sparse.retain",
     .args = "sp_input: rows; to_retain: tensor",
     .build = Retained,
     .result = "SparseTensor",
     .doc = "The elements for which `to_retain`, a bool vector, is true.",
     .example = ">>> s = tf.sparse.from_dense([[0, 7], [5, 0]])\n"
                ">>> tf.sparse.retain(s, [False, True]).values.numpy()."
                "tolist()\n[5]",
     .takes_name = false},
    {.names = "sparse.reset_shape",
     .args = "sp_input: rows; new_shape: shape? = None",
     .build = Reset,
     .result = "SparseTensor",
     .doc = "The same elements in a larger shape, or in the smallest one that "
            "holds them if None.\n\n"
            "Raises ValueError, or InvalidArgumentError if it shows only when "
            "run, for a shape that is smaller or of another rank.",
     .example = ">>> s = tf.SparseTensor([[0, 1]], [7], [4, 4])\n"
                ">>> tf.sparse.reset_shape(s).shape\n"
                "TensorShape([1, 2])",
     .takes_name = false},
    {.names = "sparse.to_indicator",
     .args = "sp_input: rows; vocab_size: tensor(int64)",
     .scope = "SparseToIndicator",
     .wraps_op = true,
     .build = Indicator,
     .doc = "A dense bool tensor, of shape [..., vocab_size], that is true at "
            "the values of each row.",
     .example = ">>> s = tf.SparseTensor([[0, 0], [0, 1]], [2, 0], [1, 2])\n"
                ">>> tf.sparse.to_indicator(s, 3).numpy().tolist()\n"
                "[[True, False, True]]"},
    {.names = "sparse.segment_sum",
     .args = PICKED_ARGS,
     .scope = "SparseSegmentSum",
     .wraps_op = true,
     .build =
         PickedSegments<[](auto&&... a) { return ops::SparseSegmentSum(a...); },
                        [](auto&&... a) {
                          return ops::SparseSegmentSumWithNumSegments(a...);
                        }>,
     .doc = "Sums of the rows that indices name, by segment." PICKED_DOC,
     .example = ">>> x = tf.constant([[1, 2], [3, 4], [5, 6]])\n"
                ">>> tf.sparse.segment_sum(x, [0, 2, 1], [0, 0, 1]).numpy()."
                "tolist()\n[[6, 8], [3, 4]]"},
    {.names = "sparse.segment_mean",
     .args = PICKED_ARGS,
     .scope = "SparseSegmentMean",
     .wraps_op = true,
     .build = PickedSegments<[](auto&&... a) {
       return ops::SparseSegmentMean(a...);
     },
                             [](auto&&... a) {
                               return ops::SparseSegmentMeanWithNumSegments(
                                   a...);
                             }>,
     .doc = "Means of the rows that indices name, by segment." PICKED_DOC,
     .example = ">>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])\n"
                ">>> tf.sparse.segment_mean(x, [0, 1], [0, 0]).numpy()."
                "tolist()\n[[2.0, 3.0]]"},
    {.names = "sparse.segment_sqrt_n",
     .args = PICKED_ARGS,
     .scope = "SparseSegmentSqrtN",
     .wraps_op = true,
     .build = PickedSegments<[](auto&&... a) {
       return ops::SparseSegmentSqrtN(a...);
     },
                             [](auto&&... a) {
                               return ops::SparseSegmentSqrtNWithNumSegments(
                                   a...);
                             }>,
     .doc = "Sums of the rows that indices name, by segment, divided by the "
            "root of their number." PICKED_DOC,
     .example = ">>> x = tf.constant([[1.0], [3.0], [4.0], [4.0]])\n"
                ">>> tf.sparse.segment_sqrt_n(x, [0, 1, 2, 3], [0, 0, 0, 0])."
                "numpy().tolist()\n[[6.0]]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_sparse_math)

}  // namespace gk
