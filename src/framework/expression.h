// Expression: what an elementwise kernel computes of one element, as a list of
// steps: the same arithmetic as its loop, to the bit. Expr<T> is the symbolic
// value type (kernels/value.h) that writes one down, so every definition of
// an op's arithmetic is a definition of its code as well.
//
// It stands here because its types are DataTypes and tile kernels (op_record.h)
// hand it out; kernels know nothing of it. Code generation reads it: nothing
// that runs elements does.
//
// Types of operands and results are those that C++ gives them: narrow integers
// are widened before arithmetic and narrowed after it, signed integers wrap
// around. Values; used by one thread.
#ifndef GK_FRAMEWORK_EXPRESSION_H_
#define GK_FRAMEWORK_EXPRESSION_H_

#include <bit>
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "framework/types.h"
#include "kernels/elementwise.h"
#include "kernels/value.h"

namespace gk {

enum class ExpressionOp : uint8_t {
  kInput,     // number `bits`
  kConstant,  // `bits` of it; of a complex number, of its real part as a double
  kConvert,   // as C++ converts numbers
  kBitCast,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kNegate,
  kBitAnd,
  kBitOr,
  kBitXor,
  kBitNot,
  kShiftLeft,
  kShiftRight,
  kLess,
  kLessEqual,
  kEqual,
  kNotEqual,
  kAnd,  // of bools, as the two that follow
  kOr,
  kNot,
  kSelect,  // in[0] ? in[1] : in[2]
  kAbs,     // from here on as enum Primitive
  kCopySign,
  kSqrt,
  kFloor,
  kCeil,
  kTrunc,
  kRint,
  kPopCount,
  kComplex,  // of a real and an imaginary part
  kReal,
  kImaginary,
  kLookup,  // element in[0] of `table`, which has `bits` elements
  kCall,    // `call`
};

// A function of numbers as an expression calls it: one element each.
using ElementCall = void (*)(void* out, const void* const* in);

struct ExpressionStep {
  ExpressionOp op = ExpressionOp::kInput;
  DataType type = DataType::kInvalid;  // of the result
  int32_t in[3] = {-1, -1, -1};        // earlier steps
  uint64_t bits = 0;
  const void* table = nullptr;
  ElementCall call = nullptr;

  bool operator==(const ExpressionStep&) const = default;
};

class Expression {
 public:
  // The number of the step; that of an equal one if there is one.
  int Add(const ExpressionStep& step);

  const std::vector<ExpressionStep>& steps() const { return steps_; }
  // The step whose value is the element's.
  int value() const { return value_; }
  void set_value(int step) { value_ = step; }
  // A bool: the element is an error, and no other element counts. -1: none is.
  int fails() const { return fails_; }
  void set_fails(int step) { fails_ = step; }

  // "%2 float = add %0 %1", one line a step.
  std::string DebugString() const;

 private:
  std::vector<ExpressionStep> steps_;
  int value_ = -1, fails_ = -1;
};

// A step of an expression, or a number that is not part of one yet.
struct ExprRef {
  Expression* expression = nullptr;
  uint64_t payload = 0;  // the step, or the bits of a kConstant
};

namespace internal {

// What a step does, and the types of its result and its operands, in one word:
// definitions make many steps, and each is no more than a call.
constexpr uint64_t StepCode(ExpressionOp op, DataType type, DataType a,
                            DataType b = DataType::kInvalid,
                            DataType c = DataType::kInvalid) {
  return static_cast<uint64_t>(op) | static_cast<uint64_t>(type) << 8 |
         static_cast<uint64_t>(a) << 16 | static_cast<uint64_t>(b) << 24 |
         static_cast<uint64_t>(c) << 32;
}
// Adds a step; one operand at least must be a step.
ExprRef EmitStep(uint64_t code, ExprRef a);
ExprRef EmitStep(uint64_t code, ExprRef a, ExprRef b);
ExprRef EmitStep(uint64_t code, ExprRef a, ExprRef b, ExprRef c);
// kCall and kLookup.
ExprRef EmitCall(uint64_t code, ElementCall call, ExprRef a);
ExprRef EmitCall(uint64_t code, ElementCall call, ExprRef a, ExprRef b);
ExprRef EmitCall(uint64_t code, ElementCall call, ExprRef a, ExprRef b,
                 ExprRef c);
ExprRef EmitLookup(uint64_t code, const void* table, uint64_t size, ExprRef i);
ExprRef EmitInput(Expression* expression, DataType type, int number);
int StepOfNumber(Expression* expression, DataType type, uint64_t bits);

template <class T>
constexpr bool kIsComplexNumber =
    std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;

// The payload of a number.
template <class T>
constexpr uint64_t ConstantBits(T v) {
  if constexpr (kIsComplexNumber<T>) {
    return std::bit_cast<uint64_t>(static_cast<double>(v.real()));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(v);
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<uint32_t>(v);
  } else if constexpr (!std::is_integral_v<T>) {
    return v.bits();
  } else {
    return static_cast<uint64_t>(v);
  }
}
template <class T>
constexpr T ConstantOf(uint64_t bits) {
  if constexpr (kIsComplexNumber<T>) {
    return T(static_cast<typename T::value_type>(std::bit_cast<double>(bits)));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(bits);
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  } else if constexpr (!std::is_integral_v<T>) {
    return T::FromBits(bits);
  } else {
    return static_cast<T>(bits);
  }
}

}  // namespace internal

template <class T>
class Expr {
 public:
  using Scalar = T;
  template <class U>
  using Over = Expr<U>;

