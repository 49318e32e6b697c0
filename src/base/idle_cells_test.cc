#include "base/idle_cells.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace gk {
namespace {

TEST(IdleCells, GivesBackWhatItGot) {
  IdleCells<int> cells;
  EXPECT_EQ(cells.Take(), nullptr);
  int numbers[IdleCells<int>::kCells + 1];
  for (int& n : numbers) {
    n = 0;
    EXPECT_EQ(cells.Give(&n), &n != std::end(numbers) - 1);
  }
  // The last one that fits a thread's own cell comes first; each comes once.
  EXPECT_EQ(cells.Take(), &numbers[0]);
  for (int i = 1; i < IdleCells<int>::kCells; ++i) ++*cells.Take();
  EXPECT_EQ(cells.Take(), nullptr);
  for (int i = 1; i < IdleCells<int>::kCells; ++i) EXPECT_EQ(numbers[i], 1);
}

// No object is ever seen by two threads, and none is lost.
TEST(IdleCells, AnObjectHasOneThread) {
  struct Object {
    std::atomic<int> users{0};
  };
  IdleCells<Object> cells;
  std::atomic<int> alive{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 12; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        std::unique_ptr<Object> mine(cells.Take());
        if (mine == nullptr) {
          mine = std::make_unique<Object>();
          ++alive;
        }
        wrong += ++mine->users != 1;
        --mine->users;
        if (cells.Give(mine.get())) {
          mine.release();
        } else {
          --alive;
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  int kept = 0;
  while (Object* object = cells.Take()) {
    delete object;
    ++kept;
  }
  EXPECT_EQ(kept, alive);
  EXPECT_LE(kept, IdleCells<Object>::kCells);
}

}  // namespace
}  // namespace gk
