// The callable around an OpInfo: tf.raw_ops.X (keywords only) and the public
// functions that are nothing but an op.

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "framework/op_registry.h"
#include "function/ragged/composite_calls.h"
#include "ops/composition.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/late_attributes.h"
#include "python/src/binding/package_parts.h"
#include "python/src/ops/composite_arguments.h"
#include "python/src/ops/dispatch.h"
#include "python/src/ops/fallback_dispatch.h"
#include "python/src/ops/op_function.h"
#include "python/src/tensors/numpy_behavior.h"
#include "python/src/tensors/tensor_type.h"

// clang-format off: it needs Python.h before it.
#include <structmember.h>
// clang-format on

namespace nb = nanobind;

namespace gk::py {
namespace {

struct PyOpFunction {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  const FunctionInfo* info;
  const OpInfo* op;  // what it is for eager tensors without more; may be null
  PyObject* name;
  PyObject* doc;
  PyObject* dict;
  bool keyword_only;
  bool keeps_slices;  // gives slices for slices
  bool is_plain;      // neither
  // It takes ragged and sparse values in a way of its own, never as tensors.
  bool has_form;
  // How the module finds it, for pickling.
  const char* finder;
  std::string_view identity;
};

PyTypeObject* OpFunctionType = nullptr;
PyObject* name_keyword = nullptr;
constexpr int kMaxParameters = 32;

PyOpFunction* Self(PyObject* o) { return reinterpret_cast<PyOpFunction*>(o); }

PyObject* Fail(PyOpFunction* self, const char* format, PyObject* a = nullptr) {
  PyRef tail = PyRef::Steal(PyUnicode_FromFormat(format, a));
  if (!tail) return nullptr;
  PyErr_Format(PyExc_TypeError, "%U() %U", self->name, tail.get());
  return nullptr;
}

// Keywords that are made at run time are no interned strings.
bool SameName(PyObject* a, PyObject* b) {
  if (PyUnicode_GET_LENGTH(a) != PyUnicode_GET_LENGTH(b)) return false;
  if (PyUnicode_IS_COMPACT_ASCII(a) && PyUnicode_IS_COMPACT_ASCII(b)) {
    return std::memcmp(PyUnicode_1BYTE_DATA(a), PyUnicode_1BYTE_DATA(b),
                       PyUnicode_GET_LENGTH(a)) == 0;
  }
  return PyUnicode_Compare(a, b) == 0;
}

int FindParameter(const FunctionInfo& info, PyObject* keyword) {
  const auto& parameters = info.parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name == keyword) return i;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (SameName(parameters[i].name, keyword)) return i;
  }
  return -1;
}

PyObject* KeywordsOnly(PyOpFunction* self) {
  PyRef keys = PyRef::Steal(PyList_New(0));
  for (const auto& p : self->info->parameters()) {
    PyList_Append(keys.get(), p.name);
  }
  PyList_Append(keys.get(), name_keyword);
  PyErr_Format(PyExc_TypeError,
               "%U only takes keyword args (possible keys: %R). Please pass "
               "these args as kwargs instead.",
               self->name, keys.get());
  return nullptr;
}

bool IsPlain(PyObject* o) {
  return IsTensor(o) || o == Py_None || PyLong_Check(o) || PyFloat_Check(o) ||
         PyUnicode_Check(o) || PyBytes_Check(o);
}

// What is done where the dtypes of Python's numbers yield to others.
nb::object AskWeakTypes(const DispatchedCall& call) {
  return package::weak_call(call.api(), call.args(), call.kwargs());
}

