#include "framework/shared_variables.h"

#include <gtest/gtest.h>

namespace gk {
namespace {

VariableResource* Shared(const std::string& container, const std::string& name,
                         DataType dtype = DataType::kFloat) {
  const Tensor handle =
      SharedVariableHandle(container, name, dtype, PartialTensorShape());
  return *VariableOf(handle);
}

TEST(SharedVariables, OneNameIsOneVariable) {
  ASSERT_TRUE(Shared("", "a")->Assign(Tensor::Scalar(3.0f)).ok());
  EXPECT_EQ(Shared("", "a")->Read()->scalar<float>(), 3.0f);
  EXPECT_EQ(Shared("localhost", "a"), Shared("", "a"));
  EXPECT_FALSE(Shared("", "b")->IsInitialized());
  EXPECT_FALSE(Shared("other", "a")->IsInitialized());
}

TEST(SharedVariables, ItsTypeIsThatOfItsValue) {
  ASSERT_TRUE(Shared("", "c")->Assign(Tensor::Scalar(3.0f)).ok());
  VariableResource* const as_int = Shared("", "c", DataType::kInt32);
  EXPECT_EQ(as_int->dtype(), DataType::kFloat);
  as_int->Clear();
  VariableResource* const now = Shared("", "c", DataType::kInt32);
  EXPECT_EQ(now->dtype(), DataType::kInt32);
  EXPECT_TRUE(now->Assign(Tensor::Scalar(int32_t{4})).ok());
}

TEST(SharedVariables, AnyShapeMayBeAssigned) {
  const Tensor handle =
      SharedVariableHandle("", "d", DataType::kFloat, PartialTensorShape({2}));
  VariableResource* const v = *VariableOf(handle);
  EXPECT_TRUE(v->Assign(Tensor::Scalar(3.0f)).ok());
  EXPECT_TRUE(v->Read()->shape().IsScalar());
}

TEST(SharedVariables, ThoseWithoutValueAndUserAreDropped) {
  const Tensor kept =
      SharedVariableHandle("", "kept", DataType::kFloat, PartialTensorShape());
  ASSERT_TRUE(Shared("", "valued")->Assign(Tensor::Scalar(1.0f)).ok());
  for (int i = 0; i < 3000; ++i) Shared("swept", Format("n{}", i));
  EXPECT_TRUE(Shared("", "valued")->IsInitialized());
  ASSERT_TRUE((*VariableOf(kept))->Assign(Tensor::Scalar(2.0f)).ok());
  EXPECT_EQ(Shared("", "kept")->Read()->scalar<float>(), 2.0f);
}

}  // namespace
}  // namespace gk
