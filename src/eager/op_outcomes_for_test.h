// What tests of ops share: short tensors, the outcome of an op as text, and
// gradients of both orders against central differences.
//
// For tests only; everything runs on the calling thread.
#ifndef GK_EAGER_OP_OUTCOMES_FOR_TEST_H_
#define GK_EAGER_OP_OUTCOMES_FOR_TEST_H_

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "eager/eager_context.h"
#include "eager/gradient_tape.h"
#include "framework/op_builder.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Sum.h"
#include "ops/fn/ZerosLike.h"

namespace gk {

inline Tensor F(std::initializer_list<float> v, TensorShape shape) {
  return Tensor::OfValues<float>({v.begin(), v.size()}, shape);
}
inline Tensor F(std::initializer_list<float> v) {
  return F(v, TensorShape({int64_t(v.size())}));
}
inline Tensor I(std::initializer_list<int32_t> v, TensorShape shape) {
  return Tensor::OfValues<int32_t>({v.begin(), v.size()}, shape);
}
inline Tensor I(std::initializer_list<int32_t> v) {
  return I(v, TensorShape({int64_t(v.size())}));
}
inline Tensor I(int32_t v) { return Tensor::Scalar<int32_t>(v); }
inline Tensor Iota(TensorShape shape) {
  Tensor t = ValueOrThrow(Tensor::Allocate(DataType::kFloat, shape));
  for (int64_t i = 0; i < t.num_elements(); ++i) t.data<float>()[i] = i;
  return t;
}

inline std::string Show(const Tensor& t) { return t.DebugString(100); }
// The message of an op's error without the name of the op.
inline std::string MessageWithoutOp(const Error& e) {
  const std::string& text = e.status().message();
  EXPECT_NE(text.find(" [Op:"), text.npos) << text;
  return text.substr(0, text.rfind(" [Op:"));
}
// The value of an op, or the message of its error without the op's name.
inline std::string Outcome(std::string_view op,
                           std::initializer_list<Tensor> in,
                           AttrMap attrs = {}) {
  try {
    std::string s;
    for (const Tensor& t : MakeOp(op, {in.begin(), in.size()}, attrs)) {
      s += (s.empty() ? "" : " | ") + Show(t);
    }
    return s;
  } catch (const Error& e) {
    return MessageWithoutOp(e);
  }
}

// d sum(w * op(x)) / dx with weights 1, 2, 3, ...
inline std::string GradOf(const Tensor& x,
                          const std::function<Tensor(const Tensor&)>& f) {
  try {
    GradientTape tape;
    tape.Push();
    tape.Watch(x);
    Tensor y = f(x);
    Tensor w = ValueOrThrow(Tensor::Allocate(DataType::kFloat, y.shape()));
    for (int64_t i = 0; i < w.num_elements(); ++i) w.data<float>()[i] = i + 1;
    const Gradient seed{w, {}, {}};
    auto grads =
        ValueOrThrow(tape.ComputeGradient({&y, 1}, {&x, 1}, {&seed, 1}));
    if (grads[0].is_none()) return "none";
    if (grads[0].is_slices()) {
      return Show(grads[0].dense) + " at " + Show(grads[0].indices);
    }
    return Show(grads[0].dense);
  } catch (const Error& e) {
    return e.status().message();
  }
}

// sum(w * y) with weights 1, 2, 3, ...
inline Tensor Weighted(const Tensor& y) {
  Tensor w = ValueOrThrow(Tensor::Allocate(y.dtype(), y.shape()));
  for (int64_t i = 0; i < w.num_elements(); ++i) {
    w.data<double>()[i] = 1 + 0.5 * double(i);
  }
  Tensor flat = ops::Reshape(ops::Mul(w, y), I({-1}));
  return ops::Sum(flat, I(0));
}

using ScalarFn = std::function<Tensor(const Tensor&)>;

// The gradient of a scalar function of doubles as an op that can be recorded;
// zeros where there is none.
inline Tensor GradientAt(const ScalarFn& f, const Tensor& x) {
  GradientTape tape;
  tape.Push();
  tape.Watch(x);
  const Tensor y = f(x);
  tape.Pop();
  auto grads = ValueOrThrow(tape.ComputeGradient({&y, 1}, {&x, 1}, {}));
  return grads[0].is_none() ? ops::ZerosLike(x) : Densify(grads[0]);
}

inline void ExpectNear(const ScalarFn& f, const Tensor& x, const char* order) {
  const Tensor grad = GradientAt(f, x);
  ASSERT_EQ(grad.shape(), x.shape()) << order;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    constexpr double kStep = 1e-5;
    double value[2];
    for (int side = 0; side < 2; ++side) {
      Tensor moved = ValueOrThrow(x.Copy());
      moved.data<double>()[i] += side == 0 ? -kStep : kStep;
      value[side] = f(moved).scalar<double>();
    }
    EXPECT_NEAR(grad.data<double>()[i], (value[1] - value[0]) / (2 * kStep),
                1e-5)
        << order << ", element " << i;
  }
}

// Compares the gradients of op(x * x) of both orders with differences.
inline void ExpectGradients(TensorShape shape,
                            const std::function<Tensor(const Tensor&)>& op) {
  Tensor x = ValueOrThrow(Tensor::Allocate(DataType::kDouble, shape));
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    x.data<double>()[i] = 0.5 + 0.3 * double((i * 5) % 7) + 0.01 * double(i);
  }
  const ScalarFn f = [&](const Tensor& t) {
    return Weighted(op(ops::Mul(t, t)));
  };
  ExpectNear(f, x, "first order");
  const ScalarFn g = [&](const Tensor& t) {
    return Weighted(GradientAt(f, t));
  };
  ExpectNear(g, x, "second order");
}

}  // namespace gk

#endif  // GK_EAGER_OP_OUTCOMES_FOR_TEST_H_
