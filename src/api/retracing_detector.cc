#include "api/retracing_detector.h"

#include <cstdio>
#include <map>
#include <memory>
#include <tuple>

#include "base/status.h"
#include "graphkiln/retraces.h"

namespace gk::api {
namespace {

constexpr int64_t kWindow = 10;
constexpr size_t kThreshold = 5;
constexpr int kMostWarnings = 2;

std::mutex sink_mutex;
RetracingWarningSink& Sink() {
  static auto* sink = new RetracingWarningSink();
  return *sink;
}

void Warn(const std::string& text) {
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

}  // namespace

RetracingWarningSink set_retracing_warning_sink(RetracingWarningSink sink) {
  std::lock_guard lock(sink_mutex);
  std::swap(Sink(), sink);
  return sink;
}

RetracingDetector* RetracingDetector::At(const Place& place) {
  using Key = std::tuple<std::string, uint32_t, uint32_t>;
  static std::mutex mutex;
  static auto* detectors =
      new std::map<Key, std::unique_ptr<RetracingDetector>>();
  std::lock_guard lock(mutex);
  auto& detector =
      (*detectors)[{place.file_name(), place.line(), place.column()}];
  if (!detector) {
    detector.reset(new RetracingDetector(
        Format("{}:{}", place.file_name(), place.line())));
  }
  return detector.get();
}

void RetracingDetector::CalledWithTracing(
    int64_t cached, const std::string& name,
    const std::function<std::string()>& explain) {
  size_t tracings;
  int64_t calls;
  {
    std::lock_guard lock(mutex_);
    if (cached > 0) {
      if (calls_.empty()) calls_.push_back(0);
      calls_.back() += cached;
      total_ += cached;
    }
    calls_.push_back(1);
    ++total_;
    while (total_ - calls_.front() > kWindow) {
      total_ -= calls_.front();
      calls_.pop_front();
    }
    tracings = calls_.size();
    calls = total_;
    if (tracings < kThreshold || warnings_ >= kMostWarnings) return;
    ++warnings_;
  }
  Warn(Format(
      "{} out of the last {} calls to {}, made at {}, triggered gk::function "
      "retracing. Tracing is expensive and the excessive number of tracings "
      "could be due to (1) creating a gk::function repeatedly in a loop, (2) "
      "passing tensors with different shapes, (3) passing C++ values instead "
      "of tensors. For (1), please make your gk::function outside of the "
      "loop. For (2), FunctionOptions::reduce_retracing can avoid unnecessary "
      "retracing. For (3), please pass a gk::Tensor.\n{}",
      tracings, calls, name, place_, explain()));
}

}  // namespace gk::api
