// Glob of io/files.h: one part of the pattern after the other.
#include <fnmatch.h>

#include <algorithm>

#include "base/interrupt.h"
#include "io/file_systems.h"
#include "io/files.h"
#include "io/path.h"

namespace gk::io {
namespace {

// What a folder that cannot be listed says; it has no matches.
bool HasNothing(const Status& status) {
  return status.code() == Code::kNotFound ||
         status.code() == Code::kPermissionDenied ||
         status.code() == Code::kFailedPrecondition;
}

}  // namespace

StatusOr<std::vector<std::string>> Glob(const std::string& pattern) {
  GK_ASSIGN_OR_RETURN(const std::shared_ptr<FileSystem> system,
                      FileSystemOf(pattern));
  const size_t special = pattern.find_first_of("*?[\\");
  if (special == pattern.npos) {
    GK_ASSIGN_OR_RETURN(const bool there, Exists(pattern));
    if (!there) return std::vector<std::string>();
    return std::vector<std::string>{pattern};
  }
  const size_t root = pattern.size() - ParsePath(pattern).path.size();
  const std::string_view fixed = std::string_view(pattern).substr(0, special);
  const size_t slash = fixed.rfind('/');
  std::string folder;
  std::string_view rest;
  if (slash == fixed.npos || slash < root) {
    folder = root == 0 ? "." : pattern.substr(0, root);
    rest = std::string_view(pattern).substr(root);
  } else {
    folder = pattern.substr(0, slash == root ? root + 1 : slash);
    rest = std::string_view(pattern).substr(slash + 1);
    // "a//*" describes no path: those of what is in "a" have one slash.
    if (slash > root && folder.ends_with('/')) {
      return std::vector<std::string>();
    }
  }
  if (rest.ends_with('/')) rest.remove_suffix(1);

  std::vector<std::string> matches = {std::move(folder)};
  for (bool last = false; !last;) {
    const size_t end = std::min(rest.find('/'), rest.size());
    last = end == rest.size();
    const std::string part(rest.substr(0, end));
    rest.remove_prefix(last ? end : end + 1);
    std::vector<std::string> deeper;
    for (const std::string& outer : matches) {
      GK_RETURN_IF_ERROR(CheckInterrupt());
      const StatusOr<std::vector<std::string>> names = system->List(outer);
      if (!names.ok()) {
        if (HasNothing(names.status())) continue;
        return names.status();
      }
      for (const std::string& name : *names) {
        if (::fnmatch(part.c_str(), name.c_str(), 0) != 0) continue;
        std::string path = ChildPath(outer, name);
        if (last || IsDirectory(path)) deeper.push_back(std::move(path));
      }
    }
    matches = std::move(deeper);
  }
  std::sort(matches.begin(), matches.end());
  return matches;
}

}  // namespace gk::io
