#include "base/event_log.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/thread_number.h"
#include "base/thread_pool.h"

namespace gk {
namespace {

// Tells when it is destroyed.
class CountedTypes final : public EventTypes {
 public:
  explicit CountedTypes(int* destroyed) : type(this), destroyed_(destroyed) {}
  ~CountedTypes() override { ++*destroyed_; }

  class Type final : public EventType {
   public:
    explicit Type(const EventTypes* holder)
        : EventType(EventKind::kOp, holder) {}
    void Tell(const EventDetail*, EventFacts* facts) const override {
      facts->name = "kept";
    }
  };
  const Type type;

 private:
  int* const destroyed_;
};

struct CountedDetail final : EventDetail {
  explicit CountedDetail(std::atomic<int>* count) : live(count) { ++*live; }
  ~CountedDetail() override { --*live; }
  std::atomic<int>* const live;
};

const EventType& Annotations() { return NamedEvents(EventKind::kAnnotation); }

std::string EventNameOf(const Event& event) {
  EventFacts facts;
  event.type->Tell(event.detail, &facts);
  return facts.name;
}

const Recording::Thread* Find(const Recording& recording, uint64_t number) {
  for (const auto& thread : recording.threads) {
    if (thread.number == number) return &thread;
  }
  return nullptr;
}

TEST(EventLog, RecordsBetweenStartAndStop) {
  { const EventSpan before(EventKind::kAnnotation, "not", "recorded"); }
  ASSERT_TRUE(EventLog::Start(EventLog::kSteps).ok());
  EXPECT_TRUE(EventLog::On());
  EXPECT_FALSE(EventLog::On(EventLog::kOps));
  {
    const EventSpan outer(EventKind::kAnnotation, "the", "outer");
    const EventSpan inner(EventKind::kAnnotation, "the", "inner");
    const EventSpan op(Annotations(), EventLog::kOps);
  }
  const Recording recording = ValueOrThrow(EventLog::Stop());
  EXPECT_FALSE(EventLog::On());
  { const EventSpan after(EventKind::kAnnotation, "not", "recorded"); }
  ASSERT_EQ(recording.threads.size(), 1u);
  const Recording::Thread& thread = recording.threads[0];
  EXPECT_EQ(thread.number, ThreadNumber());
  ASSERT_EQ(thread.events.size(), 2u);
  const Event &inner = thread.events[0], &outer = thread.events[1];
  EXPECT_EQ(EventNameOf(inner), "the inner");
  EXPECT_EQ(EventNameOf(outer), "the outer");
  EXPECT_LE(outer.start, inner.start);
  EXPECT_LE(inner.start, inner.end);
  EXPECT_LE(inner.end, outer.end);
  EXPECT_LE(recording.start, outer.start);
  EXPECT_LE(outer.end, recording.stop);
  EXPECT_GT(recording.start_nanoseconds, int64_t{1'500'000'000'000'000'000});
}

TEST(EventLog, OneRecordingAtATime) {
  EXPECT_EQ(EventLog::Stop().status().code(), Code::kUnavailable);
  ASSERT_TRUE(EventLog::Start(EventLog::kOps).ok());
  const Status again = EventLog::Start(EventLog::kOps);
  EXPECT_EQ(again.code(), Code::kAlreadyExists);
  EXPECT_EQ(again.message(), "Another profiler is running.");
  EXPECT_TRUE(EventLog::Stop().ok());
  EXPECT_EQ(EventLog::Stop().status().code(), Code::kUnavailable);
}

TEST(EventLog, EventsOfThreadsThatEnded) {
  ASSERT_TRUE(EventLog::Start(EventLog::kOps).ok());
  uint64_t number = 0;
  std::thread([&] {
    pthread_setname_np(pthread_self(), "worker");
    number = ThreadNumber();
    for (int i = 0; i < 5000; ++i) {
      EventLog::Add(Annotations(), EventLog::Now(), EventLog::Now());
    }
  }).join();
  const Recording recording = ValueOrThrow(EventLog::Stop());
  const Recording::Thread* const thread = Find(recording, number);
  ASSERT_NE(thread, nullptr);
  EXPECT_EQ(thread->name, "worker");
  ASSERT_EQ(thread->events.size(), 5000u);
  for (int i = 1; i < 5000; ++i) {
    EXPECT_LE(thread->events[i - 1].end, thread->events[i].start);
  }
  EXPECT_LE(recording.start, thread->events[0].start);
  EXPECT_LE(thread->events[4999].end, recording.stop);
}

TEST(EventLog, KeepsTypesAsLongAsTheRecording) {
  int destroyed = 0;
  std::atomic<int> details{0};
  {
    ASSERT_TRUE(EventLog::Start(EventLog::kOps).ok());
    {
      const Ref<CountedTypes> types = MakeRef<CountedTypes>(&destroyed);
      for (int i = 0; i < 3000; ++i) {
        EventLog::Add(types->type, 1, 2,
                      std::make_unique<CountedDetail>(&details));
      }
    }
    EXPECT_EQ(destroyed, 0);
    const Recording recording = ValueOrThrow(EventLog::Stop());
    EXPECT_EQ(destroyed, 0);
    EXPECT_EQ(details, 3000);
    EXPECT_EQ(EventNameOf(recording.threads[0].events[2999]), "kept");
  }
  EXPECT_EQ(destroyed, 1);
  // The last block of a thread stays until its next recording.
  EXPECT_LE(details, 1024);
  ASSERT_TRUE(EventLog::Start(EventLog::kOps).ok());
  EventLog::Add(Annotations(), 1, 2);
  EXPECT_EQ(details, 0);
  EXPECT_EQ(ValueOrThrow(EventLog::Stop()).threads[0].events.size(), 1u);
}

// A run and its parts.
class NumberedTypes final : public RunTypes {
 public:
  explicit NumberedTypes(int parts) : whole_("whole", this) {
    for (int i = 0; i < parts; ++i) {
      parts_.push_back(std::make_unique<Type>(std::to_string(i), this));
    }
  }
  const EventType& Whole() const override { return whole_; }
  const EventType& Part(int i) const override { return *parts_[i]; }

