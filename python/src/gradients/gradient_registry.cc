// tf.RegisterGradient and tf.no_gradient: gradients by name.
#include <memory>
#include <string>
#include <vector>

#include "function/function_gradient.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_error.h"
#include "python/src/binding/type_parts.h"
#include "python/src/gradients/gradient_parts.h"
#include "python/src/gradients/own_gradients.h"
#include "python/src/graph/operation_members.h"
#include "python/src/tensors/tensor_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// Calls a function with the operation and the gradients of its outputs.
GradientOverride Calling(nb::object function) {
  std::shared_ptr<PyObject> shared(function.inc_ref().ptr(), DeferredDecref);
  return [shared](GradContext& c) {
    const ScopedGil gil;
    try {
      nb::list arguments;
      arguments.append(OperationOf(c.y(0)));
      for (int i = 0; i < c.num_outputs(); ++i) {
        arguments.append(c.raw_dy(i).is_none() ? Wrap(c.dy(i))
                                               : WrapGradient(c.raw_dy(i)));
      }
      nb::object found = nb::handle(shared.get())(*nb::tuple(arguments));
      std::vector<Gradient> grads;
      if (nb::isinstance<nb::list>(found) || nb::isinstance<nb::tuple>(found)) {
        for (nb::handle g : found) grads.push_back(ToGradient(g));
      } else {
        grads.push_back(ToGradient(found));
      }
      SetRegistered(std::move(grads), &c);
    } catch (nb::python_error& e) {
      e.restore();
      throw Error(PythonError());
    }
  };
}

// None, or an error with KeyError for a name that is taken.
PyObject* Registered(const Status& status) {
  if (status.ok()) Py_RETURN_NONE;
  if (status.code() != Code::kAlreadyExists) return Raise(status);
  PyErr_SetString(PyExc_KeyError, std::string(status.message()).c_str());
  return nullptr;
}

PyObject* NoGradient(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject* op_type;
  if (!ParseArguments(args, kwargs, "O", {"op_type"}, &op_type)) return nullptr;
  if (!PyUnicode_Check(op_type)) {
    return Raise(TypeError("op_type must be a string"));
  }
  const std::string_view text = StringView(op_type);
  if (PyErr_Occurred()) return nullptr;
  return Registered(DeclareNoGradient(std::string(text)));
}

struct GradientName {
  std::string op_type;
};

int InitRegister(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* op_type;
  if (!ParseArguments(args, kwargs, "O", {"op_type"}, &op_type)) return -1;
  if (!PyUnicode_Check(op_type)) {
    return RaiseInt(TypeError("op_type must be a string"));
  }
  const std::string_view text = StringView(op_type);
  if (PyErr_Occurred()) return -1;
  if (nb::inst_ready(o)) nb::inst_destruct(o);
  new (nb::inst_ptr<GradientName>(o)) GradientName{std::string(text)};
  nb::inst_mark_ready(o);
  return 0;
}
PyObject* CallRegister(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* f;
  if (!ParseArguments(args, kwargs, "O", {"f"}, &f)) return nullptr;
  if (!nb::inst_ready(o)) {
    return Raise(RuntimeError("RegisterGradient.__init__ has not been called"));
  }
  const PyRef done = PyRef::Steal(Registered(RegisterGradient(
      nb::inst_ptr<GradientName>(o)->op_type, Calling(nb::borrow(f)))));
  return done ? Py_NewRef(f) : nullptr;
}
PyType_Slot register_slots[] = {{Py_tp_init, Slot<InitRegister>()},
                                {Py_tp_call, Slot<CallRegister>()},
                                {0, nullptr}};

PyMethodDef kGradientRegistryFunctions[] = {
    {"no_gradient", AsCFunction(Guarded<NoGradient>), kByName,
     "no_gradient(op_type)\n--\n\n"
     "Declares that an op has no gradient.\n\n"
     "Raises TypeError if `op_type` is no string, KeyError if the op has a\n"
     "gradient or was declared before.\n\n"
     ">>> tf.no_gradient('AnOpOfMine')"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void AddGradientRegistry(nb::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), kGradientRegistryFunctions) < 0)
    throw nb::python_error();
  nb::class_<GradientName>(
      m, "RegisterGradient", nb::type_slots(register_slots),
      "RegisterGradient(op_type)\n--\n\n"
      "Decorates a function that computes gradients under a name, which\n"
      "`tf.Graph.gradient_override_map` can ask for.\n\n"
      "The function is given the operation and the gradient of each of its\n"
      "outputs, and returns a gradient, or None, for each of its inputs.\n\n"
      "Raises TypeError if the name is no string, KeyError if there is such a\n"
      "gradient.\n\n"
      ">>> @tf.RegisterGradient('NoGradientAtAll')\n"
      "... def nothing(op, grad):\n"
      "...     return tf.zeros_like(grad)");
}

}  // namespace gk::py
