#include "python/src/control_flow/staged_values.h"

#include <algorithm>

#include "function/list_value.h"
#include "function/loop_builder.h"
#include "python/src/binding/class_attribute.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/control_flow/tensor_array.h"
#include "python/src/function/literal_key.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/graph_parts.h"
#include "python/src/graph/operation_type.h"
#include "python/src/nest/nest_node.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;
using Kind = StagedValue::Kind;

std::shared_ptr<const void> Held(nb::handle value) {
  return {value.inc_ref().ptr(), [](PyObject* o) { nb::handle(o).dec_ref(); }};
}

nb::handle HostOf(const StagedValue& value) {
  return static_cast<PyObject*>(const_cast<void*>(value.host.get()));
}

StagedValue Plain(Tensor t) {
  StagedValue value;
  value.kind = Kind::kTensors;
  value.leaves = {std::move(t)};
  value.structure = Structure::Leaf();
  return value;
}

StagedValue Other(Kind kind, nb::handle host) {
  StagedValue value;
  value.kind = kind;
  value.host = Held(host);
  return value;
}

// `leaf` makes tensors of the leaves, or leaves them what they are.
StagedValue Nested(nb::handle value, FunctionRef<nb::object(nb::handle)> leaf) {
  std::vector<DataType> arrays;
  const nb::object structure = MappedNest(value, [&](nb::handle part) {
    const DataType dtype = ElementTypeOf(part);
    if (dtype != DataType::kInvalid) arrays.push_back(dtype);
    return leaf(part);
  });
  StagedValue made = Other(Kind::kTensors, structure);
  std::vector<PyRef> leaves;
  made.structure = StructureOf(structure.ptr(), NestRules::kExpanded, &leaves);
  if (!made.structure) throw nb::python_error();
  for (const PyRef& part : leaves) {
    made.leaves.push_back(part.get() == Py_None ? Tensor()
                                                : AsTensor(part.get()));
  }
  made.arrays = std::move(arrays);
  return made;
}

bool IsNumber(PyObject* o) {
  return PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o);
}

bool IsLostName(nb::handle value) {
  return value.type().is(package::Undefined.Held());
}
bool IsLostResult(nb::handle value) {
  return value.type().is(package::UndefinedReturnValue.Held());
}

// What a symbol's value holds as a tensor; TypeError if no tensor can hold it.
nb::object SymbolLeaf(nb::handle part) {
  PyObject* const o = part.ptr();
  if (IsLostName(part) || IsLostResult(part)) Throw(TypeError("undefined"));
  if (!IsTensor(o) && !IsVariable(o) && PyCallable_Check(o)) {
    Throw(TypeError("a function is not a tensor"));
  }
  if (IsDType(o)) Throw(TypeError("a type is not a tensor"));
  return AsLeaf(part);
}

// Is it a tuple or a list of tensors alone?
bool IsFlat(PyObject* o) {
  if (!PyTuple_CheckExact(o) && !PyList_CheckExact(o)) return false;
  PyObject** const items = PySequence_Fast_ITEMS(o);
  return std::all_of(items, items + PySequence_Fast_GET_SIZE(o), IsTensor);
}
bool IsFlat(const StagedValue& value) {
  return value.host && IsFlat(HostOf(value).ptr());
}

// Did a conversion fail for what the value is?
bool IsOfValue(const Status& status) {
  if (status.code() == Code::kPythonException) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError) &&
        !PyErr_ExceptionMatches(PyExc_ValueError)) {
      return false;
    }
    PyErr_Clear();
    return true;
  }
  return status.code() == Code::kTypeError ||
         status.code() == Code::kValueError;
}

}  // namespace

