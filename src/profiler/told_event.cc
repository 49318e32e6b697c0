#include "profiler/told_event.h"

#include <cstdlib>
#include <map>
#include <string_view>

#include "base/format.h"
#include "framework/host_language.h"

namespace gk {
namespace {

// The last of '  File "model.py", line 12, in f'.
SourceLine InnermostLine(const std::string& text) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ",
                             kIn = ", in ";
  SourceLine found;
  const size_t file = text.rfind(kFile);
  if (file == text.npos) return found;
  const size_t line = text.find(kLine, file);
  if (line == text.npos) return found;
  found.file = text.substr(file + kFile.size(), line - file - kFile.size());
  found.line = std::atoi(text.c_str() + line + kLine.size());
  const size_t in = text.find(kIn, line);
  if (in != text.npos) found.function = text.substr(in + kIn.size());
  return found;
}

}  // namespace

std::string_view LastPart(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string SourceLine::Text() const {
  return file.empty() ? "" : Format("{}:{}", LastPart(file), line);
}

const EventFacts& EventTeller::Of(const Event& event) {
  if (event.detail != nullptr) {
    last_ = EventFacts();
    event.type->Tell(event.detail, &last_);
    return last_;
  }
  auto [found, fresh] = told_.try_emplace(event.type);
  if (fresh) event.type->Tell(nullptr, &found->second);
  return found->second;
}

const SourceLine& EventTeller::Line(uint32_t source) {
  auto [found, fresh] = lines_.try_emplace(source);
  if (fresh) {
    found->second = InnermostLine(HostLanguage::Get().SourceText(source));
  }
  return found->second;
}

std::string EventTeller::Lines(const EventFacts& facts, bool whole) {
  std::string text;
  std::vector<std::string> seen;
  for (const uint32_t source : facts.sources) {
    const SourceLine& line = Line(source);
    if (line.file.empty()) continue;
    const std::string one =
        whole ? Format("{}:{}", line.file, line.line) : line.Text();
    bool known = false;
    for (const std::string& other : seen) known |= other == one;
    if (known) continue;
    text += (seen.empty() ? "" : ", ") + one;
    seen.push_back(one);
  }
  return text;
}

std::vector<EventArgument> EventTeller::Arguments(const EventFacts& facts) {
  std::vector<EventArgument> all = facts.arguments;
  const auto add = [&](const char* name, auto value) {
    all.emplace_back(name, std::move(value));
  };
  if (std::string lines = Lines(facts, true); !lines.empty()) {
    add("source_info", std::move(lines));
  }
  if (!facts.shapes.empty()) add("tensor_shapes", facts.shapes);
  if (facts.bytes > 0) {
    add("bytes_accessed", static_cast<int64_t>(facts.bytes));
  }
  if (facts.flops > 0) add("flops", static_cast<int64_t>(facts.flops));
  if (!facts.function.empty() && facts.function != facts.name) {
    add("function", facts.function);
  }
  return all;
}

std::vector<std::string> SampledFunctions(const Recording& recording) {
  struct Runs {
    int64_t recorded = 0, all = 0;
  };
  EventTeller teller;
  std::map<std::string, Runs> functions;
  for (const Recording::Thread& thread : recording.threads) {
    for (const Event& event : thread.events) {
      if (event.type->kind() != EventKind::kFunction) continue;
      Runs& runs = functions[teller.Of(event).name];
      ++runs.recorded;
      runs.all += event.runs;
    }
  }
  std::vector<std::string> texts;
  for (const auto& [name, runs] : functions) {
    if (runs.recorded == runs.all) continue;
    texts.push_back(Format(
        "{}: {} of {} runs are recorded, as they are short; \"{}\" of an "
        "event says how many it stands for.",
        name, runs.recorded, runs.all, kRunsArgument));
  }
  return texts;
}

}  // namespace gk
