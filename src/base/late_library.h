// Libraries that are bound when something first needs them, so that programs
// which do not need them start without them.
#ifndef GK_BASE_LATE_LIBRARY_H_
#define GK_BASE_LATE_LIBRARY_H_

#include <string>

namespace gk {

// From beside the library that this is in, as in a wheel, or from where the
// system has it. What it calls of itself is its own, whatever else the process
// has loaded. Null, and dlerror() says why, if there is none.
void* OpenLateLibrary(const std::string& name);

}  // namespace gk

#endif  // GK_BASE_LATE_LIBRARY_H_
