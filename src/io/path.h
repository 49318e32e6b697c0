// Names of files: "scheme://host/a/b", or "/a/b" and "a/b" of local ones.
#ifndef GK_IO_PATH_H_
#define GK_IO_PATH_H_

#include <string>
#include <string_view>
#include <vector>

namespace gk::io {

// Views of what was parsed. Where there is no scheme, all of it is `path`.
struct PathParts {
  std::string_view scheme, host, path;
};
PathParts ParsePath(std::string_view path);

// The parts with one "/" between them; one that is absolute, "/b", replaces
// those before it.
std::string JoinPaths(const std::vector<std::string>& parts);
// `name` in `folder`, which may end in "/".
std::string ChildPath(std::string_view folder, std::string_view name);

// What is before the last "/" of the path proper, with scheme and host; "/" of
// "/a", empty of "a".
std::string_view FolderOf(std::string_view path);
// What is after it.
std::string_view NameOf(std::string_view path);

}  // namespace gk::io

#endif  // GK_IO_PATH_H_
