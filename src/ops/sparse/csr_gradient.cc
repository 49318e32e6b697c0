#include "ops/sparse/csr_gradient.h"

#include <limits>
#include <vector>

#include "ops/element_moves.h"
#include "ops/fn/CSRSparseMatrixToSparseTensor.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Equal.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/LowerBound.h"
#include "ops/fn/Prod.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/SparseReorder.h"
#include "ops/fn/SparseReshape.h"
#include "ops/fn/SparseTensorToCSRSparseMatrix.h"
#include "ops/fn/ZerosLike.h"

namespace gk::csr {
namespace {

using Ints = std::vector<int64_t>;

// The number of each place, counted row by row.
Tensor NumbersOf(const Tensor& indices, const Tensor& dense_shape) {
  const Tensor size = ops::Reshape(ops::Prod(dense_shape, IntegerConstant(0)),
                                   IntegerVector(Ints{1}));
  return ops::Reshape(ops::SparseReshape(indices, dense_shape, size)[0],
                      IntegerVector(Ints{-1}));
}

}  // namespace

Tensor ValuesAt(const Tensor& a, DataType type, const Tensor& indices,
                const Tensor& dense_shape) {
  const TensorVector parts = ops::CSRSparseMatrixToSparseTensor(a, type);
  const TensorVector sorted = ops::SparseReorder(parts[0], parts[1], parts[2]);
  const Tensor axis = IntegerConstant(0), row = IntegerVector(Ints{1, -1});
  // Whatever is not found is at the end.
  const Tensor last = IntegerVector(Ints{std::numeric_limits<int64_t>::max()},
                                    DataType::kInt64);
  const Tensor numbers =
      ops::ConcatV2(TensorVector{NumbersOf(sorted[0], parts[2]), last}, axis);
  const Tensor values = ops::ConcatV2(
      TensorVector{sorted[1], CastTo(IntegerVector(Ints{0}), type)}, axis);
  const Tensor wanted = NumbersOf(indices, dense_shape);
  const Tensor at =
      ops::Reshape(ops::LowerBound(ops::Reshape(numbers, row),
                                   ops::Reshape(wanted, row), DataType::kInt64),
                   IntegerVector(Ints{-1}));
  const Tensor found = ops::Equal(ops::GatherV2(numbers, at, axis), wanted);
  const Tensor picked = ops::GatherV2(values, at, axis);
  return ops::SelectV2(found, picked, ops::ZerosLike(picked));
}

Tensor PrunedTo(const Tensor& a, const Tensor& pattern, DataType type) {
  const TensorVector parts = ops::CSRSparseMatrixToSparseTensor(pattern, type);
  return ops::SparseTensorToCSRSparseMatrix(
      parts[0], ValuesAt(a, type, parts[0], parts[2]), parts[2]);
}

}  // namespace gk::csr
