#include "io/path.h"

#include <algorithm>

namespace gk::io {
namespace {

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsOfScheme(char c) {
  return IsLetter(c) || (c >= '0' && c <= '9') || c == '.' || c == '+' ||
         c == '-';
}

// Where the path proper begins.
size_t Root(std::string_view path) {
  return path.size() - ParsePath(path).path.size();
}

}  // namespace

PathParts ParsePath(std::string_view path) {
  constexpr std::string_view kMark = "://";
  const size_t end = path.find(kMark);
  if (end == path.npos || end == 0 || !IsLetter(path[0]) ||
      !std::all_of(path.begin(), path.begin() + end, IsOfScheme)) {
    return {{}, {}, path};
  }
  const size_t host = end + kMark.size();
  const size_t root = std::min(path.find('/', host), path.size());
  return {path.substr(0, end), path.substr(host, root - host),
          path.substr(root)};
}

std::string JoinPaths(const std::vector<std::string>& parts) {
  std::string joined;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (i == 0 || part.starts_with('/')) {
      joined = part;
    } else {
      if (!joined.empty() && !joined.ends_with('/')) joined += '/';
      joined += part;
    }
  }
  return joined;
}

std::string ChildPath(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.empty() && !path.ends_with('/')) path += '/';
  return path += name;
}

std::string_view FolderOf(std::string_view path) {
  const size_t root = Root(path);
  const size_t slash = path.rfind('/');
  if (slash == path.npos || slash < root) return path.substr(0, root);
  return path.substr(0, slash == root ? root + 1 : slash);
}

std::string_view NameOf(std::string_view path) {
  const size_t root = Root(path);
  const size_t slash = path.rfind('/');
  if (slash == path.npos || slash < root) return path.substr(root);
  return path.substr(slash + 1);
}

}  // namespace gk::io
