// Frame: the changing state of one run of a plan: tensors, arena and what
// kernels keep. Used by one thread at a time; does not keep the plan alive.
#ifndef GK_RUNTIME_FRAME_H_
#define GK_RUNTIME_FRAME_H_

#include <limits>
#include <memory>
#include <vector>

#include "framework/kernel_context.h"
#include "framework/tensor.h"
#include "runtime/plan.h"

namespace gk {

class KeptReads;
class PlanChecker;

class Frame {
 public:
  // ResourceExhausted if the arena cannot be had.
  static StatusOr<std::unique_ptr<Frame>> Make(const Plan& plan);
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  bool InArena(const void* p) const {
    return p >= arena_ && p < arena_ + arena_bytes_;
  }
  char* arena() const { return arena_; }
  int64_t arena_bytes() const { return arena_bytes_; }
  // Bytes in front of the arena and behind it that no slot has: none, unless
  // the plan is checked.
  int64_t guard_bytes() const { return guard_bytes_; }
  // A run begins; arguments from `first_capture` on live as long as the plan,
  // and stay in the frame.
  void Begin(int first_capture);
  void SetArgument(SlotId s, const Tensor& value);
  void SetArgument(SlotId s, Tensor&& value);
  // The run has ended well: its arguments and values of its own are let go.
  void End(const Plan& plan);
  // Lets go of everything that a run put in.
  void Clear(const Plan& plan);

  std::vector<Tensor> slots;
  // What kernels are offered: the tensors of arena slots; for others mostly
  // null, or memory that a loop's state had two turns ago.
  std::vector<Tensor> planned;
  // Elements of each slot; always right for constants and arena slots, and
  // for the others from when they are made until they die.
  std::vector<void*> data;
  // Plan::inputs as kernels want them.
  std::vector<const Tensor*> inputs;
  std::vector<std::unique_ptr<KernelState>> states;  // by instruction
  std::unique_ptr<KeptReads> reads;  // null if the plan has none to keep
  // Of a checked plan, from its first run on. Shared with nobody, but the
  // pointer that needs no more of its type than the name.
  std::shared_ptr<PlanChecker> checker;

 private:
  Frame();
  char* arena_ = nullptr;
  int64_t arena_bytes_ = 0, guard_bytes_ = 0;
  int first_capture_ = std::numeric_limits<int>::max();
};

}  // namespace gk

#endif  // GK_RUNTIME_FRAME_H_
