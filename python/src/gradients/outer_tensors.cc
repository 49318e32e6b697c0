#include "python/src/gradients/outer_tensors.h"

#include <set>

#include "python/src/binding/bound_values.h"
#include "python/src/tensors/tensor_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// Walks what a function holds, a few levels deep.
class Walk {
 public:
  void Visit(nb::handle value, int depth = 0) {
    constexpr int kDeepest = 6;
    if (depth > kDeepest || !seen_.insert(value.ptr()).second) return;
    if (IsTensor(value.ptr())) {
      const Tensor t = TensorOf(value.ptr());
      if (t.is_symbolic()) tensors.push_back(t);
    } else if (PyFunction_Check(value.ptr())) {
      VisitFunction(value.ptr(), depth);
    } else if (PyMethod_Check(value.ptr())) {
      Visit(PyMethod_GET_FUNCTION(value.ptr()), depth + 1);
    } else if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) {
      for (nb::handle part : nb::borrow(value)) Visit(part, depth + 1);
    } else if (PyDict_Check(value.ptr())) {
      for (auto [key, part] : nb::borrow<nb::dict>(value)) {
        Visit(part, depth + 1);
      }
    } else if (nb::isinstance(value, Partial())) {
      for (const char* part : {"func", "args", "keywords"}) {
        Visit(nb::object(value.attr(part)), depth + 1);
      }
    }
  }

  TensorVector tensors;

 private:
  static nb::object Partial() {
    return nb::module_::import_("functools").attr("partial");
  }
  void VisitFunction(PyObject* function, int depth) {
    if (PyObject* defaults = PyFunction_GetDefaults(function)) {
      Visit(defaults, depth + 1);
    }
    PyObject* const cells = PyFunction_GetClosure(function);
    if (cells == nullptr) return;
    for (nb::handle cell : nb::borrow<nb::tuple>(cells)) {
      PyObject* const content = PyCell_GET(cell.ptr());
      if (content != nullptr) Visit(content, depth + 1);
    }
  }

  std::set<PyObject*> seen_;
};

}  // namespace

OuterTensors OuterTensors::CapturedFor(nb::handle function, FuncGraph* here) {
  OuterTensors made;
  made.original_ = here->graph().get();
  Walk walk;
  walk.Visit(function);
  for (const Tensor& t : walk.tensors) {
    if (Graph::GraphOf(t) == made.original_) continue;
    // One that is out of scope is an error where it is used.
    const StatusOr<Tensor> own = here->inputs().Capture(t);
    if (!own.ok() || !own->is_symbolic()) continue;
    made.stands_.push_back(
        {Graph::OutputOf(t), Graph::OutputOf(*own).node->name()});
  }
  return made;
}

void OuterTensors::Enter() const {
  FuncGraph* const here = FuncGraph::Current();
  if (here == nullptr) return;
  for (const Stand& s : stands_) {
    here->inputs().SetStandIn(s.outer, original_, s.own);
  }
}

}  // namespace gk::py
