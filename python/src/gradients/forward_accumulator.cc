// tf.autodiff.ForwardAccumulator.
#include "function/forward_accumulator.h"

#include <memory>
#include <utility>

#include "python/src/binding/bound_values.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/held_core.h"
#include "python/src/binding/throw_error.h"
#include "python/src/binding/type_parts.h"
#include "python/src/gradients/gradient_parts.h"
#include "python/src/gradients/gradient_tape.h"
#include "python/src/nest/nest.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// A tensor, or the handle of a variable.
Tensor Key(nb::handle h) {
  if (IsTensor(h.ptr()) || IsVariable(h.ptr())) return Differentiable(h.ptr());
  PyErr_Format(PyExc_AttributeError,
               "%R object has no attribute '_id': only tensors and variables "
               "have derivatives, got %R",
               nb::object(h.type().attr("__name__")).ptr(), h.ptr());
  throw nb::python_error();
}

using HeldAccumulator = Held<ForwardAccumulator>;

ForwardAccumulator& AccumulatorOf(PyObject* o) {
  return CoreOf<ForwardAccumulator>(o);
}

// Of as many directions as the tangents have rows, if `rows`.
std::unique_ptr<ForwardAccumulator> NewAccumulator(PyObject* primals,
                                                   nb::object tangents,
                                                   bool rows) {
  auto made = std::make_unique<ForwardAccumulator>();
  nb::list along = FlatLeaves(tangents.ptr());
  if (rows) {
    const TensorVector all = Differentiables(along);
    made = std::make_unique<ForwardAccumulator>(NumDirections(all));
    for (size_t i = 0; i < all.size(); ++i) along[i] = Wrap(all[i]);
    tangents = Owned(PackedAs(tangents.ptr(), along));
  }
  if (!AssertSame(primals, tangents.ptr(), true, NestRules::kNest)) {
    throw nb::python_error();
  }
  const nb::list flat = FlatLeaves(primals);
  for (size_t i = 0; i < nb::len(flat); ++i) {
    const nb::object primal = flat[i];
    if (!IsFloatingLeaf(primal)) {
      WarnOfDType("primal", primal);
      continue;
    }
    const DataType type = AsDType(nb::object(primal.attr("dtype")).ptr());
    const Tensor tangent =
        ValueOrThrow(ToTensor(nb::object(along[i]).ptr(), type));
    made->Watch(Key(primal), tangent);
  }
  return made;
}

int InitAccumulator(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *primals, *tangents;
  if (!ParseArguments(args, kwargs, "OO", {"primals", "tangents"}, &primals,
                      &tangents)) {
    return -1;
  }
  Begin(o, NewAccumulator(primals, nb::borrow(tangents), /*rows=*/false));
  return 0;
}

PyObject* BatchAccumulator(PyObject* cls, PyObject* args, PyObject* kwargs) {
  PyObject *primals, *tangents;
  if (!ParseArguments(args, kwargs, "OO", {"primals", "tangents"}, &primals,
                      &tangents)) {
    return nullptr;
  }
  nb::object self = nb::inst_alloc(cls);
  Begin(self.ptr(),
        NewAccumulator(primals, nb::borrow(tangents), /*rows=*/true));
  return self.release().ptr();
}

PyObject* PushAccumulator(PyObject* o, PyObject*) {
  AccumulatorOf(o).Push();
  return Py_NewRef(o);
}
PyObject* PopAccumulator(PyObject* o, PyObject*) {
  AccumulatorOf(o).Pop();
  Py_RETURN_NONE;
}
PyObject* ExitAccumulator(PyObject* o, PyObject*) {
  if (AccumulatorOf(o).recording()) AccumulatorOf(o).Pop();
  Py_RETURN_NONE;
}

PyObject* Jvp(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *primals, *unconnected = nullptr;
  if (!ParseArguments(args, kwargs, "O|O", {"primals", "unconnected_gradients"},
                      &primals, &unconnected)) {
    return nullptr;
  }
  const bool zero = Unconnected(unconnected, /*by_name=*/false) ==
                    UnconnectedGradients::kZero;
  ForwardAccumulator& core = AccumulatorOf(o);
  nb::list out;
  for (nb::handle h : FlatLeaves(primals)) {
    const Tensor t = Key(h);
    const Tensor product = Tried([&] {
      const LazyGilRelease release(false);
      const Tensor found = core.Product(t);
      return found || !zero ? found : core.Zeros(t);
    });
    out.append(product ? Wrap(product) : nb::none());
  }
  return PackedAs(primals, out);
}