 private:
  class Type final : public EventType {
   public:
    Type(std::string name, const EventTypes* holder)
        : EventType(EventKind::kInstruction, holder), name_(std::move(name)) {}
    void Tell(const EventDetail*, EventFacts* facts) const override {
      facts->name = name_;
    }
    const std::string name_;
  };
  const Type whole_;
  std::vector<std::unique_ptr<const Type>> parts_;
};

TEST(EventLog, RunsBecomeEventsOfTheirParts) {
  ASSERT_TRUE(EventLog::Start(EventLog::kOps).ok());
  {
    const auto types = MakeRef<NumberedTypes>(5);
    const int64_t start = EventLog::Now();
    // The third did not run, an event of its own tells of the fourth.
    std::vector<int64_t> ends = {start + 10'000, start + 30'000, 0,
                                 -(start + 60'000), start + 100'000};
    EventLog::Add(types->Part(3), start + 30'000, start + 60'000);
    // Within the second.
    EventLog::AddRun(*types, start + 12'000, std::vector{start + 20'000});
    EventLog::AddRun(*types, start, ends);
    EventLog::AddRun(*types, start, {});
    // None of this recording.
    EventLog::AddRun(*types, 1, ends);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const Recording recording = ValueOrThrow(EventLog::Stop());
  ASSERT_EQ(recording.threads.size(), 1u);
  std::string names;
  int64_t last = 0;
  std::vector<int64_t> starts;
  for (const Event& event : recording.threads[0].events) {
    names += EventNameOf(event) + " ";
    EXPECT_LE(last, event.end);
    last = event.end;
    starts.push_back(event.start);
  }
  EXPECT_EQ(names, "whole 0 0 whole 1 3 4 whole ");
  EXPECT_LT(starts[1], starts[4]);  // the parts of the outer run
  EXPECT_EQ(starts[7], starts[1]);
  EXPECT_EQ(starts[0], starts[1]);
}

TEST(EventLog, LongRunsAndManyOfThem) {
  ASSERT_TRUE(EventLog::Start(EventLog::kOps).ok());
  const auto types = MakeRef<NumberedTypes>(9000);
  std::vector<int64_t> ends;
  const int64_t start = EventLog::Now();
  for (int i = 0; i < 9000; ++i) ends.push_back(start + 1 + i);
  EventLog::AddRun(*types, start, ends);
  for (int i = 0; i < 3000; ++i) {
    EventLog::AddRun(*types, start, {ends.data(), 7});
  }
  const Recording recording = ValueOrThrow(EventLog::Stop());
  EXPECT_EQ(recording.threads[0].events.size(), 9001u + 3000u * 8);
  EXPECT_EQ(recording.dropped, 0);
}

TEST(EventLog, ThreadsRecordWhileRecordingsBeginAndEnd) {
  int destroyed = 0;
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (!done) {
        const EventSpan span(EventKind::kAnnotation, "a", "span");
        const EventSpan other(EventKind::kTracing, "another", "span");
      }
    });
  }
  size_t events = 0;
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(EventLog::Start(EventLog::kOps).ok());
    const Ref<CountedTypes> types = MakeRef<CountedTypes>(&destroyed);
    EventLog::Add(types->type, 1, 2);
    if (i % 50 == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const Recording recording = ValueOrThrow(EventLog::Stop());
    for (const auto& thread : recording.threads) {
      events += thread.events.size();
      for (const Event& event : thread.events) {
        EXPECT_FALSE(EventNameOf(event).empty());
      }
    }
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(events, 200u);
  EXPECT_EQ(destroyed, 200);
}

TEST(EventLog, HelpersOfThePoolAreSeen) {
  ThreadPool pool(2);
  ASSERT_TRUE(EventLog::Start(EventLog::kAll).ok());
  std::atomic<int> inside{0};
  // Both chunks wait for each other, so that a helper has one of them.
  pool.ParallelFor(2, [&](int64_t) {
    ++inside;
    while (inside < 2) std::this_thread::yield();
  });
  // The helper notes its work once it is done, maybe after the caller went on.
  pool.SetNumThreads(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const Recording recording = ValueOrThrow(EventLog::Stop());
  size_t helpers = 0;
  for (const auto& thread : recording.threads) {
    for (const Event& event : thread.events) {
      if (event.type->kind() != EventKind::kWork) continue;
      EXPECT_EQ(thread.name, "gk_pool");
      EXPECT_NE(thread.number, ThreadNumber());
      ++helpers;
    }
  }
  EXPECT_EQ(helpers, 1u);
}

}  // namespace
}  // namespace gk
