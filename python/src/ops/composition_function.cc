// Compositions (ops/composition.h) as Python functions.
#include <map>

#include "base/caught.h"
#include "framework/large_work.h"
#include "ops/composition.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/guarded.h"
#include "python/src/graph/name_scope.h"
#include "python/src/ops/composition_arguments.h"
#include "python/src/ops/op_function.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/ragged/rows_value.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_type.h"

namespace gk::py {
namespace {

class CompositionInfo final : public FunctionInfo {
 public:
  explicit CompositionInfo(const Composition& composition);
  PyObject* Call(PyObject* const* arguments,
                 std::string_view name) const override;
  const CompositionRecord& record() const { return *composition_.record; }
  bool asserts() const { return record().result == "operation"; }
  int maps() const override { return asserts() ? 0 : record().maps; }
  int compares() const override { return asserts() ? record().maps : 0; }
  bool keeps_zero() const override { return record().keeps_zero; }
  RaggedForm ragged_form() const override { return record().ragged; }
  int slices() const override { return record().slices; }

 private:
  StatusOr<Tensor> ConvertWhole(PyObject* const* arguments,
                                std::string_view name) const;
  PyObject* Wrap(const TensorVector& results, PyObject* const* arguments) const;

  const Composition& composition_;
  std::vector<int> arg_of_parameter_;
  mutable PyObject* result_type_ = nullptr;
};

CompositionInfo::CompositionInfo(const Composition& composition)
    : composition_(composition) {
  bool name_seen = false;
  for (size_t i = 0; i < composition.args.size(); ++i) {
    const CompositionArg& arg = composition.args[i];
    if (arg.kind == ArgKind::kName) {
      name_position_ = parameters_.size();
      name_default_ = arg.default_text;
      name_seen = true;
      continue;
    }
    const bool is_rest = arg.name[0] == '*';
    if (is_rest) rest_position_ = parameters_.size();
    PyObject* own = PyUnicode_InternFromString(arg.name.c_str() + is_rest);
    parameters_.push_back(
        {own, true, static_cast<int>(i), arg.required, arg.default_text});
    arg_of_parameter_.push_back(i);
  }
  if (!name_seen) {
    name_position_ =
        composition.record->takes_name ? parameters_.size() : kNoName;
  }
}

// The items of `list` with other values, the last tensor not among them.
PyRef GradientsOf(PyObject* list, const TensorVector& values) {
  PyRef items = PyRef::Steal(PySequence_Tuple(list));
  PyRef made = PyRef::Steal(PyList_New(values.size() - 1));
  if (!items || !made) return {};
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    PyObject* item = PyTuple_GET_ITEM(items.get(), i);
    PyObject* with =
        !values[i] ? Py_NewRef(Py_None)
        : IsSlices(item)
            ? Wrapped(AsSlices(item).WithValues(values[i])).release().ptr()
            : WrapTensor(values[i]);
    if (with == nullptr) return {};
    PyList_SET_ITEM(made.get(), i, with);
  }
  return made;
}

int64_t ElementsIn(const CompositionValue& v) {
  const auto count = [](const Tensor& t) {
    return t && !t.is_symbolic() ? t.num_elements() : int64_t{0};
  };
  if (const Tensor* t = std::get_if<Tensor>(&v)) return count(*t);
  int64_t n = 0;
  if (const TensorVector* list = std::get_if<TensorVector>(&v)) {
    for (const Tensor& t : *list) n += count(t);
  }
  return n;
}

// The first argument as one tensor; an empty one if it is to be converted item
// by item.
StatusOr<Tensor> CompositionInfo::ConvertWhole(PyObject* const* arguments,
                                               std::string_view name) const {
  PyObject* list = arguments[0];
  if (list == nullptr || !IsListOrTuple(list) ||
      PySequence_Fast_GET_SIZE(list) == 0) {
    return Tensor();
  }
  PyObject* axis = arguments[1];
  if (axis != nullptr && !(PyLong_Check(axis) && PyLong_AsLong(axis) == 0)) {
    PyErr_Clear();  // of an axis that no long holds
    return Tensor();
  }
  bool tensors = true;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list) && tensors; ++i) {
    tensors = IsTensorLike(PySequence_Fast_GET_ITEM(list, i));
  }
  if (tensors) return Tensor();
  StatusOr<Tensor> whole =
      ToTensor(list, DataType::kInvalid, DataType::kInvalid, name);
  if (whole.ok() || !IsConversionFailure(whole.status())) return whole;
  PyErr_Clear();
  return Tensor();
}

// What an argument that says the dtype of a group says; null: not given.
bool LearnType(const CompositionArg& arg, PyObject* value, DataType* known) {
  if (value != nullptr && !(value == Py_None && arg.takes_none)) {
    *known = AsDType(value);
    return *known != DataType::kInvalid;
  }
  const DataType* type = std::get_if<DataType>(&arg.default_value);
  if (value == nullptr && type != nullptr) *known = *type;
  return true;
}

