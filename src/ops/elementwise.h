// How records of elementwise ops state their arithmetic: Unary and
// Binary kernels over a list of element types, and tables of those of more.
//
//   .kernel = Unary<[](auto x) { return x * x * x; }, FloatTypes>()
//
// The function is written for values of one type T (half and bfloat16 are
// computed as float) and returns T, bool, or the type of the output. It is
// called with numbers, element by element, and with symbolic values, of which
// it makes the op's expression: kernels/value.h says what that asks of it.
#ifndef GK_OPS_ELEMENTWISE_H_
#define GK_OPS_ELEMENTWISE_H_

#include <tuple>
#include <type_traits>

#include "framework/expression.h"
#include "framework/op_record.h"
#include "kernels/elementwise.h"
#include "kernels/narrow.h"
#include "kernels/value.h"

namespace gk {

template <class... Ts>
struct TypeList {};

template <class A, class B>
struct ConcatLists;
template <class... A, class... B>
struct ConcatLists<TypeList<A...>, TypeList<B...>> {
  using Type = TypeList<A..., B...>;
};
template <class A, class B>
using Join = typename ConcatLists<A, B>::Type;

using FloatTypes = TypeList<half, bfloat16, float, double>;
using SignedTypes = TypeList<int8_t, int16_t, int32_t, int64_t>;
using UnsignedTypes = TypeList<uint8_t, uint16_t, uint32_t, uint64_t>;
using IntegerTypes = Join<SignedTypes, UnsignedTypes>;
using ComplexTypes = TypeList<complex64, complex128>;
using RealTypes = Join<FloatTypes, IntegerTypes>;
using NumberTypes = Join<RealTypes, ComplexTypes>;
using FloatAndComplexTypes = Join<FloatTypes, ComplexTypes>;
using BoolType = TypeList<bool>;

// Runs the op's tile kernel over broadcast inputs: the compute function of
// every elementwise op.
Status ComputeElementwise(KernelContext& ctx);

// How the loops of an op are made.
enum TileOptions : uint32_t {
  kStampedLoop = 0,
  // One loop for every CPU: functions that do not vectorise, or rare ones.
  kPlainLoop = 1,
  // Signed integers wrap around: they share the loops of unsigned ones.
  kWrapAround = 2,
  // About 10 ns an element rather than half a nanosecond.
  kSlowLoop = 4,
};

// A function of numbers, called (CallOf) wherever its loop is not: a library's,
// or one whose own loops depend on its arguments.
template <auto F>
struct Called {
  template <class... V>
  requires(!(std::is_pointer_v<V> || ...)) GK_INLINE auto operator()(
      V... v) const {
    return CallOf<F>(v...);
  }
};
template <auto F>
inline constexpr Called<F> kCalled{};

namespace internal {

// What T -> R means for elements: computing half gives half.
template <class T, class R>
using ResultElement =
    std::conditional_t<std::is_same_v<R, ComputeType<T>>, T, R>;

template <class T>
constexpr bool kIsComplex = false;
template <class T>
constexpr bool kIsComplex<std::complex<T>> = true;

// Integers but int32 gain little past v3, complex numbers do not vectorise.
template <class T, uint32_t kOptions>
constexpr Isa kMaxIsa = (kOptions & kPlainLoop) || kIsComplex<T>  ? Isa::kV2
                        : std::is_integral_v<T> && sizeof(T) != 4 ? Isa::kV3
                                                                  : Isa::kV4;

template <class T, bool kWrap>
struct LoopElementOf {
  using Type = T;
};
template <class T>
requires(
    std::is_integral_v<T>&& std::is_signed_v<T>) struct LoopElementOf<T, true> {
  using Type = std::make_unsigned_t<T>;
};

template <class Body>
using TileStamp =
    Stamp<Body, int(void*, const void* const*, int64_t, const void*)>;

// The loop of TileBody<Fn, Out, In...>. Where types are narrow it is that of
// floats, between conversions: code of its own would be most of the library's.
// A loop from floats to floats of Fn void is those conversions alone.
template <class Fn, Isa kMax, class Out, class... In>
struct TileLoop {
  static TileFn Make() {
    if constexpr (kNarrowIn || kNarrowOut) {
      return &Run;
    } else {
      return Floats(CurrentIsa());
    }
  }

