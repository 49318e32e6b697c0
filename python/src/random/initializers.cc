// The classes of tf.initializers, and those of the main name space and of
// tf.compat.v1 that need no Keras.
#include "python/src/random/initializers.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ops/composition.h"
#include "ops/fn/Fill.h"
#include "ops/fn/Reshape.h"
#include "ops/random/variance_scaling.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/guarded.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/ops/op_function.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

// Where the numbers of a class come from.
enum class Numbers {
  kNone,    // no random ones
  kChosen,  // of a seed, which is chosen once where none is given
  kSeeded,  // of a seed; without one each call gives others
};

struct Class {
  const char* name;
  const char* base;
  const char* parameters = "";
  Numbers numbers = Numbers::kNone;
  // Uniform numbers, normal ones, ...; "scaled": of a variance.
  std::string_view kind = {};
  // Where the class says the scale, the mode and the distribution.
  const NamedScaling* scaling = nullptr;
  const char* doc;
  const char* example;
};

constexpr std::string_view kUniform = "uniform", kScaled = "scaled",
                           kNormal = "untruncated_normal",
                           kTruncated = "truncated_normal";
#define MOMENTS "mean=0.0, stddev=0.05, seed=None"
#define LIMITS "minval=-0.05, maxval=0.05, seed=None"
#define SCALING \
  "scale=1.0, mode='fan_in', distribution='truncated_normal', seed=None"

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
     .parameters = "value=0, support_partition=False",
     .doc = "A constant.",
     .example = ">>> tf.constant_initializer(3.)([2]).numpy().tolist()\n"
                "[3.0, 3.0]"},
    {.name = "RandomUniform",
     .base = "Initializer",
     .parameters = LIMITS,
     .numbers = Numbers::kChosen,
     .kind = kUniform,
     .doc = "Uniform numbers.\n\nArgs:\n  minval: the least number.\n  maxval: "
            "what all numbers are less than.\n  seed: determines the numbers.",
     .example = ">>> a = tf.initializers.RandomUniform(seed=1)\n"
                ">>> tf.reduce_all(a([2, 3]) == a([2, 3])).numpy().item()\n"
                "True"},
    {.name = "RandomNormal",
     .base = "Initializer",
     .parameters = MOMENTS,
     .numbers = Numbers::kChosen,
     .kind = kNormal,
     .doc =
         "Normal numbers.\n\nArgs:\n  mean: of the numbers.\n  stddev: their "
         "deviation.\n  seed: determines the numbers.",
     .example = VECTOR_EXAMPLE("initializers.RandomNormal")},
    {.name = "TruncatedNormal",
     .base = "RandomNormal",
     .parameters = MOMENTS,
     .numbers = Numbers::kChosen,
     .kind = kTruncated,
     .doc = "Normal numbers within two deviations.",
     .example = VECTOR_EXAMPLE("initializers.TruncatedNormal")},
    {.name = "VarianceScaling",
     .base = "Initializer",
     .parameters = SCALING,
     .numbers = Numbers::kChosen,
     .kind = kScaled,
     .doc = "Random numbers whose variance follows from the shape of "
            "weights.\n\nArgs:\n  scale: of the variance.\n  mode: \"fan_in\", "
            "\"fan_out\" or \"fan_avg\": what it is divided by.\n  "
            "distribution: \"truncated_normal\", \"untruncated_normal\" or "
            "\"uniform\".\n  seed: determines the numbers.",
     .example = WEIGHTS_EXAMPLE("initializers.VarianceScaling")},
#define WEIGHTS(class_name, a_doc)                                             \
  {                                                                            \
    .name = #class_name, .base = "VarianceScaling", .parameters = "seed=None", \
    .numbers = Numbers::kChosen, .kind = kScaled, .scaling = &k##class_name,   \
    .doc = a_doc ".", .example = WEIGHTS_EXAMPLE("initializers." #class_name)  \
  }
#define GLOROT_UNIFORM_DOC "Uniform numbers within sqrt(6 / (fan_in + fan_out))"
#define GLOROT_NORMAL_DOC \
  "Truncated normal numbers of variance 2 / (fan_in + fan_out)"
    WEIGHTS(GlorotUniform, GLOROT_UNIFORM_DOC),
    WEIGHTS(GlorotNormal, GLOROT_NORMAL_DOC),
    WEIGHTS(HeUniform, "Uniform numbers within sqrt(6 / fan_in)"),
    WEIGHTS(HeNormal, "Truncated normal numbers of variance 2 / fan_in"),
    WEIGHTS(LecunUniform, "Uniform numbers within sqrt(3 / fan_in)"),
    WEIGHTS(LecunNormal, "Truncated normal numbers of variance 1 / fan_in"),
#undef WEIGHTS
    {.name = "RandomUniformOfVersion2",
     .base = "RandomUniform",
     .parameters = LIMITS,
     .numbers = Numbers::kSeeded,
     .kind = kUniform,
     .doc = "Uniform numbers.\n\nArgs:\n  minval: the least number.\n  maxval: "
            "what all numbers are less than.\n  seed: determines the "
            "numbers" OTHERS_DOC,
     .example = VECTOR_EXAMPLE("random_uniform_initializer")},
    {.name = "RandomNormalOfVersion2",
     .base = "RandomNormal",
     .parameters = MOMENTS,
     .numbers = Numbers::kSeeded,
     .kind = kNormal,
     .doc =
         "Normal numbers.\n\nArgs:\n  mean: of the numbers.\n  stddev: their "
         "deviation.\n  seed: determines the numbers" OTHERS_DOC,
     .example = VECTOR_EXAMPLE("random_normal_initializer")},
};

