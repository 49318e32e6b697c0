// The installed headers, the CMake package and the library name one version.
#include <graphkiln/version.h>

#include <cstdio>
#include <cstring>

int main() {
  char text[32];
  std::snprintf(text, sizeof text, "%d.%d.%d", GRAPHKILN_VERSION_MAJOR,
                GRAPHKILN_VERSION_MINOR, GRAPHKILN_VERSION_PATCH);
  if (std::strcmp(text, GRAPHKILN_VERSION) != 0) {
    std::fprintf(stderr, "%s is not %s\n", text, GRAPHKILN_VERSION);
    return 1;
  }
  return 0;
}
