// tf.random.Generator: random numbers from a state in a variable.
#include "python/src/random/generator.h"

#include <vector>

#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/Pad.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Size.h"
#include "ops/fn/Sub.h"
#include "ops/random/random_algorithm.h"
#include "ops/random/random_place.h"
#include "ops/subscript.h"
#include "python/src/binding/dict_object.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/late_attributes.h"
#include "python/src/binding/only_argument.h"
#include "python/src/binding/type_parts.h"
#include "python/src/graph/name_scope.h"
#include "python/src/ops/op_function.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

[[noreturn]] void Throw(const Status& status) { throw Error(status); }

PyTypeObject* GeneratorType = nullptr;

// A number, a name or a tf.random.Algorithm.
int64_t AlgorithmOf(PyObject* alg) {
  if (PyUnicode_Check(alg)) {
    return ValueOrThrow(RandomAlgorithm(StringView(alg)));
  }
  if (!PyIndex_Check(alg)) {
    PyErr_Format(PyExc_TypeError,
                 "Can't convert argument `alg` (of value %S and type %S) to "
                 "int.",
                 alg, reinterpret_cast<PyObject*>(Py_TYPE(alg)));
    Throw(PythonError());
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
    if (PyErr_Occurred()) Throw(PythonError());
    rest = Checked(PyNumber_Rshift(rest.get(), bits.get()));
    int overflow = 0;
    const int64_t left = PyLong_AsLongLongAndOverflow(rest.get(), &overflow);
    if (overflow == 0 && (left == 0 || left == -1)) break;
  }
  return words;
}

Tensor StateOfSeed(PyObject* seed, int64_t algorithm) {
  const int64_t size = RandomStateSize(algorithm);
  if (IsTensor(seed)) {
    SubscriptEntry first;
    first.end = size;
    const Tensor flat =
        ops::Reshape(TensorOf(seed), IndicesOf(std::vector<int64_t>{-1}));
    const Tensor words = Subscript(CastTo(flat, DataType::kInt64), {first});
    const Tensor missing = ops::Sub(Int32Of(size), ops::Size(words));
    const Tensor sides = CallComposite(
        "stack", {TensorVector{Int32Of(0), missing}, int64_t{0}})[0];
    return ops::Pad(words,
                    CallComposite("expand_dims", {sides, int64_t{0}})[0]);
  }
  std::vector<int64_t> words;
  if (PyLong_Check(seed)) {
    words = WordsOf(seed, size);
  } else {
    PyRef list = Checked(PySequence_Tuple(seed));
    for (int64_t i = 0; i < PyTuple_GET_SIZE(list.get()) && i < size; ++i) {
      PyRef word = Checked(PyNumber_Long(PyTuple_GET_ITEM(list.get(), i)));
      words.push_back(WordsOf(word.get(), 1)[0]);
    }
  }
  words.resize(size);
  return IntsTensor(words, DataType::kInt64);
}

Tensor AsInt64(PyObject* value) {
  return CastTo(ValueOrThrow(ToTensor(value)), DataType::kInt64);
}

Tensor StateOfKey(PyObject* key, PyObject* counter) {
  const Tensor words = AsInt64(counter);
  return Joined(
      {words, ops::Reshape(AsInt64(key), IndicesOf(std::vector<int64_t>{1}))});
}

PyRef StateVariable(PyObject* o) {
  return Checked(PyObject_GetAttrString(o, "_state"));
}
int64_t AlgorithmNumber(PyObject* o) {
  PyRef alg = Checked(PyObject_GetAttrString(o, "_alg"));
  return AlgorithmOf(alg.get());
}

