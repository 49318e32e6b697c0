#include "function/retrace_explanation.h"

#include <algorithm>

#include "base/html.h"
#include "function/retrace_advice.h"

namespace gk {
namespace {

// Colours are those of the page, light or dark; notebooks align cells to the
// right and colour rows unless told.
#define GK_CELL                                               \
  "text-align:left;vertical-align:top;padding:4px 10px;"      \
  "border-top:1px solid rgba(128,128,128,0.5);background:none;"
constexpr std::string_view kTable =
    "border-collapse:collapse;max-width:100%;background:none;";
constexpr std::string_view kHead = GK_CELL "font-weight:bold";
constexpr std::string_view kLabel = GK_CELL "white-space:nowrap";
constexpr std::string_view kWrapped =
    GK_CELL "overflow-wrap:anywhere;white-space:normal;";
constexpr std::string_view kBelow =
    "text-align:left;padding:0 10px 8px 10px;border:none;background:none;"
    "white-space:normal;";
constexpr std::string_view kFaint = "opacity:0.7;font-size:90%";
#undef GK_CELL

std::string CodeHtml(const std::string& text) {
  return text.empty() ? "" : Format("<code>{}</code>", EscapedHtml(text));
}

std::string LabelHtml(const Retrace& r) {
  std::string where;
  if (!r.site.file.empty()) {
    const std::string& file = r.site.file;
    where = Format("<br/><span title=\"{}\">{}:{}</span>", EscapedHtml(file),
                   EscapedHtml(file.substr(file.rfind('/') + 1)), r.site.line);
  }
  return Format(
      "<td rowspan=\"{}\" style=\"{}\"><b>{}</b><span style=\"{}\">{}<br/>"
      "{:.1f} ms{}</span></td>",
      std::max<size_t>(1, 2 * r.reasons.size()), kLabel, r.number, kFaint,
      where, r.seconds * 1e3, r.evicted ? "<br/>evicted" : "");
}

// Two rows for each reason: what differs, and what would avoid it.
std::string RowsHtml(const Retrace& r) {
  std::string label = LabelHtml(r), rows;
  for (const RetraceReason& reason : r.reasons) {
    const std::string& argument = reason.argument;
    rows += "<tr>" + std::exchange(label, "");
    rows += Format(
        "<td style=\"{}\">{}<br/><span style=\"{}\">{}</span></td>", kWrapped,
        CodeHtml(argument.empty() ? "the call" : argument), kFaint,
        EscapedHtml(reason.cause));
    for (const std::string& type : {reason.old_type, reason.new_type}) {
      rows += Format("<td style=\"{}\">{}</td>", kWrapped, CodeHtml(type));
    }
    rows += Format(
        "</tr><tr><td colspan=\"3\" style=\"{}\">&rarr; {}</td></tr>", kBelow,
        EscapedHtml(reason.advice));
  }
  return rows.empty() ? "<tr>" + label + "</tr>" : rows;
}

// "f was traced 3 times."
std::string SummaryText(const RetraceExplanation& e) {
  if (e.num_traces == 1) return e.name + " was traced once.";
  return Format("{} was traced {} times.", e.name, e.num_traces);
}

}  // namespace

RetraceExplanation ExplainHistory(const TraceHistory& history,
                                  const std::string& name, size_t max_traces,
                                  const HostWords& words) {
  RetraceExplanation out{name, history.num_traces(), {}, {}};
  for (TraceRecord& r : history.records()) {
    if (r.number == 1) continue;
    Retrace retrace{r.number,  r.compared_to, std::move(r.type),
                    std::move(r.traced), r.seconds, r.evicted,
                    std::move(r.site), {}};
    for (TypeDifference& d : r.differences) {
      std::string advice = RetraceAdvice(d, max_traces, words);
      retrace.reasons.push_back(
          {std::move(d.path), std::string(RetraceCauseName(d.cause)),
           std::move(d.before), std::move(d.after), std::move(advice)});
    }
    out.retraces.push_back(std::move(retrace));
  }
  return out;
}

std::string RetraceReasonText(const RetraceReason& r) {
  const std::string subject =
      r.argument.empty() ? "the call" : "`" + r.argument + "`";
  if (r.cause == RetraceCauseName(RetraceCause::kEvicted)) {
    return subject + " had a trace that the full cache dropped";
  }
  if (r.cause == RetraceCauseName(RetraceCause::kGuard)) {
    return Format("{} was {}, is {}", subject, r.old_type, r.new_type);
  }
  if (r.old_type == r.new_type) return Format("{} ({})", subject, r.cause);
  return Format("{} ({}): {} -> {}", subject, r.cause, r.old_type, r.new_type);
}

std::string RetraceText(const Retrace& r, const HostWords& words) {
  std::string text =
      Format("Trace {}{} ({:.1f} ms):", r.number,
             r.site.file.empty() ? "" : " at " + words.call_site(r.site),
             r.seconds * 1e3);
  for (const RetraceReason& reason : r.reasons) {
    text += Format("\n    {}\n        {}", RetraceReasonText(reason),
                   reason.advice);
  }
  if (r.traced != r.type) text += "\n    traced for " + r.traced;
  return text;
}

std::string ExplanationText(const RetraceExplanation& e,
                            const HostWords& words, size_t most) {
  std::string text = SummaryText(e);
  for (const std::string& note : e.notes) text += "\n" + note;
  const size_t shown = std::min(most, e.retraces.size());
  if (static_cast<int>(shown) < e.num_traces - 1) {
    text += Format("\nThe last {} retraces:", shown);
  }
  for (size_t i = e.retraces.size() - shown; i < e.retraces.size(); ++i) {
    text += "\n" + RetraceText(e.retraces[i], words);
  }
  return text;
}

std::string ExplanationHtml(const RetraceExplanation& e) {
  std::string html = Format("<p>{}</p>", EscapedHtml(SummaryText(e)));
  for (const std::string& note : e.notes) {
    html += Format("<p>{}</p>", EscapedHtml(note));
  }
  if (e.retraces.empty()) return html;
  html += Format("<table style=\"{}\"><thead><tr>", kTable);
  for (const char* title : {"trace", "argument", "before", "now"}) {
    html += Format("<th style=\"{}\">{}</th>", kHead, title);
  }
  html += "</tr></thead><tbody>";
  for (const Retrace& r : e.retraces) html += RowsHtml(r);
  return html + "</tbody></table>";
}

}  // namespace gk
