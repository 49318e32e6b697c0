#include "python/src/ops/op_function.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <unordered_map>

#include "base/caught.h"
#include "base/event_log.h"
#include "eager/eager_context.h"
#include "framework/check_numerics.h"
#include "framework/large_work.h"
#include "framework/logical_device.h"
#include "framework/op_registry.h"
#include "function/func_graph.h"
#include "ops/composition.h"
#include "python/src/binding/gil.h"
#include "python/src/graph/name_scope.h"
#include "python/src/graph/operation_type.h"
#include "python/src/graph/source_location.h"
#include "python/src/ops/long_way.h"
#include "python/src/ops/plain_values.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

// Above this many elements the general path, with its threads, is faster.
constexpr int64_t kTileElements = 4096;

// "TopKV2" -> "top_kv2", "Conv2D" -> "conv2d": the Python name of an op, as
// TensorFlow makes it.
std::string SnakeCase(std::string_view s) {
  const auto is_lower = [&](size_t i) {
    return i < s.size() && std::islower(static_cast<unsigned char>(s[i]));
  };
  std::string out;
  for (size_t i = 0; i < s.size(); ++i) {
    const auto c = static_cast<unsigned char>(s[i]);
    if (std::isupper(c) && i > 0 && (is_lower(i - 1) || is_lower(i + 1)) &&
        s[i - 1] != '_') {
      out += '_';
    }
    out += static_cast<char>(std::tolower(c));
  }
  return out;
}

std::vector<std::string> SplitNames(std::string_view text) {
  std::vector<std::string> out;
  std::string current;
  for (char c : text) {
    if (c == ',') {
      out.push_back(current);
      current.clear();
    } else if (c != ' ') {
      current += c;
    }
  }
  if (!current.empty()) out.push_back(current);
  return out;
}

bool IsInferred(const OpDef& def, const std::string& attr) {
  for (const ArgDef& a : def.inputs) {
    if (a.type_attr == attr || a.type_list_attr == attr ||
        a.number_attr == attr) {
      return true;
    }
  }
  return false;
}

// Is it the dtype of sizes or indices, not of values?
bool IsIndexType(const OpDef& def, const std::string& attr) {
  const AttrDef* a = def.FindAttr(attr);
  if (a == nullptr || !a->allowed_types.Contains(DataType::kInt64)) {
    return false;
  }
  for (int i = 1; i < kNumDataTypes; ++i) {
    const auto t = static_cast<DataType>(i);
    if (a->allowed_types.Contains(t) && t != DataType::kInt16 &&
        t != DataType::kInt32 && t != DataType::kInt64) {
      return false;
    }
  }
  return true;
}

bool Allows(const OpDef& def, const std::string& attr, DataType t) {
  const AttrDef* a = def.FindAttr(attr);
  return t != DataType::kInvalid && a != nullptr &&
         (a->allowed_types.empty() || a->allowed_types.Contains(t));
}

// Does a NumPy value keep its own dtype where the attribute's default is
// another? In graphs and as a scalar it does, if the op takes it; of an array
// given to an eager op only what the default's kind of number cannot hold.
bool KeepsOwnType(PyObject* value, DataType own, DataType by_default) {
  return InGraph() || IsNumpyScalar(value) ||
         (IsComplex(own) && !IsComplex(by_default)) ||
         (IsFloating(own) && !IsFloating(by_default));
}

// What a type attribute is if nothing says otherwise.
DataType DefaultType(const OpDef& def, const std::string& attr) {
  const AttrDef* a = def.FindAttr(attr);
  if (a == nullptr || !a->default_value) return DataType::kInvalid;
  const DataType* t = std::get_if<DataType>(&*a->default_value);
  return t == nullptr ? DataType::kInvalid : *t;
}

bool HasDType(PyObject* o, DataType* dtype) {
  if (IsTensor(o)) {
    *dtype = ImplOf(o)->dtype();
    return true;
  }
  if (IsVariable(o) && VariableOf(o)->handle) {
    *dtype = VariableOf(o)->dtype;
    return true;
  }
  return false;
}

