// Where a program calls the library, as errors show it.
#ifndef GK_API_PLACE_H_
#define GK_API_PLACE_H_

#include <string>

#include "base/format.h"
#include "graphkiln/place.h"

namespace gk::api {

// "net.cc:12".
inline std::string PlaceText(const Place& where) {
  return Format("{}:{}", where.file_name(), where.line());
}

}  // namespace gk::api

#endif  // GK_API_PLACE_H_
