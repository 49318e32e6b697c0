// KeptReads: the values of variables that a frame keeps from one run of its
// plan to the next.
//
// Reading a variable takes its lock and counts references: memory that all
// threads write to, so that threads which call one model wait for each other.
// A frame that has found a variable unchanged a few times keeps its value and
// from then on only compares versions. What it keeps hinders no writer
// (framework/kept_value.h). Only variables that the function has captured are
// kept: their handles live as long as the function.
//
// Part of a Frame; used by one thread at a time.
#ifndef GK_RUNTIME_KEPT_READS_H_
#define GK_RUNTIME_KEPT_READS_H_

#include <deque>
#include <limits>
#include <vector>

#include "framework/variable.h"
#include "runtime/plan.h"

namespace gk {

class KeptReads {
 public:
  // Of the frame that has these slots, and their elements.
  KeptReads(const Plan& plan, Tensor* slots, void** data);
  ~KeptReads() { ForgetAll(); }
  KeptReads(const KeptReads&) = delete;
  KeptReads& operator=(const KeptReads&) = delete;

  // A run begins whose arguments from `first_capture` on are captures.
  void Begin(int first_capture);
  // The frame takes another tensor as argument.
  void ChangeArgument(SlotId handle);
  // The run has ended well: values that are not kept are let go.
  void End();
  void ForgetAll();

  // Whether the value of read `k` of the plan is in its slot already.
  bool IsCurrent(int k) const {
    const Read& read = reads_[k];
    return read.value.kept && read.value.version == read.variable->version();
  }
  // Puts it there, to be kept; false if it is to be read as ever.
  bool Keep(int k);
  // Of a checked plan: an Internal error unless what is kept is what the
  // variable has that the instruction reads.
  Status Check(const Instruction& now, int pc) const;

 private:
  static constexpr int kUnchanged = 4;  // reads before a value is kept

  struct Read {
    Read(const KeptRead& which, Tensor* slot, ReaderTurn* turn)
        : where(which), value(slot, turn) {}
    const KeptRead& where;
    KeptValue value;
    VariableResource* variable = nullptr;  // once it is kept
    int times = 0;
    bool never = false;  // the plan has declared another value
  };
  void Forget(Read& read);

  const Plan& plan_;
  Tensor* const slots_;
  void** const data_;
  ReaderTurn turn_;
  int first_capture_ = std::numeric_limits<int>::max();
  bool running_ = false;    // in turn_
  bool keeps_ = false;      // anything
  std::deque<Read> reads_;  // like Plan::kept_reads
  std::vector<int> holds_;  // by slot of a handle: how many are kept
};

}  // namespace gk

#endif  // GK_RUNTIME_KEPT_READS_H_
