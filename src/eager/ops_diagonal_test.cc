// Stitching, partitions and diagonals: values, errors and gradients.
#include "eager/op_outcomes_for_test.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/DynamicPartition.h"
#include "ops/fn/DynamicStitch.h"
#include "ops/fn/MatrixDiag.h"
#include "ops/fn/MatrixDiagPart.h"
#include "ops/with_attrs/MatrixDiagPartV3.h"
#include "ops/with_attrs/MatrixDiagV3.h"
#include "ops/with_attrs/MatrixSetDiagV3.h"

namespace gk {
namespace {

class Diagonals : public ::testing::Test {
 protected:
  void SetUp() override { InitEager(); }
};
using Stitching = Diagonals;

Tensor NumberedMatrix() { return F({1, 2, 3, 4, 5, 6}, {2, 3}); }
Tensor S(float v) { return Tensor::Scalar(v); }
AttrMap Align(const char* a) { return {{"align", std::string(a)}}; }

TEST_F(Stitching, Values) {
  EXPECT_EQ(Outcome("DynamicStitch", {I({0, 3}), I({1}), F({1, 2}), F({3})}),
            "float [4] {1 3 0 2}");
  EXPECT_EQ(Outcome("DynamicStitch",
                    {I({0, 0}), I(1), F({1, 2, 3, 4}, {2, 2}), F({5, 6})}),
            "float [2,2] {3 4 5 6}");
  EXPECT_EQ(Outcome("DynamicStitch", {I({0, 5}), I({-1}), F({1, 2}), F({3})}),
            "indices[1] is out of range");
  EXPECT_EQ(Outcome("DynamicPartition", {F({1, 2, 3}), I({0, 1, 0})},
                    {{"num_partitions", int64_t{2}}}),
            "float [2] {1 3} | float [1] {2}");
  EXPECT_EQ(Outcome("DynamicPartition", {F({1, 2}), I(1)},
                    {{"num_partitions", int64_t{2}}}),
            "float [0,2] {} | float [1,2] {1 2}");
  EXPECT_EQ(Outcome("DynamicPartition", {F({1, 2, 3}), I({0, 2, 0})},
                    {{"num_partitions", int64_t{2}}}),
            "partitions[1] = 2 is not in [0, 2)");
}

TEST_F(Stitching, Gradients) {
  ExpectGradients({2, 2}, [](auto& x) {
    const Tensor places[] = {I({2, 0}), I({1, 4})}, rows[] = {x, x};
    return ops::DynamicStitch(places, rows);
  });
  ExpectGradients({4, 2}, [](auto& x) {
    const TensorVector y = ops::DynamicPartition(x, I({1, 0, 1, 1}), 3);
    return ops::ConcatV2(TensorVector{y[1], y[0], y[2]}, I(0));
  });
}

TEST_F(Diagonals, MatrixDiag) {
  auto diag = [](Tensor d, Tensor k, int rows = -1, int cols = -1,
                 float padding = 0, const char* align = "RIGHT_LEFT") {
    return Outcome("MatrixDiagV3", {d, k, I(rows), I(cols), S(padding)},
                   Align(align));
  };
  const Tensor two = F({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(diag(F({1, 2}), I(1)), "float [3,3] {0 1 0 0 0 2 0 0 0}");
  EXPECT_EQ(diag(two, I({0, 1})), "float [2,2] {3 2 0 4}");
  EXPECT_EQ(diag(two, I({0, 1}), 2, 3), "float [2,3] {3 1 0 0 4 2}");
  EXPECT_EQ(diag(F({1, 2}), I(-1), 3, 2, 9), "float [3,2] {9 9 1 9 9 2}");
  EXPECT_EQ(diag(two, I({0, 2})),
            "The number of diagonals provided in the input does not match the "
            "lower_diag_index and upper_diag_index range.");
  EXPECT_EQ(diag(two, I({1, 0})),
            "lower_diag_index must not be larger than upper_diag_index: 1 > 0");
  EXPECT_EQ(diag(F({1, 2}), I(0), 1, 5), "The number of rows is too small.");
  EXPECT_EQ(diag(F({1, 2}), I(0), 5, 5),
            "The number of rows or columns is not consistent with the "
            "specified d_lower, d_upper, and diagonal.");
  EXPECT_EQ(Outcome("MatrixDiag", {two}), "float [2,2,2] {1 0 0 2 3 0 0 4}");
}

TEST_F(Diagonals, MatrixDiagPart) {
  auto part = [](Tensor x, Tensor k, float padding = 0,
                 const char* align = "RIGHT_LEFT") {
    return Outcome("MatrixDiagPartV3", {x, k, S(padding)}, Align(align));
  };
  EXPECT_EQ(part(NumberedMatrix(), I(0)), "float [2] {1 5}");
  EXPECT_EQ(part(NumberedMatrix(), I({-1, 2}), 9),
            "float [4,2] {9 3 2 6 1 5 4 9}");
  EXPECT_EQ(part(NumberedMatrix(), I({-1, 2}), 9, "LEFT_RIGHT"),
            "float [4,2] {3 9 2 6 1 5 9 4}");
  EXPECT_EQ(part(NumberedMatrix(), I(5)),
            "lower_diag_index is out of bound: 5. It must be between -2 and 3");
  EXPECT_EQ(Outcome("MatrixDiagPart", {NumberedMatrix()}), "float [2] {1 5}");
}

TEST_F(Diagonals, MatrixSetDiag) {
  EXPECT_EQ(Outcome("MatrixSetDiagV3", {NumberedMatrix(), F({8, 9}), I(1)}),
            "float [2,3] {1 8 3 4 5 9}");
  EXPECT_EQ(Outcome("MatrixSetDiagV3",
                    {NumberedMatrix(), F({8, 9, 7, 6}, {2, 2}), I({0, 1})}),
            "float [2,3] {7 8 3 4 6 9}");
  EXPECT_EQ(Outcome("MatrixSetDiag", {NumberedMatrix(), F({8, 9})}),
            "float [2,3] {8 2 3 4 9 6}");
}

TEST_F(Diagonals, Gradients) {
  for (const char* align :
       {"RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"}) {
    SCOPED_TRACE(align);
    const Tensor zero = Tensor::Scalar(0.0);
    ExpectGradients({2, 3, 2}, [&](auto& x) {
      return ops::MatrixDiagV3(OpAttrs(Align(align)), x, I({-1, 1}), I(-1),
                               I(-1), zero);
    });
    ExpectGradients({2, 2, 3}, [&](auto& x) {
      return ops::MatrixDiagPartV3(OpAttrs(Align(align)), x, I({-1, 2}), zero);
    });
    ExpectGradients({3, 3}, [&](auto& x) {
      return ops::MatrixSetDiagV3(OpAttrs(Align(align)), x, x, I({-1, 1}));
    });
  }
  ExpectGradients({2, 2}, [](auto& x) { return ops::MatrixDiag(x); });
  ExpectGradients({2, 3}, [](auto& x) { return ops::MatrixDiagPart(x); });
}

}  // namespace
}  // namespace gk
