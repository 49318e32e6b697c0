// Composites (ops/composite.h) as Python functions.
#include <algorithm>
#include <map>

#include "base/caught.h"
#include "framework/large_work.h"
#include "ops/composite.h"
#include "ops/random/random_seeds.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/guarded.h"
#include "python/src/graph/name_scope.h"
#include "python/src/ops/op_function.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/ragged/rows_value.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

DataType DTypeOf(PyObject* o) {
  if (IsTensor(o)) return ImplOf(o)->dtype();
  if (IsVariable(o)) return VariableOf(o)->dtype;
  return DataType::kInvalid;
}

// Dtypes of the groups ("tensor(T)") while arguments are converted.
class GroupTypes {
 public:
  DataType& operator[](std::string_view group) {
    for (auto& [name, type] : known_) {
      if (name == group) return type;
    }
    known_.push_back({group, DataType::kInvalid});
    return known_.back().second;
  }

  // Its dtype is that of Python's numbers, which no tensor has confirmed.
  void Guess(std::string_view group) { guessed_.push_back(group); }
  bool guessed(std::string_view group) const {
    return std::find(guessed_.begin(), guessed_.end(), group) != guessed_.end();
  }

 private:
  std::vector<std::pair<std::string_view, DataType>> known_;
  std::vector<std::string_view> guessed_;
};

// A list with integer tensors in it.
bool HoldsIntegers(PyObject* value) {
  return IsListOrTuple(value) && IsInteger(FirstTensorDType(value));
}

class CompositeInfo final : public FunctionInfo {
 public:
  explicit CompositeInfo(const Composite& composite);
  PyObject* Call(PyObject* const* arguments,
                 std::string_view name) const override;
  const CompositeRecord& record() const { return *composite_.record; }
  bool asserts() const { return record().result == "operation"; }
  int maps() const override { return asserts() ? 0 : record().maps; }
  int compares() const override { return asserts() ? record().maps : 0; }
  bool keeps_zero() const override { return record().keeps_zero; }
  RaggedForm ragged_form() const override { return record().ragged; }
  int slices() const override { return record().slices; }

 private:
  StatusOr<Tensor> ConvertTensor(const CompositeArg& arg, PyObject* value,
                                 int element, GroupTypes* groups) const;
  StatusOr<TensorVector> ConvertTensors(const CompositeArg& arg,
                                        PyObject* tuple,
                                        GroupTypes* groups) const;
  StatusOr<TensorVector> ConvertGradients(const CompositeArg& arg,
                                          PyObject* value,
                                          GroupTypes* groups) const;
  StatusOr<CompositeValue> Convert(const CompositeArg& arg, PyObject* value,
                                   GroupTypes* groups) const;
  StatusOr<Tensor> ConvertWhole(PyObject* const* arguments,
                                std::string_view name) const;
  PyObject* Wrap(const TensorVector& results,
                 PyObject* const* arguments) const;

  const Composite& composite_;
  std::vector<int> arg_of_parameter_;
  mutable PyObject* result_type_ = nullptr;
};

CompositeInfo::CompositeInfo(const Composite& composite)
    : composite_(composite) {
  bool name_seen = false;
  for (size_t i = 0; i < composite.args.size(); ++i) {
    const CompositeArg& arg = composite.args[i];
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
        composite.record->takes_name ? parameters_.size() : kNoName;
  }
}

StatusOr<Tensor> CompositeInfo::ConvertTensor(const CompositeArg& arg,
                                              PyObject* value, int element,
                                              GroupTypes* groups) const {
  DataType want = DataType::kInvalid, hint = DataType::kInvalid;
  const bool group = arg.in_group();
  // A tensor of another dtype is left for the ops' own checks.
  if (DTypeOf(value) == DataType::kInvalid && !IsTensorLike(value)) {
    if (group) {
      want = (*groups)[arg.type_of];
    } else if (!arg.type_of.empty()) {
      hint = arg.named_type();
      // Numbers stand for no truth values.
      if (hint == DataType::kBool || arg.demands_type()) std::swap(hint, want);
    } else if (arg.kind == ArgKind::kNative && HoldsIntegers(value)) {
      hint = DataType::kInt32;  // sizes, some of them tensors
    }
  }
  const Narrowing narrowing = hint != DataType::kInvalid ||
                                      arg.demands_type() ||
                                      groups->guessed(arg.type_of)
                                  ? Narrowing::kRefuse
                                  : Narrowing::kCut;
  StatusOr<Tensor> converted =
      OpBuilder::Current()->builds_graph()
          ? ToTensor(value, want, hint, NameOfInput(arg.node, element),
                     narrowing)
          : ToTensor(value, want, hint, kConst, narrowing);
  if (!converted.ok()) return converted.status();
  Tensor t = *std::move(converted);
  if (group) {
    DataType& known = (*groups)[arg.type_of];
    if (known == DataType::kInvalid) {
      known = t.dtype();
      if (!IsTensorLike(value)) groups->Guess(arg.type_of);
    }
  }
  return t;
}