std::unique_ptr<StructureWords> WordsOf(const StagedValue& first,
                                        const StagedValue& second) {
  ForgetComparisonError();  // one of a comparison that nobody asked about
  return WordsOfValues(PyRef::Steal(PythonValue(first).release().ptr()),
                       PyRef::Steal(PythonValue(second).release().ptr()),
                       NestRules::kExpanded, *first.structure,
                       *second.structure);
}
Status ErrorOfComparison() {
  return RaiseComparisonError() ? PythonError() : OkStatus();
}
std::string TextOfArray(const StagedValue& value, size_t k) {
  for (const nb::object& leaf : Leaves(PythonValue(value), false)) {
    if (ElementTypeOf(leaf) == DataType::kInvalid) continue;
    if (k-- == 0) return TextOf(leaf.attr("_type_spec"));
  }
  return "";
}

int64_t ParallelIterations(nb::handle number) {
  if (number.is_none()) return 10;
  const auto n = nb::cast<int64_t>(nb::int_(number));
  const Status status = CheckParallelIterations(n);
  if (!status.ok()) Throw(status);
  return n;
}

StagedValue ValueOfSymbol(nb::handle value) {
  PyObject* const o = value.ptr();
  if (IsTensor(o)) return Plain(TensorOf(o));
  if (value.is_none()) return Other(Kind::kNone, value);
  if (IsNumber(o) || IsVariable(o)) {
    StatusOr<Tensor> t = ToTensor(o);
    if (t.ok()) return Plain(*std::move(t));
    if (!IsOfValue(t.status())) Throw(t.status());
    return Other(Kind::kObject, value);
  }
  if (const bool is_result = IsLostResult(value);
      is_result || IsLostName(value)) {
    StagedValue undefined = Other(Kind::kUndefined, value);
    undefined.is_result = is_result;
    undefined.pending = nb::cast<bool>(value.attr("pending"));
    return undefined;
  }
  if (IsFlat(o)) return ValueOfStructure(value);
  if (const ListValue * list; nb::try_cast(value, list) && list->is_open()) {
    return Other(Kind::kOpenList, value);
  }
  try {
    return Nested(value, [](nb::handle part) { return SymbolLeaf(part); });
  } catch (const nb::python_error& e) {
    if (!e.matches(PyExc_TypeError) && !e.matches(PyExc_ValueError)) throw;
    return Other(Kind::kObject, value);
  }
}

StagedValue ValueOfStructure(nb::handle value) {
  if (IsTensor(value.ptr())) return Plain(TensorOf(value.ptr()));
  if (IsFlat(value.ptr())) {
    // A copy: who gave a list may change it.
    const bool is_list = PyList_CheckExact(value.ptr());
    StagedValue flat =
        Other(Kind::kTensors,
              is_list ? nb::object(nb::list(value)) : nb::borrow(value));
    for (nb::handle t : value) flat.leaves.push_back(TensorOf(t.ptr()));
    std::vector<StructureRef> parts(flat.leaves.size(), Structure::Leaf());
    flat.structure = is_list ? Structure::List(std::move(parts))
                             : Structure::Tuple(std::move(parts));
    return flat;
  }
  return Nested(value, [](nb::handle part) { return AsLeaf(part); });
}

nb::object AsLeaf(nb::handle value) {
  PyObject* const o = value.ptr();
  if (IsTensor(o)) return nb::borrow(value);
  if (nb::isinstance<Operation>(value)) return nb::none();
  if (value.is_none() || Attribute<"__tf_flatten__">(Py_TYPE(o)) != nullptr ||
      Attribute<"_type_spec">(Py_TYPE(o)) != nullptr) {
    return nb::borrow(value);
  }
  return Wrapped(Converted(value));
}

