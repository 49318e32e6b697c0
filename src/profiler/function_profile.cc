#include "profiler/function_profile.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>

#include "base/thread_number.h"
#include "function/concrete_function.h"
#include "grappler/rewrite_graph.h"
#include "profiler/memory_report.h"
#include "profiler/told_event.h"

namespace gk {
namespace {

constexpr double kNanosecond = 1e-9;
// How long what may run again does.
constexpr int kMostRuns = 100;
constexpr std::chrono::milliseconds kMostTime{50};

bool IsBefore(EventKind kind) {
  return kind == EventKind::kTracing || kind == EventKind::kPlanning;
}

struct Own {
  int64_t time = 0;  // of all its runs, without the events inside of it
  // Of tracing or planning: what it is or is part of.
  EventKind before = EventKind::kAnnotation;
};

// Events of one thread lie within one another or apart.
std::vector<Own> OwnTimes(const std::vector<Event>& events) {
  std::vector<size_t> order(events.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  // Those around others first; of equal ones that which ended later.
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return std::tuple(events[a].start, -events[a].end, -int64_t(a)) <
           std::tuple(events[b].start, -events[b].end, -int64_t(b));
  });
  std::vector<Own> own(events.size());
  std::vector<size_t> open;
  for (const size_t i : order) {
    while (!open.empty() && events[open.back()].end <= events[i].start) {
      open.pop_back();
    }
    own[i].time = (events[i].end - events[i].start) * events[i].runs;
    if (IsBefore(events[i].type->kind())) {
      own[i].before = events[i].type->kind();
    } else if (!open.empty()) {
      own[i].before = own[open.back()].before;
    }
    if (!open.empty()) own[open.back()].time -= own[i].time;
    open.push_back(i);
  }
  return own;
}

bool HasRow(EventKind kind) {
  return kind == EventKind::kInstruction || kind == EventKind::kOp;
}

std::string KindOf(const EventFacts& facts) {
  for (const auto& [name, value] : facts.arguments) {
    if (name == "kind") return std::get<std::string>(value);
  }
  return "op";
}

double Attained(const ProfileRow& row, const MachinePeak& peak) {
  if (row.seconds <= 0 || peak.flops <= 0 || peak.bandwidth <= 0) return 0;
  if (row.flops <= 0) return 0;
  const double least =
      std::max(row.flops / peak.flops, row.bytes / peak.bandwidth);
  return std::min(1.0, least / row.seconds);
}

}  // namespace

FunctionProfile ProfileOf(const std::string& name, const Recording& recording,
                          uint64_t thread, int runs) {
  FunctionProfile profile;
  profile.name = name;
  profile.seconds =
      static_cast<double>(recording.stop - recording.start) * kNanosecond;
  EventTeller teller;
  std::map<std::tuple<std::string, std::string, std::string, std::string>,
           size_t>
      rows;
  for (const Recording::Thread& one : recording.threads) {
    if (one.number != thread) continue;
    const std::vector<Own> own = OwnTimes(one.events);
    for (size_t i = 0; i < own.size(); ++i) {
      const Event& event = one.events[i];
      const double seconds = static_cast<double>(own[i].time) * kNanosecond;
      const EventKind kind = event.type->kind();
      // Passes may run what they plan.
      if (IsBefore(own[i].before)) {
        (own[i].before == EventKind::kTracing ? profile.tracing_seconds
                                              : profile.planning_seconds) +=
            seconds;
        continue;
      }
      if (!HasRow(kind)) continue;
      const EventFacts& facts = teller.Of(event);
      const std::string node =
          kind == EventKind::kOp ? ""
                                 : facts.name.substr(0, facts.name.rfind(':'));
      const std::string lines = teller.Lines(facts);
      const auto [found, fresh] = rows.try_emplace(
          {facts.function, node, facts.display, lines}, profile.rows.size());
      if (fresh) {
        ProfileRow& row = profile.rows.emplace_back();
        row.name = facts.display.empty() ? facts.name : facts.display;
        row.node = node;
        row.kind = KindOf(facts);
        row.lines = lines;
        row.function = facts.function;
        row.shapes = facts.shapes;
        row.memory = facts.made_bytes;
      }
      ProfileRow& row = profile.rows[found->second];
      const auto stands_for = static_cast<double>(event.runs);
      row.calls += event.runs;
      row.seconds += seconds;
      row.flops += facts.flops * stands_for;
      row.bytes += facts.bytes * stands_for;
    }
  }
  profile.runs = runs;
  profile.seconds -= profile.tracing_seconds + profile.planning_seconds;
  profile.seconds /= runs;
  profile.other_seconds = profile.seconds;
  for (ProfileRow& row : profile.rows) {
    row.calls = std::max<int64_t>(1, row.calls / runs);
    row.seconds /= runs;
    row.flops /= runs;
    row.bytes /= runs;
    profile.other_seconds -= row.seconds;
    if (profile.seconds > 0) row.share = row.seconds / profile.seconds;
  }
  std::ranges::stable_sort(profile.rows, [](const auto& a, const auto& b) {
    return a.seconds > b.seconds;
  });
  return profile;
}

bool MayRunAgain(const GraphFunction& function) {
  for (const auto& node : function.graph().nodes()) {
    if (HasSideEffect(*node) || node->op().Has(kRandom)) return false;
  }
  return true;
}

StatusOr<FunctionProfile> ProfileCall(const std::string& name,
                                      FunctionRef<Status()> call, bool again) {
  using Clock = std::chrono::steady_clock;
  const MachinePeak& peak = MeasuredPeak();
  if (again) {
    if (EventLog::On()) return EventLog::Start(EventLog::kOps);
    GK_RETURN_IF_ERROR(call());
  }
  GK_RETURN_IF_ERROR(EventLog::Start(EventLog::kOps));
  Status called;
  int runs = 0;
  try {
    const Clock::time_point start = Clock::now();
    do {
      called = call();
      ++runs;
    } while (again && called.ok() && runs < kMostRuns &&
             Clock::now() - start < kMostTime);
  } catch (...) {
    EventLog::Stop().status().ok();
    throw;
  }
  GK_ASSIGN_OR_RETURN(const Recording recording, EventLog::Stop());
  GK_RETURN_IF_ERROR(called);
  FunctionProfile profile = ProfileOf(name, recording, ThreadNumber(), runs);
  profile.peak = peak;
  for (ProfileRow& row : profile.rows) row.attained = Attained(row, peak);
  return profile;
}

StatusOr<FunctionProfile> ProfileCall(const ConcreteFunction& function,
                                      FunctionRef<Status()> call) {
  const GraphFunction& graph = *function.function();
  GK_ASSIGN_OR_RETURN(FunctionProfile profile,
                      ProfileCall(function.name(), call, MayRunAgain(graph)));
  const StatusOr<MemoryReport> memory = ReportMemory(graph);
  if (memory.ok()) {
    profile.memory = static_cast<double>(memory->PeakBytes());
  }
  return profile;
}

}  // namespace gk
