// What Python sets for the whole process: random seeds; and what
// it asks of graphs under construction.
#include <cstring>
#include <optional>
#include <vector>

#include "convert.h"
#include "framework/check_numerics.h"
#include "framework/tensor_text.h"
#include "function/func_graph.h"
#include "gil.h"
#include "grappler/optimize.h"
#include "guarded.h"
#include "op_function.h"
#include "ops/random/random_algorithm.h"
#include "ops/random/random_seeds.h"
#include "ops/random/variance_scaling.h"
#include "runtime/plan.h"
#include "tensor_type.h"

namespace gk::py {
namespace {

// Whatever int() takes, as a Python int; null for None, too.
PyRef AsSeed(PyObject* seed) {
  return seed == Py_None ? PyRef() : PyRef::Steal(PyNumber_Long(seed));
}

// Folded, of any size.
int64_t Folded(PyObject* seed) {
  PyRef modulus = PyRef::Steal(PyLong_FromLongLong(kSeedModulus));
  if (!modulus) return -1;
  PyRef folded = PyRef::Steal(PyNumber_Remainder(seed, modulus.get()));
  return folded ? PyLong_AsLongLong(folded.get()) : -1;
}

// The absolute value in words of 32 bits, the lowest first; empty: an error.
std::vector<uint32_t> Magnitude(PyObject* integer) {
  PyRef magnitude = PyRef::Steal(PyNumber_Absolute(integer));
  PyRef bits = PyRef::Steal(
      magnitude ? PyObject_CallMethod(magnitude.get(), "bit_length", nullptr)
                : nullptr);
  if (!bits) return {};
  std::vector<uint32_t> words((PyLong_AsSize_t(bits.get()) + 31) / 32);
  PyRef bytes = PyRef::Steal(
      PyObject_CallMethod(magnitude.get(), "to_bytes", "ns",
                          static_cast<Py_ssize_t>(words.size() * 4), "little"));
  if (!bytes) return {};
  std::memcpy(words.data(), PyBytes_AS_STRING(bytes.get()), words.size() * 4);
  return words;
}

PyObject* SetSeed(PyObject*, PyObject* given) {
  PyRef seed = AsSeed(given);
  if (PyErr_Occurred()) return nullptr;
  if (!seed) {
    SetRandomSeed(std::nullopt);
    Py_RETURN_NONE;
  }
  int overflow = 0;
  const int64_t small = PyLong_AsLongLongAndOverflow(seed.get(), &overflow);
  if (overflow == 0) {
    SetRandomSeed(small);
    Py_RETURN_NONE;
  }
  const std::vector<uint32_t> magnitude = Magnitude(seed.get());
  const int64_t folded = Folded(seed.get());
  if (magnitude.empty() || PyErr_Occurred()) return nullptr;
  SetRandomSeed(folded, magnitude);
  Py_RETURN_NONE;
}

PyObject* OpSeedsOf(PyObject*, PyObject* given) {
  PyRef seed = AsSeed(given);
  if (PyErr_Occurred()) return nullptr;
  std::optional<int64_t> of_op;
  if (seed) of_op = Folded(seed.get());
  if (PyErr_Occurred()) return nullptr;
  const OpSeeds seeds = SeedsOfOp(of_op);
  return Py_BuildValue("LL", static_cast<long long>(seeds.seed),
                       static_cast<long long>(seeds.seed2));
}

PyObject* AlgorithmOf(PyObject*, PyObject* alg) {
  StatusOr<int64_t> number = 0;
  if (PyUnicode_Check(alg)) {
    number = RandomAlgorithm(StringView(alg));
  } else if (PyIndex_Check(alg)) {
    PyRef index = PyRef::Steal(PyNumber_Index(alg));
    if (!index) return nullptr;
    int overflow = 0;
    const int64_t v = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
    number = RandomAlgorithm(overflow == 0 ? v : -1);
  } else {
    PyErr_Format(PyExc_TypeError,
                 "Can't convert argument `alg` (of value %S and type %S) to "
                 "int.",
                 alg, reinterpret_cast<PyObject*>(Py_TYPE(alg)));
    return nullptr;
  }
  if (!number.ok()) return Raise(number.status());
  return Py_BuildValue("LL", static_cast<long long>(*number),
                       static_cast<long long>(RandomStateSize(*number)));
}

// scaled_variance(scale, mode, distribution, shape): what to draw from.
PyObject* ScaledVarianceOf(PyObject*, PyObject* args) {
  double scale;
  const char *mode, *distribution;
  PyObject* dims;
  if (!PyArg_ParseTuple(args, "dssO", &scale, &mode, &distribution, &dims)) {
    return nullptr;
  }
  StatusOr<std::vector<int64_t>> shape = ToIntList(dims);
  if (!shape.ok()) return Raise(shape.status());
  const StatusOr<WeightDistribution> from =
      ScaledVariance(scale, mode, distribution, *shape);
  if (!from.ok()) return Raise(from.status());
  PyObject* kind = ToPyString(from->kind);
  return kind == nullptr
             ? nullptr
             : Py_BuildValue("Ndd", kind, from->first, from->second);
}

// The value of a tensor if it is known now, as NumPy's; else None.
PyObject* KnownValue(PyObject*, PyObject* o) {
  if (!IsTensor(o)) return Raise(TypeError("expected a tensor"));
  const Tensor value = TensorOf(o).KnownValue();
  if (!value) Py_RETURN_NONE;
  return ToNumpy(value, false);
}

// A value as str() of NumPy shows it.
std::string ShownByNumpy(const Tensor& t) {
  const ScopedGil gil;
  PyRef array = PyRef::Steal(ToNumpy(t, false));
  PyRef s = PyRef::Steal(array ? PyObject_Str(array.get()) : nullptr);
  if (s) return std::string(StringView(s.get()));
  PyErr_Clear();
  return "?";
}

template <void (*kSet)(bool)>
PyObject* SetFlag(PyObject*, PyObject* on) {
  const int yes = PyObject_IsTrue(on);
  if (yes < 0) return nullptr;
  kSet(yes == 1);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"known_value", Guarded<KnownValue>, METH_O,
     "The value of a tensor if it is known while tracing, else None."},
    {"set_random_seed", Guarded<SetSeed>, METH_O,
     "Sets the seed of the program or of the graph that is being built."},
    {"op_seeds", Guarded<OpSeedsOf>, METH_O,
     "The attributes seed and seed2 of an op with this `seed` argument."},
    {"random_algorithm", Guarded<AlgorithmOf>, METH_O,
     "The number of an algorithm and the size of its states."},
    {"scaled_variance", Guarded<ScaledVarianceOf>, METH_VARARGS,
     "scaled_variance(scale, mode, distribution, shape)\n--\n\n"
     "(kind, first, second): what weights of a shape are drawn from."},
    {"set_control_flow_lowering", Guarded<SetFlag<SetControlFlowLowering>>,
     METH_O,
     "Whether loops and branches of functions are parts of their plans."},
    {"set_graph_passes", Guarded<SetFlag<SetGraphPasses>>, METH_O,
     "Whether functions that run for the first time from now on are "
     "optimised."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool AddProcessSettings(PyObject* module) {
  SetValueText(ShownByNumpy);
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace gk::py
