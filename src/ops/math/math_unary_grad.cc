// Gradients of unary functions in terms of the function's value.
#include "ops/fn/math_unary_grad.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/broadcast_gradient.h"
#include "ops/elementwise.h"
#include "ops/fn/math_arithmetic.h"
#include "ops/fn/math_divide.h"
#include "ops/fn/math_unary.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

// Without broadcasting: dy has the elements of y, in any shape.
Status ComputeSameSize(KernelContext& c) {
  const Tensor &y = c.input(0), &dy = c.input(1);
  if (y.shape() == dy.shape()) return ComputeElementwise(c);
  if (y.num_elements() != dy.num_elements()) {
    return InvalidArgument(
        "The two arguments to a cwise op must have same number of elements, "
        "got {} and {}",
        y.num_elements(), dy.num_elements());
  }
  const Tensor shaped = dy.WithShape(y.shape());
  const Tensor* inputs[] = {&y, &shaped};
  KernelContext same(c.record(), c.attrs(), inputs, std::span(&c.output(0), 1));
  return ComputeElementwise(same);
}

// Nothing is said of the output where the kernel will refuse, so that no
// fused loop takes its place.
Status SameSizeShape(InferenceContext& c) {
  const int64_t y = c.input(0).num_elements(), dy = c.input(1).num_elements();
  if (y < 0 || dy < 0 || y == dy) c.set_output(0, c.input(0));
  return OkStatus();
}

constexpr KernelSet SameSize(KernelSet kernel) {
  kernel.compute = ComputeSameSize;
  return kernel;
}

// Where no gradient arrives none goes on, from a pole as little as elsewhere:
// branches and loops that did not take a way send zeros along it.
template <class T>
GK_INLINE T FromNone(T dy, T value) {
  return Select(dy == T(0), T(0), value);
}

template <class T>
GK_INLINE T Conj(T z) {
  return T(z.real(), -z.imag());
}

