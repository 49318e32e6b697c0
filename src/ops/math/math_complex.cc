// Complex numbers and their parts.
#include "ops/fn/math_complex.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/math.h"
#include "kernels/math/quick_complex.h"
#include "ops/broadcast_gradient.h"
#include "ops/elementwise.h"
#include "ops/fn/math_arithmetic.h"
#include "ops/fn/math_divide.h"
#include "ops/fn/math_unary.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

constexpr auto kComplex = [](auto x, auto y) {
  using T = decltype(x);
  return Over<T, std::complex<ScalarOf<T>>>(x, y);
};
constexpr auto kReal = [](auto x) { return x.real(); };
constexpr auto kImag = [](auto x) { return x.imag(); };
constexpr auto kConj = [](auto x) { return decltype(x)(x.real(), -x.imag()); };
constexpr auto kAngle = [](auto x) { return math::Atan2(x.imag(), x.real()); };
constexpr auto kComplexAbs = kCalled<[](auto x) { return math::QuickAbs(x); }>;

// A part of type Tout must be the part of the input's own type.
template <auto F>
Status ComputePart(KernelContext& c) {
  if (c.attr<DataType>("Tout") != RealType(c.input(0).dtype())) {
    return InvalidArgument("Tout {} of op {} does not go with T {}",
                           DataTypeString(c.attr<DataType>("Tout")),
                           c.record().name, DataTypeString(c.input(0).dtype()));
  }
  return ComputeElementwise(c);
}

template <auto F>
constexpr KernelSet Part() {
  using Table = UnaryFor<F, ComplexTypes>;
  return {
      .compute = ComputePart<F>, .tile = Table::Find, .types = Table::kTypes};
}

DataType ComplexOf(DataType real) {
  return real == DataType::kDouble ? DataType::kComplex128
                                   : DataType::kComplex64;
}

Status ComputeComplex(KernelContext& c) {
  if (c.attr<DataType>("Tout") != ComplexOf(c.input(0).dtype())) {
    return InvalidArgument("Tout {} of op Complex does not go with T {}",
                           DataTypeString(c.attr<DataType>("Tout")),
                           DataTypeString(c.input(0).dtype()));
  }
  return ComputeElementwise(c);
}

Status ComputeConj(KernelContext& c) {
  if (!IsComplex(c.input(0).dtype())) {
    c.set_output(0, c.input(0).Alias());
    return OkStatus();
  }
  return ComputeElementwise(c);
}

// real + i imag, of the complex type that goes with them.
Tensor MakeComplex(const Tensor& real, const Tensor& imag) {
  return ops::Complex(real, imag, ComplexOf(real.dtype()));
}

void ComplexGrads(GradContext& g) {
  const DataType t = g.x(0).dtype();
  SetBroadcastGrads(g, g.wants(0) ? ops::Real(g.dy(0), t) : Tensor(),
                    g.wants(1) ? ops::Imag(g.dy(0), t) : Tensor());
}

// d angle = Im(dz / z), so the gradient is i z / |z|^2 dy.
void AngleGrad(GradContext& g) {
  const Tensor& z = g.x(0);
  const DataType t = RealType(z.dtype());
  // Not by |z|^2, which is 0 or infinite long before z is.
  const Tensor turned = MakeComplex(ops::Imag(z, t), ops::Real(z, t));
  const Tensor upstream = MakeComplex(g.dy(0), ScalarLike(g.dy(0), 0));
  g.Set(0, ops::Mul(ops::Neg(upstream), ops::Reciprocal(turned)));
}

using ComplexTable = BinaryFor<kComplex, TypeList<float, double>>;
using ConjTable = UnaryFor<kConj, ComplexTypes>;

const OpRecord kRecords[] = {
    {.name = "Complex",
     .inputs = "real: T; imag: T",
     .outputs = "out: Tout",
     .attrs = "T: type in [float, double] = float; Tout: type in [complex64, "
              "complex128] = complex64",
     .traits = kElementwise,
     .shape = shape_fn::Broadcast,
     .kernel = {.compute = ComputeComplex,
                .tile = ComplexTable::Find,
                .types = ComplexTable::kTypes},
     .gradient = ComplexGrads,
     .doc = "Makes complex numbers of their real and imaginary parts.",
     .test = {.reference = "real + 1j * imag"}},

    {.name = "Real",
     .inputs = "input: T",
     .outputs = "output: Tout",
     .attrs = "T: type in [complex64, complex128] = complex64; Tout: type in "
              "[float, double] = float",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Part<kReal>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, MakeComplex(g.dy(0), ScalarLike(g.dy(0), 0)));
         },
     .doc = "Returns the real part of each element.",
     .test = {.reference = "real(input)"}},

    {.name = "Imag",
     .inputs = "input: T",
     .outputs = "output: Tout",
     .attrs = "T: type in [complex64, complex128] = complex64; Tout: type in "
              "[float, double] = float",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Part<kImag>(),
     .gradient =
         [](GradContext& g) {
           g.Set(0, MakeComplex(ScalarLike(g.dy(0), 0), g.dy(0)));
         },
     .doc = "Returns the imaginary part of each element.",
     .test = {.reference = "imag(input)"}},

    {.name = "Conj",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: type in [complex64, complex128, variant] = complex64",
     .traits = kElementwise | kInvolution,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeConj, .tile = ConjTable::Find},
     .gradient = [](GradContext& g) { g.Set(0, ops::Conj(g.dy(0))); },
     .doc = "Returns the complex conjugate of each element.",
     .test = {.reference = "conj(input)"}},

    {.name = "Angle",
     .inputs = "input: T",
     .outputs = "output: Tout",
     .attrs = "T: type in [complex64, complex128] = complex64; Tout: type in "
              "[float, double] = float",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Part<kAngle>(),
     .gradient = AngleGrad,
     .doc = "Returns the angle of each element in radians.",
     .test = {.reference = "angle(input)"}},

    {.name = "ComplexAbs",
     .inputs = "x: T",
     .outputs = "y: Tout",
     .attrs = "T: type in [complex64, complex128] = complex64; Tout: type in "
              "[float, double] = float",
     .traits = kElementwise | kKeepsZero,
     .shape = shape_fn::SameAsInput,
     .kernel = Part<kComplexAbs>(),
     .gradient =
         [](GradContext& g) {
           const Tensor zero = ScalarLike(g.dy(0), 0);
           g.Set(0, ops::DivNoNan(ops::Mul(MakeComplex(g.dy(0), zero), g.x(0)),
                                  MakeComplex(g.y(0), zero)));
         },
     .doc = "Returns the absolute value of each complex element.",
     .test = {.reference = "abs(x)"}},
};

}  // namespace

GK_REGISTER_OPS(math_complex)

}  // namespace gk