// Makes tensors from outside captures of the graph that are named as their
// arguments.
Status CaptureTensors(CompositionCall* call) {
  const auto capture = [](Tensor* t, std::string_view name) -> Status {
    GK_ASSIGN_OR_RETURN(*t, FuncGraph::Current()->inputs().Capture(*t, name));
    return OkStatus();
  };
  const std::vector<CompositionArg>& args = call->composition().args;
  for (size_t i = 0; i < args.size(); ++i) {
    CompositionValue* value = call->given(static_cast<int>(i));
    if (value == nullptr) continue;
    if (Tensor* t = std::get_if<Tensor>(value)) {
      call->set_known(static_cast<int>(i), t->KnownValue());
      GK_RETURN_IF_ERROR(capture(t, args[i].node));
    } else if (auto* list = std::get_if<TensorVector>(value)) {
      for (size_t k = 0; k < list->size(); ++k) {
        GK_RETURN_IF_ERROR(capture(&(*list)[k], NameOfInput(args[i].node, k)));
      }
    }
  }
  return OkStatus();
}

PyObject* CompositionInfo::Call(PyObject* const* arguments,
                                std::string_view name) const {
  const bool graph = OpBuilder::Current()->builds_graph();
  std::optional<OpScope> op_scope;
  std::string scope;
  if (graph && !(name.empty() && record().scope.empty())) {
    op_scope.emplace(name.empty() ? record().scope : name, !record().wraps_op);
    if (!op_scope->status().ok()) return Raise(op_scope->status());
    scope = op_scope->node_name();
  }
  GroupTypes groups;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const CompositionArg& arg = composition_.args[arg_of_parameter_[i]];
    if (!arg.in_group()) continue;
    DataType& known = groups[arg];
    if (arg.kind == ArgKind::kType) {
      if (!LearnType(arg, arguments[i], &known)) return nullptr;
      continue;
    }
    if (arguments[i] == nullptr) continue;
    if (known == DataType::kInvalid) known = GivenDType(arguments[i]);
  }
  CompositionCall call(composition_, std::move(scope));
  int64_t elements = 0;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const int at = arg_of_parameter_[i];
    const CompositionArg& arg = composition_.args[at];
    if (arguments[i] == nullptr) continue;
    if (i == 0 && record().converts_whole) {
      StatusOr<Tensor> whole =
          ConvertWhole(arguments, graph ? call.name() : record().scope);
      if (!whole.ok()) return Raise(whole.status());
      if (*whole) {
        call.Give(at, *std::move(whole));
        continue;
      }
    }
    StatusOr<CompositionValue> v = ConvertArgument(arg, arguments[i], &groups);
    if (!v.ok()) return Raise(v.status());
    elements += ElementsIn(call.Give(at, *std::move(v)));
  }
  StatusOr<TensorVector> results = [&]() -> StatusOr<TensorVector> {
    std::optional<LazyGilRelease> release;
    if (!graph) release.emplace(elements >= kLargeElements);
    try {
      if (graph && record().captures) GK_RETURN_IF_ERROR(CaptureTensors(&call));
      return record().build(call);
    } catch (...) {
      return CaughtStatus();
    }
  }();
  if (!results.ok()) {
    if (graph) return Raise(results.status());
    return Raise(
        AsCalled(results.status(), std::span(arguments, parameters_.size()),
                 name.empty() && record().shows_name ? record().scope : name));
  }
  return Wrap(*results, arguments);
}

// Of a result that begins with a sparse tensor: see CompositionRecord.
PyObject* WrapSparses(std::string_view kind, const TensorVector& results) {
  if (kind == "SparseTensor?" && results.size() == 1) {
    return WrapTensor(results[0]);
  }
  const auto sparse = [&](size_t i) {
    return PyRef::Steal(WrapSparse(results[i], results[i + 1], results[i + 2]));
  };
  if (kind == "SparseTensors") {
    PyRef list = PyRef::Steal(PyList_New(results.size() / 3));
    for (size_t i = 0; list && i < results.size(); i += 3) {
      PyRef item = sparse(i);
      if (!item) return nullptr;
      PyList_SET_ITEM(list.get(), i / 3, item.Release());
    }
    return list.Release();
  }
  PyRef first = sparse(0);
  if (kind != "SparseTensor, Tensor") return first.Release();
  PyRef second = PyRef::Steal(WrapTensor(results[3]));
  return first && second ? PyTuple_Pack(2, first.get(), second.get()) : nullptr;
}

