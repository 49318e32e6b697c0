// Lists of tensors as a whole: what takes kernels of the elements.
#include "eager/op_outcomes_for_test.h"
#include "framework/tensor_list.h"

namespace gk {
namespace {

Ref<TensorList> Counting(int n) {
  auto list = MakeRef<TensorList>(DataType::kInt32, PartialTensorShape());
  for (int i = 0; i < n; ++i) {
    EXPECT_TRUE(list->Push(Tensor::Scalar<int32_t>(i)).ok());
  }
  return list;
}

int32_t At(const TensorList& list, int64_t i) {
  return ValueOrThrow(list.Get(i)).scalar<int32_t>();
}

TEST(ListOpsTest, SumsOfLists) {
  InitEager();
  Ref<TensorList> list = Counting(1000);
  const Ref<VariantObject> twice = ValueOrThrow(list->Add(*list));
  const auto& sum_list = static_cast<const TensorList&>(*twice);
  ASSERT_EQ(sum_list.size(), 1000);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(At(sum_list, i), 2 * i);
    ASSERT_EQ(At(*list, i), i);
  }
  EXPECT_FALSE(list->Add(*Counting(3)).ok());
  // Elements that are not set count as zeros.
  Ref<TensorList> gaps =
      MakeRef<TensorList>(DataType::kInt32, PartialTensorShape());
  ASSERT_TRUE(gaps->Resize(1000).ok());
  ASSERT_TRUE(gaps->Set(5, Tensor::Scalar<int32_t>(100)).ok());
  const Ref<VariantObject> sum = ValueOrThrow(list->Add(*gaps));
  EXPECT_EQ(At(static_cast<const TensorList&>(*sum), 5), 105);
  EXPECT_EQ(At(static_cast<const TensorList&>(*sum), 6), 6);
  const Ref<VariantObject> other = ValueOrThrow(gaps->Add(*list));
  EXPECT_EQ(At(static_cast<const TensorList&>(*other), 5), 105);
  EXPECT_EQ(At(static_cast<const TensorList&>(*other), 6), 6);
}

// As gradients of reading element after element are added up.
TEST(ListOpsTest, SumsOfListsOfOneElement) {
  InitEager();
  for (const int n : {5, 3000}) {
    for (const int repeats : {1, 2}) {
      auto sum = MakeRef<TensorList>(DataType::kInt32, PartialTensorShape());
      ASSERT_TRUE(sum->Resize(n).ok());
      for (int k = 0; k < n * repeats; ++k) {
        const int i = k * 7 % n;
        auto one = MakeRef<TensorList>(DataType::kInt32, PartialTensorShape());
        ASSERT_TRUE(one->Resize(n).ok());
        if (i != 3) {
          ASSERT_TRUE(one->Set(i, Tensor::Scalar<int32_t>(i)).ok());
        }
        Ref<VariantObject> next = ValueOrThrow(sum->Add(*one));
        sum = Ref<TensorList>(static_cast<TensorList*>(next.get()));
      }
      for (int i = 0; i < n; ++i) {
        if (i == 3) {
          EXPECT_EQ(sum->ShapeOf(i), nullptr);
        } else {
          ASSERT_EQ(At(*sum, i), i * repeats);
        }
      }
      // Blocks of another kind.
      Ref<VariantObject> more = ValueOrThrow(sum->Add(*Counting(n)));
      const auto& all = static_cast<const TensorList&>(*more);
      Ref<VariantObject> turned = ValueOrThrow(Counting(n)->Add(*sum));
      const auto& same = static_cast<const TensorList&>(*turned);
      for (int i = 0; i < n; ++i) {
        const int want = i + (i == 3 ? 0 : i * repeats);
        ASSERT_EQ(At(all, i), want);
        ASSERT_EQ(At(same, i), want);
      }
    }
  }
}

}  // namespace
}  // namespace gk
