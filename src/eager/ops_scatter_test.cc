// Slices of variables: what is written, and that failures write nothing.
#include <gtest/gtest.h>

#include "eager/eager_context.h"
#include "eager/gradient_tape.h"
#include "eager/op_outcomes_for_test.h"
#include "framework/variable.h"
#include "ops/fn/ResourceGather.h"
#include "ops/fn/ResourceScatterAdd.h"
#include "ops/fn/ResourceScatterMul.h"
#include "ops/fn/ResourceScatterNdAdd.h"
#include "ops/fn/ResourceScatterUpdate.h"

namespace gk {
namespace {

Tensor Indices(std::initializer_list<int32_t> v) {
  return Tensor::Vector<int32_t>(std::span(v.begin(), v.size()));
}

Tensor Floats(std::initializer_list<float> v,
              std::initializer_list<int64_t> dims) {
  return Tensor::OfValues<float>(std::span(v.begin(), v.size()),
                                 TensorShape(dims));
}

class ScatterOps : public testing::Test {
 protected:
  void SetUp() override {
    InitEager();
    handle_ = NewVariableHandle("v", DataType::kFloat, {3, 2}, true);
    ASSERT_TRUE((*VariableOf(handle_))
                    ->Assign(Floats({1, 2, 3, 4, 5, 6}, {3, 2}))
                    .ok());
  }
  std::vector<float> Values() {
    const Tensor t = ValueOrThrow((*VariableOf(handle_))->Read());
    return {t.flat<float>().begin(), t.flat<float>().end()};
  }
  std::string Failure(std::string_view op, const TensorVector& in) {
    try {
      MakeOp(op, in);
    } catch (const Error& e) {
      EXPECT_EQ(e.status().code(), Code::kInvalidArgument);
      return MessageWithoutOp(e);
    }
    return "";
  }
  Tensor handle_;
};

TEST_F(ScatterOps, DuplicatesApplyInOrder) {
  ops::ResourceScatterAdd(handle_, Indices({0, 0}),
                          Floats({1, 1, 1, 1}, {2, 2}));
  EXPECT_EQ(Values(), (std::vector<float>{3, 4, 3, 4, 5, 6}));
  ops::ResourceScatterUpdate(handle_, Indices({2, 2}),
                             Floats({1, 1, 9, 8}, {2, 2}));
  EXPECT_EQ(Values(), (std::vector<float>{3, 4, 3, 4, 9, 8}));
  ops::ResourceScatterMul(handle_, Indices({1}), Tensor::Scalar(2.f));
  EXPECT_EQ(Values(), (std::vector<float>{3, 4, 6, 8, 9, 8}));
}

TEST_F(ScatterOps, RowsOfIndices) {
  ops::ResourceScatterNdAdd(
      handle_,
      Tensor::OfValues<int32_t>(std::array<int32_t, 4>{0, 1, 2, 0},
                                TensorShape({2, 2})),
      Floats({10, 20}, {2}));
  EXPECT_EQ(Values(), (std::vector<float>{1, 12, 3, 4, 25, 6}));
}

TEST_F(ScatterOps, FailuresWriteNothing) {
  const std::vector<float> before = Values();
  EXPECT_EQ(Failure("ResourceScatterAdd",
                    {handle_, Indices({0, 3}), Floats({1, 1, 1, 1}, {2, 2})}),
            "indices[1] = 3 is not in [0, 3)");
  EXPECT_EQ(Failure("ResourceScatterUpdate",
                    {handle_, Indices({0, 1}), Floats({1, 1}, {2})}),
            "Must have updates.shape = indices.shape + params.shape[1:] or "
            "updates.shape = [], got updates.shape [2], indices.shape [2], "
            "params.shape [3,2]");
  EXPECT_EQ(Failure("ResourceScatterNdUpdate",
                    {handle_,
                     Tensor::OfValues<int32_t>(std::array<int32_t, 2>{0, 5},
                                               TensorShape({1, 2})),
                     Floats({1}, {1})}),
            "indices[0] = [0, 5] does not index into shape [3,2]");
  EXPECT_EQ(Values(), before);
}

TEST_F(ScatterOps, GatherGivesSlicesAsGradient) {
  GradientTape tape;
  tape.Push();
  tape.Watch(handle_);
  const Tensor y =
      ops::ResourceGather(handle_, Indices({2, 0, 2}), DataType::kFloat);
  tape.Pop();
  EXPECT_EQ(y.shape(), TensorShape({3, 2}));
  EXPECT_EQ(y.data<float>()[0], 5);
  const std::vector<Gradient> g = ValueOrThrow(
      tape.ComputeGradient(std::array{y}, std::array{handle_}, {}));
  ASSERT_TRUE(g[0].is_slices());
  EXPECT_EQ(g[0].indices.data<int32_t>()[0], 2);
  EXPECT_EQ(g[0].dense.shape(), TensorShape({3, 2}));
}

}  // namespace
}  // namespace gk