// What `ask` answers for a call with something else than tensors and plain
// values, or where `of_plain` is set for any; null: nothing. Errors are thrown.
PyObject* Dispatch(PyObject* o, PyObject* const* args, size_t nargs,
                   PyObject* keywords, nb::object (*ask)(const DispatchedCall&),
                   bool of_plain = false) {
  const size_t n = nargs + (keywords ? PyTuple_GET_SIZE(keywords) : 0);
  if (Self(o)->keyword_only ||
      (!of_plain && std::all_of(args, args + n, IsPlain))) {
    return nullptr;
  }
  nb::list positional;
  nb::dict named;
  for (size_t i = 0; i < nargs; ++i) positional.append(nb::handle(args[i]));
  for (size_t i = nargs; i < n; ++i) {
    named[nb::handle(PyTuple_GET_ITEM(keywords, i - nargs))] =
        nb::handle(args[i]);
  }
  nb::object answer = ask(DispatchedCall(o, nb::tuple(positional), named));
  return answer.ptr() == Py_NotImplemented ? nullptr : answer.release().ptr();
}

// The answer of what the program registered.
[[gnu::always_inline]] inline PyObject* AnswerOfTargets(PyObject* o,
                                                        PyObject* const* args,
                                                        size_t nargs,
                                                        PyObject* keywords) {
  if (!has_dispatch_targets) [[likely]]
    return nullptr;
  if (numpy_behavior.weak) {
    PyObject* answer = Dispatch(o, args, nargs, keywords, AskWeakTypes, true);
    if (answer != nullptr) return answer;
  }
  return Dispatch(o, args, nargs, keywords, AskTargets);
}

// A call has failed with the error that is set. If it was because of values
// that are no tensors, the result that ragged and sparse tensors have.
PyObject* Redispatch(PyObject* o, PyObject* const* args, size_t nargs,
                     PyObject* keywords) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError) &&
      !PyErr_ExceptionMatches(PyExc_ValueError)) {
    return nullptr;
  }
  nb::python_error error;  // and nothing is set while others run
  PyObject* result = Dispatch(o, args, nargs, keywords, CallOfComposites);
  if (result == nullptr && has_fallbacks) {
    result = Dispatch(o, args, nargs, keywords, AskFallbacks);
  }
  if (result == nullptr) error.restore();
  return result;
}

// The call of arguments that no other function takes in its place: what
// `instead` gives for those that fit the parameters, unless that is null;
// `otherwise`, if values do not convert.
template <class G, class F>
[[gnu::always_inline]] inline PyObject* CallWith(PyOpFunction* self,
                                                 PyObject* const* args,
                                                 size_t nargs,
                                                 PyObject* keywords,
                                                 G&& instead, F&& otherwise) {
  const FunctionInfo& info = *self->info;
  const size_t n = info.parameters().size();
  const size_t at = info.name_position();
  const size_t most = at == FunctionInfo::kNoName ? n : n + 1;
  if (nargs > most) {
    PyErr_Format(PyExc_TypeError,
                 "Too many arguments were given. Expected %zu but got %zu.",
                 most, nargs);
    return nullptr;
  }
  PyObject* slots[kMaxParameters] = {};
  PyObject* name = nullptr;
  for (size_t i = 0; i < nargs; ++i) {
    (i == at ? name : slots[i < at ? i : i - 1]) = args[i];
  }
  if (keywords != nullptr) {
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(keywords); ++k) {
      PyObject* keyword = PyTuple_GET_ITEM(keywords, k);
      PyObject* value = args[nargs + k];
      PyObject** slot;
      const int i = FindParameter(info, keyword);
      if (i >= 0) {
        slot = &slots[i];
      } else if (at != FunctionInfo::kNoName &&
                 PyUnicode_Compare(keyword, name_keyword) == 0) {
        slot = &name;
      } else {
        return Fail(self, "got an unexpected keyword argument '%U'", keyword);
      }
      if (*slot != nullptr) {
        return Fail(self, "got multiple values for argument '%U'", keyword);
      }
      *slot = value;
    }
  }
  for (size_t i = 0; i < n; ++i) {
    if (slots[i] == nullptr && info.parameters()[i].required) {
      return Fail(self, "missing 1 required positional argument: '%U'",
                  info.parameters()[i].name);
    }
  }
  std::string_view node_name;
  if (name != nullptr && name != Py_None) {
    // Eager calls have no use for a name and, as TensorFlow's, take anything.
    if (PyUnicode_Check(name)) {
      node_name = StringView(name);
    } else if (OpBuilder::Current()->builds_graph()) {
      PyErr_Format(PyExc_TypeError, "Expected a string for `name`, got %R",
                   name);
      return nullptr;
    }
  } else if (self->keyword_only && OpBuilder::Current()->builds_graph()) {
    node_name = self->op->record().name;  // not the public function's
  }
  if (PyObject* answer = instead()) return answer;
  PyObject* result = info.Call(slots, node_name);
  if (result == nullptr) [[unlikely]]
    return otherwise();
  return result;
}

