// Datasets of elements that the program makes one after the other.
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "api/same_gradient_for_test.h"

namespace {

using gk::DataType;
using gk::kUnknown;
using gk::RaggedTensor;
using gk::Shape;
using gk::Tensor;
using gk::TensorSpec;
using gk_test::ErrorOf;
using gk_test::ExpectHas;

TEST(DatasetGeneratorTest, ElementsAreAskedForWhenTheyAreNeeded) {
  const auto count = [](int n) {
    return [n] {
      return [i = 0, n]() mutable -> std::optional<Tensor> {
        if (i == n) return std::nullopt;
        return Tensor(i++);
      };
    };
  };
  const gk::Dataset data =
      gk::Dataset::from_generator(count(3), TensorSpec{{}, DataType::kInt32});
  for (int pass = 0; pass < 2; ++pass) {  // each begins a generator
    std::vector<int> all;
    for (Tensor x : data) all.push_back(x.item<int>());
    EXPECT_EQ(all, (std::vector<int>{0, 1, 2}));
  }
  const gk::Dataset squares =
      data.map([](Tensor x) { return x * x; }).apply([](const gk::Dataset& d) {
        return d.batch(2);
      });
  EXPECT_EQ(squares.element_spec().leaves[0].shape, Shape({kUnknown}));
  auto total = gk::function([&] {
    return squares.reduce(
        0, [](Tensor sum, Tensor x) { return sum + gk::reduce_sum(x); });
  });
  EXPECT_EQ(total().item<int>(), 5);

  // Pairs of which one is ragged.
  using Row = std::pair<Tensor, RaggedTensor>;
  const Row row(1.f, gk::ragged::constant<int>({{1, 2}, {3}}));
  const gk::Dataset pairs = gk::Dataset::from_generator(
      [row] {
        return [row, left = 2]() mutable {
          return left-- > 0 ? std::optional(row) : std::nullopt;
        };
      },
      gk::Dataset::from_tensors(row).element_spec());
  int seen = 0;
  for (Row r : pairs) {
    ++seen;
    EXPECT_EQ(r.second.flat_values().to_vector<int>(),
              (std::vector<int>{1, 2, 3}));
  }
  EXPECT_EQ(seen, 2);

  const gk::Error e = ErrorOf([&] {
    for (Tensor x : gk::Dataset::from_generator(
             count(1), TensorSpec{{2}, DataType::kInt32})) {
    }
  });
  ExpectHas(e.what(), "`generator` yielded an element of");
}

TEST(DatasetGeneratorTest, ErrorsKeepTheirCode) {
  const auto thrown = [&](gk::ErrorCode code) {
    return ErrorOf([&] {
      for (Tensor x : gk::Dataset::from_generator(
               [code] {
                 return [code]() -> std::optional<Tensor> {
                   throw gk::Error(code, "the disk is gone");
                 };
               },
               TensorSpec{{}, DataType::kInt32})) {
      }
    });
  };
  const gk::Error lost = thrown(gk::ErrorCode::kDataLoss);
  EXPECT_EQ(lost.code(), gk::ErrorCode::kDataLoss);
  ExpectHas(lost.what(), "the disk is gone");
  // The elements do not just end.
  EXPECT_EQ(thrown(gk::ErrorCode::kOutOfRange).code(), gk::ErrorCode::kUnknown);
}

// Before anybody asks for an element.
TEST(DatasetGeneratorTest, AWarmStartBeginsWhenTheIteratorIsMade) {
  for (const bool warm : {false, true}) {
    auto made = std::make_shared<std::atomic<int>>(0);
    gk::DataOptions options;
    options.experimental_warm_start = warm;
    const gk::Dataset data = gk::Dataset::from_generator(
                                 [made] {
                                   return [made]() -> std::optional<Tensor> {
                                     if (*made == 3) return std::nullopt;
                                     return Tensor((*made)++);
                                   };
                                 },
                                 TensorSpec{{}, DataType::kInt32})
                                 .prefetch(2)
                                 .with_options(options);
    const gk::Iterator iterator(data);
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(warm ? 9999 : 50);
    while (*made == 0 && Clock::now() < end) std::this_thread::yield();
    EXPECT_EQ(*made > 0, warm);
  }
}

}  // namespace
