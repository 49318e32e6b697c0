#include "base/event_log.h"

#include <pthread.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <new>

#include "base/format.h"
#include "base/per_thread.h"
#include "base/process_mutex.h"
#include "base/thread_number.h"

namespace gk {
namespace {

// 96 MB of events, and some times that where they are written; a program that
// records for hours keeps its first ones.
constexpr int64_t kMaxEvents = 2'000'000;
constexpr int kEventsPerChunk = 1024;
constexpr int kWordsPerChunk = kEventsPerChunk * 4;
// Of a run before the ends of its parts: its types, what counts it, its start,
// the number of its parts.
constexpr int kWordsOfRun = 4;

int64_t RunsOf(const EventLog::RunCount* runs) {
  return runs == nullptr ? 1 : runs->load(std::memory_order_relaxed);
}

template <class T>
int64_t AsWord(const T* p) {
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(p));
}
template <class T>
const T* AsPointer(int64_t word) {
  return reinterpret_cast<const T*>(static_cast<intptr_t>(word));
}

int64_t Read(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

// Does the CPU count at one rate, always and the same on all cores? Then its
// counter is read in a third of the time that the clock takes.
bool CountsSteadily() {
#if defined(__x86_64__)
  constexpr uint32_t kPowerManagement = 0x80000007, kInvariantCounter = 1 << 8;
  uint32_t a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(kPowerManagement, &a, &b, &c, &d) != 0 &&
         (d & kInvariantCounter) != 0;
#else
  return false;
#endif
}

// Ticks between two readings of the clock: the least of some means, as others
// run too.
int64_t MeasuredClockCost() {
  constexpr int kMeans = 5, kReadings = 32;
  int64_t least = INT64_MAX;
  for (int i = 0; i < kMeans; ++i) {
    const int64_t start = EventLog::Now();
    int64_t end = start;
    for (int k = 0; k < kReadings; ++k) end = EventLog::Now();
    least = std::min(least, (end - start) / kReadings);
  }
  return std::max<int64_t>(least, 1);
}

// From ticks of EventLog::Now() to nanoseconds, by two readings of both.
class TickScale {
 public:
  TickScale(int64_t ticks, int64_t clock, int64_t end_ticks, int64_t end_clock)
      : ticks_(ticks),
        clock_(clock),
        rate_(static_cast<double>(end_clock - clock) /
              static_cast<double>(std::max<int64_t>(end_ticks - ticks, 1))) {}
  int64_t Nanoseconds(int64_t ticks) const {
    return clock_ +
           static_cast<int64_t>(static_cast<double>(ticks - ticks_) * rate_);
  }

 private:
  const int64_t ticks_, clock_;
  const double rate_;
};

std::string NameOfThisThread() {
  char name[32] = "";
  pthread_getname_np(pthread_self(), name, sizeof(name));
  return name;
}

ProcessMutex& Lock() {
  static auto* mutex = new ProcessMutex;
  return *mutex;
}

class NamedEvent final : public EventType {
 public:
  using EventType::EventType;
  void Tell(const EventDetail* detail, EventFacts* facts) const override {
    const auto* named = static_cast<const NamedDetail*>(detail);
    if (named == nullptr) {
      facts->name = kind() == EventKind::kWork ? "ParallelWork" : "Event";
      return;
    }
    facts->name = named->name;
    facts->arguments = named->arguments;
  }
};

}  // namespace

// An event and what counts the runs that it stands for, or null.
struct EventLog::Written {
  Event event;
  const RunCount* runs;
};

template <class T, int kRoom>
struct EventLog::Chunk {
  Chunk() {}
  ~Chunk() {}
  std::atomic<int> count{0};
  std::atomic<Chunk*> next{nullptr};
  union {  // touched only where they are written
    T values[kRoom];
  };
};

// Written by one thread, read by who ends the recording: chunks and their
// counts are published one after the other.
template <class T, int kRoom>
class EventLog::Chunks {
 public:
  Chunks() : head_(new Chunk<T, kRoom>), tail_(head_) {}
  ~Chunks() {
    for (auto* c = head_; c != nullptr;) {
      delete std::exchange(c, c->next.load(std::memory_order_acquire));
    }
  }

