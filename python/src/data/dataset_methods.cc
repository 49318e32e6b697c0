#include "python/src/data/dataset_methods.h"

#include "python/src/binding/class_members.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/type_parts.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

// tf.data.experimental.Reducer.
nb::object InitReducer(nb::handle self, nb::object init, nb::object reduce,
                       nb::object finalize) {
  SetParts(self, {{"_init", std::move(init)},
                  {"_reduce", std::move(reduce)},
                  {"_finalize", std::move(finalize)}});
  return nb::none();
}
PyMethodDef reducer_methods[] = {
    GK_METHOD("__init__", "init_func, reduce_func, finalize_func", InitReducer,
              ""),
    {}};
PyGetSetDef reducer_attributes[] = {
    GK_PROPERTY("init_func", Part<"_init">, "Takes the key; returns a state."),
    GK_PROPERTY("reduce_func", Part<"_reduce">,
                "Takes a state and an element; returns the next state."),
    GK_PROPERTY("finalize_func", Part<"_finalize">,
                "Takes the last state; returns an element."),
    {}};

}  // namespace

void AddDatasetMethods(nb::module_& m) {
  TypeParts parts;
  for (PyMethodDef* table :
       {SelectionMethods(), FunctionalMethods(), BatchingMethods(),
        WindowMethods(), ChoiceMethods(), FileSources(), SavedSources(),
        SavingMethods()}) {
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
  AddClass(m, "Reducer", {}, Slots{"_init", "_reduce", "_finalize"},
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
[3, 2])",
           reducer_methods, reducer_attributes);
}

}  // namespace gk::py
