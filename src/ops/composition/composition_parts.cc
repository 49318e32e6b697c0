// tf.parallel_stack and tf.sparse.sampled_addmm.
#include <algorithm>
#include <vector>

#include "framework/op_builder.h"
#include "ops/composition.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Mul.h"
#include "ops/fn/ParallelConcat.h"
#include "ops/fn/Shape.h"
#include "ops/fn/StridedSlice.h"
#include "ops/fn/Sum.h"
#include "ops/linalg/matrix_algebra.h"

namespace gk {
namespace {

using Ints = std::vector<int64_t>;

TensorVector StackedInParallel(CompositionCall& c) {
  if (!OpBuilder::Current()->builds_graph()) {
    throw Error(RuntimeError(
        "tf.parallel_stack() is not compatible with eager execution."));
  }
  const TensorVector& values = c.tensors(0);
  if (values.empty()) throw Error(ValueError("values must not be empty"));
  PartialTensorShape shape = values[0].partial_shape();
  if (!shape.unknown_rank()) {
    shape.InsertDim(0, static_cast<int64_t>(values.size()));
  }
  TensorVector rows;
  for (const Tensor& value : values) {
    rows.push_back(ops::ExpandDims(OpName(c.name("ExpandDims")), value,
                                   IntegerConstant(0)));
  }
  return {ops::ParallelConcat(OpName(c.name("ParallelConcat")), rows, shape)};
}

// The columns `begin` to `end`, counted from the last, of what is in the last
// dimension.
Tensor LastColumns(const Tensor& x, int64_t begin, int64_t end) {
  const bool from_front = begin == 0, to_end = end == 0;
  return ops::StridedSlice(
      x, IntegerVector(Ints{0, begin}), IntegerVector(Ints{0, end}),
      IntegerVector(Ints{1, 1}), from_front ? 2 : 0, to_end ? 2 : 0, 1);
}

// ValueError if the sizes of a product are known and others.
void CheckDenseShape(const Tensor& given, const PartialTensorShape& a,
                     const PartialTensorShape& b) {
  const int64_t rows = a.dim(a.rank() - 2), columns = b.dim(b.rank() - 1);
  const auto known = KnownInts(given);
  if (!known || rows < 0 || columns < 0) return;
  if (*known == Ints{rows, columns}) return;
  std::string text;
  for (const int64_t d : *known)
    text += (text.empty() ? "" : " ") + std::to_string(d);
  throw Error(
      ValueError("Dense shape: [{}] does not match output shape: [{} {}]", text,
                 rows, columns));
}

TensorVector SampledProduct(CompositionCall& c) {
  const DataType type = c.type(7);
  for (const int i : {1, 3, 4}) {
    if (c.tensor(i).dtype() == type) continue;
    throw Error(ValueError(
        "Tensor conversion requested dtype {} for Tensor with dtype {}: {}",
        DataTypeName(type), DataTypeName(c.tensor(i).dtype()),
        c.composition().args[i].name));
  }
  const Tensor &indices = c.tensor(0), &values = c.tensor(1),
               &dense_shape = c.tensor(2), &a = c.tensor(3), &b = c.tensor(4);
  const PartialTensorShape shape_a = a.partial_shape(),
                           shape_b = b.partial_shape();
  if (shape_a.rank() < 2 || shape_b.rank() < 2) {
    throw Error(ValueError(
        "mat1 and mat2 must have a known rank of 2 or more, but their shapes "
        "are {} and {}",
        shape_a.DebugString(), shape_b.DebugString()));
  }
  CheckDenseShape(dense_shape, shape_a, shape_b);
  if (!KnownInts(dense_shape) || shape_a.dim(shape_a.rank() - 2) < 0 ||
      shape_b.dim(shape_b.rank() - 1) < 0) {
    const Tensor sizes = ops::ConcatV2(
        TensorVector{
            ops::StridedSlice(ops::Shape(a), IntegerVector(Ints{-2}),
                              IntegerVector(Ints{-1}), IntegerVector(Ints{1})),
            ops::StridedSlice(ops::Shape(b), IntegerVector(Ints{-1}),
                              IntegerVector(Ints{0}), IntegerVector(Ints{1}), 0,
                              1)},
        IntegerConstant(0));
    CallComposition("debugging.assert_equal",
                    {dense_shape, sizes,
                     std::string("Dense shape does not match output shape")});
  }
  const int64_t batch_dims = shape_a.rank() - 2;
  const auto pick = [&](const Tensor& from, const Tensor& at) {
    return CallComposition("gather_nd", {from, at, batch_dims})[0];
  };
  const Tensor row_at = LastColumns(indices, 0, -1);
  const Tensor column_at = ops::ConcatV2(
      TensorVector{LastColumns(indices, 0, -2), LastColumns(indices, -1, 0)},
      IntegerConstant(-1));
  const Tensor products =
      ops::Mul(pick(a, row_at), pick(matrix::Transpose(b), column_at));
  const Tensor dots = ops::Sum(products, IntegerConstant(-1));
  const Tensor made =
      ops::AddV2(ops::Mul(dots, ArgumentAs(c, 6, type, "alpha")),
                 ops::Mul(values, ArgumentAs(c, 5, type, "beta")));
  return {indices, made, dense_shape};
}

const CompositionRecord kRecords[] = {
    {.names = "parallel_stack",
     .args = "values: tensors; name: name = 'parallel_stack'",
     .scope = "parallel_stack",
     .build = StackedInParallel,
     .doc = "Tensors of one shape, which is known, as rows of one tensor; in "
            "graphs only.\n\n"
            "tf.stack does the same, also eagerly and for shapes that are not "
            "known.\n\n"
            "Raises RuntimeError if called eagerly.",
     .example = ">>> f = tf.function(lambda x, y: tf.parallel_stack([x, y]))\n"
                ">>> f(tf.constant([1, 2]), tf.constant([3, 4])).numpy()."
                "tolist()\n[[1, 2], [3, 4]]"},
    {.names = "sparse.sampled_addmm",
     .args = "indices: tensor; values: tensor(T); dense_shape: tensor(int32!); "
             "mat1: tensor(T); mat2: tensor(T); beta: native = 1.0; alpha: "
             "native = 1.0; output_type: type(T) = float32",
     .build = SampledProduct,
     .result = "tuple",
     .doc = "alpha times the product of two matrices at some places, plus beta "
            "times the values there.\n\n"
            "Args:\n"
            "  indices, values, dense_shape: the places and values as parts "
            "of a sparse tensor.\n"
            "  mat1, mat2: matrices, or batches of them; `indices` and "
            "`values` have the same batch dimensions.\n"
            "  beta, alpha: factors of the values and of the product.\n"
            "  output_type: what all numbers are converted to.\n\n"
            "Returns indices, values and dense shape.\n\n"
            "Raises ValueError if `dense_shape` is not that of the product.",
     .example = ">>> tf.sparse.sampled_addmm([[0, 0], [1, 1]], [0.5, 0.5], "
                "[2, 2], [[1.0], [2.0]],\n"
                "...                         [[3.0, 4.0]])[1].numpy().tolist()"
                "\n[3.5, 8.5]",
     .takes_name = false},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_parts)

}  // namespace gk
