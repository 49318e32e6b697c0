// tf.random.Generator: random numbers from a state in a variable.
#include "python/src/random/generator.h"

#include <vector>

#include "ops/random/generator_state.h"
#include "ops/random/random_algorithm.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/late_attributes.h"
#include "python/src/checkpoint/trackable_type.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/graph/name_scope.h"
#include "python/src/ops/op_function.h"
#include "python/src/tensors/convert.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

Handle generator_type;  // for ever

// A number, a name or a tf.random.Algorithm.
int64_t AlgorithmOf(Handle given) {
  PyObject* const alg = given.ptr();
  if (PyUnicode_Check(alg)) {
    return ValueOrThrow(RandomAlgorithm(StringView(alg)));
  }
  if (!PyIndex_Check(alg)) {
    PyErr_Format(PyExc_TypeError,
                 "Can't convert argument `alg` (of value %S and type %S) to "
                 "int.",
                 alg, reinterpret_cast<PyObject*>(Py_TYPE(alg)));
    throw nb::python_error();
  }
  PyRef index = Checked(PyNumber_Index(alg));
  int overflow = 0;
  const int64_t v = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  return ValueOrThrow(RandomAlgorithm(overflow == 0 ? v : -1));
}

// The first words of an integer of any size, the lowest first.
std::vector<int64_t> WordsOf(PyObject* integer, size_t most) {
  PyRef rest = PyRef::Share(integer);
  PyRef bits = Checked(PyLong_FromLong(64));
  std::vector<int64_t> words;
  while (words.size() < most) {
    words.push_back(
        static_cast<int64_t>(PyLong_AsUnsignedLongLongMask(rest.get())));
    if (PyErr_Occurred()) throw nb::python_error();
    rest = Checked(PyNumber_Rshift(rest.get(), bits.get()));
    int overflow = 0;
    const int64_t left = PyLong_AsLongLongAndOverflow(rest.get(), &overflow);
    if (overflow == 0 && (left == 0 || left == -1)) break;
  }
  return words;
}

Tensor StateOfSeed(Handle seed, int64_t algorithm) {
  if (IsTensor(seed.ptr())) {
    return GeneratorState(TensorOf(seed.ptr()), algorithm);
  }
  const auto most = static_cast<size_t>(RandomStateSize(algorithm));
  std::vector<int64_t> words;
  if (PyLong_Check(seed.ptr())) {
    words = WordsOf(seed.ptr(), most);
  } else {
    for (Handle word : nb::tuple(nb::borrow(seed))) {
      if (words.size() == most) break;
      words.push_back(WordsOf(nb::int_(word).ptr(), 1)[0]);
    }
  }
  return GeneratorState(std::move(words), algorithm);
}

Tensor StateOfKey(Handle key, Handle counter) {
  const Tensor words = Converted(counter);
  return GeneratorStateOfKey(Converted(key), words);
}

Object StateVariable(Handle o) { return o.attr("_state"); }
int64_t AlgorithmNumber(Handle o) {
  return AlgorithmOf(Object(o.attr("_alg")));
}

Object Init(Handle self, Handle copied, Handle state, Handle alg) {
  Object words = nb::borrow(state), number = nb::borrow(alg);
  if (!copied.is_none()) {
    if (!state.is_none() || !alg.is_none()) {
      Throw(ValueError(
          "Arguments `state` and `alg` must be None when `copy_from` is "
          "given."));
    }
    words = copied.attr("state").attr("value")();
    number = copied.attr("algorithm");
  }
  if (words.is_none() || number.is_none()) {
    Throw(ValueError(
        "Arguments `state` and `alg` are required without `copy_from`."));
  }
  const int64_t algorithm = AlgorithmOf(number);
  const Tensor value = ConvertedTo(words, DataType::kInt64);
  CheckGeneratorState(value, algorithm);
  self.attr("_state") =
      Owned(NewVariable(value, "StateVar", /*trainable=*/false));
  self.attr("_alg") = algorithm;
  return nb::none();
}

