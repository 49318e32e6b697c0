// Queues and critical sections, between threads and in functions.
#include "graphkiln/queue.h"

#include <thread>

#include "api/same_gradient_for_test.h"

namespace {

using gk::DataType;
using gk::Tensor;

TEST(QueueTest, ThreadsWaitForEachOther) {
  const gk::queue::FIFOQueue q(1, {DataType::kInt32});
  std::thread producer([&] {
    for (int i = 0; i < 20; ++i) q.enqueue({Tensor(i)});
    q.close();
  });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(q.dequeue()[0].item<int>(), i);
  producer.join();
  EXPECT_TRUE(q.is_closed().item<bool>());
  EXPECT_THROW(q.dequeue(), gk::Error);
}

TEST(QueueTest, SeveralAtOnce) {
  const gk::queue::PaddingFIFOQueue q(9, {DataType::kInt32},
                                      {gk::Shape({gk::kUnknown})});
  q.enqueue({Tensor{1}});
  q.enqueue({Tensor{2, 3}});
  EXPECT_EQ(q.size().item<int>(), 2);
  EXPECT_EQ(q.dequeue_many(2)[0].to_vector<int>(),
            (std::vector<int>{1, 0, 2, 3}));
}

TEST(QueueTest, ThoseOfPriorityAndChance) {
  const gk::queue::PriorityQueue first(9, {DataType::kInt32});
  first.enqueue({Tensor(int64_t{2}), Tensor(20)});
  first.enqueue({Tensor(int64_t{1}), Tensor(10)});
  EXPECT_EQ(first.dequeue()[1].item<int>(), 10);
  const gk::queue::RandomShuffleQueue any(9, 0, {DataType::kInt32}, {}, 3);
  any.enqueue_many({Tensor{1, 2}});
  EXPECT_EQ(any.dequeue()[0].item<int>() + any.dequeue()[0].item<int>(), 3);
}

TEST(QueueTest, SectionsRunOneAfterTheOther) {
  gk::Variable v(0);
  const gk::CriticalSection section;
  const auto add = [&] {
    const Tensor now = v.value();
    std::this_thread::yield();
    v.assign(now + 1);
    return v.value();
  };
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) section.execute(add);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(v.value().item<int>(), 40);
  const auto f = gk::function([&](Tensor) { return section.execute(add); });
  EXPECT_EQ(f(Tensor(0)).item<int>(), 41);
}

}  // namespace
