// tf.gradients and tf.hessians.
#include <string>
#include <vector>

#include "python/src/binding/bound_values.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_error.h"
#include "python/src/binding/type_parts.h"
#include "python/src/gradients/gradient_parts.h"
#include "python/src/gradients/gradient_tape.h"
#include "python/src/graph/name_scope.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

nb::list AsList(PyObject* value) {
  if (IsListOrTuple(value)) {
    return nb::list(nb::handle(value));
  }
  nb::list one;
  one.append(nb::handle(value));
  return one;
}

void CheckGraph() {
  if (FuncGraph::Current() != nullptr) return;
  Throw(RuntimeError(
      "tf.gradients is not supported when eager execution is enabled. Use "
      "tf.GradientTape instead."));
}

void CheckAggregation(PyObject* method) {
  if (method == nullptr || method == Py_None) return;
  for (int known = 0; known < 3; ++known) {
    if (nb::handle(method).equal(nb::int_(known))) return;
  }
  Throw(ValueError(
      "Invalid `aggregation_method` specified {}. Accepted values are [0, 1, "
      "2].",
      nb::str(nb::handle(method)).c_str()));
}

// What the gradients of ys are, tensors of their dtypes.
std::vector<Gradient> GraphWeights(const nb::list& given,
                                   const TensorVector& ys) {
  std::vector<Gradient> weights;
  for (size_t i = 0; i < nb::len(given); ++i) {
    const nb::object w = given[i];
    const bool converts = i < ys.size() && !w.is_none() &&
                          !(IsTensorLike(w.ptr()) && nb::hasattr(w, "indices"));
    if (converts) {
      weights.emplace_back();
      weights.back().dense = ValueOrThrow(ToTensor(
          w.ptr(), ys[i].dtype(), DataType::kInvalid, Format("grad_ys_{}", i)));
    } else {
      weights.push_back(ToGradient(w));
    }
  }
  return weights;
}

PyObject* Gradients(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *ys, *xs, *grad_ys = Py_None, *unused, *aggregation = nullptr;
  PyObject *stops = Py_None, *unconnected = nullptr;
  const char* name = nullptr;
  if (!ParseArguments(
          args, kwargs, "OO|OzOOOO",
          {"ys", "xs", "grad_ys", "name", "gate_gradients",
           "aggregation_method", "stop_gradients", "unconnected_gradients"},
          &ys, &xs, &grad_ys, &name, &unused, &aggregation, &stops,
          &unconnected)) {
    return nullptr;
  }
  CheckGraph();
  const UnconnectedGradients zero = Unconnected(unconnected);
  CheckAggregation(aggregation);
  const nb::list targets = AsList(ys);
  nb::list weights;
  if (grad_ys != Py_None) weights = AsList(grad_ys);
  if (grad_ys != Py_None && nb::len(weights) != nb::len(targets)) {
    return Raise(ValueError("Length mismatch. Passed {} grad_ys for {} ys",
                            nb::len(weights), nb::len(targets)));
  }
  const OpScope scope(name && *name ? name : "gradients");
  if (!scope.status().ok()) return Raise(scope.status());
  TensorVector from;
  for (nb::handle y : targets) {
    from.push_back(ValueOrThrow(ToTensor(y.ptr())));
  }
  TensorVector ends;
  if (stops != Py_None) ends = Differentiables(AsList(stops));
  nb::list out;
  for (const Gradient& g :
       GraphGradients(from, Differentiables(AsList(xs)),
                      GraphWeights(weights, from), ends, zero)) {
    out.append(WrapGradient(g));
  }
  return out.release().ptr();
}

PyObject* HessiansOf(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *ys, *xs, *unused, *aggregation = nullptr;
  const char* name = nullptr;
  if (!ParseArguments(
          args, kwargs, "OO|OOz",
          {"ys", "xs", "gate_gradients", "aggregation_method", "name"}, &ys,
          &xs, &unused, &aggregation, &name)) {
    return nullptr;
  }
  CheckGraph();
  CheckAggregation(aggregation);
  return WrapTensors(Hessians(Differentiables(AsList(ys)),
                              Differentiables(AsList(xs)),
                              name && *name ? name : "hessians"));
}

PyMethodDef kGraphGradientsFunctions[] = {
    {"gradients", AsCFunction(Guarded<Gradients>), kByName,
     "gradients(ys, xs, grad_ys=None, name='gradients', gate_gradients=False, "
     "aggregation_method=None, stop_gradients=None, "
     "unconnected_gradients='none')\n--\n\n"
     "The gradients of the sum of `ys` with respect to each of `xs`.\n\n"
     "Works in functions and graphs, whose nodes say how the `ys` came about.\n"
     "\n"
     "Args:\n"
     "  ys: a tensor or a list of tensors.\n"
     "  xs: a tensor, a variable or a list of them.\n"
     "  grad_ys: what the gradients of `ys` are; ones where it is None.\n"
     "  name: of the scope of the new nodes.\n"
     "  gate_gradients: accepted for compatibility.\n"
     "  aggregation_method: accepted for compatibility.\n"
     "  stop_gradients: tensors that count as constants: nothing goes through\n"
     "    the ops that made them (of calls and branches, through these\n"
     "    results). The gradient for such a tensor itself can be asked for.\n"
     "  unconnected_gradients: tf.UnconnectedGradients.NONE or ZERO.\n\n"
     "Returns:\n"
     "  A list with a gradient, or None, for each of `xs`.\n\n"
     "Raises:\n"
     "  RuntimeError: in eager mode.\n"
     "  ValueError: `grad_ys` is not as long as `ys`, or an option is "
     "unknown.\n"
     "\n"
     ">>> @tf.function\n"
     "... def slope(x):\n"
     "...     return tf.gradients(x * x, x)[0]\n"
     ">>> float(slope(tf.constant(3.0)))\n"
     "6.0"},
    {"hessians", AsCFunction(Guarded<HessiansOf>), kByName,
     "hessians(ys, xs, gate_gradients=False, aggregation_method=None, "
     "name='hessians')\n--\n\n"
     "The matrices of second derivatives of the sum of `ys`.\n\n"
     "Args:\n"
     "  ys: a tensor or a list of tensors.\n"
     "  xs: a tensor or a list of tensors whose shapes are known.\n"
     "  gate_gradients: accepted for compatibility.\n"
     "  aggregation_method: accepted for compatibility.\n"
     "  name: of the scope of the new nodes.\n\n"
     "Returns:\n"
     "  A list with a tensor of the shape of x twice for each x.\n\n"
     "Raises:\n"
     "  RuntimeError: in eager mode.\n"
     "  ValueError: the shape of an x is not known.\n\n"
     ">>> @tf.function\n"
     "... def curvature(x):\n"
     "...     return tf.hessians(tf.reduce_sum(x ** 3.0), x)[0]\n"
     ">>> curvature(tf.constant([1.0, 2.0])).numpy().tolist()\n"
     "[[6.0, 0.0], [0.0, 12.0]]"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void AddGraphGradients(nb::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), kGraphGradientsFunctions) < 0)
    throw nb::python_error();
}

}  // namespace gk::py