// What type attrs are known to be while an op's inputs are converted.
class TypeAttrs {
 public:
  DataType Get(const std::string& attr) const {
    for (const auto& [name, type] : known_) {
      if (*name == attr) return type;
    }
    return DataType::kInvalid;
  }
  void Learn(const std::string& attr, DataType type) {
    if (Get(attr) == DataType::kInvalid) known_.push_back({&attr, type});
  }

 private:
  std::vector<std::pair<const std::string*, DataType>> known_;
};

// Adds the graph wording of a failed conversion.
Status InGraphWords(const Status& status, const ArgDef& arg,
                    std::string_view op, DataType dtype, PyObject* value) {
  if (!OpBuilder::Current()->builds_graph() || dtype == DataType::kInvalid ||
      status.code() != Code::kPythonException ||
      !PyErr_ExceptionMatches(PyExc_TypeError)) {
    return status;
  }
  const std::string why = TakePythonErrorText();
  PyErr_Format(PyExc_TypeError,
               "Expected %s passed to parameter '%s' of op '%s', got %R of "
               "type '%s' instead. Error: %s",
               std::string(DataTypeName(dtype)).c_str(), arg.name.c_str(),
               std::string(op).c_str(), value, Py_TYPE(value)->tp_name,
               why.c_str());
  return PythonError();
}

// The same error with the argument's name behind it.
Status NamingArgument(const Status& status, const ArgDef& arg,
                      std::string_view op) {
  if (status.code() != Code::kPythonException ||
      !PyErr_ExceptionMatches(PyExc_ValueError)) {
    return status;
  }
  const std::string why = TakePythonErrorText();
  return ValueError("{} (argument '{}' of {})", why, arg.name, op);
}

// A default in a signature, as Python writes it; what it cannot write there is
// None, which stands for any default.
std::string Shown(int64_t v) { return Format("{}", v); }
std::string Shown(float v) { return Format("{}", v); }
std::string Shown(bool v) { return v ? "True" : "False"; }
std::string Shown(DataType v) { return Format("tf.{}", DataTypeName(v)); }
std::string Shown(const std::string& v) {
  std::string text = "'";
  for (char c : v) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c == '\n' ? "\\n" : std::string(1, c);
  }
  return text + "'";
}
template <class T>
constexpr bool kShown =
    std::is_same_v<T, int64_t> || std::is_same_v<T, float> ||
    std::is_same_v<T, bool> || std::is_same_v<T, DataType> ||
    std::is_same_v<T, std::string>;
template <class T>
std::string ShownAny(const T& v) {
  if constexpr (kShown<T>) {
    return Shown(v);
  } else if constexpr (requires {
                         typename T::value_type;
                         v.empty();
                       }) {
    if constexpr (kShown<typename T::value_type>) {
      std::string text;
      for (const typename T::value_type& e : v) {
        if (!text.empty()) text += ", ";
        text += Shown(e);
      }
      return "[" + text + "]";
    }
  }
  return "None";
}
std::string ShownDefault(const AttrValue& value) {
  return std::visit([](const auto& v) { return ShownAny(v); }, value);
}

}  // namespace

PyObject* MadeOperation() {
  FuncGraph* f = FuncGraph::Current();
  if (f == nullptr || f->graph()->nodes().empty()) Py_RETURN_NONE;
  try {
    return WrapNode(f->graph().get(), f->graph()->nodes().back().get())
        .release()
        .ptr();
  } catch (nanobind::python_error& e) {
    e.restore();
    return nullptr;
  }
}

std::string NameOfInput(std::string_view argument, int element) {
  if (element < 0) return std::string(argument);
  return Format("{}_{}", argument, element);
}