 private:
  // Asked of the types: addresses of conversions are no constants where
  // undefined behaviour is looked for.
  static constexpr bool kNarrowOut = kIsNarrowFloat<Out>;
  static constexpr bool kNarrowIn = (kIsNarrowFloat<In> || ...);

  static TileFn Floats(Isa isa) requires std::is_void_v<Fn> {
    static_assert((std::is_same_v<ComputeType<In>, ComputeType<Out>> && ...));
    return nullptr;
  }
  static TileFn Floats(Isa isa) {
    using Body = TileBody<Fn, ComputeType<Out>, ComputeType<In>...>;
    return TileStamp<Body>::template For<kMax>(isa);
  }
  static int Run(void* out, const void* const* in, int64_t n,
                 const void* params) {
    using First = std::tuple_element_t<0, std::tuple<In...>>;
    static_assert((std::is_same_v<In, First> && ...));
    static constexpr LoopThroughFloat kLoop{
        kFloatConversions<First>, kFloatConversions<Out>, sizeof...(In),
        sizeof(First), sizeof(Out)};
    static const TileFn floats = Floats(CurrentIsa());
    return kLoop.Run(floats, out, in, n, params);
  }
};

template <class Fn, class... C>
consteval auto ResultOf() {
  if constexpr (std::is_invocable_v<Fn, const void*, C...>) {
    return std::type_identity<std::invoke_result_t<Fn, const void*, C...>>();
  } else {
    return std::type_identity<std::invoke_result_t<Fn, C...>>();
  }
}

// One for all element types that are computed as the same numbers.
template <class Fn, class... V>
[[gnu::noinline, gnu::cold]] auto ApplyToSymbols(const TileParams& params,
                                                 V... v) {
  if constexpr (std::is_invocable_v<Fn, const void*, V...>) {
    return Fn()(static_cast<const void*>(&params), v...);
  } else {
    return Fn()(v...);
  }
}

// The expression of TileBody and CheckedTileBody; Check is void where nothing
// is checked.
template <class Fn, class Check, class Out, class... In>
struct BodyExpression {
  [[gnu::cold]] static Expression Make(const TileParams& params) {
    Expression e;
    Build(params, &e, std::index_sequence_for<In...>());
    return e;
  }

