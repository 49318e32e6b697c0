#include "api/retracing_warning.h"

#include <cstdio>
#include <map>
#include <mutex>
#include <tuple>

#include "api/place.h"
#include "base/process_mutex.h"
#include "graphkiln/retraces.h"

namespace gk::api {
namespace {

ProcessMutex& SinkMutex() {
  static auto* mutex = new ProcessMutex();
  return *mutex;
}
RetracingWarningSink& Sink() {
  static auto* sink = new RetracingWarningSink();
  return *sink;
}

}  // namespace

void WarnOfRetracing(const std::string& text) {
  RetracingWarningSink sink;
  {
    std::lock_guard lock(SinkMutex());
    sink = Sink();
  }
  if (sink) {
    sink(text);
  } else {
    std::fprintf(stderr, "WARNING: %s\n", text.c_str());
  }
}

RetracingWarningSink set_retracing_warning_sink(RetracingWarningSink sink) {
  std::lock_guard lock(SinkMutex());
  std::swap(Sink(), sink);
  return sink;
}

Ref<RetracingDetector> DetectorAt(const Place& place) {
  using Key = std::tuple<std::string, uint32_t, uint32_t>;
  static auto& mutex = *new ProcessMutex();
  static auto* detectors = new std::map<Key, Ref<RetracingDetector>>();
  std::lock_guard lock(mutex);
  auto& detector =
      (*detectors)[{place.file_name(), place.line(), place.column()}];
  if (!detector) detector = MakeRef<RetracingDetector>(PlaceText(place));
  return detector;
}

}  // namespace gk::api