PyObject* CallOpFunction(PyObject* o, PyObject* const* args, size_t nargsf,
                         PyObject* keywords) {
  PyOpFunction* self = Self(o);
  const size_t nargs = PyVectorcall_NARGS(nargsf);
  if (PyObject* answer = AnswerOfTargets(o, args, nargs, keywords)) {
    return answer;
  }
  // The shortest way: one or two eager tensors and nothing else.
  if (keywords == nullptr && nargs == self->info->parameters().size() &&
      nargs > 0 && nargs <= 2 && IsEagerTensor(args[0]) &&
      IsEagerTensor(args[nargs - 1]) && self->op != nullptr &&
      !self->keyword_only) {
    Tensor t = self->op->TryTile(ImplOf(args[0]),
                                 nargs == 2 ? ImplOf(args[1]) : nullptr);
    if (t) return WrapNewTensor(std::move(t));
  }
  if (!self->is_plain) [[unlikely]] {
    if (self->keyword_only && nargs > 0) return KeywordsOnly(self);
    if (self->keeps_slices && AnySlices(args, nargs, keywords)) {
      PyObject* answer = Dispatch(o, args, nargs, keywords, CallOfComposites);
      if (answer != nullptr) return answer;
    }
  }
  // In graphs, names of nodes are those of a call that was tried first.
  const auto instead = [&]() -> PyObject* {
    if (!self->has_form || !AnyRaggedOrSparse(args, nargs, keywords) ||
        OpBuilder::Current()->builds_graph()) {
      return nullptr;
    }
    return Dispatch(o, args, nargs, keywords, CallOfComposites);
  };
  return CallWith(self, args, nargs, keywords, instead,
                  [&] { return Redispatch(o, args, nargs, keywords); });
}

// Are these keywords of what stands behind the list of the others?
bool TakesKeywords(PyOpFunction* self, PyObject* keywords) {
  const FunctionInfo& info = *self->info;
  std::string others, valid = "name";
  for (Py_ssize_t k = 0; keywords && k < PyTuple_GET_SIZE(keywords); ++k) {
    PyObject* keyword = PyTuple_GET_ITEM(keywords, k);
    const int i = FindParameter(info, keyword);
    if (i < 0 ? PyUnicode_Compare(keyword, name_keyword) == 0
              : static_cast<size_t>(i) != info.rest_position()) {
      continue;
    }
    others += (others.empty() ? "" : ", ") + std::string(StringView(keyword));
  }
  if (others.empty()) return true;
  if (info.rest_position() == 0) {
    PyErr_Format(PyExc_TypeError,
                 "'%s' is an invalid keyword argument for this function",
                 others.substr(0, others.find(',')).c_str());
    return false;
  }
  for (size_t i = info.rest_position() + 1; i < info.parameters().size(); ++i) {
    valid += ", " + std::string(StringView(info.parameters()[i].name));
  }
  PyErr_Format(PyExc_TypeError,
               "Invalid keyword arguments for %U: %s. Valid arguments: %s.",
               self->name, others.c_str(), valid.c_str());
  return false;
}

