// AheadTuner: how many elements are made in advance of a consumer.
//
// A model of costs: an element that takes `cost` to make, of a consumer that is
// busy for `pause` between two, must be begun cost / pause elements before it
// is asked for. What the model does not see, bursts and elements that take
// longer, shows in waits: each while all were at work doubles the number, and
// it goes back one by one as long as nobody waits. Bytes are bounded by a
// budget. Whoever calls holds the lock of what it tunes.
#ifndef GK_DATA_AHEAD_TUNER_H_
#define GK_DATA_AHEAD_TUNER_H_

#include <chrono>
#include <memory>

#include "data/pass_resources.h"
#include "framework/tensor.h"

namespace gk {

// How much is made in advance.
struct AheadOptions {
  AheadOptions(int64_t most) : limit(most) {}  // NOLINT: a plain number

  int64_t limit;
  // Whether that is the most, and less is made where less does: as many as
  // keep the consumer from waiting, by what an element costs to make, how long
  // the consumer is busy with one, and how often it waited.
  bool tuned = false;
  // Bytes that elements which are ready may take, where that is tuned; 0: any.
  int64_t ram_budget = 0;
  // Of a prefetch: before each of so many elements it waits a part of the time
  // that such ones lay ready, so as to leave the processor to the consumer; 0:
  // before none.
  int64_t slack_period = 0;
  // Those of the pass; may be null.
  std::shared_ptr<PassResources> resources = {};
};
// As the pass says, where a dataset says nothing but that it is tuned.
AheadOptions TunedAhead(const std::shared_ptr<PassResources>& resources,
                        int64_t most);

class AheadTuner {
 public:
  // `prefetches`: elements are made one after the other, so that the thread
  // which makes them needs to be woken once for several: a consumer whom it
  // takes the processor from has waited.
  explicit AheadTuner(const AheadOptions& options, bool prefetches = false);

  // How many are made at once, or in advance where it is one after the other.
  int64_t limit() const { return limit_; }
  // How many there may be, those that are ready among them: of several that are
  // made at once the first may take longest, and nobody stands still for that.
  int64_t room() const { return room_; }
  // Whether more are to be made where so many are there.
  bool Wants(int64_t ready) const {
    return ready < room_ &&
           (few_ < kFew || static_cast<double>(ready) <= needed_ + 1);
  }

  // The consumer asks; it waits for what is being made, or makes it; it gets
  // an element.
  void Asked();
  void Waits() { waited_ = true; }
  void Gives(const TensorVector& element);

  // How long making an element takes, from its construction to Stop().
  class Watch {
   public:
    explicit Watch(AheadTuner* tuner)
        : tuner_(tuner != nullptr && tuner->tuned_ ? tuner : nullptr) {
      if (tuner_ != nullptr) begin_ = Clock::now();
    }
    void Stop() const {
      if (tuner_ != nullptr) tuner_->Made(Since(begin_));
    }

   private:
    AheadTuner* const tuner_;
    std::chrono::steady_clock::time_point begin_;
  };

 private:
  using Clock = std::chrono::steady_clock;
  static double Since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  void Made(double seconds);
  void Adapt();
  int64_t Few() const;

  const int64_t most_, ram_budget_;
  const bool tuned_, prefetches_;
  int64_t limit_, room_;
  static constexpr int64_t kFew = 4;
  int64_t few_ = 0;    // are made in any case: kFew, unless they are large
  double needed_ = 1;  // so many are begun while the consumer is busy
  // Averages in which the last elements count most; seconds and bytes.
  double cost_ = 0, pause_ = 0, bytes_ = 0;
  Clock::time_point given_{};
  int64_t calm_ = 0;  // elements since somebody waited
  bool waited_ = false;
};

}  // namespace gk

#endif  // GK_DATA_AHEAD_TUNER_H_
