#include "runtime/frame.h"

#include <algorithm>

#include "runtime/plan_checker.h"

namespace gk {

Frame::Frame() = default;

StatusOr<std::unique_ptr<Frame>> Frame::Make(const Plan& plan) {
  std::unique_ptr<Frame> frame(new Frame);
  const size_t n = plan.slots.size();
  frame->arena_bytes_ = std::max<int64_t>(plan.arena_bytes, kAlignment);
  frame->guard_bytes_ = plan.checked ? kAlignment : 0;
  char* const memory = static_cast<char*>(
      PoolAllocate(frame->arena_bytes_ + 2 * frame->guard_bytes_));
  if (!memory) {
    return ResourceExhausted(
        "OOM when allocating {} bytes for the intermediate values of function "
        "{}",
        plan.arena_bytes, plan.function.name);
  }
  frame->arena_ = memory + frame->guard_bytes_;
  frame->slots.resize(n);
  frame->planned.resize(n);
  frame->data.resize(n);
  for (size_t i = 0; i < n; ++i) {
    const SlotInfo& info = plan.slots[i];
    if (info.home == Home::kArena) {
      frame->data[i] = frame->arena_ + info.offset;
      frame->planned[i] =
          Tensor::Borrow(info.dtype, info.shape, frame->data[i]);
      frame->slots[i] = frame->planned[i];
    } else if (info.home == Home::kConstant) {
      frame->slots[i] = plan.constants[i];
      frame->data[i] = frame->slots[i].raw_data();
    }
  }
  frame->inputs.reserve(plan.inputs.size());
  for (SlotId s : plan.inputs) frame->inputs.push_back(&frame->slots[s]);
  frame->states.resize(plan.instructions.size());
  return frame;
}

Frame::~Frame() {
  // Kernel states and views may point into the arena: they go first.
  checker.reset();
  states.clear();
  slots.clear();
  planned.clear();
  if (arena_) {
    PoolFree(arena_ - guard_bytes_, arena_bytes_ + 2 * guard_bytes_);
  }
}

void Frame::Clear(const Plan& plan) {
  for (size_t i = 0; i < slots.size(); ++i) {
    const Home home = plan.slots[i].home;
    if (home == Home::kOwn || home == Home::kArgument) {
      slots[i] = Tensor();
      planned[i] = Tensor();
    }
  }
}

FramePool::~FramePool() {
  for (std::atomic<Frame*>& cell : cells_) delete cell.load();
}

std::unique_ptr<Frame> FramePool::Take() {
  for (std::atomic<Frame*>& cell : cells_) {
    if (cell.load(std::memory_order_relaxed) == nullptr) continue;
    if (Frame* f = cell.exchange(nullptr, std::memory_order_acquire)) {
      return std::unique_ptr<Frame>(f);
    }
  }
  return nullptr;
}

void FramePool::Give(std::unique_ptr<Frame> frame) {
  for (std::atomic<Frame*>& cell : cells_) {
    Frame* empty = nullptr;
    if (cell.load(std::memory_order_relaxed) == nullptr &&
        cell.compare_exchange_strong(empty, frame.get(),
                                     std::memory_order_release,
                                     std::memory_order_relaxed)) {
      frame.release();
      return;
    }
  }
}

}  // namespace gk
