// Steps that run a whole dataset at once, whose functions may be Python's.
#ifndef GK_PYTHON_RUN_FREELY_H_
#define GK_PYTHON_RUN_FREELY_H_

#include <nanobind/nanobind.h>

#include <utility>

#include "base/caught.h"
#include "framework/op_builder.h"
#include "python/src/binding/gil.h"
#include "python/src/graph/source_location.h"

namespace gk::py {

// Without the GIL, unless a graph is built. What `step` throws is Python's
// error, of an op unless a graph is built.
template <class Step>
void RunFreely(Step&& step) {
  const bool graph = OpBuilder::Current()->builds_graph();
  const Status status = [&]() -> Status {
    const GilRelease unlocked(!graph);
    try {
      std::forward<Step>(step)();
      return OkStatus();
    } catch (...) {
      return CaughtStatus();
    }
  }();
  if (status.ok()) return;
  graph ? Raise(status) : RaiseOpError(status);
  throw nanobind::python_error();
}

}  // namespace gk::py

#endif  // GK_PYTHON_RUN_FREELY_H_
