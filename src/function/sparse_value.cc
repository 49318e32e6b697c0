#include "function/sparse_value.h"

#include <utility>

#include "framework/known_values.h"
#include "function/node_scope.h"
#include "function/ragged/checks.h"
#include "function/ragged/integer_arithmetic.h"
#include "ops/composition.h"
#include "ops/fn/BroadcastTo.h"
#include "ops/fn/GatherNd.h"
#include "ops/fn/Greater.h"
#include "ops/fn/NotEqual.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"
#include "ops/fn/SparseReorder.h"
#include "ops/fn/SparseToDense.h"
#include "ops/fn/Sum.h"
#include "ops/fn/Where.h"

namespace gk {

using namespace integers;  // NOLINT: operators

namespace {

PartialTensorShape OfRank(const Tensor& t, int rank) {
  PartialTensorShape shape = t.partial_shape();
  if (shape.unknown_rank()) return PartialTensorShape::UnknownOfRank(rank);
  if (shape.rank() != rank) {
    throw Error(
        ValueError("Shape {} must have rank {}", shape.PythonString(), rank));
  }
  return shape;
}

void CheckSame(int64_t a, int64_t b) {
  if (a < 0 || b < 0 || a == b) return;
  throw Error(ValueError("Dimensions {} and {} are not compatible", a, b));
}

}  // namespace

SparseValue SparseValue::Make(Tensor indices, Tensor values,
                              Tensor dense_shape) {
  const PartialTensorShape places = OfRank(indices, 2),
                           elements = OfRank(values, 1),
                           dims = OfRank(dense_shape, 1);
  CheckSame(places.dim(0), elements.dim(0));
  CheckSame(places.dim(1), dims.dim(0));
  // Few elements may have places in a shape that no dense tensor has.
  PartialTensorShape shape = ValueOrThrow(ConstantValueAsShape(dense_shape));
  return {std::move(indices), std::move(values), std::move(dense_shape),
          std::move(shape)};
}

SparseValue SparseValue::FromDense(const Tensor& tensor) {
  const Tensor indices =
      ops::Where(ops::NotEqual(tensor, BlankOf(tensor.dtype())));
  return {indices, ops::GatherNd(tensor, indices),
          ops::Shape(tensor, DataType::kInt64), tensor.partial_shape()};
}

Tensor SparseValue::ToDense(Tensor fill, bool ordered, OpName name) const {
  if (!fill) fill = BlankOf(values.dtype());
  const Tensor made = ops::SparseToDense(name, indices, dense_shape, values,
                                         fill, ordered);
  Refine(made, shape);
  return made;
}

SparseValue SparseValue::Reordered(OpName name) const {
  TensorVector ordered = ops::SparseReorder(name, indices, values, dense_shape);
  return {std::move(ordered[0]), std::move(ordered[1]), dense_shape, shape};
}

Tensor SparseValue::Scaled(Operator which, const Tensor& other) const {
  const Tensor beside =
      other.partial_shape().rank() == 0
          ? other
          : ops::GatherNd(ops::BroadcastTo(other, dense_shape), indices);
  const NodeScope scope(which == Operator::kDivide ? "truediv" : "mul");
  return Apply(which, values, beside, scope.name());
}

}  // namespace gk
