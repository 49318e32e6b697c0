// What Python sets for the whole process: random seeds, what tests switch off.
#include <cstring>
#include <optional>
#include <vector>

#include "base/caught.h"
#include "framework/check_numerics.h"
#include "function/func_graph.h"
#include "grappler/optimize.h"
#include "ops/random/random_seeds.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/only_argument.h"
#include "python/src/host/python_language.h"
#include "python/src/ops/op_function.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/tensor_type.h"
#include "runtime/plan.h"

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

PyObject* SeedsOf(PyObject*, PyObject* given) {
  PyRef seed = AsSeed(given);
  if (PyErr_Occurred()) return nullptr;
  const int64_t folded = seed ? Folded(seed.get()) : 0;
  if (PyErr_Occurred()) return nullptr;
  try {
    const OpSeeds seeds =
        SeedsOfOp(seed ? std::optional(folded) : std::nullopt);
    return Py_BuildValue("(LL)", static_cast<long long>(seeds.seed),
                         static_cast<long long>(seeds.seed2));
  } catch (...) {
    return Raise(CaughtStatus());
  }
}

template <void (*kSet)(bool)>
PyObject* SetProcessFlag(PyObject*, PyObject* on) {
  const int yes = PyObject_IsTrue(on);
  if (yes < 0) return nullptr;
  kSet(yes == 1);
  Py_RETURN_NONE;
}

constexpr char kSeed[] = "seed";

PyMethodDef kProcessSettingsFunctions[] = {
    {"set_seed", GK_OF_ARGUMENT(kSeed, SetSeed),
     "set_seed(seed)\n--\n\n"
     "Sets the global seed of random ops.\n\n"
     "Starts the sequence of all random ops anew: the same program draws the\n"
     "same numbers. While a graph is built it sets the seed of that graph "
     "only.\n\n"
     "Args:\n  seed: an integer; None for other numbers each time.\n\n"
     ">>> tf.random.set_seed(1)\n"
     ">>> a = tf.random.uniform([])\n"
     ">>> tf.random.set_seed(1)\n"
     ">>> (a == tf.random.uniform([])).numpy().item()\nTrue"},
    {"op_seeds", GK_OF_ARGUMENT(kSeed, SeedsOf),
     "op_seeds(seed)\n--\n\n"
     "The two seeds of a random op made now, as the program's and its own "
     "say."},
    {"set_control_flow_lowering",
     Guarded<SetProcessFlag<SetControlFlowLowering>>, METH_O,
     "Whether loops and branches of functions are parts of their plans."},
    {"set_graph_passes", Guarded<SetProcessFlag<SetGraphPasses>>, METH_O,
     "Whether functions that run for the first time from now on are "
     "optimised."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

std::string PythonLanguage::ValueText(const Tensor& t) {
  const ScopedGil gil;
  PyRef array = PyRef::Steal(ToNumpy(t, false));
  PyRef s = PyRef::Steal(array ? PyObject_Str(array.get()) : nullptr);
  if (s) return std::string(StringView(s.get()));
  PyErr_Clear();
  return "?";
}

bool AddProcessSettings(PyObject* module) {
  return PyModule_AddFunctions(module, kProcessSettingsFunctions) == 0;
}

}  // namespace gk::py
