#include "ops/random/random_source.h"

#include <optional>

#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Mul.h"
#include "ops/fn/StatelessRandomGetKeyCounter.h"
#include "ops/random/random_algorithm.h"
#include "ops/random/random_seeds.h"

namespace gk {

bool IsRandomInteger(DataType t) {
  return t == DataType::kInt32 || t == DataType::kInt64 ||
         t == DataType::kUint32 || t == DataType::kUint64;
}

bool IsNumber(const CompositionCall& c, int i, int64_t number) {
  if (const int64_t* v = c.get<int64_t>(i)) return *v == number;
  const double* v = c.get<double>(i);
  return v != nullptr && *v == static_cast<double>(number);
}

const Tensor& RandomShape(const CompositionCall& c, int i) {
  const Tensor& shape = c.tensor(i);
  const PartialTensorShape form = shape.partial_shape();
  if (!form.unknown_rank() && form.rank() != 1) {
    throw Error(ValueError(
        "`shape` must be a list, tuple or tensor of rank 1, got one of rank {}",
        form.rank()));
  }
  return shape;
}

Tensor Affine(const CompositionCall& c, const Tensor& x, const Tensor& scale,
              const Tensor& shift) {
  const Tensor scaled = ops::Mul(OpName(c.name("mul")), x, scale);
  return ops::AddV2(OpName(c.name()), scaled, shift);
}

AttrMap SeedAttrsOf(const CompositionCall& c, int i) {
  const int64_t* seed = c.get<int64_t>(i);
  return SeedAttrs(SeedsOfOp(seed ? std::optional(*seed) : std::nullopt));
}

RandomAlgorithmChoice AlgorithmOf(const CompositionCall& c, int i) {
  if (const Tensor* t = c.get<Tensor>(i)) return *t;
  if (const int64_t* v = c.get<int64_t>(i)) {
    return ValueOrThrow(RandomAlgorithm(*v));
  }
  if (const std::string* s = c.get<std::string>(i)) {
    return ValueOrThrow(RandomAlgorithm(*s));
  }
  throw Error(TypeError(
      "Can't convert argument `alg` to int: expected 1, 2, 3, 'philox', "
      "'threefry', 'auto_select' or a tensor"));
}

Tensor MakeAlgorithm(const CompositionCall& c,
                     const RandomAlgorithmChoice& algorithm,
                     std::string_view node) {
  if (const Tensor* t = std::get_if<Tensor>(&algorithm)) return *t;
  return Int32Of(std::get<int64_t>(algorithm), c.name(node));
}

TensorVector KeyCounter(const CompositionCall& c, int seed) {
  return ops::StatelessRandomGetKeyCounter(
      OpName(c.name("StatelessRandomGetKeyCounter")), c.tensor(seed));
}

void CheckFloatingResult(DataType t, std::string_view what) {
  if (t == DataType::kHalf || t == DataType::kBfloat16 ||
      t == DataType::kFloat || t == DataType::kDouble) {
    return;
  }
  throw Error(
      ValueError("Argument `dtype` of {} must be a floating type, got "
                 "{}",
                 what, DataTypeName(t)));
}

void CheckUniformArguments(const CompositionCall& c, int maxval,
                           DataType dtype) {
  if (!IsRandomInteger(dtype) && !IsFloating(dtype)) {
    throw Error(ValueError(
        "Argument `dtype` got invalid value tf.{}. Accepted dtypes are "
        "['int32', 'int64', 'uint32', 'uint64', 'float16', 'bfloat16', "
        "'float32', 'float64'].",
        DataTypeName(dtype)));
  }
  if (IsRandomInteger(dtype) && !c.has(maxval)) {
    throw Error(ValueError(
        "Must specify maxval for integer dtype tf.{}. Got maxval=None.",
        DataTypeName(dtype)));
  }
}

Tensor UpperLimit(const CompositionCall& c, int i, DataType dtype) {
  return c.has(i) ? ArgumentAs(c, i, dtype, "max")
                  : NumberOf(1, dtype, c.name("max"));
}

}  // namespace gk
