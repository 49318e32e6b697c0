// Linear operators: every kind against its whole matrix, eagerly and staged,
// results' kinds, variables, a kind of one's own, errors.
#include <cmath>

#include "graphkiln/graphkiln.h"
#include "gtest/gtest.h"

namespace {

namespace la = gk::linalg;
using gk::Tensor;
using la::LinearOperator;

void ExpectNear(const Tensor& x, const Tensor& y) {
  ASSERT_EQ(x.shape().dims(), y.shape().dims());
  const auto a = gk::cast(x, gk::DataType::kDouble).to_vector<double>();
  const auto b = gk::cast(y, gk::DataType::kDouble).to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-4) << i;
}

Tensor Matrix() {
  return {{3.f, 1.f, 0.5f}, {-1.f, 2.f, 1.f}, {0.f, 1.f, 4.f}};
}

// A quarter turn of the plane, of which nothing else is told.
class Turn : public la::OperatorKind {
 public:
  Turn()
      : OperatorKind("Turn", gk::DataType::kFloat, {.is_non_singular = true}) {}
  gk::Shape shape() const override { return {2, 2}; }
  Tensor matmul(const Tensor& x, bool adjoint,
                bool adjoint_arg) const override {
    const Tensor turn{{0.f, -1.f}, {1.f, 0.f}};
    return gk::matmul(turn, x, false, false, adjoint, adjoint_arg);
  }
};

std::vector<LinearOperator> Kinds() {
  const LinearOperator full = la::LinearOperatorFullMatrix(Matrix());
  const LinearOperator diag = la::LinearOperatorDiag({2.f, 3.f, -4.f});
  const LinearOperator two =
      la::LinearOperatorFullMatrix({{2.f, 1.f}, {1.f, 3.f}});
  const LinearOperator one = la::LinearOperatorFullMatrix({{5.f}});
  const LinearOperator wide = la::LinearOperatorFullMatrix({{1.f, 2.f}});
  const Tensor spectrum = gk::signal::fft(
      gk::cast(Tensor{5.f, 1.f, 2.f}, gk::DataType::kComplex64));
  return {
      full,
      diag,
      la::LinearOperatorLowerTriangular(Matrix()),
      la::LinearOperatorIdentity(3),
      la::LinearOperatorScaledIdentity(3, 2.5f),
      la::LinearOperatorHouseholder({1.f, 2.f, -1.f}),
      la::LinearOperatorPermutation({2, 0, 1}),
      la::LinearOperatorToeplitz({4.f, 1.f, 2.f}, {4.f, -1.f, 0.5f}),
      la::LinearOperatorCirculant(spectrum, gk::DataType::kFloat),
      la::LinearOperatorTridiag(
          {{1.f, 2.f, 0.f}, {4.f, 5.f, 6.f}, {0.f, -1.f, 0.5f}}),
      la::LinearOperatorAdjoint(full),
      la::LinearOperatorInversion(full),
      la::LinearOperatorComposition({full, diag}),
      la::LinearOperatorKronecker({one, full}),
      la::LinearOperatorBlockDiag({two, one}),
      la::LinearOperatorBlockLowerTriangular({{two}, {wide, one}}),
      la::LinearOperatorLowRankUpdate(diag, {{1.f}, {2.f}, {0.5f}}),
      la::LinearOperatorLowRankUpdate(diag, {{1.f}, {2.f}, {0.5f}},
                                      la::OperatorPart({2.f}),
                                      la::OperatorPart({{0.f}, {1.f}, {1.f}})),
  };
}

TEST(LinearOperatorTest, EveryKindIsItsMatrix) {
  const Tensor x{{1.f, 2.f}, {3.f, -1.f}, {0.5f, 4.f}};
  for (const LinearOperator& op : Kinds()) {
    SCOPED_TRACE(op.kind());
    const Tensor dense = op.to_dense(), turned = la::adjoint(dense);
    ExpectNear(op.matmul(x), gk::matmul(dense, x));
    ExpectNear(op.matmul(x, true), gk::matmul(turned, x));
    ExpectNear(op.matmul(la::adjoint(x), false, true), gk::matmul(dense, x));
    ExpectNear(op.solve(x), la::solve(dense, x));
    ExpectNear(op.solve(x, true), la::solve(turned, x));
    ExpectNear(op.matvec({1.f, 2.f, 3.f}),
               la::matvec(dense, Tensor{1.f, 2.f, 3.f}));
    ExpectNear(op.diag_part(), la::diag_part(dense));
    ExpectNear(op.trace(), la::trace(dense));
    ExpectNear(op.determinant(), la::det(dense));
    ExpectNear(op.log_abs_determinant(), la::slogdet(dense)[1]);
    ExpectNear(op.add_to_tensor(dense), dense + dense);
    ExpectNear(op.adjoint().to_dense(), turned);
    ExpectNear(op.inverse().to_dense(), la::inv(dense));
    ExpectNear((op * op).to_dense(), gk::matmul(dense, dense));
    op.assert_non_singular();
    const auto staged =
        gk::function([&](const Tensor& y) { return op.matmul(y); });
    ExpectNear(staged(x), gk::matmul(dense, x));
  }
}

