#include <algorithm>
#include <utility>

#include "function/node_scope.h"
#include "function/ragged/integer_arithmetic.h"
#include "function/ragged/ragged.h"
#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Equal.h"
#include "ops/fn/GatherNd.h"
#include "ops/fn/LogicalOr.h"
#include "ops/fn/Mul.h"
#include "ops/fn/NotEqual.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Size.h"
#include "ops/fn/Squeeze.h"
#include "ops/fn/StringFormat.h"
#include "ops/fn/StringJoin.h"
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

namespace {

Tensor FlatOperator(Operator which, const Tensor& x, const Tensor& y) {
  const auto named = [&](std::string_view name) {
    const NodeScope scope(name);
    return Apply(which, x, y, scope.name());
  };
  switch (which) {
    case Operator::kAdd:
      return named("add");
    case Operator::kMultiply:
      return ops::Mul(x, y);
    case Operator::kDivide:
      return named("truediv");
    case Operator::kFloorDivide:
      return named("floordiv");
    case Operator::kEqual:
      return ops::Equal(x, y);
    case Operator::kNotEqual:
      return ops::NotEqual(x, y);
    default:
      return Apply(which, x, y);
  }
}

}  // namespace

RaggedValue RaggedOperator(Operator which, const RaggedValue& x,
                           const RaggedValue& y) {
  if (!x.is_ragged() && !y.is_ragged()) {
    return FlatOperator(which, x.flat(), y.flat());
  }
  return RaggedBinary(
      [which](const Tensor& a, const Tensor& b) {
        return FlatOperator(which, a, b);
      },
      x, y);
}
RaggedValue RaggedOperator(Operator which, const RaggedValue& x) {
  return x.WithFlat(Apply(which, x.flat()));
}

RaggedValue RaggedOfFlat(std::span<const RaggedValue> operands,
                         const FlatFn& f) {
  const FlatOperands flat = FlattenOperands(operands);
  const Checks::Scope scope(flat.checks);
  return flat.known.WithFlat(f(flat.flat));
}

RaggedValue RaggedSelect(const RaggedValue& condition, const RaggedValue& x,
                         const RaggedValue& y) {
  const RaggedValue operands[] = {condition, x, y};
  return RaggedOfFlat(operands, [](const TensorVector& t) {
    return CallComposition("where", {t[0], t[1], t[2]})[0];
  });
}

RaggedValue RaggedCrossEntropy(const RaggedValue& labels,
                               const RaggedValue& logits) {
  const RaggedValue operands[] = {labels, logits};
  return RaggedOfFlat(operands, [](const TensorVector& t) {
    return CallComposition("nn.sigmoid_cross_entropy_with_logits",
                           {t[0], t[1]})[0];
  });
}

RaggedValue RaggedJoin(std::span<const RaggedValue> texts,
                       const std::string& separator) {
  return RaggedOfFlat(texts, [&](const TensorVector& t) {
    return ops::StringJoin(t, separator);
  });
}

RaggedValue RaggedAddN(std::span<const RaggedValue> values) {
  RaggedValue total = values[0];
  for (const RaggedValue& next : values.subspan(1)) {
    total = RaggedBinary(
        [](const Tensor& x, const Tensor& y) { return ops::AddV2(x, y); },
        total, next);
  }
  return total;
}

Tensor RaggedSize(const RaggedValue& ragged, DataType dtype) {
  return ops::Size(ragged.flat(), dtype);
}

Tensor RaggedRank(const RaggedValue& ragged) {
  return ops::AddV2(RankOf(ragged.flat()),
                    IntegerConstant(ragged.ragged_rank()));
}

Tensor RaggedFormat(const std::string& text,
                    std::span<const RaggedValue> values,
                    const std::string& mark, int64_t summarize) {
  std::vector<std::string> pieces;
  size_t from = 0;
  for (size_t at; (at = text.find(mark, from)) != text.npos;
       from = at + mark.size()) {
    pieces.push_back(text.substr(from, at - from));
  }
  pieces.push_back(text.substr(from));
  if (pieces.size() != values.size() + 1) {
    throw Error(
        ValueError("{} placeholder(s) in template does not match {} "
                   "tensor(s) provided as input",
                   pieces.size() - 1, values.size()));
  }
  const auto constant = [](const std::string& piece) {
    return ValueOrThrow(
        OpBuilder::Current()->Constant(Tensor::Scalar(piece), {}));
  };
  TensorVector parts{constant(pieces[0])};
  for (size_t i = 0; i < values.size(); ++i) {
    const TensorVector one{values[i].flat()};
    parts.push_back(values[i].is_ragged()
                        ? RaggedText(values[i], summarize)
                        : ops::StringFormat(one, "{}", "{}", summarize));
    parts.push_back(constant(pieces[i + 1]));
  }
  return ops::StringJoin(parts);
}

}  // namespace gk