OpInfo::OpInfo(const OpRecord& record, std::string_view argument_names)
    : record_(&record), snake_name_(SnakeCase(record.name)) {
  const OpDef& d = def();
  const std::vector<std::string> names = SplitNames(argument_names);
  const auto add = [&](const std::string& own, bool is_input, int index,
                       bool required, std::string shown = "None") {
    const size_t at = parameters_.size();
    std::string name = at < names.size() ? names[at] : own;
    // Keywords of Python get an underscore, as in TensorFlow.
    if (name == "lambda" || name == "in" || name == "is") name += "_";
    parameters_.push_back({PyUnicode_InternFromString(name.c_str()), is_input,
                           index, required, std::move(shown)});
    name_position_ = parameters_.size();
  };
  for (size_t i = 0; i < d.inputs.size(); ++i) {
    add(d.inputs[i].name, true, i, true);
  }
  for (bool with_default : {false, true}) {
    for (size_t i = 0; i < d.attrs.size(); ++i) {
      const AttrDef& a = d.attrs[i];
      if (a.default_value.has_value() != with_default ||
          IsInferred(d, a.name)) {
        continue;
      }
      add(a.name, false, i, !with_default,
          with_default ? ShownDefault(*a.default_value) : "None");
    }
  }
  if (!IsComposition(record)) own_scope_ = record.python.scope;
  plain_elementwise_ = record.kernel.tile != nullptr &&
                       record.Has(kElementwise) && d.outputs.size() == 1 &&
                       !d.inputs.empty() && d.inputs.size() <= 2;
  remembers_calls_ = !record.Has(kCallsFunction);
  // An attribute may change what is computed; this one only what fails.
  for (size_t i = d.inputs.size(); i < parameters_.size(); ++i) {
    if (d.attrs[parameters_[i].index].name != "incompatible_shape_error") {
      plain_elementwise_ = false;
    }
  }
}

const OpInfo* OpInfo::Of(const OpRecord& record) {
  static auto* infos = new std::unordered_map<const OpRecord*, OpInfo*>();
  OpInfo*& info = (*infos)[&record];
  if (info == nullptr) {
    info = new OpInfo(record, IsComposition(record) ? "" : record.python.args);
  }
  return info;
}

const OpInfo* OpInfo::OfRaw(const OpRecord& record) {
  if (record.python.args == record.python.raw_args) return Of(record);
  static auto* infos = new std::unordered_map<const OpRecord*, OpInfo*>();
  OpInfo*& info = (*infos)[&record];
  if (info == nullptr) info = new OpInfo(record, record.python.raw_args);
  return info;
}

const OpInfo* OpInfo::Find(std::string_view op) {
  const OpRecord* record = OpRegistry::Get().Find(op);
  return record == nullptr ? nullptr : Of(*record);
}

Tensor OpInfo::TryTile(const TensorImpl* a, const TensorImpl* b) const {
  if (ChecksNumerics() || LogsPlacement() || EventLog::On()) return Tensor();
  const DataType t = a->dtype();
  const int i = static_cast<int>(t);
  if (!tiles_known_[i]) {
    tiles_known_[i] = true;
    if (plain_elementwise_) tiles_[i] = record_->kernel.tile(t, AttrMap());
  }
  const TileKernel* tile = tiles_[i];
  if (tile == nullptr || tile->num_inputs != (b ? 2 : 1) ||
      OpBuilder::Current() != OpBuilder::Eager()) {
    return Tensor();
  }
  if (b != nullptr && (b->dtype() != t || !(a->shape() == b->shape()))) {
    return Tensor();
  }
  const int64_t n = a->shape().num_elements();
  if (n > kTileElements || n == 0 || CurrentObservers().active()) {
    return Tensor();
  }
  StatusOr<Tensor> out = Tensor::Allocate(tile->out, a->shape());
  if (!out.ok()) return Tensor();
  const void* in[2] = {a->data(), b ? b->data() : nullptr};
  if (tile->fn(out->raw_data(), in, n, nullptr) != 0) return Tensor();
  return *std::move(out);
}