PyMethodDef accumulator_methods[] = {
    {"__enter__", Guarded<PushAccumulator>, METH_NOARGS,
     "__enter__($self)\n--\n\n"},
    {"__exit__", Guarded<ExitAccumulator>, METH_VARARGS,
     "__exit__($self, kind, value, traceback)\n--\n\n"},
    {"_push", Guarded<PushAccumulator>, METH_NOARGS, nullptr},
    {"_pop", Guarded<PopAccumulator>, METH_NOARGS, nullptr},
    {"_push_accumulator", Guarded<PushAccumulator>, METH_NOARGS, nullptr},
    {"_pop_accumulator", Guarded<PopAccumulator>, METH_NOARGS, nullptr},
    {"_batch_accumulator", AsCFunction(Guarded<BatchAccumulator>),
     kByName | METH_CLASS,
     "_batch_accumulator($type, primals, tangents)\n--\n\n"
     "An accumulator of several directions at once, which are along the\n"
     "first axis of the tangents and of the products."},
    {"jvp", AsCFunction(Guarded<Jvp>), kByName,
     "jvp($self, primals, unconnected_gradients='none')\n--\n\n"
     "The product of the Jacobian of `primals` with the tangents.\n\n"
     "Args:\n"
     "  primals: a tensor or a nested structure of tensors; as a rule what\n"
     "    was computed under the accumulator.\n"
     "  unconnected_gradients: what comes out for a tensor that does not\n"
     "    depend on the watched primals: None, or with \"zero\" zeros.\n\n"
     "Returns:\n"
     "  Tensors of the shapes and dtypes of `primals`, in the same structure.\n"
     "\n"
     "Raises:\n"
     "  ValueError: an unknown `unconnected_gradients`.\n"
     "  LookupError: an op on the way has no gradient.\n\n"
     ">>> x = tf.constant(2.0)\n"
     ">>> with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:\n"
     "...     y = x * x\n"
     ">>> acc.jvp({\"y\": y, \"x\": x})[\"y\"].numpy().item()\n"
     "4.0"},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot accumulator_slots[] = {{Py_tp_init, Slot<InitAccumulator>()},
                                   {Py_tp_methods, Slot<accumulator_methods>()},
                                   {0, nullptr}};

}  // namespace

void AddForwardAccumulator(nb::module_& m) {
  nb::class_<HeldAccumulator>(
      m, "ForwardAccumulator", nb::type_slots(accumulator_slots),
      nb::dynamic_attr(), nb::is_weak_referenceable(),
      "ForwardAccumulator(primals, tangents)\n--\n\n"
      "Computes Jacobian-vector products while the program runs forwards.\n\n"
      "`jvp(y)` is the derivative of `y` with respect to `primals` in the\n"
      "direction `tangents`: for `y = f(x)`, the limit of `(f(x + h * "
      "tangent)\n"
      "- f(x)) / h`. Accumulators nest with each other and with gradient\n"
      "tapes; each sees what accumulators inside it compute.\n\n"
      "Args:\n"
      "  primals: a tensor, a variable or a nested structure of them.\n"
      "  tangents: directions in the same structure, with the shapes and\n"
      "    dtypes of the primals.\n\n"
      "Raises:\n"
      "  ValueError: the structures, dtypes or shapes differ, or a primal is\n"
      "    there twice.\n\n"
      ">>> x = tf.constant([1.0, 2.0])\n"
      ">>> with tf.autodiff.ForwardAccumulator(\n"
      "...     x, tf.constant([1.0, 0.0])\n"
      "... ) as acc:\n"
      "...     y = x * x * x\n"
      ">>> acc.jvp(y).numpy().tolist()\n"
      "[3.0, 0.0]\n\n"
      "Forward over backward gives the product of a Hessian with a vector:\n\n"
      ">>> with tf.autodiff.ForwardAccumulator(\n"
      "...     x, tf.constant([1.0, 0.0])\n"
      "... ) as acc:\n"
      "...     with tf.GradientTape() as tape:\n"
      "...         tape.watch(x)\n"
      "...         y = tf.reduce_sum(x * x * x)\n"
      "...     gradient = tape.gradient(y, x)\n"
      ">>> acc.jvp(gradient).numpy().tolist()\n"
      "[6.0, 0.0]");
}

}  // namespace gk::py
