// What a reader keeps of a variable from one of its runs to the next, so that
// reading it again touches no memory that other threads write to.
//
// A reader (a frame of a plan) has a turn, in which it runs. A writer that
// finds the value shared takes it back from readers whose turn it is not: then
// it may be changed in place. It leaves it to those that run, which let it go
// when they see the variable's other version at the end of their turn.
#ifndef GK_FRAMEWORK_KEPT_VALUE_H_
#define GK_FRAMEWORK_KEPT_VALUE_H_

#include <atomic>
#include <cstdint>

#include "base/fork.h"
#include "framework/tensor.h"

namespace gk {

// Who may touch what a reader keeps: the reader in its turn, else a writer.
// Whoever a fork has left behind has no turn any longer.
class ReaderTurn {
 public:
  // By the reader; waits for a writer, which has little to do.
  void Begin() { Enter(kReader, /*if_reader_runs=*/true); }
  void End() { state_.store(0); }
  // By a writer: false while the reader runs.
  bool TryTake() { return Enter(kWriter, /*if_reader_runs=*/false); }
  void Give() { state_.store(0); }

 private:
  static constexpr uint32_t kWriter = 0, kReader = 1;
  bool Enter(uint32_t who, bool if_reader_runs) {
    const uint32_t here = ProcessGeneration() << 1;
    uint32_t seen = state_.load(std::memory_order_relaxed);
    for (;;) {
      if (seen == (here | kReader) && !if_reader_runs) return false;
      if (seen == (here | kWriter)) {
        seen = state_.load(std::memory_order_relaxed);
      } else if (state_.compare_exchange_weak(seen, here | who)) {
        return true;
      }
    }
  }

  std::atomic<uint32_t> state_{0};
};

// One variable's value, as a reader has it, and a member of the variable's
// list. Changed under the variable's lock (variable.h), by a writer only if it
// has taken the turn: so the reader need not lock to look at it in its turn.
struct KeptValue {
  KeptValue(Tensor* place, ReaderTurn* reader) : slot(place), turn(reader) {}

  Tensor* const slot;  // where the value is while it is kept
  ReaderTurn* const turn;
  bool kept = false;
  uint64_t version = 0;  // the variable's, when it had that value
  KeptValue* next = nullptr;
};

}  // namespace gk

#endif  // GK_FRAMEWORK_KEPT_VALUE_H_
