#include <string>
#include <utility>

#include "function/ragged/integer_arithmetic.h"
#include "function/ragged/ragged.h"
#include "function/ragged/rows_at_hand.h"
#include "ops/fn/Any.h"
#include "ops/fn/BroadcastTo.h"
#include "ops/fn/Fill.h"
#include "ops/fn/GatherNd.h"
#include "ops/fn/Max.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/NotEqual.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Prod.h"
#include "ops/fn/RaggedTensorToSparse.h"
#include "ops/fn/RaggedTensorToTensor.h"
#include "ops/fn/Range.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/ScatterNd.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Size.h"
#include "ops/fn/Where.h"
#include "ops/fn/ZerosLike.h"

namespace gk {

using namespace integers;  // NOLINT: operators

namespace {

Tensor BooleanMask(const Tensor& x, const Tensor& mask) {
  return CallComposition("boolean_mask", {x, mask})[0];
}

std::optional<int64_t> KnownSize(const Tensor& x, int axis) {
  const PartialTensorShape shape = x.partial_shape();
  if (shape.unknown_rank() || shape.dim(axis) < 0) return std::nullopt;
  return shape.dim(axis);
}

RaggedValue FromWhole(const Tensor& tensor, int ragged_rank, DataType splits) {
  const Tensor shape = ops::Shape(tensor, splits);
  RaggedValue made = MergeLeading(tensor, ragged_rank + 1);
  for (int axis = ragged_rank; axis > 0; --axis) {
    const std::optional<int64_t> known = KnownSize(tensor, axis);
    const Tensor length =
        known ? IntegerConstant(*known, splits) : At(shape, axis);
    made = RaggedValue(
        std::move(made),
        RowPartition::FromUniform(length, Product(Part(shape, {}, axis)),
                                  made.nrows(), false));
  }
  if (const auto rows = KnownSize(tensor, 0)) {
    Refine(made.rows().splits, {*rows + 1});
  }
  return made;
}

// May it fill up, as one kernel has it, between the values' blocks?
bool FillsBlocks(const Tensor& fill, const RaggedValue& ragged) {
  return !fill || (!fill.is_symbolic() && fill.dtype() == ragged.dtype() &&
                   fill.rank() < ragged.flat().rank());
}

// By one kernel, of rows that are at hand.
Tensor DenseAtOnce(const RaggedValue& ragged, Tensor fill,
                   const Tensor& sizes) {
  if (!fill) fill = BlankOf(ragged.dtype());
  const std::vector<std::string> kinds(ragged.ragged_rank(), "ROW_SPLITS");
  return ops::RaggedTensorToTensor(sizes, ragged.flat(), fill, SplitsOf(ragged),
                                   kinds);
}

// Where the padding at the end of each row begins.
Tensor LengthsBefore(const Tensor& tensor, const Tensor& padding,
                     DataType dtype) {
  Tensor present = ops::NotEqual(tensor, CastTo(padding, tensor.dtype()));
  const PartialTensorShape shape = tensor.partial_shape();
  const int rank = shape.rank();
  if (rank >= 2) {
    const PartialTensorShape element(shape.dims().subspan(2)),
        given = padding.partial_shape();
    if (!element.IsCompatibleWith(given)) {
      throw Error(ValueError("Shapes {} and {} are incompatible",
                             given.PythonString(), element.PythonString()));
    }
  }
  std::vector<int64_t> inner;
  for (int i = 2; i < rank; ++i) inner.push_back(i);
  if (!inner.empty()) present = ops::Any(present, IntegerVector(inner));
  const Tensor places = Count(SizeOf(present, 1, dtype)) + 1;
  const Tensor reached = Select(present, places, IntegerConstant(0, dtype));
  const Tensor none = ops::ZerosLike(
      ops::Fill(Vector({SizeOf(present, 0, dtype), IntegerConstant(1, dtype)}),
                IntegerConstant(0, dtype)));
  return ops::Max(Concat({none, reached}, 1), IntegerConstant(1));
}

RaggedValue FromLengths(const Tensor& tensor, Tensor lengths, DataType splits) {
  lengths = CastTo(lengths, splits);
  const PartialTensorShape known = lengths.partial_shape();
  if (!known.unknown_rank() && known.rank() != 1) {
    throw Error(ValueError("Shape {} must have rank 1", known.PythonString()));
  }
  const Tensor width = SizeOf(tensor, 1, splits);
  lengths = Min(Max(lengths, Number(0, lengths)), width);
  const Tensor mask = Row(Count(width)) < Column(lengths);
  return {BooleanMask(tensor, mask), RowPartition::OfLengths(lengths)};
}

Tensor Dense(const RaggedValue& ragged, Tensor fill, Tensor box, bool cut,
             const PartialTensorShape& known) {
  Tensor values = ragged.flat();
  if (!fill) fill = BlankOf(values.dtype());
  Tensor where = CastTo(RaggedCoordinates(ragged), DataType::kInt64);
  const Tensor outer = Part(box, {}, ragged.ragged_rank() + 1);
  if (cut) {
    const Tensor fits =
        CallComposition("reduce_all", {where < outer, IntegerConstant(1)})[0];
    where = BooleanMask(where, fits);
    values = BooleanMask(values, fits);
  }
  // The numbers of the values, of which 0 is what fills up.
  const Tensor count = SizeOf(values, 0, DataType::kInt32);
  const Tensor numbers = ops::ScatterNd(where, Count(count) + 1, outer);
  const Tensor inner = Part(ops::Shape(values), 1, {});
  const Tensor first = ops::BroadcastTo(
      fill, Concat({IntegerVector(std::vector<int64_t>{1}), inner}));
  const Tensor made = Take(Concat({first, values}), numbers);
  Refine(made, known);
  return made;
}

}  // namespace

RaggedValue RaggedFromTensor(const Tensor& tensor, const FromTensorOptions& o) {
  if (!o.lengths.empty() && o.padding) {
    throw Error(
        ValueError("Specify argument `lengths` or `padding`, but not both."));
  }
  if (o.ragged_rank <= 0) {
    throw Error(ValueError(
        "Argument `ragged_rank` must be greater than 0. Received {}.",
        o.ragged_rank));
  }
  const int rank = tensor.partial_shape().rank();
  if (rank >= 0 && rank <= o.ragged_rank) {
    throw Error(ValueError(
        "The rank of a RaggedTensor must be greater than 1, i.e., a list of "
        "scalars won't have ragged dimensions. Received argument `tensor` "
        "with rank {}.",
        rank));
  }
  if (o.lengths.size() > 1) {
    const RaggedValue rows = FromLengths(tensor, o.lengths[0], o.splits_type);
    return rows.WithValues(RaggedFromTensor(
        rows.flat(), {.lengths = {o.lengths.begin() + 1, o.lengths.end()},
                      .splits_type = o.splits_type}));
  }
  if (o.lengths.empty() && !o.padding) {
    return FromWhole(tensor, o.ragged_rank, o.splits_type);
  }
  if (o.ragged_rank > 1) {
    // The outer partitions are uniform; the innermost is cut.
    FromTensorOptions innermost = o;
    innermost.ragged_rank = 1;
    RaggedValue made =
        RaggedFromTensor(MergeLeading(tensor, o.ragged_rank), innermost);
    const Tensor shape = ops::Shape(tensor, o.splits_type);
    for (int axis = o.ragged_rank - 1; axis > 0; --axis) {
      const std::optional<int64_t> known = KnownSize(tensor, axis);
      const Tensor length =
          known ? IntegerConstant(*known, o.splits_type) : At(shape, axis);
      made = RaggedValue(std::move(made), RowPartition::FromUniform(
                                              length, {}, made.nrows(), false));
    }
    return made;
  }
  return FromLengths(tensor,
                     o.lengths.empty()
                         ? LengthsBefore(tensor, o.padding, o.splits_type)
                         : o.lengths[0],
                     o.splits_type);
}

RaggedValue RaggedValue::Deepened(int rank) const {
  if (rank <= ragged_rank()) return *this;
  const DataType splits = is_ragged() ? splits_type() : DataType::kInt64;
  RaggedValue made = RaggedFromTensor(
      flat_, {.ragged_rank = rank - ragged_rank(), .splits_type = splits});
  for (size_t i = partitions_.size(); i-- > 0;) {
    made = RaggedValue(std::move(made), partitions_[i]);
  }
  return made;
}

RaggedValue RaggedFromSparse(const SparseValue& sparse, DataType splits) {
  if (sparse.shape.rank() >= 0 && sparse.shape.rank() != 2) {
    throw Error(
        ValueError("Shape {} must have rank 2", sparse.shape.PythonString()));
  }
  const TensorVector places = CallComposition(
      "unstack", {CastTo(sparse.indices, splits), int64_t{2}, int64_t{1}});
  const RowPartition rows = RowPartition::FromRowids(
      places[0], CastTo(At(sparse.dense_shape, 0), splits), false);
  Checks checks;
  checks.Same(places[1], rows.columns(places[0]),
              "SparseTensor is not right-ragged");
  return {checks.Then(sparse.values), rows};
}

Tensor RaggedCoordinates(const RaggedValue& ragged) {
  TensorVector columns{Count(ragged.nrows())};
  for (const RowPartition& p : ragged.partitions()) {
    const Tensor ids = p.rowids();
    for (Tensor& column : columns) column = Take(column, ids);
    columns.push_back(p.columns(ids));
  }
  return ops::Pack(columns, 1);
}

Tensor BoundingShape(const RaggedValue& ragged) {
  TensorVector sizes{ragged.nrows()};
  for (const RowPartition& p : ragged.partitions()) {
    sizes.push_back(Largest(p.lengths()));
  }
  const Tensor inner = ops::Shape(ragged.flat(), ragged.splits_type());
  return Concat({Vector(sizes), Part(inner, 1, {})});
}

RaggedValue RowLengths(const RaggedValue& ragged, int64_t given) {
  if (given == 1) return ragged.rows().lengths();
  const int rank = ragged.rank();
  if (rank >= 0 && (given < -rank || given >= rank)) {
    throw Error(ValueError("axis={} out of bounds: expected {}<=axis<{}", given,
                           -rank, rank));
  }
  const int64_t axis = given < 0 && rank >= 0 ? given + rank : given;
  if (axis == 0) return ragged.nrows();
  if (axis == 1) return ragged.rows().lengths();
  const RaggedValue below = ragged.values();
  if (below.is_ragged()) return ragged.WithValues(RowLengths(below, axis - 1));
  const Tensor shape = ops::Shape(below.flat(), ragged.splits_type());
  return ragged.WithValues(
      ops::Fill(Part(shape, {}, axis - 1), At(shape, axis - 1)));
}

Tensor RaggedToTensor(const RaggedValue& ragged, Tensor fill,
                      const PartialTensorShape& wanted) {
  const PartialTensorShape shape = ragged.shape();
  const bool at_once = RowsAreAtHand(ragged) && FillsBlocks(fill, ragged);
  if (wanted.unknown_rank()) {
    if (at_once) {
      return DenseAtOnce(ragged, std::move(fill),
                         IntegerConstant(-1, DataType::kInt64));
    }
    const Tensor box = CastTo(BoundingShape(ragged), DataType::kInt64);
    return Dense(ragged, std::move(fill), box, false, shape);
  }
  if (wanted.rank() != shape.rank()) {
    throw Error(InvalidArgument(
        "rt_input.shape and shape={} are incompatible: rt_input.rank = {} but "
        "shape.rank = {}",
        wanted.PythonString(), shape.rank(), wanted.rank()));
  }
  PartialTensorShape known = wanted;
  for (int i = 0; i < wanted.rank(); ++i) {
    const int64_t size = wanted.dim(i);
    if (i > ragged.ragged_rank() && size >= 0 && shape.dim(i) >= 0 &&
        size != shape.dim(i)) {
      throw Error(InvalidArgument(
          "rt_input.shape={} and shape={} are incompatible: the inner "
          "dimensions differ",
          shape.PythonString(), wanted.PythonString()));
    }
    if (size < 0 && (i == 0 || i > ragged.ragged_rank())) {
      known.SetDim(i, shape.dim(i));
    }
  }
  if (at_once) {
    return DenseAtOnce(ragged, std::move(fill),
                       IntegerVector(wanted.dims(), DataType::kInt64));
  }
  const Tensor box = CastTo(BoundingShape(ragged), DataType::kInt64);
  TensorVector sizes;
  for (int i = 0; i < wanted.rank(); ++i) {
    const int64_t size = wanted.dim(i);
    sizes.push_back(size < 0 ? At(box, i)
                             : IntegerConstant(size, DataType::kInt64));
  }
  return Dense(ragged, std::move(fill), Vector(sizes), true, known);
}

Tensor RaggedToTensorOf(const RaggedValue& ragged, Tensor fill,
                        const Tensor& wanted) {
  const Tensor box = CastTo(BoundingShape(ragged), DataType::kInt64);
  const Tensor sizes = CastTo(wanted, DataType::kInt64);
  return Dense(ragged, std::move(fill), Select(sizes < 0, box, sizes), true,
               {});
}

SparseValue RaggedToSparse(const RaggedValue& ragged) {
  if (RowsAreAtHand(ragged)) {
    const TensorVector made =
        ops::RaggedTensorToSparse(SplitsOf(ragged), ragged.flat());
    return {made[0], made[1], made[2],
            PartialTensorShape::UnknownOfRank(ragged.rank())};
  }
  // Inner dimensions as partitions, so that each element has its own place.
  const int rank = ragged.flat().partial_shape().rank();
  const RaggedValue deep =
      rank > 1 ? ragged.Deepened(ragged.ragged_rank() + rank - 1) : ragged;
  const PartialTensorShape shape = ragged.shape();
  return {CastTo(RaggedCoordinates(deep), DataType::kInt64), deep.flat(),
          CastTo(BoundingShape(ragged), DataType::kInt64),
          PartialTensorShape::UnknownOfRank(shape.rank())};
}

namespace {

RaggedValue Merged(const RaggedValue& value, int outer, int inner) {
  if (!value.is_ragged()) {
    const Tensor shape = ops::Shape(value.flat());
    return ops::Reshape(
        value.flat(),
        Concat({Part(shape, {}, outer), IntegerVector(std::vector<int64_t>{-1}),
                Part(shape, inner + 1, {})}));
  }
  const RaggedValue below = value.values();
  if (outer > 1) return value.WithValues(Merged(below, outer - 1, inner - 1));
  if (outer == 0) return inner == 1 ? below : Merged(below, 0, inner - 1);
  // Rows of rows: each has the elements of all of its rows.
  if (below.is_ragged()) {
    const Tensor ends = CastTo(below.rows().splits, value.splits_type());
    const RaggedValue joined(below.values(),
                             RowPartition{Take(ends, value.rows().splits), {}});
    return inner == 2 ? joined : Merged(joined, 1, inner - 1);
  }
  const Tensor sizes = ops::Shape(below.flat(), value.splits_type());
  const Tensor each = ops::Prod(Part(sizes, 1, inner), IntegerConstant(0));
  return {Merged(below, 0, inner - 1),
          RowPartition{value.rows().splits * each, {}}};
}

int MergedAxis(int64_t axis_given, int rank, std::string_view name) {
  int64_t axis = axis_given;
  if (axis < 0 && rank < 0) {
    throw Error(ValueError("{}={} may only be negative if the rank is known.",
                           name, axis));
  }
  if (axis < 0) axis += rank;
  if (axis < 0 || (rank >= 0 && axis >= rank)) {
    throw Error(ValueError("{0}={1} out of bounds: expected {2}<={0}<{3}", name,
                           axis_given, -rank, rank));
  }
  return static_cast<int>(axis);
}

}  // namespace

RaggedValue MergeDims(const RaggedValue& ragged, int64_t outer_axis,
                      int64_t inner_axis) {
  const int rank = ragged.rank();
  const int outer = MergedAxis(outer_axis, rank, "outer_axis"),
            inner = MergedAxis(inner_axis, rank, "inner_axis");
  if (outer > inner) {
    throw Error(
        ValueError("Expected outer_axis ({}) to be less than or equal "
                   "to inner_axis ({}).",
                   outer_axis, inner_axis));
  }
  return outer == inner ? ragged : Merged(ragged, outer, inner);
}

Tensor RaggedWhere(const RaggedValue& condition) {
  if (condition.rank() < 0) {
    throw Error(ValueError("A ragged condition must have a known rank."));
  }
  const RaggedValue deep = condition.Deepened(condition.rank() - 1);
  return CastTo(BooleanMask(RaggedCoordinates(deep), deep.flat()),
                DataType::kInt64);
}

}  // namespace gk
