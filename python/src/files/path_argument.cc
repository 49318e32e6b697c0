#include "python/src/files/path_argument.h"

#include "python/src/binding/bound_values.h"
#include "python/src/binding/text_caster.h"

namespace gk::py {

namespace nb = nanobind;

std::string PathOf(nb::handle path) {
  nb::object name = nb::borrow(path);
  if (!nb::isinstance<nb::str>(name) && !nb::isinstance<nb::bytes>(name)) {
    if (!nb::hasattr(name, "__fspath__")) {
      Throw(TypeError(
          "Expected binary or unicode string, got {}: a path is a str, bytes "
          "or an os.PathLike",
          ReprOf(path)));
    }
    name = Owned(PyOS_FSPath(name.ptr()));
  }
  if (nb::isinstance<nb::str>(name)) {
    name = Owned(PyUnicode_EncodeFSDefault(name.ptr()));
  }
  return std::string(PyBytes_AS_STRING(name.ptr()),
                     static_cast<size_t>(PyBytes_GET_SIZE(name.ptr())));
}

nb::object PathText(std::string_view path) {
  return Owned(PyUnicode_DecodeFSDefaultAndSize(
      path.data(), static_cast<Py_ssize_t>(path.size())));
}

nb::list PathTexts(const std::vector<std::string>& paths) {
  nb::list texts;
  for (const std::string& path : paths) texts.append(PathText(path));
  return texts;
}

}  // namespace gk::py
