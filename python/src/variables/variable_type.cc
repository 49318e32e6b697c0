#include "python/src/variables/variable_type.h"

#include <unordered_map>

#include "base/caught.h"
#include "framework/op_builder.h"
#include "framework/variable.h"
#include "function/func_graph.h"
#include "ops/fn/ReadVariableOp.h"

namespace gk::py {

PyTypeObject* BaseVariableType = nullptr;

namespace {

// Which Python object stands for a resource, or for the handle of one that is
// made when the graph runs; borrowed, removed when it dies.
std::unordered_map<const void*, PyObject*>& Variables() {
  static auto* map = new std::unordered_map<const void*, PyObject*>();
  return *map;
}

const void* KeyOf(const Tensor& handle) {
  if (!handle || handle.dtype() != DataType::kResource) return nullptr;
  if (handle.is_symbolic()) return handle.impl();
  if (handle.num_elements() != 1) return nullptr;
  return handle.scalar<ResourceHandle>().resource();
}

}  // namespace

WaitsFor::WaitsFor(const PyVariable* variable)
    : graph_(variable->after == nullptr ? nullptr : FuncGraph::Current()) {
  if (graph_ == nullptr) return;
  graph_->scopes().PushControlInputs(std::vector<Node*>{variable->after});
}
WaitsFor::~WaitsFor() {
  if (graph_ != nullptr) graph_->scopes().PopControlInputs();
}

void RememberVariable(PyObject* o) {
  if (const void* key = KeyOf(VariableOf(o)->handle)) Variables()[key] = o;
}

void ForgetVariable(PyObject* o) {
  const void* key = KeyOf(VariableOf(o)->handle);
  if (key == nullptr) return;
  const auto it = Variables().find(key);
  if (it != Variables().end() && it->second == o) Variables().erase(it);
}

bool CheckVariableReady(PyObject* o) {
  if (VariableOf(o)->handle) return true;
  PyErr_Format(PyExc_ValueError, "this %s has not been initialised",
               Py_TYPE(o)->tp_name);
  return false;
}

StatusOr<Tensor> ReadVariable(PyObject* o) {
  PyVariable* self = VariableOf(o);
  if (!self->handle) {
    CheckVariableReady(o);
    return PythonError();
  }
  ObserverList& observers = CurrentObservers();
  if (!observers.active() && OpBuilder::Current() == OpBuilder::Eager() &&
      !self->handle.is_symbolic()) {
    GK_ASSIGN_OR_RETURN(VariableResource * v, gk::VariableOf(self->handle));
    GK_ASSIGN_OR_RETURN(Tensor t, v->Read());
    return t.Alias();
  }
  if (observers.active() && self->trainable) {
    for (OpObserver* observer : observers.observers) {
      observer->OnVariableAccess(self->handle);
    }
  }
  const WaitsFor waits(self);
  try {
    return ops::ReadVariableOp(self->handle, self->dtype);
  } catch (...) {
    return CaughtStatus();
  }
}

PyObject* FindVariable(const Tensor& handle) {
  // A placeholder may stand for it.
  auto it = Variables().find(ResourceKey(handle));
  return it == Variables().end() ? nullptr : it->second;
}

}  // namespace gk::py
