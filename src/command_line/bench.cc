// graphkiln bench: how fast a model is, and what it takes.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "command_line/commands.h"
#include "command_line/find_callable.h"
#include "command_line/json.h"
#include "command_line/value_files.h"
#include "io/files.h"
#include "runtime/plan_profile.h"

namespace gk::command {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMaxThreads = 256;
constexpr int64_t kMaxLatencies = 10'000'000;
// A call before the clock runs: plans for shapes are made at the second one.
constexpr int kWarmUpCalls = 5;

double SecondsSince(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

// A field of /proc/self/status in bytes; 0 where there is none.
int64_t StatusField(std::string_view name) {
  const StatusOr<std::string> status = io::ReadFile("/proc/self/status");
  if (!status.ok()) return 0;
  const size_t at = status->find(Format("\n{}:", name));
  if (at == status->npos) return 0;
  return std::atoll(status->c_str() + at + name.size() + 2) * 1024;
}

// Numbers of [-1, 1), the same at each run, or zeros where others may be out
// of range.
Tensor MadeUp(const Callable::Input& input, int64_t rows) {
  if (input.shape.unknown_rank()) {
    throw Failure::Make(Exit::kUsage,
                        "the shape of {} is unknown: give its values "
                        "(--input, --value).",
                        InputText(input));
  }
  std::vector<int64_t> dims(input.shape.dims().begin(),
                            input.shape.dims().end());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) dims[i] = i == 0 ? rows : 1;
  }
  const TensorShape shape = Must(Exit::kUsage, TensorShape::Make(dims));
  if (input.dtype == DataType::kResource || input.dtype == DataType::kVariant) {
    throw Failure::Make(Exit::kFailed, "no value can be made up for {}.",
                        InputText(input));
  }
  Tensor made = Must(Exit::kFailed, Tensor::Zeros(input.dtype, shape));
  uint32_t state = 1;
  const auto next = [&] {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(state >> 8) / (1 << 23) - 1;
  };
  VisitType<float, double, half, bfloat16>(input.dtype, [&](auto tag) {
    using T = decltype(tag);
    for (T& v : made.flat<T>()) v = T(next());
  });
  return made;
}

TensorVector InputsOf(const Callable& callable, const Arguments& arguments,
                      const Console& console) {
  if (arguments.Has("input") || arguments.Has("value")) {
    return ReadInputs(callable, arguments, console);
  }
  const int64_t rows = arguments.Number("rows", 1, 0, int64_t{1} << 40);
  TensorVector inputs;
  for (const Callable::Input& input : callable.inputs) {
    inputs.push_back(input.fallback ? input.fallback : MadeUp(input, rows));
  }
  return inputs;
}

std::vector<int> ThreadCounts(const Arguments& arguments) {
  const std::string list = arguments.Value("threads", "1");
  std::vector<int> counts;
  for (size_t start = 0; start < list.size();) {
    const size_t end = std::min(list.find(',', start), list.size());
    const int n = std::atoi(list.substr(start, end - start).c_str());
    if (n < 1 || n > kMaxThreads) {
      throw Failure::Make(Exit::kUsage,
                          "--threads: expected numbers of 1 to {} with commas "
                          "between them, got '{}'.",
                          kMaxThreads, Shown(list));
    }
    counts.push_back(n);
    start = end + 1;
  }
  return counts;
}

struct Throughput {
  int threads = 0;
  double calls_per_second = 0;
};

struct Measured {
  double load = 0, first = 0;     // seconds
  std::vector<double> latencies;  // of single calls, sorted
  std::vector<Throughput> throughputs;
  int64_t memory_of_load = 0, peak_memory = 0;

  double Percentile(double p) const {
    const double at = p / 100 * (latencies.size() - 1);
    return latencies[static_cast<size_t>(std::lround(at))];
  }
  double Mean() const {
    double sum = 0;
    for (const double l : latencies) sum += l;
    return sum / latencies.size();
  }
};

double CallTimed(const Callable& callable, const TensorVector& inputs) {
  TensorVector results;
  const Clock::time_point start = Clock::now();
  Must(Exit::kFailed, callable.function->Call(inputs, &results));
  return SecondsSince(start);
}

Throughput MeasureThroughput(const Callable& callable,
                             const TensorVector& inputs, int threads,
                             double seconds) {
  std::atomic<int64_t> calls{0};
  std::vector<Status> failed(threads);
  const Clock::time_point start = Clock::now();
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&, i] {
      int64_t own = 0;
      try {
        while (failed[i].ok() && SecondsSince(start) < seconds) {
          TensorVector results;
          failed[i] = callable.function->Call(inputs, &results);
          ++own;
        }
      } catch (const Error& error) {
        failed[i] = error.status();
      } catch (const std::bad_alloc&) {
        failed[i] = ResourceExhausted("out of memory");
      }
      calls += own;
    });
  }
  for (std::thread& worker : workers) worker.join();
  const double passed = SecondsSince(start);
  for (const Status& status : failed) Must(Exit::kFailed, status);
  return {threads, calls / passed};
}

