// What TraceType and FunctionType tell of the tensors that values of a type
// are made of.
#include <algorithm>
#include <vector>

#include "python/src/binding/guarded.h"
#include "python/src/binding/only_argument.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/typed_values.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {
namespace {

using Kind = TraceType::Kind;

const TraceType& TypeIn(PyObject* o) {
  return *reinterpret_cast<PyTraceType*>(o)->type;
}
const FunctionType& SignatureIn(PyObject* o) {
  return *reinterpret_cast<PyFunctionType*>(o)->type;
}

PyObject* ListOf(std::vector<PyRef> items) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(items.size()));
  for (size_t i = 0; list != nullptr && i < items.size(); ++i) {
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), items[i].Release());
  }
  return list;
}

// A type that a user's class gives tells its specs, or their types.
bool AppendCustomTypes(const TraceType& type, std::vector<PyRef>* types) {
  PyRef own = PyRef::Steal(ObjectOf(type));
  PyRef specs = PyRef::Steal(
      own ? PyObject_CallMethod(own.get(), "flatten", nullptr) : nullptr);
  const bool is_spec = own && PyObject_TypeCheck(own.get(), TypeSpecType);
  std::vector<PyRef> leaves;
  if (!specs || !AppendItems(specs.get(), &leaves)) return false;
  for (PyRef& leaf : leaves) {
    if (is_spec && IsTensorSpec(leaf.get())) {
      CallVariables none;
      StatusOr<TraceTypeRef> tensor = TraceTypeOf(leaf.get(), &none);
      leaf = PyRef::Steal(tensor.ok() ? WrapTraceType(*std::move(tensor))
                                      : Raise(tensor.status()));
      if (!leaf) return false;
    }
    types->push_back(std::move(leaf));
  }
  return true;
}

bool AppendTypes(const TraceType& type, std::vector<PyRef>* types) {
  switch (type.kind()) {
    case Kind::kTensor:
    case Kind::kVariable:
      types->push_back(PyRef::Steal(WrapTraceType(TraceTypeRef(&type))));
      return static_cast<bool>(types->back());
    case Kind::kLiteral:
    case Kind::kObject:
      return true;
    case Kind::kCustom:
      return AppendCustomTypes(type, types);
    default:
      return std::ranges::all_of(type.FlatteningOrder(), [&](size_t i) {
        return AppendTypes(*type.children()[i], types);
      });
  }
}

PyObject* Flatten(PyObject* o, PyObject*) {
  std::vector<PyRef> types;
  return AppendTypes(TypeIn(o), &types) ? ListOf(std::move(types)) : nullptr;
}

// Inside of the binding a misfit is a BindingError, elsewhere a TypeError.
PyObject* CastOrTypeError(const TraceType& type, PyObject* value) {
  PyObject* cast = CastValue(type, value);
  if (cast != nullptr || !PyErr_ExceptionMatches(BindingErrorType)) return cast;
  const std::string text = TakePythonErrorText();
  return Raise(TypeError("{}", text));
}
PyObject* Cast(PyObject* o, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"value", "casting_context", nullptr};
  PyObject *value, *context;
  return PyArg_ParseTupleAndKeywords(
             args, kwargs, "O|O", const_cast<char**>(names), &value, &context)
             ? CastOrTypeError(TypeIn(o), value)
             : nullptr;
}

PyObject* Inputs(const std::vector<PyRef>& values) {
  TensorVector tensors;
  return ToInputs(values, &tensors) ? WrapTensors(tensors) : nullptr;
}
// Appends what goes into a trace for `value`, cast to a type.
bool AppendInputs(const TraceType& type, PyObject* value,
                  std::vector<int>* seen, std::vector<PyRef>* inputs) {
  PyRef cast = PyRef::Steal(CastOrTypeError(type, value));
  return cast && FlattenInputs(type, cast.get(), seen, inputs);
}
PyObject* ToTensors(PyObject* o, PyObject* value) {
  std::vector<int> seen;
  std::vector<PyRef> inputs;
  return AppendInputs(TypeIn(o), value, &seen, &inputs) ? Inputs(inputs)
                                                        : nullptr;
}

