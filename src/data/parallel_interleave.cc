#include "data/parallel_interleave.h"

#include <chrono>
#include <list>

#include "data/background_work.h"

namespace gk {
namespace {

// One of the sequences. Whoever set `busy` may use `argument` and `sequence`
// without the lock.
struct Part {
  TensorVector argument;  // the element of the input, until it is opened
  int64_t number = 0;     // of that element
  IteratorPtr sequence;
  std::list<Outcome> ready;
  bool opened = false, busy = false;
  bool over = false;  // nothing will come behind what is ready
};
using PartPtr = std::shared_ptr<Part>;
// Lists of one are made before what they are for: adding them cannot fail.
using Parts = std::list<PartPtr>;

// Shared by the iterator and its tasks.
class Interleave final : public BackgroundWork {
 public:
  Interleave(IteratorPtr input, OpenFn open, const InterleaveOptions& options)
      : BackgroundWork(options.resources),
        input_(std::move(input)),
        open_(std::move(open)),
        options_(options),
        cycle_(options.cycle_length),
        free_(!options.ordered) {
    if (free_ && options_.choices) {
      steps_ = options_.choices->Steps();
      saved_ = options_.choices->SavedChoice();
    }
  }

  // It is whole: whoever helps holds it.
  void Begin() {
    Lock lock(mutex_);
    if (warm_start()) AskForHelp();
  }

  Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                 bool* end) {
    GK_RETURN_IF_ERROR(CheckProcess());
    Lock lock(mutex_);
    while (true) {
      if (saved_) GK_RETURN_IF_ERROR(ChooseAsSaved());
      if (free_ && !saved_ && !ChooseReady() && taken_ > 0) {
        GK_RETURN_IF_ERROR(Wait(lock, cancellation));
        continue;
      }
      if (at_ < Size() && places_[at_]) {
        const PartPtr part = places_[at_];
        if (!part->ready.empty()) {
          if (!Chosen()) continue;
          Status status;
          if (Deliver(lock, *part, element, end, &status)) return status;
        } else if (!part->busy) {
          Work(lock, part, std::list<Outcome>(1), cancellation, false);
        } else {
          GK_RETURN_IF_ERROR(Wait(lock, cancellation));
        }
      } else if (!ahead_.empty()) {
        if (!Chosen()) continue;
        if (at_ >= Size()) places_.resize(at_ + 1);
        places_[at_] = std::move(ahead_.front());
        ahead_.pop_front();
        ++taken_;
        ExpectNext();
        AskForHelp();
      } else if (input_ended_) {
        if (taken_ == 0) {
          *end = true;
          return OkStatus();
        }
        // Places that were never taken are not visited.
        cycle_ = std::max<int64_t>(1, Size());
        Advance();
      } else if (!reading_) {
        GK_RETURN_IF_ERROR(Read(lock, cancellation, false));
      } else {
        GK_RETURN_IF_ERROR(Wait(lock, cancellation));
      }
    }
  }