// If the list is of Python's numbers alone and the first of them suggest a
// dtype that a later one does not fit, all become int64.
StatusOr<TensorVector> CompositeInfo::ConvertTensors(const CompositeArg& arg,
                                                     PyObject* tuple,
                                                     GroupTypes* groups) const {
  const bool open =
      arg.in_group() && (*groups)[arg.type_of] == DataType::kInvalid;
  TensorVector tensors;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    StatusOr<Tensor> t =
        ConvertTensor(arg, PyTuple_GET_ITEM(tuple, i), i, groups);
    if (!t.ok() && open && t.status().code() == Code::kValueError &&
        (*groups)[arg.type_of] == DataType::kInt32) {
      (*groups)[arg.type_of] = DataType::kInt64;
      return ConvertTensors(arg, tuple, groups);
    }
    if (!t.ok()) return t.status();
    tensors.push_back(*std::move(t));
  }
  return tensors;
}

StatusOr<TensorVector> CompositeInfo::ConvertGradients(
    const CompositeArg& arg, PyObject* value, GroupTypes* groups) const {
  if (IsTensorLike(value) || PyUnicode_Check(value) ||
      !PySequence_Check(value)) {
    return TypeError("`{}` should be a sequence of tensors. Received {}.",
                     arg.name, Py_TYPE(value)->tp_name);
  }
  PyRef list = PyRef::Steal(PySequence_Tuple(value));
  if (!list) return PythonError();
  TensorVector tensors;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(list.get()); ++i) {
    PyObject* item = PyTuple_GET_ITEM(list.get(), i);
    if (item == Py_None) {
      tensors.emplace_back();
    } else if (IsSlices(item)) {
      tensors.push_back(AsSlices(item).values);
    } else {
      GK_ASSIGN_OR_RETURN(Tensor t, ConvertTensor(arg, item, i, groups));
      tensors.push_back(std::move(t));
    }
  }
  return tensors;
}

// The items of `list` with other values, the last tensor not among them.
PyRef GradientsOf(PyObject* list, const TensorVector& values) {
  PyRef items = PyRef::Steal(PySequence_Tuple(list));
  PyRef made = PyRef::Steal(PyList_New(values.size() - 1));
  if (!items || !made) return {};
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    PyObject* item = PyTuple_GET_ITEM(items.get(), i);
    PyObject* with = !values[i] ? Py_NewRef(Py_None)
                     : IsSlices(item)
                         ? Wrapped(AsSlices(item).WithValues(values[i]))
                               .release()
                               .ptr()
                         : WrapTensor(values[i]);
    if (with == nullptr) return {};
    PyList_SET_ITEM(made.get(), i, with);
  }
  return made;
}

StatusOr<int64_t> AsInt(const CompositeArg& arg, PyObject* value) {
  if (!PyFloat_Check(value) && PyIndex_Check(value)) {
    PyRef index = PyRef::Steal(PyNumber_Index(value));
    if (index) {
      const int64_t v = PyLong_AsLongLong(index.get());
      if (v == -1 && PyErr_Occurred()) return PythonError();
      return v;
    }
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return PythonError();
    PyErr_Clear();
  }
  PyErr_Format(PyExc_TypeError, "Expected int for argument '%s' not %R.",
               arg.name.c_str(), value);
  return PythonError();
}

StatusOr<std::string> AsText(const CompositeArg& arg, PyObject* value) {
  if (PyBytes_Check(value)) {
    return std::string(PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value));
  }
  if (PyUnicode_Check(value)) return std::string(StringView(value));
  PyErr_Format(PyExc_TypeError, "Expected string for argument '%s' not %R.",
               arg.name.c_str(), value);
  return PythonError();
}

StatusOr<double> AsDouble(const CompositeArg& arg, PyObject* value) {
  const double v = PyFloat_AsDouble(value);
  if (v == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "Expected float for argument '%s' not %R.",
                 arg.name.c_str(), value);
    return PythonError();
  }
  return v;
}

