#include "base/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "base/blocked_signals.h"
#include "base/event_log.h"
#include "base/fork.h"
#include "base/interrupt.h"

namespace gk {
namespace {

constexpr int kSpins = 2000;
constexpr int64_t kInlineNs = 10'000;
constexpr int64_t kSliceNs = 4'000;
constexpr int64_t kMaxSlices = 128;
// Work may end between two slices, so long work gets more of them.
constexpr int64_t kLongSliceNs = 20'000'000;
constexpr int64_t kMaxLongSlices = 4096;
constexpr int kMaxThreads = 1024;
constexpr std::chrono::milliseconds kPoll(50);

inline void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// CPUs that the control group's quota grants, rounded up; 0 for no limit.
int QuotaCpus() {
  int cpus = 0;
  if (std::FILE* f = std::fopen("/sys/fs/cgroup/cpu.max", "re")) {
    long long quota = 0, period = 0;
    if (std::fscanf(f, "%lld %lld", &quota, &period) == 2 && quota > 0 &&
        period > 0) {
      cpus = static_cast<int>(
          std::min<long long>(kMaxThreads, (quota - 1) / period + 1));
    }
    std::fclose(f);
  }
  return cpus;
}

}  // namespace

int AllowedCpus() {
  int cpus = static_cast<int>(std::thread::hardware_concurrency());
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) cpus = CPU_COUNT(&set);
  if (const int quota = QuotaCpus()) cpus = std::min(cpus, quota);
  return std::clamp(cpus, 1, kMaxThreads);
}

// Lives on the caller's stack: listed in the State until the caller has run
// out of chunks, and kept alive after that while `active` is not zero.
struct ThreadPool::Job {
  Job(int64_t n, FunctionRef<void(int64_t)> f) : chunks(n), fn(f) {}
  const int64_t chunks;
  const FunctionRef<void(int64_t)> fn;
  std::atomic<int64_t> next{0};
  std::atomic<int> active{0};
  // Of the thread that set `failed`, read when nobody is active any more.
  std::atomic<bool> failed{false};
  std::exception_ptr thrown;
  Job* link = nullptr;

  void Fail(std::exception_ptr e) {
    next.store(chunks, std::memory_order_relaxed);
    if (!failed.exchange(true)) thrown = std::move(e);
  }
};

// What workers see. Shared by the pool and its workers, so that either may go
// first; a forked child leaves the old one behind and makes a new one.
struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable done;
  Job* jobs = nullptr;
  int live = 0;    // Workers started and not gone.
  int parked = 0;  // Of those, how many wait on `wake`.
  int limit = 0;   // Workers wanted; negative when the pool is gone.
  std::atomic<uint32_t> signal{0};
  std::atomic<int> waiters{0};
  std::atomic<int> owners{1};

  void Release() {
    if (owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  void Remove(Job* job) {
    Job** p = &jobs;
    while (*p != job) p = &(*p)->link;
    *p = job->link;
  }
  // Under the mutex: joins a job that has chunks left.
  Job* Join() {
    for (Job* job = jobs; job; job = job->link) {
      if (job->next.load(std::memory_order_relaxed) < job->chunks) {
        job->active.fetch_add(1, std::memory_order_relaxed);
        return job;
      }
    }
    return nullptr;
  }
};

// All pools, for the fork handlers: locks are held across fork() so that the
// child's copy is consistent, then the child drops what had workers.
struct ThreadPool::Registry {
  std::mutex mutex;
  ThreadPool* pools = nullptr;

  static Registry& Get() {
    static Registry* const registry = [] {
      auto* r = new Registry;
      OnFork(ForkStage::kThreads, &Prepare, &Parent, &Child);
      return r;
    }();
    return *registry;
  }
  static void Prepare() {
    Registry& r = Get();
    r.mutex.lock();
    for (ThreadPool* p = r.pools; p; p = p->next_) {
      p->state_.load()->mutex.lock();
    }
  }
  static void Parent() {
    Registry& r = Get();
    for (ThreadPool* p = r.pools; p; p = p->next_) {
      p->state_.load()->mutex.unlock();
    }
    r.mutex.unlock();
  }
  static void Child() {
    Registry& r = Get();
    for (ThreadPool* p = r.pools; p; p = p->next_) {
      State* old = p->state_.load();
      old->mutex.unlock();
      // Condition variables with waiters that are gone cannot be reused or
      // destroyed: the old state stays behind, unless it never had workers.
      if (old->live > 0 || old->jobs) {
        p->state_.store(new State);
      }
    }
    r.mutex.unlock();
  }
};

ThreadPool::ThreadPool(int threads) : num_threads_(1), state_(new State) {
  SetNumThreads(threads);
  Registry& r = Registry::Get();
  std::lock_guard lock(r.mutex);
  next_ = r.pools;
  r.pools = this;
}

ThreadPool::~ThreadPool() {
  Registry& r = Registry::Get();
  {
    std::lock_guard lock(r.mutex);
    ThreadPool** p = &r.pools;
    while (*p != this) p = &(*p)->next_;
    *p = next_;
  }
  State* state = state_.load();
  {
    std::lock_guard lock(state->mutex);
    state->limit = -1;
    state->signal.fetch_add(1, std::memory_order_release);
  }
  state->wake.notify_all();
  state->Release();
}

ThreadPool& ThreadPool::Global() {
  static ThreadPool* const pool = new ThreadPool;
  return *pool;
}

void ThreadPool::SetNumThreads(int threads) {
  if (threads <= 0) threads = AllowedCpus();
  num_threads_.store(std::min(threads, kMaxThreads));
  State* state = state_.load();
  {
    std::lock_guard lock(state->mutex);
    state->limit = num_threads() - 1;
    state->signal.fetch_add(1, std::memory_order_release);
  }
  state->wake.notify_all();
}

void ThreadPool::RunChunks(Job& job) {
  const EndsWith together(job.failed);
  for (;;) {
    const int64_t i = job.next.fetch_add(1, std::memory_order_relaxed);
    if (i >= job.chunks) return;
    try {
      job.fn(i);
      PollInterrupt();
    } catch (...) {
      job.Fail(std::current_exception());
      return;
    }
  }
}

void* ThreadPool::Work(void* arg) {
  State& state = *static_cast<State*>(arg);
  pthread_setname_np(pthread_self(), "gk_pool");
  std::unique_lock lock(state.mutex);
  while (state.live <= state.limit) {
    if (Job* job = state.Join()) {
      lock.unlock();
      {
        const EventSpan span(NamedEvents(EventKind::kWork), EventLog::kAll);
        RunChunks(*job);
      }
      // The job may be gone right after this.
      if (job->active.fetch_sub(1) == 1 && state.waiters.load() > 0) {
        lock.lock();
        state.done.notify_all();
      } else {
        lock.lock();
      }
      continue;
    }
    const uint32_t seen = state.signal.load(std::memory_order_acquire);
    lock.unlock();
    bool called = false;
    for (int i = 0; i < kSpins && !called; ++i) {
      Pause();
      called = state.signal.load(std::memory_order_acquire) != seen;
    }
    lock.lock();
    if (called) continue;
    ++state.parked;
    state.wake.wait(lock, [&] { return state.signal.load() != seen; });
    --state.parked;
  }
  --state.live;
  lock.unlock();
  state.Release();
  return nullptr;
}

// Under the mutex. Failing to start one means less help, nothing else.
void ThreadPool::StartWorkers(State& state, int wanted) {
  state.limit = num_threads() - 1;
  wanted = std::min(wanted, state.limit);
  while (state.live < wanted) {
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) != 0) return;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    state.owners.fetch_add(1, std::memory_order_relaxed);
    ++state.live;
    pthread_t thread;
    const BlockedSignals blocked;
    const int error = pthread_create(&thread, &attr, &Work, &state);
    pthread_attr_destroy(&attr);
    if (error != 0) {
      --state.live;
      state.owners.fetch_sub(1, std::memory_order_relaxed);
      return;
    }
  }
}

