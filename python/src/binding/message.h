// Protocol buffer messages as Python's protobuf has them.
#ifndef GK_PYTHON_MESSAGE_H_
#define GK_PYTHON_MESSAGE_H_

#include <nanobind/nanobind.h>

#include <string>

namespace gk::py {

// A message of this kind, "GraphDef". protobuf is imported for the first one.
inline nanobind::object Message(const char* kind, const nanobind::bytes& data) {
  return nanobind::module_::import_("graphkiln._proto")
      .attr(kind)
      .attr("FromString")(data);
}
inline nanobind::object Message(const char* kind, const std::string& data) {
  return Message(kind, nanobind::bytes(data.data(), data.size()));
}

}  // namespace gk::py

#endif  // GK_PYTHON_MESSAGE_H_
