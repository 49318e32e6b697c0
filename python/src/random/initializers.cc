#include "python/src/random/initializers.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ops/element_moves.h"
#include "ops/fn/Fill.h"
#include "ops/fn/Reshape.h"
#include "ops/random/variance_scaling.h"
#include "python/src/binding/dict_object.h"
#include "python/src/binding/guarded.h"
#include "python/src/ops/op_function.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {
namespace {

PyRef Attribute(PyObject* o, const char* name) {
  return Checked(PyObject_GetAttrString(o, name));
}
void SetAttribute(PyObject* o, const char* name, PyObject* value) {
  if (PyObject_SetAttrString(o, name, value) < 0) throw Error(PythonError());
}

// Where the numbers of a class come from.
enum class Numbers {
  kNone,      // no random ones
  kChosen,    // of a seed, which is chosen once where none is given
  kSeeded,    // of a seed; without one each call gives others
  kStateful,  // of a stateful op: each call gives others
};

using Value = std::variant<std::monostate, double, int64_t, bool, const char*>;
struct Parameter {
  const char* name;
  Value otherwise = {};
};

struct Class {
  const char* name;
  const char* base;
  std::vector<Parameter> parameters;
  Numbers numbers = Numbers::kNone;
  // Uniform numbers, normal ones, ...; "scaled": of a variance.
  std::string_view kind = {};
  // Where the class says the scale, the mode and the distribution.
  double scale = 0;
  const char* mode = nullptr;
  const char* distribution = nullptr;
  const char* doc;
  const char* example;
};

const Parameter kSeed = {"seed"}, kType = {"dtype", "tf.float32"},
                kMean = {"mean", 0.0}, kDeviation = {"stddev", 0.05};
const std::vector<Parameter> kScaling = {{"scale", 1.0},
                                         {"mode", "fan_in"},
                                         {"distribution", "truncated_normal"},
                                         kSeed};
constexpr std::string_view kUniform = "uniform", kScaled = "scaled",
                           kNormal = "untruncated_normal",
                           kTruncated = "truncated_normal";

#define SHAPE_EXAMPLE(name, shape, size) \
  ">>> tf." name "(seed=1)(" shape ").shape\nTensorShape(" size ")"
#define WEIGHTS_EXAMPLE(name) SHAPE_EXAMPLE(name, "[2, 3]", "[2, 3]")
#define VECTOR_EXAMPLE(name) SHAPE_EXAMPLE(name, "[2]", "[2]")
#define OTHERS_DOC "; without one each call gives others."

// A base comes before what derives from it.
const Class kClasses[] = {
    {.name = "Zeros",
     .base = "Initializer",
     .doc = "Zeros.",
     .example = ">>> tf.zeros_initializer()([2]).numpy().tolist()\n[0.0, 0.0]"},
    {.name = "Ones",
     .base = "Initializer",
     .doc = "Ones.",
     .example = ">>> tf.ones_initializer()([2]).numpy().tolist()\n[1.0, 1.0]"},
    {.name = "Constant",
     .base = "Initializer",
     .parameters = {{"value", int64_t{0}}, {"support_partition", false}},
     .doc = "A constant.",
     .example = ">>> tf.constant_initializer(3.)([2]).numpy().tolist()\n"
                "[3.0, 3.0]"},
    {.name = "RandomUniform",
     .base = "Initializer",
     .parameters = {{"minval", -0.05}, {"maxval", 0.05}, kSeed},
     .numbers = Numbers::kChosen,
     .kind = kUniform,
     .doc = "Uniform numbers.\n\nArgs:\n  minval: the least number.\n  maxval: "
            "what all numbers are less than.\n  seed: determines the numbers.",
     .example = ">>> a = tf.initializers.RandomUniform(seed=1)\n"
                ">>> tf.reduce_all(a([2, 3]) == a([2, 3])).numpy().item()\n"
                "True"},
    {.name = "RandomNormal",
     .base = "Initializer",
     .parameters = {kMean, kDeviation, kSeed},
     .numbers = Numbers::kChosen,
     .kind = kNormal,
     .doc =
         "Normal numbers.\n\nArgs:\n  mean: of the numbers.\n  stddev: their "
         "deviation.\n  seed: determines the numbers.",
     .example = VECTOR_EXAMPLE("initializers.RandomNormal")},
    {.name = "TruncatedNormal",
     .base = "RandomNormal",
     .parameters = {kMean, kDeviation, kSeed},
     .numbers = Numbers::kChosen,
     .kind = kTruncated,
     .doc = "Normal numbers within two deviations.",
     .example = VECTOR_EXAMPLE("initializers.TruncatedNormal")},
    {.name = "VarianceScaling",
     .base = "Initializer",
     .parameters = kScaling,
     .numbers = Numbers::kChosen,
     .kind = kScaled,
     .doc = "Random numbers whose variance follows from the shape of "
            "weights.\n\nArgs:\n  scale: of the variance.\n  mode: \"fan_in\", "
            "\"fan_out\" or \"fan_avg\": what it is divided by.\n  "
            "distribution: \"truncated_normal\", \"untruncated_normal\" or "
            "\"uniform\".\n  seed: determines the numbers.",
     .example = WEIGHTS_EXAMPLE("initializers.VarianceScaling")},
#define WEIGHTS(class_name, a_scale, a_mode, a_distribution, a_doc)       \
  {                                                                       \
    .name = class_name, .base = "VarianceScaling", .parameters = {kSeed}, \
    .numbers = Numbers::kChosen, .kind = kScaled, .scale = a_scale,       \
    .mode = a_mode, .distribution = a_distribution, .doc = a_doc ".",     \
    .example = WEIGHTS_EXAMPLE("initializers." class_name)                \
  }
#define GLOROT_UNIFORM_DOC "Uniform numbers within sqrt(6 / (fan_in + fan_out))"
#define GLOROT_NORMAL_DOC \
  "Truncated normal numbers of variance 2 / (fan_in + fan_out)"
    WEIGHTS("GlorotUniform", 1, "fan_avg", "uniform", GLOROT_UNIFORM_DOC),
    WEIGHTS("GlorotNormal", 1, "fan_avg", "truncated_normal",
            GLOROT_NORMAL_DOC),
    WEIGHTS("HeUniform", 2, "fan_in", "uniform",
            "Uniform numbers within sqrt(6 / fan_in)"),
    WEIGHTS("HeNormal", 2, "fan_in", "truncated_normal",
            "Truncated normal numbers of variance 2 / fan_in"),
    WEIGHTS("LecunUniform", 1, "fan_in", "uniform",
            "Uniform numbers within sqrt(3 / fan_in)"),
    WEIGHTS("LecunNormal", 1, "fan_in", "truncated_normal",
            "Truncated normal numbers of variance 1 / fan_in"),
#undef WEIGHTS
    {.name = "RandomUniformOfVersion2",
     .base = "RandomUniform",
     .parameters = {{"minval", -0.05}, {"maxval", 0.05}, kSeed},
     .numbers = Numbers::kSeeded,
     .kind = kUniform,
     .doc = "Uniform numbers.\n\nArgs:\n  minval: the least number.\n  maxval: "
            "what all numbers are less than.\n  seed: determines the "
            "numbers" OTHERS_DOC,
     .example = VECTOR_EXAMPLE("random_uniform_initializer")},
    {.name = "RandomNormalOfVersion2",
     .base = "RandomNormal",
     .parameters = {kMean, kDeviation, kSeed},
     .numbers = Numbers::kSeeded,
     .kind = kNormal,
     .doc =
         "Normal numbers.\n\nArgs:\n  mean: of the numbers.\n  stddev: their "
         "deviation.\n  seed: determines the numbers" OTHERS_DOC,
     .example = VECTOR_EXAMPLE("random_normal_initializer")},
    {.name = "TruncatedNormalOfVersion1",
     .base = "TruncatedNormal",
     .parameters = {kMean, {"stddev", 1.0}, kSeed, kType},
     .numbers = Numbers::kStateful,
     .kind = kTruncated,
     .doc = "Normal numbers within two deviations, others in each call.",
     .example = WEIGHTS_EXAMPLE("compat.v1.truncated_normal_initializer")},
    {.name = "VarianceScalingOfVersion1",
     .base = "VarianceScaling",
     .parameters = {kScaling[0], kScaling[1], kScaling[2], kSeed, kType},
     .numbers = Numbers::kStateful,
     .kind = kScaled,
     .doc = "Random numbers whose variance follows from the shape of weights, "
            "others in each call.",
     .example = WEIGHTS_EXAMPLE("compat.v1.variance_scaling_initializer")},
    {.name = "GlorotUniformOfVersion1",
     .base = "GlorotUniform",
     .parameters = {kSeed, kType},
     .numbers = Numbers::kStateful,
     .kind = kScaled,
     .scale = 1,
     .mode = "fan_avg",
     .distribution = "uniform",
     .doc = GLOROT_UNIFORM_DOC ", others in each call.",
     .example = WEIGHTS_EXAMPLE("compat.v1.glorot_uniform_initializer")},
    {.name = "GlorotNormalOfVersion1",
     .base = "GlorotNormal",
     .parameters = {kSeed, kType},
     .numbers = Numbers::kStateful,
     .kind = kScaled,
     .scale = 1,
     .mode = "fan_avg",
     .distribution = "truncated_normal",
     .doc = GLOROT_NORMAL_DOC ", others in each call.",
     .example = WEIGHTS_EXAMPLE("compat.v1.glorot_normal_initializer")},
};

PyTypeObject* types[std::size(kClasses)];  // once they are made

// The class that `o` is one of; null for an initializer of the user's own.
const Class* ClassOf(PyObject* o) {
  PyObject* mro = Py_TYPE(o)->tp_mro;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(mro); ++k) {
    for (size_t i = 0; i < std::size(kClasses); ++i) {
      if (PyTuple_GET_ITEM(mro, k) == reinterpret_cast<PyObject*>(types[i])) {
        return &kClasses[i];
      }
    }
  }
  return nullptr;
}