Status OpInfo::ConvertInputs(PyObject* const* arguments, TensorVector* inputs,
                             AttrMap* attrs) const {
  const OpDef& d = def();
  TypeAttrs types;
  for (size_t i = 0; i < d.inputs.size(); ++i) {
    const std::string& attr = d.inputs[i].type_attr;
    if (attr.empty()) continue;
    DataType t;
    if (HasDType(arguments[i], &t)) {
      types.Learn(attr, t);
    } else if (IsIndexType(d, attr) && IsListOrTuple(arguments[i]) &&
               FirstTensorDType(arguments[i]) == DataType::kInt64) {
      types.Learn(attr, DataType::kInt64);  // sizes that 32 bits may not hold
    }
  }
  const bool long_way =
      !OpBuilder::Current()->builds_graph() && GoesTheLongWay(*this, arguments);
  const auto convert = [&](const ArgDef& arg, PyObject* value,
                           int element) -> Status {
    DataType want = arg.type, hint = DataType::kInvalid, own;
    if (!arg.type_attr.empty()) {
      want = types.Get(arg.type_attr);
      hint = DefaultType(d, arg.type_attr);
    }
    // A dtype that the op asks for, or a size, is no wish to lose digits.
    const Narrowing narrowing = arg.type_attr.empty() ||
                                        hint != DataType::kInvalid ||
                                        IsIndexType(d, arg.type_attr)
                                    ? Narrowing::kRefuse
                                    : Narrowing::kCut;
    // A tensor of another dtype is left for the op's own check to report.
    const bool left = !long_way || !arg.type_attr.empty();
    if (left && (HasDType(value, &own) || IsTensorLike(value))) {
      want = hint = DataType::kInvalid;
    } else if (want == DataType::kInvalid && hint != DataType::kInvalid) {
      own = NumpyDType(value);
      // A list of complex numbers is one of complex128 everywhere.
      if (own == DataType::kInvalid && IsComplex(hint) && HoldsComplex(value)) {
        hint = DataType::kInvalid;
      }
      if (Allows(d, arg.type_attr, own) && KeepsOwnType(value, own, hint)) {
        hint = DataType::kInvalid;
      }
    }
    StatusOr<Tensor> t =
        OpBuilder::Current()->builds_graph()
            ? ToTensor(value, want, hint, NameOfInput(arg.name, element),
                       narrowing)
            : ToTensor(value, want, hint, kConst, narrowing);
    if (!t.ok() && long_way) {
      return NamingArgument(t.status(), arg, record_->name);
    }
    if (!t.ok()) {
      return InGraphWords(t.status(), arg, record_->name, want, value);
    }
    if (!arg.type_attr.empty()) types.Learn(arg.type_attr, t->dtype());
    inputs->push_back(*std::move(t));
    return OkStatus();
  };
  for (size_t i = 0; i < d.inputs.size(); ++i) {
    const ArgDef& arg = d.inputs[i];
    PyObject* value = arguments[i];
    if (!arg.is_list()) {
      GK_RETURN_IF_ERROR(convert(arg, value, -1));
      continue;
    }
    if (!PyList_Check(value) && !PyTuple_Check(value) && !IsTensor(value)) {
      PyErr_Format(PyExc_TypeError,
                   "Expected list for '%s' argument to '%s' Op, not %R.",
                   arg.name.c_str(), snake_name_.c_str(), value);
      return PythonError();
    }
    PyRef list = PyRef::Steal(PySequence_Tuple(value));
    if (!list) return PythonError();
    const Py_ssize_t n = PyTuple_GET_SIZE(list.get());
    if (!arg.type_attr.empty()) {
      DataType t;
      for (Py_ssize_t k = 0; k < n; ++k) {
        if (HasDType(PyTuple_GET_ITEM(list.get(), k), &t)) {
          types.Learn(arg.type_attr, t);
        }
      }
    }
    const size_t before = inputs->size();
    for (Py_ssize_t k = 0; k < n; ++k) {
      GK_RETURN_IF_ERROR(convert(arg, PyTuple_GET_ITEM(list.get(), k), k));
    }
    if (!arg.number_attr.empty()) {
      const int64_t* known = attrs->Get<int64_t>(arg.number_attr);
      if (known != nullptr && *known != n &&
          OpBuilder::Current()->builds_graph()) {
        const auto first = std::find_if(
            d.inputs.begin(), d.inputs.end(),
            [&](const ArgDef& a) { return a.number_attr == arg.number_attr; });
        return ValueError(
            "List argument '{}' to '{}' Op with length {} must match length {} "
            "of argument '{}'.",
            arg.name, snake_name_, n, *known, first->name);
      }
      const AttrDef* number = d.FindAttr(arg.number_attr);
      if (number != nullptr && number->has_minimum && n < number->minimum &&
          OpBuilder::Current()->builds_graph()) {
        return ValueError(
            "List argument '{}' to '{}' Op with length {} shorter than minimum "
            "length {}.",
            arg.name, record_->name, n, number->minimum);
      }
      attrs->Set(arg.number_attr, static_cast<int64_t>(n));
      if (n == 0 && types.Get(arg.type_attr) != DataType::kInvalid) {
        attrs->Set(arg.type_attr, types.Get(arg.type_attr));
      }
    } else {
      std::vector<DataType> list_types;
      for (size_t k = before; k < inputs->size(); ++k) {
        list_types.push_back((*inputs)[k].dtype());
      }
      attrs->Set(arg.type_list_attr, std::move(list_types));
    }
  }
  return OkStatus();
}

