#include "framework/device_spec.h"

#include <gtest/gtest.h>

namespace gk {
namespace {

TEST(DeviceSpec, TakesNamesApart) {
  const DeviceSpec spec = ValueOrThrow(
      DeviceSpec::Parse("/job:worker/replica:1/task:2/device:GPU:3"));
  EXPECT_EQ(spec, (DeviceSpec{"worker", 1, 2, "GPU", 3}));
  EXPECT_EQ(spec.ToString(), "/job:worker/replica:1/task:2/device:GPU:3");
  EXPECT_EQ(ValueOrThrow(DeviceSpec::Parse("cpu:0")).ToString(),
            "/device:CPU:0");
  EXPECT_EQ(ValueOrThrow(DeviceSpec::Parse("/cpu:*")).ToString(),
            "/device:CPU:*");
  EXPECT_EQ(ValueOrThrow(DeviceSpec::Parse("")), DeviceSpec());
}

TEST(DeviceSpec, RefusesOtherNames) {
  for (const char* name : {"nonsense", "/task:x", "/cpu:0/gpu:0", "/job",
                           "/device:CPU:0:1", "/task:99999999999999"}) {
    EXPECT_EQ(DeviceSpec::Parse(name).status().code(), Code::kValueError)
        << name;
  }
}

TEST(DeviceSpec, InnerNamesAddToOuterOnes) {
  const DeviceSpec outer = ValueOrThrow(DeviceSpec::Parse("/job:a/gpu:1"));
  const DeviceSpec inner = ValueOrThrow(DeviceSpec::Parse("/task:2/cpu"));
  EXPECT_EQ(outer.MergedWith(inner).ToString(), "/job:a/task:2/device:CPU:1");
}

}  // namespace
}  // namespace gk
