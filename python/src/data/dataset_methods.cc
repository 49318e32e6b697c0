#include "python/src/data/dataset_methods.h"

#include "python/src/binding/guarded.h"
#include "python/src/binding/type_parts.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

// tf.data.experimental.Reducer.
struct Reducer {
  nb::object init_func, reduce_func, finalize_func;
};

int VisitReducer(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  if (!nb::inst_ready(o)) return 0;
  const Reducer* r = nb::inst_ptr<Reducer>(o);
  Py_VISIT(r->init_func.ptr());
  Py_VISIT(r->reduce_func.ptr());
  Py_VISIT(r->finalize_func.ptr());
  return 0;
}
int ClearReducer(PyObject* o) {
  *nb::inst_ptr<Reducer>(o) = {};
  return 0;
}
PyType_Slot reducer_slots[] = {{Py_tp_traverse, Slot<VisitReducer>()},
                               {Py_tp_clear, Slot<ClearReducer>()},
                               {0, nullptr}};

}  // namespace

void AddDatasetMethods(nb::module_& m) {
  TypeParts parts;
  for (PyMethodDef* table :
       {SelectionMethods(), FunctionalMethods(), BatchingMethods(),
        WindowMethods(), ChoiceMethods()}) {
    parts.Add(table);
  }
  static PyType_Slot slots[] = {
      {Py_tp_doc, Doc("What datasets are made of datasets by.")},
      {Py_tp_methods, Table(std::move(parts).Finished().methods)},
      {0, nullptr}};
  static PyType_Spec spec = {
      "graphkiln._graphkiln.DatasetMethods", sizeof(PyObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HEAPTYPE, slots};
  if (AddType(m.ptr(), &spec, nullptr) == nullptr) throw nb::python_error();
  nb::class_<Reducer>(
      m, "Reducer", nb::type_slots(reducer_slots),
      R"(What `group_by_reducer` does with the elements of a key.

Args:
  init_func: takes the key; returns a state.
  reduce_func: takes a state and an element; returns the next state.
  finalize_func: takes the last state; returns an element.

>>> reducer = tf.data.experimental.Reducer(
...     lambda key: 0, lambda total, x: total + 1, lambda total: total)
>>> counts = tf.data.Dataset.range(5).apply(
...     tf.data.experimental.group_by_reducer(lambda x: x % 2, reducer))
>>> [n.numpy().item() for n in counts]
[3, 2])")
      .def(nb::init<nb::object, nb::object, nb::object>(), nb::arg("init_func"),
           nb::arg("reduce_func"), nb::arg("finalize_func"))
      .def_ro("init_func", &Reducer::init_func,
              "Takes the key; returns a state.")
      .def_ro("reduce_func", &Reducer::reduce_func,
              "Takes a state and an element; returns the next state.")
      .def_ro("finalize_func", &Reducer::finalize_func,
              "Takes the last state; returns an element.");
}

}  // namespace gk::py
