#include "graphkiln/retraces.h"

#include "api/retraces.h"
#include "api/words.h"

namespace gk::api {
namespace {

::gk::Retrace Inner(const Retrace& r) {
  ::gk::Retrace out{r.number,  r.compared_to, r.signature,
                    r.traced_signature, r.seconds, r.evicted,
                    {r.file, r.function, r.line}, {}};
  for (const RetraceReason& reason : r.reasons) {
    out.reasons.push_back({reason.argument, reason.cause, reason.old_type,
                           reason.new_type, reason.advice});
  }
  return out;
}

::gk::RetraceExplanation Inner(const RetraceExplanation& e) {
  ::gk::RetraceExplanation out{e.name, e.num_traces, e.notes, {}};
  for (const Retrace& r : e.retraces) out.retraces.push_back(Inner(r));
  return out;
}

}  // namespace

RetraceExplanation Outer(::gk::RetraceExplanation&& e) {
  RetraceExplanation out{std::move(e.name), e.num_traces, std::move(e.notes),
                         {}};
  for (::gk::Retrace& r : e.retraces) {
    Retrace retrace{r.number, r.compared_to, std::move(r.type),
                    std::move(r.traced), r.seconds, r.evicted,
                    std::move(r.site.file), std::move(r.site.function),
                    r.site.line, {}};
    for (::gk::RetraceReason& reason : r.reasons) {
      retrace.reasons.push_back(
          {std::move(reason.argument), std::move(reason.cause),
           std::move(reason.old_type), std::move(reason.new_type),
           std::move(reason.advice)});
    }
    out.retraces.push_back(std::move(retrace));
  }
  return out;
}

std::string Retrace::to_string() const {
  return RetraceText(Inner(*this), kCppWords);
}

std::string RetraceExplanation::to_string() const {
  return ExplanationText(Inner(*this), kCppWords);
}

std::string RetraceExplanation::to_html() const {
  return ExplanationHtml(Inner(*this));
}

std::ostream& operator<<(std::ostream& out,
                         const RetraceExplanation& explanation) {
  return out << explanation.to_string();
}

}  // namespace gk::api
