// Who makes variables: what tf.Variable is called with, and the functions of
// tf.variable_creator_scope.
#include <string>
#include <vector>

#include "function/variable_creators.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/type_parts.h"
#include "python/src/variables/variable_arguments.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

PyObject* DefaultOf(int i) {
  switch (i) {
    case kValidateShape:
      return Py_True;
    case kSynchronization:
      return AutoSynchronization();
    case kAggregation:
      return NoAggregation();
    default:
      return Py_None;
  }
}

class Creator final : public VariableCreator {
 public:
  explicit Creator(PyObject* function) : function_(Py_NewRef(function)) {}
  ~Creator() override { DeferredDecref(function_); }
  PyObject* function() const { return function_; }

 private:
  PyObject* const function_;
};
PyObject* FunctionOf(const VariableCreator& creator) {
  return static_cast<const Creator&>(creator).function();
}

PyObject* DefaultCreator(PyObject*, PyObject* args, PyObject* kwargs) {
  PyRef named = Checked(kwargs ? PyDict_Copy(kwargs) : PyDict_New());
  if (PyDict_GetItemString(named.get(), "next_creator") != nullptr &&
      PyDict_DelItemString(named.get(), "next_creator") < 0) {
    return nullptr;
  }
  PyRef none = Checked(PyTuple_New(0));
  return PyObject_Call(reinterpret_cast<PyObject*>(ResourceVariableType),
                       none.get(), named.get());
}
PyMethodDef default_creator = {
    "default_creator", AsCFunction(Guarded<DefaultCreator>), kByName, nullptr};

nb::object InitCreator(nb::handle self, nb::handle creator) {
  self.attr("_creator") = creator;
  return nb::none();
}
nb::object Enter(nb::handle self) {
  EnterVariableCreator(MakeRef<Creator>(self.attr("_creator").ptr()));
  return nb::none();
}
nb::object Exit(nb::handle self, nb::tuple) {
  const nb::object creator = self.attr("_creator");
  ThrowIfError(LeaveVariableCreator([&](const VariableCreator& entered) {
    return FunctionOf(entered) == creator.ptr();
  }));
  return nb::none();
}
// As a decorator: each call of the function is inside the scope.
nb::object Itself(nb::handle self) { return nb::borrow(self); }
nb::object Decorate(nb::handle self, nb::handle function) {
  return nb::module_::import_("contextlib")
      .attr("ContextDecorator")
      .attr("__call__")(self, function);
}
PyMethodDef kVariableCreatorsMethods[] = {
    GK_METHOD("__init__", "variable_creator", InitCreator, ""),
    GK_METHOD("__enter__", "", Enter, ""),
    GK_METHOD("_recreate_cm", "", Itself, ""),
    GK_METHOD("__exit__", "*unused", Exit, ""),
    GK_METHOD("__call__", "func", Decorate, ""),
    {}};

}  // namespace

Arguments BoundArguments(PyObject* args, PyObject* kwargs) {
  Arguments given;
  const Py_ssize_t n = PyTuple_GET_SIZE(args);
  if (n > kNumGiven) {
    throw Error(TypeError("tf.Variable takes {} arguments at most, {} given",
                          static_cast<int>(kNumGiven), n));
  }
  for (int i = 0; i < kNumGiven; ++i) {
    PyObject* named = kwargs == nullptr
                          ? nullptr
                          : PyDict_GetItemString(kwargs, kGivenNames[i]);
    if (named != nullptr && i < n) {
      throw Error(TypeError("tf.Variable got multiple values for argument '{}'",
                            kGivenNames[i]));
    }
    given[i] = i < n ? PyTuple_GET_ITEM(args, i) : named ? named : DefaultOf(i);
  }
  return given;
}

bool IsLifted(PyObject* wish) {
  if (wish == nullptr || wish == Py_None) return true;
  const int lifted = PyObject_IsTrue(wish);
  if (lifted < 0) throw Error(PythonError());
  return lifted == 1;
}

PyObject* MadeByCreators(PyObject* args, PyObject* kwargs) {
  const std::vector<Ref<VariableCreator>> creators = VariableCreatorsHere();
  if (creators.empty()) return nullptr;
  const Arguments given = BoundArguments(args, kwargs);
  PyRef named = Checked(kwargs ? PyDict_Copy(kwargs) : PyDict_New());
  for (int i = 0; i < kNumGiven; ++i) {
    if (PyDict_SetItemString(named.get(), kGivenNames[i], given[i]) < 0) {
      return nullptr;
    }
  }
  PyRef create = Checked(PyCFunction_New(&default_creator, nullptr));
  const PyRef partial = ImportAttribute("functools", "partial");
  if (!partial) return nullptr;
  for (const Ref<VariableCreator>& creator : creators) {
    create = Checked(PyObject_CallFunctionObjArgs(
        partial.get(), FunctionOf(*creator), create.get(), nullptr));
  }
  PyRef none = Checked(PyTuple_New(0));
  return PyObject_Call(create.get(), none.get(), named.get());
}

void AddVariableCreatorScope(nb::module_& m) {
  AddClass(m, "variable_creator_scope",
           "variable_creator_scope(variable_creator)\n--\n\n"
           "Lets `variable_creator(next_creator, **kwargs)` make the "
           "variables.\n\n"
           ">>> def frozen(next_creator, **arguments):\n"
           "...     return next_creator(**{**arguments, "
           "'trainable': False})\n"
           ">>> with tf.variable_creator_scope(frozen):\n"
           "...     tf.Variable(1.0).trainable\nFalse",
           kVariableCreatorsMethods);
}

}  // namespace gk::py