  // Where `n` values may be written, to be published; null if there is no room
  // left in the chunk.
  T* Room(int n) {
    const int used = tail_->count.load(std::memory_order_relaxed);
    return n <= kRoom - used ? tail_->values + used : nullptr;
  }
  // The same in another chunk; null if there is no memory.
  T* RoomInFresh() {
    auto* const fresh = new (std::nothrow) Chunk<T, kRoom>;
    if (fresh == nullptr) return nullptr;
    tail_->next.store(fresh, std::memory_order_release);
    tail_ = fresh;
    return tail_->values;
  }
  void Publish(int n) {
    tail_->count.store(tail_->count.load(std::memory_order_relaxed) + n,
                       std::memory_order_release);
  }

  // Calls visit(values, n) of each chunk.
  template <class F>
  void Visit(F&& visit) const {
    for (auto* c = head_; c != nullptr;
         c = c->next.load(std::memory_order_acquire)) {
      visit(c->values, c->count.load(std::memory_order_acquire));
    }
  }
  // Its thread may still write to the last chunk, and looks at no other.
  template <class F>
  void DropAllButLast(F&& drop) {
    for (;;) {
      auto* const next = head_->next.load(std::memory_order_acquire);
      if (next == nullptr) return;
      drop(head_->values, head_->count.load(std::memory_order_acquire));
      delete std::exchange(head_, next);
    }
  }

 private:
  Chunk<T, kRoom>* head_;
  Chunk<T, kRoom>* tail_;
};

class EventLog::Log {
 public:
  explicit Log(std::shared_ptr<Session> session)
      : session(std::move(session)),
        number(ThreadNumber()),
        name(NameOfThisThread()) {}
  ~Log() { events_.Visit(DropDetails); }

  void Add(const Event& event, const RunCount* runs);
  void AddRun(const RunTypes& types, int64_t start,
              std::span<const int64_t> ends, const RunCount* runs);
  RunCount* NewRunCount() { return &run_counts_.emplace_back(1); }
  std::vector<Event> Events() const;
  void DropAllButLast() {
    events_.DropAllButLast(DropDetails);
    runs_.DropAllButLast([](const int64_t*, int) {});
  }

  const std::shared_ptr<Session> session;
  const uint64_t number;
  const std::string name;

 private:
  static void DropDetails(const Written* events, int n) {
    for (int i = 0; i < n; ++i) delete events[i].event.detail;
  }
  // Of this many events more; false if there is none.
  bool TakeRoom(int64_t events, int64_t wanted);

  Chunks<Written, kEventsPerChunk> events_;
  Chunks<int64_t, kWordsPerChunk> runs_;
  std::deque<RunCount> run_counts_;
};

struct EventLog::Session {
  uint32_t number = 0;
  int64_t start = 0, start_clock = 0, start_nanoseconds = 0;
  std::atomic<int64_t> room{kMaxEvents};
  std::atomic<int64_t> dropped{0};
  // Under Lock().
  bool running = true;
  std::vector<std::shared_ptr<Log>> logs;
  std::vector<Ref<const EventTypes>> kept;

