// OuterTensors: what a gradient function uses of the graphs around the one in
// which it was made, so that it can be called when these are gone.
#ifndef GK_PYTHON_OUTER_TENSORS_H_
#define GK_PYTHON_OUTER_TENSORS_H_

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "function/func_graph.h"

namespace gk::py {

class OuterTensors {
 public:
  OuterTensors() = default;
  // Captures what `function` holds into the graph that is built: tensors among
  // its free variables, its defaults and what functools.partial binds, in
  // lists, tuples and dictionaries there, and those of functions there. Takes
  // the GIL as held; holds nothing that the function does not hold.
  static OuterTensors CapturedFor(nanobind::handle function, FuncGraph* here);

  // The current graph, that of a gradient, has them by what was captured.
  void Enter() const;

 private:
  struct Stand {
    Output outer;  // compared, never followed
    std::string own;
  };
  const Graph* original_ = nullptr;  // compared, never followed
  std::vector<Stand> stands_;
};

}  // namespace gk::py

#endif  // GK_PYTHON_OUTER_TENSORS_H_
