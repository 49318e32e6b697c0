#include "graphkiln/retraces.h"

#include "api/explain.h"

namespace gk::api {
namespace {

std::string Advice(const TypeDifference& d) {
  const std::string& path = d.path;
  switch (d.cause) {
    case RetraceCause::kDtype:
      return Format("Convert {} to one type before the call, with "
                         "gk::cast.", path);
    case RetraceCause::kShape:
    case RetraceCause::kRank:
      return Format("Set FunctionOptions::reduce_retracing, or an "
                         "input_signature{}.",
                         d.common.empty() ? "" : " of " + d.common);
    case RetraceCause::kNumber:
      return "Pass a gk::Tensor, unless the function needs the number while "
             "it is traced.";
    case RetraceCause::kValue:
      return "Every value has a trace of its own: use few, or pass a tensor.";
    case RetraceCause::kKind:
      return Format("Pass {} as the same type every time.", path);
    case RetraceCause::kLength:
      return "Every length has a trace of its own: stack the values into one "
             "tensor, or pad to few lengths.";
    case RetraceCause::kKeys:
      return "Pass the same keys every time.";
    case RetraceCause::kVariable:
      return "Which arguments are one variable, which the function also "
             "captures, and which are trainable, is part of the trace: keep it "
             "the same.";
    case RetraceCause::kParameters:
      return "Pass the same number of arguments.";
    case RetraceCause::kEvicted:
      return "Set FunctionOptions::max_traces higher.";
    case RetraceCause::kHostTypes:
      return "The arguments have other C++ types: pass the same ones.";
    case RetraceCause::kObject:
    case RetraceCause::kDeadObject:
    case RetraceCause::kDetails:
    case RetraceCause::kGuard:
      break;
  }
  return {};
}

}  // namespace

RetraceExplanation Explain(const TraceHistory& history,
                           const std::string& name) {
  RetraceExplanation out{name, history.num_traces(), {}};
  for (const TraceRecord& r : history.records()) {
    if (r.number == 1) continue;
    Retrace retrace{r.number,    r.compared_to, r.type,
                    r.traced,    r.seconds,     r.evicted,
                    r.site.file, r.site.function, r.site.line, {}};
    for (const TypeDifference& d : r.differences) {
      retrace.reasons.push_back({d.path,
                                 std::string(RetraceCauseName(d.cause)),
                                 d.before, d.after, Advice(d)});
    }
    out.retraces.push_back(std::move(retrace));
  }
  return out;
}

std::string Retrace::to_string() const {
  std::string text = Format("Trace {} ({:.1f} ms)", number, seconds * 1e3);
  if (!file.empty()) text += Format(", called at {}:{}", file, line);
  text += ":";
  for (const RetraceReason& r : reasons) {
    const std::string subject =
        r.argument.empty() ? "the call" : "`" + r.argument + "`";
    text += r.cause == "evicted"
                ? Format("\n    {} had a trace that the full cache "
                              "dropped", subject)
            : r.old_type == r.new_type
                ? Format("\n    {} ({})", subject, r.cause)
                : Format("\n    {} ({}): {} -> {}", subject, r.cause,
                              r.old_type, r.new_type);
    text += "\n        " + r.advice;
  }
  if (signature != traced_signature) {
    text += "\n    traced for " + traced_signature;
  }
  return text;
}

std::string RetraceExplanation::to_string() const {
  std::string text =
      num_traces == 1
          ? name + " was traced once."
          : Format("{} was traced {} times.", name, num_traces);
  if (static_cast<int>(retraces.size()) < num_traces - 1) {
    text += Format("\nThe last {} retraces:", retraces.size());
  }
  for (const Retrace& r : retraces) text += "\n" + r.to_string();
  return text;
}

std::ostream& operator<<(std::ostream& out,
                         const RetraceExplanation& explanation) {
  return out << explanation.to_string();
}

}  // namespace gk::api
