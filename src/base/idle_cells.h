// IdleCells<T>: a few objects that nobody uses now, taken and given back
// without a lock.
//
// A fixed number of cells, each empty or holding one object: an exchange takes
// what a cell holds, so no object is ever seen by two threads. Each thread
// looks into a cell of its own first, which lies apart from the others', so
// that threads that do the same do not wait for each other's memory.
//
// Whoever has the cells owns the objects: takes them all before it ends.
#ifndef GK_BASE_IDLE_CELLS_H_
#define GK_BASE_IDLE_CELLS_H_

#include <array>
#include <atomic>

#include "base/thread_number.h"

namespace gk {

template <class T>
class IdleCells {
 public:
  static constexpr int kCells = 8;

  IdleCells() = default;
  IdleCells(const IdleCells&) = delete;
  IdleCells& operator=(const IdleCells&) = delete;

  // Null if there is none.
  T* Take() {
    for (int i = 0, at = OwnCell(); i < kCells; ++i, ++at) {
      std::atomic<T*>& cell = cells_[at % kCells].object;
      if (cell.load(std::memory_order_relaxed) == nullptr) continue;
      if (T* found = cell.exchange(nullptr, std::memory_order_acquire)) {
        return found;
      }
    }
    return nullptr;
  }

  // False if enough are kept already.
  bool Give(T* object) {
    for (int i = 0, at = OwnCell(); i < kCells; ++i, ++at) {
      std::atomic<T*>& cell = cells_[at % kCells].object;
      T* empty = nullptr;
      if (cell.load(std::memory_order_relaxed) == nullptr &&
          cell.compare_exchange_strong(empty, object, std::memory_order_release,
                                       std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

 private:
  struct alignas(64) Cell {
    std::atomic<T*> object = nullptr;
  };
  // Of this thread.
  static int OwnCell() { return static_cast<int>(ThreadNumber() % kCells); }

  std::array<Cell, kCells> cells_;
};

}  // namespace gk

#endif  // GK_BASE_IDLE_CELLS_H_