PyRef ObjectOf(const Value& value) {
  if (const double* v = std::get_if<double>(&value)) {
    return Checked(PyFloat_FromDouble(*v));
  }
  if (const int64_t* v = std::get_if<int64_t>(&value)) {
    return Checked(PyLong_FromLongLong(*v));
  }
  if (const bool* v = std::get_if<bool>(&value)) {
    return Checked(PyBool_FromLong(*v));
  }
  if (auto* v = std::get_if<const char*>(&value)) {
    return Checked(PyUnicode_FromString(*v));
  }
  return PyRef::Share(Py_None);
}

// "(mean=0.0, seed=None)", as Python writes it.
std::string SignatureOf(const Class& c) {
  std::string text = "(";
  for (const Parameter& p : c.parameters) {
    PyRef value = ObjectOf(p.otherwise);
    PyRef shown = Checked(p.name == std::string_view("dtype")
                              ? PyObject_Str(value.get())
                              : PyObject_Repr(value.get()));
    text += Format("{}{}={}", text.size() > 1 ? ", " : "", p.name,
                   StringView(shown.get()));
  }
  return text + ")";
}

// What the random numbers are drawn from.
WeightDistribution DistributionOf(const Class& c, PyObject* o,
                                  std::span<const int64_t> shape) {
  const auto number = [&](const char* name) {
    const double v = PyFloat_AsDouble(Attribute(o, name).get());
    if (v == -1 && PyErr_Occurred()) throw Error(PythonError());
    return v;
  };
  if (c.kind != kScaled) {
    return c.kind == kUniform
               ? WeightDistribution{c.kind, number("minval"), number("maxval")}
               : WeightDistribution{c.kind, number("mean"), number("stddev")};
  }
  const auto text = [&](const char* name) {
    PyRef shown = Checked(PyObject_Str(Attribute(o, name).get()));
    return std::string(StringView(shown.get()));
  };
  return ValueOrThrow(ScaledVariance(number("scale"), text("mode"),
                                     text("distribution"), shape));
}