PyObject* ValueFrom(const TraceType& type, PyObject* tensors) {
  switch (type.kind()) {
    case Kind::kTensor:
    case Kind::kVariable: {
      PyObject* next = PyIter_Next(tensors);
      if (next == nullptr && !PyErr_Occurred()) {
        PyErr_SetNone(PyExc_StopIteration);
      }
      return next;
    }
    case Kind::kLiteral:
    case Kind::kObject:
      return ObjectOf(type);
    case Kind::kCustom: {
      PyRef own = PyRef::Steal(ObjectOf(type));
      return own ? PyObject_CallMethod(own.get(), "from_tensors", "O", tensors)
                 : nullptr;
    }
    default: {
      std::vector<PyRef> parts;
      for (const size_t i : type.FlatteningOrder()) {
        parts.push_back(PyRef::Steal(ValueFrom(*type.children()[i], tensors)));
        if (!parts.back()) return nullptr;
      }
      return Assemble(type, parts);
    }
  }
}
PyObject* FromTensors(PyObject* o, PyObject* tensors) {
  PyRef iterator = PyRef::Steal(PyObject_GetIter(tensors));
  return iterator ? ValueFrom(TypeIn(o), iterator.get()) : nullptr;
}

// --- Of function types.

// The types of parameters in the order of the tensors: keyword-only ones by
// their names. ValueError if one is not known.
StatusOr<std::vector<const FunctionParameter*>> InOrder(
    const FunctionType& type) {
  std::vector<const FunctionParameter*> parameters;
  for (const FunctionParameter& p : type.parameters()) {
    if (!p.type) {
      return ValueError(
          "The parameter '{}' is of no known type: ask the type of a "
          "ConcreteFunction.",
          p.name);
    }
    parameters.push_back(&p);
  }
  const auto named = std::stable_partition(
      parameters.begin(), parameters.end(), [](const FunctionParameter* p) {
        return p->kind != ParameterKind::kKeywordOnly;
      });
  std::sort(named, parameters.end(),
            [](const auto* a, const auto* b) { return a->name < b->name; });
  return parameters;
}

PyObject* TypeCaptures(PyObject* o, void*) {
  PyRef pairs = PyRef::Steal(PyObject_GetAttrString(o, "_captures"));
  PyRef cls = ImportAttribute("collections", "OrderedDict");
  return pairs && cls ? PyObject_CallOneArg(cls.get(), pairs.get()) : nullptr;
}
PyObject* ReturnAnnotation(PyObject* o, void*) {
  const TraceTypeRef& output = SignatureIn(o).output();
  return output ? WrapTraceType(output) : PyObject_GetAttrString(o, "empty");
}
PyObject* FlatInputs(PyObject* o, void*) {
  const auto parameters = InOrder(SignatureIn(o));
  if (!parameters.ok()) return Raise(parameters.status());
  std::vector<PyRef> types;
  for (const FunctionParameter* p : *parameters) {
    if (!AppendTypes(*p->type, &types)) return nullptr;
  }
  return ListOf(std::move(types));
}
PyObject* FlatOutputs(PyObject* o, void*) {
  std::vector<PyRef> types;
  const TraceTypeRef& output = SignatureIn(o).output();
  return !output || AppendTypes(*output, &types) ? ListOf(std::move(types))
                                                 : nullptr;
}
PyObject* FlatCaptures(PyObject* o, void*) {
  std::vector<PyRef> types;
  for (const FunctionType::Capture& c : SignatureIn(o).captures()) {
    if (!AppendTypes(*c.second, &types)) return nullptr;
  }
  return ListOf(std::move(types));
}

PyObject* UnpackInputs(PyObject* o, PyObject* bound) {
  PyRef arguments = PyRef::Steal(PyObject_GetAttrString(bound, "arguments"));
  if (!arguments) return nullptr;
  const auto parameters = InOrder(SignatureIn(o));
  if (!parameters.ok()) return Raise(parameters.status());
  std::vector<int> seen;
  std::vector<PyRef> inputs;
  for (const FunctionParameter* p : *parameters) {
    PyRef name = PyRef::Steal(ToPyString(p->name));
    PyRef value = PyRef::Steal(
        name ? PyObject_GetItem(arguments.get(), name.get()) : nullptr);
    if (!value || !AppendInputs(*p->type, value.get(), &seen, &inputs)) {
      return nullptr;
    }
  }
  return Inputs(inputs);
}
PyObject* PackOutput(PyObject* o, PyObject* values) {
  const TraceTypeRef& output = SignatureIn(o).output();
  if (!output) {
    return Raise(ValueError("The function's output type is not known."));
  }
  PyRef iterator = PyRef::Steal(PyObject_GetIter(values));
  return iterator ? ValueFrom(*output, iterator.get()) : nullptr;
}

