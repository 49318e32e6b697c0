// Values, errors and gradients of elementwise ops, run eagerly.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "eager/eager_context.h"
#include "eager/gradient_tape.h"
#include "framework/op_builder.h"
#include "ops/fn/Abs.h"
#include "ops/fn/Add.h"
#include "ops/fn/AddN.h"
#include "ops/fn/ApproximateEqual.h"
#include "ops/fn/BesselK0.h"
#include "ops/fn/BesselK1.h"
#include "ops/fn/Betainc.h"
#include "ops/fn/Bitcast.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ClipByValue.h"
#include "ops/fn/Complex.h"
#include "ops/fn/ComplexAbs.h"
#include "ops/fn/Conj.h"
#include "ops/fn/DivNoNan.h"
#include "ops/fn/Equal.h"
#include "ops/fn/Erfinv.h"
#include "ops/fn/FloorDiv.h"
#include "ops/fn/FloorMod.h"
#include "ops/fn/IgammaGradA.h"
#include "ops/fn/Imag.h"
#include "ops/fn/Invert.h"
#include "ops/fn/LeakyRelu.h"
#include "ops/fn/LeftShift.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Minimum.h"
#include "ops/fn/Mod.h"
#include "ops/fn/MulNoNan.h"
#include "ops/fn/Neg.h"
#include "ops/fn/PopulationCount.h"
#include "ops/fn/Pow.h"
#include "ops/fn/Real.h"
#include "ops/fn/Relu.h"
#include "ops/fn/RightShift.h"
#include "ops/fn/Select.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Sign.h"
#include "ops/fn/SqrtGrad.h"
#include "ops/fn/TruncateDiv.h"
#include "ops/fn/TruncateMod.h"
#include "ops/fn/Xlogy.h"
#include "ops/with_attrs/Equal.h"
#include "ops/with_attrs/NotEqual.h"

namespace gk {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
Tensor Vec(std::initializer_list<T> v) {
  return Tensor::Vector<T>(std::span<const T>(v.begin(), v.size()));
}

class ElementwiseOps : public testing::Test {
 protected:
  ElementwiseOps() { InitEager(); }
};

void ExpectNear(const Tensor& t, const std::vector<float>& want) {
  ASSERT_EQ(t.dtype(), DataType::kFloat);
  ASSERT_EQ(t.num_elements(), static_cast<int64_t>(want.size()));
  for (size_t i = 0; i < want.size(); ++i) {
    const float got = t.data<float>()[i];
    if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan(got)) << i << ": " << got;
    } else if (std::isinf(want[i])) {
      EXPECT_EQ(got, want[i]) << i;
    } else {
      EXPECT_NEAR(got, want[i], 1e-5f + 1e-5f * std::abs(want[i])) << i;
    }
  }
}

template <class T>
void ExpectEqual(const Tensor& t, std::initializer_list<T> want) {
  ASSERT_EQ(t.dtype(), kTypeOf<T>);
  ASSERT_EQ(t.num_elements(), static_cast<int64_t>(want.size()));
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(t.data<T>()[i], want.begin()[i]) << i;
  }
}