int Init(PyObject* o, PyObject* args, PyObject* kwargs) {
  const Class* c = ClassOf(o);
  if (c == nullptr) return 0;  // a user's own, which has its own arguments
  const size_t given = PyTuple_GET_SIZE(args);
  if (given > c->parameters.size()) {
    throw Error(TypeError("{}() takes {} arguments at most, {} given", c->name,
                          c->parameters.size(), given));
  }
  size_t named = 0;
  std::vector<PyRef> values;
  for (size_t i = 0; i < c->parameters.size(); ++i) {
    const Parameter& p = c->parameters[i];
    PyObject* value = kwargs ? PyDict_GetItemString(kwargs, p.name) : nullptr;
    named += value != nullptr;
    if (value != nullptr && i < given) {
      throw Error(TypeError("{}() got multiple values for argument '{}'",
                            c->name, p.name));
    }
    if (i < given) value = PyTuple_GET_ITEM(args, i);
    values.push_back(value ? PyRef::Share(value) : ObjectOf(p.otherwise));
  }
  if (kwargs != nullptr && PyDict_GET_SIZE(kwargs) > (Py_ssize_t)named) {
    throw Error(
        TypeError("{}() got an unexpected keyword argument; it takes {}",
                  c->name, SignatureOf(*c)));
  }
  if (c->mode != nullptr) {
    SetAttribute(o, "scale", ObjectOf(c->scale).get());
    SetAttribute(o, "mode", ObjectOf(c->mode).get());
    SetAttribute(o, "distribution", ObjectOf(c->distribution).get());
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string_view name = c->parameters[i].name;
    if (name == "dtype" || name == "support_partition") continue;
    SetAttribute(o, c->parameters[i].name, values[i].get());
    if (name != "seed") continue;
    PyRef chosen = values[i];
    if (chosen.get() == Py_None) {
      // As Keras does it: who seeds Python's module gets the same numbers.
      PyRef most = Checked(PyLong_FromLong(1'000'000'000));
      PyRef least = Checked(PyLong_FromLong(1));
      chosen =
          Checked(CallPython("random", "randint", {least.get(), most.get()}));
    }
    SetAttribute(o, "_chosen", chosen.get());
  }
  if (c->kind == kScaled) DistributionOf(*c, o, {});
  return 0;
}

// A function of random numbers, by its public name.
PyObject* CallRandom(const std::string& name, PyObject* args,
                     PyObject* seed = nullptr) {
  PyRef function = Checked(CompositeFunction("random." + name));
  PyRef named =
      Checked(seed ? Py_BuildValue("{sO}", "seed", seed) : PyDict_New());
  return PyObject_Call(function.get(), args, named.get());
}

PyObject* Draw(const Class& c, PyObject* o, PyObject* shape, DataType dtype) {
  std::vector<int64_t> dims;
  if (c.kind == kScaled) {
    const PartialTensorShape s = ValueOrThrow(AsShape(shape));
    dims.assign(s.dims().begin(), s.dims().end());
  }
  const WeightDistribution from = DistributionOf(c, o, dims);
  const std::string kind(from.kind == kNormal ? "normal" : from.kind);
  PyObject* type = DTypeObject(dtype);
  const PyRef seed = Attribute(o, "seed");
  PyRef first = Checked(PyFloat_FromDouble(from.first));
  PyRef second = Checked(PyFloat_FromDouble(from.second));
  if (c.numbers == Numbers::kStateful ||
      (c.numbers == Numbers::kSeeded && seed.get() == Py_None)) {
    PyRef args =
        Checked(PyTuple_Pack(4, shape, first.get(), second.get(), type));
    return CallRandom(kind, args.get(), seed.get());
  }
  PyRef number = seed;
  if (c.numbers == Numbers::kChosen) {
    PyRef whole = Checked(PyNumber_Long(Attribute(o, "_chosen").get()));
    PyRef modulus = Checked(PyLong_FromLongLong(kInitializerSeeds));
    number = Checked(PyNumber_Remainder(whole.get(), modulus.get()));
    if (kind == kUniform) {
      // Python's numbers become float32 first, as in Keras.
      for (PyRef* limit : {&first, &second}) {
        const Tensor t = ValueOrThrow(ToTensor(limit->get(), DataType::kFloat));
        *limit = Checked(WrapTensor(CastTo(t, dtype)));
      }
    }
  }
  PyRef pair = Checked(Py_BuildValue("[Oi]", number.get(), 0));
  PyRef args = Checked(
      PyTuple_Pack(5, shape, pair.get(), first.get(), second.get(), type));
  return CallRandom("stateless_" + kind, args.get());
}

PyObject* OfOneValue(const char* function, PyObject* shape, DataType dtype) {
  PyRef make = Checked(CompositeFunction(function));
  return PyObject_CallFunctionObjArgs(make.get(), shape, DTypeObject(dtype),
                                      nullptr);
}

PyObject* ConstantOf(PyObject* o, PyObject* shape, DataType dtype) {
  const PyRef value = Attribute(o, "value");
  const Tensor t = ValueOrThrow(ToTensor(value.get(), dtype));
  const Tensor dims =
      ValueOrThrow(ToTensor(shape, DataType::kInvalid, DataType::kInt32));
  return WrapTensor(t.partial_shape().rank() == 0 ? ops::Fill(dims, t)
                                                  : ops::Reshape(t, dims));
}

PyObject* Call(PyObject* o, PyObject* args, PyObject* kwargs) {
  const Class* c = ClassOf(o);
  if (c == nullptr) {
    PyErr_SetString(PyExc_NotImplementedError,
                    "an initializer of your own says what it makes: it "
                    "defines __call__(self, shape, dtype=None, **kwargs)");
    return nullptr;
  }
  PyObject* shape = nullptr;
  PyObject* type = Py_None;
  const size_t given = PyTuple_GET_SIZE(args);
  if (given > 0) shape = PyTuple_GET_ITEM(args, 0);
  if (given > 1) type = PyTuple_GET_ITEM(args, 1);
  PyObject *name, *value;
  for (Py_ssize_t at = 0; kwargs && PyDict_Next(kwargs, &at, &name, &value);) {
    const std::string_view text = StringView(name);
    if (text == "shape" && given < 1) {
      shape = value;
    } else if (text == "dtype" && given < 2) {
      type = value;
    } else if (text != "partition_shape" && text != "partition_offset" &&
               text != "partition_info" && text != "verify_shape") {
      throw Error(
          TypeError("Keyword argument should be one of ['shape', 'dtype', "
                    "'partition_shape', 'partition_offset']. Received: {}",
                    text));
    }
  }
  if (shape == nullptr || given > 2) {
    throw Error(TypeError("{}() takes a shape and a dtype", c->name));
  }
  DataType dtype = DataType::kInvalid;
  if (type != Py_None) {
    dtype = AsDType(type);
    if (dtype == DataType::kInvalid) return nullptr;
  }
  const std::string_view which = c->name;
  if (which == "Constant") return ConstantOf(o, shape, dtype);
  if (dtype == DataType::kInvalid) dtype = DataType::kFloat;
  if (which == "Zeros") return OfOneValue("zeros", shape, dtype);
  if (which == "Ones") return OfOneValue("ones", shape, dtype);
  return Draw(*c, o, shape, dtype);
}

// The attributes: of random ones those that are no secret, of those that say
// their scale themselves the seed.
PyObject* GetConfig(PyObject* o, PyObject*) {
  const Class* c = ClassOf(o);
  if (c != nullptr && c->mode != nullptr) {
    const PyRef seed = Attribute(o, "seed");
    return Py_BuildValue("{sOsOsO}", "seed", seed.get(), "input_axes", Py_None,
                         "output_axes", Py_None);
  }
  const PyRef attributes = Attribute(o, "__dict__");
  PyRef config = Checked(PyDict_New());
  PyObject *name, *value;
  for (Py_ssize_t at = 0; PyDict_Next(attributes.get(), &at, &name, &value);) {
    std::string_view text = StringView(name);
    if (text.starts_with(c != nullptr ? "_" : "__")) continue;
    text.remove_prefix(std::min(text.find_first_not_of('_'), text.size()));
    if (PyDict_SetItemString(config.get(), std::string(text).c_str(), value) <
        0) {
      return nullptr;
    }
  }
  return config.Release();
}

// What get_config of another version may hold besides means nothing here.
PyObject* FromConfig(PyObject* cls, PyObject* config) {
  PyRef known = Checked(PyDict_New());
  if (PyDict_Update(known.get(), config) < 0) return nullptr;
  for (const char* name : {"dtype", "input_axes", "output_axes"}) {
    if (PyDict_GetItemString(known.get(), name) != nullptr &&
        PyDict_DelItemString(known.get(), name) < 0) {
      return nullptr;
    }
  }
  PyRef none = Checked(PyTuple_New(0));
  return PyObject_Call(cls, none.get(), known.get());
}

PyMethodDef methods[] = {
    {"get_config", Guarded<GetConfig>, METH_NOARGS,
     "get_config($self, /)\n--\n\n"
     "What `from_config` needs to make an equal one."},
    {"from_config", Guarded<FromConfig>, METH_O | METH_CLASS,
     "from_config($type, config, /)\n--\n\n"
     "An initializer of a configuration."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef attributes[] = {kDictAttribute,
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

bool AddInitializers(PyObject* module) {
  PyTypeObject* const initializer =
      AddDictType(module, "Initializer",
                  "Makes the first value of a variable: call it with a shape.",
                  {{Py_tp_init, Slot<Init>()},
                   {Py_tp_call, Slot<Call>()},
                   {Py_tp_methods, Slot<methods>()},
                   {Py_tp_getset, Slot<attributes>()}});
  if (initializer == nullptr) return false;
  for (size_t i = 0; i < std::size(kClasses); ++i) {
    const Class& c = kClasses[i];
    PyTypeObject* base = initializer;
    for (size_t k = 0; k < i; ++k) {
      if (c.base == std::string_view(kClasses[k].name)) base = types[k];
    }
    const auto* doc = new std::string(Format("{}{}\n--\n\n{}\n\n{}", c.name,
                                             SignatureOf(c), c.doc, c.example));
    types[i] = AddDictType(module, c.name, doc->c_str(), {}, base);
    if (types[i] == nullptr) return false;
  }
  return true;
}

}  // namespace gk::py
