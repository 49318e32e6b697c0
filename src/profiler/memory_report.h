// MemoryReport: what memory the plan of a function needs, when it needs most,
// and for which values, by line of the user's program.
#ifndef GK_PROFILER_MEMORY_REPORT_H_
#define GK_PROFILER_MEMORY_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "framework/graph.h"

namespace gk {

// One value of a plan.
struct MemoryBuffer {
  std::string name;         // of what makes it, "MatMul"
  std::string node;         // "dense/MatMul"
  std::string lines;        // "model.py:12"
  std::string type;         // "float32[64,10]"
  std::string place;        // "arena", "own", "constant", "argument"
  int64_t bytes = 0;        // 0 if its shape is not known
  int first = 0, last = 0;  // instructions from which and until which it lives
  bool at_peak = false;     // does it live when most is needed?
};

// The plan of a function, or of one that it calls.
struct PlanMemory {
  std::string function;
  int num_instructions = 0;
  int64_t peak_bytes = 0;   // of a call: the arena, and own buffers at most
  int64_t arena_bytes = 0;  // one block, in which values take turns
  int64_t sum_bytes = 0;    // of all values in it, if each had its own
  int64_t constant_bytes = 0;
  int64_t argument_bytes = 0;  // of arguments, and variables that are read
  int peak_instruction = 0;    // when most of it is in use
  std::string peak_name, peak_lines;
  int unknown = 0;                    // values of which no size is known ahead
  std::vector<MemoryBuffer> buffers;  // of the arena and own, largest first
};

struct MemoryReport {
  std::string name;
  std::vector<PlanMemory> plans;  // the function's, then those it calls
  int64_t PeakBytes() const;
};

// Of the plan for the shapes of the latest call, or the declared ones. An error
// if none can be made.
StatusOr<MemoryReport> ReportMemory(const GraphFunction& function);

// Of the first `most` buffers of a plan.
std::string MemoryText(const MemoryReport& report, size_t most = 20);
std::string MemoryHtml(const MemoryReport& report, size_t most = 20);

}  // namespace gk

#endif  // GK_PROFILER_MEMORY_REPORT_H_
