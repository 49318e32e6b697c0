// FunctionProfile: where the time of one call of a function goes, by what runs
// and by line of the user's program. Prints as a table and, for notebooks, as
// a picture of one.
#ifndef GK_PROFILER_FUNCTION_PROFILE_H_
#define GK_PROFILER_FUNCTION_PROFILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/event_log.h"
#include "base/function_ref.h"
#include "base/status.h"
#include "framework/graph.h"
#include "kernels/machine_peak.h"

namespace gk {

class ConcreteFunction;

// What one instruction did in a call.
struct ProfileRow {
  std::string name;      // "MatMul", "Mul+AddV2+Relu"
  std::string node;      // "dense/MatMul"; empty of ops that ran by themselves
  std::string kind;      // "kernel", "cluster", "op"
  std::string lines;     // "model.py:12", where the user's program made it
  std::string function;  // of the graph that it is part of
  std::string shapes;    // "(float32[2,3]) -> float32[2]", of the first run
  int64_t calls = 0;
  double seconds = 0;   // without what ran inside of it
  double share = 0;     // of the call's, 0 to 1
  double flops = 0;     // operations
  double bytes = 0;     // read and written
  double memory = 0;    // of the results of one run
  double attained = 0;  // of the machine's peak, 0 to 1; 0 if unknown
};

struct FunctionProfile {
  std::string name;
  int runs = 1;              // of which all else is the mean
  double seconds = 0;        // of a call, without tracing and planning
  double other_seconds = 0;  // of that, what no row has
  double tracing_seconds = 0, planning_seconds = 0;
  double memory = 0;  // peak of the plans' own, without arguments
  MachinePeak peak;
  std::vector<ProfileRow> rows;  // the longest first
};

// Would nobody notice if it ran more often?
bool MayRunAgain(const GraphFunction& function);

// Runs `call` on this thread and tells where its time went. If it may run
// `again` it does so for some milliseconds, after a first time that does not
// count. AlreadyExists if a profiler runs; what `call` says if it fails.
StatusOr<FunctionProfile> ProfileCall(const std::string& name,
                                      FunctionRef<Status()> call,
                                      bool again = false);
// Of a call of `function`, with the memory of its plans.
StatusOr<FunctionProfile> ProfileCall(const ConcreteFunction& function,
                                      FunctionRef<Status()> call);
// Of a recording with so many calls by a thread of this ThreadNumber().
FunctionProfile ProfileOf(const std::string& name, const Recording& recording,
                          uint64_t thread, int runs = 1);

// Of the first `most` rows.
std::string ProfileText(const FunctionProfile& profile, size_t most = 30);
std::string ProfileHtml(const FunctionProfile& profile, size_t most = 30);

}  // namespace gk

#endif  // GK_PROFILER_FUNCTION_PROFILE_H_