  // The iterator is gone.
  void Stop() {
    if (Forked()) return;
    CancelHelp();
    std::vector<PartPtr> places;
    Parts ahead;
    std::lock_guard lock(mutex_);
    places.swap(places_);  // destroyed behind the lock
    ahead.swap(ahead_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  int64_t Size() const { return static_cast<int64_t>(places_.size()); }

  void Advance() {
    in_block_ = 0;
    at_ = at_ + 1 >= cycle_ ? 0 : at_ + 1;
  }

  // Goes where the pass that was saved went before this step, once.
  Status ChooseAsSaved() {
    const uint64_t step = Step();
    if (saved_->chosen == Choice::kNothing && step >= saved_->step) {
      saved_.reset();
      return OkStatus();
    }
    if (step == placed_) return OkStatus();
    placed_ = step;
    at_ = expected_;
    in_block_ = expected_in_block_;
    if (step != saved_->step) return OkStatus();
    if (saved_->chosen > static_cast<uint64_t>(Size()) ||
        saved_->chosen >= static_cast<uint64_t>(options_.cycle_length)) {
      return DataLoss("The state is of an iterator over another dataset");
    }
    GoTo(static_cast<int64_t>(saved_->chosen));
    return OkStatus();
  }
  uint64_t Step() const { return steps_->load(std::memory_order_relaxed); }

  // What is at this place is what comes next. False if it may not: so many
  // choices were noted that from now on there are none.
  bool Chosen() {
    if (steps_ == nullptr) return true;
    const uint64_t step = Step();
    if (saved_) {
      if (saved_->step == step && saved_->chosen != Choice::kNothing) {
        saved_ = options_.choices->SavedChoice();
      }
    } else if (at_ == expected_) {
      in_block_ = expected_in_block_;
    } else if (free_ &&
               !options_.choices->Note({step, static_cast<uint64_t>(at_)})) {
      free_ = false;
      at_ = expected_;
      in_block_ = expected_in_block_;
      return false;
    }
    steps_->store(step + 1, std::memory_order_relaxed);
    return true;
  }
  // From here interleaving without help goes on.
  void ExpectNext() {
    expected_ = at_;
    expected_in_block_ = in_block_;
  }

  // Goes to a place where something is ready, else to one that can be filled,
  // else to one that nobody works for. False if all that is left to do is
  // being done.
  bool ChooseReady() {
    const int64_t n = Size();
    if (at_ < n && places_[at_] && !places_[at_]->ready.empty()) return true;
    int64_t free = -1, idle = -1;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t i = (at_ + k) % n;
      const Part* part = places_[i].get();
      if (part == nullptr) {
        if (free < 0) free = i;
      } else if (!part->ready.empty()) {
        GoTo(i);
        return true;
      } else if (!part->busy && idle < 0) {
        idle = i;
      }
    }
    if (free < 0 && n < cycle_) free = n;
    if (free >= 0 && !ahead_.empty()) {
      GoTo(free);
    } else if (idle >= 0) {
      GoTo(idle);
    } else if (free >= 0 && !input_ended_ && !reading_) {
      GoTo(free);
    } else {
      return false;
    }
    return true;
  }

  void GoTo(int64_t place) {
    if (at_ == place) return;
    at_ = place;
    in_block_ = 0;
  }

  // Takes what is ready at the place. False if that was the end of the part.
  bool Deliver(Lock& lock, Part& part, TensorVector* element, bool* end,
               Status* status) {
    Outcome outcome = std::move(part.ready.front());
    part.ready.pop_front();
    PartPtr dropped;
    const bool last = part.over && part.ready.empty();
    if (last) {
      dropped = std::move(places_[at_]);
      --taken_;
    }
    if (outcome.end || ++in_block_ == options_.block_length) Advance();
    ExpectNext();
    AskForHelp();
    if (outcome.end) return false;
    lock.unlock();
    *status = outcome.Deliver(element, end);
    return true;
  }

  // Begins a part of the next element of the input. In the background an
  // error waits for its turn.
  Status Read(Lock& lock, const CancellationToken* cancellation,
              bool background) {
    Parts made;
    made.push_back(std::make_shared<Part>());
    Part& part = *made.front();
    std::list<Outcome> outcome(1);
    Outcome& read = outcome.front();
    reading_ = true;
    lock.unlock();
    read.Take(background, [&] {
      return input_->Next(cancellation, &read.element, &read.end);
    });
    lock.lock();
    reading_ = false;
    changed_.notify_all();
    if (read.end) {
      input_ended_ = true;
      return OkStatus();
    }
    if (stopped_) return OkStatus();
    if (!read.status.ok()) {
      if (!background) {
        bool end = false;
        TensorVector none;
        return read.Deliver(&none, &end);
      }
      part.over = true;
      part.ready.splice(part.ready.end(), outcome);
    } else {
      part.argument = std::move(read.element);
      part.number = read_++;
    }
    ahead_.splice(ahead_.end(), made);
    return OkStatus();
  }

  // Makes one element of a part that nobody else works for; in the background
  // as many as are made in no time: a thread that waits for each of them costs
  // more than they do.
  void Work(Lock& lock, const PartPtr& part, std::list<Outcome> outcome,
            const CancellationToken* cancellation, bool background) {
    using Clock = std::chrono::steady_clock;
    constexpr auto kNoTime = std::chrono::microseconds(20);
    part->busy = true;
    int64_t room =
        background ? options_.buffer - static_cast<int64_t>(part->ready.size())
                   : 1;
    lock.unlock();
    const auto begin = background ? Clock::now() : Clock::time_point();
    for (;;) {
      Outcome& made = outcome.back();
      made.Take(background, [&]() -> Status {
        if (!part->opened) {
          GK_RETURN_IF_ERROR(open_(part->number, std::move(part->argument),
                                   cancellation, &part->sequence));
          part->opened = true;
        }
        return part->sequence->Next(cancellation, &made.element, &made.end);
      });
      if (made.end || !made.status.ok() || --room <= 0) break;
      if (Clock::now() - begin > kNoTime) break;
      try {
        outcome.emplace_back();
      } catch (const std::bad_alloc&) {
        break;
      }
    }
    const bool end = outcome.back().end;
    IteratorPtr done;
    if (end) done = std::move(part->sequence);
    done.reset();
    lock.lock();
    part->busy = false;
    part->over = end || !part->opened;
    part->ready.splice(part->ready.end(), outcome);
    changed_.notify_all();
  }

  bool HasRoom(const Part& part, int64_t room) const {
    return !part.busy && !part.over &&
           static_cast<int64_t>(part.ready.size()) < room;
  }

  // The part that needs an element most of all, the one whose turn is next
  // first.
  PartPtr Needy(int64_t room) const {
    const int64_t n = Size();
    for (int64_t k = 0; k < n; ++k) {
      const PartPtr& part = places_[(at_ + k) % n];
      if (part && HasRoom(*part, room)) return part;
    }
    for (const PartPtr& part : ahead_) {
      if (HasRoom(*part, room)) return part;
    }
    return nullptr;
  }

  bool CanRead() const {
    return !input_ended_ && !reading_ &&
           static_cast<int64_t>(ahead_.size()) < options_.prefetch;
  }

  // Under the lock: a task if there is something for it to do.
  void AskForHelp() {
    if (stopped_ || helpers_ >= options_.parallel || Stopping()) return;
    if (!CanRead() && Needy(options_.buffer) == nullptr) return;
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
      PartPtr part = Needy(1);
      const bool read = part == nullptr && CanRead();
      if (part == nullptr && !read) part = Needy(options_.buffer);
      if (part == nullptr && !read) break;
      if (read) {
        // In the background it has nobody to tell.
        (void)Read(lock, &token_, true);
        AskForHelp();
      } else {
        std::list<Outcome> outcome(1);
        part->busy = true;
        AskForHelp();
        Work(lock, part, std::move(outcome), &token_, true);
      }
    }
  }

