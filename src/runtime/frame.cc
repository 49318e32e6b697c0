#include "runtime/frame.h"

#include <algorithm>

#include "base/sanitizer.h"
#include "runtime/kept_reads.h"

namespace gk {
namespace {

// What lies between the values of an arena belongs to none of them.
void PoisonGaps(const Plan& plan, char* arena, int64_t bytes) {
  std::vector<std::pair<int64_t, int64_t>> used;  // [begin, end)
  for (const SlotInfo& s : plan.slots) {
    if (s.home != Home::kArena) continue;
    used.emplace_back(s.offset, s.offset + s.num_bytes());
  }
  std::sort(used.begin(), used.end());
  int64_t end = 0;
  for (const auto& [from, to] : used) {
    if (from > end) PoisonMemory(arena + end, from - end);
    end = std::max(end, to);
  }
  if (end < bytes) PoisonMemory(arena + end, bytes - end);
}

}  // namespace

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
  // A checked plan writes into its gaps, to see whether others do.
  if constexpr (kSanitized) {
    if (!plan.checked) PoisonGaps(plan, frame->arena_, frame->arena_bytes_);
  }
  frame->inputs.reserve(plan.inputs.size());
  for (SlotId s : plan.inputs) frame->inputs.push_back(&frame->slots[s]);
  frame->states.resize(plan.instructions.size());
  if (!plan.kept_reads.empty()) {
    frame->reads = std::make_unique<KeptReads>(plan, frame->slots.data(),
                                               frame->data.data());
  }
  return frame;
}

Frame::~Frame() {
  // Kernel states and views may point into the arena: they go first.
  reads.reset();
  checker.reset();
  states.clear();
  slots.clear();
  planned.clear();
  if (!arena_) return;
  UnpoisonMemory(arena_, arena_bytes_);
  PoolFree(arena_ - guard_bytes_, arena_bytes_ + 2 * guard_bytes_);
}

void Frame::Begin(int first_capture) {
  first_capture_ = first_capture;
  if (reads) reads->Begin(first_capture);
}

void Frame::SetArgument(SlotId s, const Tensor& value) {
  data[s] = value.raw_data();
  if (slots[s].impl() == value.impl()) return;
  if (reads) reads->ChangeArgument(s);
  slots[s] = value;
}

void Frame::SetArgument(SlotId s, Tensor&& value) {
  data[s] = value.raw_data();
  if (reads) reads->ChangeArgument(s);
  slots[s] = std::move(value);
}

void Frame::End(const Plan& plan) {
  for (SlotId s : plan.results) {
    if (plan.slots[s].home == Home::kOwn) slots[s] = Tensor();
  }
  // Captures stay: counting references to what all threads have in common
  // would make them wait for each other.
  const int own = std::min<int>(first_capture_, plan.arguments.size());
  for (int i = 0; i < own; ++i) slots[plan.arguments[i]] = Tensor();
  if (reads) reads->End();
}

void Frame::Clear(const Plan& plan) {
  if (reads) reads->ForgetAll();
  for (size_t i = 0; i < slots.size(); ++i) {
    const Home home = plan.slots[i].home;
    if (home == Home::kOwn || home == Home::kArgument) {
      slots[i] = Tensor();
      planned[i] = Tensor();
    }
  }
}

FramePool::~FramePool() {
  while (Frame* frame = frames_.Take()) delete frame;
}

std::unique_ptr<Frame> FramePool::Take() {
  return std::unique_ptr<Frame>(frames_.Take());
}

void FramePool::Give(std::unique_ptr<Frame> frame) {
  if (frames_.Give(frame.get())) frame.release();
}

}  // namespace gk
