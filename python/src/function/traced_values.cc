#include "python/src/function/traced_values.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/op_registry.h"
#include "framework/variable.h"
#include "function/trace_arguments.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/package_parts.h"
#include "python/src/function/concrete_function.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/function/typed_values.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/nest/nest_node.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

using Kind = TraceType::Kind;

FuncGraph* FuncGraphOf(PyObject* o) {
  if (!PyObject_TypeCheck(o, FuncGraphType) || GraphOf(o)->func == nullptr) {
    Raise(TypeError("not a FuncGraph that can be changed"));
    return nullptr;
  }
  return GraphOf(o)->func;
}

// A node of an argument is named like it, if nodes can be.
std::string NodeName(const std::string& name) {
  const auto in = [](char c, std::string_view more) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           more.find(c) != more.npos;
  };
  bool fits = !name.empty() && in(name[0], ".");
  for (char c : name) fits = fits && in(c, "_.\\/>-");
  return fits ? name : std::string(OpRegistry::Get().The(kPlaceholder).name);
}

// The values that a traced Python function is called with.
class PythonArguments : public ArgumentFace {
 public:
  // `owner`: what values of a class of the user's ask for placeholders.
  PythonArguments(FuncGraph* graph, PyObject* owner)
      : ArgumentFace(graph), owner_(owner) {}

  Names NamesOf(const TraceType& type, const std::string& parameter,
                const std::string& path) override {
    if (type.kind() == Kind::kVariable) return {NodeName(parameter), path};
    const std::string& name = type.name().empty() ? parameter : type.name();
    return {NodeName(name), name};
  }
  Status Tensor(const gk::Tensor& placeholder) override {
    return Push(WrapTensor(placeholder));
  }
  Status Variable(const TraceType& type, const gk::Tensor& handle,
                  const std::string& parameter) override {
    PyRef& known = variables_[type.alias()];
    if (!known) {
      known = PyRef::Steal(VariableOfHandle(handle, type.dtype(), type.shape(),
                                            type.trainable(), parameter));
    }
    return Push(Py_XNewRef(known.get()));
  }
  Status Constant(const TraceType& type) override {
    return Push(ObjectOf(type));
  }
  Status Custom(const TraceType& type, const std::string& parameter) override {
    PyRef own = PyRef::Steal(ObjectOf(type));
    PyRef name = PyRef::Steal(ToPyString(parameter));
    if (!own || !name) return PythonError();
    return Push(
        package::placeholder_value.Call({own.get(), owner_, name.get()}));
  }
  Status Container(const TraceType& type) override {
    const size_t n = type.children().size(), first = parts_.size() - n;
    std::vector<PyRef> flat;
    for (size_t i : type.FlatteningOrder()) flat.push_back(parts_[first + i]);
    parts_.resize(first);
    return Push(Assemble(type, flat));
  }

  PyRef Take() {
    PyRef last = std::move(parts_.back());
    parts_.pop_back();
    return last;
  }

 private:
  Status Push(PyObject* value) {
    if (value == nullptr) return PythonError();
    parts_.push_back(PyRef::Steal(value));
    return OkStatus();
  }

  PyObject* owner_;
  std::vector<PyRef> parts_;
  std::map<int, PyRef> variables_;
};

// As (name, kind number, value) of each parameter.
class BoundArguments final : public PythonArguments {
 public:
  using PythonArguments::PythonArguments;
  Status Parameter(const FunctionParameter& p) override {
    PyRef value = Take();
    PyRef name = PyRef::Steal(ToPyString(p.name));
    PyRef item = PyRef::Steal(
        list && name ? Py_BuildValue("(OiO)", name.get(),
                                     static_cast<int>(p.kind), value.get())
                     : nullptr);
    return item && PyList_Append(list.get(), item.get()) == 0 ? OkStatus()
                                                              : PythonError();
  }

  PyRef list = PyRef::Steal(PyList_New(0));
};