Object FromState(Handle cls, Handle state, Handle alg) {
  return cls(nb::none(), state, alg);
}
// The algorithm that is chosen where none is given.
Object Chosen(Handle alg) {
  return alg.is_none() ? nb::int_(kPhiloxAlgorithm) : nb::borrow(alg);
}
Object FromSeed(Handle cls, Handle seed, Handle alg) {
  const Object chosen = Chosen(alg);
  return FromState(cls, Wrapped(StateOfSeed(seed, AlgorithmOf(chosen))),
                   chosen);
}
Object FromNonDeterministicState(Handle cls, Handle alg) {
  const Object chosen = Chosen(alg);
  return FromState(
      cls, Wrapped(UnpredictableGeneratorState(AlgorithmOf(chosen))), chosen);
}
Object FromKeyCounter(Handle cls, Handle key, Handle counter, Handle alg) {
  return FromState(cls, Wrapped(StateOfKey(key, counter)), alg);
}

Object AlgorithmAttribute(Handle o) { return nb::int_(AlgorithmNumber(o)); }
Object Key(Handle o) {
  return StateVariable(o)[nb::int_(RandomStateSize(AlgorithmNumber(o)) - 1)];
}

Object Assign(Handle o, const Tensor& state) {
  StateVariable(o).attr("assign")(Wrapped(state));
  return nb::none();
}
Object Reset(Handle o, Handle state) {
  return Assign(o, ConvertedTo(state, DataType::kInt64));
}
Object ResetFromSeed(Handle o, Handle seed) {
  return Assign(o, StateOfSeed(seed, AlgorithmNumber(o)));
}
Object ResetFromKeyCounter(Handle o, Handle key, Handle counter) {
  return Assign(o, StateOfKey(key, counter));
}

// The core's function of a state.
template <Name kFunction, class... Given>
Object Draw(Handle o, Given... given) {
  return Owned(CompositionFunction(kFunction.text))(
      StateVariable(o).attr("handle"), AlgorithmNumber(o), given...);
}
#define FIVE Handle, Handle, Handle, Handle, Handle

// Keys of as many generators.
Tensor DrawKeys(Handle o, int64_t count) {
  return DrawGeneratorKeys(VariableOf(StateVariable(o).ptr())->handle,
                           AlgorithmNumber(o), count);
}
Object MakeSeeds(Handle o, int64_t count) {
  return Wrapped(SeedsOfKeys(DrawKeys(o, count)));
}
Object Split(Handle o, int64_t count) {
  nb::list made;
  for (const Tensor& state : StatesOfKeys(DrawKeys(o, count), count)) {
    made.append(
        FromState(generator_type, Wrapped(state), AlgorithmAttribute(o)));
  }
  return made;
}

#define TYPE "dtype=tf.float32, name=None"
PyMethodDef kGeneratorMethods[] = {
    GK_METHOD("__init__", "copy_from=None, state=None, alg=None", Init, ""),
    GK_CLASS_METHOD("from_state", "state, alg", FromState,
                    "A generator that goes on from `state`."),
    GK_CLASS_METHOD("from_seed", "seed, alg=None", FromSeed,
                    "A generator of a seed: equal seeds draw equal numbers."),
    GK_CLASS_METHOD("from_non_deterministic_state", "alg=None",
                    FromNonDeterministicState,
                    "A generator of an unpredictable state."),
    GK_CLASS_METHOD("from_key_counter", "key, counter, alg", FromKeyCounter,
                    "A generator of a key and a counter of two numbers."),
    GK_METHOD("reset", "state", Reset, "Sets the state."),
    GK_METHOD("reset_from_seed", "seed", ResetFromSeed,
              "Sets the state to that of `from_seed(seed)`."),
    GK_METHOD("reset_from_key_counter", "key, counter", ResetFromKeyCounter,
              "Sets the state to this counter and key."),
    GK_METHOD("skip", "delta", (Draw<"_generator.skip", Handle>),
              "Moves on as if `delta` numbers had been drawn; the old state."),
    GK_METHOD("uniform", "shape, minval=0, maxval=None, " TYPE,
              (Draw<"_generator.uniform", FIVE>),
              "Uniform numbers in [minval, maxval)."),
    GK_METHOD("uniform_full_int", "shape, dtype=tf.uint64, name=None",
              (Draw<"_generator.uniform_full_int", Handle, Handle, Handle>),
              "Integers of the whole range of `dtype`."),
    GK_METHOD("normal", "shape, mean=0.0, stddev=1.0, " TYPE,
              (Draw<"_generator.normal", FIVE>), "Normal numbers."),
    GK_METHOD("truncated_normal", "shape, mean=0.0, stddev=1.0, " TYPE,
              (Draw<"_generator.truncated_normal", FIVE>),
              "Normal numbers within two deviations."),
    GK_METHOD("binomial", "shape, counts, probs, dtype=tf.int32, name=None",
              (Draw<"_generator.binomial", FIVE>),
              "How many of `counts` trials succeed that each do with "
              "probability `probs`."),
    GK_METHOD("make_seeds", "count=1", MakeSeeds,
              "Seeds [2, count] for stateless random ops."),
    GK_METHOD("split", "count=1", Split,
              "`count` generators that are independent of this one."),
    {}};