// Whatever int() takes, of any size.
StatusOr<int64_t> AsSeed(PyObject* value) {
  PyRef number = PyRef::Steal(PyNumber_Long(value));
  PyRef modulus = PyRef::Steal(PyLong_FromLong(kSeedModulus));
  if (!number || !modulus) return PythonError();
  PyRef folded = PyRef::Steal(PyNumber_Remainder(number.get(), modulus.get()));
  if (!folded) return PythonError();
  return PyLong_AsLongLong(folded.get());
}

bool FitsInt64(PyObject* integer) {
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(integer, &overflow);
  return overflow == 0;
}

bool AllInts(PyObject* sequence) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(sequence, i);
    if (PyBool_Check(item) || PyFloat_Check(item) || !PyIndex_Check(item) ||
        IsTensorLike(item)) {
      return false;
    }
  }
  return true;
}

template <class T>
StatusOr<CompositeValue> Value(StatusOr<T> v) {
  if (!v.ok()) return v.status();
  return CompositeValue(*std::move(v));
}

// The first item of a list or tuple, or what else it is; borrowed.
PyObject* FirstOf(PyObject* value) {
  const bool list = IsListOrTuple(value);
  return list && PySequence_Fast_GET_SIZE(value) > 0
             ? PySequence_Fast_GET_ITEM(value, 0)
             : Py_None;
}

StatusOr<CompositeValue> CompositeInfo::Convert(const CompositeArg& arg,
                                                PyObject* value,
                                                GroupTypes* groups) const {
  if (value == Py_None && (arg.takes_none || arg.kind == ArgKind::kNative)) {
    return CompositeValue();
  }
  switch (arg.kind) {
    case ArgKind::kTensor:
      return Value(ConvertTensor(arg, value, -1, groups));
    case ArgKind::kHandle:
      if (IsVariable(value)) return CompositeValue(VariableOf(value)->handle);
      return Value(ConvertTensor(arg, value, -1, groups));
    case ArgKind::kRows: {
      GK_ASSIGN_OR_RETURN(std::optional<RowsValue> rows, RowsOf(value));
      if (rows) return CompositeValue(*std::move(rows));
      GK_ASSIGN_OR_RETURN(Tensor t, ConvertTensor(arg, value, -1, groups));
      return CompositeValue(RowsValue{RowsValue::Kind::kDense, t});
    }
    case ArgKind::kTensors: {
      if (arg.type_of == "gradients") {
        return Value(ConvertGradients(arg, value, groups));
      }
      if (arg.type_of == "whole" && !IsTensorLike(FirstOf(value))) {
        GK_ASSIGN_OR_RETURN(Tensor t, ConvertTensor(arg, value, -1, groups));
        return CompositeValue(TensorVector{t});
      }
      if (IsTensor(value) && ImplOf(value)->is_symbolic()) {
        // A symbolic tensor is one operand, as in TensorFlow.
        GK_ASSIGN_OR_RETURN(Tensor t, ConvertTensor(arg, value, -1, groups));
        return CompositeValue(TensorVector{t});
      }
      PyRef list = PyRef::Steal(PySequence_Tuple(value));
      if (!list) return PythonError();
      const Py_ssize_t n = PyTuple_GET_SIZE(list.get());
      if (arg.in_group()) {
        DataType& known = (*groups)[arg.type_of];
        for (Py_ssize_t i = 0; i < n && known == DataType::kInvalid; ++i) {
          known = DTypeOf(PyTuple_GET_ITEM(list.get(), i));
        }
      }
      return Value(ConvertTensors(arg, list.get(), groups));
    }
    case ArgKind::kShape: {
      if (IsTensor(value) || IsVariable(value)) {
        return Value(ConvertTensor(arg, value, -1, groups));
      }
      PyRef list;
      if (PyLong_Check(value)) {  // a single number is a vector of one
        list = PyRef::Steal(PyTuple_Pack(1, value));
        if (!list) return PythonError();
        value = list.get();
      }
      const bool empty = IsListOrTuple(value) && PySequence_Size(value) == 0;
      return Value(ToTensor(value,
                            empty ? DataType::kInt32 : DataType::kInvalid,
                            DataType::kInt32, arg.node, Narrowing::kRefuse));
    }
    case ArgKind::kNative: {
      if (IsTensorLike(value)) {
        return Value(ConvertTensor(arg, value, -1, groups));
      }
      if (PyBool_Check(value)) return CompositeValue(value == Py_True);
      if (PyFloat_Check(value)) {
        return CompositeValue(PyFloat_AS_DOUBLE(value));
      }
      if (PyUnicode_Check(value) || PyBytes_Check(value)) {
        return Value(AsText(arg, value));
      }
      if (PyLong_Check(value) && arg.in_group() && !FitsInt64(value)) {
        return Value(ConvertTensor(arg, value, -1, groups));
      }
      if (PyLong_Check(value) ||
          (PyIndex_Check(value) && !PyObject_HasAttrString(value, "shape"))) {
        return Value(AsInt(arg, value));
      }
      if (IsTensorShape(value) && ShapeOf(value).IsFullyDefined()) {
        const auto dims = ShapeOf(value).dims();
        return CompositeValue(std::vector<int64_t>(dims.begin(), dims.end()));
      }
      if (IsListOrTuple(value) && AllInts(value)) {
        return Value(ToIntList(value));
      }
      GK_ASSIGN_OR_RETURN(Tensor t, ConvertTensor(arg, value, -1, groups));
      return CompositeValue(std::move(t));
    }
    case ArgKind::kBool: {
      const int v = PyObject_IsTrue(value);
      if (v < 0) return PythonError();
      return CompositeValue(v == 1);
    }
    case ArgKind::kInt:
      return Value(AsInt(arg, value));
    case ArgKind::kFloat:
      return Value(AsDouble(arg, value));
    case ArgKind::kString:
      return Value(AsText(arg, value));
    case ArgKind::kType: {
      const DataType t = AsDType(value);
      if (t == DataType::kInvalid) return PythonError();
      return CompositeValue(t);
    }
    case ArgKind::kInts: {
      if (IsTensorShape(value)) {
        GK_ASSIGN_OR_RETURN(TensorShape s, ShapeOf(value).AsTensorShape());
        return CompositeValue(
            std::vector<int64_t>(s.dims().begin(), s.dims().end()));
      }
      if (PyIndex_Check(value) && !PySequence_Check(value)) {
        GK_ASSIGN_OR_RETURN(int64_t v, AsInt(arg, value));
        return CompositeValue(std::vector<int64_t>{v});
      }
      return Value(ToIntList(value));
    }
    case ArgKind::kSeed:
      return Value(AsSeed(value));
    case ArgKind::kName:
      return CompositeValue();
  }
  return Internal("argument '{}' has no kind", arg.name);
}

