#include "function/polymorphic_function.h"

#include <utility>

#include "base/event_log.h"
#include "base/stack.h"
#include "function/user_scopes.h"
#include "function/variable_creation.h"

namespace gk {
namespace {

using Rule = VariableCreation::Rule;

// Retraces that a warning tells of.
constexpr size_t kMostExplained = 3;

StatusOr<Ref<Trace>> TraceOnce(const Ref<FunctionType>& type, Tracer* tracer) {
  GK_ASSIGN_OR_RETURN(Ref<Trace> made, tracer->MakeTrace(type));
  BakedValues* const values = tracer->baked_values();
  if (values == nullptr) return made;
  // What tracing itself changed is not compared.
  GK_ASSIGN_OR_RETURN(const std::vector<BakedChange> changed,
                      values->ChangesOf(*made));
  for (const BakedChange& change : changed) change.ignore();
  return made;
}

struct MadeVariables {
  bool any = false;
  TensorVector handles;  // of those that have their values
};

StatusOr<Ref<Trace>> TraceBy(Rule rule, const Ref<FunctionType>& type,
                             const HostWords& words, Tracer* tracer,
                             MadeVariables* variables) {
  const auto inputs = [tracer] { return tracer->Inputs(); };
  VariableCreation creation(rule, inputs, words);
  GK_ASSIGN_OR_RETURN(Ref<Trace> made, TraceOnce(type, tracer));
  GK_RETURN_IF_ERROR(creation.Settle());
  *variables = {creation.happened(), creation.made()};
  return made;
}

}  // namespace

PolymorphicFunction::PolymorphicFunction(const HostWords& words)
    : detector_(MakeRef<RetracingDetector>("")), words_(words) {}

void PolymorphicFunction::Configure(PolymorphicFunctionOptions options,
                                    Ref<RetracingDetector> detector) {
  options_ = std::move(options);
  if (detector) detector_ = std::move(detector);
  cache_.SetMaxTraces(options_.max_traces);
}

// The first trace may make variables, and is made again if it has: the one
// that stays finds them there.
StatusOr<Ref<Trace>> PolymorphicFunction::MakeFirst(
    const Ref<FunctionType>& type, Tracer* tracer, TensorVector* variables) {
  MadeVariables first;
  GK_ASSIGN_OR_RETURN(Ref<Trace> made, options_.of_graph
                                           ? TraceOnce(type, tracer)
                                           : TraceBy(Rule::kAllowed, type,
                                                     words_, tracer, &first));
  int count = 1;
  if (first.any) {
    made = nullptr;
    MadeVariables none;
    GK_ASSIGN_OR_RETURN(made,
                        TraceBy(Rule::kRefused, type, words_, tracer, &none));
    ++count;
  }
  made_variables_.store(first.any);
  traced_once_.store(true);
  tracings_.fetch_add(count);
  detector_->NoteFunction();
  if (variables != nullptr) *variables = std::move(first.handles);
  return made;
}

StatusOr<Ref<Trace>> PolymorphicFunction::MakeTrace(
    const Ref<FunctionType>& type, Tracer* tracer, TensorVector* variables) {
  const EventSpan span(EventKind::kTracing, "trace", options_.name);
  if (!traced_once()) return MakeFirst(type, tracer, variables);
  MadeVariables late;
  GK_ASSIGN_OR_RETURN(
      Ref<Trace> made,
      TraceBy(made_variables_.load() ? Rule::kRefused : Rule::kLate, type,
              words_, tracer, &late));
  tracings_.fetch_add(1);
  return made;
}

StatusOr<TensorVector> PolymorphicFunction::MakeVariables(
    const TraceRequest& request, Tracer* tracer) {
  TensorVector variables;
  Found found;
  if (tracing_count() == 0) {
    GK_ASSIGN_OR_RETURN(found, FindOrTrace(request, tracer, &variables));
  }
  if (found.made) return variables;
  return RuntimeError(
      "get_initialization_function cannot be called after the function has "
      "been used");
}

StatusOr<std::vector<TypeDifference>> PolymorphicFunction::ReasonsToRetrace(
    const Trace& trace, BakedValues* values) const {
  std::vector<TypeDifference> reasons;
  const OnBakedChange mode = options_.on_baked_change;
  if (values == nullptr || mode == OnBakedChange::kIgnore) return reasons;
  GK_ASSIGN_OR_RETURN(const std::vector<BakedChange> changes,
                      values->ChangesOf(trace));
  if (changes.empty()) return reasons;
  if (mode == OnBakedChange::kRetrace) {
    GK_RETURN_IF_ERROR(DropStale(changes, values));
    for (const BakedChange& c : changes) {
      reasons.push_back({c.name, RetraceCause::kGuard, c.before, c.now, ""});
    }
    return reasons;
  }
  const std::string text = BakedChangesText(options_.name, changes, words_);
  if (mode == OnBakedChange::kError) return FailedPrecondition("{}", text);
  for (const BakedChange& change : changes) change.accept();
  GK_RETURN_IF_ERROR(values->Warn(text));
  return reasons;
}

StatusOr<PolymorphicFunction::Found> PolymorphicFunction::FindOrTrace(
    const TraceRequest& request, Tracer* tracer) {
  return FindOrTrace(request, tracer, nullptr);
}

StatusOr<PolymorphicFunction::Found> PolymorphicFunction::FindOrTrace(
    const TraceRequest& request, Tracer* tracer, TensorVector* variables) {
  if (!HasStackLeft()) {
    return tracer->TooDeep(
        Format("maximum recursion depth exceeded: a {} is called from inside "
               "of its trace more deeply than the stack of this thread allows",
               words_.function));
  }
  const uint64_t place = options_.of_graph ? 0 : TracePlace();
  const Ref<FunctionType> asked =
      place == 0 ? request.type : request.type->WithPlace(place);
  std::vector<TypeDifference> changed;
  for (;;) {
    Ref<Trace> known = cache_.Find(asked, request.variables);
    GK_RETURN_IF_ERROR(tracer->ComparisonError());
    if (!known) break;
    GK_ASSIGN_OR_RETURN(std::vector<TypeDifference> now,
                        ReasonsToRetrace(*known, tracer->baked_values()));
    if (now.empty()) return Found{std::move(known), false};
    changed = std::move(now);
    cache_.TakeBackHit();
    cache_.Drop(known.get());
  }
  bool made = false;
  const auto make = [&](const Ref<FunctionType>& type) {
    StatusOr<Ref<Trace>> trace = MakeTrace(type, tracer, variables);
    if (trace.ok()) {
      made = true;
      (*trace)->site = tracer->Site();
      (*trace)->frozen = changed;
    }
    return trace;
  };
  GK_ASSIGN_OR_RETURN(
      Ref<Trace> found,
      cache_.FindOrTrace(asked, options_.reduce_retracing,
                         /*alone=*/!traced_once(), make, request.variables));
  return Found{std::move(found), made};
}

std::optional<std::string> PolymorphicFunction::FinishCall(
    bool made, FunctionRef<std::string()> shown_name) {
  if (!Counts(OpBuilder::Current())) return {};
  if (!made) {
    CountCall();
    return {};
  }
  const auto excess = detector_->NoteTracedCall();
  if (!excess) return {};
  return Format(
      "{} out of the last {} calls to {} triggered {} retracing. Tracing is "
      "expensive and the excessive number of tracings could be due to {}\n{}",
      excess->tracings, excess->calls, shown_name(), words_.function,
      words_.retracing_causes,
      ExplanationText(Explain(), words_, kMostExplained));
}

RetraceExplanation PolymorphicFunction::Explain() const {
  RetraceExplanation out = ExplainHistory(cache_.history(), options_.name,
                                          options_.max_traces, words_);
  if (made_variables_.load() && out.num_traces > 0) {
    out.notes.emplace_back(
        "Its first call traced it twice, because it created variables.");
  }
  const int others = detector_->num_functions();
  if (others <= 1) return out;
  const std::string& place = detector_->place();
  out.notes.push_back(Format(
      "It is one of {} {}s made{}{}; each has traces of its own. {}", others,
      words_.function, words_.made_of, place.empty() ? "" : " at " + place,
      options_.of_object
          ? "Every object has its own for a method: keep the objects, or "
            "decorate a function that takes what it needs as arguments."
          : Format("Create the {} once, outside of the loop or function that "
                   "makes it, and call that one.",
                   words_.function)));
  return out;
}

}  // namespace gk
