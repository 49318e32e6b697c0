// Tensors made of nothing: zeros, ones, fill, range, eye, one_hot; and what is
// asked of a tensor's shape.
#include <algorithm>
#include <utility>

#include "framework/large_work.h"
#include "ops/composition.h"
#include "ops/dynamic_axes.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Fill.h"
#include "ops/fn/MatrixDiagV3.h"
#include "ops/fn/Minimum.h"
#include "ops/fn/OneHot.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/Range.h"
#include "ops/fn/Rank.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Size.h"
#include "ops/fn/ZerosLike.h"

namespace gk {
namespace {

// Larger constants are left to Fill: they would only swell the graph.
constexpr int64_t kMaxConstantElements = 1000;

Tensor Filled(const CompositionCall& c, const Tensor& shape, double value,
              DataType dtype) {
  Tensor number;
  if (dtype == DataType::kString) {
    if (value != 0) {
      throw Error(
          TypeError("Cannot convert {} to EagerTensor of dtype string", value));
    }
    number = ValueOrThrow(OpBuilder::Current()->Constant(
        Tensor::Scalar<std::string>(""), c.name("Const")));
  } else {
    number = NumberOf(value, dtype, c.name("Const"));
  }
  return ops::Fill(OpName(c.name()), shape, number);
}

// Of a shape known now and small: a constant.
Tensor FillOrConstant(const CompositionCall& c, std::span<const int64_t> dims,
                      double value, DataType dtype) {
  const TensorShape shape = ValueOrThrow(TensorShape::Make(dims));
  if (!OpBuilder::Current()->builds_graph()) {
    if (value == 0) {
      LargeWorkListener::Note(dtype, shape.num_elements());
      return ValueOrThrow(OpBuilder::Current()->Constant(
          ValueOrThrow(Tensor::Zeros(dtype, shape)), c.name()));
    }
    return Filled(c, IntsTensor(dims, DataType::kInt64), value, dtype);
  }
  if (shape.num_elements() < kMaxConstantElements) {
    Tensor t;
    {
      OpBuilder::Scope eager(OpBuilder::Eager());
      CompositionCall unnamed(c.composition(), {});
      t = value == 0 ? ValueOrThrow(Tensor::Zeros(dtype, shape))
                     : Filled(unnamed, IntsTensor(dims, DataType::kInt64),
                              value, dtype);
    }
    return ValueOrThrow(OpBuilder::Current()->Constant(t, c.name()));
  }
  return Filled(c, IndicesOf(dims, c.name("shape_as_tensor")), value, dtype);
}

Tensor FillArgument(const CompositionCall& c, double value) {
  const DataType dtype = c.has(1) ? c.type(1) : DataType::kFloat;
  if (const auto* dims = c.get<std::vector<int64_t>>(0)) {
    return FillOrConstant(c, *dims, value, dtype);
  }
  if (const int64_t* n = c.get<int64_t>(0)) {
    // A plain number is a shape of one dimension.
    return FillOrConstant(c, std::span<const int64_t>(n, 1), value, dtype);
  }
  Tensor shape = c.tensor(0);
  if (!shape.is_symbolic()) {
    if (const auto dims = KnownInts(shape)) {
      return FillOrConstant(c, *dims, value, dtype);
    }
  }
  if (shape.partial_shape().rank() == 0) {
    shape = ops::ExpandDims(shape, Int32Of(0));
  }
  return Filled(c, shape, value, dtype);
}

TensorVector Zeros(CompositionCall& c) { return {FillArgument(c, 0)}; }
TensorVector Ones(CompositionCall& c) { return {FillArgument(c, 1)}; }

Tensor Like(const CompositionCall& c, double value) {
  const Tensor& x = c.tensor(0);
  const DataType dtype = c.has(1) ? c.type(1) : x.dtype();
  const PartialTensorShape s = x.partial_shape();
  if (value != 0 && !c.has(1) && dtype == DataType::kString) {
    return ops::OnesLike(OpName(c.name()), x);  // which says what has ones
  }
  if (s.IsFullyDefined() && dtype != DataType::kVariant) {
    return FillOrConstant(c, s.dims(), value, dtype);
  }
  if (value == 0 && dtype == x.dtype()) {
    return ops::ZerosLike(OpName(c.name()), x);
  }
  return Filled(c, ops::Shape(OpName(c.name("Shape")), x), value, dtype);
}

TensorVector ZerosLike(CompositionCall& c) { return {Like(c, 0)}; }
TensorVector OnesLike(CompositionCall& c) { return {Like(c, 1)}; }

// The one dtype of start, limit and delta: the widest that occurs.
TensorVector Range(CompositionCall& c) {
  static constexpr DataType kOrder[] = {DataType::kInt32,    DataType::kInt64,
                                        DataType::kBfloat16, DataType::kHalf,
                                        DataType::kFloat,    DataType::kDouble};
  DataType dtype = c.has(3) ? c.type(3) : DataType::kInvalid;
  const auto of = [&](int i) -> DataType {
    if (const Tensor* t = c.get<Tensor>(i)) return t->dtype();
    if (c.get<double>(i)) return DataType::kFloat;
    const int64_t* v = c.get<int64_t>(i);
    return v != nullptr && !std::in_range<int32_t>(*v) ? DataType::kInt64
                                                       : DataType::kInt32;
  };
  const bool has_limit = c.has(1);
  if (dtype == DataType::kInvalid) {
    size_t widest = 0;
    for (int i : {0, 1, 2}) {
      if (i == 1 && !has_limit) continue;
      const auto* at = std::find(std::begin(kOrder), std::end(kOrder), of(i));
      if (at == std::end(kOrder)) {
        throw Error(
            TypeError("tf.range takes numbers, not {}", DataTypeName(of(i))));
      }
      widest = std::max<size_t>(widest, at - kOrder);
    }
    dtype = kOrder[widest];
  }
  const auto number = [&](int i, std::string_view node) -> Tensor {
    Tensor t;
    if (const int64_t* v = c.get<int64_t>(i)) {
      if (dtype == DataType::kInt32 && *v != static_cast<int32_t>(*v)) {
        throw Error(
            TypeError("Cannot convert {} to EagerTensor of dtype int32", *v));
      }
      if (dtype == DataType::kInt64) {
        return ValueOrThrow(OpBuilder::Current()->Constant(
            Tensor::Scalar<int64_t>(*v), c.name(node)));
      }
      return NumberOf(static_cast<double>(*v), dtype, c.name(node));
    }
    if (const double* v = c.get<double>(i)) {
      if (IsInteger(dtype)) {
        throw Error(TypeError("Cannot convert {} to EagerTensor of dtype {}",
                              *v, DataTypeName(dtype)));
      }
      return NumberOf(*v, dtype, c.name(node));
    }
    if (const bool* v = c.get<bool>(i)) {
      throw Error(TypeError("tf.range takes numbers, not {}", *v));
    }
    t = c.tensor(i);
    return t.dtype() == dtype ? t : ops::Cast(OpName(c.name("Cast")), t, dtype);
  };
  const Tensor start =
      has_limit ? number(0, "start") : NumberOf(0, dtype, c.name("start"));
  const Tensor limit = number(has_limit ? 1 : 0, "limit");
  const Tensor delta = number(2, "delta");
  return {ops::Range(OpName(c.name()), start, limit, delta)};
}

TensorVector Eye(CompositionCall& c) {
  const DataType dtype = c.type(3);
  const auto scalar = [&](int i) -> Tensor {
    if (const int64_t* v = c.get<int64_t>(i)) return Int32Of(*v);
    const Tensor& t = c.tensor(i);
    if (t.dtype() != DataType::kInt64) return t;
    const auto value = KnownInts(t);
    if (value && value->size() == 1) return Int32Of((*value)[0]);
    return ops::Cast(t, DataType::kInt32);
  };
  const auto known = [&](int i) -> std::optional<int64_t> {
    if (const int64_t* v = c.get<int64_t>(i)) return *v;
    const auto v = KnownInts(c.tensor(i));
    if (v && v->size() == 1) return (*v)[0];
    return std::nullopt;
  };
  const int columns = c.has(1) ? 1 : 0;
  const Tensor batch =
      c.has(2) ? c.tensor(2)
               : IntsTensor(std::vector<int64_t>{}, DataType::kInt32);
  const auto batch_dims = KnownInts(batch);
  const auto rows = known(0), cols = known(columns);
  Tensor ones_shape;
  if (rows && cols && batch_dims) {
    if (*rows < 0 || *cols < 0) {
      throw Error(
          ValueError("Arguments `num_rows` and `num_columns` must be "
                     "positive integer values. Received: num_rows={}, "
                     "num_columns={}",
                     *rows, *cols));
    }
    std::vector<int64_t> dims = *batch_dims;
    dims.push_back(std::min(*rows, *cols));
    ones_shape = IndicesOf(dims, c.name("ones_shape"));
  } else {
    const Tensor left = scalar(0);
    const Tensor n = ops::Minimum(left, scalar(columns));
    Tensor n1 = ops::ExpandDims(n, Int32Of(0));
    if (n1.dtype() != batch.dtype()) {
      n1 = ops::Cast(n1, batch.dtype());
    }
    ones_shape = Joined({batch, n1});
  }
  const Tensor ones =
      ops::Fill(OpName(c.name("ones")), ones_shape, NumberOf(1, dtype));
  const Tensor k = Int32Of(0, c.name("diag/k"));
  const Tensor num_rows = scalar(0);
  const Tensor num_cols = scalar(columns);
  return {ops::MatrixDiagV3(OpName(c.name("diag")), ones, k, num_rows, num_cols,
                            NumberOf(0, dtype))};
}

TensorVector OneHot(CompositionCall& c) {
  DataType dtype = c.has(5) ? c.type(5) : DataType::kInvalid;
  for (int i : {2, 3}) {
    const Tensor* t = c.get<Tensor>(i);
    if (t == nullptr) continue;
    if (dtype != DataType::kInvalid && t->dtype() != dtype) {
      throw Error(
          TypeError("dtype {0} of {1} does not match dtype parameter "
                    "{2}",
                    DataTypeName(t->dtype()), i == 2 ? "on_value" : "off_value",
                    DataTypeName(dtype)));
    }
    dtype = t->dtype();
  }
  if (dtype == DataType::kInvalid) dtype = DataType::kFloat;
  const Tensor on =
      c.has(2) ? c.tensor(2) : NumberOf(1, dtype, c.name("on_value"));
  const Tensor off =
      c.has(3) ? c.tensor(3) : NumberOf(0, dtype, c.name("off_value"));
  return {ops::OneHot(OpName(c.name()), c.tensor(0), c.tensor(1), on, off,
                      c.has(4) ? c.integer(4) : int64_t{-1})};
}

Tensor Int(int64_t v, DataType dtype, const CompositionCall& c) {
  const Tensor t = dtype == DataType::kInt64
                       ? Tensor::Scalar<int64_t>(v)
                       : Tensor::Scalar<int32_t>(static_cast<int32_t>(v));
  return ValueOrThrow(OpBuilder::Current()->Constant(t, c.name()));
}

DataType OutType(const CompositionCall& c) {
  return c.has(1) ? c.type(1) : DataType::kInt32;
}

TensorVector Shape(CompositionCall& c) {
  const PartialTensorShape s = c.tensor(0).partial_shape();
  const DataType out = OutType(c);
  if (s.IsFullyDefined() &&
      (out == DataType::kInt64 || out == DataType::kInt32)) {
    if (out == DataType::kInt32 &&
        std::any_of(s.dims().begin(), s.dims().end(),
                    [](int64_t d) { return d != static_cast<int32_t>(d); })) {
      throw Error(
          InvalidArgument("Shape output type is 32-bit but a dimension "
                          "of {} does not fit",
                          s.DebugString()));
    }
    return {IntsTensor(s.dims(), out, c.name())};
  }
  return {ops::Shape(OpName(c.name()), c.tensor(0), out)};
}

TensorVector Size(CompositionCall& c) {
  const int64_t n = c.tensor(0).partial_shape().num_elements();
  if (n >= 0 &&
      (OutType(c) == DataType::kInt64 || n == static_cast<int32_t>(n))) {
    return {Int(n, OutType(c), c)};
  }
  return {ops::Size(OpName(c.name()), c.tensor(0), OutType(c))};
}

TensorVector Rank(CompositionCall& c) {
  const PartialTensorShape s = c.tensor(0).partial_shape();
  if (!s.unknown_rank()) return {Int(s.rank(), DataType::kInt32, c)};
  return {ops::Rank(OpName(c.name()), c.tensor(0))};
}

const CompositionRecord kRecords[] = {
    {.names = "zeros",
     .args = "shape: native; dtype: type = float32; name: name = None; layout: "
             "native = None",
     .scope = "zeros",
     .ragged = RaggedForm::kFilled,
     .build = Zeros,
     .doc =
         "A tensor of zeros (of empty strings, of False).\n\nArgs:\n  shape: "
         "a list of ints, a TensorShape or an integer tensor.\n  dtype: of "
         "the result.",
     .example = ">>> tf.zeros([2]).numpy().tolist()\n[0.0, 0.0]"},
    {.names = "ones",
     .args = "shape: native; dtype: type = float32; name: name = None; layout: "
             "native = None",
     .scope = "ones",
     .ragged = RaggedForm::kFilled,
     .build = Ones,
     .doc =
         "A tensor of ones.\n\nArgs:\n  shape: a list of ints, a TensorShape "
         "or an integer tensor.\n  dtype: of the result.",
     .example = ">>> tf.ones([2]).numpy().tolist()\n[1.0, 1.0]"},
    {.names = "zeros_like",
     .args = "input: tensor as tensor; dtype: type = None; name: name = None; "
             "layout: native = None",
     .scope = "zeros_like",
     .maps = 1,
     .build = ZerosLike,
     .doc = "Zeros of the shape, and unless `dtype` is given the dtype, of "
            "`input`.",
     .example = ">>> tf.zeros_like([1, 2]).numpy().tolist()\n[0, 0]"},
    {.names = "ones_like",
     .args = "input: tensor as tensor; dtype: type = None; name: name = None; "
             "layout: native = None",
     .scope = "ones_like",
     .maps = 1,
     .build = OnesLike,
     .doc = "Ones of the shape, and unless `dtype` is given the dtype, of "
            "`input`.",
     .example = ">>> tf.ones_like([3, 2]).numpy().tolist()\n[1, 1]"},
    {.names = "range",
     .args = "start: native(numbers); limit: native(numbers) = None; delta: "
             "native(numbers) = 1; dtype: type = None",
     .scope = "range",
     .build = Range,
     .doc =
         "The numbers start, start + delta, ... below `limit`; with one "
         "argument 0, 1, ... below it.\n\nArgs:\n  start, limit, delta: "
         "scalars.\n  dtype: of the result; by default the widest of the "
         "arguments'.\n\nRaises InvalidArgumentError if delta is 0 or points "
         "away from `limit`.",
     .example = ">>> tf.range(1, 6, 2).numpy().tolist()\n[1, 3, 5]"},
    {.names = "eye|linalg.eye",
     .args = "num_rows: native; num_columns: native = None; batch_shape: shape "
             "= None; dtype: type = float32",
     .scope = "eye",
     .wraps_op = true,
     .build = Eye,
     .doc = "Identity matrices of shape batch_shape + [num_rows, "
            "num_columns].",
     .example = ">>> tf.eye(2).numpy().tolist()\n[[1.0, 0.0], [0.0, 1.0]]"},
    {.names = "one_hot",
     .args = "indices: tensor; depth: tensor(int32); on_value: tensor(U) = "
             "None; off_value: tensor(U) = None; axis: int = None; dtype: "
             "type(U) = None",
     .scope = "one_hot",
     .wraps_op = true,
     .ragged = RaggedForm::kOneHot,
     .build = OneHot,
     .doc = "A new axis of size `depth` that holds `on_value` at the position "
            "that `indices` names and `off_value` elsewhere.\n\nArgs:\n  "
            "indices: integers; those outside [0, depth) give off_value "
            "only.\n  axis: where the new axis goes; by default last.",
     .example = ">>> tf.one_hot([1], 2).numpy().tolist()\n[[0.0, 1.0]]"},
    {.names = "shape",
     .args = "input: tensor; out_type: type = None",
     .scope = "Shape",
     .ragged = RaggedForm::kShape,
     .build = Shape,
     .doc = "The shape of a tensor as an integer vector; a constant where it "
            "is known while tracing.",
     .example = ">>> tf.shape([[1, 2]]).numpy().tolist()\n[1, 2]"},
    {.names = "size",
     .args = "input: tensor; out_type: type = None",
     .scope = "Size",
     .ragged = RaggedForm::kSize,
     .build = Size,
     .doc = "The number of elements of a tensor.",
     .example = ">>> tf.size([[1, 2]]).numpy().item()\n2"},
    {.names = "rank",
     .args = "input: tensor",
     .scope = "Rank",
     .ragged = RaggedForm::kRank,
     .build = Rank,
     .doc = "The number of dimensions of a tensor, an int32 scalar.",
     .example = ">>> tf.rank([[1, 2]]).numpy().item()\n2"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_creation)

}  // namespace gk