TEST(LinearOperatorTest, SimpleKindsStaySimple) {
  const LinearOperator diag = la::LinearOperatorDiag({2.f, 4.f});
  const LinearOperator scaled = la::LinearOperatorScaledIdentity(2, 3.f);
  const LinearOperator identity = la::LinearOperatorIdentity(2);
  const LinearOperator zeros = la::LinearOperatorZeros(2);
  const LinearOperator tril =
      la::LinearOperatorLowerTriangular({{1.f, 0.f}, {2.f, 1.f}});
  EXPECT_EQ((diag * scaled).kind(), "LinearOperatorDiag");
  EXPECT_EQ((scaled * scaled).kind(), "LinearOperatorScaledIdentity");
  EXPECT_EQ((diag * identity), diag);
  EXPECT_EQ((identity * tril), tril);
  EXPECT_EQ((zeros * diag).kind(), "LinearOperatorZeros");
  EXPECT_EQ((diag * tril).kind(), "LinearOperatorLowerTriangular");
  EXPECT_EQ((tril * diag).kind(), "LinearOperatorLowerTriangular");
  EXPECT_EQ((tril * tril).kind(), "LinearOperatorComposition");
  EXPECT_EQ(diag.solve(diag).kind(), "LinearOperatorDiag");
  EXPECT_EQ(tril.solve(diag).kind(), "LinearOperatorComposition");
  EXPECT_EQ(tril.inverse().inverse(), tril);
  ExpectNear(diag.inverse().part("diag"), {0.5f, 0.25f});
  ExpectNear((tril * diag).to_dense(), {{2.f, 0.f}, {4.f, 4.f}});
}

TEST(LinearOperatorTest, BatchesBroadcast) {
  const LinearOperator many = la::LinearOperatorDiag({{1.f, 2.f}, {3.f, 4.f}});
  const LinearOperator both = la::LinearOperatorComposition(
      {many, la::LinearOperatorFullMatrix({{1.f, 1.f}, {0.f, 1.f}})});
  EXPECT_EQ(both.shape().dims(), (std::vector<int64_t>{2, 2, 2}));
  ExpectNear(both.to_dense(),
             {{{1.f, 1.f}, {0.f, 2.f}}, {{3.f, 3.f}, {0.f, 4.f}}});
  const Tensor x{{1.f}, {2.f}};
  ExpectNear(both.solve(both.matmul(x)), {{{1.f}, {2.f}}, {{1.f}, {2.f}}});
}

TEST(LinearOperatorTest, VariablesAreReadAtEachUse) {
  const gk::Variable v(Tensor{1.f, 2.f});
  const LinearOperator op = la::LinearOperatorDiag(v);
  const LinearOperator twice = op.matmul(op);
  const LinearOperator both = la::LinearOperatorComposition({op, op});
  EXPECT_EQ(both.variables().size(), 1u);
  const auto f = gk::function([&](const Tensor& x) { return both.matvec(x); });
  ExpectNear(f(Tensor{1.f, 1.f}), {1.f, 4.f});
  v.assign({3.f, 4.f});
  ExpectNear(f(Tensor{1.f, 1.f}), {9.f, 16.f});
  gk::GradientTape tape;
  const Tensor y = gk::reduce_sum(both.matvec({1.f, 1.f}));
  ExpectNear(tape.gradient(y, v), {6.f, 8.f});
}

TEST(LinearOperatorTest, OnesOwnKindsWorkInsideOthers) {
  const LinearOperator turn(std::make_shared<const Turn>());
  EXPECT_EQ(turn.is_square(), true);
  ExpectNear((turn * turn).to_dense(), {{-1.f, 0.f}, {0.f, -1.f}});
  const LinearOperator both =
      la::LinearOperatorComposition({turn, la::LinearOperatorDiag({2.f, 3.f})});
  ExpectNear(both.solvevec({-3.f, 2.f}), {1.f, 1.f});
  ExpectNear(both.determinant(), 6.f);
}

