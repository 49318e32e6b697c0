// Cast between all number types, and Bitcast.
#include "ops/fn/math_cast.h"

#include <cstring>
#include <limits>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/small_numbers.h"
#include "ops/elementwise.h"

namespace gk {
namespace {

// Float to integer as x86 converts, without undefined behaviour: NaN and what
// does not fit give the smallest integer.
template <class Int, class Float>
GK_INLINE Over<Float, Int> ToSigned(Float v) {
  constexpr auto kLow =
      static_cast<ScalarOf<Float>>(std::numeric_limits<Int>::min());
  const auto fits = And(v >= kLow, v < -kLow);
  const auto i = static_cast<Over<Float, Int>>(Select(fits, v, Float(0)));
  return Select(fits, i, std::numeric_limits<Int>::min());
}

// Wide unsigned integers take their upper half from a shifted value, narrow
// integers are the low bits of an int32_t.
template <class Int, class Float>
GK_INLINE Over<Float, Int> ToInteger(Float v) {
  using Value = Over<Float, Int>;
  if constexpr (sizeof(Int) < 4) {
    return static_cast<Value>(ToSigned<int32_t>(v));
  } else if constexpr (std::is_signed_v<Int>) {
    return ToSigned<Int>(v);
  } else {
    using Signed = std::make_signed_t<Int>;
    constexpr auto kHalf =
        -static_cast<ScalarOf<Float>>(std::numeric_limits<Signed>::min());
    constexpr Int kTop = Int{1} << (sizeof(Int) * 8 - 1);
    const auto upper = And(v >= kHalf, v < 2 * kHalf);
    const auto i =
        static_cast<Value>(ToSigned<Signed>(Select(upper, v - kHalf, v)));
    return Select(upper, Value(i + kTop), i);
  }
}

template <class T>
constexpr int kMantissaBits = std::numeric_limits<T>::digits - 1;

// Drops the bits of the mantissa that `To` has no room for.
template <class To, class Float>
GK_INLINE Float TruncateMantissa(Float v) {
  using S = ScalarOf<Float>;
  using Bits = std::conditional_t<sizeof(S) == 4, uint32_t, uint64_t>;
  constexpr int kDrop = kMantissaBits<S> - kMantissaBits<To>;
  if constexpr (kDrop <= 0) {
    return v;
  } else {
    // The mask is chosen, not the result: g++ 12 folds that choice away.
    const auto keep = Select(v == v, ~Bits{0} << kDrop, ~Bits{0});
    return BitCast<S>(BitCast<Bits>(v) & keep);
  }
}

template <class To, bool kTruncate>
struct CastFn {
  template <class V>
  GK_INLINE auto operator()(V v) const {
    using From = ScalarOf<V>;
    using Value = Over<V, To>;
    if constexpr (internal::kIsComplex<From>) {
      if constexpr (internal::kIsComplex<To>) {
        return Value(v);
      } else {
        return (*this)(v.real());
      }
    } else if constexpr (internal::kIsComplex<To>) {
      return Value(static_cast<Over<V, typename To::value_type>>(v));
    } else if constexpr (std::is_same_v<To, bool>) {
      return v != V(0);
    } else if constexpr (std::is_integral_v<To>) {
      if constexpr (std::is_floating_point_v<From>) {
        return ToInteger<To>(v);
      } else {
        return static_cast<Value>(v);
      }
    } else if constexpr (std::is_floating_point_v<From> && kTruncate) {
      return static_cast<Over<V, ComputeType<To>>>(TruncateMantissa<To>(v));
    } else {
      return static_cast<Over<V, ComputeType<To>>>(v);
    }
  }
};

using CastTypes = Join<NumberTypes, TypeList<bool, float8_e5m2, float8_e4m3fn>>;

template <class T>
constexpr bool kIsHot =
    std::is_same_v<T, float> || std::is_same_v<T, double> ||
    std::is_same_v<T, half> || std::is_same_v<T, bfloat16> ||
    std::is_same_v<T, bool> || std::is_same_v<T, uint8_t> ||
    std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>;

// The loop for integers of the same bits: the source's sign matters only if
// it is widened, the target's never.
template <class To, class From>
struct LoopTypes {
  using Out = To;
  using In = From;
};
template <class T>
constexpr bool kIsPlainInteger =
    std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class To, class From>
requires(
    kIsPlainInteger<To>&& kIsPlainInteger<From>) struct LoopTypes<To, From> {
  using Out = std::make_unsigned_t<To>;
  using In = std::conditional_t<sizeof(To) <= sizeof(From),
                                std::make_unsigned_t<From>, From>;
};

// Bools are bytes of 0 and 1: those vectorise.
template <class To, class From>
using LoopInput =
    std::conditional_t<std::is_same_v<From, bool> && !std::is_same_v<To, bool>,
                       uint8_t, typename LoopTypes<To, From>::In>;

template <class To, class From, bool kTruncate>
TileKernel MakeCast() {
  using Loop = LoopTypes<To, From>;
  using Fn = CastFn<typename Loop::Out, kTruncate>;
  constexpr bool kOfFloat =
      std::is_same_v<From, float> || std::is_same_v<To, float>;
  constexpr Isa kMax = !kIsHot<From> || !kIsHot<To> || kTruncate ? Isa::kV2
                       : kOfFloat                                ? Isa::kV4
                                                                 : Isa::kV3;
  // To narrow types by way of floats, as to floats.
  using Plain =
      std::conditional_t<std::is_same_v<ComputeType<To>, ComputeType<From>> &&
                             !std::is_same_v<To, From>,
                         void, CastFn<ComputeType<typename Loop::Out>, false>>;
  using LoopFn = std::conditional_t<kTruncate, Fn, Plain>;
  TileKernel k;
  k.fn = internal::TileLoop<LoopFn, kMax, typename Loop::Out,
                            LoopInput<To, From>>::Make();
  k.expression = &internal::BodyExpression<Fn, void, typename Loop::Out,
                                           typename Loop::In>::Make;
  k.num_inputs = 1;
  k.in[0] = kTypeOf<From>;
  k.out = kTypeOf<To>;
  return k;
}

template <bool kTruncate, class To, class... From>
const TileKernel* FindFrom(DataType from, TypeList<From...>) {
  static const TileKernel kernels[] = {MakeCast<To, From, kTruncate>()...};
  for (const TileKernel& k : kernels) {
    if (k.in[0] == from) return &k;
  }
  return nullptr;
}

template <bool kTruncate, class From, class... To>
const TileKernel* FindPair(DataType to, DataType from, From sources,
                           TypeList<To...>) {
  const TileKernel* k = nullptr;
  (void)((kTypeOf<To> == to ? (k = FindFrom<kTruncate, To>(from, sources), true)
                            : false) ||
         ...);
  return k;
}

const TileKernel* FindCast(DataType from, const AttrMap& attrs) {
  const DataType* to = attrs.Get<DataType>("DstT");
  if (!to || *to == from) return nullptr;
  const bool* truncate = attrs.Get<bool>("Truncate");
  if (truncate && *truncate) {
    const TileKernel* k = FindPair<true>(
        *to, from, TypeList<float, double>(),
        TypeList<float, half, bfloat16, float8_e5m2, float8_e4m3fn>());
    if (k) return k;
  }
  return FindPair<false>(*to, from, CastTypes(), CastTypes());
}

// The integers that quantized numbers are; other types themselves.
DataType IntegersOf(DataType t) {
  switch (t) {
    case DataType::kQint8:
      return DataType::kInt8;
    case DataType::kQuint8:
      return DataType::kUint8;
    case DataType::kQint16:
      return DataType::kInt16;
    case DataType::kQuint16:
      return DataType::kUint16;
    case DataType::kQint32:
      return DataType::kInt32;
    default:
      return t;
  }
}

// From or to quantized numbers, whose levels are cast.
Status CastLevels(KernelContext& c, DataType to) {
  const Tensor& x = c.input(0);
  const DataType from = IntegersOf(x.dtype()), result = IntegersOf(to);
  const TileKernel* kernel = FindCast(from, {{"DstT", result}});
  if (kernel == nullptr && from != result) {
    return Unimplemented("Cast {} to {} is not supported",
                         DataTypeString(x.dtype()), DataTypeString(to));
  }
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, to, x.shape(), &y));
  if (x.num_elements() == 0) return OkStatus();
  if (kernel == nullptr) {
    std::memcpy(y->raw_data(), x.raw_data(), x.byte_size());
  } else {
    const TileParams params;
    const void* in[] = {x.raw_data()};
    kernel->fn(y->raw_data(), in, x.num_elements(), &params);
  }
  return OkStatus();
}