void ThreadPool::ParallelFor(int64_t chunks, FunctionRef<void(int64_t)> fn) {
  if (chunks <= 1 || num_threads() <= 1) {
    for (int64_t i = 0; i < chunks; ++i) {
      fn(i);
      if (chunks > 1) PollInterrupt();
    }
    return;
  }
  State& state = *state_.load(std::memory_order_acquire);
  Job job(chunks, fn);
  const int helpers =
      static_cast<int>(std::min<int64_t>(chunks - 1, kMaxThreads));
  int wake = 0;
  {
    std::lock_guard lock(state.mutex);
    if (state.live < num_threads() - 1) StartWorkers(state, helpers);
    job.link = state.jobs;
    state.jobs = &job;
    state.signal.fetch_add(1, std::memory_order_release);
    wake = std::min(state.parked, helpers);
  }
  for (; wake > 0; --wake) state.wake.notify_one();
  RunChunks(job);
  {
    std::lock_guard lock(state.mutex);
    state.Remove(&job);
  }
  WaitUntilLeft(state, job);
  if (job.failed.load(std::memory_order_relaxed)) [[unlikely]] {
    std::rethrow_exception(job.thrown);
  }
}

// Workers may be long, so the caller asks meanwhile whether to go on.
void ThreadPool::WaitUntilLeft(State& state, Job& job) {
  for (int i = 0; i < kSpins; ++i) {
    if (job.active.load(std::memory_order_acquire) == 0) return;
    Pause();
  }
  state.waiters.fetch_add(1);
  const auto left = [&] { return job.active.load() == 0; };
  std::unique_lock lock(state.mutex);
  while (!state.done.wait_for(lock, kPoll, left)) {
    lock.unlock();
    try {
      ThrowIfError(CheckInterrupt());
    } catch (...) {
      job.Fail(std::current_exception());
    }
    lock.lock();
  }
  lock.unlock();
  state.waiters.fetch_sub(1);
}

void ThreadPool::ParallelRange(int64_t n, int64_t cost_ns_per_item,
                               FunctionRef<void(int64_t, int64_t)> fn) {
  if (n <= 0) return;
  int64_t total;
  if (__builtin_mul_overflow(n, std::max<int64_t>(cost_ns_per_item, 0),
                             &total)) {
    total = INT64_MAX;
  }
  if (n == 1 || total < kInlineNs) return fn(0, n);
  const int64_t wanted =
      std::clamp(total / kLongSliceNs, kMaxSlices, kMaxLongSlices);
  const int64_t slices = std::min({wanted, total / kSliceNs, n});
  const int64_t each = n / slices, extra = n % slices;
  const auto start = [=](int64_t i) { return i * each + std::min(i, extra); };
  ParallelFor(slices, [&](int64_t i) { fn(start(i), start(i + 1)); });
}

}  // namespace gk
