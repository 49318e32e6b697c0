#include "api/retracing_warning.h"

#include <cstdio>
#include <map>
#include <mutex>
#include <tuple>

#include "api/place.h"
#include "graphkiln/retraces.h"

namespace gk::api {
namespace {

std::mutex sink_mutex;
RetracingWarningSink& Sink() {
  static auto* sink = new RetracingWarningSink();
  return *sink;
}

}  // namespace

void WarnOfRetracing(const std::string& text) {
  RetracingWarningSink sink;
  {
    std::lock_guard lock(sink_mutex);
    sink = Sink();
  }
  if (sink) {
    sink(text);
  } else {
    std::fprintf(stderr, "WARNING: %s\n", text.c_str());
  }
}

RetracingWarningSink set_retracing_warning_sink(RetracingWarningSink sink) {
  std::lock_guard lock(sink_mutex);
  std::swap(Sink(), sink);
  return sink;
}

Ref<RetracingDetector> DetectorAt(const Place& place) {
  using Key = std::tuple<std::string, uint32_t, uint32_t>;
  static std::mutex mutex;
  static auto* detectors = new std::map<Key, Ref<RetracingDetector>>();
  std::lock_guard lock(mutex);
  auto& detector =
      (*detectors)[{place.file_name(), place.line(), place.column()}];
  if (!detector) detector = MakeRef<RetracingDetector>(PlaceText(place));
  return detector;
}

}  // namespace gk::api