// Integers of less than eight bits are cast to integers and from them, whose
// low bits they take.
bool CastsSmall(DataType t) {
  return t == DataType::kInt4 || t == DataType::kUint4;
}

Status CastSmall(KernelContext& c, DataType to) {
  const Tensor& x = c.input(0);
  const DataType from = IntegersOf(x.dtype()), result = IntegersOf(to);
  const bool narrows = CastsSmall(result);
  const auto casts = [](DataType t) {
    return CastsSmall(t) || (IsInteger(t) && !IsSmallNumber(t));
  };
  if (!casts(from) || !casts(result)) {
    return Unimplemented("Cast {} to {} is not supported",
                         DataTypeString(x.dtype()), DataTypeString(to));
  }
  // Those of eight bits, in between.
  const DataType bytes = CastsSmall(from) && !IsUnsigned(from)
                             ? DataType::kInt8
                             : DataType::kUint8;
  const TileKernel* const kernel =
      FindCast(CastsSmall(from) ? bytes : from,
               {{"DstT", narrows ? DataType::kUint8 : result}});
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, to, x.shape(), &y));
  const int64_t n = x.num_elements();
  if (n == 0) return OkStatus();
  const void* source = x.raw_data();
  Tensor widened;
  if (CastsSmall(from)) {
    GK_ASSIGN_OR_RETURN(widened, Tensor::Allocate(bytes, x.shape()));
    const auto* const in = static_cast<const uint8_t*>(source);
    auto* const out = static_cast<uint8_t*>(widened.raw_data());
    uint8_t wide[16];
    for (int i = 0; i < 16; ++i) {
      wide[i] = static_cast<uint8_t>(static_cast<int>(SmallNumber(from, i)));
    }
    for (int64_t i = 0; i < n; ++i) out[i] = wide[in[i] & 0xf];
    source = widened.raw_data();
  }
  if (kernel == nullptr) {
    std::memcpy(y->raw_data(), source, n);
  } else {
    const TileParams params;
    kernel->fn(y->raw_data(), &source, n, &params);
  }
  if (narrows) {
    auto* const out = static_cast<uint8_t*>(y->raw_data());
    for (int64_t i = 0; i < n; ++i) out[i] &= 0xf;
  }
  return OkStatus();
}

