// What tf.Variable is called with, and who makes variables instead of it.
#ifndef GK_PYTHON_VARIABLE_ARGUMENTS_H_
#define GK_PYTHON_VARIABLE_ARGUMENTS_H_

#include <nanobind/nanobind.h>

#include <array>

#include "python/src/binding/errors.h"
#include "python/src/binding/py_ref.h"

namespace gk::py {

enum Given {
  kInitialValue,
  kTrainable,
  kValidateShape,
  kCachingDevice,
  kName,
  kVariableDef,
  kDType,
  kImportScope,
  kConstraint,
  kSynchronization,
  kAggregation,
  kShape,
  kLifting,
  kNumGiven
};
constexpr const char* kGivenNames[] = {"initial_value",
                                       "trainable",
                                       "validate_shape",
                                       "caching_device",
                                       "name",
                                       "variable_def",
                                       "dtype",
                                       "import_scope",
                                       "constraint",
                                       "synchronization",
                                       "aggregation",
                                       "shape",
                                       "experimental_enable_variable_lifting"};
using Arguments = std::array<PyObject*, kNumGiven>;  // borrowed
// Throws Error. Keywords of other names are let pass, as in TensorFlow.
Arguments BoundArguments(PyObject* args, PyObject* kwargs);
// Is a variable with this wish, null or None for none, to outlive the calls of
// the function that makes it? Throws Error.
bool IsLifted(PyObject* wish);

// Members of the modes that variables have, made when they are first used.
// Borrowed; throws Error. (variable_creation.cc)
PyObject* AutoSynchronization();
PyObject* OnReadSynchronization();
PyObject* NoAggregation();
// Gives a variable the members of these numbers. Throws of unknown ones.
void SetModes(PyObject* variable, int synchronization, int aggregation);

// What the creators around a call of tf.Variable make of it. New reference;
// null without an exception if there are none.
PyObject* MadeByCreators(PyObject* args, PyObject* kwargs);
void AddVariableCreatorScope(nanobind::module_& m);
void AddModuleWalk(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_VARIABLE_ARGUMENTS_H_