#undef TYPE
#undef FIVE
PyGetSetDef attributes[] = {
    GK_PROPERTY("_state_var", StateVariable, nullptr),
    GK_PROPERTY("state", StateVariable,
                "The variable: counter (low, high) and key."),
    GK_PROPERTY("algorithm", AlgorithmAttribute,
                "The number of the algorithm."),
    GK_PROPERTY("key", Key, "The key, an int64 scalar."),
    {}};

Object CreateRngState(Handle, Handle seed, Handle alg) {
  return Wrapped(StateOfSeed(seed, AlgorithmOf(alg)));
}

Object& GlobalGenerator() {
  static auto* generator = new Object();
  return *generator;
}
Object GetGlobalGenerator(Handle) {
  Object& generator = GlobalGenerator();
  if (!generator.is_valid()) {
    InitScope outside;
    outside.Enter();
    const Object made = FromNonDeterministicState(generator_type, nb::none());
    ThrowIfError(outside.Exit());
    if (!generator.is_valid()) generator = made;
  }
  return generator;
}
Object SetGlobalGenerator(Handle, Handle generator) {
  GlobalGenerator() = generator.is_none() ? Object() : nb::borrow(generator);
  return nb::none();
}

PyMethodDef functions[] = {
    GK_MODULE_FUNCTION(
        "create_rng_state", "seed, alg", CreateRngState,
        "The state that `Generator.from_seed(seed)` begins with.\n\n"
        ">>> tf.random.create_rng_state(5, \"philox\").numpy().tolist()\n"
        "[5, 0, 0]"),
    GK_MODULE_FUNCTION(
        "get_global_generator", "", GetGlobalGenerator,
        "The generator that is shared by the whole program.\n\n"
        ">>> tf.random.get_global_generator().normal([2]).shape\n"
        "TensorShape([2])"),
    GK_MODULE_FUNCTION(
        "set_global_generator", "generator", SetGlobalGenerator,
        "Replaces the global generator.\n\n"
        ">>> tf.random.set_global_generator(tf.random.Generator.from_seed(7))"),
    {}};

// Functions take a member of the enum for its number.
PyObject* Number(PyObject* o, PyObject*) {
  return PyObject_GetAttrString(o, "value");
}
PyMethodDef index_method = {"__index__", Guarded<Number>, METH_NOARGS, nullptr};

PyObject* MakeAlgorithm() {
  static constexpr std::pair<const char*, int> kMembers[] = {
      {"PHILOX", 1}, {"THREEFRY", 2}, {"AUTO_SELECT", 3}};
  PyRef cls = PyRef::Steal(
      MakeEnum("Enum", "graphkiln._graphkiln", "Algorithm",
               "The algorithms of random numbers; Philox runs on every "
               "device.\n\n>>> tf.random.Algorithm.PHILOX.value\n1",
               kMembers));
  PyRef method = PyRef::Steal(
      cls ? PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(cls.get()),
                              &index_method)
          : nullptr);
  if (!method ||
      PyObject_SetAttrString(cls.get(), "__index__", method.get()) < 0) {
    return nullptr;
  }
  return cls.Release();
}

}  // namespace

void AddGenerator(nb::module_& m) {
  generator_type = AddClass(
      m, "Generator", nb::handle(reinterpret_cast<PyObject*>(TrackableType)),
      std::nullopt,
      "Generator(copy_from=None, state=None, alg=None)\n--\n\n"
      "Random numbers from a state in a variable: a copy of a generator, or "
      "one of\nthis state and algorithm.\n\n"
      ">>> g = tf.random.Generator.from_seed(5)\n"
      ">>> g.uniform([3]).shape\nTensorShape([3])",
      kGeneratorMethods, attributes);
  AddLate("Algorithm", MakeAlgorithm);
  AddFunctions(m, functions);
}

}  // namespace gk::py