Status ComputeCast(KernelContext& c) {
  const Tensor& x = c.input(0);
  const DataType to = c.attr<DataType>("DstT");
  if (x.dtype() == to) {
    c.set_output(0, x.Alias());
    return OkStatus();
  }
  if (CastsSmall(x.dtype()) || CastsSmall(to)) return CastSmall(c, to);
  if (IntegersOf(x.dtype()) != x.dtype() || IntegersOf(to) != to) {
    return CastLevels(c, to);
  }
  if (!FindCast(x.dtype(), c.attrs())) {
    return Unimplemented("Cast {} to {} is not supported",
                         DataTypeString(x.dtype()), DataTypeString(to));
  }
  return ComputeElementwise(c);
}

void CastGrad(GradContext& g) {
  const DataType from = g.x(0).dtype();
  const auto differentiable = [](DataType t) {
    return IsFloating(t) || IsComplex(t);
  };
  if (!differentiable(from) || !differentiable(g.y(0).dtype())) return;
  g.Set(0, ops::Cast(g.dy(0), from));
}

// Elements of half the size add a dim of 2, larger ones consume one.
Status BitcastShapeOf(PartialTensorShape in, DataType from, DataType to,
                      PartialTensorShape* out) {
  const int64_t a = DataTypeSize(from), b = DataTypeSize(to);
  if (a == 0 || b == 0) {
    return InvalidArgument("Cannot bitcast from {} to {}", DataTypeString(from),
                           DataTypeString(to));
  }
  *out = std::move(in);
  if (a == b || out->unknown_rank()) return OkStatus();
  if (a > b) {
    if (out->rank() >= kMaxRank) {
      return InvalidArgument("Cannot bitcast a tensor of rank {}", out->rank());
    }
    out->AddDim(a / b);
    return OkStatus();
  }
  const int last = out->rank() - 1;
  if (last < 0 || (out->dim(last) != kUnknownDim && out->dim(last) != b / a)) {
    return InvalidArgument(
        "Cannot bitcast from {} to {}: the last dimension of {} must be {}",
        DataTypeString(from), DataTypeString(to), out->DebugString(), b / a);
  }
  out->RemoveDim(last);
  return OkStatus();
}

