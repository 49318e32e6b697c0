#include "python/src/function/decorated_function.h"

#include <string>

#include "python/src/binding/guarded.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_status.h"
#include "python/src/function/function_object.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

PyObject* decorated_function = nullptr;

nb::object Decorated(nb::object function, const nb::dict& options) {
  PyObject* const o = function.ptr();
  for (PyTypeObject* kind : {&PyStaticMethod_Type, &PyClassMethod_Type}) {
    if (!PyObject_TypeCheck(o, kind)) continue;
    return function.type()(Decorated(function.attr("__func__"), options));
  }
  if (PyObject_TypeCheck(o, FunctionObjectType)) {
    function = FunctionOf(o)->python->Body();
  }
  if (!PyCallable_Check(function.ptr())) {
    Throw(TypeError("{} is not a callable object", ReprOf(function)));
  }
  const nb::object is_coroutine =
      nb::module_::import_("inspect").attr("iscoroutinefunction")(function);
  if (nb::cast<bool>(is_coroutine)) {
    Throw(
        TypeError("{} is a coroutine function. A traced function returns "
                  "tensors: decorate what it awaits.",
                  ReprOf(function)));
  }
  return NewFunction({function, options, nb::none()});
}

PyObject* MakeDecorated(PyObject*, PyObject* args) {
  PyObject *function, *options;
  if (!PyArg_ParseTuple(args, "OO!", &function, &PyDict_Type, &options)) {
    return nullptr;
  }
  return Decorated(nb::borrow(function), nb::borrow<nb::dict>(options))
      .release()
      .ptr();
}

constexpr char kName[] = "decorated";
PyMethodDef functions[] = {
    {kName, Guarded<MakeDecorated>, METH_VARARGS,
     "The Function of a callable, a Function, or a static or class method."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

nb::handle DecoratedFunction() { return decorated_function; }

void AddDecoratedFunction(nb::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), functions) < 0) throw nb::python_error();
  decorated_function = nb::object(m.attr(kName)).release().ptr();
}

}  // namespace gk::py
