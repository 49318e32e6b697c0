#include "framework/tensor_list.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "framework/allocator.h"
#include "framework/op_registry.h"

namespace gk {
namespace {

Ref<TensorList> Make(DataType dtype) {
  return MakeRef<TensorList>(dtype, PartialTensorShape());
}

Ref<TensorList> Counting(int n) {
  Ref<TensorList> list = Make(DataType::kInt32);
  for (int i = 0; i < n; ++i) {
    EXPECT_TRUE(list->Push(Tensor::Scalar<int32_t>(i)).ok());
  }
  return list;
}

int32_t At(const TensorList& list, int64_t i) {
  return ValueOrThrow(list.Get(i)).scalar<int32_t>();
}

TEST(TensorListTest, ElementsComeBackInOrder) {
  Ref<TensorList> list = Counting(5000);
  ASSERT_EQ(list->size(), 5000);
  for (int i = 0; i < 5000; i += 7) EXPECT_EQ(At(*list, i), i);
  std::vector<int32_t> some(3000);
  ASSERT_TRUE(list->CopyBytes(1500, 3000, some.data()));
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(some[i], i + 1500);
  EXPECT_FALSE(list->CopyBytes(4000, 1001, some.data()));
  for (int i = 4999; i >= 0; --i) {
    ASSERT_EQ(At(*list, i), i);
    list->Pop();
  }
  EXPECT_TRUE(list->empty());
}

TEST(TensorListTest, ScalarsTakeWhatTheyHold) {
  const int64_t before = GetPoolStats().live_bytes;
  Ref<TensorList> list = Counting(100'000);
  const int64_t kept = GetPoolStats().live_bytes - before;
  EXPECT_GE(kept, 400'000);
  EXPECT_LE(kept, 480'000);
  for (int i = 0; i < 90'000; ++i) list->Pop();
  EXPECT_LE(GetPoolStats().live_bytes - before, 60'000);
  list = nullptr;
  EXPECT_LE(GetPoolStats().live_bytes, before);
}

TEST(TensorListTest, VectorsTakeWhatTheyHold) {
  const int64_t before = GetPoolStats().live_bytes;
  Ref<TensorList> list = Make(DataType::kFloat);
  const TensorShape shape({1000});
  for (int i = 0; i < 2000; ++i) {
    const Tensor x = ValueOrThrow(Tensor::Zeros(DataType::kFloat, shape));
    ASSERT_TRUE(list->Push(x).ok());
  }
  EXPECT_LE(GetPoolStats().live_bytes - before, 8'000'000 * 1.15);
}

TEST(TensorListTest, CopiesDoNotSeeEachOther) {
  Ref<TensorList> list = Counting(100);
  Ref<TensorList> longer = list->Copy(), other = list->Copy();
  ASSERT_TRUE(longer->Push(Tensor::Scalar<int32_t>(-1)).ok());
  ASSERT_TRUE(other->Push(Tensor::Scalar<int32_t>(-2)).ok());
  ASSERT_TRUE(list->Set(99, Tensor::Scalar<int32_t>(-3)).ok());
  for (int i = 0; i < 50; ++i) other->Pop();
  ASSERT_TRUE(other->Push(Tensor::Scalar<int32_t>(-4)).ok());
  EXPECT_EQ(longer->size(), 101);
  EXPECT_EQ(At(*longer, 100), -1);
  EXPECT_EQ(At(*longer, 99), 99);
  EXPECT_EQ(At(*longer, 51), 51);
  EXPECT_EQ(At(*list, 99), -3);
  EXPECT_EQ(other->size(), 52);
  EXPECT_EQ(At(*other, 51), -4);
  EXPECT_EQ(At(*other, 50), 50);
}

TEST(TensorListTest, AnotherShapeMakesItAListOfTensors) {
  Ref<TensorList> list = Counting(10);
  ASSERT_TRUE(
      list->Push(Tensor::Vector<int32_t>(std::vector<int32_t>{1, 2})).ok());
  ASSERT_EQ(list->size(), 11);
  EXPECT_EQ(At(*list, 9), 9);
  EXPECT_EQ(list->ShapeOf(10)->dim(0), 2);
  EXPECT_FALSE(list->CopyBytes(0, 1, nullptr));
  list->Pop();
  for (int i = 0; i < 10; ++i) list->Pop();
  EXPECT_TRUE(list->empty());
  EXPECT_TRUE(list->Packs(TensorShape()));
}

TEST(TensorListTest, ResizedListsHaveElementsThatAreNotSet) {
  Ref<TensorList> list = Counting(300);
  ASSERT_TRUE(list->Resize(250).ok());
  EXPECT_EQ(list->size(), 250);
  EXPECT_EQ(At(*list, 249), 249);
  ASSERT_TRUE(list->Push(Tensor::Scalar<int32_t>(7)).ok());
  EXPECT_EQ(At(*list, 250), 7);
  ASSERT_TRUE(list->Resize(260).ok());
  EXPECT_EQ(list->size(), 260);
  EXPECT_EQ(list->ShapeOf(259), nullptr);
  EXPECT_FALSE(ValueOrThrow(list->Get(259)));
  EXPECT_EQ(At(*list, 250), 7);
  ASSERT_TRUE(list->Resize(0).ok());
  EXPECT_TRUE(list->empty());
}

TEST(TensorListTest, ZerosOfAll) {
  Ref<TensorList> list = Counting(1000);
  const Ref<VariantObject> zeros = ValueOrThrow(list->ZerosLike());
  const auto& zero_list = static_cast<const TensorList&>(*zeros);
  ASSERT_EQ(zero_list.size(), 1000);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(At(zero_list, i), 0);
    ASSERT_EQ(At(*list, i), i);
  }
}

TEST(TensorListTest, ReservedListsTakeWhatIsSet) {
  const int64_t before = GetPoolStats().live_bytes;
  Ref<TensorList> list = Make(DataType::kInt32);
  ASSERT_TRUE(list->Resize(2'000'000'000).ok());
  EXPECT_EQ(list->size(), 2'000'000'000);
  for (int64_t i : {1'999'999'999, 0, 1'000'000'000, 1'000'000'001}) {
    ASSERT_TRUE(list->Set(i, Tensor::Scalar<int32_t>(i % 1000)).ok());
  }
  EXPECT_LE(GetPoolStats().live_bytes - before, 4 << 20);
  EXPECT_EQ(At(*list, 1'999'999'999), 999);
  EXPECT_EQ(At(*list, 1'000'000'001), 1);
  EXPECT_FALSE(ValueOrThrow(list->Get(1'000'000'002)));
  EXPECT_EQ(list->ShapeOf(7), nullptr);
  ASSERT_TRUE(list->Resize(10'000).ok());
  EXPECT_EQ(At(*list, 0), 0);
  std::vector<int32_t> all(10'000, -1);
  ASSERT_TRUE(list->CopyBytes(0, 10'000, all.data()));
  EXPECT_EQ(std::count(all.begin(), all.end(), 0), 10'000);
}

TEST(TensorListTest, ElementsAreSetInAnyOrder) {
  for (const int64_t step : {1, 9'999, 7'919}) {
    Ref<TensorList> list = Make(DataType::kInt32);
    ASSERT_TRUE(list->Resize(10'000).ok());
    Ref<TensorList> half;
    for (int64_t k = 0, i = 0; k < 10'000; ++k, i = (i + step) % 10'000) {
      if (k == 5'000) half = list->Copy();
      ASSERT_EQ(list->ShapeOf(i), nullptr);
      ASSERT_TRUE(list->Set(i, Tensor::Scalar<int32_t>(i + 1)).ok());
    }
    int set = 0;
    for (int64_t i = 0; i < 10'000; ++i) {
      ASSERT_EQ(At(*list, i), i + 1);
      if (half->ShapeOf(i) == nullptr) continue;
      ASSERT_EQ(At(*half, i), i + 1);
      ++set;
    }
    EXPECT_EQ(set, 5'000);
  }
}

TEST(TensorListTest, LargeAndObjectElementsAreShared) {
  Ref<TensorList> list = Make(DataType::kFloat);
  const Tensor x = ValueOrThrow(
      Tensor::Zeros(DataType::kFloat, TensorShape({100'000})));
  ASSERT_TRUE(list->Push(x).ok());
  EXPECT_EQ(ValueOrThrow(list->Get(0)).raw_data(), x.raw_data());
  Ref<TensorList> strings = Make(DataType::kString);
  ASSERT_TRUE(strings->Push(Tensor::Scalar<std::string>("a")).ok());
  EXPECT_EQ(ValueOrThrow(strings->Get(0)).scalar<std::string>(), "a");
}

// Not parts of much more, nor small ones.
TEST(TensorListTest, PushedElementsAreSharedIfTheyAreAloneInTheirMemory) {
  const auto zeros = [](int64_t n) {
    return ValueOrThrow(Tensor::Zeros(DataType::kFloat, TensorShape({n})));
  };
  const Tensor x = zeros(1024), small = zeros(256), many = zeros(4096);
  const Tensor part = Tensor::FromBuffer(
      DataType::kFloat, TensorShape({1024}), many.buffer(), 4096);
  for (const Tensor& t : {x, small, part}) {
    Ref<TensorList> list = Make(DataType::kFloat);
    ASSERT_TRUE(list->Push(t).ok());
    ASSERT_TRUE(list->Push(t).ok());
    for (int i = 0; i < 2; ++i) {
      const Tensor kept = ValueOrThrow(list->Get(i));
      EXPECT_EQ(kept.shape(), t.shape());
      EXPECT_EQ(kept.raw_data() == t.raw_data(), t.raw_data() == x.raw_data());
    }
  }
}

TEST(TensorListTest, ShortListsFilledInOrderAreWhole) {
  const int64_t before = GetPoolStats().live_bytes;
  Ref<TensorList> list = Make(DataType::kFloat);
  ASSERT_TRUE(list->Resize(50).ok());
  const TensorShape shape({1024});
  for (int i = 0; i < 50; ++i) {
    EXPECT_FALSE(list->Whole());
    Tensor x = ValueOrThrow(Tensor::Zeros(DataType::kFloat, shape));
    x.data<float>()[7] = i;
    ASSERT_TRUE(list->Set(i, x).ok());
  }
  EXPECT_LE(GetPoolStats().live_bytes - before, 50 * 4096 * 5 / 4);
  const Ref<Buffer> whole = list->Whole();
  ASSERT_TRUE(whole);
  const float* elements = static_cast<const float*>(whole->data());
  for (int i = 0; i < 50; ++i) ASSERT_EQ(elements[i * 1024 + 7], i);
  // Whoever holds the memory sees nothing of what is set later.
  ASSERT_TRUE(list->Set(
      3, ValueOrThrow(Tensor::Zeros(DataType::kFloat, shape))).ok());
  EXPECT_EQ(elements[3 * 1024 + 7], 3);
  EXPECT_EQ(ValueOrThrow(list->Get(3)).data<float>()[7], 0);
  EXPECT_NE(list->Whole().get(), whole.get());
}

TEST(TensorListTest, LongListsFilledInOrderTakeWhatIsSet) {
  const int64_t before = GetPoolStats().live_bytes;
  Ref<TensorList> list = Make(DataType::kFloat);
  ASSERT_TRUE(list->Resize(100'000).ok());
  const TensorShape shape({1000});
  const Tensor x = ValueOrThrow(Tensor::Zeros(DataType::kFloat, shape));
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(list->Set(i, x).ok());
  EXPECT_LE(GetPoolStats().live_bytes - before, 8'000'000 + (3 << 20));
  Ref<TensorList> copy = list->Copy();
  ASSERT_TRUE(copy->Set(2000, x).ok());
  EXPECT_EQ(list->ShapeOf(2000), nullptr);
  EXPECT_NE(copy->ShapeOf(2000), nullptr);
  ASSERT_TRUE(list->Set(2001, x).ok());
  EXPECT_EQ(list->ShapeOf(2000), nullptr);
  ASSERT_TRUE(list->Resize(1500).ok());
  ASSERT_TRUE(list->Resize(1502).ok());
  EXPECT_EQ(list->ShapeOf(1500), nullptr);
  ASSERT_TRUE(list->Set(1500, x).ok());
  EXPECT_EQ(list->ShapeOf(1501), nullptr);
  EXPECT_NE(copy->ShapeOf(1501), nullptr);
}

TEST(TensorListTest, RowsStayWhereTheyAre) {
  Tensor x = ValueOrThrow(
      Tensor::Zeros(DataType::kFloat, TensorShape({10, 100})));
  x.data<float>()[950] = 1;
  Ref<TensorList> list = Make(DataType::kFloat);
  const TensorShape row({100});
  ASSERT_TRUE(list->ShareRows(row, x));
  EXPECT_EQ(list->size(), 10);
  EXPECT_FALSE(x.IsExclusive());
  EXPECT_EQ(list->Whole().get(), x.buffer().get());
  EXPECT_EQ(ValueOrThrow(list->Get(9)).data<float>()[50], 1);
  const Tensor zeros = ValueOrThrow(Tensor::Zeros(DataType::kFloat, row));
  ASSERT_TRUE(list->Set(9, zeros).ok());
  ASSERT_TRUE(list->Push(zeros).ok());
  EXPECT_EQ(ValueOrThrow(list->Get(9)).data<float>()[50], 0);
  EXPECT_EQ(x.data<float>()[950], 1);
  EXPECT_EQ(list->size(), 11);
  EXPECT_FALSE(list->ShareRows(row, x));
}

TEST(TensorListTest, RowsOfOtherLibrariesAreCopiedBeforeTheyChange) {
  std::vector<float> theirs(1000, 1);
  Ref<TensorList> list = Make(DataType::kFloat);
  const TensorShape row({100});
  ASSERT_TRUE(list->ShareRows(
      row, Tensor::FromBuffer(DataType::kFloat, TensorShape({10, 100}),
                              NewForeignBuffer(theirs.data(), 4000, [] {}))));
  const Tensor zeros = ValueOrThrow(Tensor::Zeros(DataType::kFloat, row));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(list->Set(i, zeros).ok());
  EXPECT_EQ(ValueOrThrow(list->Get(9)).data<float>()[50], 0);
  EXPECT_EQ(theirs, std::vector<float>(1000, 1));
}

// Neither letting go of it nor what walks into it takes stack without end.
TEST(TensorListTest, ListsWithinLists) {
  RegisterAllOps();
  const auto nested = [](int depth) {
    Tensor list = TensorList::Wrap(Counting(3));
    for (int i = 0; i < depth; ++i) {
      Ref<TensorList> outer = Make(DataType::kVariant);
      EXPECT_TRUE(outer->Push(list).ok());
      list = TensorList::Wrap(std::move(outer));
    }
    return list;
  };
  {
    const Tensor shallow = nested(500);
    const TensorList* list = ValueOrThrow(TensorList::Of(shallow));
    EXPECT_TRUE(list->ZerosLike().ok());
    EXPECT_TRUE(list->Add(*list).ok());
  }
  const Tensor deep = nested(200000);
  const TensorList* list = ValueOrThrow(TensorList::Of(deep));
  EXPECT_EQ(list->ZerosLike().status().code(), Code::kResourceExhausted);
  EXPECT_EQ(list->Add(*list).status().code(), Code::kResourceExhausted);
}

TEST(TensorListTest, SumsOfListsOfSeveralVariants) {
  RegisterAllOps();
  const auto list_of = [](std::vector<int> lengths) {
    const int64_t n = lengths.size();
    Tensor all =
        ValueOrThrow(Tensor::Allocate(DataType::kVariant, TensorShape({n})));
    for (int64_t i = 0; i < n; ++i) {
      all.data<Variant>()[i] = Variant(Counting(lengths[i]));
    }
    Ref<TensorList> list = Make(DataType::kVariant);
    EXPECT_TRUE(list->Push(all).ok());
    return list;
  };
  const Ref<TensorList> two = list_of({2, 3}), none = list_of({});
  const Ref<VariantObject> sum = ValueOrThrow(two->Add(*two));
  const Tensor t = ValueOrThrow(static_cast<const TensorList&>(*sum).Get(0));
  ASSERT_EQ(t.num_elements(), 2);
  EXPECT_EQ(At(*t.data<Variant>()[1].As<TensorList>(), 2), 4);
  EXPECT_TRUE(none->Add(*none).ok());
  EXPECT_EQ(none->Add(*two).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace gk
