#include "python/src/graph/graph_parts.h"

#include "python/src/graph/func_graph_object.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

constexpr char kParts[] = "_python_parts", kBodies[] = "_bodies";

// The graph that is being built; null if there is none.
nb::object Around() {
  FuncGraph* const graph = FuncGraph::Current();
  if (graph == nullptr) return {};
  PyObject* around = WrapGraph(graph->graph().get());
  if (around == nullptr) throw nb::python_error();
  return nb::steal(around);
}

nb::list ListOf(nb::handle graph, const char* name) {
  if (!nb::hasattr(graph, name)) nb::setattr(graph, name, nb::list());
  return nb::borrow<nb::list>(nb::object(graph.attr(name)));
}

}  // namespace

void ReleaseBodies(nb::handle graph) {
  if (!nb::hasattr(graph, kBodies)) return;
  const nb::list bodies = ListOf(graph, kBodies);
  nb::delattr(graph, kBodies);
  for (nb::handle body : bodies) ReleaseBodies(body);
}

void KeepBody(nb::handle body) {
  const nb::object around = Around();
  if (around.is_valid() && PyObject_TypeCheck(around.ptr(), FuncGraphType)) {
    ListOf(around, kBodies).append(body);
  }
}

void KeepParts(nb::handle graph) {
  const nb::object around = Around();
  if (around.is_valid() && nb::hasattr(graph, kParts)) {
    ListOf(around, kParts).extend(ListOf(graph, kParts));
  }
}

void KeepPart(nb::handle part) { ListOf(Around(), kParts).append(part); }

}  // namespace gk::py