Measured Measure(const Callable& callable, const TensorVector& inputs,
                 const Arguments& arguments) {
  Measured measured;
  measured.first = CallTimed(callable, inputs);
  for (int i = 0; i < kWarmUpCalls; ++i) CallTimed(callable, inputs);
  const double seconds =
      arguments.Number("milliseconds", 1000, 1, 3'600'000) * 1e-3;
  const int64_t runs = arguments.Number("runs", 0, 1, kMaxLatencies);
  const Clock::time_point start = Clock::now();
  do {
    measured.latencies.push_back(CallTimed(callable, inputs));
  } while (runs > 0 ? static_cast<int64_t>(measured.latencies.size()) < runs
                    : SecondsSince(start) < seconds &&
                          measured.latencies.size() < size_t{kMaxLatencies});
  std::ranges::sort(measured.latencies);
  for (const int threads : ThreadCounts(arguments)) {
    measured.throughputs.push_back(
        MeasureThroughput(callable, inputs, threads, seconds));
  }
  return measured;
}

std::string TimeText(double seconds) {
  if (seconds < 1e-3) return Format("{:.2f} us", seconds * 1e6);
  if (seconds < 1) return Format("{:.2f} ms", seconds * 1e3);
  return Format("{:.2f} s", seconds);
}

constexpr double kPercentiles[] = {50, 90, 99, 99.9};

std::string MeasuredText(const Measured& m, const std::string& name) {
  TextTable table("  ", "lr");
  table.Add({"load", TimeText(m.load)});
  table.Add({"first call", TimeText(m.first)});
  table.Add({Format("{}, mean", CountText(m.latencies.size(), "call")),
             TimeText(m.Mean())});
  table.Add({"  fastest", TimeText(m.latencies.front())});
  for (const double p : kPercentiles) {
    table.Add({Format("  {:g} %", p), TimeText(m.Percentile(p))});
  }
  table.Add({"  slowest", TimeText(m.latencies.back())});
  for (const Throughput& t : m.throughputs) {
    table.Add({CountText(t.threads, "thread"),
               Format("{:.1f} calls/s", t.calls_per_second)});
  }
  table.Add({"memory of the model", SizeText(m.memory_of_load)});
  table.Add({"peak memory of the process", SizeText(m.peak_memory)});
  return Shown(name) + "\n" + table.Text();
}

Json MeasuredJson(const Measured& m, const std::string& name) {
  Json::Members percentiles;
  for (const double p : kPercentiles) {
    percentiles.emplace_back(Format("{:g}", p), m.Percentile(p));
  }
  Json::List throughputs;
  for (const Throughput& t : m.throughputs) {
    throughputs.push_back(Json::Members{
        {"threads", t.threads}, {"calls_per_second", t.calls_per_second}});
  }
  return Json::Members{
      {"function", name},
      {"load_seconds", m.load},
      {"first_call_seconds", m.first},
      {"latency_seconds", Json::Members{{"calls", m.latencies.size()},
                                        {"mean", m.Mean()},
                                        {"min", m.latencies.front()},
                                        {"max", m.latencies.back()},
                                        {"percentiles", percentiles}}},
      {"throughput", throughputs},
      {"model_memory_bytes", m.memory_of_load},
      {"peak_memory_bytes", m.peak_memory}};
}

Exit Bench(const Arguments& arguments, const Console& console) {
  if (arguments.Has("ops")) PlanProfile::Want();
  const int64_t before = StatusField("VmRSS");
  const Clock::time_point start = Clock::now();
  const Callable callable = FindCallable(arguments.words()[0], arguments);
  const double load = SecondsSince(start);
  const int64_t after = StatusField("VmRSS");
  const TensorVector inputs = InputsOf(callable, arguments, console);
  Measured measured = Measure(callable, inputs, arguments);
  measured.load = load;
  measured.memory_of_load = std::max<int64_t>(after - before, 0);
  measured.peak_memory = StatusField("VmHWM");
  if (arguments.Has("json")) {
    console.Print(MeasuredJson(measured, callable.name).Text());
    return Exit::kDone;
  }
  console.Print(MeasuredText(measured, callable.name));
  if (arguments.Has("ops")) {
    console.Print(
        "\nInstructions: mean time, share, CPU time of the calling thread in "
        "us\n" +
        PlanProfile::AllTables());
  }
  return Exit::kDone;
}

constexpr Option kBenchOptions[] = {
    kInputOption,
    kValueOption,
    {"rows", "N", "without values: the first dimension of those made up (1)"},
    {"milliseconds", "N", "how long to measure each figure (1000)"},
    {"runs", "N", "how many single calls to time instead"},
    {"threads", "N,N...",
     "how many threads call at once; a figure for each number (1)"},
    {"ops", nullptr,
     "a table of what each step of the compiled function takes; measuring\n"
     "it costs some tens of nanoseconds a step"},
    {"json", nullptr, "print the figures as JSON"},
    kSignatureOption,
    kFeedOption,
    kFetchOption,
    kTagsOption,
};
constexpr Example kBenchExamples[] = {
    {"bench model", "latency of single calls for one row of made-up values"},
    {"bench model --rows 64 --threads 1,2,4",
     "how throughput grows with threads"},
    {"bench model --input x=rows.npy --ops", "where the time goes"},
};

}  // namespace

const Command kBenchCommand = {
    "bench",
    "MODEL",
    1,
    1,
    "Measures latency, throughput over threads, memory and ops of a model.",
    "Calls a function of the model again and again, after some calls that are "
    "not\n"
    "counted. Without values, real numbers between -1 and 1 are made up, and "
    "zeros\n"
    "of other types.",
    kBenchOptions,
    kBenchExamples,
    Bench};

}  // namespace gk::command
