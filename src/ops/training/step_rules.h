// How optimizers change a variable: one element with its slots by one gradient.
//
// A rule says how many slots it has, which attribute of the op its flag is, and
// Step(s, g, h): s[0] is the variable, s[1] and on the slots, g the gradient, h
// the op's other inputs in their order, as Prepare has left them.
#ifndef GK_OPS_TRAINING_STEP_RULES_H_
#define GK_OPS_TRAINING_STEP_RULES_H_

#include <cmath>
#include <complex>

#include "kernels/isa.h"

namespace gk::training {

template <int kNumSlots>
struct Rule {
  static constexpr int kSlots = kNumSlots;
  static constexpr const char* kFlag = "";
  static constexpr bool kComplex = false;
  // Are rates to be positive, strengths not negative? Of rows alone, or always.
  static constexpr bool kPositiveOfRows = false;
  static constexpr bool kPositive = false;
  template <class C>
  static void Prepare(C* h) {}
};

template <class C>
GK_INLINE C Sqrt(C x) {
  return std::sqrt(x);
}
template <class C>
GK_INLINE C Sign(C x) {
  return x > C(0) ? C(1) : x < C(0) ? C(-1) : x;
}
// What is left of x when its size shrinks by `by`.
template <class C>
GK_INLINE C Shrunk(C x, C by) {
  const C size = (x < C(0) ? -x : x) - by;
  return Sign(x) * (size > C(0) ? size : C(0));
}

// alpha
struct GradientDescent : Rule<0> {
  static constexpr bool kComplex = true;
  template <bool, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    s[0] -= g * h[0];
  }
};

// alpha, l1, l2 (Duchi and Singer, 2009)
struct ProximalGradientDescent : Rule<0> {
  template <bool, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    const C moved = s[0] - g * h[0];
    const C shrunk = h[1] > C(0) ? Shrunk(moved, h[0] * h[1]) : moved;
    s[0] = shrunk / (C(1) + h[0] * h[2]);
  }
};

// lr; accum (Duchi, Hazan and Singer, 2011)
struct Adagrad : Rule<1> {
  static constexpr const char* kFlag = "update_slots";
  static constexpr bool kComplex = true;
  template <bool kUpdateSlots, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    if (kUpdateSlots) s[1] += g * g;
    s[0] -= g * h[0] / Sqrt(s[1]);
  }
};

// lr, epsilon; accum
struct AdagradV2 : Rule<1> {
  static constexpr const char* kFlag = "update_slots";
  static constexpr bool kComplex = true;
  template <bool kUpdateSlots, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    if (kUpdateSlots) s[1] += g * g;
    s[0] -= g * h[0] / (Sqrt(s[1]) + h[1]);
  }
};

// lr, l1, l2; accum
struct ProximalAdagrad : Rule<1> {
  static constexpr bool kPositive = true;
  template <bool, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    s[1] += g * g;
    const C rate = h[0] / Sqrt(s[1]);
    const C moved = s[0] - g * rate;
    const C shrunk = h[1] > C(0) ? Shrunk(moved, rate * h[1]) : moved;
    s[0] = shrunk / (C(1) + rate * h[2]);
  }
};

// lr, l1, l2, global_step; sums of gradients and of their squares
struct AdagradDA : Rule<2> {
  template <bool, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    s[1] += g;
    s[2] += g * g;
    const C sum = h[1] > C(0) ? Shrunk(s[1], h[1] * h[3]) : s[1];
    s[0] = -h[0] * sum / (h[2] * h[3] * h[0] + Sqrt(s[2]));
  }
};

// lr, rho, epsilon; accum, accum_update (Zeiler, 2012)
struct Adadelta : Rule<2> {
  static constexpr bool kComplex = true;
  template <bool, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    s[1] = s[1] * h[1] + g * g * (C(1) - h[1]);
    const C update = Sqrt(s[2] + h[2]) / Sqrt(s[1] + h[2]) * g;
    s[0] -= update * h[0];
    s[2] = s[2] * h[1] + update * update * (C(1) - h[1]);
  }
};

// lr, momentum; accum
struct Momentum : Rule<1> {
  static constexpr const char* kFlag = "use_nesterov";
  static constexpr bool kComplex = true;
  template <bool kNesterov, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    s[1] = s[1] * h[1] + g;
    s[0] -= kNesterov ? g * h[0] + s[1] * h[1] * h[0] : s[1] * h[0];
  }
};

// lr, momentum; accum
struct KerasMomentum : Rule<1> {
  static constexpr const char* kFlag = "use_nesterov";
  static constexpr bool kComplex = true;
  template <bool kNesterov, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    s[1] = s[1] * h[1] - g * h[0];
    s[0] += kNesterov ? s[1] * h[1] - g * h[0] : s[1];
  }
};

// beta1_power, beta2_power, lr, beta1, beta2, epsilon; m, v (Kingma and Ba,
// 2015)
struct Adam : Rule<2> {
  static constexpr const char* kFlag = "use_nesterov";
  static constexpr bool kComplex = true;
  template <class C>
  static void Prepare(C* h) {
    h[0] = h[2] * Sqrt(C(1) - h[1]) / (C(1) - h[0]);
  }
  template <bool kNesterov, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    s[1] += (g - s[1]) * (C(1) - h[3]);
    s[2] += (g * g - s[2]) * (C(1) - h[4]);
    const C m = kNesterov ? s[1] * h[3] + g * (C(1) - h[3]) : s[1];
    s[0] -= m * h[0] / (Sqrt(s[2]) + h[5]);
  }
};