  // The one that runs now or ran last.
  static std::shared_ptr<Session>& Last() {
    static auto* last = new std::shared_ptr<Session>;
    return *last;
  }
};

struct EventLog::ThisThread {
  std::shared_ptr<Log> log;
};

bool EventLog::Log::TakeRoom(int64_t events, int64_t wanted) {
  if (session->room.fetch_sub(events, std::memory_order_relaxed) >= events) {
    return true;
  }
  session->room.store(0, std::memory_order_relaxed);
  session->dropped.fetch_add(wanted, std::memory_order_relaxed);
  return false;
}

void EventLog::Log::Add(const Event& event, const RunCount* runs) {
  Written* to = events_.Room(1);
  if (to == nullptr) {
    if (TakeRoom(kEventsPerChunk, 1)) to = events_.RoomInFresh();
    if (to == nullptr) {
      delete event.detail;
      return;
    }
  }
  new (to) Written{event, runs};
  events_.Publish(1);
}

void EventLog::Log::AddRun(const RunTypes& types, int64_t start,
                           std::span<const int64_t> ends,
                           const RunCount* runs) {
  const int parts = static_cast<int>(ends.size()), n = parts + kWordsOfRun;
  if (n > kWordsPerChunk) {
    int64_t began = start;
    for (int i = 0; i < parts; ++i) {
      if (ends[i] > 0) Add({&types.Part(i), nullptr, began, ends[i]}, runs);
      if (ends[i] != 0) began = std::abs(ends[i]);
    }
    return Add({&types.Whole(), nullptr, start, began}, runs);
  }
  int64_t* to = runs_.Room(n);
  if (to == nullptr) {
    if (TakeRoom(kEventsPerChunk, parts + 1)) to = runs_.RoomInFresh();
    if (to == nullptr) return;
  }
  to[0] = AsWord(&types);
  to[1] = AsWord(runs);
  to[2] = start;
  to[3] = parts;
  std::copy(ends.begin(), ends.end(), to + kWordsOfRun);
  runs_.Publish(n);
}

std::vector<Event> EventLog::Log::Events() const {
  std::vector<Event> all;
  events_.Visit([&](const Written* events, int n) {
    for (int i = 0; i < n; ++i) {
      all.push_back(events[i].event);
      all.back().runs = RunsOf(events[i].runs);
    }
  });
  const size_t plain = all.size();
  runs_.Visit([&](const int64_t* words, int n) {
    while (n > 0) {
      const auto& types = *AsPointer<RunTypes>(words[0]);
      const int64_t runs = RunsOf(AsPointer<RunCount>(words[1]));
      const int64_t start = words[2];
      const std::span ends(words + kWordsOfRun, static_cast<size_t>(words[3]));
      int64_t began = start;
      for (size_t i = 0; i < ends.size(); ++i) {
        if (ends[i] > 0) {
          const EventType& part = types.Part(static_cast<int>(i));
          all.push_back({&part, nullptr, began, ends[i], runs});
        }
        if (ends[i] != 0) began = std::abs(ends[i]);
      }
      all.push_back({&types.Whole(), nullptr, start, began, runs});
      words += kWordsOfRun + ends.size();
      n -= kWordsOfRun + static_cast<int>(ends.size());
    }
  });
  // What lies within another one ended first, at the latest together.
  if (all.size() > plain) {
    std::stable_sort(
        all.begin(), all.end(), [](const Event& a, const Event& b) {
          return a.end != b.end ? a.end < b.end : a.start > b.start;
        });
  }
  return all;
}

struct Recording::Held {
  std::vector<std::shared_ptr<EventLog::Log>> logs;
  std::vector<Ref<const EventTypes>> kept;

