#include "base/late_library.h"

#include <dlfcn.h>

#include "base/sanitizer.h"

namespace gk {

void* OpenLateLibrary(const std::string& name) {
  // Sanitizers refuse libraries that look up their own functions first.
  constexpr int kMode =
      RTLD_NOW | RTLD_LOCAL | (kSanitized ? 0 : RTLD_DEEPBIND);
  Dl_info ours;
  static const char kHere = 0;
  if (dladdr(&kHere, &ours) != 0 && ours.dli_fname != nullptr) {
    std::string path = ours.dli_fname;
    path.resize(path.rfind('/') + 1);
    path += name;
    if (void* handle = dlopen(path.c_str(), kMode)) return handle;
  }
  return dlopen(name.c_str(), kMode);
}

}  // namespace gk