PyObject* CommonSubtype(PyObject* o, PyObject* others) {
  std::vector<PyRef> types;
  if (!AppendItems(others, &types)) return nullptr;
  types.insert(types.begin(), PyRef::Share(o));
  Ref<FunctionType> common = FunctionTypeIn(o);
  for (const PyRef& t : types) {
    if (!IsFunctionType(t.get())) {
      return Raise(TypeError("the others must be FunctionTypes"));
    }
    common = common->CommonSubtype(SignatureIn(t.get()));
    if (!common) Py_RETURN_NONE;
  }
  return WrapFunctionType(std::move(common));
}

constexpr char kValue[] = "value", kTensors[] = "tensors",
               kBound[] = "bound_parameters", kFlatValues[] = "flat_values",
               kOthers[] = "others";

}  // namespace

PyMethodDef trace_type_members[] = {
    {"flatten", Guarded<Flatten>, METH_NOARGS,
     "flatten($self)\n--\n\n"
     "The types of the tensors that a value of this type is made of.\n\n"
     ">>> f = tf.function(lambda x: x[0])\n"
     ">>> trace = f.get_concrete_function([tf.TensorSpec([2]), 3])\n"
     ">>> trace.function_type.parameters['x'].type_constraint.flatten()\n"
     "[TensorSpec(shape=(2,), dtype=tf.float32, name=None)]"},
    {"cast", AsCFunction(Guarded<Cast>), METH_VARARGS | METH_KEYWORDS,
     "cast($self, value, casting_context=None)\n--\n\n"
     "`value` as one of this type. TypeError if it cannot be one."},
    {"to_tensors", GK_OF_ARGUMENT(kValue, ToTensors),
     "to_tensors($self, value)\n--\n\n"
     "The tensors of a value of this type. TypeError if it is of another."},
    {"from_tensors", GK_OF_ARGUMENT(kTensors, FromTensors),
     "from_tensors($self, tensors)\n--\n\n"
     "The value of this type that is made of the next tensors."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef function_type_properties[] = {
    {"captures", Guarded<TypeCaptures>, nullptr,
     "The types of what is captured, by an id of each.\n\n"
     ">>> v = tf.Variable(1.0)\n"
     ">>> f = tf.function(lambda: v + 1.0).get_concrete_function()\n"
     ">>> list(f.function_type.captures.values())\n"
     "[TensorSpec(shape=(), dtype=tf.resource, name=None)]",
     nullptr},
    {"return_annotation", Guarded<ReturnAnnotation>, nullptr,
     "The type of what is returned, or `empty`.", nullptr},
    {"flat_inputs", Guarded<FlatInputs>, nullptr,
     "The types of the tensors that the arguments are made of.", nullptr},
    {"flat_outputs", Guarded<FlatOutputs>, nullptr,
     "The types of the tensors that are returned.", nullptr},
    {"flat_captures", Guarded<FlatCaptures>, nullptr,
     "The types of the tensors that are captured.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef function_type_members[] = {
    {"unpack_inputs", GK_OF_ARGUMENT(kBound, UnpackInputs),
     "unpack_inputs($self, bound_parameters)\n--\n\n"
     "The tensors of bound arguments, as a trace takes them."},
    {"pack_output", GK_OF_ARGUMENT(kFlatValues, PackOutput),
     "pack_output($self, flat_values)\n--\n\n"
     "What is returned, made of its tensors."},
    {"most_specific_common_subtype", GK_OF_ARGUMENT(kOthers, CommonSubtype),
     "most_specific_common_subtype($self, others)\n--\n\n"
     "The type of functions that serve the calls of all; None if there is no "
     "such."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace gk::py
