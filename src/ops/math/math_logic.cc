// Logic of bools and of bits.
#include "ops/fn/math_logic.h"

#include <type_traits>

#include "framework/op_registry.h"
#include "ops/elementwise.h"

namespace gk {
namespace {

// The shift by y bits, with y brought into [0, width).
template <class T>
GK_INLINE Over<T, int> ShiftBits(T y) {
  constexpr ScalarOf<T> kMost = sizeof(ScalarOf<T>) * 8 - 1;
  const T not_negative = Select(y < T(0), T(0), y);
  return static_cast<Over<T, int>>(
      Select(not_negative > kMost, T(kMost), not_negative));
}
constexpr auto kLeftShift = [](auto x, auto y) {
  using T = decltype(x);
  using Wide = std::conditional_t<sizeof(ScalarOf<T>) == 8, uint64_t, uint32_t>;
  return static_cast<T>(static_cast<Over<T, Wide>>(x) << ShiftBits(y));
};
constexpr auto kRightShift = [](auto x, auto y) {
  using T = decltype(x);
  const auto bits = ShiftBits(y);
  if constexpr (sizeof(ScalarOf<T>) > 2 || SymbolicValue<T>) {
    return static_cast<T>(x >> bits);
  } else {
    // No processor shifts small numbers by numbers of their own: by each power
    // of two that is in it.
    T shifted = x;
    if constexpr (sizeof(T) > 1) {
      shifted = (bits & 8) != 0 ? static_cast<T>(shifted >> 8) : shifted;
    }
    shifted = (bits & 4) != 0 ? static_cast<T>(shifted >> 4) : shifted;
    shifted = (bits & 2) != 0 ? static_cast<T>(shifted >> 2) : shifted;
    return (bits & 1) != 0 ? static_cast<T>(shifted >> 1) : shifted;
  }
};
constexpr auto kOnes = [](auto x) {
  using T = decltype(x);
  return static_cast<Over<T, uint8_t>>(PopCount(static_cast<UnsignedOf<T>>(x)));
};

// Of bytes that are 0 or 1, as loops have them.
constexpr auto kNot = [](auto x) {
  if constexpr (SymbolicValue<decltype(x)>) {
    return !x;
  } else {
    return BitCast<uint8_t>(x) == 0;
  }
};

const OpRecord kRecords[] = {
    {.name = "LogicalAnd",
     .inputs = "x: bool; y: bool",
     .outputs = "z: bool",
     .attrs = "",
     .traits = kElementwise | kNoGradient | kCommutative | kCheap,
     .shape = shape_fn::Broadcast,
     .kernel =
         Binary<[](auto x, auto y) { return decltype(x)(x & y); }, BoolType>(),
     .python = {.names = "math.logical_and|logical_and"},
     .doc = "Returns x and y element-wise.",
     .example = ">>> tf.logical_and([True, True], [True, "
                "False]).numpy().tolist()\n[True, False]",
     .test = {.reference = "logical_and(x, y)"}},

    {.name = "LogicalOr",
     .inputs = "x: bool; y: bool",
     .outputs = "z: bool",
     .attrs = "",
     .traits = kElementwise | kNoGradient | kCommutative | kCheap,
     .shape = shape_fn::Broadcast,
     .kernel =
         Binary<[](auto x, auto y) { return decltype(x)(x | y); }, BoolType>(),
     .python = {.names = "math.logical_or|logical_or"},
     .doc = "Returns x or y element-wise.",
     .example = ">>> tf.logical_or([True, False], [False, "
                "False]).numpy().tolist()\n[True, False]",
     .test = {.reference = "logical_or(x, y)"}},

    {.name = "LogicalNot",
     .inputs = "x: bool",
     .outputs = "y: bool",
     .attrs = "",
     .traits = kElementwise | kNoGradient | kInvolution | kCheap,
     .shape = shape_fn::SameAsInput,
     .kernel = Unary<kNot, BoolType>(),
     .python = {.names = "math.logical_not|logical_not"},
     .doc = "Returns not x element-wise.",
     .example = ">>> tf.logical_not([True, False]).numpy().tolist()\n[False, "
                "True]",
     .test = {.reference = "logical_not(x)"}},

    {.name = "BitwiseAnd",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [int8, int16, int32, int64, uint8, uint16, uint32, "
              "uint64]",
     .traits = kElementwise | kNoGradient | kCommutative,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<[](auto x, auto y) { return decltype(x)(x & y); },
                      IntegerTypes, kWrapAround>(),
     .python = {.names = "bitwise.bitwise_and"},
     .doc = "Returns x & y for the bits of each element.",
     .example = ">>> tf.bitwise.bitwise_and(6, 3).numpy().item()\n2",
     .test = {.reference = "x & y"}},

    {.name = "BitwiseOr",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [int8, int16, int32, int64, uint8, uint16, uint32, "
              "uint64]",
     .traits = kElementwise | kNoGradient | kCommutative,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<[](auto x, auto y) { return decltype(x)(x | y); },
                      IntegerTypes, kWrapAround>(),
     .python = {.names = "bitwise.bitwise_or"},
     .doc = "Returns x | y for the bits of each element.",
     .example = ">>> tf.bitwise.bitwise_or(6, 3).numpy().item()\n7",
     .test = {.reference = "x | y"}},

    {.name = "BitwiseXor",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [int8, int16, int32, int64, uint8, uint16, uint32, "
              "uint64]",
     .traits = kElementwise | kNoGradient | kCommutative,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<[](auto x, auto y) { return decltype(x)(x ^ y); },
                      IntegerTypes, kWrapAround>(),
     .python = {.names = "bitwise.bitwise_xor"},
     .doc = "Returns x ^ y for the bits of each element.",
     .example = ">>> tf.bitwise.bitwise_xor(6, 3).numpy().item()\n5",
     .test = {.reference = "x ^ y"}},

    {.name = "Invert",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [int8, int16, int32, int64, uint8, uint16, uint32, "
              "uint64]",
     .traits = kElementwise | kNoGradient | kInvolution,
     .shape = shape_fn::SameAsInput,
     .kernel = Unary<[](auto x) { return decltype(x)(~x); }, IntegerTypes,
                     kWrapAround>(),
     .python = {.names = "bitwise.invert"},
     .doc = "Flips the bits of each element.",
     .example = ">>> tf.bitwise.invert([0, 5]).numpy().tolist()\n[-1, -6]",
     .test = {.reference = "~x"}},

    {.name = "LeftShift",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [int8, int16, int32, int64, uint8, uint16, uint32, "
              "uint64]",
     .traits = kElementwise | kNoGradient,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<kLeftShift, IntegerTypes>(),
     .python = {.names = "bitwise.left_shift"},
     .doc = "Shifts x to the left by y bits; y is brought into [0, width of "
            "x).",
     .example = ">>> tf.bitwise.left_shift(1, [1, 4]).numpy().tolist()\n[2, "
                "16]",
     .test = {.reference = "x << clip(y, 0, 7)"}},

    {.name = "RightShift",
     .inputs = "x: T; y: T",
     .outputs = "z: T",
     .attrs = "T: type in [int8, int16, int32, int64, uint8, uint16, uint32, "
              "uint64]",
     .traits = kElementwise | kNoGradient,
     .shape = shape_fn::Broadcast,
     .kernel = Binary<kRightShift, IntegerTypes>(),
     .python = {.names = "bitwise.right_shift"},
     .doc = "Shifts x to the right by y bits, copying the sign of signed "
            "types; y is brought into [0, width of x).",
     .example = ">>> tf.bitwise.right_shift(16, [1, 4]).numpy().tolist()\n[8, "
                "1]",
     .test = {.reference = "x >> clip(y, 0, 7)"}},

    {.name = "PopulationCount",
     .inputs = "x: T",
     .outputs = "y: uint8",
     .attrs = "T: type in [int8, int16, int32, int64, uint8, uint16, uint32, "
              "uint64]",
     .traits = kElementwise | kNoGradient | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Unary<kOnes, IntegerTypes, kPlainLoop>(),
     .doc = "Counts the bits that are set in each element."},
};

}  // namespace

GK_REGISTER_OPS(math_logic)

}  // namespace gk