Status OpInfo::ConvertAttrs(PyObject* const* arguments, AttrMap* attrs) const {
  for (size_t i = def().inputs.size(); i < parameters_.size(); ++i) {
    if (arguments[i] == nullptr) continue;
    const AttrDef& a = def().attrs[parameters_[i].index];
    // None stands for the default.
    if (arguments[i] == Py_None && !parameters_[i].required &&
        a.type != AttrType::kShape) {
      continue;
    }
    GK_ASSIGN_OR_RETURN(AttrValue v, ToAttrValue(a, snake_name_, arguments[i]));
    attrs->Set(a.name, std::move(v));
  }
  return OkStatus();
}

PyObject* OpInfo::Call(PyObject* const* arguments,
                       std::string_view name) const {
  const OpBuilder* builder = OpBuilder::Current();
  const bool graph = builder->builds_graph();
  const bool remembers = remembers_calls_ && builder == OpBuilder::Eager();
  if (PyObject * result; remembers && CallKnown(arguments, name, &result)) {
    return result;
  }
  std::string_view node_name = name;
  if (graph && name.empty()) {
    node_name = own_scope_.empty() ? record_->name : own_scope_;
  }
  std::optional<OpScope> scope;
  if (graph) {
    scope.emplace(node_name, own_scope_.empty());
    if (!scope->status().ok()) return Raise(scope->status());
    node_name = scope->node_name();
  }
  TensorVector inputs;
  AttrMap attrs;
  Status status = ConvertInputs(arguments, &inputs, &attrs);
  if (!status.ok()) return Raise(status, graph ? "" : record_->name, name);
  status = ConvertAttrs(arguments, &attrs);
  if (!status.ok()) return Raise(status);
  if (remembers) {
    known_calls_.Remember(*record_, def(),
                          std::span(arguments, parameters_.size()), inputs,
                          attrs);
  }
  return Run(inputs, std::move(attrs), node_name,
             std::span(arguments, def().inputs.size()));
}