int Init(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *copied = Py_None, *state = Py_None, *alg = Py_None;
  if (!ParseArguments(args, kwargs, "|OOO", {"copy_from", "state", "alg"},
                      &copied, &state, &alg)) {
    return -1;
  }
  PyRef value, number;
  if (copied != Py_None) {
    if (state != Py_None || alg != Py_None) {
      Throw(ValueError(
          "Arguments `state` and `alg` must be None when `copy_from` is "
          "given."));
    }
    PyRef from = Checked(PyObject_GetAttrString(copied, "state"));
    value = Checked(PyObject_CallMethod(from.get(), "value", nullptr));
    number = Checked(PyObject_GetAttrString(copied, "algorithm"));
    state = value.get();
    alg = number.get();
  }
  if (state == Py_None || alg == Py_None) {
    Throw(ValueError(
        "Arguments `state` and `alg` are required without `copy_from`."));
  }
  const int64_t algorithm = AlgorithmOf(alg);
  const int64_t size = RandomStateSize(algorithm);
  const Tensor words = ValueOrThrow(ToTensor(state, DataType::kInt64));
  if (!words.partial_shape().IsCompatibleWith(TensorShape({size}))) {
    Throw(ValueError(
        "Shapes {} and [{}] are incompatible: the state of algorithm {} is a "
        "vector of {} numbers",
        words.partial_shape().PythonString(), size, algorithm, size));
  }
  PyRef made = Checked(NewVariable(words, "StateVar", /*trainable=*/false));
  number = Checked(PyLong_FromLongLong(algorithm));
  return PyObject_SetAttrString(o, "_state", made.get()) < 0
             ? -1
             : PyObject_SetAttrString(o, "_alg", number.get());
}

// cls(state=state, alg=alg)
PyObject* MakeOf(PyObject* cls, const Tensor& state, PyObject* alg) {
  PyRef words = Checked(WrapTensor(state));
  return PyObject_CallFunction(cls, "OOO", Py_None, words.get(), alg);
}

// The algorithm that is chosen where none is given.
PyRef Chosen(PyObject* alg) {
  return alg == Py_None ? Checked(PyLong_FromLong(kPhiloxAlgorithm))
                        : PyRef::Share(alg);
}

PyObject* FromState(PyObject* cls, PyObject* args, PyObject* kwargs) {
  PyObject *state, *alg;
  return ParseArguments(args, kwargs, "OO", {"state", "alg"}, &state, &alg)
             ? PyObject_CallFunction(cls, "OOO", Py_None, state, alg)
             : nullptr;
}

PyObject* FromSeed(PyObject* cls, PyObject* args, PyObject* kwargs) {
  PyObject *seed, *alg = Py_None;
  if (!ParseArguments(args, kwargs, "O|O", {"seed", "alg"}, &seed, &alg)) {
    return nullptr;
  }
  const PyRef chosen = Chosen(alg);
  return MakeOf(cls, StateOfSeed(seed, AlgorithmOf(chosen.get())),
                chosen.get());
}

PyObject* FromNonDeterministicState(PyObject* cls, PyObject* args,
                                    PyObject* kwargs) {
  PyObject* alg = Py_None;
  if (!ParseArguments(args, kwargs, "|O", {"alg"}, &alg)) return nullptr;
  const PyRef chosen = Chosen(alg);
  std::vector<int64_t> words(RandomStateSize(AlgorithmOf(chosen.get())));
  for (int64_t& word : words) word = static_cast<int64_t>(RandomSeed());
  return MakeOf(cls, IntsTensor(words, DataType::kInt64), chosen.get());
}

PyObject* FromKeyCounter(PyObject* cls, PyObject* args, PyObject* kwargs) {
  PyObject *key, *counter, *alg;
  return ParseArguments(args, kwargs, "OOO", {"key", "counter", "alg"}, &key,
                        &counter, &alg)
             ? MakeOf(cls, StateOfKey(key, counter), alg)
             : nullptr;
}

PyObject* State(PyObject* o, void*) { return StateVariable(o).Release(); }
PyObject* AlgorithmAttribute(PyObject* o, void*) {
  return PyLong_FromLongLong(AlgorithmNumber(o));
}
PyObject* Key(PyObject* o, void*) {
  PyRef place =
      Checked(PyLong_FromLongLong(RandomStateSize(AlgorithmNumber(o)) - 1));
  return PyObject_GetItem(StateVariable(o).get(), place.get());
}

PyObject* Assign(PyObject* o, const Tensor& state) {
  PyRef words = Checked(WrapTensor(state));
  Checked(
      PyObject_CallMethod(StateVariable(o).get(), "assign", "O", words.get()));
  Py_RETURN_NONE;
}
constexpr char kState[] = "state", kSeed[] = "seed";
PyObject* Reset(PyObject* o, PyObject* state) {
  return Assign(o, ValueOrThrow(ToTensor(state, DataType::kInt64)));
}
PyObject* ResetFromSeed(PyObject* o, PyObject* seed) {
  return Assign(o, StateOfSeed(seed, AlgorithmNumber(o)));
}
PyObject* ResetFromKeyCounter(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject *key, *counter;
  return ParseArguments(args, kwargs, "OO", {"key", "counter"}, &key, &counter)
             ? Assign(o, StateOfKey(key, counter))
             : nullptr;
}