  Expr() : Expr(T()) {}
  template <class S>
  requires(!SymbolicValue<S> &&
           std::is_convertible_v<S, T>) explicit(!std::is_same_v<S, T>)
      Expr(S number)
      : ref_{nullptr, internal::ConstantBits<T>(static_cast<T>(number))} {}
  template <class U>
  requires(!std::is_same_v<U, T>) explicit Expr(Expr<U> v)
      : ref_(v.ref().expression
                 ? Emit(ExpressionOp::kConvert, v)
                 : ExprRef{nullptr,
                           internal::ConstantBits<T>(Convert<T>(
                               internal::ConstantOf<U>(v.ref().payload)))}) {}
  // A complex number of its parts.
  template <class P>
  requires(internal::kIsComplexNumber<T>&& SymbolicValue<P>)
      Expr(P real, P imaginary)
      : ref_(Emit(ExpressionOp::kComplex, real, imaginary)) {}

  static Expr Input(Expression* expression, int number) {
    return Expr(internal::EmitInput(expression, kTypeOf<T>, number));
  }
  // The result of `op` on operands as they are.
  template <class... U>
  static Expr Make(ExpressionOp op, Expr<U>... in) {
    return Expr(Emit(op, in...));
  }

  template <class U>
  static Expr Bits(Expr<U> v) {
    return Make(ExpressionOp::kBitCast, v);
  }
  static Expr Choose(Expr<bool> c, Expr a, Expr b) {
    return Make(ExpressionOp::kSelect, c, a, b);
  }
  static Expr Both(Expr a, Expr b) { return Make(ExpressionOp::kAnd, a, b); }
  static Expr Either(Expr a, Expr b) { return Make(ExpressionOp::kOr, a, b); }
  template <class... U>
  static Expr Apply(Primitive p, Expr<U>... in) {
    constexpr int kFirst = static_cast<int>(ExpressionOp::kAbs);
    static_assert(kFirst + static_cast<int>(Primitive::kPopCount) ==
                  static_cast<int>(ExpressionOp::kPopCount));
    return Make(static_cast<ExpressionOp>(kFirst + static_cast<int>(p)), in...);
  }
  template <class I>
  static Expr Look(const T* table, uint64_t size, Expr<I> i) {
    return Expr(internal::EmitLookup(
        internal::StepCode(ExpressionOp::kLookup, kTypeOf<T>, kTypeOf<I>),
        table, size, i.ref()));
  }
  template <auto F, class... U>
  static Expr Call(Expr<U>... in) {
    return Expr(internal::EmitCall(
        internal::StepCode(ExpressionOp::kCall, kTypeOf<T>, kTypeOf<U>...),
        &CallElement<F, U...>, in.ref()...));
  }

  auto real() const {
    return Expr<typename T::value_type>::Make(ExpressionOp::kReal, *this);
  }
  auto imag() const {
    return Expr<typename T::value_type>::Make(ExpressionOp::kImaginary, *this);
  }

  ExprRef ref() const { return ref_; }
  // The step of `expression` that has the value: a new one for a number.
  int StepIn(Expression* expression) const {
    return ref_.expression
               ? static_cast<int>(ref_.payload)
               : internal::StepOfNumber(expression, kTypeOf<T>, ref_.payload);
  }

 private:
  explicit Expr(ExprRef ref) : ref_(ref) {}

  template <class... U>
  static ExprRef Emit(ExpressionOp op, Expr<U>... in) {
    return internal::EmitStep(internal::StepCode(op, kTypeOf<T>, kTypeOf<U>...),
                              in.ref()...);
  }
  template <auto F, class... U>
  static void CallElement(void* out, const void* const* in) {
    [&]<size_t... I>(std::index_sequence<I...>) {
      *static_cast<T*>(out) = F(*static_cast<const U*>(in[I])...);
    }
    (std::index_sequence_for<U...>());
  }