PyObject* OpInfo::Run(std::span<const Tensor> inputs, AttrMap attrs,
                      std::string_view name,
                      std::span<PyObject* const> arguments) const {
  const OpBuilder* builder = OpBuilder::Current();
  const bool graph = builder->builds_graph();
  bool large = false;
  if (!graph) {
    int64_t elements = 0;
    for (const Tensor& t : inputs) {
      if (!t.is_symbolic()) elements += t.num_elements();
    }
    large = elements >= kLargeElements ||
            (record_->traits & (kStateful | kCallsFunction)) ==
                (kStateful | kCallsFunction);
  }
  if (plain_elementwise_ && parameters_.size() == def().inputs.size() &&
      builder == OpBuilder::Eager() && !large && attrs.empty() &&
      !CurrentObservers().active()) {
    const Tensor* in[2] = {};
    bool same = true;
    for (size_t i = 0; i < inputs.size(); ++i) {
      in[i] = &inputs[i];
      same = same && !inputs[i].is_symbolic() &&
             inputs[i].dtype() == inputs[0].dtype();
    }
    Tensor out;
    Status status;
    if (same && !ChecksNumerics() && !LogsPlacement() &&
        EagerContext::RunElementwise(*record_, std::span(in, inputs.size()),
                                     name, &out, &status)) {
      return status.ok() ? WrapNewTensor(std::move(out))
                         : Raise(AsCalled(status, arguments, name));
    }
  }
  const bool lists = def().outputs.size() > 1 &&
                     std::any_of(def().outputs.begin(), def().outputs.end(),
                                 [](const ArgDef& a) { return a.is_list(); });
  AttrMap given;
  if (lists) given = attrs;
  StatusOr<TensorVector> out = [&]() -> StatusOr<TensorVector> {
    std::optional<LazyGilRelease> release;
    if (!graph) release.emplace(large);
    try {
      return Dispatch(*record_, inputs, std::move(attrs), name);
    } catch (...) {
      return CaughtStatus();
    }
  }();
  if (!out.ok()) {
    return graph ? Raise(out.status())
                 : RaiseOpError(AsCalled(out.status(), arguments, name));
  }
  return WrapOutputs(*out, given);
}

PyObject* OpInfo::WrapOutputs(std::span<const Tensor> outputs,
                              const AttrMap& attrs) const {
  const std::vector<ArgDef>& defs = def().outputs;
  if (defs.empty()) return MadeOperation();
  if (defs.size() == 1) {
    if (defs[0].is_list()) return WrapTensors(outputs);
    if (outputs.empty()) return Raise(Internal("no output"));
    return WrapTensor(outputs[0]);
  }
  if (result_type_ == nullptr) {
    PyRef fields = PyRef::Steal(PyList_New(0));
    for (const ArgDef& d : defs) {
      PyRef f = PyRef::Steal(ToPyString(d.name));
      if (!f || PyList_Append(fields.get(), f.get()) < 0) return nullptr;
    }
    PyRef name = PyRef::Steal(ToPyString(record_->name));
    if (!name) return nullptr;
    result_type_ =
        CallPython("collections", "namedtuple", {name.get(), fields.get()});
    if (result_type_ == nullptr) return nullptr;
  }
  // A named tuple is made of its items, without its Python constructor.
  auto* type = reinterpret_cast<PyTypeObject*>(result_type_);
  PyRef args =
      PyRef::Steal(type->tp_alloc(type, static_cast<Py_ssize_t>(defs.size())));
  if (!args) return nullptr;
  size_t next = 0;
  for (size_t i = 0; i < defs.size(); ++i) {
    PyObject* item;
    if (!defs[i].is_list()) {
      if (next >= outputs.size()) return Raise(Internal("missing output"));
      item = WrapTensor(outputs[next++]);
    } else {
      size_t n = outputs.size() - next;  // the last list takes the rest
      if (const auto* number = attrs.Get<int64_t>(defs[i].number_attr)) {
        n = std::min<size_t>(n, *number);
      } else if (const auto* types =
                     attrs.Get<std::vector<DataType>>(defs[i].type_list_attr)) {
        n = std::min(n, types->size());
      }
      item = WrapTensors(outputs.subspan(next, n));
      next += n;
    }
    if (item == nullptr) return nullptr;
    PyTuple_SET_ITEM(args.get(), i, item);
  }
  return args.Release();
}

}  // namespace gk::py