// The core's function of a state.
template <auto& kFunction>
PyObject* Draw(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyRef function = Checked(CompositeFunction(kFunction));
  PyRef handle =
      Checked(PyObject_GetAttrString(StateVariable(o).get(), "handle"));
  PyRef first = Checked(Py_BuildValue(
      "(OL)", handle.get(), static_cast<long long>(AlgorithmNumber(o))));
  PyRef all = Checked(PySequence_Concat(first.get(), args));
  return PyObject_Call(function.get(), all.get(), kwargs);
}
constexpr char kSkip[] = "_generator.skip", kUniform[] = "_generator.uniform",
               kFullInts[] = "_generator.uniform_full_int",
               kNormal[] = "_generator.normal",
               kTruncated[] = "_generator.truncated_normal";

// Keys of as many generators as the only argument says.
Tensor DrawKeys(PyObject* o, PyObject* args, PyObject* kwargs,
                long long* count) {
  *count = 1;
  if (!ParseArguments(args, kwargs, "|L", {"count"}, count)) {
    Throw(PythonError());
  }
  const Tensor handle = VariableOf(StateVariable(o).get())->handle;
  return CallComposite(kFullInts, {handle, AlgorithmNumber(o),
                                   IndicesOf(std::vector<int64_t>{*count}),
                                   DataType::kInt64})[0];
}

PyObject* MakeSeeds(PyObject* o, PyObject* args, PyObject* kwargs) {
  long long count;
  const Tensor keys = DrawKeys(o, args, kwargs, &count);
  return WrapTensor(CallComposite(
      "stack", {TensorVector{keys, CallComposite("zeros_like", {keys})[0]},
                int64_t{0}})[0]);
}

PyObject* Split(PyObject* o, PyObject* args, PyObject* kwargs) {
  long long count;
  const Tensor keys = DrawKeys(o, args, kwargs, &count);
  const Tensor counter =
      IntsTensor(std::vector<int64_t>{0, 0}, DataType::kInt64);
  PyRef alg = Checked(AlgorithmAttribute(o, nullptr));
  PyRef list = Checked(PyList_New(0));
  for (const Tensor& key : CallComposite("unstack", {keys, int64_t{count}})) {
    const Tensor state = Joined(
        {counter, ops::Reshape(key, IndicesOf(std::vector<int64_t>{1}))});
    PyRef made = Checked(
        MakeOf(reinterpret_cast<PyObject*>(GeneratorType), state, alg.get()));
    if (PyList_Append(list.get(), made.get()) < 0) return nullptr;
  }
  return list.Release();
}

#define METHOD(f) AsCFunction(Guarded<f>), kByName
#define TYPE "dtype=tf.float32, name=None)\n--\n\n"
PyMethodDef methods[] = {
    {"from_state", METHOD(FromState) | METH_CLASS,
     "from_state($type, /, state, alg)\n--\n\n"
     "A generator that goes on from `state`."},
    {"from_seed", METHOD(FromSeed) | METH_CLASS,
     "from_seed($type, /, seed, alg=None)\n--\n\n"
     "A generator of a seed: equal seeds draw equal numbers."},
    {"from_non_deterministic_state",
     METHOD(FromNonDeterministicState) | METH_CLASS,
     "from_non_deterministic_state($type, /, alg=None)\n--\n\n"
     "A generator of an unpredictable state."},
    {"from_key_counter", METHOD(FromKeyCounter) | METH_CLASS,
     "from_key_counter($type, /, key, counter, alg)\n--\n\n"
     "A generator of a key and a counter of two numbers."},
    {"reset", OnlyArgument<kState, Reset>, kByName,
     "reset($self, /, state)\n--\n\nSets the state."},
    {"reset_from_seed", OnlyArgument<kSeed, ResetFromSeed>, kByName,
     "reset_from_seed($self, /, seed)\n--\n\n"
     "Sets the state to that of `from_seed(seed)`."},
    {"reset_from_key_counter", METHOD(ResetFromKeyCounter),
     "reset_from_key_counter($self, /, key, counter)\n--\n\n"
     "Sets the state to this counter and key."},
    {"skip", METHOD(Draw<kSkip>),
     "skip($self, /, delta)\n--\n\n"
     "Moves on as if `delta` numbers had been drawn; the old state."},
    {"uniform", METHOD(Draw<kUniform>),
     "uniform($self, /, shape, minval=0, maxval=None, " TYPE
     "Uniform numbers in [minval, maxval)."},
    {"uniform_full_int", METHOD(Draw<kFullInts>),
     "uniform_full_int($self, /, shape, dtype=tf.uint64, name=None)\n--\n\n"
     "Integers of the whole range of `dtype`."},
    {"normal", METHOD(Draw<kNormal>),
     "normal($self, /, shape, mean=0.0, stddev=1.0, " TYPE "Normal numbers."},
    {"truncated_normal", METHOD(Draw<kTruncated>),
     "truncated_normal($self, /, shape, mean=0.0, stddev=1.0, " TYPE
     "Normal numbers within two deviations."},
    {"make_seeds", METHOD(MakeSeeds),
     "make_seeds($self, /, count=1)\n--\n\n"
     "Seeds [2, count] for stateless random ops."},
    {"split", METHOD(Split),
     "split($self, /, count=1)\n--\n\n"
     "`count` generators that are independent of this one."},
    {nullptr, nullptr, 0, nullptr}};
