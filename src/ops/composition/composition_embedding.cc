// Embeddings of sparse and ragged ids, joined for each row.
#include "ops/composition.h"
#include "ops/composition/embedding_rows.h"
#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/DivNoNan.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Greater.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/LogicalAnd.h"
#include "ops/fn/Mul.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Prod.h"
#include "ops/fn/Range.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/SegmentSum.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Shape.h"
#include "ops/fn/SparseFillEmptyRows.h"
#include "ops/fn/SparseReshape.h"
#include "ops/fn/SparseSegmentMean.h"
#include "ops/fn/SparseSegmentSqrtN.h"
#include "ops/fn/SparseSegmentSum.h"
#include "ops/fn/Sqrt.h"
#include "ops/fn/Square.h"
#include "ops/fn/Squeeze.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Unique.h"
#include "ops/fn/UpperBound.h"
#include "ops/fn/Where.h"
#include "ops/fn/ZerosLike.h"
#include "ops/subscript.h"

namespace gk {

Tensor RowsOfParts(const TensorVector& parts, const Tensor& ids) {
  if (parts.empty()) {
    throw Error(ValueError(
        "Length of params is currently 0. Need at least one param."));
  }
  const Tensor all =
      parts.size() == 1 ? parts[0] : ops::ConcatV2(parts, Int32Of(0));
  return ops::GatherV2(all, ids, Int32Of(0));
}

Tensor WithinNorm(const CompositionCall& c, int i, const Tensor& rows,
                  const Tensor& ids) {
  const Tensor axes = ops::Range(RankOf(ids), RankOf(rows), Int32Of(1));
  CompositionValue limit;
  if (const auto* t = c.get<Tensor>(i)) {
    limit = *t;
  } else if (const auto* n = c.get<int64_t>(i)) {
    limit = static_cast<double>(*n);
  } else {
    limit = c.real(i);
  }
  return CallComposition("clip_by_norm", {rows, std::move(limit), axes})[0];
}

namespace {

using Kind = RowsValue::Kind;
using Ints = std::vector<int64_t>;

struct SparseIds {
  Tensor indices, values, dense_shape;
};

SparseIds SparseIdsOf(const RowsValue& rows, const char* what) {
  if (rows.kind != Kind::kSparse) {
    throw Error(TypeError("{} must be SparseTensor", what));
  }
  return {rows.places[0], rows.values, rows.places[1]};
}

Tensor ColumnOf(const Tensor& indices, int64_t column) {
  SubscriptEntry one;
  one.kind = SubscriptEntry::Kind::kIndex;
  one.begin = column;
  return Subscript(indices, {SubscriptEntry(), one});
}

// For each value the row that it is in.
Tensor RowNumbers(const RowsValue& rows, const char* what) {
  if (rows.kind == Kind::kSparse) return ColumnOf(rows.places[0], 0);
  if (rows.kind != Kind::kRagged || rows.places.size() != 1) {
    throw Error(TypeError("{} must be SparseTensor", what));
  }
  const Tensor& splits = rows.places[0];
  const DataType t = splits.dtype();
  const Tensor count =
      ops::Reshape(ops::Shape(rows.values, t), IntegerVector(Ints{}));
  const Tensor places =
      ops::Range(IntegerConstant(0, t), count, IntegerConstant(1, t));
  const Tensor one_row = IntegerVector(Ints{1, -1});
  const Tensor found = ops::UpperBound(ops::Reshape(splits, one_row),
                                       ops::Reshape(places, one_row), t);
  return ops::Sub(ops::Reshape(found, IntegerVector(Ints{-1})),
                  IntegerConstant(1, t));
}

// Rows weighted and added up for each segment.
Tensor WeightedSums(const Tensor& rows, const Tensor& weights,
                    const Tensor& segments, const std::string& combiner,
                    std::string_view name) {
  const DataType t = rows.dtype();
  const bool narrow = t == DataType::kHalf || t == DataType::kBfloat16;
  const Tensor wide = narrow ? ops::Cast(rows, DataType::kFloat) : rows;
  // [n, 1, ...], of the rank of the rows.
  const PartialTensorShape shape = wide.partial_shape();
  Tensor sizes;
  if (!shape.unknown_rank()) {
    Ints dims(shape.rank(), 1);
    dims[0] = -1;
    sizes = IntegerVector(dims);
  } else {
    SubscriptEntry behind;
    behind.begin = 1;
    sizes = Joined({IntegerVector(Ints{-1}),
                    ops::OnesLike(Subscript(ShapeTensor(wide), {behind}))});
  }
  const Tensor w = ops::Reshape(CastTo(weights, wide.dtype()), sizes);
  Tensor sum = ops::SegmentSum(ops::Mul(wide, w), segments);
  if (combiner != "sum") {
    Tensor by =
        ops::SegmentSum(combiner == "mean" ? w : ops::Square(w), segments);
    if (combiner == "sqrtn") by = ops::Sqrt(by);
    sum = ops::DivNoNan(OpName(narrow ? "" : name), sum, by);
  }
  return narrow ? ops::Cast(OpName(name), sum, t) : sum;
}

// `limit` is the place of the argument `max_norm`.
Tensor Combined(const CompositionCall& c, const TensorVector& params,
                const Tensor& ids, const Tensor& segments,
                const Tensor& weights, const std::string& combiner, int limit,
                std::string_view name) {
  if (combiner != "mean" && combiner != "sqrtn" && combiner != "sum") {
    throw Error(ValueError(
        "combiner must be one of 'mean', 'sqrtn' or 'sum', got {}", combiner));
  }
  Tensor rows, places = ids;
  if (params.size() == 1 && !c.has(limit)) {
    rows = params[0];
  } else {
    // Each row is looked up and made shorter once.
    const TensorVector unique = ops::Unique(ids);
    rows = RowsOfParts(params, unique[0]);
    if (c.has(limit)) rows = WithinNorm(c, limit, rows, unique[0]);
    places = unique[1];
  }
  if (weights) {
    return WeightedSums(ops::GatherV2(rows, places, Int32Of(0)), weights,
                        CastTo(segments, DataType::kInt32), combiner, name);
  }
  const OpName named(name);
  if (combiner == "sum") {
    return ops::SparseSegmentSum(named, rows, places, segments);
  }
  return combiner == "mean"
             ? ops::SparseSegmentMean(named, rows, places, segments)
             : ops::SparseSegmentSqrtN(named, rows, places, segments);
}

std::string CombinerOf(const CompositionCall& c, int i) {
  return c.has(i) ? c.text(i) : std::string("mean");
}

TensorVector EmbeddingLookupSparse(CompositionCall& c) {
  const RowsValue& ids = c.rows(1);
  const Tensor segments = RowNumbers(ids, "sp_ids");
  Tensor weights;
  if (c.has(2)) {
    const RowsValue& given = c.rows(2);
    if (given.kind != ids.kind) {
      throw Error(TypeError("sp_weights must be either None or SparseTensor"));
    }
    if (!given.values.partial_shape().IsCompatibleWith(
            ids.values.partial_shape())) {
      throw Error(ValueError("Shapes {} and {} are incompatible",
                             ids.values.partial_shape().PythonString(),
                             given.values.partial_shape().PythonString()));
    }
    weights = given.values;
  }
  return {Combined(c, c.tensors(0), ids.values, segments, weights,
                   CombinerOf(c, 3), 4, c.name())};
}

SparseIds Retained(const SparseIds& s, const Tensor& chosen) {
  const Tensor places = ops::Squeeze(ops::Where(chosen), Ints{1});
  return {ops::GatherV2(s.indices, places, Int32Of(0)),
          ops::GatherV2(s.values, places, Int32Of(0)), s.dense_shape};
}

TensorVector SafeEmbeddingLookupSparse(CompositionCall& c) {
  TensorVector params = c.tensors(0);
  if (params.empty()) throw Error(ValueError("Missing embedding_weights []."));
  SparseIds ids = SparseIdsOf(c.rows(1), "sparse_ids");
  const std::string combiner = CombinerOf(c, 3);
  const Tensor original = ids.dense_shape;
  // All dimensions but the last become rows.
  const Tensor flat =
      Joined({ProductOf(AllButLast(original)), LastOf(original)});
  TensorVector made = ops::SparseReshape(ids.indices, original, flat);
  ids.indices = made[0];
  ids.dense_shape = made[1];
  SparseIds weights;
  if (c.has(2)) {
    weights = SparseIdsOf(c.rows(2), "sparse_weights");
    weights.indices = ids.indices;
    weights.dense_shape = ids.dense_shape;
    for (Tensor& p : params) p = CastTo(p, weights.values.dtype());
  }
  const auto retain = [&](const Tensor& chosen) {
    ids = Retained(ids, chosen);
    if (weights.values) weights = Retained(weights, chosen);
  };
  retain(ops::GreaterEqual(ids.values, ops::ZerosLike(ids.values)));
  if (combiner != "sum" && weights.values) {
    retain(ops::Greater(weights.values, ops::ZerosLike(weights.values)));
  }
  const int64_t fallback = c.has(4) ? c.integer(4) : 0;
  const TensorVector filled =
      ops::SparseFillEmptyRows(ids.indices, ids.values, ids.dense_shape,
                               IntegerOf(fallback, ids.values.dtype()));
  Tensor of_weights;
  if (weights.values) {
    of_weights = ops::SparseFillEmptyRows(
        weights.indices, weights.values, weights.dense_shape,
        NumberOf(1, weights.values.dtype()))[1];
  }
  const std::string name(c.name());
  Tensor rows =
      Combined(c, params, filled[1], ColumnOf(filled[0], 0), of_weights,
               combiner, 5, c.has(4) ? std::string_view(name) : "");
  if (!c.has(4)) {
    const Tensor empty = ops::Reshape(filled[2], IntegerVector(Ints{-1, 1}));
    rows = ops::SelectV2(OpName(name), empty, ops::ZerosLike(rows), rows);
  }
  SubscriptEntry behind;
  behind.begin = 1;
  return {
      ops::Reshape(rows, Joined({CastTo(AllButLast(original), DataType::kInt32),
                                 Subscript(ShapeTensor(rows), {behind})}))};
}

const CompositionRecord kRecords[] = {
    {.names = "nn.embedding_lookup_sparse",
     .args = "params: tensors(parts); sp_ids: rows; sp_weights: rows?; "
             "combiner: string = None; max_norm: native = None; name: name = "
             "None; allow_fast_lookup: bool = False",
     .scope = "embedding_lookup_sparse",
     .build = EmbeddingLookupSparse,
     .doc = "The rows of `params` that the ids of each row name, joined.\n\n"
            "Args:\n  params: a tensor or variable [rows, ...], or a list of "
            "them, whose rows are counted on.\n  sp_ids: a SparseTensor or "
            "RaggedTensor of integers; rows before the last without ids "
            "give zeros.\n  sp_weights: of the same "
            "places, or None for ones.\n  combiner: \"sum\", \"mean\" (the "
            "default), or \"sqrtn\", the sum over the root of the weights' "
            "squares.\n  max_norm: rows of a larger norm are scaled down to "
            "it.",
     .example = ">>> ids = tf.sparse.from_dense([[1, 2], [0, 1]])\n"
                ">>> tf.nn.embedding_lookup_sparse(tf.constant([[1.], [2.], "
                "[4.]]), ids, None, \"sum\").numpy().tolist()\n"
                "[[6.0], [2.0]]"},
    {.names = "nn.safe_embedding_lookup_sparse",
     .args = "embedding_weights: tensors(parts); sparse_ids: rows; "
             "sparse_weights: rows? = None; combiner: string = 'mean'; "
             "default_id: int = None; max_norm: native = None; name: name = "
             "None; allow_fast_lookup: bool = False",
     .scope = "embedding_lookup",
     .build = SafeEmbeddingLookupSparse,
     .doc = "embedding_lookup_sparse of as many dimensions as the ids have, "
            "where rows may be empty.\n\nArgs:\n  sparse_ids: negative ones "
            "count as missing, as do those whose weight is not positive unless "
            "the combiner is \"sum\".\n  default_id: the id of empty rows; "
            "zeros where None.",
     .example = ">>> ids = tf.sparse.from_dense([[1, 2], [0, 0]])\n"
                ">>> tf.nn.safe_embedding_lookup_sparse(tf.constant([[1.], "
                "[2.], [4.]]), ids).numpy().tolist()\n[[3.0], [0.0]]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_embedding)

}  // namespace gk
