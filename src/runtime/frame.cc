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
  if (reads) reads->Begin(first_capture);
}

void Frame::SetArgument(SlotId s, Tensor value) {
  data[s] = value.raw_data();
  if (reads) {
    if (slots[s].impl() == value.impl()) return;
    reads->ChangeArgument(s);
  }
  slots[s] = std::move(value);
}

void Frame::End(const Plan& plan) {
  for (SlotId s : plan.results) {
    if (plan.slots[s].home == Home::kOwn) slots[s] = Tensor();
  }
  for (SlotId s : plan.arguments) {
    if (!reads || !reads->Holds(s)) slots[s] = Tensor();
  }
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
  for (Cell& cell : cells_) delete cell.frame.load();
}

std::unique_ptr<Frame> FramePool::Take() {
  for (int i = 0, at = FirstCell(); i < kCells; ++i, ++at) {
    std::atomic<Frame*>& cell = cells_[at % kCells].frame;
    if (cell.load(std::memory_order_relaxed) == nullptr) continue;
    if (Frame* f = cell.exchange(nullptr, std::memory_order_acquire)) {
      return std::unique_ptr<Frame>(f);
    }
  }
  return nullptr;
}

void FramePool::Give(std::unique_ptr<Frame> frame) {
  for (int i = 0, at = FirstCell(); i < kCells; ++i, ++at) {
    std::atomic<Frame*>& cell = cells_[at % kCells].frame;
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

int FramePool::FirstCell() {
  static std::atomic<uint32_t> threads{0};
  static constinit thread_local int mine = -1;
  if (mine < 0) mine = threads.fetch_add(1) % kCells;
  return mine;
}

}  // namespace gk
