// FramePool: idle frames of one plan, taken and given back without a lock.
//
// A fixed number of cells, each empty or owning one frame: an exchange takes
// what a cell holds, so no frame is ever seen by two threads. Each thread looks
// into a cell of its own first, which lies apart from the others'.
#ifndef GK_RUNTIME_FRAME_POOL_H_
#define GK_RUNTIME_FRAME_POOL_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

namespace gk {

class Frame;

class FramePool {
 public:
  FramePool() = default;
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;
  ~FramePool();

  // Null if there is none.
  std::unique_ptr<Frame> Take();
  // Keeps the frame, or frees it if enough are kept.
  void Give(std::unique_ptr<Frame> frame);

 private:
  static constexpr int kCells = 8;
  struct alignas(64) Cell {
    std::atomic<Frame*> frame = nullptr;
  };
  // Of this thread.
  static int FirstCell();

  std::array<Cell, kCells> cells_;
};

}  // namespace gk

#endif  // GK_RUNTIME_FRAME_POOL_H_
