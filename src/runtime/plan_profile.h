// PlanProfile: how often each instruction of a plan ran and how long it took.
//
// Kept only where the environment variable GK_PLAN_PROFILE names a file when
// the plan is made, or Want() was called; all profiles of the process are
// written to that file when it ends. Thread-safe. Costs four readings of clocks
// an instruction.
#ifndef GK_RUNTIME_PLAN_PROFILE_H_
#define GK_RUNTIME_PLAN_PROFILE_H_

#include <atomic>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

namespace gk {

class Plan;

class PlanProfile {
  struct Line {
    std::string text;
    std::atomic<int64_t> runs{0}, wall_ns{0}, cpu_ns{0};
  };

 public:
  // Null where no profile is wanted. Shared with the list of all profiles.
  static std::shared_ptr<PlanProfile> MakeIfWanted(const Plan& plan);
  // From now on.
  static void Want();
  // Table() of each, in the order in which their plans were made.
  static std::string AllTables();

  explicit PlanProfile(const Plan& plan);

  // Adds the time from its construction to its destruction to a line.
  class Timer {
   public:
    Timer(PlanProfile& profile, int instruction)
        : line_(profile.lines_[instruction]),
          wall_(Now(CLOCK_MONOTONIC)),
          cpu_(Now(CLOCK_THREAD_CPUTIME_ID)) {}
    ~Timer() {
      line_.cpu_ns += Now(CLOCK_THREAD_CPUTIME_ID) - cpu_;
      line_.wall_ns += Now(CLOCK_MONOTONIC) - wall_;
      ++line_.runs;
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

   private:
    Line& line_;
    const int64_t wall_, cpu_;
  };

  // One line an instruction: mean microseconds that passed, share of the
  // plan's time in percent, mean microseconds of the calling thread's CPU
  // time (less: it waited for a worker or for the machine), the plan's own
  // line about it and the shapes it makes.
  std::string Table() const;

 private:
  static int64_t Now(clockid_t clock);

  std::string name_;
  std::vector<Line> lines_;
};

}  // namespace gk

#endif  // GK_RUNTIME_PLAN_PROFILE_H_
