#include "profiler/busy_time.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace gk {
namespace {

bool IsWork(EventKind kind) {
  return kind != EventKind::kAnnotation && kind != EventKind::kTracing &&
         kind != EventKind::kPlanning;
}

bool IsStep(const Event& event) {
  if (event.type->kind() != EventKind::kAnnotation || event.detail == nullptr) {
    return false;
  }
  const auto& told = static_cast<const NamedDetail&>(*event.detail).arguments;
  return std::any_of(told.begin(), told.end(), [](const EventArgument& a) {
    return a.first == "step_num";
  });
}

}  // namespace

BusyTime BusyTimeOf(const Recording& recording) {
  BusyTime made;
  std::vector<std::pair<int64_t, int64_t>> work;
  double all = 0;
  for (const Recording::Thread& thread : recording.threads) {
    for (const Event& e : thread.events) {
      if (IsWork(e.type->kind())) {
        work.emplace_back(std::max(e.start, recording.start),
                          std::min(e.end, recording.stop));
      } else if (IsStep(e)) {
        const double ms = static_cast<double>(e.end - e.start) / 1e6;
        made.step_ms_least =
            made.steps == 0 ? ms : std::min(made.step_ms_least, ms);
        made.step_ms_most = std::max(made.step_ms_most, ms);
        all += ms;
        ++made.steps;
      }
    }
  }
  if (made.steps > 0) made.step_ms_mean = all / static_cast<double>(made.steps);
  std::sort(work.begin(), work.end());
  int64_t busy = 0, until = recording.start;
  for (const auto& [start, end] : work) {
    busy += std::max<int64_t>(0, end - std::max(start, until));
    until = std::max(until, end);
  }
  const int64_t length = std::max<int64_t>(1, recording.stop - recording.start);
  made.idle_percent =
      100.0 * static_cast<double>(length - busy) / static_cast<double>(length);
  return made;
}

}  // namespace gk
