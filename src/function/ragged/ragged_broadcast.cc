#include <algorithm>
#include <utility>

#include "function/ragged/integer_arithmetic.h"
#include "function/ragged/ragged.h"
#include "ops/fn/Equal.h"
#include "ops/fn/GatherNd.h"
#include "ops/fn/LogicalOr.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Size.h"
#include "ops/fn/Squeeze.h"
#include "ops/fn/ZerosLike.h"

namespace gk {

using namespace integers;  // NOLINT: operators

namespace {

Error Mismatch(const RaggedValue& x, const RaggedValue& y) {
  return Error(InvalidArgument(
      "Unable to broadcast: dimension size mismatch of ragged operands with "
      "shapes {} and {}.",
      x.shape().PythonString(), y.shape().PythonString()));
}

// Is `other` of shape [rows of `ragged`, 1]?
bool IsColumn(const RaggedValue& ragged, const PartialTensorShape& other) {
  if (other.rank() != 2 || other.dim(1) != 1) return false;
  if (ragged.ragged_rank() != 1 || ragged.flat().partial_shape().rank() != 1) {
    return false;
  }
  const std::optional<int64_t> rows = ragged.rows().known_nrows();
  return rows && *rows == other.dim(0);
}

// The element of a dense operand for each flat value of `known`.
Tensor Beside(const RaggedValue& known, Tensor other, Checks* checks) {
  const PartialTensorShape shape = other.partial_shape();
  const int inner = known.flat().partial_shape().rank() - 1;
  const int outer = known.ragged_rank() + 1;
  if (shape.unknown_rank()) {
    throw Error(ValueError("An operand of a ragged tensor must have a rank."));
  }
  if (shape.rank() <= inner) return other;
  if (IsColumn(known, shape)) {
    return Take(ops::Squeeze(other, {1}), known.rows().rowids());
  }
  if (shape.rank() > outer + inner) throw Mismatch(known, other);
  const std::vector<int64_t> missing(outer + inner - shape.rank(), 1);
  if (!missing.empty()) {
    other = ops::Reshape(other,
                         Concat({IntegerVector(missing), ops::Shape(other)}));
  }
  const Tensor sizes = Part(ops::Shape(other, DataType::kInt64), {}, outer);
  const Tensor one = IntegerConstant(1, DataType::kInt64);
  const Tensor rows = At(sizes, 0);
  checks->Require(
      ops::LogicalOr(ops::Equal(rows, one),
                     ops::Equal(CastTo(known.nrows(), DataType::kInt64), rows)),
      "Unable to broadcast: dimension size mismatch in dimension 0");
  for (int axis = 1; axis < outer; ++axis) {
    const Tensor& splits = known.partitions()[axis - 1].splits;
    const Tensor size = CastTo(At(sizes, axis), splits.dtype());
    const Tensor uniform = Count(ops::Size(splits, splits.dtype())) * size;
    checks->Same(Select(ops::Equal(size, Number(1, size)), splits, uniform),
                 splits);
  }
  Tensor places = CastTo(RaggedCoordinates(known), DataType::kInt64);
  places = Select(ops::Equal(sizes, one), ops::ZerosLike(places), places);
  return ops::GatherNd(other, places);
}

}  // namespace

FlatOperands FlattenOperands(std::span<const RaggedValue> operands) {
  const auto first =
      std::find_if(operands.begin(), operands.end(),
                   [](const RaggedValue& v) { return v.is_ragged(); });
  FlatOperands made{*first, {}, {}};
  const RaggedValue& known = made.known;
  for (auto it = operands.begin(); it != operands.end(); ++it) {
    if (!it->is_ragged()) {
      made.flat.push_back(Beside(known, it->flat(), &made.checks));
      continue;
    }
    if (it == first) {
      made.flat.push_back(it->flat());
      continue;
    }
    if (it->rank() != known.rank() || it->ragged_rank() > known.ragged_rank()) {
      throw Mismatch(known, *it);
    }
    const RaggedValue pair[] = {known, *it};
    const RaggedValue other = AllRagged(pair)[1];
    for (int i = 0; i < known.ragged_rank(); ++i) {
      made.checks.Same(known.partitions()[i].splits,
                       other.partitions()[i].splits);
    }
    made.flat.push_back(other.flat());
  }
  return made;
}

RaggedValue RaggedBinary(const BinaryFn& op, const RaggedValue& x,
                         const RaggedValue& y) {
  // The deeper one says what the rows are.
  const bool y_first = y.ragged_rank() > x.ragged_rank();
  const RaggedValue order[] = {y_first ? y : x, y_first ? x : y};
  FlatOperands operands = FlattenOperands(order);
  if (y_first) std::swap(operands.flat[0], operands.flat[1]);
  const Checks::Scope scope(operands.checks);
  return operands.known.WithFlat(op(operands.flat[0], operands.flat[1]));
}

}  // namespace gk
