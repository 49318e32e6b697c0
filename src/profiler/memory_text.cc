#include <algorithm>

#include "base/html.h"
#include "profiler/memory_report.h"
#include "profiler/quantities.h"

namespace gk {
namespace {

std::string AsBytes(int64_t bytes) {
  return BytesText(static_cast<double>(bytes));
}

std::string Heading(const MemoryReport& report) {
  return Format("{}: {} of memory at the peak of a call", report.name,
                AsBytes(report.PeakBytes()));
}

std::string PlanHeading(const PlanMemory& plan) {
  std::string text = Format("{}: {} at the peak, in instruction {} of {}",
                            plan.function, AsBytes(plan.peak_bytes),
                            plan.peak_instruction, plan.num_instructions);
  if (!plan.peak_name.empty()) text += Format(", {}", plan.peak_name);
  if (!plan.peak_lines.empty()) text += Format(" ({})", plan.peak_lines);
  text += Format("; one block of {} for values of {}",
                 AsBytes(plan.arena_bytes), AsBytes(plan.sum_bytes));
  text += Format("; arguments and variables {}, constants {}",
                 AsBytes(plan.argument_bytes), AsBytes(plan.constant_bytes));
  if (plan.unknown > 0) {
    text +=
        Format("; {} values of sizes that are not known ahead", plan.unknown);
  }
  return text;
}

std::vector<std::string> Cells(const MemoryBuffer& b) {
  return {b.bytes > 0 ? AsBytes(b.bytes) : "?",
          b.at_peak ? "*" : "",
          b.name,
          b.lines,
          b.type,
          b.place,
          Format("{}-{}", b.first, b.last)};
}

const std::vector<std::string> kTitles = {"bytes", "peak",  "value", "line",
                                          "type",  "place", "lives"};

size_t Shown(const PlanMemory& plan, size_t most) {
  return std::min(most, plan.buffers.size());
}

std::string RestText(const PlanMemory& plan, size_t most) {
  if (plan.buffers.size() <= most) return "";
  int64_t bytes = 0;
  for (size_t i = most; i < plan.buffers.size(); ++i) {
    bytes += plan.buffers[i].bytes;
  }
  return Format("{} more: {}", plan.buffers.size() - most, AsBytes(bytes));
}

}  // namespace

std::string MemoryText(const MemoryReport& report, size_t most) {
  std::string text = Heading(report) + "\n";
  for (const PlanMemory& plan : report.plans) {
    text += PlanHeading(plan) + "\n";
    if (plan.buffers.empty()) continue;
    TextTable table(kTitles, kTitles.size());
    for (size_t i = 0; i < Shown(plan, most); ++i) {
      table.AddRow(Cells(plan.buffers[i]));
    }
    text += table.Text();
    if (const std::string rest = RestText(plan, most); !rest.empty()) {
      text += rest + "\n";
    }
  }
  return text + "* lives when most memory is in use";
}

std::string MemoryHtml(const MemoryReport& report, size_t most) {
  std::string html =
      Format("<div style='font-family:sans-serif;font-size:13px'><b>{}</b>\n",
             EscapedHtml(Heading(report)));
  for (const PlanMemory& plan : report.plans) {
    html += Format("<div style='margin-top:6px'>{}</div>",
                   EscapedHtml(PlanHeading(plan)));
    if (plan.buffers.empty()) continue;
    html +=
        "<table style='border-collapse:collapse;margin:4px "
        "0;font-size:inherit'><tr>";
    for (const std::string& title : kTitles) {
      html +=
          Format("<th style='text-align:left;padding:2px 8px'>{}</th>", title);
    }
    // When it lives, as a bar over all instructions.
    html += "<th style='text-align:left;padding:2px 8px'>when</th></tr>\n";
    const double scale = 160.0 / std::max(1, plan.num_instructions);
    for (size_t i = 0; i < Shown(plan, most); ++i) {
      const MemoryBuffer& b = plan.buffers[i];
      html += Format("<tr style='border-top:1px solid #ddd' title='{}'>",
                     EscapedHtml(b.node));
      for (const std::string& cell : Cells(b)) {
        html +=
            Format("<td style='padding:2px 8px'>{}</td>", EscapedHtml(cell));
      }
      html += Format(
          "<td style='padding:2px 8px;width:160px'><span style='display:"
          "inline-block;height:10px;margin-left:{:.1f}px;width:{:.1f}px;"
          "background:{}'></span></td></tr>\n",
          b.first * scale, std::max(1.0, (b.last - b.first + 1) * scale),
          b.at_peak ? "#c0504d" : "#4878a8");
    }
    html += "</table>";
    if (const std::string rest = RestText(plan, most); !rest.empty()) {
      html += Format("<div>{}</div>", EscapedHtml(rest));
    }
  }
  return html + "</div>";
}

}  // namespace gk