TEST(LinearOperatorTest, ConjugateGradients) {
  const LinearOperator op = la::LinearOperatorFullMatrix(
      {{4.f, 1.f}, {1.f, 3.f}},
      {.is_self_adjoint = true, .is_positive_definite = true});
  const auto solve = [&](const Tensor& rhs) {
    return la::experimental::conjugate_gradient(op, rhs).x;
  };
  const Tensor rhs{{1.f, 2.f}, {0.f, -1.f}};
  ExpectNear(solve(rhs), op.solvevec(rhs));
  ExpectNear(gk::function(solve)(rhs), op.solvevec(rhs));
  const auto state = la::experimental::conjugate_gradient(
      op, {1.f, 2.f},
      {.preconditioner = la::LinearOperatorDiag({0.25f, 0.3f}),
       .x = {1.f, 1.f}});
  ExpectNear(state.x, op.solvevec({1.f, 2.f}));
  EXPECT_EQ(state.i.item<int32_t>(), 2);
  EXPECT_THROW(la::experimental::conjugate_gradient(
                   la::LinearOperatorDiag({1.f}), {1.f}),
               gk::Error);
}

TEST(LinearOperatorTest, ComplexNumbers) {
  const auto complex = [](const Tensor& re, const Tensor& im) {
    return gk::ops::Complex(re, im);
  };
  const Tensor c = complex(Tensor{{2.f, 0.5f}, {1.f, 3.f}},
                           Tensor{{0.f, 1.f}, {-1.f, 0.5f}});
  const Tensor v = complex(Tensor{1.f, 2.f}, Tensor{0.5f, -1.f});
  for (const LinearOperator& op :
       {la::LinearOperatorFullMatrix(c), la::LinearOperatorDiag(v),
        la::LinearOperatorHouseholder(v), la::LinearOperatorCirculant(v),
        la::LinearOperatorToeplitz(v, v),
        la::LinearOperatorKronecker({la::LinearOperatorFullMatrix(c)}),
        la::LinearOperatorLowRankUpdate(la::LinearOperatorDiag(v), c, v, c)}) {
    SCOPED_TRACE(op.kind());
    const Tensor dense = op.to_dense(), turned = la::adjoint(dense);
    for (const auto& part : {gk::math::real, gk::math::imag}) {
      ExpectNear(part(op.matmul(c)), part(gk::matmul(dense, c)));
      ExpectNear(part(op.matmul(c, true)), part(gk::matmul(turned, c)));
      ExpectNear(part(op.matmul(c, false, true)),
                 part(gk::matmul(dense, la::adjoint(c))));
      ExpectNear(part(op.solve(c)), part(la::solve(dense, c)));
      ExpectNear(part(op.solve(c, true)), part(la::solve(turned, c)));
      ExpectNear(part(op.adjoint().to_dense()), part(turned));
      ExpectNear(part(op.determinant()), part(la::det(dense)));
    }
  }
}

TEST(LinearOperatorTest, ShapesThatOnlyTheRunKnows) {
  const auto f = [](const Tensor& d, const Tensor& x) {
    const LinearOperator op = la::LinearOperatorBlockDiag(
        {la::LinearOperatorDiag(d),
         la::LinearOperatorScaledIdentity(gk::shape(d)[0], 2.f)});
    const LinearOperator both =
        op * la::LinearOperatorCirculant(gk::concat({d, d}, 0),
                                         gk::DataType::kFloat);
    return both.matvec(x);
  };
  const auto any =
      gk::TensorSpec(gk::Shape{gk::kUnknown}, gk::DataType::kFloat);
  const auto staged = gk::function(f, {.input_signature = {{any, any}}});
  const Tensor d{1.f, 2.f}, x{1.f, 2.f, 3.f, 4.f};
  ExpectNear(staged(d, x), f(d, x));
}

TEST(LinearOperatorTest, WhatDoesNotFitIsRefused) {
  const LinearOperator diag = la::LinearOperatorDiag({2.f, 4.f});
  EXPECT_THROW(diag.matvec({1.f, 2.f, 3.f}), gk::Error);
  EXPECT_THROW(diag.matvec({1.0, 2.0}), gk::Error);
  EXPECT_THROW(diag.matmul(Tensor{1.f, 2.f}), gk::Error);
  EXPECT_THROW(diag.cholesky(), gk::Error);
  EXPECT_THROW(diag.part("tril"), gk::Error);
  EXPECT_THROW(la::LinearOperatorDiag(1.f), gk::Error);
  EXPECT_THROW(la::LinearOperatorComposition({}), gk::Error);
  EXPECT_THROW(la::LinearOperatorIdentity(-2), gk::Error);
  EXPECT_THROW(la::LinearOperatorZeros(2).inverse(), gk::Error);
  EXPECT_THROW(la::LinearOperatorDiag({1.f}, {.is_non_singular = false,
                                              .is_positive_definite = true}),
               gk::Error);
  EXPECT_THROW(la::LinearOperatorDiag({1.f, 0.f}).assert_non_singular(),
               gk::Error);
  EXPECT_THROW(diag.matmul(la::LinearOperatorIdentity(3)), gk::Error);
}

}  // namespace
