// Bands, blocks, patches and reversed sequences: values, errors, gradients.
#include "eager/op_outcomes_for_test.h"
#include "ops/fn/BatchToSpaceND.h"
#include "ops/fn/Diag.h"
#include "ops/fn/DiagPart.h"
#include "ops/fn/MatrixBandPart.h"
#include "ops/fn/ReverseSequence.h"
#include "ops/fn/SpaceToBatchND.h"
#include "ops/with_attrs/DepthToSpace.h"
#include "ops/with_attrs/ExtractImagePatches.h"
#include "ops/with_attrs/SpaceToDepth.h"

namespace gk {
namespace {

class Blocks : public ::testing::Test {
 protected:
  void SetUp() override { InitEager(); }
};

Tensor Matrix() { return F({1, 2, 3, 4, 5, 6}, {2, 3}); }

TEST_F(Blocks, Bands) {
  EXPECT_EQ(Outcome("Diag", {F({1, 2})}), "float [2,2] {1 0 0 2}");
  EXPECT_EQ(Outcome("DiagPart", {F({1, 2, 3, 4}, {2, 2})}), "float [2] {1 4}");
  EXPECT_EQ(Outcome("DiagPart", {Matrix()}),
            "Invalid shape [2,3]: dimensions 0 and 1 do not match.");
  EXPECT_EQ(Outcome("MatrixBandPart", {Matrix(), I(0), I(1)}),
            "float [2,3] {1 2 0 0 5 6}");
  EXPECT_EQ(Outcome("MatrixBandPart", {Matrix(), I(-1), I(0)}),
            "float [2,3] {1 0 0 4 5 0}");
  EXPECT_EQ(Outcome("MatrixBandPart", {Matrix(), I(3), I(0)}),
            "num_lower must be negative or less or equal to number of rows (2) "
            "got: 3");
  ExpectGradients({2, 2}, [](auto& x) { return ops::Diag(x); });
  ExpectGradients({3, 3}, [](auto& x) { return ops::DiagPart(x); });
  ExpectGradients({2, 3, 4},
                  [](auto& x) { return ops::MatrixBandPart(x, I(1), I(-1)); });
}

TEST_F(Blocks, SpaceToBatch) {
  const Tensor x = Iota({1, 4, 2, 1}), none = I({0, 0, 0, 0}, {2, 2});
  EXPECT_EQ(Outcome("SpaceToBatchND", {x, I({2, 2}), none}),
            "float [4,2,1,1] {0 4 1 5 2 6 3 7}");
  EXPECT_EQ(Outcome("SpaceToBatchND",
                    {F({1, 2, 3}, {1, 3}), I({2}), I({1, 0}, {1, 2})}),
            "float [2,2] {0 2 1 3}");
  EXPECT_EQ(Outcome("SpaceToBatchND", {x, I({3, 2}), none}),
            "padded_shape[0]=4 is not divisible by block_shape[0]=3");
  EXPECT_EQ(Outcome("SpaceToBatchND", {x, I({0, 2}), none}),
            "All values in block_shape must be positive, got value, 0 at index "
            "0.");
  const Tensor y = Iota({4, 2, 1, 1});
  EXPECT_EQ(Outcome("BatchToSpaceND", {y, I({2, 2}), none}),
            "float [1,4,2,1] {0 2 4 6 1 3 5 7}");
  EXPECT_EQ(Outcome("BatchToSpaceND", {y, I({2, 2}), I({1, 1, 0, 1}, {2, 2})}),
            "float [1,2,1,1] {4 1}");
  EXPECT_EQ(Outcome("BatchToSpaceND", {y, I({3, 2}), none}),
            "Input batch dimension (4) is not divisible by product of block "
            "sizes (6)");
  EXPECT_EQ(Outcome("BatchToSpaceND", {y, I({2, 2}), I({3, 2, 0, 0}, {2, 2})}),
            "cropped_shape[0]=-1 must be non-negative");
  EXPECT_EQ(Outcome("SpaceToBatch", {x, none}, {{"block_size", int64_t{2}}}),
            "float [4,2,1,1] {0 4 1 5 2 6 3 7}");
  ExpectGradients({1, 3, 2}, [](auto& t) {
    return ops::SpaceToBatchND(t, I({2}), I({2, 1}, {1, 2}));
  });
  ExpectGradients({4, 2, 2, 1}, [](auto& t) {
    return ops::BatchToSpaceND(t, I({2, 2}), I({1, 0, 0, 1}, {2, 2}));
  });
}

TEST_F(Blocks, Depth) {
  const AttrMap two{{"block_size", int64_t{2}}};
  EXPECT_EQ(Outcome("SpaceToDepth", {Iota({1, 4, 2, 1})}, two),
            "float [1,2,1,4] {0 1 2 3 4 5 6 7}");
  EXPECT_EQ(Outcome("DepthToSpace", {Iota({1, 1, 2, 4})}, two),
            "float [1,2,4,1] {0 1 4 5 2 3 6 7}");
  EXPECT_EQ(Outcome("SpaceToDepth", {Iota({1, 1, 2, 4})},
                    {{"block_size", int64_t{2}},
                     {"data_format", std::string("NCHW")}}),
            "float [1,4,1,2] {0 2 1 3 4 6 5 7}");
  EXPECT_EQ(Outcome("DepthToSpace", {Iota({1, 1, 2, 4})},
                    {{"block_size", int64_t{3}}}),
            "Input depth dimension 4 should be divisible by: 9");
  for (const char* format : {"NHWC", "NCHW"}) {
    const AttrMap attrs{{"block_size", int64_t{2}},
                        {"data_format", std::string(format)}};
    ExpectGradients({1, 4, 2, 2}, [&](auto& x) {
      return ops::SpaceToDepth(OpAttrs(attrs), x);
    });
    ExpectGradients({1, 4, 2, 4}, [&](auto& x) {
      return ops::DepthToSpace(OpAttrs(attrs), x);
    });
  }
}

AttrMap Window(int64_t size, int64_t stride, int64_t rate,
               const char* padding) {
  auto list = [](int64_t v) { return std::vector<int64_t>{1, v, v, 1}; };
  return {{"ksizes", list(size)},
          {"strides", list(stride)},
          {"rates", list(rate)},
          {"padding", std::string(padding)}};
}

TEST_F(Blocks, Patches) {
  const Tensor x = Iota({1, 3, 3, 1});
  EXPECT_EQ(Outcome("ExtractImagePatches", {x}, Window(2, 1, 1, "VALID")),
            "float [1,2,2,4] {0 1 3 4 1 2 4 5 3 4 6 7 4 5 7 8}");
  EXPECT_EQ(Outcome("ExtractImagePatches", {x}, Window(2, 2, 1, "SAME")),
            "float [1,2,2,4] {0 1 3 4 2 0 5 0 6 7 0 0 8 0 0 0}");
  EXPECT_EQ(Outcome("ExtractImagePatches", {x}, Window(2, 1, 2, "VALID")),
            "float [1,1,1,4] {0 2 6 8}");
  EXPECT_EQ(Outcome("ExtractImagePatches", {x}, Window(5, 1, 1, "VALID")),
            "Computed output size would be negative: -1 [input_size: 3, "
            "effective_filter_size: 5, stride: 1]");
  ExpectGradients({1, 4, 5, 2}, [](auto& t) {
    return ops::ExtractImagePatches(OpAttrs(Window(2, 2, 1, "SAME")), t);
  });
  ExpectGradients({1, 4, 5, 1}, [](auto& t) {
    return ops::ExtractImagePatches(OpAttrs(Window(2, 1, 2, "VALID")), t);
  });
}

TEST_F(Blocks, ReverseSequence) {
  auto reverse = [](Tensor x, Tensor lengths, int64_t seq, int64_t batch = 0) {
    return Outcome("ReverseSequence", {x, lengths},
                   {{"seq_dim", seq}, {"batch_dim", batch}});
  };
  EXPECT_EQ(reverse(Matrix(), I({2, 3}), 1), "float [2,3] {2 1 3 6 5 4}");
  EXPECT_EQ(reverse(Matrix(), I({2, 2, 0}), 0, 1), "float [2,3] {4 5 3 1 2 6}");
  EXPECT_EQ(reverse(Matrix(), I({2, 4}), 1), "seq_lens(1) > input.dims(1)");
  EXPECT_EQ(reverse(Matrix(), I({2}), 1),
            "Length of seq_lengths != input.dims(0), (1 vs. 2)");
  ExpectGradients({2, 3, 2}, [](auto& x) {
    return ops::ReverseSequence(x, I({2, 3}), 1);
  });
}

}  // namespace
}  // namespace gk
