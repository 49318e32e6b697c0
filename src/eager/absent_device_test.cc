#include "eager/absent_device.h"

#include <gtest/gtest.h>

#include "eager/eager_context.h"
#include "ops/fn/Neg.h"

namespace gk {
namespace {

TEST(AbsentDeviceTest, RefusesOpsAndValuesInItsScopeOnly) {
  InitEager();
  const Tensor x = Tensor::Scalar<float>(1);
  AbsentDevice absent("no device for ops", "no device for values");
  {
    OpBuilder::Scope scope(&absent);
    EXPECT_FALSE(OpBuilder::Current()->builds_graph());
    EXPECT_EQ(AbsentDevice::Refusal().message(), "no device for ops");
    EXPECT_THROW(ops::Neg(x), Error);
    EXPECT_EQ(OpBuilder::Current()->Constant(x, "c").status().message(),
              "no device for values");
    OpBuilder::Scope eager(OpBuilder::Eager());
    EXPECT_TRUE(AbsentDevice::Refusal().ok());
    EXPECT_EQ(ops::Neg(x).scalar<float>(), -1);
  }
  EXPECT_TRUE(AbsentDevice::Refusal().ok());
}

}  // namespace
}  // namespace gk
