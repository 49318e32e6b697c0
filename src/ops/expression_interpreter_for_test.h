// ExpressionInterpreter: computes an expression of one element step by step,
// to compare with the loop that it stands for. For tests: one step is an
// indirect call. Used by one thread.
#ifndef GK_OPS_EXPRESSION_INTERPRETER_FOR_TEST_H_
#define GK_OPS_EXPRESSION_INTERPRETER_FOR_TEST_H_

#include <cstring>
#include <vector>

#include "framework/expression.h"
#include "kernels/math.h"

namespace gk {

class ExpressionInterpreter {
 public:
  explicit ExpressionInterpreter(const Expression& e) : expression_(e) {
    for (const ExpressionStep& step : e.steps()) {
      steps_.push_back(FunctionOf(step));
    }
    values_.resize(steps_.size());
    if (e.fails() >= 0) for_fails_ = StepsFor(e.fails());
    for_value_ = StepsFor(e.value());
  }

  // The first step that nothing here computes; -1 if there is none.
  int unknown_step() const {
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (!steps_[i]) return i;
    }
    return -1;
  }

  // Of the element at in[0], in[1], ...; false, and nothing is written, if it
  // is an error.
  bool Run(const void* const* in, void* out) {
    if (expression_.fails() >= 0) {
      RunSteps(for_fails_, in);
      bool fails;
      std::memcpy(&fails, &values_[expression_.fails()], sizeof fails);
      if (fails) return false;
    }
    RunSteps(for_value_, in);
    const int v = expression_.value();
    std::memcpy(out, &values_[v], DataTypeSize(expression_.steps()[v].type));
    return true;
  }

 private:
  struct alignas(16) Value {
    char bytes[16] = {};
  };
  using Function = void (*)(const ExpressionStep& step, const void* const* in,
                            void* out);

  // In order, those that `step` needs.
  std::vector<int> StepsFor(int step) const {
    std::vector<bool> needed(steps_.size());
    needed[step] = true;
    std::vector<int> order;
    for (int i = step; i >= 0; --i) {
      if (!needed[i]) continue;
      order.insert(order.begin(), i);
      for (int32_t in : expression_.steps()[i].in) {
        if (in >= 0) needed[in] = true;
      }
    }
    return order;
  }

  void RunSteps(const std::vector<int>& steps, const void* const* in) {
    for (int i : steps) {
      const ExpressionStep& step = expression_.steps()[i];
      const void* operands[3] = {};
      for (int k = 0; k < 3 && step.in[k] >= 0; ++k) {
        operands[k] = &values_[step.in[k]];
      }
      steps_[i](step, step.op == ExpressionOp::kInput ? in : operands,
                &values_[i]);
    }
  }

