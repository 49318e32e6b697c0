// EventTeller: events of a recording in words, each type of event once.
//
// For one recording, which outlives it; used by one thread. Asks the host
// language for lines of the program.
#ifndef GK_PROFILER_TOLD_EVENT_H_
#define GK_PROFILER_TOLD_EVENT_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "base/event_log.h"

namespace gk {

// The argument of an event that says Event::runs, if these are several.
inline constexpr char kRunsArgument[] = "runs";

// A line of the user's program.
struct SourceLine {
  std::string file, function;
  int line = 0;
  // "model.py:12", without the folders; empty if it is unknown.
  std::string Text() const;
};

class EventTeller {
 public:
  // Valid until the next call.
  const EventFacts& Of(const Event& event);
  // The innermost line of a position of the program.
  const SourceLine& Line(uint32_t source);
  // The lines of an event, "model.py:12, model.py:14"; `whole` with folders.
  std::string Lines(const EventFacts& facts, bool whole = false);
  // All that is known of it, as a profile shows it: lines, shapes, bytes,
  // operations, the function.
  std::vector<EventArgument> Arguments(const EventFacts& facts);

 private:
  std::unordered_map<const EventType*, EventFacts> told_;
  std::unordered_map<uint32_t, SourceLine> lines_;
  EventFacts last_;
};

// What of a recording was sampled: "f: 120 of 4000 runs are recorded, ..." of
// each function that was.
std::vector<std::string> SampledFunctions(const Recording& recording);

// "python" of a path; the last part of it.
std::string_view LastPart(std::string_view path);

}  // namespace gk

#endif  // GK_PROFILER_TOLD_EVENT_H_
