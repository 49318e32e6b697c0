// Joining, splitting, transposing and reshaping.
#include <algorithm>
#include <numeric>
#include <utility>

#include "ops/composition.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/ConjugateTranspose.h"
#include "ops/fn/Identity.h"
#include "ops/fn/MirrorPad.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Pad.h"
#include "ops/fn/PadV2.h"
#include "ops/fn/Rank.h"
#include "ops/fn/Slice.h"
#include "ops/fn/Split.h"
#include "ops/fn/SplitV.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Transpose.h"
#include "ops/fn/Unpack.h"

namespace gk {
namespace {

// An axis as an int32 scalar named `node`; int64 if it must be, which the op
// or its kernel refuses.
Tensor AxisTensor(const CompositionCall& c, int i, std::string_view node) {
  if (const int64_t* v = c.get<int64_t>(i)) return IndexOf(*v, c.name(node));
  return c.tensor(i);
}

// The one that Split and SplitV have in 32 bits alone.
Tensor SplitAxis(const CompositionCall& c) {
  const int64_t* v = c.get<int64_t>(2);
  return v ? Int32Of(*v, c.name("split_dim")) : c.tensor(2);
}

TensorVector Concat(CompositionCall& c) {
  TensorVector in = c.tensors(0);
  if (in.empty()) {
    throw Error(ValueError("concat needs at least one tensor"));
  }
  if (in.size() == 1) {
    // The axis is still checked, as for more tensors.
    const Tensor axis = AxisTensor(c, 1, "concat_dim");
    const PartialTensorShape s = in[0].partial_shape();
    const auto known = KnownInts(axis);
    if (known && known->size() == 1 && !s.unknown_rank()) {
      PositiveAxis((*known)[0], s.rank());
    }
    return {ops::Identity(OpName(c.name("concat")), in[0])};
  }
  return {ops::ConcatV2(OpName(c.name()), in, AxisTensor(c, 1, "axis"))};
}

TensorVector Stack(CompositionCall& c) {
  if (const Tensor* whole = c.get<Tensor>(0)) return {*whole};
  const TensorVector& in = c.tensors(0);
  if (in.empty()) {
    if (c.integer(1) != 0) throw Error(IndexError("list index out of range"));
    // As the empty list converts.
    return {ValueOrThrow(OpBuilder::Current()->Constant(
        Tensor::Vector<float>(std::span<const float>()), c.name()))};
  }
  const PartialTensorShape s = in[0].partial_shape();
  if (!s.unknown_rank()) {
    const int64_t rank = s.rank() + 1;
    if (c.integer(1) < -rank || c.integer(1) >= rank) {
      throw Error(ValueError("Argument `axis` = {} not in range [{}, {})",
                             c.integer(1), -rank, rank));
    }
  }
  return {ops::Pack(OpName(c.name()), in, c.integer(1))};
}

TensorVector Unstack(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const int64_t axis = c.integer(2);
  int64_t n;
  if (c.has(1)) {
    n = c.integer(1);
  } else {
    const PartialTensorShape s = x.partial_shape();
    if (s.unknown_rank()) {
      throw Error(ValueError("Cannot infer argument `num` from shape {}",
                             s.PythonString()));
    }
    if (axis < -s.rank() || axis >= s.rank()) {
      throw Error(ValueError("Argument `axis` = {} not in range [{}, {})", axis,
                             -s.rank(), s.rank()));
    }
    n = s.dim(axis < 0 ? axis + s.rank() : axis);
    if (n < 0) {
      throw Error(ValueError("Cannot infer argument `num` from shape {}",
                             s.PythonString()));
    }
  }
  return ops::Unpack(OpName(c.name()), x, n, axis);
}

TensorVector Split(CompositionCall& c) {
  const Tensor& value = c.tensor(0);
  if (const int64_t* n = c.get<int64_t>(1)) {
    if (*n < 1) {
      throw Error(
          ValueError("Rank-0 tensors are not supported as the "
                     "num_or_size_splits argument to split. Argument "
                     "provided: {}",
                     *n));
    }
    const Tensor axis = SplitAxis(c);
    return ops::Split(OpName(c.name()), axis, value, *n);
  }
  Tensor sizes;
  int64_t num = -1;
  if (const auto* v = c.get<std::vector<int64_t>>(1)) {
    sizes = IndicesOf(*v);
    num = v->size();
  } else {
    sizes = c.tensor(1);
    const PartialTensorShape s = sizes.partial_shape();
    if (s.rank() == 0) {
      throw Error(
          ValueError("Rank-0 tensors are not supported as the "
                     "num_or_size_splits argument to split. Argument "
                     "provided: {}",
                     sizes.DebugString()));
    }
    if (s.rank() > 0) num = s.dim(0);
  }
  if (c.has(3)) num = c.integer(3);
  if (num < 0) {
    throw Error(ValueError("Cannot infer argument `num` from shape {}",
                           sizes.partial_shape().PythonString()));
  }
  const Tensor axis = SplitAxis(c);
  return ops::SplitV(OpName(c.name()), value, sizes, axis, num);
}

TensorVector Transpose(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  Tensor perm;
  if (c.has(1)) {
    perm = c.tensor(1);
  } else {
    const PartialTensorShape s = x.partial_shape();
    if (s.unknown_rank()) {
      const Tensor rank = ops::Rank(OpName(c.name("Rank")), x);
      const Tensor last =
          ops::Sub(OpName(c.name("sub")), rank, Int32Of(1, c.name("sub/y")));
      perm = ops::Sub(OpName(c.name("sub_1")), last, AllAxes(x));
    } else {
      std::vector<int64_t> axes(s.rank());
      std::iota(axes.rbegin(), axes.rend(), 0);
      perm = IntsTensor(axes, DataType::kInt32, c.name("perm"));
    }
  }
  const OpName name(c.name());
  return {c.flag(2) && IsComplex(x.dtype())
              ? ops::ConjugateTranspose(name, x, perm)
              : ops::Transpose(name, x, perm)};
}

// The number that is left of one in a dtype that may be too narrow for it; of
// one that 32 bits do not hold nothing is.
int64_t AsStored(int64_t number, DataType dtype) {
  if (dtype != DataType::kInt64 && dtype != DataType::kUint64 &&
      dtype != DataType::kUint32 && IsInteger(dtype) &&
      number != static_cast<int32_t>(number)) {
    throw Error(TypeError("Cannot convert {} to EagerTensor of dtype {}",
                          number, DataTypeName(dtype)));
  }
  VisitType<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t>(
      dtype, [&](auto zero) {
        number = static_cast<int64_t>(static_cast<decltype(zero)>(number));
      });
  return number;
}

TensorVector Pad(CompositionCall& c) {
  const Tensor &x = c.tensor(0), &paddings = c.tensor(1);
  std::string mode = c.text(2);
  std::transform(mode.begin(), mode.end(), mode.begin(),
                 [](unsigned char ch) { return std::toupper(ch); });
  const std::string_view given = c.name();
  const auto name = [&](const char* fallback) {
    return given.empty() ? std::string_view(fallback) : given;
  };
  if (mode == "REFLECT" || mode == "SYMMETRIC") {
    return {ops::MirrorPad(OpName(name("MirrorPad")), x, paddings, mode)};
  }
  if (mode != "CONSTANT") {
    throw Error(
        ValueError("Value of argument `mode` expected to be one of "
                   "\"CONSTANT\", \"REFLECT\", or \"SYMMETRIC\". "
                   "Received `mode` = {}",
                   c.text(2)));
  }
  const bool is_zero = (c.get<int64_t>(3) && *c.get<int64_t>(3) == 0) ||
                       (c.get<double>(3) && *c.get<double>(3) == 0);
  if (is_zero) return {ops::Pad(OpName(name("Pad")), x, paddings)};
  Tensor value;
  if (const int64_t* v = c.get<int64_t>(3)) {
    value = IntegerOf(AsStored(*v, x.dtype()), x.dtype());
  } else if (const double* v = c.get<double>(3)) {
    if (IsInteger(x.dtype())) {
      throw Error(TypeError("Cannot convert {} to EagerTensor of dtype {}", *v,
                            DataTypeName(x.dtype())));
    }
    value = NumberOf(*v, x.dtype());
  } else if (const bool* v = c.get<bool>(3)) {
    value = NumberOf(*v, x.dtype());
  } else if (const std::string* v = c.get<std::string>(3)) {
    value = ValueOrThrow(OpBuilder::Current()->Constant(
        Tensor::Scalar<std::string>(*v), name("Const")));
  } else {
    value = c.tensor(3);
    // Python's complex numbers are of the wider dtype.
    if (IsComplex(x.dtype()) && IsComplex(value.dtype()) &&
        x.dtype() != value.dtype()) {
      value = ops::Cast(value, x.dtype());
    }
  }
  return {ops::PadV2(OpName(name("PadV2")), x, paddings, value)};
}

// Begin and size have one dtype: the wider, if 32 bits do not do for one.
TensorVector Slice(CompositionCall& c) {
  Tensor begin = c.tensor(1), size = c.tensor(2);
  for (auto [narrow, wide] : {std::pair(&begin, &size), {&size, &begin}}) {
    if (narrow->dtype() == DataType::kInt32 &&
        wide->dtype() == DataType::kInt64) {
      *narrow = ops::Cast(*narrow, DataType::kInt64);
    }
  }
  return {ops::Slice(OpName(c.name()), c.tensor(0), begin, size)};
}

const CompositionRecord kRecords[] = {
    {.names = "concat",
     .args = "values: tensors(T); axis: native",
     .scope = "concat",
     .shows_name = true,
     .ragged = RaggedForm::kConcat,
     .build = Concat,
     .doc = "Joins tensors along an existing axis.\n\nArgs:\n  values: a list "
            "of tensors of one dtype, whose shapes agree in all other "
            "dimensions.\n  axis: in [-rank, rank).\n\nRaises "
            "InvalidArgumentError if the shapes do not agree.",
     .example = ">>> tf.concat([[1, 2], [3]], 0).numpy().tolist()\n"
                "[1, 2, 3]"},
    {.names = "stack",
     .args = "values: tensors(T); axis: int = 0",
     .scope = "stack",
     .shows_name = true,
     .ragged = RaggedForm::kStack,
     .build = Stack,
     .doc = "Joins tensors of one shape along a new axis.\n\nArgs:\n  values: "
            "a list of tensors of one dtype and shape.\n  axis: where the new "
            "dimension goes, in [-(rank + 1), rank + 1).",
     .example = ">>> tf.stack([1, 2, 3]).numpy().tolist()\n[1, 2, 3]",
     .converts_whole = true},
    {.names = "unstack",
     .args = "value: tensor; num: int = None; axis: int = 0",
     .scope = "unstack",
     .shows_name = true,
     .build = Unstack,
     .result = "list",
     .doc = "Splits a tensor into the slices along an axis, a list.\n\nRaises "
            "ValueError if `num` is neither given nor known.",
     .example = ">>> [t.numpy().item() for t in tf.unstack([1, 2])]\n[1, 2]"},
    {.names = "split",
     .args = "value: tensor; num_or_size_splits: native; axis: native = 0; "
             "num: int = None",
     .scope = "split",
     .shows_name = true,
     .ragged = RaggedForm::kSplit,
     .build = Split,
     .result = "list",
     .doc = "Splits a tensor along an axis into a list.\n\nArgs:\n  "
            "num_or_size_splits: a number of equal parts, or the sizes of the "
            "parts; one may be -1.\n  num: how many sizes, if not known.",
     .example = ">>> [t.numpy().tolist() for t in tf.split([1, 2, 3], [1, 2])]"
                "\n[[1], [2, 3]]"},
    {.names = "transpose",
     .args = "a: tensor as a; perm: tensor(int32) = None; conjugate: bool = "
             "False",
     .scope = "transpose",
     .build = Transpose,
     .doc = "Permutes dimensions.\n\nArgs:\n  perm: dimension i of the result "
            "is dimension perm[i] of `a`; None reverses them.\n  conjugate: "
            "whether complex elements are conjugated.",
     .example = ">>> tf.transpose([[1, 2], [3, 4]]).numpy().tolist()\n"
                "[[1, 3], [2, 4]]"},
    {.names = "pad",
     .args = "tensor: tensor; paddings: tensor(int32); mode: string = "
             "'CONSTANT'; constant_values: native = 0",
     .build = Pad,
     .doc = "Pads a tensor.\n\nArgs:\n  paddings: [rank, 2], how many elements "
            "before and after in each dimension.\n  mode: CONSTANT, REFLECT or "
            "SYMMETRIC.\n  constant_values: what CONSTANT pads with.",
     .example = ">>> tf.pad([1], [[1, 1]]).numpy().tolist()\n[0, 1, 0]"},
    {.names = "slice",
     .args = "input_: tensor as input; begin: shape; size: shape",
     .scope = "Slice",
     .build = Slice,
     .doc = "The part of a tensor that begins at `begin` and has shape `size`; "
            "-1 stands for all that remains.",
     .example = ">>> tf.slice([1, 2, 3], [1], [2]).numpy().tolist()\n[2, 3]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_array)

}  // namespace gk
