// The kernels of ops that change a variable and its slots by a rule: every
// element, or rows of them.
#ifndef GK_OPS_TRAINING_STEP_KERNEL_H_
#define GK_OPS_TRAINING_STEP_KERNEL_H_

#include <string_view>
#include <vector>

#include "framework/kernel_context.h"
#include "framework/op_record.h"
#include "framework/tensor.h"
#include "kernels/elementwise.h"
#include "kernels/isa.h"
#include "ops/training/step_rules.h"

namespace gk::training {

// Which input of an op is what.
struct StepInputs {
  int states = 0;  // the variable and its slots: the first inputs
  int grad = -1;
  int indices = -1;          // of rows; else all elements
  std::vector<int> scalars;  // in their order
  std::vector<std::string_view> names;
};
StepInputs InputsOf(const OpRecord& record);

// state[k] + i for each k, grad + i, i < n; `scalars` are prepared.
using StepLoop = void (*)(void* const* states, const void* grad,
                          const void* scalars, int64_t n);

// How a rule is run for a dtype: numbers of a compute type are prepared, and a
// loop steps. Null where there is none.
struct StepFunctions {
  // Reads scalar inputs, makes of them what the loop takes: at most 10 numbers
  // of 16 bytes.
  void (*prepare)(const KernelContext& c, const StepInputs& inputs,
                  void* scalars) = nullptr;
  StepLoop loop = nullptr;
};
// What a rule says of itself.
struct RuleFacts {
  StepFunctions (*find)(DataType dtype, bool flag) = nullptr;
  const char* flag = "";  // the name of an attribute, or empty
  bool positive = false;
  bool positive_of_rows = false;
};

constexpr int kMostScalars = 10;
constexpr int kMostStates = 4;

// The rest of both kernels.
Status RunStep(KernelContext& c, const StepInputs& inputs,
               const RuleFacts& rule);

template <class C>
C NumberOf(const Tensor& t) {
  if (t.dtype() == DataType::kInt64) {
    return C(static_cast<double>(t.scalar<int64_t>()));
  }
  C number{};
  VisitType<float, double, half, bfloat16, complex64, complex128>(
      t.dtype(), [&](auto tag) {
        using T = decltype(tag);
        if constexpr (std::is_same_v<ComputeType<T>, C>) {
          number = Convert<C>(t.scalar<T>());
        }
      });
  return number;
}

template <class R, class T, bool kFlag>
struct StepBody {
  using C = ComputeType<T>;
  static GK_INLINE void Run(void* const* states, const void* grad,
                            const void* scalars, int64_t n) {
    constexpr int kStates = R::kSlots + 1;
    C h[kMostScalars];
    for (int k = 0; k < kMostScalars; ++k) {
      h[k] = static_cast<const C*>(scalars)[k];
    }
    T* s[kStates];
    for (int k = 0; k < kStates; ++k) s[k] = static_cast<T*>(states[k]);
    const T* g = static_cast<const T*>(grad);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      C v[kStates];
      for (int k = 0; k < kStates; ++k) v[k] = Convert<C>(s[k][i]);
      R::template Step<kFlag>(v, Convert<C>(g[i]), h);
      for (int k = 0; k < kStates; ++k) s[k][i] = Convert<T>(v[k]);
    }
  }
};

template <class R, class T>
StepFunctions StepOf(bool flag) {
  using C = ComputeType<T>;
  using Loop = void(void* const*, const void*, const void*, int64_t);
  StepFunctions step;
  step.prepare = [](const KernelContext& c, const StepInputs& inputs,
                    void* scalars) {
    C* h = static_cast<C*>(scalars);
    for (const int i : inputs.scalars) *h++ = NumberOf<C>(c.input(i));
    R::Prepare(static_cast<C*>(scalars));
  };
  step.loop = flag ? Stamp<StepBody<R, T, true>, Loop>::Best()
                   : Stamp<StepBody<R, T, false>, Loop>::Best();
  return step;
}

template <class R>
Status ComputeStep(KernelContext& c) {
  static const StepInputs inputs = InputsOf(c.record());
  const auto find = [](DataType dtype, bool flag) {
    StepFunctions step;
    const auto visit = [&](auto tag) { step = StepOf<R, decltype(tag)>(flag); };
    if (!VisitType<float, double, half, bfloat16>(dtype, visit)) {
      if constexpr (R::kComplex) {
        VisitType<complex64, complex128>(dtype, visit);
      }
    }
    return step;
  };
  return RunStep(c, inputs,
                 {.find = find,
                  .flag = R::kFlag,
                  .positive = R::kPositive,
                  .positive_of_rows = R::kPositiveOfRows});
}

constexpr uint32_t kStepTraits =
    kStateful | kReadsResource | kWritesResource | kNoGradient;

}  // namespace gk::training

#endif  // GK_OPS_TRAINING_STEP_KERNEL_H_
