// The graphs of functions that run while somebody collects them, for those who
// look at what a program computes (tf.summary.trace_on).
//
// Of the process: functions that any thread calls are collected. Thread-safe.
// While nobody collects a call costs the reading of a flag.
#ifndef GK_FUNCTION_COLLECTED_GRAPHS_H_
#define GK_FUNCTION_COLLECTED_GRAPHS_H_

#include <atomic>
#include <string>

#include "framework/graph.h"

namespace gk {

class CollectedGraphs {
 public:
  // Begins anew.
  static void Start();
  // Forgets what was collected.
  static void Stop();
  static bool collecting() {
    return collecting_.load(std::memory_order_relaxed);
  }
  // A function runs. Each is collected once.
  static void Note(const GraphFunction& function);
  // A serialized RunMetadata with the graph of each function, as it was made
  // and as it runs, in the order in which they ran first, and those that it
  // calls.
  static StatusOr<std::string> RunMetadata();

 private:
  static inline std::atomic<bool> collecting_{false};
};

}  // namespace gk

#endif  // GK_FUNCTION_COLLECTED_GRAPHS_H_
