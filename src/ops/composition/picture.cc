#include "ops/composition/picture.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/symbolic_tensor.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/All.h"
#include "ops/fn/Assert.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/FloorDiv.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Greater.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/Identity.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Minimum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Pad.h"
#include "ops/fn/Rank.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Slice.h"
#include "ops/fn/Squeeze.h"
#include "ops/fn/Sub.h"

namespace gk {
namespace {

using Ints = std::vector<int64_t>;

Error BadRank(const PartialTensorShape& s) {
  return Error(
      ValueError("'image' (shape {}) must have either 3 or 4 dimensions.",
                 s.PythonString()));
}

}  // namespace

Tensor Count::AsTensor() const { return known() ? Int32Of(value) : tensor; }

Count operator+(const Count& a, const Count& b) {
  if (a.known() && b.known()) return Count(a.value + b.value);
  return Count(ops::AddV2(a.AsTensor(), b.AsTensor()));
}
Count operator-(const Count& a, const Count& b) {
  if (a.known() && b.known()) return Count(a.value - b.value);
  return Count(ops::Sub(a.AsTensor(), b.AsTensor()));
}
Count Larger(const Count& a, const Count& b) {
  if (a.known() && b.known()) return Count(std::max(a.value, b.value));
  return Count(ops::Maximum(a.AsTensor(), b.AsTensor()));
}
Count Smaller(const Count& a, const Count& b) {
  if (a.known() && b.known()) return Count(std::min(a.value, b.value));
  return Count(ops::Minimum(a.AsTensor(), b.AsTensor()));
}
Count HalfOf(const Count& a) {
  if (a.known()) return Count(a.value >> 1);
  return Count(ops::FloorDiv(a.tensor, Int32Of(2)));
}

Count CountArgument(const CompositionCall& c, int i) {
  if (const int64_t* v = c.get<int64_t>(i)) return Count(*v);
  if (const double* v = c.get<double>(i)) {
    throw Error(
        TypeError("Cannot convert {} to EagerTensor of dtype int32", *v));
  }
  return Count(CastTo(c.tensor(i), DataType::kInt32));
}

void Require(const Tensor& condition, const std::string& text) {
  const Tensor data = ValueOrThrow(OpBuilder::Current()->Constant(
      Tensor::Scalar<std::string>(text), "Const"));
  ops::Assert(condition, TensorVector{data});
}

void RequireAtLeast(const Count& a, const Count& b, const std::string& text) {
  if (a.known() && b.known()) {
    if (a.value < b.value) throw Error(ValueError("{}", text));
    return;
  }
  Require(ops::GreaterEqual(a.AsTensor(), b.AsTensor()), text);
}

Tensor Axes(const std::vector<int64_t>& axes) {
  return IntsTensor(axes, DataType::kInt32);
}

Tensor CountVector(const std::vector<Count>& counts) {
  const bool known = std::all_of(counts.begin(), counts.end(),
                                 [](const Count& c) { return c.known(); });
  if (known) {
    Ints values;
    for (const Count& c : counts) values.push_back(c.value);
    return IntsTensor(values, DataType::kInt32);
  }
  TensorVector parts;
  for (const Count& c : counts) parts.push_back(c.AsTensor());
  return ops::Pack(parts);
}

Count DimOf(const Tensor& x, int i) {
  const int64_t dim = x.partial_shape().dim(i);
  if (dim >= 0) return Count(dim);
  return Count(ops::GatherV2(ops::Shape(x), Int32Of(i), Int32Of(0)));
}

Tensor LastSizes(const Tensor& x, int64_t n) {
  const int rank = x.partial_shape().rank();
  const Tensor first =
      rank >= 0 ? IntsTensor(Ints{rank - n}, DataType::kInt32)
                : ops::Reshape(ops::Sub(ops::Rank(x), Int32Of(n)),
                               IntsTensor(Ints{1}, DataType::kInt32));
  return ops::Slice(ops::Shape(x), first,
                    IntsTensor(Ints{n}, DataType::kInt32));
}

Tensor FirstSizes(const Tensor& x, int64_t last) {
  const int rank = x.partial_shape().rank();
  const Tensor size = rank >= 0
                          ? IntsTensor(Ints{rank - last}, DataType::kInt32)
                          : ops::Reshape(ops::Sub(ops::Rank(x), Int32Of(last)),
                                         IntsTensor(Ints{1}, DataType::kInt32));
  return ops::Slice(ops::Shape(x), IntsTensor(Ints{0}, DataType::kInt32), size);
}

void TellShape(const Tensor& x, const PartialTensorShape& shape) {
  if (!x.is_symbolic()) return;
  const SymbolicTensor* edge = SymbolicTensor::Of(x);
  const StatusOr<PartialTensorShape> both = x.partial_shape().MergeWith(shape);
  if (!both.ok()) throw Error(ValueError("{}", both.status().message()));
  edge->source()->RefineShape(edge->node(), edge->index(), *both);
}

void CheckSpace(const Tensor& image) {
  const PartialTensorShape s = image.partial_shape();
  if (!s.unknown_rank() && s.rank() < 3) {
    throw Error(
        ValueError("'image' (shape {}) must be at least three-dimensional.",
                   s.PythonString()));
  }
  bool known = !s.unknown_rank();
  for (int i = s.rank() - 3; !s.unknown_rank() && i < s.rank(); ++i) {
    if (s.dim(i) == 0) {
      throw Error(ValueError("inner 3 dims of 'image.shape' must be > 0: {}",
                             s.PythonString()));
    }
    known = known && s.dim(i) > 0;
  }
  if (known) return;
  Require(ops::All(ops::Greater(LastSizes(image, 3), Int32Of(0)),
                   IntsTensor(Ints{0}, DataType::kInt32)),
          "inner 3 dims of 'image.shape' must be > 0.");
}

void CheckRank3Or4(const Tensor& image) {
  const PartialTensorShape s = image.partial_shape();
  if (s.unknown_rank() || s.rank() == 3 || s.rank() == 4) return;
  throw BadRank(s);
}

PictureBatch BatchOf(const Tensor& image) {
  const PartialTensorShape s = image.partial_shape();
  CheckRank3Or4(image);
  if (s.rank() == 4) return {image, false};
  const Tensor images = ops::ExpandDims(image, Int32Of(0));
  TellShape(images, PartialTensorShape::UnknownOfRank(4));
  return {images, true};
}

Tensor PictureBatch::Back(const Tensor& result) const {
  return single ? ops::Squeeze(result, Ints{0}) : result;
}

Tensor AsFloatPicture(const Tensor& image) {
  const DataType t = image.dtype();
  if (t == DataType::kHalf || t == DataType::kFloat) return image;
  return ConvertPicture(image, DataType::kFloat, false);
}

Tensor ConvertPicture(const Tensor& image, DataType dtype, bool saturate) {
  const DataType from = image.dtype();
  const auto is_number = [](DataType t) {
    return IsFloating(t) || IsInteger(t);
  };
  if (!is_number(dtype)) {
    throw Error(
        AttributeError("dtype must be either floating point or integer"));
  }
  if (!is_number(from)) {
    throw Error(
        AttributeError("image dtype must be either floating point or integer"));
  }
  if (dtype == from) return ops::Identity(image);
  const auto cast = [&](const Tensor& x) {
    return saturate ? CallComposition("saturate_cast", {x, dtype})[0]
                    : ops::Cast(x, dtype);
  };
  if (IsFloating(from) && IsFloating(dtype)) return ops::Cast(image, dtype);
  // The greatest number of an integer type is 2^bits - 1.
  const auto bits = [](DataType t) {
    return DataTypeSize(t) * 8 - (IsUnsigned(t) ? 0 : 1);
  };
  const auto greatest = [&](DataType t) {
    return std::ldexp(1.0L, bits(t)) - 1;
  };
  if (IsInteger(from) && IsInteger(dtype)) {
    const int more = bits(from) - bits(dtype);
    if (more > 0) {
      return cast(ops::FloorDiv(image, IntegerOf(int64_t{1} << more, from)));
    }
    return ops::Mul(cast(image), IntegerOf(int64_t{1} << -more, dtype));
  }
  if (IsInteger(from)) {
    const double scale =
        static_cast<double>(1.0 / static_cast<double>(greatest(from)));
    return ops::Mul(ops::Cast(image, dtype), NumberOf(scale, dtype));
  }
  const double scale = static_cast<double>(greatest(dtype)) + 0.5;
  return cast(ops::Mul(image, NumberOf(scale, from)));
}

Tensor PadPicture(const Tensor& image, const Count& top, const Count& left,
                  const Count& height, const Count& width) {
  const PictureBatch batch = BatchOf(image);
  const Tensor& images = batch.images;
  const Count bottom = height - top - DimOf(images, 1);
  const Count right = width - left - DimOf(images, 2);
  CheckSpace(images);
  RequireAtLeast(top, 0, "offset_height must be >= 0");
  RequireAtLeast(left, 0, "offset_width must be >= 0");
  RequireAtLeast(right, 0, "width must be <= target - offset");
  RequireAtLeast(bottom, 0, "height must be <= target - offset");
  const Tensor paddings =
      ops::Reshape(CountVector({0, 0, top, bottom, left, right, 0, 0}),
                   IntsTensor(Ints{4, 2}, DataType::kInt32));
  const Tensor padded = ops::Pad(images, paddings);
  const PartialTensorShape s = images.partial_shape();
  TellShape(padded, {s.dim(0), height.dim(), width.dim(), s.dim(3)});
  return batch.Back(padded);
}

Tensor CropPicture(const Tensor& image, const Count& top, const Count& left,
                   const Count& height, const Count& width) {
  const PictureBatch batch = BatchOf(image);
  const Tensor& images = batch.images;
  CheckSpace(images);
  RequireAtLeast(left, 0, "offset_width must be >= 0.");
  RequireAtLeast(top, 0, "offset_height must be >= 0.");
  RequireAtLeast(width, 1, "target_width must be > 0.");
  RequireAtLeast(height, 1, "target_height must be > 0.");
  RequireAtLeast(DimOf(images, 2), width + left,
                 "width must be >= target + offset.");
  RequireAtLeast(DimOf(images, 1), height + top,
                 "height must be >= target + offset.");
  const Tensor cropped = ops::Slice(images, CountVector({0, top, left, 0}),
                                    CountVector({-1, height, width, -1}));
  const PartialTensorShape s = images.partial_shape();
  TellShape(cropped, {s.dim(0), height.dim(), width.dim(), s.dim(3)});
  return batch.Back(cropped);
}

}  // namespace gk
