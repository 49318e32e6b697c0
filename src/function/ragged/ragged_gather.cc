#include <utility>

#include "function/ragged/integer_arithmetic.h"
#include "function/ragged/ragged.h"
#include "ops/fn/DynamicPartition.h"
#include "ops/fn/GatherNd.h"
#include "ops/fn/Identity.h"
#include "ops/fn/Neg.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"

namespace gk {

using namespace integers;  // NOLINT: operators

namespace {

// Where the elements at `indices` of rows are; what is no element of its row
// is a place that no gather finds.
Tensor Within(const Tensor& given, const Tensor& starts,
              const Tensor& lengths) {
  const Tensor indices = CastTo(given, starts.dtype());
  const Tensor found = (indices >= 0) & (indices < lengths);
  return Select(found, starts + indices, ops::Neg(ops::OnesLike(indices)));
}

// A vector along the first of so many dimensions.
Tensor AlongFirst(const Tensor& v, int rank) {
  std::vector<int64_t> dims(rank, 1);
  dims[0] = -1;
  return ops::Reshape(v, IntegerVector(dims));
}

void CheckSameRows(Checks* checks, const RaggedValue& x, const RaggedValue& y,
                   std::string_view message) {
  checks->Same(x.rows().splits, y.rows().splits, message);
}

RaggedValue Taken(const RaggedValue& params, const RaggedValue& indices,
                  int axis, int batch_dims);

// The elements at indices[i] of params[i], for each i.
RaggedValue TakenOfBatch(RaggedValue params, RaggedValue indices, int axis,
                         int batch_dims) {
  params = params.Deepened(1);
  if (batch_dims > 1) {
    indices = indices.Deepened(1);
    Checks checks;
    CheckSameRows(&checks, indices, params,
                  "batch shape from indices does not match params shape");
    const Checks::Scope scope(checks);
    return indices.WithValues(
        Taken(params.values(), indices.values(), axis - 1, batch_dims - 1));
  }
  if (axis > 1) {
    return params.WithValues(
        TakenOfBatch(params.values(),
                     GatherRows(indices, params.rows().rowids()), axis - 1, 1));
  }
  const PartialTensorShape rows = indices.shape(), all = params.shape();
  if (rows.rank() > 0 && all.rank() > 0 && rows.dim(0) >= 0 &&
      all.dim(0) >= 0 && rows.dim(0) != all.dim(0)) {
    throw Error(ValueError(
        "batch shape from indices {} does not match params shape {}",
        PartialTensorShape({rows.dim(0)}).PythonString(), all.PythonString()));
  }
  const Tensor starts = params.rows().starts(),
               lengths = params.rows().lengths();
  const Tensor& flat = indices.flat();
  const int rank = flat.partial_shape().rank();
  if (rank < 0) {
    throw Error(
        ValueError("The rank of indices into ragged rows must be known."));
  }
  if (!indices.is_ragged()) {
    return Taken(
        params.values(),
        Within(flat, AlongFirst(starts, rank), AlongFirst(lengths, rank)), 0,
        0);
  }
  Tensor ids;
  for (const RowPartition& p : indices.partitions()) {
    ids = ids ? Take(ids, p.rowids()) : p.rowids();
  }
  const RaggedValue places =
      indices.WithFlat(Within(flat, AlongFirst(Take(starts, ids), rank),
                              AlongFirst(Take(lengths, ids), rank)));
  return places.WithValues(Taken(params.values(), places.values(), 0, 0));
}

// The elements at the same indices of each row.
RaggedValue TakenOfEach(const RaggedValue& params, const RaggedValue& indices) {
  if (indices.is_ragged()) {
    const RaggedValue each =
        GatherRows(RaggedExpandDims(indices, 0), params.rows().starts() * 0);
    return TakenOfBatch(params, each, 1, 1);
  }
  const int rank = indices.rank() + 1;
  const Tensor places =
      Within(Row(indices.flat()), AlongFirst(params.rows().starts(), rank),
             AlongFirst(params.rows().lengths(), rank));
  return Taken(params.values(), places, 0, 0);
}

RaggedValue Taken(const RaggedValue& params, const RaggedValue& indices,
                  int axis, int batch_dims) {
  if (batch_dims > 0) return TakenOfBatch(params, indices, axis, batch_dims);
  if (!params.is_ragged()) {
    if (!indices.is_ragged()) {
      return Take(params.flat(), indices.flat(), axis);
    }
    if (axis > 0) return Taken(params.Deepened(axis), indices, axis, 0);
  }
  if (axis > 1) {
    return params.WithValues(Taken(params.values(), indices, axis - 1, 0));
  }
  if (axis == 1) return TakenOfEach(params, indices);
  if (indices.is_ragged()) {
    return indices.WithValues(Taken(params, indices.values(), 0, 0));
  }
  const int rank = indices.rank();
  if (rank < 0) {
    throw Error(
        ValueError("The rank of indices into ragged rows must be known."));
  }
  if (rank == 0) return GatherRows(params, Row(indices.flat())).values();
  if (rank == 1) return GatherRows(params, indices.flat());
  const RaggedValue whole = indices.Deepened(1);
  return {Taken(params, whole.values(), 0, 0), whole.rows()};
}

}  // namespace

RaggedValue RaggedGather(const RaggedValue& params, const RaggedValue& indices,
                         std::optional<int64_t> given, int64_t batch_dims) {
  if (indices.dtype() != DataType::kInt32 &&
      indices.dtype() != DataType::kInt64) {
    throw Error(InvalidArgument(
        "Value for attr 'Tindices' of {} is not in the list of allowed "
        "values: int32, int64",
        DataTypeName(indices.dtype())));
  }
  const int rank = indices.rank();
  const int64_t batch =
      batch_dims < 0
          ? batch_dims + rank
          : CheckedAxis(batch_dims, rank < 0 ? rank : rank + 1, "batch_dims");
  const int64_t axis = given ? CheckedAxis(*given, params.rank()) : batch;
  if (axis < batch) {
    throw Error(
        ValueError("axis={} must be at least batch_dims={}", axis, batch));
  }
  return Taken(params, indices, static_cast<int>(axis),
               static_cast<int>(batch));
}

namespace {

// Indices of no numbers name all of params, once for each of them.
RaggedValue WholeFor(const RaggedValue& params, const Tensor& indices) {
  const int rank = indices.partial_shape().rank();
  RaggedValue made = params;
  for (int i = 1; i < rank; ++i) made = RaggedExpandDims(made, 0);
  if (rank == 1) return made;
  const Tensor times = Part(ops::Shape(indices), 0, rank - 1);
  const std::vector<int64_t> once(params.rank(), 1);
  return RaggedTile(made, Concat({times, IntegerVector(once)}, 0));
}

}  // namespace

RaggedValue RaggedGatherNd(const RaggedValue& params,
                           const RaggedValue& given) {
  const int depth = given.rank();
  if (depth == 0) {
    throw Error(ValueError("indices.rank must be at least 1."));
  }
  if (given.is_ragged() && depth == given.ragged_rank() + 1) {
    throw Error(
        ValueError("The innermost dimension of indices may not be ragged"));
  }
  if (given.is_ragged()) {
    if (params.is_ragged()) {
      const RaggedValue found = RaggedGatherNd(params, given.flat());
      std::vector<RowPartition> rows = given.partitions();
      rows.insert(rows.end(), found.partitions().begin(),
                  found.partitions().end());
      return {found.flat(), std::move(rows)};
    }
    return given.WithFlat(ops::GatherNd(params.flat(), given.flat()));
  }
  const Tensor& indices = given.flat();
  const PartialTensorShape shape = indices.partial_shape();
  const int rank = shape.rank();
  if (rank < 1 || shape.dim(rank - 1) < 0) {
    throw Error(ValueError("indices.shape[-1] must be statically known."));
  }
  if (shape.dim(rank - 1) == 0 && params.rank() >= 0) {
    return WholeFor(params, indices);
  }
  if (rank == 1) {
    const RaggedValue one = RaggedGatherNd(params, Row(indices));
    return one.is_ragged() ? one.values() : At(one.flat(), 0);
  }
  if (rank > 2) {
    const RaggedValue whole = given.Deepened(1);
    return {RaggedGatherNd(params, whole.values()), whole.rows()};
  }
  const TensorVector parts =
      CallComposition("unstack", {indices, shape.dim(1), int64_t{1}});
  Tensor places = parts[0];
  RaggedValue rest = params;
  for (size_t i = 1; i < parts.size(); ++i) {
    if (!rest.is_ragged()) {
      TensorVector columns{Column(CastTo(places, indices.dtype()))};
      for (; i < parts.size(); ++i) columns.push_back(Column(parts[i]));
      return ops::GatherNd(rest.flat(), Concat(columns, 1));
    }
    places = Within(parts[i], Take(rest.rows().starts(), places),
                    Take(rest.rows().lengths(), places));
    rest = rest.values();
  }
  return GatherRows(rest, places);
}

std::vector<RaggedValue> RaggedDynamicPartition(const RaggedValue& data,
                                                const RaggedValue& partitions,
                                                int64_t count) {
  if (partitions.is_ragged()) {
    const RaggedValue rows = data.Deepened(1);
    Checks checks;
    CheckSameRows(&checks, rows, partitions,
                  "partitions and data must have the same rows");
    const Checks::Scope scope(checks);
    return RaggedDynamicPartition(rows.values(), partitions.values(), count);
  }
  std::vector<RaggedValue> parts;
  if (!data.is_ragged()) {
    for (Tensor& t :
         ops::DynamicPartition(data.flat(), partitions.flat(), count)) {
      parts.emplace_back(std::move(t));
    }
    return parts;
  }
  for (const Tensor& part :
       ops::DynamicPartition(Count(data.nrows()), partitions.flat(), count)) {
    parts.push_back(GatherRows(data, part));
  }
  return parts;
}

}  // namespace gk
