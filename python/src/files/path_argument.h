// Paths as Python gives and gets them: str, bytes and os.PathLike. Names that
// are not UTF-8 come back as os.fsdecode makes them.
#ifndef GK_PYTHON_PATH_ARGUMENT_H_
#define GK_PYTHON_PATH_ARGUMENT_H_

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <vector>

namespace gk::py {

// TypeError for what is no path.
std::string PathOf(nanobind::handle path);
nanobind::object PathText(std::string_view path);
nanobind::list PathTexts(const std::vector<std::string>& paths);

}  // namespace gk::py

#endif  // GK_PYTHON_PATH_ARGUMENT_H_