  ~Held() {
    for (const auto& log : logs) log->DropAllButLast();
  }
};

Recording::Recording() = default;
Recording::~Recording() = default;
Recording::Recording(Recording&&) noexcept = default;

int64_t EventLog::Now() {
#if defined(__x86_64__)
  static const bool steady = CountsSteadily();
  if (steady) [[likely]]
    return static_cast<int64_t>(__rdtsc());
#endif
  return Read(CLOCK_MONOTONIC);
}

const std::shared_ptr<EventLog::Log>& EventLog::LogHere() {
  static const auto* const none = new std::shared_ptr<Log>;
  std::shared_ptr<Log>& log = PerThread<ThisThread, ThisThread>::Get().log;
  if (log != nullptr &&
      log->session->number == last_number_.load(std::memory_order_relaxed))
      [[likely]] {
    return log;
  }
  std::shared_ptr<Session> session;
  {
    std::lock_guard lock(Lock());
    session = Session::Last();
  }
  if (session == nullptr) return *none;
  auto fresh = std::make_shared<Log>(session);
  {
    std::lock_guard lock(Lock());
    if (!session->running) return *none;
    session->logs.push_back(fresh);
  }
  log = std::move(fresh);
  return log;
}

bool EventLog::Keep(const EventTypes& holder, const Log& log) {
  std::lock_guard lock(Lock());
  Session& session = *log.session;
  if (!session.running) return false;
  if (holder.kept_by_.exchange(session.number, std::memory_order_relaxed) !=
      session.number) {
    session.kept.push_back(Ref<const EventTypes>(&holder));
  }
  return true;
}

std::shared_ptr<EventLog::RunCount> EventLog::NewRunCount() {
  const std::shared_ptr<Log>& log = LogHere();
  if (log == nullptr) return nullptr;
  return {log, log->NewRunCount()};
}

void EventLog::Add(const EventType& type, int64_t start, int64_t end,
                   std::unique_ptr<EventDetail> detail, const RunCount* runs) {
  Log* const log = LogHere().get();
  if (log == nullptr) return;
  const EventTypes* const holder = type.holder_;
  if (holder != nullptr && holder->kept_by_.load(std::memory_order_relaxed) !=
                               log->session->number) [[unlikely]] {
    if (!Keep(*holder, *log)) return;
  }
  log->Add({&type, detail.release(), start, end}, runs);
}

void EventLog::AddRun(const RunTypes& types, int64_t start,
                      std::span<const int64_t> ends, const RunCount* runs) {
  Log* const log = LogHere().get();
  // One that began before the recording is none of its.
  if (log == nullptr || start < log->session->start) return;
  if (types.kept_by_.load(std::memory_order_relaxed) != log->session->number)
      [[unlikely]] {
    if (!Keep(types, *log)) return;
  }
  log->AddRun(types, start, ends, runs);
}

Status EventLog::Start(Level level, bool samples) {
  auto session = std::make_shared<Session>();
  std::shared_ptr<Session> old;
  std::lock_guard lock(Lock());
  std::shared_ptr<Session>& last = Session::Last();
  if (last != nullptr && last->running) {
    return AlreadyExists("Another profiler is running.");
  }
  clock_cost_.store(MeasuredClockCost());
  samples_.store(samples);
  session->number = last_number_.load() + 1;
  session->start_nanoseconds = Read(CLOCK_REALTIME);
  session->start_clock = Read(CLOCK_MONOTONIC);
  session->start = Now();
  old = std::exchange(last, session);
  last_number_.store(session->number);
  level_.store(level);
  return OkStatus();
}

StatusOr<Recording> EventLog::Stop() {
  Recording all;
  all.held_ = std::make_unique<Recording::Held>();
  std::shared_ptr<Session> session;
  int64_t ticks = 0;
  {
    std::lock_guard lock(Lock());
    session = Session::Last();
    if (session == nullptr || !session->running) {
      return Status(Code::kUnavailable,
                    "Cannot export profiling results. No profiler is "
                    "running.");
    }
    level_.store(kOff);
    session->running = false;
    ticks = Now();
    all.stop = Read(CLOCK_MONOTONIC);
    all.held_->logs.swap(session->logs);
    all.held_->kept.swap(session->kept);
  }
  all.start = session->start_clock;
  const TickScale scale(session->start, all.start, ticks, all.stop);
  all.start_nanoseconds = session->start_nanoseconds;
  all.dropped = session->dropped.load();
  for (const auto& log : all.held_->logs) {
    Recording::Thread thread{log->number, log->name, log->Events()};
    for (Event& event : thread.events) {
      event.start = scale.Nanoseconds(event.start);
      event.end = scale.Nanoseconds(event.end);
    }
    if (!thread.events.empty()) all.threads.push_back(std::move(thread));
  }
  return all;
}

EventSpan::EventSpan(EventKind kind, std::string_view verb,
                     std::string_view object)
    : EventSpan(NamedEvents(kind)) {
  if (!recorded()) return;
  detail_ = std::make_unique<NamedDetail>(Format("{} {}", verb, object));
}

const EventType& NamedEvents(EventKind kind) {
  static const NamedEvent all[] = {
      NamedEvent(EventKind::kOp),         NamedEvent(EventKind::kInstruction),
      NamedEvent(EventKind::kFunction),   NamedEvent(EventKind::kTracing),
      NamedEvent(EventKind::kPlanning),   NamedEvent(EventKind::kStage),
      NamedEvent(EventKind::kAnnotation), NamedEvent(EventKind::kWork)};
  return all[static_cast<int>(kind)];
}

}  // namespace gk
