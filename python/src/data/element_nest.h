// Elements of datasets as structures: tuples, named tuples, attrs classes,
// dataclasses that take themselves apart and mappings nest; lists and
// everything else are leaves, which become tensors.
#ifndef GK_PYTHON_ELEMENT_NEST_H_
#define GK_PYTHON_ELEMENT_NEST_H_

#include "python/src/binding/py_ref.h"

namespace gk::py {

// All: new references, null with an exception set. Lists of leaves:
PyObject* LeavesOfElement(PyObject* element);
// The parts of `deep` where `shallow` has leaves. TypeError, ValueError.
PyObject* LeavesUpTo(PyObject* shallow, PyObject* deep, bool gaps = false);
// Is it no structure? -1 with an exception set.
int IsLeafOfElement(PyObject* value);
// What nests as `like` and has these leaves, a list.
PyObject* ElementLike(PyObject* like, PyObject* leaves);

}  // namespace gk::py

#endif  // GK_PYTHON_ELEMENT_NEST_H_