// The last positional arguments are one list.
PyObject* CallWithRest(PyObject* o, PyObject* const* args, size_t nargsf,
                       PyObject* keywords) {
  PyOpFunction* self = Self(o);
  const size_t nargs = PyVectorcall_NARGS(nargsf);
  if (PyObject* answer = AnswerOfTargets(o, args, nargs, keywords)) {
    return answer;
  }
  if (!TakesKeywords(self, keywords)) return nullptr;
  const size_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  const size_t before = std::min(nargs, self->info->rest_position());
  PyRef rest = PyRef::Steal(PyTuple_New(nargs - before));
  if (!rest) return nullptr;
  for (size_t i = before; i < nargs; ++i) {
    PyTuple_SET_ITEM(rest.get(), i - before, Py_NewRef(args[i]));
  }
  std::vector<PyObject*> given(args, args + before);
  if (before == self->info->rest_position()) given.push_back(rest.get());
  const size_t places = given.size();
  given.insert(given.end(), args + nargs, args + nargs + named);
  const auto instead = []() -> PyObject* { return nullptr; };
  return CallWith(self, given.data(), places, keywords, instead,
                  [&] { return Redispatch(o, args, nargs, keywords); });
}

void Dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  PyObject_GC_UnTrack(o);
  Py_CLEAR(Self(o)->name);
  Py_CLEAR(Self(o)->doc);
  Py_CLEAR(Self(o)->dict);
  type->tp_free(o);
  Py_DECREF(type);
}
int Traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(Self(o)->dict);
  return 0;
}
int Clear(PyObject* o) {
  Py_CLEAR(Self(o)->dict);
  return 0;
}
PyObject* Repr(PyObject* o) {
  return PyUnicode_FromFormat("<function %U at %p>", Self(o)->name, o);
}
PyObject* TextSignature(PyObject* o, void*) {
  std::string text = Self(o)->keyword_only ? "(*, " : "(";
  const auto& parameters = Self(o)->info->parameters();
  for (size_t i = 0; i <= parameters.size(); ++i) {
    if (i == Self(o)->info->name_position()) {
      text += "name=" + Self(o)->info->name_default() + ", ";
    }
    if (i == parameters.size()) break;
    if (i == Self(o)->info->rest_position()) text += "*";
    text += StringView(parameters[i].name);
    if (i == Self(o)->info->rest_position()) {
      text += ", **kwargs, ";
      break;
    }
    if (!parameters[i].required) text += "=" + parameters[i].shown_default;
    text += ", ";
  }
  text.resize(text.size() - 2);
  return ToPyString(text + ")");
}
// What inspect.signature asks for.
PyObject* Signature(PyObject* o, void*) {
  const nb::object text = nb::steal(TextSignature(o, nullptr));
  if (!text.is_valid()) return nullptr;
  // As Python reads the text, which is the binding's own, never a user's.
  const std::string_view shown = StringView(text.ptr());
  nb::dict names;
  names["tf"] = nb::module_::import_("graphkiln");
  const nb::object like =
      nb::module_::import_("builtins")
          .attr("eval")(
              ("lambda " + std::string(shown.substr(1, shown.size() - 2)) +
               ": None")
                  .c_str(),
              names);
  return nb::module_::import_("inspect")
      .attr("signature")(like)
      .release()
      .ptr();
}
// A function found on a class is a method of its instances.
PyObject* Bind(PyObject* o, PyObject* instance, PyObject*) {
  if (instance == nullptr || instance == Py_None) return Py_NewRef(o);
  return PyMethod_New(o, instance);
}
PyObject* Maps(PyObject* o, void*) {
  return PyLong_FromLong(Self(o)->info->maps());
}
PyObject* Compares(PyObject* o, void*) {
  return PyLong_FromLong(Self(o)->info->compares());
}
PyObject* KeepsZero(PyObject* o, void*) {
  return PyBool_FromLong(Self(o)->info->keeps_zero());
}
// What the module finds it by: of one of raw_ops the name of the op.
PyObject* Identity(PyObject* o, void*) {
  const std::string_view identity = Self(o)->identity;
  return PyUnicode_FromStringAndSize(identity.data(), identity.size());
}
PyObject* Doc(PyObject* o, void*) { return Py_NewRef(Self(o)->doc); }
PyObject* Name(PyObject* o, void*) { return Py_NewRef(Self(o)->name); }
PyObject* Module(PyObject* o, void*) {
  return PyUnicode_FromString("graphkiln");
}
PyObject* Reduce(PyObject* o, PyObject*) {
  PyRef find =
      PyRef::Steal(PyObject_GetAttrString(ThisModule(), Self(o)->finder));
  if (!find) return nullptr;
  const std::string identity(Self(o)->identity);
  return Py_BuildValue("O(s)", find.get(), identity.c_str());
}

