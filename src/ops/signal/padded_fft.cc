#include "ops/signal/padded_fft.h"

#include <algorithm>
#include <numbers>
#include <vector>

#include "ops/composition.h"
#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Complex.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Equal.h"
#include "ops/fn/Exp.h"
#include "ops/fn/Fill.h"
#include "ops/fn/FloorDiv.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/IRFFT.h"
#include "ops/fn/IRFFT2D.h"
#include "ops/fn/IRFFT3D.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Pad.h"
#include "ops/fn/RFFT.h"
#include "ops/fn/RFFT2D.h"
#include "ops/fn/RFFT3D.h"
#include "ops/fn/Range.h"
#include "ops/fn/Real.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Rsqrt.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Sqrt.h"
#include "ops/fn/Sub.h"
#include "ops/fn/ZerosLike.h"

namespace gk {
namespace {

// The sizes of the last `rank` dimensions.
Tensor LastSizes(const Tensor& x, int rank) {
  std::vector<int64_t> sizes;
  for (int i = rank; i > 0; --i) {
    const auto n = KnownSizeFromEnd(x, i);
    if (!n) {
      return LastSlice(ShapeTensor(x), SubscriptBound(-rank), std::nullopt);
    }
    sizes.push_back(*n);
  }
  return IntsTensor(sizes, DataType::kInt32);
}

// The lengths that make as many elements as there are.
Tensor LengthsBack(const Tensor& x, int rank) {
  const Tensor sizes = LastSizes(x, rank);
  if (auto known = KnownInts(sizes); known && !known->empty()) {
    known->back() = std::max<int64_t>(0, 2 * (known->back() - 1));
    return IntsTensor(*known, DataType::kInt32);
  }
  const Tensor last = LastSlice(sizes, SubscriptBound(-1), std::nullopt);
  const Tensor twice = ops::Mul(ops::Sub(last, Int32Of(1)), Int32Of(2));
  return ops::ConcatV2(
      TensorVector{LastSlice(sizes, std::nullopt, SubscriptBound(-1)),
                   ops::Maximum(twice, Int32Of(0))},
      Int32Of(0));
}

bool HasNoElements(const Tensor& x) {
  const PartialTensorShape shape = x.partial_shape();
  for (int i = 0; !shape.unknown_rank() && i < shape.rank(); ++i) {
    if (shape.dim(i) == 0) return true;
  }
  return false;
}

// Zeros up to `lengths`, or, of an inverse, up to what they need.
Tensor PaddedForFft(const Tensor& x, int rank, const Tensor& lengths,
                    bool inverse) {
  CheckRankAtLeast(x, rank);
  if (HasNoElements(x)) return x;
  const auto known = KnownInts(lengths);
  const PartialTensorShape shape = x.partial_shape();
  if (known && int(known->size()) == rank && !shape.unknown_rank()) {
    std::vector<int64_t> paddings(2 * shape.rank());
    bool all = true, any = false;
    for (int i = 0; i < rank; ++i) {
      const int axis = shape.rank() - rank + i;
      int64_t wanted = (*known)[i];
      if (inverse && i + 1 == rank) wanted = wanted / 2 + 1;
      all = all && shape.dim(axis) >= 0;
      paddings[2 * axis + 1] = std::max<int64_t>(wanted - shape.dim(axis), 0);
      any = any || paddings[2 * axis + 1] > 0;
    }
    if (all && !any) return x;
    if (all) {
      return ops::Pad(
          x, ops::Reshape(IntsTensor(paddings, DataType::kInt32),
                          IndicesOf(std::vector<int64_t>{shape.rank(), 2})));
    }
  }
  Tensor wanted = lengths;
  if (inverse) {
    const Tensor last = LastSlice(lengths, SubscriptBound(-1), std::nullopt);
    wanted = ops::ConcatV2(
        TensorVector{LastSlice(lengths, std::nullopt, SubscriptBound(-1)),
                     ops::AddV2(ops::FloorDiv(last, Int32Of(2)), Int32Of(1))},
        Int32Of(0));
  }
  const Tensor zero = Int32Of(0);
  const Tensor missing =
      ops::Maximum(ops::Sub(wanted, LastSizes(x, rank)), zero);
  const Tensor outer = ops::Sub(RankOf(x), Int32Of(rank));
  const Tensor after = ops::ConcatV2(
      TensorVector{
          ops::Fill(ops::Reshape(outer, IndicesOf(std::vector<int64_t>{1})),
                    zero),
          missing},
      zero);
  return ops::Pad(x, ops::Pack(TensorVector{ops::ZerosLike(after), after}, 1));
}

// 1 times `first` and then `others`, as a vector of `n` elements.
Tensor FirstAndOthers(const Tensor& first, const Tensor& others,
                      const Tensor& n) {
  const Tensor zero = Int32Of(0);
  const Tensor places = ops::Range(zero, n, Int32Of(1));
  return ops::SelectV2(ops::Equal(places, zero), first, others);
}

Tensor Scaled(const Tensor& x, double factor) {
  return ops::Mul(x, NumberOf(factor, x.dtype()));
}

// exp(+-i pi j / (2 n)) for j below n, times 2.
Tensor QuarterTurns(const Tensor& n, DataType dtype, int sign) {
  const Tensor size = CastTo(n, dtype);
  const Tensor zero = NumberOf(0, dtype);
  const Tensor places = ops::Range(zero, size, NumberOf(1, dtype));
  const Tensor angles =
      ops::RealDiv(Scaled(Scaled(places, sign * std::numbers::pi), 0.5), size);
  const DataType complex =
      dtype == DataType::kDouble ? DataType::kComplex128 : DataType::kComplex64;
  return Scaled(ops::Exp(ops::Complex(zero, angles, complex)), 2);
}

Tensor Doubled(const Tensor& n) {
  return ops::Reshape(ops::Mul(n, Int32Of(2)),
                      IndicesOf(std::vector<int64_t>{1}));
}

}  // namespace

std::optional<int64_t> KnownSizeFromEnd(const Tensor& x, int place) {
  const PartialTensorShape shape = x.partial_shape();
  if (shape.unknown_rank() || place > shape.rank()) return std::nullopt;
  const int64_t n = shape.dim(shape.rank() - place);
  if (n < 0) return std::nullopt;
  return n;
}

void CheckRankAtLeast(const Tensor& x, int rank) {
  const PartialTensorShape shape = x.partial_shape();
  if (shape.unknown_rank() || shape.rank() >= rank) return;
  throw Error(ValueError("Shape {} must have rank at least {}",
                         shape.PythonString(), rank));
}

Tensor LastSlice(const Tensor& x, std::optional<SubscriptBound> begin,
                 std::optional<SubscriptBound> end,
                 std::optional<SubscriptBound> stride) {
  SubscriptEntry all, last;
  all.kind = SubscriptEntry::Kind::kEllipsis;
  last.begin = std::move(begin);
  last.end = std::move(end);
  last.stride = std::move(stride);
  return Subscript(x, {all, last});
}

Tensor PaddedTo(const Tensor& x, const Tensor& length) {
  return PaddedForFft(
      x, 1, ops::Reshape(length, IndicesOf(std::vector<int64_t>{1})), false);
}

Tensor PaddedRfft(std::string_view name, const Tensor& x, int rank,
                  Tensor lengths) {
  if (x.dtype() != DataType::kFloat && x.dtype() != DataType::kDouble) {
    throw Error(
        ValueError("RFFT requires tf.float32 or tf.float64 inputs, got: {}",
                   DataTypeName(x.dtype())));
  }
  const DataType dtype = x.dtype() == DataType::kFloat ? DataType::kComplex64
                                                       : DataType::kComplex128;
  CheckRankAtLeast(x, rank);
  if (!lengths) lengths = LastSizes(x, rank);
  const Tensor from = PaddedForFft(x, rank, lengths, false);
  const OpName node(name);
  return rank == 1   ? ops::RFFT(node, from, lengths, dtype)
         : rank == 2 ? ops::RFFT2D(node, from, lengths, dtype)
                     : ops::RFFT3D(node, from, lengths, dtype);
}

Tensor PaddedIrfft(std::string_view name, const Tensor& x, int rank,
                   Tensor lengths) {
  CheckRankAtLeast(x, rank);
  if (!IsComplex(x.dtype())) {
    throw Error(ValueError(
        "IRFFT requires tf.complex64 or tf.complex128 inputs, got: {}",
        DataTypeName(x.dtype())));
  }
  const DataType dtype = RealType(x.dtype());
  if (!lengths) lengths = LengthsBack(x, rank);
  const Tensor from = PaddedForFft(x, rank, lengths, true);
  const OpName node(name);
  return rank == 1   ? ops::IRFFT(node, from, lengths, dtype)
         : rank == 2 ? ops::IRFFT2D(node, from, lengths, dtype)
                     : ops::IRFFT3D(node, from, lengths, dtype);
}

Tensor CosineTransform(const Tensor& given, int64_t type, const Tensor& n,
                       bool orthonormal) {
  Tensor x = given;
  if (n) {
    const auto size = KnownSizeFromEnd(x, 1);
    const auto wanted = KnownInts(n);
    if (!size || !wanted || *size > (*wanted)[0]) {
      x = LastSlice(x, std::nullopt, SubscriptBound::Of(n));
    }
    x = PaddedTo(x, n);
  }
  const DataType dtype = x.dtype();
  const Tensor size =
      ops::Reshape(LastSizes(x, 1), IndicesOf(std::vector<int64_t>{}));
  const Tensor number = CastTo(size, dtype);
  const SubscriptBound bound = *SubscriptBound::Of(size);
  switch (type) {
    case 1: {
      const Tensor mirrored = LastSlice(x, SubscriptBound(-2),
                                        SubscriptBound(0), SubscriptBound(-1));
      const Tensor whole =
          ops::ConcatV2(TensorVector{x, mirrored}, Int32Of(-1));
      return ops::Real(PaddedRfft({}, whole, 1, {}), dtype);
    }
    case 2: {
      const Tensor bins =
          LastSlice(PaddedRfft({}, x, 1, Doubled(size)), std::nullopt, bound);
      const Tensor y =
          ops::Real(ops::Mul(bins, QuarterTurns(size, dtype, -1)), dtype);
      if (!orthonormal) return y;
      const Tensor first = Scaled(ops::Rsqrt(number), 0.5);
      return ops::Mul(
          y, FirstAndOthers(first, Scaled(first, std::numbers::sqrt2), size));
    }
    case 3: {
      Tensor scaled;
      if (orthonormal) {
        const Tensor first = ops::Sqrt(number);
        scaled = ops::Mul(
            x, FirstAndOthers(first, Scaled(first, std::numbers::sqrt2 / 2),
                              size));
      } else {
        scaled = ops::Mul(x, number);
      }
      const Tensor turns = QuarterTurns(size, dtype, 1);
      const Tensor complex =
          ops::Complex(scaled, NumberOf(0, dtype), turns.dtype());
      return LastSlice(
          PaddedIrfft({}, ops::Mul(turns, complex), 1, Doubled(size)),
          std::nullopt, bound);
    }
    default: {
      const Tensor twice = CosineTransform(x, 2, ops::Mul(size, Int32Of(2)),
                                           /*orthonormal=*/false);
      const Tensor y =
          LastSlice(twice, SubscriptBound(1), std::nullopt, SubscriptBound(2));
      if (!orthonormal) return y;
      return ops::Mul(y, Scaled(ops::Rsqrt(number), std::numbers::sqrt2 / 2));
    }
  }
}

}  // namespace gk
