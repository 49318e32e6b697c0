#include <algorithm>

#include "base/html.h"
#include "profiler/function_profile.h"
#include "profiler/quantities.h"

namespace gk {
namespace {

constexpr size_t kWidestName = 44, kWidestLines = 32;

std::string Percent(double part) { return Format("{:.1f}%", 100 * part); }

std::string Shortened(const std::string& text, size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

std::string AttainedText(const ProfileRow& row) {
  return row.attained > 0 ? Percent(row.attained) : "-";
}

std::string Heading(const FunctionProfile& p) {
  std::string text = Format("{}: {} a call", p.name, SecondsText(p.seconds));
  if (p.runs > 1) text += Format(" (the mean of {})", p.runs);
  if (p.tracing_seconds > 0) {
    text += Format(", after {} of tracing", SecondsText(p.tracing_seconds));
  }
  if (p.planning_seconds > 0) {
    text += Format(", after {} of planning", SecondsText(p.planning_seconds));
  }
  if (p.memory > 0) {
    text += Format(", {} of memory at the peak", BytesText(p.memory));
  }
  return text;
}

std::string Footing(const FunctionProfile& p) {
  return Format(
      "The machine's peak: {:.1f} GFLOP/s, {:.1f} GB/s. Outside of these rows: "
      "{} ({}).",
      p.peak.flops * 1e-9, p.peak.bandwidth * 1e-9,
      SecondsText(std::max(0.0, p.other_seconds)),
      Percent(p.seconds > 0 ? std::max(0.0, p.other_seconds) / p.seconds
                            : 0.0));
}

std::string RestText(const FunctionProfile& p, size_t most) {
  if (p.rows.size() <= most) return "";
  double seconds = 0;
  for (size_t i = most; i < p.rows.size(); ++i) seconds += p.rows[i].seconds;
  return Format("{} more: {}", p.rows.size() - most, SecondsText(seconds));
}

}  // namespace

std::string ProfileText(const FunctionProfile& p, size_t most) {
  const size_t n = std::min(most, p.rows.size());
  TextTable table(
      {"op", "line", "calls", "time", "share", "attained", "FLOPs", "memory"},
      /*left=*/2);
  for (size_t i = 0; i < n; ++i) {
    const ProfileRow& row = p.rows[i];
    table.AddRow({Shortened(row.name, kWidestName),
                  Shortened(row.lines, kWidestLines), std::to_string(row.calls),
                  SecondsText(row.seconds), Percent(row.share),
                  AttainedText(row), row.flops > 0 ? CountText(row.flops) : "-",
                  BytesText(row.memory)});
  }
  std::string text = Heading(p) + "\n" + table.Text();
  if (const std::string rest = RestText(p, most); !rest.empty()) {
    text += rest + "\n";
  }
  return text + Footing(p);
}

std::string ProfileHtml(const FunctionProfile& p, size_t most) {
  const size_t n = std::min(most, p.rows.size());
  std::string html = Format(
      "<div style='font-family:sans-serif;font-size:13px'><b>{}</b>\n"
      "<table style='border-collapse:collapse;margin:4px "
      "0;font-size:inherit'><tr>",
      EscapedHtml(Heading(p)));
  for (const char* title : {"op", "line", "calls", "time", "share", "attained",
                            "FLOPs", "memory"}) {
    html +=
        Format("<th style='text-align:left;padding:2px 8px'>{}</th>", title);
  }
  html += "</tr>\n";
  const auto cell = [&](const std::string& text, const std::string& title) {
    html += Format("<td style='padding:2px 8px' title='{}'>{}</td>",
                   EscapedHtml(title), EscapedHtml(text));
  };
  const double longest = n > 0 ? std::max(p.rows[0].share, 1e-9) : 1;
  for (size_t i = 0; i < n; ++i) {
    const ProfileRow& row = p.rows[i];
    html += "<tr style='border-top:1px solid #ddd'>";
    cell(row.name, Format("{} {} {}", row.kind, row.node, row.shapes));
    cell(row.lines, row.function);
    cell(std::to_string(row.calls), "");
    cell(SecondsText(row.seconds), "");
    html += Format(
        "<td style='padding:2px 8px;min-width:140px'><span "
        "style='display:inline-block;height:10px;width:{:.1f}px;"
        "background:#4878a8'></span> {}</td>",
        80 * row.share / longest, Percent(row.share));
    cell(AttainedText(row), "");
    cell(row.flops > 0 ? CountText(row.flops) : "-", "");
    cell(BytesText(row.memory), "");
    html += "</tr>\n";
  }
  html += "</table>";
  if (const std::string rest = RestText(p, most); !rest.empty()) {
    html += Format("<div>{}</div>", EscapedHtml(rest));
  }
  return html + Format("<div style='color:#666'>{}</div></div>",
                       EscapedHtml(Footing(p)));
}

}  // namespace gk
