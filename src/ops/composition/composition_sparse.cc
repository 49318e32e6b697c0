// tf.sparse: sparse tensors moved, made and multiplied.
#include <vector>

#include "ops/composition.h"
#include "ops/composition/sparse_arguments.h"
#include "ops/element_moves.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Conj.h"
#include "ops/fn/Fill.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Minimum.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Range.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Slice.h"
#include "ops/fn/SparseReorder.h"
#include "ops/fn/SparseReshape.h"
#include "ops/fn/SparseTensorDenseMatMul.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Transpose.h"

namespace gk {
namespace {

using Kind = RowsValue::Kind;
using Ints = std::vector<int64_t>;

Tensor Int64Of(int64_t value) {
  return IntegerConstant(value, DataType::kInt64);
}
Tensor Picked(const Tensor& from, const Tensor& which, int axis) {
  return ops::GatherV2(from, which, IntegerConstant(axis));
}

TensorVector Reshaped(CompositionCall& c) {
  const SparseParts s = SparsePartsOf(c.rows(0));
  const TensorVector made =
      ops::SparseReshape(OpName(c.name()), s.indices, s.dense_shape,
                         CastTo(c.tensor(1), DataType::kInt64));
  return {made[0], s.values, made[1]};
}

// ValueError for what is known not to name each dimension once: other lists
// would give tensors with other elements.
void CheckOrder(const Tensor& order, const Tensor& dense_shape) {
  const int64_t rank = dense_shape.partial_shape().dim(0);
  const auto known = KnownInts(order);
  if (!known || rank < 0) return;
  if (static_cast<int64_t>(known->size()) != rank) {
    throw Error(ValueError("Dimensions {} and {} are not compatible",
                           known->size(), rank));
  }
  std::vector<bool> named(rank);
  for (int64_t d : *known) {
    if (d < 0 || d >= rank) continue;  // GatherV2 says so
    if (named[d]) {
      throw Error(ValueError("perm names dimension {} twice", d));
    }
    named[d] = true;
  }
}

TensorVector Transposed(CompositionCall& c) {
  const SparseParts s = SparsePartsOf(c.rows(0));
  Tensor order;
  if (c.has(1)) {
    order = CastTo(c.tensor(1), DataType::kInt64);
    CheckOrder(c.tensor(1), s.dense_shape);
  } else {
    const Tensor rank = ops::Reshape(
        ops::Shape(s.dense_shape, DataType::kInt64), IntegerVector(Ints{}));
    order = ops::Range(ops::Sub(rank, Int64Of(1)), Int64Of(-1), Int64Of(-1));
  }
  const Tensor shape = Picked(s.dense_shape, order, 0);
  const TensorVector made =
      ops::SparseReorder(Picked(s.indices, order, 1), s.values, shape);
  return {made[0], made[1], shape};
}

// The rank is that of a vector of known length, as of every value.
TensorVector Expanded(CompositionCall& c) {
  const SparseParts s = SparsePartsOf(c.rows(0));
  const int64_t axis = c.has(1) ? c.integer(1) : -1;
  const int64_t rank = s.dense_shape.partial_shape().dim(0);
  if (rank < 0) {
    throw Error(ValueError(
        "sparse.expand_dims needs a sparse tensor whose rank is known"));
  }
  if (axis < -rank - 1 || axis > rank) {
    throw Error(InvalidArgument(
        "axis must be in [{}, {}] for a sparse tensor of rank {}, but is {}",
        -rank - 1, rank, rank, axis));
  }
  const int64_t at = axis < 0 ? axis + rank + 1 : axis;
  // The new column is one of zeros behind the others.
  Ints order;
  for (int64_t d = 0; d <= rank; ++d) {
    order.push_back(d < at ? d : d == at ? rank : d - 1);
  }
  const Tensor which = IntegerVector(order);
  const Tensor count = ops::Shape(s.values, DataType::kInt64);
  const Tensor zeros = ops::Fill(
      ops::ConcatV2(
          TensorVector{count, IntegerVector(Ints{1}, DataType::kInt64)},
          IntegerConstant(0)),
      Int64Of(0));
  const Tensor indices =
      ops::ConcatV2(TensorVector{s.indices, zeros}, IntegerConstant(1));
  const auto at_size = [](int64_t v) { return IntegerVector(Ints{v}); };
  const Tensor sizes = ops::ConcatV2(
      TensorVector{ops::Slice(s.dense_shape, at_size(0), at_size(at)),
                   IntegerVector(Ints{1}, DataType::kInt64),
                   ops::Slice(s.dense_shape, at_size(at), at_size(-1))},
      IntegerConstant(0));
  return {Picked(indices, which, 1), s.values, sizes};
}

TensorVector SparseEye(CompositionCall& c) {
  const Tensor rows = CastTo(c.tensor(0), DataType::kInt64);
  const Tensor columns =
      c.has(1) ? CastTo(c.tensor(1), DataType::kInt64) : rows;
  const Tensor n = ops::Minimum(rows, columns);
  const Tensor places = ops::Range(Int64Of(0), n, Int64Of(1));
  const Tensor one = NumberOf(1, c.type(2));
  return {ops::Pack(TensorVector{places, places}, 1),
          ops::Fill(ops::Reshape(n, IntegerVector(Ints{1})), one),
          ops::Pack(TensorVector{rows, columns})};
}

TensorVector Product(CompositionCall& c) {
  const RowsValue &a = c.rows(0), &b = c.rows(1);
  const bool adjoint_a = c.flag(2), adjoint_b = c.flag(3);
  if (a.kind == Kind::kSparse) {
    if (b.kind != Kind::kDense) {
      throw Error(TypeError(
          "`b` must be a dense tensor where `sp_a` is a SparseTensor"));
    }
    const SparseParts s = SparsePartsOf(a);
    return {ops::SparseTensorDenseMatMul(OpName(c.name()), s.indices, s.values,
                                         s.dense_shape, b.values, adjoint_a,
                                         adjoint_b)};
  }
  // The transpose of the product of the transposes.
  const SparseParts s = SparsePartsOf(b);
  const Tensor product = ops::SparseTensorDenseMatMul(
      s.indices, s.values, s.dense_shape, a.values, !adjoint_b, !adjoint_a);
  const Tensor turned = ops::Transpose(product, IntegerVector(Ints{1, 0}));
  return {IsComplex(turned.dtype()) ? ops::Conj(turned) : turned};
}

const CompositionRecord kRecords[] = {
    {.names = "sparse.reshape",
     .args = "sp_input: rows; shape: shape",
     .scope = "SparseReshape",
     .wraps_op = true,
     .build = Reshaped,
     .result = "SparseTensor",
     .doc = "The same elements, counted row by row, in another shape.\n\n"
            "Args:\n  shape: one size may be -1.\n\n"
            "Raises InvalidArgumentError if the sizes do not agree.",
     .example = ">>> s = tf.sparse.from_dense([[0, 7], [5, 0]])\n"
                ">>> tf.sparse.reshape(s, [4]).indices.numpy().tolist()\n"
                "[[1], [2]]"},
    {.names = "sparse.transpose",
     .args = "sp_input: rows; perm: tensor? = None",
     .scope = "SparseTranspose",
     .build = Transposed,
     .result = "SparseTensor",
     .doc = "Dimension i is what dimension perm[i] was; None turns the order "
            "around.",
     .example = ">>> s = tf.sparse.from_dense([[0, 7], [0, 0]])\n"
                ">>> tf.sparse.transpose(s).indices.numpy().tolist()\n"
                "[[1, 0]]"},
    {.names = "sparse.expand_dims",
     .args = "sp_input: rows; axis: int = None",
     .scope = "expand_dims",
     .build = Expanded,
     .result = "SparseTensor",
     .doc = "Inserts a dimension of size 1 before `axis`, at the end if None.",
     .example = ">>> s = tf.sparse.from_dense([[0, 7], [0, 0]])\n"
                ">>> tf.sparse.expand_dims(s, 0).shape\n"
                "TensorShape([1, 2, 2])"},
    {.names = "sparse.eye",
     .args = "num_rows: tensor; num_columns: tensor? = None; dtype: type = "
             "float32",
     .scope = "eye",
     .build = SparseEye,
     .result = "SparseTensor",
     .doc = "A sparse matrix with ones on its diagonal.",
     .example = ">>> tf.sparse.to_dense(tf.sparse.eye(2, 3)).numpy().tolist()\n"
                "[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]"},
    {.names = "sparse.sparse_dense_matmul",
     .args = "sp_a: rows; b: rows; adjoint_a: bool = False; adjoint_b: bool = "
             "False",
     .scope = "SparseTensorDenseMatMul",
     .wraps_op = true,
     .build = Product,
     .doc =
         "The product of a sparse matrix with a dense one, or of a dense one "
         "with a sparse one.\n\n"
         "Args:\n  adjoint_a, adjoint_b: use the conjugate transpose.",
     .example = ">>> s = tf.sparse.from_dense([[0.0, 2.0], [0.0, 0.0]])\n"
                ">>> tf.sparse.sparse_dense_matmul(s, [[1.0], [3.0]]).numpy()."
                "tolist()\n[[6.0], [0.0]]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_sparse)

}  // namespace gk
