#include "framework/kernel_context.h"

#include <gtest/gtest.h>

#include <vector>

#include "framework/op_record.h"

namespace gk {
namespace {

std::vector<const Tensor*> PointersTo(const TensorVector& values) {
  std::vector<const Tensor*> pointers;
  for (const Tensor& t : values) pointers.push_back(&t);
  return pointers;
}

struct Call {
  explicit Call(TensorVector values) : inputs(std::move(values)) {}

  TensorVector inputs;
  TensorVector outputs = TensorVector(1);
  std::vector<const Tensor*> pointers = PointersTo(inputs);
  OpRecord record;
  AttrMap attrs;
  KernelContext context{record, attrs, pointers, outputs};
};

TensorVector Vectors(int n) {
  TensorVector all;
  for (int i = 0; i < n; ++i) {
    all.push_back(
        ValueOrThrow(Tensor::Zeros(DataType::kFloat, TensorShape({100}))));
  }
  return all;
}

const void* Forwarded(Call* call, int j) {
  Tensor* out = nullptr;
  EXPECT_TRUE(
      call->context.Forward(j, 0, DataType::kFloat, TensorShape({100}), &out)
          .ok());
  const void* data = out->raw_data();
  call->outputs[0] = Tensor();
  return data;
}

TEST(KernelContextTest, InputsThatDieGiveTheirMemory) {
  Call call(Vectors(3));
  EXPECT_FALSE(call.context.MayOverwrite(1));
  EXPECT_NE(Forwarded(&call, 1), call.inputs[1].raw_data());
  call.context.set_plan(nullptr, 2);
  EXPECT_FALSE(call.context.MayOverwrite(0));
  EXPECT_TRUE(call.context.MayOverwrite(1));
  EXPECT_EQ(Forwarded(&call, 1), call.inputs[1].raw_data());
  const Tensor other = call.inputs[1];
  EXPECT_FALSE(call.context.MayOverwrite(1));
  EXPECT_NE(Forwarded(&call, 1), call.inputs[1].raw_data());
}

// The plan has a bit for each of the first 64.
TEST(KernelContextTest, OfManyInputsTheFirstGiveTheirMemory) {
  Call call(Vectors(130));
  call.context.set_plan(nullptr, ~uint64_t{0});
  for (const int j : {0, 1, 63}) {
    EXPECT_TRUE(call.context.MayOverwrite(j));
    EXPECT_EQ(Forwarded(&call, j), call.inputs[j].raw_data());
  }
  for (const int j : {64, 65, 127, 128, 129}) {
    EXPECT_FALSE(call.context.MayOverwrite(j));
    EXPECT_NE(Forwarded(&call, j), call.inputs[j].raw_data());
  }
}

TEST(KernelContextTest, MemoryOfOtherLibrariesStaysAsItIs) {
  std::vector<float> theirs(100);
  int released = 0;
  {
    Call call({Tensor::FromBuffer(
        DataType::kFloat, TensorShape({100}),
        NewForeignBuffer(theirs.data(), 400, [&] { ++released; }))});
    call.context.set_plan(nullptr, 1);
    EXPECT_TRUE(call.inputs[0].buffer()->RefCountIsOne());
    EXPECT_FALSE(call.inputs[0].IsExclusive());
    EXPECT_FALSE(call.context.MayOverwrite(0));
    EXPECT_NE(Forwarded(&call, 0), theirs.data());
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

}  // namespace
}  // namespace gk