nb::object MappedNest(nb::handle structure,
                      FunctionRef<nb::object(nb::handle)> f) {
  const nb::object leaves =
      Owned(FlatList(structure.ptr(), NestRules::kNest).Release());
  nb::list made;
  for (nb::handle leaf : leaves) made.append(f(leaf));
  return Owned(Packed(structure.ptr(), NestRules::kNest, made.ptr()));
}
nb::object WithTensorLeaves(nb::handle structure) {
  return MappedNest(structure, [](nb::handle leaf) { return AsLeaf(leaf); });
}
void CheckNests(nb::handle first, nb::handle second, bool check_types,
                NestRules rules) {
  if (!AssertSame(first.ptr(), second.ptr(), check_types, rules)) {
    throw nb::python_error();
  }
}

std::vector<nb::object> Leaves(nb::handle value, bool expand) {
  std::vector<PyRef> leaves;
  if (!StructureOf(value.ptr(),
                   expand ? NestRules::kExpanded : NestRules::kNest, &leaves)) {
    throw nb::python_error();
  }
  std::vector<nb::object> all;
  for (PyRef& leaf : leaves) all.push_back(nb::steal(leaf.Release()));
  return all;
}

StagedValue WithHost(StagedValue value, nb::handle structure) {
  value.structure = StructureOf(structure.ptr(), NestRules::kExpanded, nullptr);
  if (!value.structure) throw nb::python_error();
  value.host = Held(structure);
  return value;
}

nb::object PythonValue(const StagedValue& value) {
  if (!value.has_tensors()) return nb::borrow(HostOf(value));
  if (!value.host) return Wrapped(value.leaves[0]);
  nb::list flat;
  for (const Tensor& t : value.leaves) {
    flat.append(t ? Wrapped(t) : nb::none());
  }
  if (IsFlat(value)) {
    if (PyList_CheckExact(HostOf(value).ptr())) return flat;
    return nb::tuple(flat);
  }
  return Owned(
      PackedSequence(HostOf(value).ptr(), NestRules::kExpanded, flat.ptr()));
}

void BeginPart(FuncGraph* part) {
  if (part->outer() != nullptr) {
    part->scopes().InheritDevices(part->outer()->scopes());
  }
  BeginBody(part);
}
void BeginBody(FuncGraph* body) {
  KeepBody(Owned(WrapGraph(body->graph().get())));
}
void EndPart(FuncGraph* part) {
  KeepParts(Owned(WrapGraph(part->graph().get())));
}

std::string TypeNameOf(const StagedValue& value) {
  return TextOf(PythonValue(value).type().attr("__name__"));
}

std::string Symbols::Places(size_t i) const {
  std::string text;
  for (nb::handle line : lines(names[i].c_str())) text += "\n" + TextOf(line);
  return text;
}

nb::object Symbols::Lost(size_t i, bool pending,
                         const std::string& text) const {
  return package::Undefined(nb::str(names[i].c_str()), nb::bool_(pending),
                            nb::str(text.c_str()));
}

std::vector<std::string> Names(nb::handle names) {
  std::vector<std::string> all;
  for (nb::handle name : names) all.push_back(TextOf(name));
  return all;
}

std::string NameOfVariable(const Tensor& before) {
  if (!before.is_symbolic()) return "of the loop";
  return TextOf(Wrapped(before).attr("name"));
}

StagedValue ClosedList(const StagedValue& open, const StagedValue& like) {
  const nb::object closed = PythonValue(open).attr("copy")();
  const nb::object told = PythonValue(like);
  nb::cast<ListValue&>(closed).Close(
      *nb::cast<const ListValue&>(told).elements());
  return ValueOfSymbol(closed);
}

void RaiseToldError() {
  try {
    throw;
  } catch (const UndefinedSymbol& e) {
    Raise(e.status());
    nb::python_error error;
    error.value().attr("undefined_symbol") = e.symbol().c_str();
    throw error;
  } catch (const Error& e) {
    if (e.status().code() != Code::kUnimplemented) Throw(e.status());
    PyErr_SetString(PyExc_NotImplementedError, e.what());
    throw nb::python_error();
  } catch (...) {
    RaiseCaught();
    throw nb::python_error();
  }
}

}  // namespace gk::py