// Once they are made.
struct Made {
  Handle type;
  const SignatureParameters* parameters = nullptr;
};
std::array<Made, std::size(kClasses)> all_made;
Made& MadeOf(const Class& c) { return all_made[&c - kClasses]; }

// The class that `o` is one of; null for an initializer of the user's own.
const Class* ClassOf(Handle o) {
  for (Handle type : nb::borrow<nb::tuple>(Py_TYPE(o.ptr())->tp_mro)) {
    for (const Class& c : kClasses) {
      if (type.is(MadeOf(c).type)) return &c;
    }
  }
  return nullptr;
}

// What the random numbers are drawn from.
WeightDistribution DistributionOf(const Class& c, Handle o,
                                  std::span<const int64_t> shape) {
  const auto number = [&](const char* name) {
    const double v = PyFloat_AsDouble(Object(o.attr(name)).ptr());
    if (v == -1 && PyErr_Occurred()) throw nb::python_error();
    return v;
  };
  const auto text = [&](const char* name) { return TextOf(o.attr(name)); };
  if (c.kind == kScaled) {
    return ValueOrThrow(ScaledVariance(number("scale"), text("mode"),
                                       text("distribution"), shape));
  }
  return c.kind == kUniform
             ? WeightDistribution{c.kind, number("minval"), number("maxval")}
             : WeightDistribution{c.kind, number("mean"), number("stddev")};
}

