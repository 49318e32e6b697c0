// How often numbers occur: in tensors, ragged and sparse ones.
#include <utility>

#include "ops/composition.h"
#include "ops/element_moves.h"
#include "ops/fn/Cast.h"
#include "ops/fn/DenseBincount.h"
#include "ops/fn/DenseCountSparseOutput.h"
#include "ops/fn/Greater.h"
#include "ops/fn/Max.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Minimum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/Pack.h"
#include "ops/fn/RaggedBincount.h"
#include "ops/fn/RaggedCountSparseOutput.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/ScatterNd.h"
#include "ops/fn/Size.h"
#include "ops/fn/SparseBincount.h"
#include "ops/fn/SparseCountSparseOutput.h"

namespace gk {
namespace {

using Kind = RowsValue::Kind;

Tensor Flattened(const Tensor& t) {
  return ops::Reshape(t, IndicesOf(std::vector<int64_t>{-1}));
}

std::string_view NameOfKind(Kind kind) {
  return kind == Kind::kRagged   ? "RaggedTensor"
         : kind == Kind::kSparse ? "SparseTensor"
                                 : "Tensor";
}

// What is counted, and with which weights.
struct Counted {
  RowsValue values;
  Tensor weights;  // empty: none
  // The rows of a ragged tensor.
  Tensor splits() const {
    if (values.places.size() > 1) {
      throw Error(ValueError(
          "Argument `values` has {} ragged dimensions: rows of numbers have "
          "one. Merge the others, or use axis=0.",
          values.places.size()));
    }
    return CastTo(values.places[0], DataType::kInt64);
  }
};

// `arr`, `weights` and `axis` are arguments by number; `dtype`: of no weights,
// kInvalid for that of the values.
Counted CountedOf(const CompositionCall& c, int arr, int weights, int axis,
                  bool binary_output, DataType dtype) {
  if (c.has(axis) && c.integer(axis) != 0 && c.integer(axis) != -1) {
    throw Error(ValueError(
        "Unsupported value for argument axis={}. Only 0 and -1 are currently "
        "supported.",
        c.integer(axis)));
  }
  Counted counted{c.rows(arr), {}};
  RowsValue& values = counted.values;
  if (!c.has(weights)) {
    if (dtype == DataType::kInvalid) dtype = values.values.dtype();
    counted.weights = ValueOrThrow(OpBuilder::Current()->Constant(
        ValueOrThrow(Tensor::Zeros(dtype, TensorShape({0}))), "Const"));
  } else {
    if (binary_output) {
      throw Error(ValueError(
          "Arguments `binary_output` and `weights` are mutually exclusive. "
          "Please specify only one."));
    }
    const RowsValue& given = c.rows(weights);
    if (given.kind != values.kind) {
      throw Error(ValueError(
          "Argument `weights` must be a {0} if `values` is a {0}. Received "
          "weights of type: {1}",
          NameOfKind(values.kind), NameOfKind(given.kind)));
    }
    const std::string unlike = "`weights` and `values` must have the same rows";
    if (given.places.size() != values.places.size()) {
      throw Error(InvalidArgument("{}", unlike));
    }
    for (size_t i = 0; i < values.places.size(); ++i) {
      const Tensor &x = values.places[i], &y = given.places[i];
      if (x.impl() == y.impl()) continue;
      CallComposition(
          "debugging.assert_equal",
          {CastTo(x, DataType::kInt64), CastTo(y, DataType::kInt64), unlike});
    }
    counted.weights = given.values;
  }
  if (!c.has(axis) || c.integer(axis) == 0) {
    values = {Kind::kDense, Flattened(values.values)};
    counted.weights = Flattened(counted.weights);
  }
  return counted;
}

// The limit as an integer of the values' dtype, or a wider one.
Tensor LimitOf(const CompositionCall& c, int i, DataType dtype) {
  if (const int64_t* n = c.get<int64_t>(i)) {
    return dtype == DataType::kInt64 ? IntegerOf(*n, dtype) : IndexOf(*n);
  }
  const Tensor& limit = c.tensor(i);
  return limit.dtype() == DataType::kInt64 ? limit : CastTo(limit, dtype);
}

TensorVector Bincount(CompositionCall& c) {
  const bool binary = c.flag(7);
  const Counted counted = CountedOf(c, 0, 1, 6, binary, c.type(4));
  Tensor values = counted.values.values;
  if (values.dtype() != DataType::kInt32 &&
      values.dtype() != DataType::kInt64) {
    const bool wide = values.dtype() == DataType::kUint32 ||
                      values.dtype() == DataType::kUint64;
    values = ops::Cast(values, wide ? DataType::kInt64 : DataType::kInt32);
  }
  const Tensor some =
      ops::Cast(ops::Greater(ops::Size(values), Int32Of(0)), values.dtype());
  const Tensor largest = ops::Max(values, AllAxes(values));
  Tensor size = ops::Mul(
      some, CallComposition("add", {largest, IntegerOf(1, values.dtype())})[0]);
  for (const int i : {2, 3}) {
    if (!c.has(i)) continue;
    const Tensor limit = LimitOf(c, i, values.dtype());
    values = CastTo(values, limit.dtype());
    size = CastTo(size, limit.dtype());
    size = i == 2 ? ops::Maximum(limit, size) : ops::Minimum(limit, size);
  }
  switch (counted.values.kind) {
    case Kind::kRagged:
      return {ops::RaggedBincount(counted.splits(), values, size,
                                  counted.weights, binary)};
    case Kind::kSparse:
      return {ops::SparseBincount(counted.values.places[0], values,
                                  counted.values.places[1], size,
                                  counted.weights, binary)};
    case Kind::kDense:
      break;
  }
  return {ops::DenseBincount(values, size, counted.weights, binary)};
}

TensorVector SparseBincount(CompositionCall& c) {
  const bool binary = c.flag(5);
  const Counted counted = CountedOf(c, 0, 1, 2, binary, DataType::kInvalid);
  const Tensor& values = counted.values.values;
  const int64_t least = c.has(3) ? c.integer(3) : -1;
  const int64_t most = c.has(4) ? c.integer(4) : -1;
  switch (counted.values.kind) {
    case Kind::kRagged:
      return ops::RaggedCountSparseOutput(counted.splits(), values,
                                          counted.weights, binary, least, most);
    case Kind::kSparse:
      return ops::SparseCountSparseOutput(counted.values.places[0], values,
                                          counted.values.places[1],
                                          counted.weights, binary, least, most);
    case Kind::kDense:
      break;
  }
  return ops::DenseCountSparseOutput(values, counted.weights, binary, least,
                                     most);
}

TensorVector ConfusionMatrix(CompositionCall& c) {
  TensorVector pair;
  for (const auto& [i, name] : {std::pair(0, "labels"), {1, "predictions"}}) {
    pair.push_back(CastTo(Flattened(c.tensor(i)), DataType::kInt64));
    CallComposition(
        "debugging.assert_non_negative",
        {pair.back(), Format("`{}` contains negative values", name)});
  }
  Tensor classes;
  if (c.has(2)) {
    const int64_t* n = c.get<int64_t>(2);
    classes = n != nullptr ? IntegerOf(*n, DataType::kInt64)
                           : CastTo(c.tensor(2), DataType::kInt64);
    CallComposition("debugging.assert_less",
                    {pair[0], classes, std::string("`labels` out of bound")});
    CallComposition("debugging.assert_less", {pair[1], classes,
                                              std::string("`predictions` out "
                                                          "of bound")});
  } else {
    const auto largest = [](const Tensor& t) {
      return ops::Max(t, AllAxes(t));
    };
    classes = CallComposition("add",
                              {ops::Maximum(largest(pair[0]), largest(pair[1])),
                               IntegerOf(1, DataType::kInt64)})[0];
  }
  // None: that of the ones that are counted.
  const DataType dtype = c.has(4) ? c.type(4) : DataType::kInt64;
  Tensor weights;
  if (c.has(3)) {
    weights = CastTo(Flattened(c.tensor(3)), dtype);
    const PartialTensorShape counted = pair[1].partial_shape(),
                             given = weights.partial_shape();
    if (!counted.IsCompatibleWith(given)) {
      throw Error(ValueError("Shapes {} and {} are incompatible",
                             counted.PythonString(), given.PythonString()));
    }
  } else {
    weights = CastTo(ops::OnesLike(pair[1]), dtype);
  }
  return {ops::ScatterNd(ops::Pack(pair, 1), weights,
                         ops::Pack(TensorVector{classes, classes}))};
}

#define OF_ROWS_DOC "integers of 0 or more; a tensor, or a ragged or sparse one"

const CompositionRecord kRecords[] = {
    {.names = "math.bincount",
     .args = "arr: rows; weights: rows = None; minlength: native = None; "
             "maxlength: native = None; dtype: type? = int32; name: name = "
             "None; axis: int = None; binary_output: bool = False",
     .scope = "bincount",
     .build = Bincount,
     .doc = "How often each number occurs.\n\nArgs:\n  arr: " OF_ROWS_DOC
            ".\n  weights: of the shape and kind of `arr`, summed instead of "
            "counted.\n  minlength, maxlength: limits of the length of the "
            "result.\n  axis: None or 0: of all elements; -1: of each row.\n  "
            "binary_output: 1 for numbers that occur instead of the count.",
     .example = ">>> tf.math.bincount([1, 1, 3]).numpy().tolist()\n"
                "[0, 2, 0, 1]\n"
                ">>> rows = tf.ragged.constant([[1, 2, 1], [], [0]])\n"
                ">>> tf.math.bincount(rows, axis=-1).numpy().tolist()\n"
                "[[0, 2, 1], [0, 0, 0], [1, 0, 0]]"},
    {.names = "sparse.bincount",
     .args = "values: rows; weights: rows = None; axis: int = 0; minlength: "
             "int = None; maxlength: int = None; binary_output: bool = False",
     .scope = "count",
     .build = SparseBincount,
     .result = "SparseTensor",
     .doc = "How often each number occurs, as a sparse tensor of those that "
            "do.\n\nArgs:\n  values: " OF_ROWS_DOC
            ".\n  weights: of the shape and kind of `values`, summed instead "
            "of counted.\n  axis: 0: of all elements; -1: of each row.\n  "
            "minlength: the least length of the result's rows.\n  maxlength: "
            "that length; numbers that are not below it do not count.\n  "
            "binary_output: 1 for numbers that occur instead of the count.",
     .example = ">>> counts = tf.sparse.bincount([[1, 1, 7], [0, 0, 0]], "
                "axis=-1)\n"
                ">>> counts.indices.numpy().tolist(), counts.values.numpy()"
                ".tolist()\n([[0, 1], [0, 7], [1, 0]], [2, 1, 3])"},
    {.names = "math.confusion_matrix",
     .args = "labels: tensor; predictions: tensor; num_classes: native = "
             "None; weights: tensor = None; dtype: type = int32",
     .scope = "confusion_matrix",
     .build = ConfusionMatrix,
     .doc = "[classes, classes]: how often label (row) was predicted as "
            "(column).",
     .example = ">>> tf.math.confusion_matrix([0, 1], [0, 0]).numpy()"
                ".tolist()\n[[1, 0], [1, 0]]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_counts)

}  // namespace gk