std::string ErrorOf(std::string_view op, std::initializer_list<Tensor> in,
                    AttrMap attrs = {}) {
  try {
    MakeOp1(op, in, std::move(attrs));
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

Tensor GradOf(std::string_view op, TensorVector in, int wanted,
              AttrMap attrs = {}) {
  GradientTape tape;
  tape.Push();
  tape.Watch(in[wanted]);
  Tensor y = MakeOp(op, in, std::move(attrs))[0];
  tape.Pop();
  auto grads =
      ValueOrThrow(tape.ComputeGradient({&y, 1}, {&in[wanted], 1}, {}));
  return grads[0].dense;
}

TEST_F(ElementwiseOps, ExtremesKeepNan) {
  const Tensor x = Vec<float>({kNan, 1, 3}), y = Vec<float>({1, kNan, 2});
  ExpectNear(ops::Maximum(x, y), {kNan, kNan, 3});
  ExpectNear(ops::Minimum(x, y), {kNan, kNan, 2});
  ExpectNear(ops::Relu(Vec<float>({kNan, -1, 2})), {kNan, 0, 2});
  ExpectNear(ops::Sign(Vec<float>({kNan, -3, 0, 2})), {kNan, -1, 0, 1});
}

TEST_F(ElementwiseOps, IntegerDivision) {
  const Tensor x = Vec<int32_t>({7, -7, 7, -7, INT32_MIN});
  const Tensor y = Vec<int32_t>({2, 2, -2, -2, -1});
  ExpectEqual<int32_t>(ops::FloorDiv(x, y), {3, -4, -4, 3, INT32_MIN});
  ExpectEqual<int32_t>(ops::FloorMod(x, y), {1, 1, -1, -1, 0});
  ExpectEqual<int32_t>(ops::TruncateDiv(x, y), {3, -3, -3, 3, INT32_MIN});
  ExpectEqual<int32_t>(ops::TruncateMod(x, y), {1, -1, 1, -1, 0});
  for (const char* op : {"Div", "FloorDiv", "TruncateDiv", "FloorMod", "Mod"}) {
    EXPECT_NE(ErrorOf(op, {x, Tensor::Scalar<int32_t>(0)})
                  .find("Integer division by zero"),
              std::string::npos)
        << op;
  }
}

TEST_F(ElementwiseOps, RealDivision) {
  const Tensor x = Vec<float>({7.5f, -7.5f, kInf, 1}),
               y = Vec<float>({2, 2, 2, 0});
  ExpectNear(ops::FloorDiv(x, y), {3, -4, kInf, kInf});
  ExpectNear(ops::FloorMod(x, y), {1.5f, 0.5f, kNan, kNan});
  ExpectNear(ops::Mod(x, y), {1.5f, -1.5f, kNan, kNan});
  const Tensor zero = Tensor::Scalar<float>(0);
  ExpectNear(ops::DivNoNan(Vec<float>({0, 1, kNan, kInf}), zero), {0, 0, 0, 0});
  ExpectNear(ops::MulNoNan(Vec<float>({kInf, kNan}), zero), {0, 0});
}

TEST_F(ElementwiseOps, IntegerPowers) {
  ExpectEqual<int32_t>(
      ops::Pow(Vec<int32_t>({0, 7, 2, -3}), Vec<int32_t>({0, 20, 40, 3})),
      {1, -1199696159, 0, -27});
  EXPECT_NE(ErrorOf("Pow", {Vec<int32_t>({2}), Vec<int32_t>({-1})})
                .find("Integers to negative integer powers are not allowed"),
            std::string::npos);
}

TEST_F(ElementwiseOps, EqualityOfShapesThatDoNotBroadcast) {
  const Tensor x = Vec<float>({1, 2}), y = Vec<float>({1, 2, 3});
  EXPECT_NE(ErrorOf("Equal", {x, y}).find("Incompatible shapes: [2] vs. [3]"),
            std::string::npos);
  const AttrMap loose{{"incompatible_shape_error", false}};
  EXPECT_FALSE(ops::Equal(OpAttrs(loose), x, y).scalar<bool>());
  EXPECT_TRUE(ops::NotEqual(OpAttrs(loose), x, y).scalar<bool>());
  ExpectEqual<bool>(ops::Equal(Vec<std::string>({"a", "b"}),
                               Tensor::Scalar<std::string>("a")),
                    {true, false});
  ExpectEqual<std::string>(
      ops::Add(Vec<std::string>({"a", "b"}), Tensor::Scalar<std::string>("c")),
      {"ac", "bc"});
}

TEST_F(ElementwiseOps, ScalarAttributes) {
  const Tensor x = Vec<float>({-2, 0, 3});
  ExpectNear(ops::LeakyRelu(x), {-0.4f, 0, 3});
  ExpectNear(ops::LeakyRelu(x, 0.5f), {-1, 0, 3});
  ExpectNear(GradOf("LeakyRelu", {x}, 0, {{"alpha", 0.5f}}), {0.5f, 0.5f, 1});
  ExpectEqual<bool>(ops::ApproximateEqual(x, Vec<float>({-2, 0.5f, 3}), 0.1f),
                    {true, false, true});
}

TEST_F(ElementwiseOps, Bits) {
  ExpectEqual<int32_t>(ops::LeftShift(Vec<int32_t>({1, 1, -1, 1}),
                                      Vec<int32_t>({31, 32, 40, -1})),
                       {INT32_MIN, INT32_MIN, INT32_MIN, 1});
  ExpectEqual<int32_t>(ops::RightShift(Vec<int32_t>({-8, -8, 8, 8}),
                                       Vec<int32_t>({1, 32, 40, -1})),
                       {-4, -1, 0, 8});
  ExpectEqual<uint8_t>(ops::PopulationCount(Vec<int32_t>({-1, 5})), {32, 2});
  ExpectEqual<int8_t>(ops::Invert(Vec<int8_t>({0, -1})), {-1, 0});
  ExpectEqual<int8_t>(ops::Abs(Vec<int8_t>({-128, -3})), {-128, 3});
}

TEST_F(ElementwiseOps, SelectBroadcasts) {
  const Tensor c = Vec<bool>({true, false, true});
  ExpectNear(ops::SelectV2(c, Vec<float>({1, 2, 3}), Tensor::Scalar<float>(9)),
             {1, 9, 3});
  ExpectEqual<std::string>(ops::SelectV2(c, Tensor::Scalar<std::string>("x"),
                                         Vec<std::string>({"a", "b", "c"})),
                           {"x", "b", "x"});
  EXPECT_NE(ErrorOf("SelectV2", {c, Vec<float>({1, 2}), Vec<float>({1, 2})})
                .find("condition [3], then [2], and else [2] must be "
                      "broadcastable"),
            std::string::npos);
  const Tensor rows = Tensor::OfValues<float>(
      std::vector<float>{1, 2, 3, 4, 5, 6}, TensorShape({3, 2}));
  ExpectNear(ops::Select(c, rows, ops::Neg(rows)), {1, 2, -3, -4, 5, 6});
}

TEST_F(ElementwiseOps, ClipsAndSums) {
  ExpectNear(
      ops::ClipByValue(Vec<float>({1, 2, kNan}), Vec<float>({0, 1.7f, 1}),
                       Tensor::Scalar<float>(1.5f)),
      {1, 1.7f, kNan});
  EXPECT_NE(ErrorOf("ClipByValue", {Vec<float>({1, 2, 3}), Vec<float>({0, 1}),
                                    Tensor::Scalar<float>(1)})
                .find("either of the same shape as input, or a scalar"),
            std::string::npos);
  const Tensor x = Vec<float>({1, 2});
  ExpectNear(ops::AddN(TensorVector{x, x, x}), {3, 6});
  EXPECT_NE(ErrorOf("AddN", {x, Vec<float>({1, 2, 3})})
                .find("must have the same size and shape"),
            std::string::npos);
}

TEST_F(ElementwiseOps, CastsOfFourBitsKeepTheLowOnes) {
  const Tensor x = Vec<int32_t>({7, 8, -1, 300});
  const Tensor small = ops::Cast(x, DataType::kInt4);
  ExpectEqual<int64_t>(ops::Cast(small, DataType::kInt64), {7, -8, -1, -4});
  ExpectEqual<uint16_t>(
      ops::Cast(ops::Cast(small, DataType::kUint4), DataType::kUint16),
      {7, 8, 15, 12});
  EXPECT_NE(ErrorOf("Cast", {small}, {{"DstT", DataType::kFloat}})
                .find("Cast int4 to float is not supported"),
            std::string::npos);
}

TEST_F(ElementwiseOps, Casts) {
  const Tensor x = Vec<float>({kNan, kInf, -1000, 3e9f, -1.5f, 255.7f, 5e9f});
  const auto cast = [&](DataType to) { return ops::Cast(x, to); };
  ExpectEqual<int32_t>(cast(DataType::kInt32), {INT32_MIN, INT32_MIN, -1000,
                                                INT32_MIN, -1, 255, INT32_MIN});
  ExpectEqual<int8_t>(cast(DataType::kInt8), {0, 0, 24, 0, -1, -1, 0});
  ExpectEqual<uint8_t>(cast(DataType::kUint8), {0, 0, 24, 0, 255, 255, 0});
  ExpectEqual<uint32_t>(cast(DataType::kUint32),
                        {2147483648u, 2147483648u, 4294966296u, 3000000000u,
                         4294967295u, 255, 2147483648u});
  ExpectEqual<int64_t>(
      cast(DataType::kInt64),
      {INT64_MIN, INT64_MIN, -1000, 3000000000, -1, 255, 5000000000});
  ExpectEqual<uint64_t>(
      ops::Cast(Vec<double>({1e19, kNan, -1, 3e19}), DataType::kUint64),
      {10000000000000000000u, uint64_t{1} << 63, ~uint64_t{0},
       uint64_t{1} << 63});
  ExpectEqual<bool>(cast(DataType::kBool),
                    {true, true, true, true, true, true, true});
  ExpectEqual<int8_t>(ops::Cast(Vec<int32_t>({300, -1, 0}), DataType::kInt8),
                      {44, -1, 0});
  ExpectNear(ops::Cast(Vec<bool>({true, false}), DataType::kFloat), {1, 0});
  ExpectNear(ops::Cast(Vec<complex64>({{1, 2}, {0, 2}}), DataType::kFloat),
             {1, 0});
  const Tensor narrow = ops::Cast(Vec<float>({1.00390625f, 1.01171875f}),
                                  DataType::kBfloat16, true);
  ExpectNear(ops::Cast(narrow, DataType::kFloat), {1, 1.0078125f});
  ExpectEqual<double>(ops::Bitcast(Vec<float>({1, 2}), DataType::kDouble),
                      {2.000000473111868});
  EXPECT_NE(ErrorOf("Bitcast", {Vec<int16_t>({1, 2, 3})},
                    {{"type", DataType::kInt64}})
                .find("Cannot bitcast from"),
            std::string::npos);
}

TEST_F(ElementwiseOps, SpecialFunctions) {
  ExpectNear(ops::IgammaGradA(Vec<float>({1, 2, 5}), Vec<float>({1, 3, 0.5f})),
             {-4.3172961e-01f, -1.9742544e-01f, -4.1546318e-04f});
  ExpectNear(ops::Betainc(Vec<float>({1, 2}), Tensor::Scalar<float>(2),
                          Tensor::Scalar<float>(0.5f)),
             {0.75f, 0.5f});
  ExpectNear(ops::Erfinv(Vec<float>({0.5f, 1, 2})), {0.4769363f, kInf, kNan});
  const Tensor x = Vec<float>({0.1f, 1, 10});
  ExpectNear(ops::BesselK0(x), {2.4270690f, 0.42102444f, 1.7780062e-5f});
  ExpectNear(ops::BesselK1(x), {9.8538448f, 0.60190723f, 1.8648773e-5f});
  ExpectNear(ops::Xlogy(Vec<float>({0, 2}), Vec<float>({0, 1})), {0, 0});
}

TEST_F(ElementwiseOps, ComplexParts) {
  const Tensor z = Vec<complex64>({{3, 4}, {0, -2}});
  ExpectNear(ops::ComplexAbs(z), {5, 2});
  ExpectNear(ops::Imag(z), {4, -2});
  ExpectNear(ops::Real(ops::Conj(z)), {3, 0});
  ExpectEqual<complex64>(ops::Complex(Vec<float>({3, 0}), Vec<float>({4, -2})),
                         {{3, 4}, {0, -2}});
}

// dy/dx against central differences in double precision.
TEST_F(ElementwiseOps, UnaryGradients) {
  for (const char* op :
       {"Neg",   "Abs",   "Square",   "Reciprocal", "Inv",
        "Sqrt",  "Rsqrt", "Exp",      "Expm1",      "Log",
        "Log1p", "Tanh",  "Sigmoid",  "Relu",       "Relu6",
        "Elu",   "Selu",  "Softplus", "Softsign",   "LeakyRelu"}) {
    for (double at : {0.3, 1.7}) {
      constexpr double kStep = 1e-5;
      const Tensor x = Vec<double>({at});
      const Tensor up = MakeOp1(op, {Vec<double>({at + kStep})});
      const Tensor down = MakeOp1(op, {Vec<double>({at - kStep})});
      const double want =
          (up.scalar<double>() - down.scalar<double>()) / (2 * kStep);
      EXPECT_NEAR(GradOf(op, {x}, 0).scalar<double>(), want, 1e-6)
          << op << " at " << at;
    }
  }
}

// The gradients of gradient ops, in each of their inputs.
TEST_F(ElementwiseOps, SecondOrderGradients) {
  for (const char* op :
       {"SqrtGrad", "RsqrtGrad", "InvGrad", "ReciprocalGrad", "TanhGrad",
        "SigmoidGrad", "ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad",
        "SoftplusGrad", "SoftsignGrad", "LeakyReluGrad"}) {
    for (int wanted : {0, 1}) {
      for (double sign : {1.0, -1.0}) {
        constexpr double kStep = 1e-5;
        const double at[2] = {0.7 * sign, 0.4 * sign};
        auto value = [&](double shift) {
          double v[2] = {at[0], at[1]};
          v[wanted] += shift;
          return MakeOp1(op, {Vec<double>({v[0]}), Vec<double>({v[1]})})
              .scalar<double>();
        };
        const double want = (value(kStep) - value(-kStep)) / (2 * kStep);
        const Tensor grad =
            GradOf(op, {Vec<double>({at[0]}), Vec<double>({at[1]})}, wanted);
        EXPECT_NEAR(grad.scalar<double>(), want, 1e-6)
            << op << " input " << wanted << " sign " << sign;
      }
    }
  }
}

template <class T>
void ExpectNoneFromPoles() {
  const T zero(0), pole(std::numeric_limits<float>::infinity());
  for (const char* op :
       {"SqrtGrad", "RsqrtGrad", "InvGrad", "ReciprocalGrad"}) {
    const Tensor found = MakeOp1(op, {Vec<T>({zero, pole, zero, T(2)}),
                                      Vec<T>({zero, zero, -zero, zero})});
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(found.data<T>()[i] == zero) << op;
  }
}

// Not even from where the slope is infinite.
TEST_F(ElementwiseOps, NoGradientComesOfNone) {
  ExpectNoneFromPoles<float>();
  ExpectNoneFromPoles<double>();
  ExpectNoneFromPoles<half>();
  ExpectNoneFromPoles<bfloat16>();
  ExpectNoneFromPoles<std::complex<float>>();
  ExpectNoneFromPoles<std::complex<double>>();
  // What is no number stays none.
  const float none = std::numeric_limits<float>::quiet_NaN();
  const Tensor found =
      ops::SqrtGrad(Vec<float>({0, none}), Vec<float>({none, 1}));
  EXPECT_TRUE(std::isnan(found.data<float>()[0]));
  EXPECT_TRUE(std::isnan(found.data<float>()[1]));
}

TEST_F(ElementwiseOps, BinaryGradients) {
  for (const char* op :
       {"AddV2", "Sub", "Mul", "RealDiv", "Div", "DivNoNan", "MulNoNan",
        "Maximum", "Minimum", "SquaredDifference", "Pow", "FloorMod", "Atan2",
        "Xlogy", "Xlog1py", "Xdivy", "Igamma", "Igammac"}) {
    for (int wanted : {0, 1}) {
      constexpr double kStep = 1e-5;
      const double at[2] = {1.9, 0.8};
      auto value = [&](double shift) {
        double v[2] = {at[0], at[1]};
        v[wanted] += shift;
        return MakeOp1(op, {Vec<double>({v[0]}), Vec<double>({v[1]})})
            .scalar<double>();
      };
      const double want = (value(kStep) - value(-kStep)) / (2 * kStep);
      const Tensor grad =
          GradOf(op, {Vec<double>({at[0]}), Vec<double>({at[1]})}, wanted);
      EXPECT_NEAR(grad.scalar<double>(), want, 1e-6) << op << " " << wanted;
    }
  }
}

}  // namespace
}  // namespace gk
