#include "data/read_ahead.h"

#include <list>

#include "data/ahead_tuner.h"
#include "data/background_work.h"
#include "data/slack.h"

namespace gk {
namespace {

// Whether fn need not run where elements are passed over.
bool NeedNotRun(PassedOver passed_over, SkipErrors errors) {
  return passed_over == PassedOver::kNothing ||
         (passed_over == PassedOver::kRunsForErrors &&
          errors == SkipErrors::kPassed);
}

// One element to come.
struct Slot {
  enum class Stage { kUnclaimed, kRunning, kDone };
  Stage stage = Stage::kUnclaimed;
  Outcome outcome;
  Slack::Clock::time_point ready{};  // where slack is measured
};

// A list of one is made before what it is for: adding it cannot fail.
using Slots = std::list<std::shared_ptr<Slot>>;

// Shared by the iterator and its tasks. Two roles: one thread at a time reads
// the input; any number may run `fn` of elements that were read.
class Ahead final : public BackgroundWork {
 public:
  Ahead(IteratorPtr input, ElementFn fn, const AheadOptions& options,
        PassedOver passed_over)
      : BackgroundWork(options.resources),
        input_(std::move(input)),
        fn_(std::move(fn)),
        passed_over_(passed_over),
        tuner_(options, fn_ == nullptr),
        slack_(options.slack_period) {}

  // It is whole: whoever helps holds it.
  void Begin() {
    Lock lock(mutex_);
    if (warm_start()) AskForHelp();
  }

  // Passes over elements of the input as long as none was read. False if one
  // was, or fn has to run.
  bool SkipInput(const CancellationToken* cancellation, int64_t n,
                 SkipErrors errors, int64_t* passed, bool* end,
                 Status* status) {
    if (Forked() || !NeedNotRun(passed_over_, errors)) return false;
    Lock lock(mutex_);
    if (!slots_.empty() || reading_ || ended_) return false;
    reading_ = true;
    lock.unlock();
    Outcome skipped;
    skipped.Take(false, [&] {
      return input_->Skip(cancellation, n, errors, passed, &skipped.end);
    });
    lock.lock();
    reading_ = false;
    ended_ = skipped.end;
    changed_.notify_all();
    lock.unlock();
    TensorVector none;
    *status = skipped.Deliver(&none, end);
    return true;
  }

  Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                 bool* end) {
    GK_RETURN_IF_ERROR(CheckProcess());
    Lock lock(mutex_);
    tuner_.Asked();
    while (true) {
      if (!slots_.empty()) {
        Slot& front = *slots_.front();
        if (front.stage == Slot::Stage::kDone) {
          return Deliver(lock, element, end);
        }
        if (front.stage == Slot::Stage::kUnclaimed) {
          tuner_.Waits();
          RunSlot(lock, front, cancellation, false);
          continue;
        }
      } else if (ended_) {
        *end = true;
        return OkStatus();
      } else if (!reading_) {
        tuner_.Waits();
        Read(lock, cancellation, false);
        continue;
      }
      tuner_.Waits();
      GK_RETURN_IF_ERROR(Wait(lock, cancellation));
    }
  }