  const IteratorPtr input_;
  const OpenFn open_;
  const InterleaveOptions options_;
  int64_t cycle_;
  std::vector<PartPtr> places_;  // as many as were needed at once
  Parts ahead_;                  // in the order of the input
  int64_t read_ = 0;             // elements of the input
  int64_t taken_ = 0;            // of the places
  int64_t at_ = 0, in_block_ = 0;
  using Choice = IterationContext::Choice;
  bool free_;  // to choose the next place
  // Of choices that are noted: how many elements were taken, from either end,
  // where the next one is if nobody chooses, and the next choice that was
  // saved.
  std::shared_ptr<std::atomic<uint64_t>> steps_;
  int64_t expected_ = 0, expected_in_block_ = 0;
  std::optional<Choice> saved_;
  uint64_t placed_ = ~uint64_t{0};  // the step whose place is found
  bool reading_ = false, input_ended_ = false, stopped_ = false;
  int64_t helpers_ = 0;
};

class InterleaveIterator final : public DatasetIterator {
 public:
  explicit InterleaveIterator(Ref<Interleave> shared)
      : shared_(std::move(shared)) {}
  ~InterleaveIterator() override { shared_->Stop(); }
  Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                 bool* end) override {
    return shared_->GetNext(cancellation, element, end);
  }

 private:
  const Ref<Interleave> shared_;
};

}  // namespace

IteratorPtr ParallelInterleave(IteratorPtr input, OpenFn open,
                               const InterleaveOptions& options) {
  const Ref<Interleave> shared =
      MakeRef<Interleave>(std::move(input), std::move(open), options);
  auto made = std::make_unique<InterleaveIterator>(shared);
  shared->Begin();
  return made;
}

}  // namespace gk
