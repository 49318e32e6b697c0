// FramePool: idle frames of one plan, taken and given back without a lock.
#ifndef GK_RUNTIME_FRAME_POOL_H_
#define GK_RUNTIME_FRAME_POOL_H_

#include <memory>

#include "base/idle_cells.h"

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
  IdleCells<Frame> frames_;
};

}  // namespace gk

#endif  // GK_RUNTIME_FRAME_POOL_H_
