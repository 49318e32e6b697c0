// Counts calls and tracings of the functions made at one place in a program
// and warns when there is too much tracing. Thread-safe.
#ifndef GK_API_RETRACING_DETECTOR_H_
#define GK_API_RETRACING_DETECTOR_H_

#include <deque>
#include <functional>
#include <mutex>
#include <string>

#include "graphkiln/place.h"

namespace gk::api {

class RetracingDetector {
 public:
  // The one of a place. Never freed: there are as many as places.
  static RetracingDetector* At(const Place& place);

  // A call was traced, after `cached` calls that were not. Warns about the
  // function called `name`; `explain` says why it was traced.
  void CalledWithTracing(int64_t cached, const std::string& name,
                         const std::function<std::string()>& explain);

 private:
  explicit RetracingDetector(std::string place) : place_(std::move(place)) {}

  const std::string place_;  // "train.cc:12"
  std::mutex mutex_;
  // Of the tracings in the window: each with the calls up to the next.
  std::deque<int64_t> calls_;
  int64_t total_ = 0;
  int warnings_ = 0;
};

}  // namespace gk::api

#endif  // GK_API_RETRACING_DETECTOR_H_
