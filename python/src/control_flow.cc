#include "control_flow.h"

#include <nanobind/stl/string.h>

#include "function/control_flow.h"
#include "func_graph_object.h"
#include "shape_type.h"
#include "tensor_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

[[noreturn]] void Throw(const Status& status) {
  Raise(status);
  throw nb::python_error();
}

TensorVector Tensors(nb::handle list) {
  TensorVector tensors;
  for (nb::handle t : list) {
    if (!IsTensor(t.ptr())) Throw(TypeError("not a tensor"));
    tensors.push_back(TensorOf(t.ptr()));
  }
  return tensors;
}

// (FuncGraph, its results)
FunctionPart Part(nb::handle pair) {
  const nb::handle graph = pair[0];
  if (!IsGraph(graph.ptr()) || GraphOf(graph.ptr())->func == nullptr) {
    Throw(TypeError("not a FuncGraph under construction"));
  }
  return {Ref<FuncGraph>(GraphOf(graph.ptr())->func), Tensors(pair[1])};
}

nb::object Wrapped(StatusOr<TensorVector> tensors) {
  if (!tensors.ok()) Throw(tensors.status());
  nb::object list = nb::steal(WrapTensors(*tensors));
  if (!list.is_valid()) throw nb::python_error();
  return list;
}

nb::object Branches(bool is_if, nb::handle selector, nb::handle parts,
                    const std::string& name) {
  if (!IsTensor(selector.ptr())) Throw(TypeError("not a tensor"));
  std::vector<FunctionPart> all;
  for (nb::handle p : parts) all.push_back(Part(p));
  const Tensor s = TensorOf(selector.ptr());
  return Wrapped(is_if ? MakeIf(s, std::move(all), name)
                       : MakeCase(s, std::move(all), name));
}

nb::object Loop(nb::handle condition, nb::handle body, nb::handle state,
                nb::handle shapes, int64_t parallel_iterations,
                const std::string& name) {
  WhileOptions options;
  options.parallel_iterations = parallel_iterations;
  if (!shapes.is_none()) {
    for (nb::handle s : shapes) {
      StatusOr<PartialTensorShape> shape = AsShape(s.ptr());
      if (!shape.ok()) Throw(shape.status());
      options.shapes.push_back(*std::move(shape));
    }
  }
  return Wrapped(
      MakeWhile(Part(condition), Part(body), Tensors(state), options, name));
}

}  // namespace

void AddControlFlow(nb::module_& m) {
  m.def(
      "_make_if",
      [](nb::handle condition, nb::handle parts, const std::string& name) {
        return Branches(true, condition, parts, name);
      },
      "The results of an If of two (FuncGraph, results).");
  m.def(
      "_make_case",
      [](nb::handle index, nb::handle parts, const std::string& name) {
        return Branches(false, index, parts, name);
      },
      "The results of a Case of several (FuncGraph, results).");
  m.def("_make_while", Loop,
        "_make_while((graph, [condition]), (graph, results), state, shapes or "
        "None, parallel_iterations, name): the results of a While.");
}

}  // namespace gk::py
