#include "python/src/function/traced_values.h"

#include <optional>
#include <string>
#include <vector>

#include "framework/variable.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/package_parts.h"
#include "python/src/function/concrete_function.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/python_arguments.h"
#include "python/src/function/typed_values.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/nest/nest_node.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"
#include "python/src/types/spec_of_value.h"

namespace gk::py {
namespace {

using Kind = TraceType::Kind;

// Where something else than an argument of a graph stands for a tensor.
class OtherArguments final : public PythonArguments {
 public:
  explicit OtherArguments(PyObject* owner) : PythonArguments(nullptr, owner) {}
  StatusOr<gk::Tensor> Add(const Names& names, DataType dtype,
                           const PartialTensorShape& shape,
                           const HandleData& handle_data) override {
    PyRef type = PyRef::Share(DTypeObject(dtype));
    PyRef dims = PyRef::Steal(WrapShape(shape));
    if (!type || !dims) return PythonError();
    PyRef made = PyRef::Steal(PyObject_CallMethod(
        owner(), "_add_argument", "sOOsO", names.node.c_str(), type.get(),
        dims.get(), names.user.c_str(),
        handle_data.empty() ? Py_False : Py_True));
    if (!made) return PythonError();
    return TensorOf(made.get());
  }
};

// make_value(owner, type, name): one value; owner._add_argument gives tensors.
PyObject* MakeValue(PyObject*, PyObject* args) {
  PyObject *owner, *type;
  const char* name;
  if (!PyArg_ParseTuple(args, "OO!s", &owner, TraceTypeType, &type, &name)) {
    return nullptr;
  }
  return ValueOfType(owner, TraceTypeIn(type), name);
}

// ---- What a trace tells ----

// Of a ConcreteFunction or a FuncGraph; null with an exception set.
const TracedSignature* SignatureOf(PyObject* o) {
  if (IsConcreteFunction(o) && ConcreteFunctionOf(o)->function != nullptr) {
    return &ConcreteFunctionOf(o)->function->signature();
  }
  if (PyObject_TypeCheck(o, FuncGraphType) && GraphOf(o)->func != nullptr) {
    return &GraphOf(o)->func->signature();
  }
  PyErr_SetString(PyExc_AttributeError, "nothing was traced into this graph");
  return nullptr;
}

// The parameter and the way in it to a leaf of an InputStructure.
std::string ArgumentPath(const FunctionType& type,
                         const std::vector<std::string>& path) {
  std::string name = path[1];
  if (path[0] == "0") {
    size_t at = std::stoul(path[1]);
    for (const FunctionParameter& p : type.parameters()) {
      if (p.kind == ParameterKind::kKeywordOnly || at-- != 0) continue;
      name = p.name;
      break;
    }
  }
  for (size_t i = 2; i < path.size(); ++i) name += "_" + path[i];
  return name;
}

// What stands for an argument in a signature.
PyObject* ShownArgument(const TraceTypeRef& type, const std::string& path) {
  PyRef name =
      PyRef::Steal(ToPyString(type->name().empty() ? path : type->name()));
  if (!name) return nullptr;
  switch (type->kind()) {
    case Kind::kTensor:
      return WrapTensorSpec(type->shape(), type->dtype(), name.get());
    case Kind::kVariable:
      return VariableSpecOf(*type).release().ptr();
    case Kind::kCustom: {
      PyRef own = PyRef::Steal(ObjectOf(*type));
      if (!own || PyObject_TypeCheck(own.get(), TypeSpecType)) {
        return own.Release();
      }
      name = PyRef::Steal(ToPyString(path));
      return name ? package::shown_argument.Call({own.get(), name.get()})
                  : nullptr;
    }
    default:
      return ObjectOf(*type);
  }
}

// New reference; null without an exception if there is no such attribute.
PyObject* SavedOf(PyObject* traced, const char* name) {
  if (!IsConcreteFunction(traced)) return nullptr;
  PyObject* const own = ConcreteFunctionOf(traced)->dict;
  return Py_XNewRef(own ? PyDict_GetItemString(own, name) : nullptr);
}

}  // namespace

PyObject* ValueOfType(PyObject* owner, const TraceTypeRef& type,
                      const std::string& name) {
  OtherArguments face(owner);
  const Status status = MakeArgument(*type, name, &face);
  return status.ok() ? Py_NewRef(face.values().back().get()) : Raise(status);
}

PyObject* TracedInputs(PyObject* traced, void*) {
  if (PyObject* saved = SavedOf(traced, kSavedInputs)) return saved;
  const TracedSignature* signature = SignatureOf(traced);
  if (signature == nullptr) return nullptr;
  // Cut out of a graph: its arguments nest in nothing.
  if (IsConcreteFunction(traced) && ConcreteFunctionOf(traced)->is_pruned) {
    Py_RETURN_NONE;
  }
  if (!signature->type) {
    return PyErr_Format(PyExc_AttributeError,
                        "nothing was traced into this graph");
  }
  const Ref<FunctionType> type = signature->type;
  std::vector<TraceTypeRef> leaves;
  const StructureRef structure = InputStructure(*type, &leaves);
  const auto paths = structure->LeafPaths();
  std::vector<PyRef> shown;
  for (size_t i = 0; i < leaves.size(); ++i) {
    shown.push_back(
        PyRef::Steal(ShownArgument(leaves[i], ArgumentPath(*type, paths[i]))));
    if (!shown.back()) return nullptr;
  }
  return PackValue(*structure, shown);
}

PyObject* TracedOutputs(PyObject* traced, void*) {
  if (PyObject* saved = SavedOf(traced, kSavedOutputs)) return saved;
  const TracedSignature* signature = SignatureOf(traced);
  PyRef outputs = PyRef::Steal(PyObject_GetAttrString(traced, "outputs"));
  std::vector<PyRef> leaves;
  if (signature == nullptr || !AppendItems(outputs.get(), &leaves)) {
    return nullptr;
  }
  if (!signature->output) {
    return PyErr_Format(PyExc_AttributeError,
                        "nothing was traced into this graph");
  }
  const StructureRef keep = signature->output;
  return PackValue(*keep, leaves, {});
}

PyObject* TracedVariables(PyObject* traced, void*) {
  PyRef graph = IsGraph(traced)
                    ? PyRef::Share(traced)
                    : PyRef::Steal(PyObject_GetAttrString(traced, "graph"));
  PyRef list = PyRef::Steal(graph ? PyList_New(0) : nullptr);
  if (!list) return nullptr;
  const FuncGraph* f = GraphOf(graph.get())->func;
  for (const FunctionCapture& c :
       f ? f->inputs().captures() : std::vector<FunctionCapture>()) {
    if (!c.external || c.external.dtype() != DataType::kResource) continue;
    // A variable of a graph around it, or what stands for one there.
    const bool symbolic = c.external.is_symbolic();
    if (!symbolic && !gk::VariableOf(c.external).ok()) continue;
    PyObject* variable = FindVariable(c.external);
    if (variable == nullptr && symbolic) continue;
    if (variable == nullptr) {
      return Raise(FailedPrecondition(
          "Called a function referencing variables which have been deleted: "
          "the Python object of the variable {} is gone. This likely means "
          "that function-local variables were created and not referenced "
          "elsewhere in the program. This is generally a mistake; consider "
          "storing variables in an object attribute on first call.",
          c.placeholder->name()));
    }
    if (PyList_Append(list.get(), variable) < 0) return nullptr;
  }
  return PyList_AsTuple(list.get());
}

PyObject* TracedTrainableVariables(PyObject* traced, void*) {
  PyRef all = PyRef::Steal(TracedVariables(traced, nullptr));
  PyRef list = PyRef::Steal(all ? PyList_New(0) : nullptr);
  for (Py_ssize_t i = 0; list && i < PyTuple_GET_SIZE(all.get()); ++i) {
    PyObject* v = PyTuple_GET_ITEM(all.get(), i);
    if (VariableOf(v)->trainable && PyList_Append(list.get(), v) < 0) {
      return nullptr;
    }
  }
  return list ? PyList_AsTuple(list.get()) : nullptr;
}

namespace {

// The value of an attribute of a function; empty if it cannot be one.
std::optional<AttrValue> FunctionAttrOf(PyObject* value) {
  if (PyBool_Check(value)) return value == Py_True;
  if (PyLong_Check(value)) {
    return static_cast<int64_t>(PyLong_AsLongLong(value));
  }
  if (PyFloat_Check(value)) {
    return static_cast<float>(PyFloat_AS_DOUBLE(value));
  }
  if (PyUnicode_Check(value)) return std::string(StringView(value));
  if (PyBytes_Check(value)) {
    return std::string(PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value));
  }
  if (!PyList_Check(value)) return std::nullopt;
  const auto all = [&]<class T>(T) -> std::optional<AttrValue> {
    std::vector<T> list;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); ++i) {
      PyObject* item = PyList_GET_ITEM(value, i);
      if (PyList_Check(item)) return std::nullopt;
      const std::optional<AttrValue> v = FunctionAttrOf(item);
      const T* element = v ? std::get_if<T>(&*v) : nullptr;
      if (element == nullptr) return std::nullopt;
      list.push_back(*element);
    }
    return AttrValue(std::move(list));
  };
  if (auto v = all(std::string())) return v;
  if (auto v = all(bool())) return v;
  if (auto v = all(int64_t())) return v;
  return all(float());
}

}  // namespace

StatusOr<AttrMap> FunctionAttributes(PyObject* attrs) {
  AttrMap map;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(attrs, &at, &key, &value);) {
    if (!PyUnicode_Check(key)) return TypeError("attribute name");
    std::optional<AttrValue> v = FunctionAttrOf(value);
    if (!v) {
      PyErr_Format(PyExc_ValueError,
                   "Attribute %U must be bool, int, float, string, list, or "
                   "AttrValue. Got %R.",
                   key, reinterpret_cast<PyObject*>(Py_TYPE(value)));
      return PythonError();
    }
    map.Set(StringView(key), *std::move(v));
  }
  if (PyErr_Occurred()) return PythonError();
  return map;
}

namespace {

PyMethodDef kTracedValuesFunctions[] = {
    {"make_value", Guarded<MakeValue>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool AddTracedValues(PyObject* module) {
  return PyModule_AddFunctions(module, kTracedValuesFunctions) == 0;
}

}  // namespace gk::py