int64_t ElementsIn(const CompositeValue& v) {
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
StatusOr<Tensor> CompositeInfo::ConvertWhole(PyObject* const* arguments,
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
bool LearnType(const CompositeArg& arg, PyObject* value, DataType* known) {
  if (value != nullptr && !(value == Py_None && arg.takes_none)) {
    *known = AsDType(value);
    return *known != DataType::kInvalid;
  }
  const DataType* type = std::get_if<DataType>(&arg.default_value);
  if (value == nullptr && type != nullptr) *known = *type;
  return true;
}

// Makes tensors from outside captures of the graph that are named as their
// arguments; `known`: the values of those.
Status CaptureTensors(std::span<const CompositeArg> args,
                      std::vector<CompositeValue>* values,
                      std::map<int, Tensor>* known) {
  const auto capture = [](Tensor* t, std::string_view name) -> Status {
    GK_ASSIGN_OR_RETURN(*t, FuncGraph::Current()->inputs().Capture(*t, name));
    return OkStatus();
  };
  for (size_t i = 0; i < args.size(); ++i) {
    if (Tensor* t = std::get_if<Tensor>(&(*values)[i])) {
      (*known)[static_cast<int>(i)] = t->KnownValue();
      GK_RETURN_IF_ERROR(capture(t, args[i].node));
    } else if (auto* list = std::get_if<TensorVector>(&(*values)[i])) {
      for (size_t k = 0; k < list->size(); ++k) {
        GK_RETURN_IF_ERROR(capture(&(*list)[k], NameOfInput(args[i].node, k)));
      }
    }
  }
  return OkStatus();
}

PyObject* CompositeInfo::Call(PyObject* const* arguments,
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
    const CompositeArg& arg = composite_.args[arg_of_parameter_[i]];
    if (!arg.in_group()) continue;
    DataType& known = groups[arg.type_of];
    if (arg.kind == ArgKind::kType) {
      if (!LearnType(arg, arguments[i], &known)) return nullptr;
      continue;
    }
    if (arguments[i] == nullptr) continue;
    if (known == DataType::kInvalid) known = DTypeOf(arguments[i]);
  }
  std::vector<CompositeValue> values(composite_.args.size());
  int64_t elements = 0;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const int at = arg_of_parameter_[i];
    const CompositeArg& arg = composite_.args[at];
    if (arguments[i] == nullptr) {
      values[at] = arg.default_value;
      continue;
    }
    if (i == 0 && record().converts_whole) {
      StatusOr<Tensor> whole =
          ConvertWhole(arguments, graph ? scope : record().scope);
      if (!whole.ok()) return Raise(whole.status());
      if (*whole) {
        values[at] = *std::move(whole);
        continue;
      }
    }
    StatusOr<CompositeValue> v = Convert(arg, arguments[i], &groups);
    if (!v.ok()) return Raise(v.status());
    values[at] = *std::move(v);
    elements += ElementsIn(values[at]);
  }
  StatusOr<TensorVector> results = [&]() -> StatusOr<TensorVector> {
    std::optional<LazyGilRelease> release;
    if (!graph) release.emplace(elements >= kLargeElements);
    try {
      std::map<int, Tensor> known;
      if (graph && record().captures) {
        GK_RETURN_IF_ERROR(CaptureTensors(composite_.args, &values, &known));
      }
      CompositeCall call(composite_, std::move(values), scope);
      for (auto& [i, value] : known) call.set_known(i, std::move(value));
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

PyObject* CompositeInfo::Wrap(const TensorVector& results,
                              PyObject* const* arguments) const {
  const std::string_view kind = record().result;
  if (kind == "operation") return MadeOperation();
  if (kind == "none") Py_RETURN_NONE;
  if (kind.empty()) {
    if (results.empty() || !results[0]) Py_RETURN_NONE;
    return WrapTensor(results[0]);
  }
  if (kind == "SparseTensor") {
    return WrapSparse(results[0], results[1], results[2]);
  }
  if (kind == "gradients") {
    PyRef list = GradientsOf(arguments[0], results);
    PyRef last = PyRef::Steal(WrapTensor(results.back()));
    return list && last ? PyTuple_Pack(2, list.get(), last.get()) : nullptr;
  }
  PyRef list = PyRef::Steal(WrapTensors(results));
  if (!list || kind == "list") return list.Release();
  PyRef tuple = PyRef::Steal(PyList_AsTuple(list.get()));
  if (!tuple || kind == "tuple") return tuple.Release();
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

PyObject* MakeComposite(PyObject*, PyObject* public_name) {
  if (!PyUnicode_Check(public_name)) {
    return Raise(TypeError("a function's name must be a string"));
  }
  return CompositeFunction(StringView(public_name));
}

// The public names of all composites.
PyObject* CompositeNames(PyObject*, PyObject*) {
  PyRef names = PyRef::Steal(PyList_New(0));
  for (const auto& [name, composite] : CompositeRegistry::Get().by_name()) {
    if (!IsPublicName(name)) continue;
    PyRef item = PyRef::Steal(ToPyString(name));
    if (!names || !item || PyList_Append(names.get(), item.get()) < 0) {
      return nullptr;
    }
  }
  return names.Release();
}

PyMethodDef kCompositeFunctionFunctions[] = {
    {"composite_function", Guarded<MakeComposite>, METH_O,
     "The function of a composite, by its public name."},
    {"composite_names", Guarded<CompositeNames>, METH_NOARGS,
     "composite_names()\n--\n\n"
     "The public names of all composites."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* CompositeFunction(std::string_view name) {
  const Composite* c = CompositeRegistry::Get().Find(name);
  if (c == nullptr) return Raise(NotFound("no function '{}'", name));
  static auto* infos = new std::map<const Composite*, CompositeInfo*>();
  CompositeInfo*& info = (*infos)[c];
  if (info == nullptr) info = new CompositeInfo(*c);
  const std::string_view first =
      c->record->names.substr(0, c->record->names.find('|'));
  const std::string_view last = name.substr(name.rfind('.') + 1);
  // Aliases are one function.
  static auto* made =
      new std::map<std::pair<const Composite*, std::string_view>, PyObject*>();
  const auto known = made->find({c, last});
  if (known != made->end()) return Py_NewRef(known->second);
  std::string doc(c->record->doc);
  if (!c->record->example.empty()) {
    doc += Format("\n\n{}", c->record->example);
  }
  const OpInfo* op =
      c->record->eager_op.empty() ? nullptr : OpInfo::Find(c->record->eager_op);
  PyObject* function =
      MakeFunction(info, op, last, doc, false, "composite_function", first);
  if (function == nullptr) return nullptr;
  const size_t at = c->record->names.rfind(last);
  made->emplace(std::pair(c, c->record->names.substr(at, last.size())),
                Py_NewRef(function));
  return function;
}

bool AddCompositeFunctions(PyObject* module) {
  return PyModule_AddFunctions(module, kCompositeFunctionFunctions) == 0;
}

}  // namespace gk::py