PyObject* InitInitializer(PyObject* self, PyObject* args, PyObject* kwargs) {
  const Class& c = *ClassOf(self);
  const SignatureParameters*& parameters = MadeOf(c).parameters;
  if (parameters == nullptr) parameters = new SignatureParameters(c.parameters);
  std::vector<Object> values(parameters->size());
  parameters->Bind(c.name, 0, args, kwargs, values.data());
  const Handle o = self;
  if (c.scaling != nullptr) {
    o.attr("scale") = c.scaling->scale;
    o.attr("mode") = c.scaling->mode;
    o.attr("distribution") = c.scaling->distribution;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string_view name = parameters->name(i);
    if (name == "dtype" || name == "support_partition") continue;
    o.attr(parameters->name(i)) = values[i];
    if (name != "seed") continue;
    // As Keras does it: who seeds Python's module gets the same numbers.
    o.attr("_chosen") =
        values[i].is_none()
            ? nb::module_::import_("random").attr("randint")(1, 1'000'000'000)
            : values[i];
  }
  if (c.kind == kScaled) DistributionOf(c, o, {});
  Py_RETURN_NONE;
}

Object Draw(const Class& c, Handle o, Handle shape, DataType dtype) {
  std::vector<int64_t> dims;
  if (c.kind == kScaled) {
    const PartialTensorShape s = Shape(shape);
    dims.assign(s.dims().begin(), s.dims().end());
  }
  const WeightDistribution from = DistributionOf(c, o, dims);
  const Object type = nb::borrow(DTypeObject(dtype));
  const Object seed = o.attr("seed");
  Object first = nb::float_(from.first), second = nb::float_(from.second);
  if (c.numbers == Numbers::kSeeded && seed.is_none()) {
    return Owned(CompositionFunction(from.Function("random.")))(
        shape, first, second, type, nb::arg("seed") = seed);
  }
  Object number = seed;
  if (c.numbers == Numbers::kChosen) {
    number = nb::int_(o.attr("_chosen")) % nb::int_(kInitializerSeeds);
    if (from.kind == kUniform) {
      first = Wrapped(InitializerLimit(from.first, dtype));
      second = Wrapped(InitializerLimit(from.second, dtype));
    }
  }
  nb::list pair;
  pair.append(number);
  pair.append(0);
  return Owned(CompositionFunction(from.Function("random.stateless_")))(
      shape, pair, first, second, type);
}

Object ConstantOf(Handle o, Handle shape, DataType dtype) {
  const Object value = o.attr("value");
  const Tensor t = ConvertedTo(value, dtype);
  const Tensor dims =
      ValueOrThrow(ToTensor(shape.ptr(), DataType::kInvalid, DataType::kInt32));
  const int64_t given = t.partial_shape().num_elements();
  const auto wanted = KnownInts(dims);
  if (wanted && t.partial_shape().rank() > 0 && given >= 0) {
    const TensorShape whole = ValueOrThrow(TensorShape::Make(*wanted));
    if (whole.num_elements() != given) {
      Throw(TypeError("value has {} elements, shape is {} with {} elements",
                      given, whole.DebugString(), whole.num_elements()));
    }
  }
  return Wrapped(t.partial_shape().rank() == 0 ? ops::Fill(dims, t)
                                               : ops::Reshape(t, dims));
}

Object Call(Handle o, Handle shape, Handle type, nb::dict others) {
  const Class* c = ClassOf(o);
  if (c == nullptr) {
    PyErr_SetString(PyExc_NotImplementedError,
                    "an initializer of your own says what it makes: it "
                    "defines __call__(self, shape, dtype=None, **kwargs)");
    throw nb::python_error();
  }
  for (auto [name, value] : others) {
    const std::string_view text = StringView(name.ptr());
    if (text != "partition_shape" && text != "partition_offset" &&
        text != "partition_info" && text != "verify_shape") {
      Throw(
          TypeError("Keyword argument should be one of ['shape', 'dtype', "
                    "'partition_shape', 'partition_offset']. Received: {}",
                    text));
    }
    // Of a variable in parts: the shape of the part that is made.
    if (text == "partition_shape" && !value.is_none()) shape = value;
  }
  DataType dtype = DataType::kInvalid;
  if (!type.is_none()) {
    dtype = AsDType(type.ptr());
    if (dtype == DataType::kInvalid) throw nb::python_error();
  }
  const std::string_view which = c->name;
  if (which == "Constant") return ConstantOf(o, shape, dtype);
  if (dtype == DataType::kInvalid) dtype = DataType::kFloat;
  if (which == "Zeros" || which == "Ones") {
    return Owned(CompositionFunction(which == "Ones" ? "ones" : "zeros"))(
        shape, Handle(DTypeObject(dtype)));
  }
  return Draw(*c, o, shape, dtype);
}

// The attributes: of random ones those that are no secret, of those that say
// their scale themselves the seed.
Object GetConfig(Handle o) {
  const Class* c = ClassOf(o);
  nb::dict config;
  if (c != nullptr && c->scaling != nullptr) {
    config["seed"] = o.attr("seed");
    config["input_axes"] = nb::none();
    config["output_axes"] = nb::none();
    return config;
  }
  for (auto [name, value] : nb::cast<nb::dict>(o.attr("__dict__"))) {
    std::string_view text = StringView(name.ptr());
    if (text.starts_with(c != nullptr ? "_" : "__")) continue;
    text.remove_prefix(std::min(text.find_first_not_of('_'), text.size()));
    config[nb::str(text.data(), text.size())] = value;
  }
  return config;
}

// What get_config of another version may hold besides means nothing here.
Object FromConfig(Handle cls, Handle config) {
  nb::dict known;
  known.update(nb::handle(config));
  for (const char* name : {"dtype", "input_axes", "output_axes"}) {
    if (known.contains(name)) nb::del(known[name]);
  }
  return cls(**known);
}

PyMethodDef kInitializersMethods[] = {
    GK_METHOD("__call__", "shape, dtype=None, **kwargs", Call, ""),
    GK_METHOD("get_config", "", GetConfig,
              "What `from_config` needs to make an equal one."),
    GK_CLASS_METHOD("from_config", "config", FromConfig,
                    "An initializer of a configuration."),
    {}};

// Lives as long as the classes: for ever.
const char* Kept(std::string text) {
  return (new std::string(std::move(text)))->c_str();
}

}  // namespace

void AddInitializers(nb::module_& m) {
  const Handle initializer =
      AddClass(m, "Initializer",
               "Makes the first value of a variable: call it with a shape.",
               kInitializersMethods);
  for (const Class& c : kClasses) {
    Handle base = initializer;
    for (const Class& other : kClasses) {
      if (std::string_view(c.base) == other.name) base = MadeOf(other).type;
    }
    auto* init = new PyMethodDef[2]{
        {"__init__", AsCFunction(Guarded<InitInitializer>),
         METH_VARARGS | METH_KEYWORDS,
         Kept(Format("__init__($self, {})\n--\n\n", c.parameters))},
        {}};
    MadeOf(c).type = AddClass(m, c.name, base, std::nullopt,
                              Kept(Format("{}({})\n--\n\n{}\n\n{}", c.name,
                                          c.parameters, c.doc, c.example)),
                              init, nullptr);
  }
}

}  // namespace gk::py