// Where something else than an argument of a graph stands for a tensor.
class OtherArguments final : public PythonArguments {
 public:
  OtherArguments(PyObject* owner)
      : PythonArguments(nullptr, owner), owner_(owner) {}
  StatusOr<gk::Tensor> Add(const Names& names, DataType dtype,
                           const PartialTensorShape& shape,
                           const HandleData& handle_data) override {
    PyRef type = PyRef::Share(DTypeObject(dtype));
    PyRef dims = PyRef::Steal(WrapShape(shape));
    if (!type || !dims) return PythonError();
    PyRef made = PyRef::Steal(PyObject_CallMethod(
        owner_, "_add_argument", "sOOsO", names.node.c_str(), type.get(),
        dims.get(), names.user.c_str(),
        handle_data.empty() ? Py_False : Py_True));
    if (!made) return PythonError();
    return TensorOf(made.get());
  }

 private:
  PyObject* owner_;
};

// make_arguments(graph, type, variables by alias).
PyObject* MakeArgumentsFunction(PyObject*, PyObject* args) {
  PyObject *graph, *type, *list;
  if (!PyArg_ParseTuple(args, "OO!O", &graph, FunctionTypeType, &type, &list)) {
    return nullptr;
  }
  FuncGraph* f = FuncGraphOf(graph);
  std::vector<PyRef> given;
  if (f == nullptr || !AppendItems(list, &given)) return nullptr;
  TensorVector variables;
  for (const PyRef& v : given) {
    variables.push_back(IsVariable(v.get()) ? VariableOf(v.get())->handle
                                            : Tensor());
  }
  BoundArguments face(f, graph);
  const Ref<FunctionType> traced = FunctionTypeIn(type);
  f->set_signature({traced, nullptr});
  const Status status = MakeArguments(*traced, variables, &face);
  return status.ok() ? face.list.Release() : Raise(status);
}

// make_value(owner, type, name): one value; owner._add_argument gives tensors.
PyObject* MakeValue(PyObject*, PyObject* args) {
  PyObject *owner, *type;
  const char* name;
  if (!PyArg_ParseTuple(args, "OO!s", &owner, TraceTypeType, &type, &name)) {
    return nullptr;
  }
  return ValueOfType(owner, TraceTypeIn(type), name);
}

// ---- Results ----

void RefuseResult(PyObject* function, PyObject* value) {
  PyRef name = PyRef::Steal(PyObject_GetAttrString(
      reinterpret_cast<PyObject*>(Py_TYPE(value)), "__name__"));
  if (!name) return;
  PyErr_Format(
      PyExc_TypeError,
      "To be compatible with tf.function, Python functions must return zero or "
      "more Tensors or ExtensionTypes or None values; in compilation of %S, "
      "found return value of type %S, which is not a Tensor or "
      "ExtensionType.",
      function, name.get());
}

// A leaf of a result as a tensor. Null with an exception set.
PyRef ResultTensor(PyObject* function, PyObject* value) {
  if (IsTensor(value)) return PyRef::Share(value);
  if (!PyCallable_Check(value) && !IsDType(value)) {
    StatusOr<Tensor> t = ToTensor(value);
    PyRef tensor =
        PyRef::Steal(t.ok() ? WrapTensor(*std::move(t)) : Raise(t.status()));
    if (tensor || (!PyErr_ExceptionMatches(PyExc_TypeError) &&
                   !PyErr_ExceptionMatches(PyExc_ValueError))) {
      return tensor;
    }
    PyErr_Clear();
  }
  RefuseResult(function, value);
  return {};
}

// What a function may do about a tensor of a part of it that it returned.
void ExplainScope(PyObject* function) {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  PyRef text = PyRef::Steal(error ? PyObject_Str(error) : nullptr);
  const bool scope = text && StringView(text.get()).find("is out of scope") !=
                                 std::string_view::npos;
  if (!scope) {
    PyErr_Clear();
    return PyErr_Restore(type, error, trace);
  }
  PyErr_Format(type,
               "%U\nIt is returned by %S. A tensor leaves a loop's or branch's "
               "body through a local variable only, one that is assigned there "
               "and also before the loop or in the other branch: return that.",
               text.get(), function);
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(trace);
}

