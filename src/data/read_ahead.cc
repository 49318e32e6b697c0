#include "data/read_ahead.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <unordered_set>

#include "data/run_hooks.h"
#include "data/task_pool.h"

namespace gk {
namespace {

// How long a waiting caller goes without looking whether it was cancelled.
constexpr auto kPoll = std::chrono::milliseconds(50);

class Ahead;

// All that live, to be told of the end of the program.
struct Registry {
  std::mutex mutex;
  std::unordered_set<Ahead*> all;
  std::atomic<bool> stopping{false};

  static Registry& Get() {
    static Registry* const registry = new Registry;
    return *registry;
  }
};

// One element to come.
struct Slot {
  enum class Stage { kUnclaimed, kRunning, kDone };
  Stage stage = Stage::kUnclaimed;
  TensorVector element;
  Status status;
  ErrorSite site;
  bool end = false;
};

// The error of work in the background as whoever gets the element sees it.
void Note(Status status, Slot* slot) {
  if (!status.ok()) slot->site = TakeErrorSite();
  if (status.code() == Code::kPythonException) {
    // The exception stayed with the thread that it was raised on.
    status = Cancelled("a Python function was interrupted");
  }
  slot->status = std::move(status);
}

// What is thrown on a thread of the pool would end the program.
template <class F>
Status Guarded(F&& work) {
  try {
    return work();
  } catch (const Error& e) {
    return e.status();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("OOM when making an element of a dataset");
  }
}

// Shared by the iterator and its tasks. Two roles: one thread at a time reads
// the input; any number may run `fn` of elements that were read.
class Ahead final : public RefCounted {
 public:
  Ahead(IteratorPtr input, ElementFn fn, int64_t limit)
      : input_(std::move(input)), fn_(std::move(fn)), limit_(limit) {
    std::lock_guard lock(Registry::Get().mutex);
    Registry::Get().all.insert(this);
  }
  ~Ahead() override {
    std::lock_guard lock(Registry::Get().mutex);
    Registry::Get().all.erase(this);
  }

  // What helps is told to end.
  void CancelHelp() { token_.Cancel(); }

  Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                 bool* end) {
    std::unique_lock lock(mutex_);
    while (true) {
      if (generation_ != TaskPool::Generation()) {
        return FailedPrecondition(
            "An iterator that works ahead cannot be used in a process forked "
            "from the one it was made in");
      }
      if (!slots_.empty()) {
        Slot& front = *slots_.front();
        if (front.stage == Slot::Stage::kDone) {
          return Deliver(lock, element, end);
        }
        if (front.stage == Slot::Stage::kUnclaimed) {
          RunSlot(lock, front, cancellation, false);
          continue;
        }
      } else if (ended_) {
        *end = true;
        return OkStatus();
      } else if (!reading_) {
        Read(lock, cancellation, false);
        continue;
      }
      changed_.wait_for(lock, kPoll);
      // The check may take the host language's lock.
      lock.unlock();
      GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
      lock.lock();
    }
  }

  // The iterator is gone.
  void Stop() {
    token_.Cancel();
    std::deque<std::shared_ptr<Slot>> dropped;
    std::lock_guard lock(mutex_);
    dropped.swap(slots_);  // destroyed behind the lock
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  bool HasRoom() const {
    return !ended_ && static_cast<int64_t>(slots_.size()) < limit_;
  }

  Status Deliver(Lock& lock, TensorVector* element, bool* end) {
    const std::shared_ptr<Slot> slot = std::move(slots_.front());
    slots_.pop_front();
    std::deque<std::shared_ptr<Slot>> dropped;
    if (slot->end) {
      ended_ = true;
      dropped.swap(slots_);
    }
    AskForHelp();
    lock.unlock();
    *end = slot->end;
    *element = std::move(slot->element);
    PutErrorSite(slot->site);
    return slot->status;
  }

  // Reads one element of the input. In the background an error waits for its
  // turn like an element.
  void Read(Lock& lock, const CancellationToken* cancellation,
            bool background) {
    reading_ = true;
    lock.unlock();
    auto slot = std::make_shared<Slot>();
    bool end = false;
    Status status = Guarded(
        [&] { return input_->GetNext(cancellation, &slot->element, &end); });
    const bool failed = !status.ok();
    if (background) {
      Note(std::move(status), slot.get());
    } else {
      if (failed) slot->site = TakeErrorSite();
      slot->status = std::move(status);
    }
    lock.lock();
    reading_ = false;
    if (end) {
      ended_ = true;
    } else if (!stopped_ && !ended_) {
      if (failed || fn_ == nullptr) slot->stage = Slot::Stage::kDone;
      slots_.push_back(std::move(slot));
    }
    changed_.notify_all();
  }

  void RunSlot(Lock& lock, Slot& slot, const CancellationToken* cancellation,
               bool background) {
    slot.stage = Slot::Stage::kRunning;
    const std::shared_ptr<Slot> held = Find(slot);
    lock.unlock();
    TensorVector result;
    Status status = Guarded([&] {
      return fn_(std::move(held->element), cancellation, &result, &held->end);
    });
    held->element = std::move(result);
    if (background) {
      Note(std::move(status), held.get());
    } else {
      if (!status.ok()) held->site = TakeErrorSite();
      held->status = std::move(status);
    }
    lock.lock();
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
    const int64_t most = fn_ == nullptr ? 1 : limit_;
    if (stopped_ || helpers_ >= most || Registry::Get().stopping) return;
    if (!(HasRoom() && !reading_) && Unclaimed() == nullptr) return;
    ++helpers_;
    Ref<Ahead> self(this);
    if (!TaskPool::Global().Schedule([self] { self->Help(); })) --helpers_;
  }

  void Help() {
    Lock lock(mutex_);
    while (!stopped_ && !Registry::Get().stopping) {
      if (Slot* slot = Unclaimed()) {
        AskForHelp();
        RunSlot(lock, *slot, &token_, true);
      } else if (HasRoom() && !reading_) {
        Read(lock, &token_, true);
      } else {
        break;
      }
    }
    --helpers_;
  }

  const IteratorPtr input_;
  const ElementFn fn_;
  const int64_t limit_;
  const int generation_ = TaskPool::Generation();
  CancellationToken token_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Slot>> slots_;
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

 private:
  Ref<Ahead> ahead_;
};

}  // namespace

IteratorPtr Prefetch(IteratorPtr input, int64_t limit) {
  return std::make_unique<AheadIterator>(
      MakeRef<Ahead>(std::move(input), nullptr, limit));
}

IteratorPtr ParallelMap(IteratorPtr input, ElementFn fn, int64_t parallel) {
  return std::make_unique<AheadIterator>(
      MakeRef<Ahead>(std::move(input), std::move(fn), parallel));
}

void StopReadingAhead(int milliseconds) {
  Registry& registry = Registry::Get();
  registry.stopping = true;
  {
    std::lock_guard lock(registry.mutex);
    for (Ahead* a : registry.all) a->CancelHelp();
  }
  TaskPool::Global().WaitUntilIdle(milliseconds);
}

}  // namespace gk