  ExprRef ref_;
};

namespace internal {

template <class V>
constexpr bool kIsExpr = false;
template <class T>
constexpr bool kIsExpr<Expr<T>> = true;

// One at least is a symbolic value, the other may be a number. Complex with
// real numbers: by their parts, as that is what C++ computes.
template <class A, class B>
concept ExprOperands = kIsComplexNumber<ScalarOf<A>>
== kIsComplexNumber<ScalarOf<B>> &&
    (kIsExpr<A> || std::is_arithmetic_v<A> ||
     kIsComplexNumber<A>)&&(kIsExpr<B> || std::is_arithmetic_v<B> ||
                            kIsComplexNumber<B>)&&(kIsExpr<A> || kIsExpr<B>);

template <class To, class V>
Expr<To> AsExpr(V v) {
  if constexpr (std::is_same_v<V, Expr<To>>) {
    return v;
  } else {
    return Expr<To>(v);
  }
}

// The types that C++ computes in: that of the operands, and the result's.
template <class A, class B>
using CommonNumber = decltype(ScalarOf<A>() + ScalarOf<B>());
template <class A>
using PromotedNumber = decltype(+ScalarOf<A>());

}  // namespace internal

#define GK_EXPR_ARITHMETIC(symbol, name)                             \
  template <class A, class B>                                        \
  requires internal::ExprOperands<A, B>                              \
  auto operator symbol(A a, B b) {                                   \
    using C = internal::CommonNumber<A, B>;                          \
    return Expr<C>::Make(ExpressionOp::name, internal::AsExpr<C>(a), \
                         internal::AsExpr<C>(b));                    \
  }
GK_EXPR_ARITHMETIC(+, kAdd)
GK_EXPR_ARITHMETIC(-, kSubtract)
GK_EXPR_ARITHMETIC(*, kMultiply)
GK_EXPR_ARITHMETIC(/, kDivide)
GK_EXPR_ARITHMETIC(%, kRemainder)
GK_EXPR_ARITHMETIC(&, kBitAnd)
GK_EXPR_ARITHMETIC(|, kBitOr)
GK_EXPR_ARITHMETIC(^, kBitXor)
#undef GK_EXPR_ARITHMETIC

#define GK_EXPR_COMPARISON(symbol, name, first, second)                     \
  template <class A, class B>                                               \
  requires internal::ExprOperands<A, B> Expr<bool>                          \
  operator symbol(A a, B b) {                                               \
    using C = internal::CommonNumber<A, B>;                                 \
    return Expr<bool>::Make(ExpressionOp::name, internal::AsExpr<C>(first), \
                            internal::AsExpr<C>(second));                   \
  }
GK_EXPR_COMPARISON(<, kLess, a, b)
GK_EXPR_COMPARISON(<=, kLessEqual, a, b)
GK_EXPR_COMPARISON(>, kLess, b, a)
GK_EXPR_COMPARISON(>=, kLessEqual, b, a)
GK_EXPR_COMPARISON(==, kEqual, a, b)
GK_EXPR_COMPARISON(!=, kNotEqual, a, b)
#undef GK_EXPR_COMPARISON

// The count is less than the width of what is shifted.
#define GK_EXPR_SHIFT(symbol, name)                                  \
  template <class A, class B>                                        \
  requires internal::ExprOperands<A, B>                              \
  auto operator symbol(A a, B count) {                               \
    using C = internal::PromotedNumber<A>;                           \
    return Expr<C>::Make(ExpressionOp::name, internal::AsExpr<C>(a), \
                         internal::AsExpr<C>(count));                \
  }
GK_EXPR_SHIFT(<<, kShiftLeft)
GK_EXPR_SHIFT(>>, kShiftRight)
#undef GK_EXPR_SHIFT

template <class T>
auto operator-(Expr<T> v) {
  using C = internal::PromotedNumber<Expr<T>>;
  return Expr<C>::Make(ExpressionOp::kNegate, internal::AsExpr<C>(v));
}
template <class T>
auto operator~(Expr<T> v) {
  using C = internal::PromotedNumber<Expr<T>>;
  return Expr<C>::Make(ExpressionOp::kBitNot, internal::AsExpr<C>(v));
}
inline Expr<bool> operator!(Expr<bool> v) {
  return Expr<bool>::Make(ExpressionOp::kNot, v);
}

}  // namespace gk

#endif  // GK_FRAMEWORK_EXPRESSION_H_
