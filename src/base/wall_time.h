// The time of day, as files and users have it; not for measuring.
#ifndef GK_BASE_WALL_TIME_H_
#define GK_BASE_WALL_TIME_H_

#include <chrono>

namespace gk {

// Seconds since 1970.
inline double WallTime() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace gk

#endif  // GK_BASE_WALL_TIME_H_