  // The iterator is gone.
  void Stop() {
    if (Forked()) return;
    CancelHelp();
    Slots dropped;
    std::lock_guard lock(mutex_);
    dropped.swap(slots_);  // destroyed behind the lock
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  bool HasRoom() const {
    return !ended_ && static_cast<int64_t>(slots_.size()) < tuner_.room();
  }

  Status Deliver(Lock& lock, TensorVector* element, bool* end) {
    const std::shared_ptr<Slot> slot = std::move(slots_.front());
    slots_.pop_front();
    tuner_.Gives(slot->outcome.element);
    slack_.Gives(slot->ready);
    Slots dropped;
    if (slot->outcome.end) {
      ended_ = true;
      dropped.swap(slots_);
    }
    AskForHelp();
    lock.unlock();
    return slot->outcome.Deliver(element, end);
  }

  // Reads one element of the input. In the background an error waits for its
  // turn like an element.
  void Read(Lock& lock, const CancellationToken* cancellation,
            bool background) {
    Slots made;
    made.push_back(std::make_shared<Slot>());
    Slot& slot = *made.front();
    reading_ = true;
    lock.unlock();
    Outcome& read = slot.outcome;
    const AheadTuner::Watch watch(fn_ == nullptr ? &tuner_ : nullptr);
    read.Take(background, [&] {
      return input_->Next(cancellation, &read.element, &read.end);
    });
    const bool failed = !read.status.ok();
    lock.lock();
    watch.Stop();
    reading_ = false;
    if (read.end) {
      ended_ = true;
    } else if (!stopped_ && !ended_) {
      if (failed || fn_ == nullptr) slot.stage = Slot::Stage::kDone;
      slot.ready = slack_.Makes();
      slots_.splice(slots_.end(), made);
    }
    changed_.notify_all();
  }

  void RunSlot(Lock& lock, Slot& slot, const CancellationToken* cancellation,
               bool background) {
    slot.stage = Slot::Stage::kRunning;
    const std::shared_ptr<Slot> held = Find(slot);
    lock.unlock();
    Outcome& made = held->outcome;
    TensorVector result;
    const AheadTuner::Watch watch(&tuner_);
    made.Take(background, [&] {
      return fn_(std::move(made.element), cancellation, &result, &made.end);
    });
    made.element = std::move(result);
    lock.lock();
    watch.Stop();
    held->stage = Slot::Stage::kDone;
    changed_.notify_all();
  }

  std::shared_ptr<Slot> Find(const Slot& slot) const {
    for (const std::shared_ptr<Slot>& s : slots_) {
      if (s.get() == &slot) return s;
    }
    return nullptr;
  }

  Slot* Unclaimed() const {
    for (const std::shared_ptr<Slot>& s : slots_) {
      if (s->stage == Slot::Stage::kUnclaimed) return s.get();
    }
    return nullptr;
  }

  // Under the lock: a task if there is something for it to do.
  void AskForHelp() {
    const int64_t most = fn_ == nullptr ? 1 : tuner_.limit();
    if (stopped_ || helpers_ >= most || Stopping()) return;
    const bool reads = !ended_ && !reading_ &&
                       tuner_.Wants(static_cast<int64_t>(slots_.size()));
    if (!reads && Unclaimed() == nullptr) return;
    ++helpers_;
    if (!Schedule(this)) --helpers_;
  }

  friend class BackgroundWork;
  void Help() {
    Lock lock(mutex_);
    try {
      HelpUntilDone(lock);
    } catch (const std::bad_alloc&) {
      // Whoever waits for the elements makes them.
    }
    --helpers_;
  }
  void HelpUntilDone(Lock& lock) {
    while (!stopped_ && !Stopping()) {
      if (Slot* slot = Unclaimed()) {
        AskForHelp();
        RunSlot(lock, *slot, &token_, true);
      } else if (HasRoom() && !reading_) {
        if (slack_.Due()) {
          changed_.wait_for(lock, slack_.Takes());
        } else {
          Read(lock, &token_, true);
        }
      } else {
        break;
      }
    }
  }

  const IteratorPtr input_;
  const ElementFn fn_;
  const PassedOver passed_over_;
  AheadTuner tuner_;
  Slack slack_;
  Slots slots_;
  bool reading_ = false, ended_ = false, stopped_ = false;
  int64_t helpers_ = 0;
};

class AheadIterator final : public DatasetIterator {
 public:
  explicit AheadIterator(Ref<Ahead> ahead) : ahead_(std::move(ahead)) {}
  ~AheadIterator() override { ahead_->Stop(); }
  Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                 bool* end) override {
    return ahead_->GetNext(cancellation, element, end);
  }

 protected:
  Status DoSkip(const CancellationToken* cancellation, int64_t n,
                SkipErrors errors, int64_t* passed, bool* end) override {
    Status status;
    if (ahead_->SkipInput(cancellation, n, errors, passed, end, &status)) {
      return status;
    }
    return DatasetIterator::DoSkip(cancellation, n, errors, passed, end);
  }

 private:
  Ref<Ahead> ahead_;
};

IteratorPtr Begun(IteratorPtr input, ElementFn fn, const AheadOptions& options,
                  PassedOver passed_over) {
  const Ref<Ahead> ahead =
      MakeRef<Ahead>(std::move(input), std::move(fn), options, passed_over);
  auto made = std::make_unique<AheadIterator>(ahead);
  ahead->Begin();
  return made;
}

}  // namespace

IteratorPtr Prefetch(IteratorPtr input, const AheadOptions& options) {
  return Begun(std::move(input), nullptr, options, PassedOver::kNothing);
}

IteratorPtr ParallelMap(IteratorPtr input, ElementFn fn,
                        const AheadOptions& options, PassedOver passed_over) {
  return Begun(std::move(input), std::move(fn), options, passed_over);
}

}  // namespace gk