// The same; m, v, vhat (Reddi, Kale and Kumar, 2018)
struct AdamWithAmsgrad : Rule<3> {
  template <class C>
  static void Prepare(C* h) {
    Adam::Prepare(h);
  }
  template <bool, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    s[1] += (g - s[1]) * (C(1) - h[3]);
    s[2] += (g * g - s[2]) * (C(1) - h[4]);
    s[3] = s[3] > s[2] ? s[3] : s[2];
    s[0] -= s[1] * h[0] / (Sqrt(s[3]) + h[5]);
  }
};

// beta1_power, lr, beta1, beta2, epsilon; m, v
struct AdaMax : Rule<2> {
  template <class C>
  static void Prepare(C* h) {
    h[0] = h[1] / (C(1) - h[0]);
  }
  template <bool, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    s[1] += (g - s[1]) * (C(1) - h[2]);
    const C kept = s[2] * h[3], size = g < C(0) ? -g : g;
    s[2] = kept > size ? kept : size;
    s[0] -= h[0] * (s[1] / (s[2] + h[4]));
  }
};

// lr, rho, momentum, epsilon; ms, mom
struct RMSProp : Rule<2> {
  static constexpr bool kComplex = true;
  template <bool, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    s[1] += (g * g - s[1]) * (C(1) - h[1]);
    s[2] = s[2] * h[2] + g * h[0] / Sqrt(s[1] + h[3]);
    s[0] -= s[2];
  }
};

// The same; mg, ms, mom
struct CenteredRMSProp : Rule<3> {
  static constexpr bool kComplex = true;
  template <bool, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    s[2] += (g * g - s[2]) * (C(1) - h[1]);
    s[1] += (g - s[1]) * (C(1) - h[1]);
    s[3] = s[3] * h[2] + g * h[0] / Sqrt(s[2] - s[1] * s[1] + h[3]);
    s[0] -= s[3];
  }
};

// lr, alpha, sign_decay, beta; m (Bello and others, 2017)
struct AddSign : Rule<1> {
  template <bool, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    s[1] = s[1] * h[3] + g * (C(1) - h[3]);
    s[0] -= h[0] * (h[1] + h[2] * (Sign(g) * Sign(s[1]))) * g;
  }
};

// lr, logbase, sign_decay, beta; m
struct PowerSign : Rule<1> {
  template <bool, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    s[1] = s[1] * h[3] + g * (C(1) - h[3]);
    s[0] -= h[0] * std::exp(h[1] * h[2] * (Sign(g) * Sign(s[1]))) * g;
  }
};

// The step that is common to both kinds (McMahan and others, 2013): h is lr,
// l1, l2 and the power; `pull` the gradient with what shrinks the variable.
// Where it is no number, a step of rows leaves that, one of all elements 0, as
// TensorFlow's do.
template <bool kMultiplyLinear, bool kOfRows, class C>
GK_INLINE void FtrlStep(C* s, C g, C pull, const C* h, C power) {
  const C sum = s[1] + g * g;
  const bool half = power == C(-0.5);
  const C now = half ? Sqrt(sum) : std::pow(sum, -power);
  const C before = half ? Sqrt(s[1]) : std::pow(s[1], -power);
  const C rate = kMultiplyLinear ? h[0] : C(1);
  const C over = kMultiplyLinear ? C(1) : h[0];
  s[2] += pull * rate - (now - before) / over * s[0];
  const C l1 = h[1] * rate;
  const C size = s[2] < C(0) ? -s[2] : s[2];
  const bool moves = kOfRows ? !(size <= l1) : size > l1;
  s[0] = moves ? (l1 * Sign(s[2]) - s[2]) / (now / over + C(2) * h[2] * rate)
               : C(0);
  s[1] = sum;
}

// lr, l1, l2, lr_power; accum, linear
struct Ftrl : Rule<2> {
  static constexpr const char* kFlag = "multiply_linear_by_lr";
  static constexpr bool kPositiveOfRows = true;
  template <bool kMultiplyLinear, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    FtrlStep<kMultiplyLinear, false>(s, g, g, h, h[3]);
  }
};

// lr, l1, l2, l2_shrinkage, lr_power; accum, linear
struct FtrlV2 : Rule<2> {
  static constexpr const char* kFlag = "multiply_linear_by_lr";
  static constexpr bool kPositiveOfRows = true;
  template <bool kMultiplyLinear, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    FtrlStep<kMultiplyLinear, false>(s, g, g + C(2) * h[3] * s[0], h, h[4]);
  }
};

// The same for the rows that an op names: another function, whose inputs are
// others.
template <class R>
struct OfRows : R {};
template <>
struct OfRows<Ftrl> : Ftrl {
  template <bool kMultiplyLinear, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    FtrlStep<kMultiplyLinear, true>(s, g, g, h, h[3]);
  }
};
template <>
struct OfRows<FtrlV2> : FtrlV2 {
  template <bool kMultiplyLinear, class C>
  static GK_INLINE void Step(C* s, C g, const C* h) {
    FtrlStep<kMultiplyLinear, true>(s, g, g + C(2) * h[3] * s[0], h, h[4]);
  }
};

}  // namespace gk::training

#endif  // GK_OPS_TRAINING_STEP_RULES_H_
