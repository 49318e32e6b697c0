// The detectors of excessive retracing, by the places in C++ programs where
// functions are made, and where their warnings go.
#ifndef GK_API_RETRACING_WARNING_H_
#define GK_API_RETRACING_WARNING_H_

#include <string>

#include "function/retracing_detector.h"
#include "graphkiln/place.h"

namespace gk::api {

// The one of a place. Never freed: there are as many as places.
Ref<RetracingDetector> DetectorAt(const Place& place);

// To the sink that the program has set, or to the standard error stream.
void WarnOfRetracing(const std::string& text);

}  // namespace gk::api

#endif  // GK_API_RETRACING_WARNING_H_