 private:
  template <size_t... I>
  static void Build(const TileParams& params, Expression* e,
                    std::index_sequence<I...>) {
    e->set_value(
        Convert<Out>(ApplyToSymbols<Fn>(params, Convert<ComputeType<In>>(
                                                    Expr<In>::Input(e, I))...))
            .StepIn(e));
    if constexpr (!std::is_void_v<Check>) {
      e->set_fails(
          ApplyToSymbols<Check>(params, Expr<In>::Input(e, I)...).StepIn(e));
    }
  }
};

template <auto F, class T, uint32_t kOptions, size_t... I>
TileKernel MakeTile(std::index_sequence<I...>) {
  using Element =
      typename LoopElementOf<T, (kOptions & kWrapAround) != 0>::Type;
  using C = ComputeType<Element>;
  using Fn = std::remove_const_t<decltype(F)>;
  using R =
      typename decltype(ResultOf<Fn, std::conditional_t<I, C, C>...>())::type;
  using Out = ResultElement<Element, R>;
  TileKernel k;
  k.fn = TileLoop<Fn, kMaxIsa<Element, kOptions>, Out,
                  std::conditional_t<I, Element, Element>...>::Make();
  k.expression =
      &BodyExpression<Fn, void, Out,
                      std::conditional_t<I, Element, Element>...>::Make;
  k.num_inputs = sizeof...(I);
  ((k.in[I] = kTypeOf<T>), ...);
  k.out = std::is_same_v<Out, Element> ? kTypeOf<T> : kTypeOf<Out>;
  if (kOptions & kSlowLoop) k.cost_ns = 10;
  return k;
}

template <auto F, int kArity, class List, uint32_t kOptions,
          TilePrepareFn kPrepare = nullptr>
struct TileTable;
template <auto F, int kArity, class... Ts, uint32_t kOptions,
          TilePrepareFn kPrepare>
struct TileTable<F, kArity, TypeList<Ts...>, kOptions, kPrepare> {
  static constexpr DataTypeSet kTypes = (DataTypeSet() | ... | kTypeOf<Ts>);
  static const TileKernel* Find(DataType t, const AttrMap&) {
    static const auto* kernels = [] {
      static TileKernel table[] = {
          MakeTile<F, Ts, kOptions>(std::make_index_sequence<kArity>())...};
      for (TileKernel& k : table) k.prepare = kPrepare;
      return &table;
    }();
    for (const TileKernel& k : *kernels) {
      if (k.in[0] == t) return &k;
    }
    return nullptr;
  }
};

}  // namespace internal

// One function for some types and another for the rest ("overloads").
template <class... Tables>
struct TileOverloads {
  static constexpr DataTypeSet kTypes = (DataTypeSet() | ... | Tables::kTypes);
  static const TileKernel* Find(DataType t, const AttrMap& attrs) {
    const TileKernel* k = nullptr;
    (void)((k = Tables::Find(t, attrs)) || ...);
    return k;
  }
};
template <auto F, class List, uint32_t kOptions = kStampedLoop>
using UnaryFor = internal::TileTable<F, 1, List, kOptions>;
template <auto F, class List, uint32_t kOptions = kStampedLoop>
using BinaryFor = internal::TileTable<F, 2, List, kOptions>;
template <auto F, class List, uint32_t kOptions = kStampedLoop>
using TernaryFor = internal::TileTable<F, 3, List, kOptions>;
// F takes `const void* params` first: the TileParams that kPrepare filled in.
template <auto F, int kArity, class List, TilePrepareFn kPrepare,
          uint32_t kOptions = kStampedLoop>
using PreparedFor = internal::TileTable<F, kArity, List, kOptions, kPrepare>;

// The same function with a check for elements that are errors: `Check` gets
// the inputs and says whether they are bad; F must be safe for them.
template <auto F, auto Check, class List>
struct CheckedBinaryFor;
template <auto F, auto Check, class... Ts>
struct CheckedBinaryFor<F, Check, TypeList<Ts...>> {
  static constexpr DataTypeSet kTypes = (DataTypeSet() | ... | kTypeOf<Ts>);
  template <class T>
  static TileKernel Make() {
    using Fn = std::remove_const_t<decltype(F)>;
    using CheckFn = std::remove_const_t<decltype(Check)>;
    using Body = CheckedTileBody<Fn, CheckFn, T, T, T>;
    TileKernel k;
    k.fn = internal::TileStamp<Body>::template For<Isa::kV2>(CurrentIsa());
    k.expression = &internal::BodyExpression<Fn, CheckFn, T, T, T>::Make;
    k.num_inputs = 2;
    k.in[0] = k.in[1] = k.out = kTypeOf<T>;
    k.cost_ns = 2;
    return k;
  }
  static const TileKernel* Find(DataType t, const AttrMap&) {
    static const TileKernel kernels[] = {Make<Ts>()...};
    for (const TileKernel& k : kernels) {
      if (k.out == t) return &k;
    }
    return nullptr;
  }
};

template <class... Tables>
constexpr KernelSet Overloads(const char* tile_error = nullptr) {
  using Table = TileOverloads<Tables...>;
  return {.compute = ComputeElementwise,
          .tile = Table::Find,
          .tile_error = tile_error,
          .types = Table::kTypes};
}

template <auto F, class List, uint32_t kOptions = kStampedLoop>
constexpr KernelSet Unary() {
  return Overloads<UnaryFor<F, List, kOptions>>();
}

template <auto F, class List, uint32_t kOptions = kStampedLoop>
constexpr KernelSet Binary() {
  return Overloads<BinaryFor<F, List, kOptions>>();
}

}  // namespace gk

#endif  // GK_OPS_ELEMENTWISE_H_