Status BitcastShape(InferenceContext& c) {
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(BitcastShapeOf(c.input(0), c.input_type(0),
                                    c.attr<DataType>("type"), &shape));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status ComputeBitcast(KernelContext& c) {
  const Tensor& x = c.input(0);
  const DataType to = c.attr<DataType>("type");
  PartialTensorShape partial;
  GK_RETURN_IF_ERROR(BitcastShapeOf(x.shape(), x.dtype(), to, &partial));
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      TensorShape::Make(partial.dims()));
  if (const Ref<Buffer>& buffer = x.buffer(); buffer != nullptr) {
    const size_t offset = static_cast<const char*>(x.raw_data()) -
                          static_cast<const char*>(buffer->data());
    c.set_output(0, Tensor::FromBuffer(to, shape, buffer, offset));
    return OkStatus();
  }
  Tensor* out = nullptr;
  GK_RETURN_IF_ERROR(c.Allocate(0, to, shape, &out));
  if (x.byte_size() > 0) {
    std::memcpy(out->raw_data(), x.raw_data(), x.byte_size());
  }
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "Cast",
     .inputs = "x: SrcT",
     .outputs = "y: DstT",
     .attrs = "SrcT: type; DstT: type; Truncate: bool = False",
     .traits = kElementwise | kCheap | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .shape_value = shape_fn::ElementsOfInput,
     .kernel = {.compute = ComputeCast, .tile = FindCast},
     .gradient = CastGrad,
     .python = {.converts_first = true},
     .doc = "Converts each element to type DstT; floats that do not fit an "
            "integer type give its smallest value or low bits."},

    {.name = "Bitcast",
     .inputs = "input: T",
     .outputs = "output: type",
     .attrs = "T: type in [bfloat16, half, float, double, int64, int32, "
              "uint8, uint16, uint32, uint64, int8, int16, complex64, "
              "complex128, qint8, quint8, qint16, quint16, qint32]; type: "
              "type in [bfloat16, half, float, double, int64, int32, uint8, "
              "uint16, uint32, uint64, int8, int16, complex64, complex128, "
              "qint8, quint8, qint16, quint16, qint32]",
     .shape = BitcastShape,
     .kernel = {.compute = ComputeBitcast},
     .python = {.names = "bitcast", .ragged = RaggedForm::kFlat},
     .doc = "Reads the bytes of the input as elements of another type.",
     .example = ">>> tf.bitcast(1.0, tf.int32).numpy().item()\n1065353216"},
};

}  // namespace

GK_REGISTER_OPS(math_cast)

}  // namespace gk
