// How records of elementwise ops state their arithmetic: Unary, Binary and
// Ternary kernels over a list of element types.
//
//   .kernel = Unary<[](auto x) { return x * x * x; }, FloatTypes>()
//
// The function is written for scalars of one type T (half and bfloat16 are
// computed as float) and returns T, bool, or the type of the output. It must
// be free of branches; selects (?:) are fine.
#ifndef GK_OPS_ELEMENTWISE_H_
#define GK_OPS_ELEMENTWISE_H_

#include "framework/op_record.h"
#include "kernels/elementwise.h"

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

namespace internal {

// What T -> R means for elements: computing half gives half.
template <class T, class R>
using ResultElement =
    std::conditional_t<std::is_same_v<R, ComputeType<T>>, T, R>;

template <class T>
constexpr bool kNarrow = std::is_integral_v<T> && sizeof(T) < 4;

template <class Body>
using TileStamp =
    Stamp<Body, int(void*, const void* const*, int64_t, const void*)>;

template <auto F, class T, size_t... I>
const TileKernel* TileOf(std::index_sequence<I...>) {
  using C = ComputeType<T>;
  using Fn = decltype(F);
  static const TileKernel kernel = [] {
    TileKernel k;
    using R = typename std::conditional_t<
        std::is_invocable_v<Fn, const void*, std::conditional_t<I, C, C>...>,
        std::invoke_result<Fn, const void*, std::conditional_t<I, C, C>...>,
        std::invoke_result<Fn, std::conditional_t<I, C, C>...>>::type;
    using Out = ResultElement<T, R>;
    using Body = TileBody<Fn, Out, std::conditional_t<I, T, T>...>;
    k.fn = TileStamp<Body>::template For < kNarrow<T>
               ? Isa::kV3
               : Isa::kV4 > (CurrentIsa());
    k.num_inputs = sizeof...(I);
    ((k.in[I] = kTypeOf<T>), ...);
    k.out = kTypeOf<Out>;
    return k;
  }();
  return &kernel;
}

template <auto F, int kArity, class List>
struct TileTable;
template <auto F, int kArity, class... Ts>
struct TileTable<F, kArity, TypeList<Ts...>> {
  static constexpr DataTypeSet kTypes = (DataTypeSet() | ... | kTypeOf<Ts>);
  static const TileKernel* Find(DataType t, const AttrMap&) {
    const TileKernel* k = nullptr;
    (void)((kTypeOf<Ts> == t
                ? (k = TileOf<F, Ts>(std::make_index_sequence<kArity>()), true)
                : false) ||
           ...);
    return k;
  }
};

}  // namespace internal

template <auto F, class List>
constexpr KernelSet Unary() {
  using Table = internal::TileTable<F, 1, List>;
  return {.compute = ComputeElementwise,
          .tile = Table::Find,
          .types = Table::kTypes};
}

template <auto F, class List>
constexpr KernelSet Binary() {
  using Table = internal::TileTable<F, 2, List>;
  return {.compute = ComputeElementwise,
          .tile = Table::Find,
          .types = Table::kTypes};
}

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
template <auto F, class List>
using UnaryFor = internal::TileTable<F, 1, List>;
template <auto F, class List>
using BinaryFor = internal::TileTable<F, 2, List>;

// The same function with a check for elements that are errors: `Check` gets
// the inputs and says whether they are bad; F must be safe for them.
template <auto F, auto Check, class List>
struct CheckedBinaryFor;
template <auto F, auto Check, class... Ts>
struct CheckedBinaryFor<F, Check, TypeList<Ts...>> {
  static constexpr DataTypeSet kTypes = (DataTypeSet() | ... | kTypeOf<Ts>);
  template <class T>
  static const TileKernel* One() {
    static const TileKernel kernel = [] {
      using Body = CheckedTileBody<decltype(F), decltype(Check), T, T, T>;
      TileKernel k;
      k.fn = internal::TileStamp<Body>::template For<Isa::kV3>(CurrentIsa());
      k.num_inputs = 2;
      k.in[0] = k.in[1] = k.out = kTypeOf<T>;
      k.cost_ns = 2;
      return k;
    }();
    return &kernel;
  }
  static const TileKernel* Find(DataType t, const AttrMap&) {
    const TileKernel* k = nullptr;
    (void)((kTypeOf<Ts> == t ? (k = One<Ts>(), true) : false) || ...);
    return k;
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

}  // namespace gk

#endif  // GK_OPS_ELEMENTWISE_H_