PyObject* CompositionInfo::Wrap(const TensorVector& results,
                                PyObject* const* arguments) const {
  const std::string_view kind = record().result;
  if (kind == "operation") return MadeOperation();
  if (kind == "none") Py_RETURN_NONE;
  if (kind.empty()) {
    if (results.empty() || !results[0]) Py_RETURN_NONE;
    return WrapTensor(results[0]);
  }
  if (kind.starts_with("SparseTensor")) return WrapSparses(kind, results);
  if (kind == "RaggedTensor") return WrapRows(results);
  if (kind == "RaggedTensors") {
    const auto half = results.begin() + results.size() / 2;
    PyRef first = PyRef::Steal(WrapRows({results.begin(), half}));
    if (!first) return nullptr;
    PyRef second = PyRef::Steal(WrapRows({half, results.end()}));
    return second ? PyTuple_Pack(2, first.get(), second.get()) : nullptr;
  }
  if (kind == "gradients") {
    PyRef list = GradientsOf(arguments[0], results);
    PyRef last = PyRef::Steal(WrapTensor(results.back()));
    return list && last ? PyTuple_Pack(2, list.get(), last.get()) : nullptr;
  }
  if (kind == "tuple or tensor" && results.size() == 1) {
    return WrapTensor(results[0]);
  }
  // None where there is no tensor.
  PyRef list = PyRef::Steal(PyList_New(results.size()));
  for (size_t i = 0; list && i < results.size(); ++i) {
    PyObject* o = results[i] ? WrapTensor(results[i]) : Py_NewRef(Py_None);
    if (o == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), i, o);
  }
  if (!list || kind == "list") return list.Release();
  PyRef tuple = PyRef::Steal(PyList_AsTuple(list.get()));
  if (!tuple || kind.starts_with("tuple")) return tuple.Release();
  if (result_type_ == nullptr) {
    const size_t colon = kind.find(':');
    PyRef name = PyRef::Steal(ToPyString(kind.substr(0, colon)));
    PyRef fields = PyRef::Steal(ToPyString(kind.substr(colon + 1)));
    if (!name || !fields) return nullptr;
    result_type_ =
        CallPython("collections", "namedtuple", {name.get(), fields.get()});
    if (result_type_ == nullptr) return nullptr;
  }
  return PyObject_CallObject(result_type_, tuple.get());
}

PyObject* MakeComposition(PyObject*, PyObject* public_name) {
  if (!PyUnicode_Check(public_name)) {
    return Raise(TypeError("a function's name must be a string"));
  }
  return CompositionFunction(StringView(public_name));
}

// The public names of all compositions.
PyObject* CompositionNames(PyObject*, PyObject*) {
  PyRef names = PyRef::Steal(PyList_New(0));
  for (const auto& [name, composition] : CompositionRegistry::Get().by_name()) {
    if (!IsPublicName(name)) continue;
    PyRef item = PyRef::Steal(ToPyString(name));
    if (!names || !item || PyList_Append(names.get(), item.get()) < 0) {
      return nullptr;
    }
  }
  return names.Release();
}

PyMethodDef kCompositionFunctionFunctions[] = {
    {"composition_function", Guarded<MakeComposition>, METH_O,
     "The function of a composition, by its public name."},
    {"composition_names", Guarded<CompositionNames>, METH_NOARGS,
     "composition_names()\n--\n\n"
     "The public names of all compositions."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* CompositionFunction(std::string_view name) {
  const Composition* c = CompositionRegistry::Get().Find(name);
  if (c == nullptr) return Raise(NotFound("no function '{}'", name));
  static auto* infos = new std::map<const Composition*, CompositionInfo*>();
  CompositionInfo*& info = (*infos)[c];
  if (info == nullptr) info = new CompositionInfo(*c);
  const std::string_view first =
      c->record->names.substr(0, c->record->names.find('|'));
  const std::string_view last = name.substr(name.rfind('.') + 1);
  // Aliases are one function.
  static auto* made =
      new std::map<std::pair<const Composition*, std::string_view>,
                   PyObject*>();
  const auto known = made->find({c, last});
  if (known != made->end()) return Py_NewRef(known->second);
  std::string doc(c->record->doc);
  if (!c->record->example.empty()) {
    doc += Format("\n\n{}", c->record->example);
  }
  const OpInfo* op =
      c->record->eager_op.empty() ? nullptr : OpInfo::Find(c->record->eager_op);
  PyObject* function =
      MakeFunction(info, op, last, doc, false, "composition_function", first);
  if (function == nullptr) return nullptr;
  const size_t at = c->record->names.rfind(last);
  made->emplace(std::pair(c, c->record->names.substr(at, last.size())),
                Py_NewRef(function));
  return function;
}

bool AddCompositionFunctions(PyObject* module) {
  return PyModule_AddFunctions(module, kCompositionFunctionFunctions) == 0;
}

}  // namespace gk::py