const OpRecord kRecords[] = {
    {.name = "SqrtGrad",
     .inputs = "y: T; dy: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = SameSizeShape,
     .kernel = SameSize(Overloads<BinaryFor<[](auto y, auto dy) {
                                    using T = decltype(y);
                                    return FromNone<T>(dy, T(dy * T(0.5) / y));
                                  },
                                            FloatTypes>,
                                  BinaryFor<[](auto y, auto dy) {
                                    using T = decltype(y);
                                    return FromNone<T>(
                                        dy, T(dy * T(0.5) / Conj(y)));
                                  },
                                            ComplexTypes>>()),
     .gradient =
         [](GradContext& g) {
           const Tensor a = ops::RealDiv(g.dy(0), g.x(0));
           if (g.wants(0)) g.Set(0, ops::Neg(ops::Mul(Conjugate(a), g.y(0))));
           if (g.wants(1)) g.Set(1, ops::Mul(ScalarLike(a, 0.5), a));
         },
     .doc = "The gradient of y = Sqrt(x) with respect to x.",
     .test = {.low = 0.5, .reference = "dy * 0.5 / y"}},

    {.name = "RsqrtGrad",
     .inputs = "y: T; dy: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = SameSizeShape,
     .kernel = SameSize(
         Overloads<BinaryFor<[](auto y, auto dy) {
                     using T = decltype(y);
                     return FromNone<T>(dy, T(dy * T(-0.5) * y * (y * y)));
                   },
                             FloatTypes>,
                   BinaryFor<[](auto y, auto dy) {
                     using T = decltype(y);
                     return FromNone<T>(
                         dy, T(dy * T(-0.5) * Conj(y) * (Conj(y) * Conj(y))));
                   },
                             ComplexTypes>>()),
     .gradient =
         [](GradContext& g) {
           if (g.wants(0))
             g.Set(0, ops::Mul(ScalarLike(g.x(0), -1.5),
                               ops::Mul(ops::Mul(Conjugate(g.dy(0)), g.x(1)),
                                        ops::Square(Conjugate(g.x(0))))));
           if (g.wants(1)) g.Set(1, ops::RsqrtGrad(Conjugate(g.x(0)), g.dy(0)));
         },
     .doc = "The gradient of y = Rsqrt(x) with respect to x.",
     .test = {.reference = "dy * -0.5 * y**3"}},

    {.name = "ReciprocalGrad",
     .inputs = "y: T; dy: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = SameSizeShape,
     .kernel = SameSize(Overloads<BinaryFor<[](auto y, auto dy) {
                                    using T = decltype(y);
                                    return FromNone<T>(dy, T(-dy * (y * y)));
                                  },
                                            FloatTypes>,
                                  BinaryFor<[](auto y, auto dy) {
                                    using T = decltype(y);
                                    return FromNone<T>(
                                        dy, T(-dy * (Conj(y) * Conj(y))));
                                  },
                                            ComplexTypes>>()),
     .gradient =
         [](GradContext& g) {
           if (g.wants(0))
             g.Set(0, ops::Mul(ScalarLike(g.x(0), -2.0),
                               ops::Mul(ops::Mul(Conjugate(g.dy(0)), g.x(1)),
                                        Conjugate(g.x(0)))));
           if (g.wants(1))
             g.Set(1, ops::ReciprocalGrad(Conjugate(g.x(0)), g.dy(0)));
         },
     .doc = "The gradient of y = 1 / x with respect to x.",
     .test = {.reference = "-dy * y * y"}},

    {.name = "InvGrad",
     .inputs = "y: T; dy: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = SameSizeShape,
     .kernel = SameSize(Overloads<BinaryFor<[](auto y, auto dy) {
                                    using T = decltype(y);
                                    return FromNone<T>(dy, T(-dy * (y * y)));
                                  },
                                            FloatTypes>,
                                  BinaryFor<[](auto y, auto dy) {
                                    using T = decltype(y);
                                    return FromNone<T>(
                                        dy, T(-dy * (Conj(y) * Conj(y))));
                                  },
                                            ComplexTypes>>()),
     .gradient =
         [](GradContext& g) {
           if (g.wants(0))
             g.Set(0, ops::Mul(ScalarLike(g.x(0), -2.0),
                               ops::Mul(ops::Mul(Conjugate(g.dy(0)), g.x(1)),
                                        Conjugate(g.x(0)))));
           if (g.wants(1))
             g.Set(1, ops::ReciprocalGrad(Conjugate(g.x(0)), g.dy(0)));
         },
     .doc = "The gradient of y = 1 / x with respect to x.",
     .test = {.reference = "-dy * y * y"}},

    {.name = "TanhGrad",
     .inputs = "y: T; dy: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = SameSizeShape,
     .kernel = SameSize(Binary<[](auto y, auto dy) {
       using T = decltype(y);
       return T(dy * (T(1) - y * y));
     },
                               FloatAndComplexTypes>()),
     .gradient =
         [](GradContext& g) {
           if (g.wants(0))
             g.Set(0, ops::Mul(ScalarLike(g.x(0), -2.0),
                               ops::Mul(g.dy(0), ops::Mul(Conjugate(g.x(1)),
                                                          Conjugate(g.x(0))))));
           if (g.wants(1)) g.Set(1, ops::TanhGrad(Conjugate(g.x(0)), g.dy(0)));
         },
     .doc = "The gradient of y = Tanh(x) with respect to x.",
     .test = {.reference = "dy * (1 - y * y)"}},

    {.name = "SigmoidGrad",
     .inputs = "y: T; dy: T",
     .outputs = "z: T",
     .attrs = "T: type in [bfloat16, half, float, double, complex64, "
              "complex128]",
     .traits = kElementwise,
     .shape = SameSizeShape,
     .kernel = SameSize(Binary<[](auto y, auto dy) {
       using T = decltype(y);
       return T(dy * y * (T(1) - y));
     },
                               FloatAndComplexTypes>()),
     .gradient =
         [](GradContext& g) {
           const Tensor a = Conjugate(g.x(0));
           const Tensor gb = ops::Mul(g.dy(0), Conjugate(g.x(1)));
           if (g.wants(0))
             g.Set(0,
                   ops::Sub(gb, ops::Mul(ops::Mul(ScalarLike(gb, 2), gb), a)));
           if (g.wants(1)) g.Set(1, ops::SigmoidGrad(a, g.dy(0)));
         },
     .doc = "The gradient of y = Sigmoid(x) with respect to x.",
     .test = {.reference = "dy * y * (1 - y)"}},
};

}  // namespace

GK_REGISTER_OPS(math_unary_grad)

}  // namespace gk
