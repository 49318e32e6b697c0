// Classes bound with nanobind whose instances hold a value of the core that
// Python may begin anew: __init__ can be called again, or never.
#ifndef GK_PYTHON_HELD_CORE_H_
#define GK_PYTHON_HELD_CORE_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

#include "base/status.h"

namespace gk::py {

template <class Core>
struct Held {
  std::unique_ptr<Core> core;
};

template <class Core>
Core& CoreOf(PyObject* o) {
  if (!nanobind::inst_ready(o)) {
    throw Error(
        RuntimeError("{}.__init__() has not been called", Py_TYPE(o)->tp_name));
  }
  return *nanobind::inst_ptr<Held<Core>>(o)->core;
}
template <class Core>
void Begin(PyObject* o, std::unique_ptr<Core> core) {
  auto* held = nanobind::inst_ptr<Held<Core>>(o);
  if (nanobind::inst_ready(o)) {
    held->core = std::move(core);
  } else {
    new (held) Held<Core>{std::move(core)};
    nanobind::inst_mark_ready(o);
  }
}

}  // namespace gk::py

#endif  // GK_PYTHON_HELD_CORE_H_
