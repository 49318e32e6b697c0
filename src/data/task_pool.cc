#include "data/task_pool.h"

#include <cxxabi.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/blocked_signals.h"
#include "base/fork.h"

namespace gk {
namespace {

// Tasks may all be waiting for something outside; more than this at once
// stand in line.
constexpr int kMaxThreads = 64;
constexpr auto kIdle = std::chrono::seconds(5);

std::atomic<int> generation{0};

}  // namespace

struct TaskPool::State {
  std::mutex mutex;
  std::condition_variable wake, idle_changed;
  std::deque<std::function<void()>> tasks;
  int threads = 0, idle = 0;

  void Work() {
    pthread_setname_np(pthread_self(), "gk_data");
    std::unique_lock lock(mutex);
    while (true) {
      ++idle;
      idle_changed.notify_all();
      const bool called =
          wake.wait_for(lock, kIdle, [this] { return !tasks.empty(); });
      --idle;
      if (!called) break;
      {
        const std::function<void()> task = std::move(tasks.front());
        tasks.pop_front();
        lock.unlock();
        try {
          task();
        } catch (const abi::__forced_unwind&) {
          throw;
        } catch (...) {
          // Tasks hand what becomes of them to whoever waits; of what fails
          // beyond that nobody could be told.
        }
      }  // What it held goes before the lock is taken.
      lock.lock();
    }
    --threads;
    idle_changed.notify_all();
  }
};

TaskPool::TaskPool() : state_(new State) {
  OnFork(
      ForkStage::kThreads, [] { Global().state_->mutex.lock(); },
      [] { Global().state_->mutex.unlock(); },
      [] {
        // The threads are gone, and with them whoever waited.
        Global().state_ = new State;
        ++generation;
      });
}

TaskPool& TaskPool::Global() {
  static TaskPool* const pool = new TaskPool;
  return *pool;
}

int TaskPool::Generation() { return generation.load(); }

bool TaskPool::Schedule(std::function<void()> task) {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  const bool start =
      s.idle <= static_cast<int>(s.tasks.size()) && s.threads < kMaxThreads;
  if (start) {
    try {
      const BlockedSignals blocked;
      std::thread([&s] { s.Work(); }).detach();
      ++s.threads;
    } catch (const std::exception&) {
      if (s.threads == 0) return false;
    }
  }
  s.tasks.push_back(std::move(task));
  lock.unlock();
  s.wake.notify_one();
  return true;
}

bool TaskPool::WaitUntilIdle(int milliseconds) {
  State& s = *state_;
  std::unique_lock lock(s.mutex);
  return s.idle_changed.wait_for(
      lock, std::chrono::milliseconds(milliseconds),
      [&s] { return s.tasks.empty() && s.idle == s.threads; });
}

}  // namespace gk
