#include "base/json_quoted.h"
#include "profiler/told_event.h"
#include "profiler/xspace.h"

namespace gk {
namespace {

// Of the only process, as TensorFlow numbers the host.
constexpr int kProcess = 701;

std::string ValueText(const EventArgument& argument) {
  if (const auto* i = std::get_if<int64_t>(&argument.second)) {
    return std::to_string(*i);
  }
  if (const auto* d = std::get_if<double>(&argument.second)) {
    // JSON has no words for what is no number.
    return *d - *d == 0 ? Format("{}", *d) : JsonQuoted(Format("{}", *d));
  }
  return JsonQuoted(std::get<std::string>(argument.second));
}

void AddMetadata(const char* what, int64_t thread, const std::string& name,
                 std::string* out) {
  *out += Format(
      "{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"{}\",\"args\":{{"
      "\"name\":{}}}}},\n",
      kProcess, thread, what, JsonQuoted(name));
}

}  // namespace

std::string TraceJsonOf(const Recording& recording) {
  std::string sampled;
  for (const std::string& text : SampledFunctions(recording)) {
    sampled += (sampled.empty() ? "" : ",\n") + JsonQuoted(text);
  }
  std::string out = Format(
      "{{\"displayTimeUnit\":\"ns\",\"metadata\":{{\"highres-ticks\":true,"
      "\"sampled\":[{}]}},\n\"traceEvents\":[\n",
      sampled);
  AddMetadata("process_name", 0, "/host:CPU", &out);
  EventTeller teller;
  for (const Recording::Thread& thread : recording.threads) {
    const auto number = static_cast<int64_t>(thread.number);
    AddMetadata(
        "thread_name", number,
        Format("{}/{}", thread.name.empty() ? "thread" : thread.name, number),
        &out);
    for (const Event& event : thread.events) {
      const EventFacts& facts = teller.Of(event);
      out += Format(
          "{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f},"
          "\"name\":{}",
          kProcess, number, (event.start - recording.start) * 1e-3,
          (event.end - event.start) * 1e-3,
          JsonQuoted(facts.display.empty() ? facts.name : facts.display));
      std::string arguments;
      if (!facts.display.empty()) {
        arguments = "\"long_name\":" + JsonQuoted(facts.name);
      }
      std::vector<EventArgument> told = teller.Arguments(facts);
      if (event.runs > 1) told.emplace_back(kRunsArgument, event.runs);
      for (const EventArgument& a : told) {
        arguments += Format("{}{}:{}", arguments.empty() ? "" : ",",
                            JsonQuoted(a.first), ValueText(a));
      }
      if (!arguments.empty()) out += ",\"args\":{" + arguments + "}";
      out += "},\n";
    }
  }
  // The last one, so that no comma is left over.
  out += "{}]}\n";
  return out;
}

}  // namespace gk
