// TensorArrays and stacks of version 1: objects that ops change.
#include <thread>
#include <vector>

#include "eager/op_outcomes_for_test.h"
#include "ops/fn/StackV2.h"
#include "ops/fn/TensorArrayGradV3.h"
#include "ops/fn/TensorArrayGradWithShape.h"
#include "ops/with_attrs/TensorArrayV3.h"

namespace gk {
namespace {

const Tensor& Flow() {
  static const Tensor flow = Tensor::Scalar(0.0f);
  return flow;
}

AttrMap Type(const char* name) { return {{name, DataType::kFloat}}; }

Tensor Array(int32_t size, AttrMap attrs = {}) {
  attrs.Set("dtype", DataType::kFloat);
  return ops::TensorArrayV3(OpAttrs(std::move(attrs)), I(size))[0];
}

std::string Write(const Tensor& array, int32_t at, const Tensor& x) {
  return Outcome("TensorArrayWriteV3", {array, I(at), x, Flow()}, Type("T"));
}

std::string Read(const Tensor& array, int32_t at) {
  return Outcome("TensorArrayReadV3", {array, I(at), Flow()}, Type("dtype"));
}

std::string Gather(const Tensor& array, std::initializer_list<int32_t> at) {
  return Outcome("TensorArrayGatherV3", {array, I(at), Flow()}, Type("dtype"));
}

Tensor Gradient(const Tensor& array, const char* source) {
  return ops::TensorArrayGradV3(array, Flow(), source)[0];
}

bool Says(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

TEST(VersionOneArraysTest, ElementsAreWrittenOnceAndClearedByReading) {
  InitEager();
  const Tensor array = Array(2);
  EXPECT_EQ(Write(array, 0, F({1, 2})), Show(Flow()));
  EXPECT_TRUE(Says(Write(array, 0, F({1, 2})), "already been written to"));
  EXPECT_TRUE(Says(Write(array, 2, F({1, 2})), "is not resizeable"));
  EXPECT_TRUE(Says(Write(array, -1, F({1, 2})), "is not resizeable"));
  EXPECT_TRUE(Says(Read(array, 1), "element shape is not fully defined"));
  EXPECT_TRUE(Says(Read(array, 2), "array size is: 2"));
  EXPECT_EQ(Read(array, 0), Show(F({1, 2})));
  EXPECT_TRUE(Says(Read(array, 0), "twice because it was cleared"));
  EXPECT_TRUE(Says(Write(array, 0, F({1, 2})), "already been read"));
}

TEST(VersionOneArraysTest, WhatIsStoredIsACopy) {
  InitEager();
  const Tensor array = Array(1, {{"clear_after_read", false}});
  Tensor x = F({1, 2, 3});
  Write(array, 0, x);
  x.data<float>()[0] = 7;
  EXPECT_EQ(Read(array, 0), Show(F({1, 2, 3})));
  EXPECT_EQ(Read(array, 0), Show(F({1, 2, 3})));
}

TEST(VersionOneArraysTest, ElementsOfAKnownShapeAreZerosAtFirst) {
  InitEager();
  const Tensor array =
      Array(3, {{"element_shape", PartialTensorShape(TensorShape({2}))}});
  Write(array, 1, F({1, 2}));
  EXPECT_TRUE(Says(Write(array, 2, F({1})), "incompatible with"));
  EXPECT_EQ(Gather(array, {2, 1}), Show(F({0, 0, 1, 2}, TensorShape({2, 2}))));
  EXPECT_EQ(Gather(array, {}), Show(F({}, TensorShape({0, 2}))));
  EXPECT_TRUE(Says(Gather(Array(0), {}), "size zero"));
}

TEST(VersionOneArraysTest, GrowingAndPartsOfTensors) {
  InitEager();
  const Tensor array = Array(0, {{"dynamic_size", true}});
  const Tensor rows = F({1, 2, 3, 4}, TensorShape({2, 2}));
  const Tensor flow = Flow();
  EXPECT_EQ(Outcome("TensorArrayScatterV3", {array, I({3, 0}), rows, flow},
                    Type("T")),
            Show(flow));
  EXPECT_EQ(Outcome("TensorArraySizeV3", {array, flow}), Show(I(4)));
  EXPECT_EQ(Gather(array, {0, 3}), Show(F({3, 4, 1, 2}, TensorShape({2, 2}))));
  EXPECT_TRUE(Says(Outcome("TensorArrayScatterV3",
                           {Array(2), I({2}), F({1}), flow}, Type("T")),
                   "Max scatter index"));

  const Tensor parts = Array(3);
  const auto lengths = [](std::initializer_list<int64_t> v) {
    return Tensor::OfValues<int64_t>({v.begin(), v.size()},
                                     TensorShape({int64_t(v.size())}));
  };
  const auto split = [&](const Tensor& to, std::initializer_list<int64_t> n) {
    return Outcome("TensorArraySplitV3", {to, F({1, 2, 3}), lengths(n), flow},
                   Type("T"));
  };
  EXPECT_TRUE(Says(split(parts, {1, 2}), "not marked as dynamically"));
  EXPECT_TRUE(Says(split(parts, {1, 1, 2}), "Expected sum of lengths"));
  EXPECT_TRUE(Says(split(parts, {4, -1, 0}), "Expected sum of lengths"));
  EXPECT_TRUE(Says(split(parts, {INT64_MAX, INT64_MAX, 5}), "sum of lengths"));
  EXPECT_EQ(split(parts, {1, 0, 2}), Show(flow));
  EXPECT_EQ(Outcome("TensorArrayConcatV3", {parts, flow}, Type("dtype")),
            Show(F({1, 2, 3})) + " | " + Show(lengths({1, 0, 2})));
}

TEST(VersionOneArraysTest, GradientsAreOneArrayForEachSourceAndSum) {
  InitEager();
  const Tensor array = Array(2, {{"dynamic_size", true}});
  Write(array, 0, F({1, 2}));
  const Tensor gradient = Gradient(array, "a");
  EXPECT_EQ(Write(gradient, 0, F({1, 2})), Show(Flow()));
  EXPECT_EQ(Write(Gradient(array, "a"), 0, F({10, 20})), Show(Flow()));
  EXPECT_TRUE(Says(Write(gradient, 0, F({1})), "Could not aggregate"));
  EXPECT_EQ(Read(gradient, 0), Show(F({11, 22})));
  // Of the shape of the element, if nothing was added.
  EXPECT_EQ(Read(Gradient(array, "b"), 0), Show(F({0, 0})));
  // It has as many elements as the array had, which grows no more.
  EXPECT_TRUE(Says(Write(array, 2, F({1, 2})), "is not resizeable"));

  const Tensor rows =
      ops::TensorArrayGradWithShape(array, Flow(), I({3}), "c")[0];
  EXPECT_EQ(Read(rows, 0), Show(F({0, 0, 0, 0, 0, 0}, TensorShape({3, 2}))));
  const std::string vast =
      Outcome("TensorArrayGradWithShape",
              {array, Flow(), I({2147483647, 2147483647, 2147483647})},
              {{"source", std::string("d")}});
  EXPECT_FALSE(Says(vast, "resource")) << vast;
}

TEST(VersionOneArraysTest, WhatIsNoArrayIsRefused) {
  InitEager();
  const Tensor stack = ops::StackV2(I(-1), DataType::kFloat);
  EXPECT_TRUE(Says(Read(stack, 0), "Expected the handle of a TensorArray"));
  EXPECT_TRUE(Says(Outcome("StackPopV2", {Array(1)}, Type("elem_type")),
                   "Expected the handle of a stack"));
  EXPECT_TRUE(Says(Outcome("TensorArrayV3", {I(-1)}, Type("dtype")), ">= 0"));
  EXPECT_TRUE(Says(Outcome("TensorArrayWriteV3", {Array(1), I(0), I(5), Flow()},
                           {{"T", DataType::kInt32}}),
                   "is trying to write"));
  EXPECT_TRUE(Says(Outcome("TensorArrayReadV3", {Array(1), I(0), Flow()},
                           {{"dtype", DataType::kInt32}}),
                   "requested"));
  const Tensor vast = Array(
      2147483647, {{"element_shape", PartialTensorShape(TensorShape({0}))}});
  EXPECT_TRUE(
      Says(Outcome("TensorArrayConcatV3", {vast, Flow()}, Type("dtype")),
           "at most"));
  EXPECT_EQ(Read(vast, 2147483646), Show(F({}, TensorShape({0}))));
  const Tensor closed = Array(1);
  Outcome("TensorArrayCloseV3", {closed});
  EXPECT_TRUE(Says(Write(closed, 0, F({1})), "closed"));
}

TEST(VersionOneArraysTest, StacksGiveTheLastFirst) {
  InitEager();
  const Tensor stack = ops::StackV2(I(2), DataType::kFloat);
  const auto push = [&](const Tensor& x) {
    return Outcome("StackPushV2", {stack, x}, Type("T"));
  };
  const auto pop = [&] {
    return Outcome("StackPopV2", {stack}, Type("elem_type"));
  };
  Tensor first = F({1});
  EXPECT_EQ(push(first), Show(F({1})));
  first.data<float>()[0] = 7;
  EXPECT_EQ(push(F({2, 3})), Show(F({2, 3})));
  EXPECT_TRUE(Says(push(F({4})), "overflowed its max_size (2)"));
  EXPECT_EQ(pop(), Show(F({2, 3})));
  EXPECT_EQ(pop(), Show(F({1})));
  EXPECT_TRUE(Says(pop(), "is empty"));
  EXPECT_TRUE(
      Says(Outcome("StackPushV2", {stack, I(1)}, {{"T", DataType::kInt32}}),
           "Must have type float"));
  Outcome("StackCloseV2", {stack});
  EXPECT_TRUE(Says(push(F({1})), "closed"));
}

TEST(VersionOneArraysTest, ManyThreadsWriteToOneArray) {
  InitEager();
  const Tensor array = Array(400);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) Write(array, 4 * i + t, F({float(t)}));
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(Gather(array, {0, 5, 399}),
            Show(F({0, 1, 3}, TensorShape({3, 1}))));
}

}  // namespace
}  // namespace gk
