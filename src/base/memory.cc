#include "base/memory.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>

namespace gk {
namespace {

constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();

// Calls line(name, number) for the lines "name number ..." of a file.
template <class F>
void ForLines(const char* path, F line) {
  std::FILE* f = std::fopen(path, "re");
  if (f == nullptr) return;
  char text[256], name[128];
  long long number;
  while (std::fgets(text, sizeof(text), f) != nullptr) {
    if (std::sscanf(text, "%127s %lld", name, &number) == 2) {
      line(name, static_cast<int64_t>(number));
    }
  }
  std::fclose(f);
}

int64_t NumberIn(const char* path) {
  long long number = -1;
  if (std::FILE* f = std::fopen(path, "re")) {
    if (std::fscanf(f, "%lld", &number) != 1) number = -1;  // "max"
    std::fclose(f);
  }
  return number;
}

int64_t OfSystem() {
  int64_t available = -1, swap = 0;
  ForLines("/proc/meminfo", [&](const char* name, int64_t kilobytes) {
    if (std::strcmp(name, "MemAvailable:") == 0) available = kilobytes << 10;
    if (std::strcmp(name, "SwapFree:") == 0) swap = kilobytes << 10;
  });
  return available < 0 ? kUnknown : available + swap;
}

int64_t OfControlGroup() {
  const int64_t limit = NumberIn("/sys/fs/cgroup/memory.max");
  const int64_t used = NumberIn("/sys/fs/cgroup/memory.current");
  if (limit < 0 || used < 0) return kUnknown;
  int64_t reclaimable = 0;
  ForLines("/sys/fs/cgroup/memory.stat", [&](const char* name, int64_t bytes) {
    if (std::strcmp(name, "inactive_file") == 0) reclaimable = bytes;
  });
  return std::max<int64_t>(0, limit - used + reclaimable);
}

}  // namespace

int64_t AvailableMemory() { return std::min(OfSystem(), OfControlGroup()); }

}  // namespace gk
