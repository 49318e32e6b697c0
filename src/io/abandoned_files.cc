#include "io/abandoned_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <chrono>
#include <map>

#include "base/process_mutex.h"

namespace gk::io {
namespace {

using Clock = std::chrono::steady_clock;

// Whether it was not looked through lately. Notes that it is now.
bool IsDue(const std::string& folder) {
  constexpr auto kInterval = std::chrono::minutes(1);
  constexpr size_t kMostKnown = 64;
  static auto* const seen = new std::map<std::string, Clock::time_point>;
  const std::lock_guard lock(ProcessMutex::Of(seen));
  const Clock::time_point now = Clock::now();
  const auto known = seen->find(folder);
  if (known != seen->end() && now - known->second < kInterval) return false;
  if (seen->size() >= kMostKnown) seen->clear();
  (*seen)[folder] = now;
  return true;
}

bool IsFile(const Descriptor& file) {
  struct stat facts;
  return ::fstat(file.get(), &facts) == 0 && S_ISREG(facts.st_mode);
}

}  // namespace

bool OwnNewFile(const Descriptor& file) {
  // Where there are no locks nobody gets one to remove it, either.
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat facts;
  return ::fstat(file.get(), &facts) != 0 || facts.st_nlink > 0;
}

void RemoveAbandonedFiles(const std::string& folder) {
  if (!IsDue(folder)) return;
  DIR* const open = ::opendir(folder.empty() ? "." : folder.c_str());
  if (open == nullptr) return;
  while (const dirent* const entry = ::readdir(open)) {
    if (!std::string_view(entry->d_name).starts_with(kNewFilePrefix)) continue;
    const Descriptor file(
        ::openat(::dirfd(open), entry->d_name,
                 O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.get() < 0 || !IsFile(file) ||
        ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      continue;
    }
    // One that has its name by now is no longer found under this one.
    ::unlinkat(::dirfd(open), entry->d_name, 0);
  }
  ::closedir(open);
}

}  // namespace gk::io