// returned_tensors(graph, function, value): what the function returned, each
// with its Identity; the graph knows its structure from now on.
PyObject* ReturnedTensors(PyObject*, PyObject* args) {
  PyObject *graph, *function, *value;
  if (!PyArg_ParseTuple(args, "OOO", &graph, &function, &value)) {
    return nullptr;
  }
  FuncGraph* f = FuncGraphOf(graph);
  PyRef tensors = PyRef::Steal(f ? PyList_New(0) : nullptr);
  if (!tensors) return nullptr;
  StructureRef structure =
      StructureOf(value, NestRules::kResult, [&](PyObject* leaf) {
        PyRef tensor = ResultTensor(function, leaf);
        if (!tensor) return false;
        StatusOr<Tensor> returned = f->MarkReturned(TensorOf(tensor.get()));
        if (!returned.ok()) {
          Raise(returned.status());
          if (PyErr_ExceptionMatches(PyExc_ValueError)) ExplainScope(function);
          return false;
        }
        PyRef marked = PyRef::Steal(WrapTensor(*std::move(returned)));
        return marked && PyList_Append(tensors.get(), marked.get()) == 0;
      });
  if (!structure) return nullptr;
  f->set_signature({f->signature().type, std::move(structure)});
  return tensors.Release();
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
      return WrapTraceType(type);
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

}  // namespace

PyObject* ValueOfType(PyObject* owner, const TraceTypeRef& type,
                      const std::string& name) {
  OtherArguments face(owner);
  const Status status = MakeArgument(*type, name, &face);
  return status.ok() ? face.Take().Release() : Raise(status);
}

PyObject* TracedInputs(PyObject* traced, void*) {
  const TracedSignature* signature = SignatureOf(traced);
  if (signature == nullptr) return nullptr;
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
       f ? f->captures() : std::vector<FunctionCapture>()) {
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

// finish_graph(graph, results, attrs) -> ConcreteFunction
PyObject* FinishGraph(PyObject*, PyObject* args) {
  PyObject *graph, *results, *attrs;
  if (!PyArg_ParseTuple(args, "OO!O!", &graph, &PyList_Type, &results,
                        &PyDict_Type, &attrs)) {
    return nullptr;
  }
  FuncGraph* f = FuncGraphOf(graph);
  if (f == nullptr) return nullptr;
  TensorVector tensors;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(results); ++i) {
    PyObject* r = PyList_GET_ITEM(results, i);
    if (!IsTensor(r)) return Raise(TypeError("result {} is no tensor", i));
    tensors.push_back(TensorOf(r));
  }
  AttrMap map;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(attrs, &at, &key, &value);) {
    if (!PyUnicode_Check(key)) return Raise(TypeError("attribute name"));
    std::optional<AttrValue> v = FunctionAttrOf(value);
    if (!v) {
      PyErr_Format(PyExc_ValueError,
                   "Attribute %U must be bool, int, float, string, list, or "
                   "AttrValue. Got %R.",
                   key, reinterpret_cast<PyObject*>(Py_TYPE(value)));
      return nullptr;
    }
    map.Set(StringView(key), *std::move(v));
  }
  if (PyErr_Occurred()) return nullptr;
  if (!f->signature().output) {
    // Of what the library makes: a list.
    f->set_signature(
        {f->signature().type, Structure::List(std::vector<StructureRef>(
                                  tensors.size(), Structure::Leaf()))});
  }
  StatusOr<Ref<ConcreteFunction>> function = [&] {
    // Results are converted inside.
    FuncGraph::Building building(f);
    return ConcreteFunction::FromFuncGraph(*f, tensors, std::move(map));
  }();
  if (!function.ok()) return Raise(function.status());
  return NewConcreteFunction(*std::move(function));
}

PyMethodDef functions[] = {
    {"make_arguments", Guarded<MakeArgumentsFunction>, METH_VARARGS, nullptr},
    {"make_value", Guarded<MakeValue>, METH_VARARGS, nullptr},
    {"returned_tensors", Guarded<ReturnedTensors>, METH_VARARGS, nullptr},
    {"finish_graph", Guarded<FinishGraph>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool AddTracedValues(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace gk::py
