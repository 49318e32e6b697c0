#include "data/iterator_resource.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "data/captured_function.h"

namespace gk {
namespace {

const ElementSignature kNumbers{{DataType::kInt32}, {TensorShape()}};

class Numbers final : public Dataset {
 public:
  explicit Numbers(int n, ElementSignature signature = kNumbers)
      : Dataset(std::move(signature), {}), n_(n) {}
  std::string_view kind() const override { return "Numbers"; }
  int64_t Cardinality() const override { return n_; }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef&) const override {
    return IteratorPtr(new Iterator(this));
  }
  std::function<void()> on_next;

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const Numbers* d) : dataset_(d) {}
    Status GetNext(const CancellationToken*, TensorVector* element,
                   bool* end) override {
      if (dataset_->on_next) dataset_->on_next();
      *end = next_ >= dataset_->n_;
      if (!*end) *element = {Tensor::Scalar<int32_t>(next_++)};
      return OkStatus();
    }

   private:
    const Ref<const Numbers> dataset_;
    int next_ = 0;
  };
  const int n_;
};

Status Next(IteratorResource& it, int* value, bool* end) {
  TensorVector element;
  GK_RETURN_IF_ERROR(it.GetNext(nullptr, &element, end));
  if (!*end) *value = element[0].scalar<int32_t>();
  return OkStatus();
}

TEST(IteratorResource, BeginsWhereItIsStarted) {
  IteratorResource it(kNumbers);
  int value = -1;
  bool end = false;
  EXPECT_EQ(Next(it, &value, &end).code(), Code::kFailedPrecondition);
  ASSERT_TRUE(it.Start(*MakeRef<Numbers>(1)).ok());
  EXPECT_TRUE(Next(it, &value, &end).ok());
  EXPECT_EQ(value, 0);
  EXPECT_TRUE(Next(it, &value, &end).ok() && end);
  ASSERT_TRUE(it.Start(*MakeRef<Numbers>(1)).ok());
  EXPECT_TRUE(Next(it, &value, &end).ok() && !end);
  it.Close();
  EXPECT_EQ(Next(it, &value, &end).code(), Code::kFailedPrecondition);
}

TEST(IteratorResource, RefusesOtherElements) {
  const ElementSignature strings{{DataType::kString}, {TensorShape()}};
  const ElementSignature pairs{{DataType::kInt32, DataType::kInt32}, {}};
  const ElementSignature vectors{{DataType::kInt32}, {TensorShape({2})}};
  IteratorResource it(kNumbers);
  for (const ElementSignature& other : {strings, pairs, vectors}) {
    EXPECT_EQ(it.Start(*MakeRef<Numbers>(1, other)).code(),
              Code::kInvalidArgument);
  }
  // A dataset that does not keep what it says.
  const ElementSignature unknown{{DataType::kInt32}, {PartialTensorShape()}};
  IteratorResource of_vectors(vectors);
  ASSERT_TRUE(of_vectors.Start(*MakeRef<Numbers>(1, unknown)).ok());
  int value;
  bool end;
  const Status status = Next(of_vectors, &value, &end);
  EXPECT_EQ(status.message(),
            "Incompatible shapes at component 0: expected [2] but got [].");
}

TEST(IteratorResource, EachElementGoesToOneThread) {
  IteratorResource it(kNumbers);
  ASSERT_TRUE(it.Start(*MakeRef<Numbers>(4000)).ok());
  std::mutex mutex;
  std::multiset<int> seen;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      while (true) {
        int value = 0;
        bool end = false;
        ASSERT_TRUE(Next(it, &value, &end).ok());
        if (end) return;
        std::lock_guard lock(mutex);
        seen.insert(value);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(seen.size(), 4000u);
  EXPECT_EQ(std::set<int>(seen.begin(), seen.end()).size(), 4000u);
}

TEST(IteratorResource, AskingItselfIsAnError) {
  IteratorResource it(kNumbers);
  auto dataset = MakeRef<Numbers>(2);
  Status inner;
  dataset->on_next = [&] {
    int value;
    bool end;
    inner = Next(it, &value, &end);
  };
  ASSERT_TRUE(it.Start(*dataset).ok());
  int value;
  bool end;
  EXPECT_TRUE(Next(it, &value, &end).ok());
  EXPECT_EQ(inner.code(), Code::kFailedPrecondition);
}

TEST(IteratorResource, WaitingForOnesTurnCanBeCancelled) {
  IteratorResource it(kNumbers);
  auto dataset = MakeRef<Numbers>(2);
  std::atomic<bool> held{true};
  dataset->on_next = [&] {
    while (held) std::this_thread::yield();
  };
  ASSERT_TRUE(it.Start(*dataset).ok());
  std::thread first([&] {
    int value;
    bool end;
    EXPECT_TRUE(Next(it, &value, &end).ok());
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CancellationToken token;
  token.Cancel();
  TensorVector element;
  bool end = false;
  EXPECT_EQ(it.GetNext(&token, &element, &end).code(), Code::kCancelled);
  held = false;
  first.join();
}

TEST(Dataset, TooManyTransformationsAreRefused) {
  class On final : public Dataset {
   public:
    explicit On(Ref<const Dataset> input)
        : Dataset(kNumbers, {input.get()}), input_(std::move(input)) {}
    std::string_view kind() const override { return "On"; }
    int64_t Cardinality() const override { return 0; }
    StatusOr<IteratorPtr> MakeIterator(
        const ContextRef& context) const override {
      return input_->NewIterator(context);
    }

   private:
    const Ref<const Dataset> input_;
  };
  Ref<const Dataset> d = MakeRef<Numbers>(1);
  int made = 0;
  while (made < 1 << 20 && Dataset::Wrap(d).ok()) {
    d = MakeRef<On>(std::move(d));
    ++made;
  }
  EXPECT_EQ(made, 5000);
  EXPECT_EQ(Dataset::Wrap(d).status().code(), Code::kResourceExhausted);
  ASSERT_TRUE(d->Begin().ok());
}

TEST(Dataset, OnlyDatasetsAreDatasets) {
  EXPECT_FALSE(Dataset::Of(Tensor::Scalar<int32_t>(1)).ok());
  EXPECT_FALSE(Dataset::Of(Tensor::Scalar(Variant())).ok());
  const Tensor two =
      Tensor::OfValues<Variant>(std::vector<Variant>(2), TensorShape({2}));
  EXPECT_FALSE(Dataset::Of(two).ok());
  EXPECT_FALSE(IteratorResource::Of(Tensor::Scalar<int32_t>(1)).ok());
  EXPECT_FALSE(IteratorResource::Of(Tensor::Scalar(ResourceHandle())).ok());
}

TEST(CapturedFunction, IsChecked) {
  const CapturedFunction none({"f", nullptr, nullptr}, {}, "MapDataset");
  EXPECT_EQ(none.Check(1).code(), Code::kNotFound);
}

}  // namespace
}  // namespace gk
