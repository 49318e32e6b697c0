// gk::profiler: what a program does and how long it takes, as files that
// TensorBoard's page of profiles and Perfetto (https://ui.perfetto.dev) show,
// and as tables of one function.
//
//   gk::profiler::Profile profile("/tmp/logs");
//   for (int step = 0; step < 10; ++step) {
//     gk::profiler::Trace trace("train", {{"step_num", step}, {"_r", 1}});
//     train();
//   }
//   profile.stop();
//
//   std::cout << train_step.profile(images, labels) << std::endl;
//   std::cout << train_step.memory_report() << std::endl;
//
// One profile is made at a time, of all threads of the process. While none is,
// what is here costs the reading of a flag; functions throw Error.
#ifndef GRAPHKILN_PROFILER_H_
#define GRAPHKILN_PROFILER_H_

#include <graphkiln/export.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gk {
GK_API_NAMESPACE {
  class ConcreteFunction;

  namespace profiler {

  // What a profile records.
  struct ProfilerOptions {
    // 0: nothing; 1: functions, stages of datasets and traces; 2: each op and
    // fused group, too; 3: also what the threads that help them do. Below 3,
    // of functions that are so short that it would take 3 % of their time, some
    // runs are recorded, which say by "runs" for how many they stand.
    int host_tracer_level = 2;
    // Of Python's functions and of other devices: there are none here.
    int python_tracer_level = 0;
    int device_tracer_level = 1;
    // What begins earlier than so many milliseconds is left out.
    std::optional<int> delay_ms = {};
  };

  // Begins a profile. Throws Error (AlreadyExists) if one is being made.
  // `logdir` is looked at when it is written.
  GK_EXPORT void start(const std::string& logdir,
                       const ProfilerOptions& options = {});
  // Ends it and, unless told otherwise, writes
  // `logdir`/plugins/profile/TIME/HOST.xplane.pb and HOST.trace.json.gz. Throws
  // Error: Unavailable if none is being made, or what keeps it from writing; it
  // has ended then, too.
  GK_EXPORT void stop(bool save = true);

  // What a server of profiles answers to the gRPC call
  // /tensorflow.ProfilerService/`method` ("Profile", "Monitor", "Terminate"),
  // message for message: for programs that have a gRPC of their own, which
  // TensorFlow's and TensorBoard's clients then can profile. Blocks as long as
  // the request says, or until `goes_on` says no. Throws Error, whose code the
  // call is to end with.
  GK_EXPORT std::string answer(
      const std::string& method, const std::string& request,
      const std::function<bool()>& goes_on = [] { return true; });

  // A profile from where it is made to stop(), or where it goes out of scope;
  // then what cannot be written is not.
  class GK_EXPORT Profile {
   public:
    // Begins it; throws as start().
    explicit Profile(const std::string& logdir,
                     const ProfilerOptions& options = {});
    ~Profile();
    Profile(const Profile&) = delete;
    Profile& operator=(const Profile&) = delete;

    // Ends it now; throws as the function of that name. Once.
    void stop();

   private:
    bool running_ = true;
  };

  // What a trace is told with: numbers and texts by name.
  class TraceValue {
   public:
    // An integer.
    TraceValue(std::integral auto v) : value_(static_cast<int64_t>(v)) {}
    // A number.
    TraceValue(std::floating_point auto v) : value_(static_cast<double>(v)) {}
    // A text.
    TraceValue(std::string v) : value_(std::move(v)) {}
    // A text.
    TraceValue(const char* v) : value_(std::string(v)) {}

    // What it was made of.
    const std::variant<int64_t, double, std::string>& value() const {
      return value_;
    }

   private:
    std::variant<int64_t, double, std::string> value_;
  };
  using TraceMetadata = std::vector<std::pair<std::string, TraceValue>>;

  // An event of the program's own, from where it is made to where it goes out
  // of scope, on one thread. TensorBoard takes those with "step_num" and "_r"
  // for the steps of a training.
  class GK_EXPORT Trace {
   public:
    // Begins; costs nothing but a flag's reading if nothing is recorded.
    explicit Trace(const std::string& name, const TraceMetadata& metadata = {});
    ~Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    // More of it.
    void set_metadata(const std::string& name, const TraceValue& value);

   private:
    struct Rep;
    std::unique_ptr<Rep> rep_;  // null: nothing is recorded
  };

  // What one instruction of a function did in a call.
  struct ProfileRow {
    std::string name;      // "MatMul", "Mul+AddV2+Relu" of a fused group
    std::string node;      // of the graph, "dense/MatMul"
    std::string kind;      // "kernel", "tile", "cluster", "loop", "op", ...
    std::string lines;     // "model.py:12", of a program in Python
    std::string function;  // whose graph it is part of
    std::string shapes;    // "(float32[2,3]) -> float32[2]", of the first run
    int64_t calls = 0;
    double seconds = 0;  // without what ran inside of it
    double share = 0;    // of the call's, from 0 to 1
    double flops = 0;    // additions and multiplications
    double bytes = 0;    // that it read and wrote
    double memory = 0;   // bytes of the results of one run
    // Of what this machine does at most, by operations or by bytes, whichever
    // is nearer; from 0, where the operations are not known, to 1.
    double attained = 0;
  };

  // Where the time of one call of a function went; prints as a table.
  struct GK_EXPORT FunctionProfile {
    std::string name;
    int runs = 1;              // calls, of which all else is the mean
    double seconds = 0;        // of a call, without tracing and planning
    double other_seconds = 0;  // of that, what no row has
    double tracing_seconds = 0, planning_seconds = 0;
    double memory = 0;  // bytes at the peak, without arguments
    // Of this machine, measured: float32 operations and bytes a second.
    double peak_flops = 0, peak_bandwidth = 0;
    std::vector<ProfileRow> rows;  // the longest first

    // The same as lines of text.
    std::string to_string() const { return text; }
    // A table with bars, for notebooks and pages.
    std::string to_html() const { return html; }

    // --- For the library itself.
    std::string text, html;
  };
  GK_EXPORT std::ostream& operator<<(std::ostream& out,
                                     const FunctionProfile& profile);

  // A value that the plan of a function makes room for.
  struct MemoryBuffer {
    std::string name;   // of what makes it, "MatMul"
    std::string node;   // "dense/MatMul"
    std::string lines;  // "model.py:12"
    std::string type;   // "float32[64,10]"
    std::string place;  // "arena": within the plan's block; "own"
    int64_t bytes = 0;  // 0 if its shape is not known ahead
    int first = 0,
        last = 0;          // instructions from which and until which it lives
    bool at_peak = false;  // does it live when most is in use?
  };

  // The plan of a function, or of one that it calls.
  struct PlanMemory {
    std::string function;
    int num_instructions = 0;
    int64_t peak_bytes = 0;   // of a call
    int64_t arena_bytes = 0;  // of that, the block in which values take turns
    int64_t sum_bytes = 0;    // of the values in it, if each had its own
    int64_t constant_bytes = 0, argument_bytes = 0;
    int peak_instruction = 0;  // when most is in use
    std::string peak_name, peak_lines;
    int unknown = 0;                    // values whose size is not known ahead
    std::vector<MemoryBuffer> buffers;  // the largest first
  };

  // What memory a function needs; prints as tables.
  struct GK_EXPORT MemoryReport {
    std::string name;
    int64_t peak_bytes = 0;         // of all plans
    std::vector<PlanMemory> plans;  // the function's own first

    // The same as lines of text.
    std::string to_string() const { return text; }
    // Tables with bars, for notebooks and pages.
    std::string to_html() const { return html; }

    // --- For the library itself.
    std::string text, html;
  };
  GK_EXPORT std::ostream& operator<<(std::ostream& out,
                                     const MemoryReport& report);

  }  // namespace profiler

  namespace detail {

  // Runs a call of a function that has been traced.
  GK_EXPORT profiler::FunctionProfile ProfileOfCall(
      const ConcreteFunction& traced, const std::function<void()>& call);

  }  // namespace detail
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_PROFILER_H_
