// RunSampler: which runs of a plan are recorded, so that recording takes a
// small part of the time, however short its kernels are.
//
// Kernels are not recorded by some of them: all of a run are, or none. Runs
// that are only counted add to what the last recorded one stands for
// (Event::runs), so that counts are exact. How many are counted, on average,
// follows from what recording costs and how long the runs before took; the
// distance is drawn at random, and before the run that stands for it begins:
// neither what recurs nor how long that one takes has an influence. Where
// recording costs little every run is recorded.
//
// Each thread has one for each plan. Runs of a plan may lie within one another.
#ifndef GK_BASE_RUN_SAMPLER_H_
#define GK_BASE_RUN_SAMPLER_H_

#include <cstdint>
#include <memory>

#include "base/event_log.h"

namespace gk {

// How a run is recorded.
enum class RunRecording : uint8_t {
  kAlways,   // as all of its plan; runs inside of it are by their own samplers
  kSampled,  // as one of several, with the runs inside of it
  kCounted,  // not at all, nor are the runs inside of it
};

class RunSampler {
 public:
  // This thread's, of runs of these types. Throws std::bad_alloc.
  static RunSampler& Here(const RunTypes& types);

  // Of the run that begins, inside of one that is recorded as `outer`.
  RunRecording Begin(RunRecording outer) {
    if (number_ == EventLog::Number() && count_ != nullptr &&
        (outer == RunRecording::kCounted ||
         (outer == RunRecording::kAlways && left_ > 0))) {
      --left_;
      // This thread alone counts: two plain moves do.
      count_->store(count_->load(std::memory_order_relaxed) + 1,
                    std::memory_order_relaxed);
      return RunRecording::kCounted;
    }
    return BeginRecorded(outer);
  }
  // What the events of the run that was begun last stand for.
  const std::shared_ptr<EventLog::RunCount>& count() const { return count_; }
  // It took so many ticks, `cost` of them for recording it.
  void End(int64_t ticks, int64_t cost);

 private:
  [[gnu::noinline]] RunRecording BeginRecorded(RunRecording outer);
  uint32_t Random();

  std::shared_ptr<EventLog::RunCount> count_;  // null: for itself
  int64_t left_ = 0;   // to be counted before one is recorded
  int64_t every_ = 1;  // so many that one is recorded, on average
  double mean_ = 0;    // ticks of a run, without recording it
  uint32_t number_ = 0, random_ = 2463534242;
};

}  // namespace gk

#endif  // GK_BASE_RUN_SAMPLER_H_