  template <class T>
  static T Read(const void* from) {
    T v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  template <class T>
  static void Write(T v, void* to) {
    std::memcpy(to, &v, sizeof v);
  }
  template <class T, auto F>
  static void Unary(const ExpressionStep&, const void* const* in, void* out) {
    Write(F(Read<T>(in[0])), out);
  }
  template <class T, auto F>
  static void Binary(const ExpressionStep&, const void* const* in, void* out) {
    Write(F(Read<T>(in[0]), Read<T>(in[1])), out);
  }

  template <class Fn>
  static void VisitNumber(DataType t, Fn fn) {
    VisitType<half, bfloat16, float8_e5m2, float8_e4m3fn, float, double, bool,
              int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
              uint64_t, complex64, complex128>(t, fn);
  }

  Function FunctionOf(const ExpressionStep& step) const {
    using Op = ExpressionOp;
    switch (step.op) {
      case Op::kInput:
        return [](const ExpressionStep& s, const void* const* in, void* out) {
          std::memcpy(out, in[s.bits], DataTypeSize(s.type));
        };
      case Op::kConstant:
        return ConstantOf(step.type);
      case Op::kBitCast:
        return [](const ExpressionStep& s, const void* const* in, void* out) {
          std::memcpy(out, in[0], DataTypeSize(s.type));
        };
      case Op::kSelect:
        return [](const ExpressionStep& s, const void* const* in, void* out) {
          std::memcpy(out, in[Read<bool>(in[0]) ? 1 : 2], DataTypeSize(s.type));
        };
      case Op::kLookup:
        return [](const ExpressionStep& s, const void* const* in, void* out) {
          const int64_t size = DataTypeSize(s.type);
          std::memcpy(
              out,
              static_cast<const char*>(s.table) + Read<int64_t>(in[0]) * size,
              size);
        };
      case Op::kCall:
        return [](const ExpressionStep& s, const void* const* in, void* out) {
          s.call(out, in);
        };
      case Op::kConvert:
        return ConversionOf(step.type, TypeOf(step.in[0]));
      case Op::kComplex:
        return step.type == DataType::kComplex64 ? &MakeComplex<float>
                                                 : &MakeComplex<double>;
      default: {
        Function fn = nullptr;
        VisitNumber(TypeOf(step.in[0]), [&](auto number) {
          fn = ArithmeticOf<decltype(number)>(step.op);
        });
        return fn;
      }
    }
  }

  DataType TypeOf(int32_t step) const { return expression_.steps()[step].type; }

  static Function ConstantOf(DataType t) {
    Function fn = nullptr;
    VisitNumber(t, [&](auto number) {
      using T = decltype(number);
      fn = [](const ExpressionStep& s, const void* const*, void* out) {
        Write(internal::ConstantOf<T>(s.bits), out);
      };
    });
    return fn;
  }

  template <class T>
  static void MakeComplex(const ExpressionStep&, const void* const* in,
                          void* out) {
    Write(std::complex<T>(Read<T>(in[0]), Read<T>(in[1])), out);
  }

  static Function ConversionOf(DataType to, DataType from) {
    Function fn = nullptr;
    VisitNumber(to, [&](auto t) {
      VisitNumber(from, [&](auto f) {
        using To = decltype(t);
        using From = decltype(f);
        if constexpr (std::is_constructible_v<ComputeType<To>,
                                              ComputeType<From>>) {
          fn = &Unary<From, [](From v) {
            return Convert<To>(
                static_cast<ComputeType<To>>(Convert<ComputeType<From>>(v)));
          }>;
        }
      });
    });
    return fn;
  }

  template <class T>
  static Function ArithmeticOf(ExpressionOp op) {
    using Op = ExpressionOp;
    constexpr bool kComplex = internal::kIsComplexNumber<T>;
    constexpr bool kFloat = std::is_floating_point_v<T>;
    constexpr bool kInteger = std::is_integral_v<T> && sizeof(T) >= 4;
    if constexpr (std::is_same_v<T, bool>) {
      switch (op) {
        case Op::kAnd:
          return &Binary<T, [](T a, T b) { return a && b; }>;
        case Op::kOr:
          return &Binary<T, [](T a, T b) { return a || b; }>;
        case Op::kNot:
          return &Unary<T, [](T a) { return !a; }>;
        default:
          return nullptr;
      }
    }
    if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>) {
      if (op == Op::kPopCount) {
        return &Unary<T, [](T a) { return std::popcount(a); }>;
      }
    }
    if constexpr (kComplex || kFloat || kInteger) {
      switch (op) {
        case Op::kAdd:
          return &Binary<T, [](T a, T b) { return T(a + b); }>;
        case Op::kSubtract:
          return &Binary<T, [](T a, T b) { return T(a - b); }>;
        case Op::kMultiply:
          return &Binary<T, [](T a, T b) { return T(a * b); }>;
        case Op::kDivide:
          return &Binary<T, [](T a, T b) { return T(a / b); }>;
        case Op::kNegate:
          return &Unary<T, [](T a) { return T(-a); }>;
        case Op::kEqual:
          return &Binary<T, [](T a, T b) { return a == b; }>;
        case Op::kNotEqual:
          return &Binary<T, [](T a, T b) { return a != b; }>;
        default:
          break;
      }
    }
    if constexpr (kFloat || kInteger) {
      if (op == Op::kLess) return &Binary<T, [](T a, T b) { return a < b; }>;
      if (op == Op::kLessEqual) {
        return &Binary<T, [](T a, T b) { return a <= b; }>;
      }
    }
    if constexpr (kInteger) {
      switch (op) {
        case Op::kRemainder:
          return &Binary<T, [](T a, T b) { return T(a % b); }>;
        case Op::kBitAnd:
          return &Binary<T, [](T a, T b) { return T(a & b); }>;
        case Op::kBitOr:
          return &Binary<T, [](T a, T b) { return T(a | b); }>;
        case Op::kBitXor:
          return &Binary<T, [](T a, T b) { return T(a ^ b); }>;
        case Op::kBitNot:
          return &Unary<T, [](T a) { return T(~a); }>;
        case Op::kShiftLeft:
          return &Binary<T, [](T a, T b) { return T(a << b); }>;
        case Op::kShiftRight:
          return &Binary<T, [](T a, T b) { return T(a >> b); }>;
        default:
          break;
      }
    }
    if constexpr (kFloat) {
      switch (op) {
        case Op::kAbs:
          return &Unary<T, [](T a) { return math::Abs(a); }>;
        case Op::kCopySign:
          return &Binary<T, [](T a, T b) { return math::CopySign(a, b); }>;
        case Op::kSqrt:
          return &Unary<T, [](T a) { return math::Sqrt(a); }>;
        case Op::kFloor:
          return &Unary<T, [](T a) { return math::Floor(a); }>;
        case Op::kCeil:
          return &Unary<T, [](T a) { return math::Ceil(a); }>;
        case Op::kTrunc:
          return &Unary<T, [](T a) { return math::Trunc(a); }>;
        case Op::kRint:
          return &Unary<T, [](T a) { return math::Rint(a); }>;
        default:
          break;
      }
    }
    if constexpr (kComplex) {
      if (op == Op::kReal) return &Unary<T, [](T a) { return a.real(); }>;
      if (op == Op::kImaginary) return &Unary<T, [](T a) { return a.imag(); }>;
    }
    return nullptr;
  }

  const Expression& expression_;
  std::vector<Function> steps_;
  std::vector<Value> values_;
  std::vector<int> for_fails_, for_value_;
};

}  // namespace gk

#endif  // GK_OPS_EXPRESSION_INTERPRETER_FOR_TEST_H_
