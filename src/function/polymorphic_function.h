// PolymorphicFunction: a function of the host language that is traced into a
// graph for each kind of call; what tf.function and gk::function are inside.
//
// Decides which trace serves a call and whether one is made, for which type,
// by whom of several threads; what variables the function may make; what is
// told of retraces. The face turns values into types and words, and runs the
// user's body. Thread-safe.
#ifndef GK_FUNCTION_POLYMORPHIC_FUNCTION_H_
#define GK_FUNCTION_POLYMORPHIC_FUNCTION_H_

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "framework/op_builder.h"
#include "function/baked_values.h"
#include "function/host_words.h"
#include "function/retrace_explanation.h"
#include "function/retracing_detector.h"
#include "function/trace_cache.h"

namespace gk {

// A call for which a trace is looked up or made.
struct TraceRequest {
  Ref<FunctionType> type;
  // The handles of its variables, by alias.
  TensorVector variables;
};

// What the host language does for a request.
class Tracer {
 public:
  // Runs the user's function with placeholders of `type`.
  virtual StatusOr<Ref<Trace>> MakeTrace(const Ref<FunctionType>& type) = 0;
  // What knows of the values that traces froze; null where none are.
  virtual BakedValues* baked_values() { return nullptr; }
  // What the call gives for the arguments of a trace, in order, null where it
  // gives none.
  virtual StatusOr<TensorVector> Inputs() { return TensorVector(); }
  // What the user's code raised when the look-up compared values by it.
  virtual Status ComparisonError() { return OkStatus(); }
  // Where the call is, for explanations.
  virtual CallSite Site() { return {}; }
  // Functions call one another deeper than the thread's stack allows, while
  // they are traced.
  virtual Status TooDeep(std::string text) { return RuntimeError("{}", text); }

 protected:
  ~Tracer() = default;
};

struct PolymorphicFunctionOptions {
  std::string name;
  std::optional<bool> jit_compile;  // asked for; nothing is
  bool reduce_retracing = false;
  size_t max_traces = 0;  // 0: no limit
  OnBakedChange on_baked_change = OnBakedChange::kIgnore;
  // A method of one object: others have their own.
  bool of_object = false;
  // A part of a graph that is traced once: what variables it makes is up to
  // the function that is traced around it.
  bool of_graph = false;
};

class PolymorphicFunction {
 public:
  explicit PolymorphicFunction(const HostWords& words);
  PolymorphicFunction(const PolymorphicFunction&) = delete;

  // Before anything is traced, and before other threads see it. `detector`:
  // null for one of its own.
  void Configure(PolymorphicFunctionOptions options,
                 Ref<RetracingDetector> detector);

  TraceCache& cache() { return cache_; }
  const TraceCache& cache() const { return cache_; }
  const PolymorphicFunctionOptions& options() const { return options_; }
  const RetracingDetector& detector() const { return *detector_; }

  struct Found {
    Ref<Trace> trace;
    bool made = false;  // for this request
  };
  StatusOr<Found> FindOrTrace(const TraceRequest& request, Tracer* tracer);
  // The handles of the variables that the first trace makes, for this request.
  // RuntimeError if the function was traced before.
  StatusOr<TensorVector> MakeVariables(const TraceRequest& request,
                                       Tracer* tracer);
  // Why a trace cannot serve a call any more: of the values that it froze,
  // those that have changed, where that is a reason to trace again. Warns of
  // them, or fails, where that was asked for instead.
  StatusOr<std::vector<TypeDifference>> ReasonsToRetrace(
      const Trace& trace, BakedValues* values) const;

  // Calls that are made in a graph are made once for it and do not count.
  static bool Counts(const OpBuilder* builder) {
    return builder == nullptr || !builder->builds_graph();
  }
  // A call that counts went well, of a trace that was there.
  void CountCall() { detector_->CountCalls(1); }
  // A call went well; was its trace `made` for it? The warning, if there is to
  // be one; `shown_name` says in it what was called.
  std::optional<std::string> FinishCall(bool made,
                                        FunctionRef<std::string()> shown_name);

  // How often the user's function has been run for a trace.
  int tracing_count() const { return tracings_.load(); }
  // Is there, or was there, a trace?
  bool traced_once() const { return traced_once_.load(); }
  // Why there is more than one.
  RetraceExplanation Explain() const;

 private:
  // `variables`, where given: the handles of those that are made.
  StatusOr<Found> FindOrTrace(const TraceRequest& request, Tracer* tracer,
                              TensorVector* variables);
  StatusOr<Ref<Trace>> MakeTrace(const Ref<FunctionType>& type, Tracer* tracer,
                                 TensorVector* variables);
  StatusOr<Ref<Trace>> MakeFirst(const Ref<FunctionType>& type, Tracer* tracer,
                                 TensorVector* variables);

  // First: cached calls look nowhere else.
  TraceCache cache_;
  Ref<RetracingDetector> detector_;
  const HostWords& words_;
  PolymorphicFunctionOptions options_;
  std::atomic<int> tracings_{0};
  std::atomic<bool> traced_once_{false};
  std::atomic<bool> made_variables_{false};
};

}  // namespace gk

#endif  // GK_FUNCTION_POLYMORPHIC_FUNCTION_H_