#undef TYPE
PyGetSetDef attributes[] = {
    {"state", Guarded<State>, nullptr,
     "The variable: counter (low, high) and key.", nullptr},
    {"algorithm", Guarded<AlgorithmAttribute>, nullptr,
     "The number of the algorithm.", nullptr},
    {"key", Guarded<Key>, nullptr, "The key, an int64 scalar.", nullptr},
    kDictAttribute,
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyObject* CreateRngState(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *seed, *alg;
  return ParseArguments(args, kwargs, "OO", {"seed", "alg"}, &seed, &alg)
             ? WrapTensor(StateOfSeed(seed, AlgorithmOf(alg)))
             : nullptr;
}

PyRef& GlobalGenerator() {
  static auto* generator = new PyRef();
  return *generator;
}

PyObject* GetGlobalGenerator(PyObject*, PyObject*) {
  PyRef& generator = GlobalGenerator();
  if (!generator) {
    InitScope outside;
    outside.Enter();
    PyRef made =
        Checked(PyObject_CallMethod(reinterpret_cast<PyObject*>(GeneratorType),
                                    "from_non_deterministic_state", nullptr));
    ThrowIfError(outside.Exit());
    if (!generator) generator = made;
  }
  return Py_NewRef(generator.get());
}

constexpr char kGenerator[] = "generator";
PyObject* SetGlobalGenerator(PyObject*, PyObject* generator) {
  GlobalGenerator() = generator == Py_None ? PyRef() : PyRef::Share(generator);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"create_rng_state", METHOD(CreateRngState),
     "create_rng_state(seed, alg)\n--\n\n"
     "The state that `Generator.from_seed(seed)` begins with.\n\n"
     ">>> tf.random.create_rng_state(5, \"philox\").numpy().tolist()\n"
     "[5, 0, 0]"},
    {"get_global_generator", Guarded<GetGlobalGenerator>, METH_NOARGS,
     "get_global_generator()\n--\n\n"
     "The generator that is shared by the whole program.\n\n"
     ">>> tf.random.get_global_generator().normal([2]).shape\n"
     "TensorShape([2])"},
    {"set_global_generator", OnlyArgument<kGenerator, SetGlobalGenerator>,
     kByName,
     "set_global_generator(generator)\n--\n\n"
     "Replaces the global generator.\n\n"
     ">>> tf.random.set_global_generator(tf.random.Generator.from_seed(7))"},
    {nullptr, nullptr, 0, nullptr}};
#undef METHOD

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

bool AddGenerator(PyObject* module) {
  GeneratorType = AddDictType(
      module, "Generator",
      "Generator(copy_from=None, state=None, alg=None)\n--\n\n"
      "Random numbers from a state in a variable: a copy of a generator, or "
      "one of\nthis state and algorithm.\n\n"
      ">>> g = tf.random.Generator.from_seed(5)\n"
      ">>> g.uniform([3]).shape\nTensorShape([3])",
      {{Py_tp_init, Slot<Init>()},
       {Py_tp_methods, Slot<methods>()},
       {Py_tp_getset, Slot<attributes>()}});
  AddLate("Algorithm", MakeAlgorithm);
  return GeneratorType != nullptr &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace gk::py
