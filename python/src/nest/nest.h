// What tf.nest does with Python values, for other files of the binding.
#ifndef GK_PYTHON_NEST_H_
#define GK_PYTHON_NEST_H_

#include <memory>

#include "framework/structure_match.h"
#include "python/src/nest/nest_node.h"

namespace gk::py {

// The leaves of a value, as a list. Null with an exception set.
PyRef FlatList(PyObject* value, NestRules rules);
// The leaves, which are enough, in the form of `like`. The same.
PyObject* Packed(PyObject* like, NestRules rules, PyObject* leaves);
// Any sequence of leaves; ValueError if they are not as many. The same.
PyObject* PackedSequence(PyObject* like, NestRules rules, PyObject* sequence);
// The parts of `deep` where `shallow` has leaves. The same.
PyObject* FlattenUpTo(PyObject* shallow, PyObject* deep, NestRules rules,
                      bool gaps);
// Do both nest alike? False with an exception set.
bool AssertSame(PyObject* first, PyObject* second, bool check_types,
                NestRules rules);
// Shows both values, which it keeps, where errors say how they nest; these are
// their structures.
std::unique_ptr<StructureWords> WordsOfValues(PyRef first, PyRef second,
                                              NestRules rules,
                                              const Structure& a,
                                              const Structure& b);

}  // namespace gk::py

#endif  // GK_PYTHON_NEST_H_
