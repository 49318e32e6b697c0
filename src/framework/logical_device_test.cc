#include "framework/logical_device.h"

#include <gtest/gtest.h>

#include <thread>

namespace gk {
namespace {

class LogicalDevice : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(SetNumLogicalDevices(3).ok()); }
  void TearDown() override {
    SetCurrentDevice(0);
    ASSERT_TRUE(SetNumLogicalDevices(1).ok());
  }
};

TEST_F(LogicalDevice, TensorsKeepTheDeviceTheyWereMadeOn) {
  const Tensor a = Tensor::Scalar(1.0f);
  SetCurrentDevice(2);
  const Tensor b = Tensor::Scalar(1.0f);
  const std::vector<float> many(1000, 2.0f);
  const Tensor c = Tensor::Vector<float>(many);
  SetCurrentDevice(0);
  EXPECT_EQ(DeviceOf(a), 0);
  EXPECT_EQ(DeviceOf(b), 2);
  EXPECT_EQ(DeviceOf(c), 2);
  EXPECT_EQ(DeviceOf(b.Alias()), 0);
  EXPECT_EQ(DeviceName(2), "/job:localhost/replica:0/task:0/device:CPU:2");
}

TEST_F(LogicalDevice, ElementsMoveAlong) {
  for (int64_t n : {1, 1000}) {
    const std::vector<int64_t> values(n, 7);
    const Tensor a = Tensor::Vector<int64_t>(values);
    const Tensor b = OnDevice(a, 1);
    EXPECT_FALSE(a.Is(b));
    EXPECT_TRUE(OnDevice(b, 1).Is(b));
    EXPECT_EQ(DeviceOf(b), 1);
    ASSERT_EQ(b.num_elements(), n);
    EXPECT_EQ(b.data<int64_t>()[n - 1], 7);
  }
  const Tensor s = Tensor::Scalar(std::string(200, 'x'));
  EXPECT_EQ(OnDevice(s, 2).scalar<std::string>(), s.scalar<std::string>());
}

TEST_F(LogicalDevice, EachThreadChooses) {
  DeviceGuard guard(1);
  int there = -1;
  std::thread([&] { there = DeviceOf(Tensor::Scalar(1)); }).join();
  EXPECT_EQ(there, 0);
  EXPECT_EQ(DeviceOf(Tensor::Scalar(1)), 1);
}

TEST_F(LogicalDevice, NamesThatDoNotFitGiveTheFirst) {
  EXPECT_EQ(FindDevice("/device:CPU:1"), 1);
  EXPECT_EQ(FindDevice("/job:localhost/replica:0/task:0/device:CPU:2"), 2);
  EXPECT_EQ(FindDevice("/device:CPU:3"), 0);
  EXPECT_EQ(FindDevice("/device:CPU:99999999999999999999"), 0);
  EXPECT_EQ(FindDevice("/device:CPU:-1"), 0);
  EXPECT_EQ(FindDevice("/device:CPU:1x"), 0);
  EXPECT_EQ(FindDevice("/device:CPU:"), 0);
  EXPECT_EQ(FindDevice("/device:GPU:1"), 0);
  EXPECT_EQ(FindDevice("/job:worker"), -1);
  EXPECT_EQ(FindDevice(""), -1);
}

TEST_F(LogicalDevice, NumbersAreBounded) {
  EXPECT_FALSE(SetNumLogicalDevices(0).ok());
  EXPECT_FALSE(SetNumLogicalDevices(kMaxLogicalDevices + 1).ok());
  EXPECT_EQ(NumLogicalDevices(), 3);
}

}  // namespace
}  // namespace gk