PyGetSetDef getset[] = {
    {"__doc__", Guarded<Doc>, nullptr, nullptr, nullptr},
    {"__name__", Guarded<Name>, nullptr, nullptr, nullptr},
    {"__qualname__", Guarded<Name>, nullptr, nullptr, nullptr},
    {"__module__", Guarded<Module>, nullptr, nullptr, nullptr},
    {"__text_signature__", Guarded<TextSignature>, nullptr, nullptr, nullptr},
    {"__signature__", Guarded<Signature>, nullptr, nullptr, nullptr},
    {"_maps", Guarded<Maps>, nullptr, nullptr, nullptr},
    {"_compares", Guarded<Compares>, nullptr, nullptr, nullptr},
    {"_keeps_zero", Guarded<KeepsZero>, nullptr, nullptr, nullptr},
    {"_identity", Guarded<Identity>, nullptr, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr,
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {{"__reduce__", Guarded<Reduce>, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(PyOpFunction, vectorcall),
     READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(PyOpFunction, dict), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr}};

#define SLOT(id, f) \
  { id, reinterpret_cast<void*>(f) }
PyType_Slot slots[] = {SLOT(Py_tp_dealloc, Dealloc),
                       SLOT(Py_tp_traverse, Traverse),
                       SLOT(Py_tp_clear, Clear),
                       SLOT(Py_tp_repr, Repr),
                       SLOT(Py_tp_call, PyVectorcall_Call),
                       SLOT(Py_tp_descr_get, Bind),
                       SLOT(Py_tp_getset, getset),
                       SLOT(Py_tp_methods, methods),
                       SLOT(Py_tp_members, members),
                       {0, nullptr}};
PyType_Spec spec = {"graphkiln.OpFunction", sizeof(PyOpFunction), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                        Py_TPFLAGS_HAVE_VECTORCALL |
                        Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

PyObject* Make(const OpRecord& record, std::string_view name,
               bool keyword_only) {
  const OpInfo* info =
      keyword_only ? OpInfo::OfRaw(record) : OpInfo::Of(record);
  std::string doc(record.doc);
  if (!record.example.empty()) doc += Format("\n\n{}", record.example);
  return MakeFunction(info, info, name.empty() ? info->snake_name() : name, doc,
                      keyword_only, keyword_only ? "raw_op" : "op_function",
                      record.name);
}

const OpRecord* LookUp(PyObject* name) {
  if (!PyUnicode_Check(name)) {
    Raise(TypeError("an op's name must be a string"));
    return nullptr;
  }
  StatusOr<const OpRecord*> r = OpRegistry::Get().LookUp(StringView(name));
  if (r.ok()) return *r;
  Raise(r.status());
  return nullptr;
}

PyObject* RawOp(PyObject*, PyObject* name) {
  const OpRecord* r = LookUp(name);
  return r == nullptr ? nullptr : Make(*r, "", true);
}
PyObject* MakeOpFunction(PyObject*, PyObject* args) {
  PyObject* op;
  const char* name = "";
  if (!PyArg_ParseTuple(args, "U|s", &op, &name)) return nullptr;
  const OpRecord* r = LookUp(op);
  return r == nullptr ? nullptr : Make(*r, name, false);
}

// {"math.add": "AddV2", ...}: the public names of all records.
PyObject* PublicNames(PyObject*, PyObject*) {
  PyRef names = PyRef::Steal(PyDict_New());
  for (const OpRecord* r : OpRegistry::Get().all()) {
    if (IsComposition(*r)) continue;
    std::string_view rest = r->python.names;
    while (names && !rest.empty()) {
      const size_t bar = rest.find('|');
      const std::string name(rest.substr(0, bar));
      rest = bar == std::string_view::npos ? "" : rest.substr(bar + 1);
      PyRef op = PyRef::Steal(ToPyString(r->name));
      if (!op ||
          PyDict_SetItemString(names.get(), name.c_str(), op.get()) < 0) {
        return nullptr;
      }
    }
  }
  return names.Release();
}
PyObject* OpNames(PyObject*, PyObject*) {
  PyRef list = PyRef::Steal(PyList_New(0));
  for (const OpRecord* r : OpRegistry::Get().all()) {
    PyRef op = PyRef::Steal(ToPyString(r->name));
    if (!list || !op || PyList_Append(list.get(), op.get()) < 0) {
      return nullptr;
    }
  }
  return list.Release();
}

PyMethodDef kOpFunctionFunctions[] = {
    {"raw_op", Guarded<RawOp>, METH_O, "The keyword-only function of an op."},
    {"op_function", Guarded<MakeOpFunction>, METH_VARARGS,
     "The function of an op."},
    {"public_names", Guarded<PublicNames>, METH_NOARGS,
     "public_names()\n--\n\n"
     "Public name -> op name."},
    {"op_names", Guarded<OpNames>, METH_NOARGS,
     "op_names()\n--\n\n"
     "The names of all ops."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* FunctionOfOp(const OpRecord& record) {
  std::string_view name = record.python.names;
  name = name.substr(0, name.find('|'));
  return Make(record, name.substr(name.rfind('.') + 1), false);
}

PyObject* MakeFunction(const FunctionInfo* info, const OpInfo* op,
                       std::string_view name, std::string_view doc,
                       bool keyword_only, const char* finder,
                       std::string_view identity) {
  if (info->parameters().size() > kMaxParameters) {
    return Raise(Internal("{} has too many parameters", identity));
  }
  PyOpFunction* f = PyObject_GC_New(PyOpFunction, OpFunctionType);
  if (f == nullptr) return nullptr;
  f->vectorcall = info->rest_position() == FunctionInfo::kNoName
                      ? Guarded<CallOpFunction>
                      : Guarded<CallWithRest>;
  f->info = info;
  f->op = op;
  f->dict = nullptr;
  f->keyword_only = keyword_only;
  f->finder = finder;
  f->identity = identity;
  f->name = ToPyString(name);
  f->doc = ToPyString(doc);
  PyObject_GC_Track(reinterpret_cast<PyObject*>(f));
  f->keeps_slices = !keyword_only && (info->slices() > 0 ||
                                      info->ragged_form() == RaggedForm::kEach);
  f->is_plain = !keyword_only && !f->keeps_slices;
  f->has_form =
      !keyword_only &&
      (info->maps() > 0 || info->ragged_form() != RaggedForm::kNone) &&
      !TakesRows(finder, identity);
  if (f->name == nullptr || f->doc == nullptr) {
    Py_DECREF(f);
    return nullptr;
  }
  return reinterpret_cast<PyObject*>(f);
}

const FunctionInfo* InfoOf(PyObject* function) {
  const PyOpFunction* f = Self(function);
  return Py_TYPE(function) == OpFunctionType && !f->keyword_only ? f->info
                                                                 : nullptr;
}

bool AddOpFunctions(PyObject* module) {
  OpFunctionType = AddType(module, &spec, nullptr);
  name_keyword = PyUnicode_InternFromString("name");
  return OpFunctionType != nullptr && name_keyword != nullptr &&
         PyModule_AddFunctions(module, kOpFunctionFunctions) == 0;
}

}  // namespace gk::py
