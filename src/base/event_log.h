// EventLog: what the threads of the process do and when, while somebody
// records it.
//
// Recording takes no lock: each thread writes a log of its own, which is read
// when the recording ends. While nobody records, asking costs the reading of a
// flag. What an event means is known by its type, and put into words only for
// who reads the recording. Thread-safe.
#ifndef GK_BASE_EVENT_LOG_H_
#define GK_BASE_EVENT_LOG_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/ref.h"
#include "base/status.h"

namespace gk {

enum class EventKind : uint8_t {
  kOp,           // an op that runs by itself
  kInstruction,  // of a plan: a kernel, a fused group, a loop
  kFunction,     // a plan from its beginning to its end
  kTracing,      // a function of the host language becomes a graph
  kPlanning,     // a graph becomes a plan
  kStage,        // a dataset makes an element
  kAnnotation,   // what a program says of itself
  kWork,         // a thread helps another one
};

using EventArgument =
    std::pair<std::string, std::variant<int64_t, double, std::string>>;

// One event in words and numbers.
struct EventFacts {
  std::string name;               // "dense/MatMul:MatMul", TensorFlow's form
  std::string display;            // shorter, if there is such a name
  std::string function;           // that it is part of
  std::vector<uint32_t> sources;  // positions of the program (host_language.h)
  std::string shapes;
  double bytes = 0, flops = 0;
  double made_bytes = 0;                 // of its results
  std::vector<EventArgument> arguments;  // others
};

// What differs from one event of a type to the next.
struct EventDetail {
  virtual ~EventDetail() = default;
};

class EventType;

// Holds event types; a recording with an event of one keeps it alive.
class EventTypes : public RefCounted {
 private:
  friend class EventLog;
  mutable std::atomic<uint32_t> kept_by_{0};  // the number of a recording
};

// Types of what runs in parts, one behind the other, and of the parts.
class RunTypes : public EventTypes {
 public:
  virtual const EventType& Whole() const = 0;
  virtual const EventType& Part(int i) const = 0;
};

class EventType {
 public:
  // `holder` outlives it; null: it lives for ever.
  explicit EventType(EventKind kind, const EventTypes* holder = nullptr)
      : kind_(kind), holder_(holder) {}
  EventType(const EventType&) = delete;
  virtual ~EventType() = default;

  EventKind kind() const { return kind_; }
  // `detail`: as it was added, or null.
  virtual void Tell(const EventDetail* detail, EventFacts* facts) const = 0;

 private:
  friend class EventLog;
  const EventKind kind_;
  const EventTypes* const holder_;
};

struct Event {
  const EventType* type = nullptr;
  const EventDetail* detail = nullptr;
  int64_t start = 0, end = 0;  // EventLog::Now(); of recordings nanoseconds
  // What it stands for: itself and those behind it that were only counted
  // (run_sampler.h).
  int64_t runs = 1;
};

// What was recorded, as long as it is wanted.
class Recording {
 public:
  struct Thread {
    uint64_t number = 0;  // ThreadNumber()
    std::string name;
    std::vector<Event> events;  // in the order in which they ended
  };

  Recording();
  ~Recording();
  Recording(Recording&&) noexcept;

  int64_t start = 0, stop = 0;    // nanoseconds, of a clock of their own
  int64_t start_nanoseconds = 0;  // the same since 1970
  std::vector<Thread> threads;    // those with events
  int64_t dropped = 0;            // events for which there was no room

 private:
  friend class EventLog;
  struct Held;
  std::unique_ptr<Held> held_;
};

class EventLog {
 public:
  // What is recorded: steps (functions, annotations, stages of datasets), all
  // ops too, or also what threads of the pool do.
  enum Level : int { kOff = 0, kSteps = 1, kOps = 2, kAll = 3 };

  static bool On(Level level = kSteps) {
    return level_.load(std::memory_order_relaxed) >= level;
  }
  // Ticks of a clock that only goes on.
  static int64_t Now();

  // So many runs a recorded one stands for; grows while others are not
  // recorded. Its memory is of the log that it is in.
  using RunCount = std::atomic<int64_t>;
  // Begins at one; null if nobody records.
  static std::shared_ptr<RunCount> NewRunCount();
  // May runs be counted instead of being recorded?
  static bool Samples() { return samples_.load(std::memory_order_relaxed); }
  // Of this recording or the last one, from 1 on.
  static uint32_t Number() {
    return last_number_.load(std::memory_order_relaxed);
  }
  // Ticks that a reading of the clock takes.
  static int64_t ClockCost() {
    return clock_cost_.load(std::memory_order_relaxed);
  }

  // Adds an event to this thread's log, which stands for `runs`; null: for one.
  static void Add(const EventType& type, int64_t start, int64_t end,
                  std::unique_ptr<EventDetail> detail = nullptr,
                  const RunCount* runs = nullptr);

  // Adds a run of what `types` says, from `start` to the end of its last part:
  // in a quarter of the room that as many events take. `ends`: of each
  // part in order, which began where the last one ended; 0: it did not run;
  // negative: an event of its own tells of it, and -end is its end.
  static void AddRun(const RunTypes& types, int64_t start,
                     std::span<const int64_t> ends,
                     const RunCount* runs = nullptr);

  // `samples`: of runs that are short some may be counted alone.
  // AlreadyExists if there is a recording; Unavailable if there is none.
  static Status Start(Level level, bool samples = false);
  static StatusOr<Recording> Stop();

 private:
  friend class Recording;
  template <class T, int kRoom>
  struct Chunk;
  template <class T, int kRoom>
  class Chunks;
  struct Written;
  class Log;
  struct Session;
  struct ThisThread;

  static const std::shared_ptr<Log>& LogHere();
  static bool Keep(const EventTypes& holder, const Log& log);

  static inline std::atomic<int> level_{kOff};
  static inline std::atomic<bool> samples_{false};
  static inline std::atomic<uint32_t> last_number_{0};
  static inline std::atomic<int64_t> clock_cost_{0};
};

// An event from where it is made to where it ends, if there is a recording.
class EventSpan {
 public:
  explicit EventSpan(const EventType& type,
                     EventLog::Level level = EventLog::kSteps)
      : type_(EventLog::On(level) ? &type : nullptr) {
    if (type_ != nullptr) [[unlikely]]
      start_ = EventLog::Now();
  }
  ~EventSpan() {
    if (type_ != nullptr) [[unlikely]]
      End();
  }
  EventSpan(const EventSpan&) = delete;
  EventSpan& operator=(const EventSpan&) = delete;

  // With a name that follows from these.
  EventSpan(EventKind kind, std::string_view verb, std::string_view object);

  bool recorded() const { return type_ != nullptr; }
  void set_detail(std::unique_ptr<EventDetail> detail) {
    detail_ = std::move(detail);
  }

 private:
  [[gnu::cold, gnu::noinline]] void End() {
    EventLog::Add(*type_, start_, EventLog::Now(), std::move(detail_));
  }

  const EventType* const type_;
  int64_t start_ = 0;
  std::unique_ptr<EventDetail> detail_;
};

// Of events that are told by a name and arguments: annotations, tracing.
struct NamedDetail final : EventDetail {
  explicit NamedDetail(std::string_view n) : name(n) {}
  std::string name;
  std::vector<EventArgument> arguments;
};
// The type of those of a kind.
const EventType& NamedEvents(EventKind kind);

}  // namespace gk

#endif  // GK_BASE_EVENT_LOG_H_
