// tf.Variable: how variables are made, by whom, and copied.
#include <algorithm>
#include <optional>
#include <string>
#include <tuple>

#include "function/make_variable.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/late_attributes.h"
#include "python/src/binding/type_parts.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/operation_type.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"
#include "python/src/tensors/tensor_type.h"
#include "python/src/variables/variable_arguments.h"
#include "python/src/variables/variable_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

PyTypeObject* VariableType = nullptr;
PyObject* UnliftableError = nullptr;

constexpr char kSynchronizationMode[] = "VariableSynchronization";
constexpr char kAggregationMode[] = "VariableAggregation";

PyObject* MemberOf(const char* mode, const char* member) {
  const PyRef cls = Checked(LateAttribute(mode));
  return Checked(PyObject_GetAttrString(cls.get(), member)).Release();
}
std::string Shown(PyObject* o) {
  PyRef text = Checked(PyObject_Str(o));
  return std::string(StringView(text.get()));
}

void RefuseUnlessMember(PyObject* value, PyObject* member, const char* what,
                        PyObject* name) {
  if (Py_TYPE(value) == Py_TYPE(member)) return;
  throw Error(ValueError("Invalid variable {} mode: {} for variable: {}", what,
                         Shown(value), Shown(name)));
}

void CheckArguments(const Arguments& given) {
  if (given[kInitialValue] == Py_None) {
    throw Error(ValueError(
        "The `initial_value` arg to `tf.Variable` must be specified except "
        "when you are not providing a `variable_def`. You provided neither."));
  }
  PyObject* constraint = given[kConstraint];
  if (constraint != Py_None && !PyCallable_Check(constraint)) {
    throw Error(ValueError(
        "Argument `constraint` must be None or a callable. a callable. Got a "
        "{}:  {}",
        Shown(reinterpret_cast<PyObject*>(Py_TYPE(constraint))),
        Shown(constraint)));
  }
  RefuseUnlessMember(given[kAggregation], NoAggregation(), "aggregation",
                     given[kName]);
  RefuseUnlessMember(given[kSynchronization], AutoSynchronization(),
                     "synchronization", given[kName]);
  if (given[kName] != Py_None && !PyUnicode_Check(given[kName])) {
    throw Error(ValueError("name for name_scope must be a string."));
  }
}

// ---- Creation ----

class Asked final : public AskedVariable {
 public:
  Asked(PyObject* value, PyObject* shown_name, PyObject* shown_shape,
        DataType type)
      : value_(PyRef::Share(value)),
        shown_name_(shown_name),
        shown_shape_(shown_shape),
        type_(type) {
    Look();
  }

  StatusOr<Tensor> Value() override {
    PyRef value = PyCallable_Check(value_.get())
                      ? Checked(PyObject_CallNoArgs(value_.get()))
                      : value_;
    StatusOr<Tensor> t =
        ToTensor(value.get(), type_, DataType::kInvalid, "initial_value");
    if (t.ok()) return t;
    // A tensor of another dtype.
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_ValueError)) {
      PyObject *type, *error, *traceback;
      PyErr_Fetch(&type, &error, &traceback);
      const std::string text = Shown(error);
      PyErr_Restore(type, error, traceback);
      if (text.find("Tensor conversion requested") != text.npos) {
        PyErr_Clear();
        return ValueError("initial_value: {}", text);
      }
    }
    return t;
  }
  Status Settle() override {
    if (PyCallable_Check(value_.get())) {
      value_ = Checked(PyObject_CallNoArgs(value_.get()));
      Look();
    }
    return OkStatus();
  }
  Status Lift(FunctionRef<StatusOr<Tensor>()> compute, bool runs) override {
    StatusOr<Tensor> lifted = [&] {
      // An iterator may wait for a generator on another thread.
      GilRelease unlocked(runs);
      return compute();
    }();
    if (lifted.status().code() == Code::kFailedPrecondition) {
      const std::string why(lifted.status().message());
      if (!runs) {
        PyErr_SetString(UnliftableError, why.c_str());
        return PythonError();
      }
      PyErr_Format(UnliftableError,
                   "Unable to lift tensor %R because it depends transitively "
                   "on what is not known before a call: %s",
                   value_.get(), why.c_str());
      return PythonError();
    }
    GK_ASSIGN_OR_RETURN(initial, std::move(lifted));
    value_ = Checked(WrapTensor(initial));
    return OkStatus();
  }
  Status OfFunction() const override {
    return ValueError(
        "Argument `initial_value` ({}) could not be lifted out of a "
        "`tf.function`. (Tried to create variable with name='{}'). To avoid "
        "this error, when constructing `tf.Variable`s inside of `tf.function` "
        "you can create the `initial_value` tensor in a `tf.init_scope` or "
        "pass a callable `initial_value` (e.g., `tf.Variable(lambda : "
        "tf.truncated_normal([10, 40]))`). Please file a feature request if "
        "this restriction inconveniences you.",
        Shown(value_.get()), Shown(shown_name_));
  }
  Status Misfit(const PartialTensorShape& value) const override {
    return ValueError(
        "In this `tf.Variable` creation, the initial value's shape ({}) is not "
        "compatible with the explicitly supplied `shape` argument ({}).",
        value.PythonString(), Shown(shown_shape_));
  }

 private:
  void Look() {
    if (IsTensor(value_.get())) initial = TensorOf(value_.get());
  }

  PyRef value_;
  PyObject* const shown_name_;
  PyObject* const shown_shape_;
  const DataType type_;  // kInvalid: that of the value
};

void SetUp(PyObject* o, const Tensor& handle, DataType dtype,
           const PartialTensorShape& shape, bool trainable,
           std::string_view name) {
  PyRef text = Checked(ToPyString(Format("{}:0", name)));
  PyVariable* self = VariableOf(o);
  self->handle = handle;
  self->dtype = dtype;
  self->shape = shape;
  self->trainable = trainable;
  static uint64_t created = 0;
  self->serial = ++created;
  Py_XSETREF(self->name, text.Release());
  RememberVariable(o);
}

// Keeps a variable of a graph in the graph's collections.
int List(PyObject* o, PyObject* kwargs, nb::handle graph) {
  PyObject* const asked =
      kwargs ? PyDict_GetItemString(kwargs, "collections") : nullptr;
  nb::list names;
  if (asked != nullptr && asked != Py_None) {
    names = nb::list(nb::borrow(asked));
  } else {
    names.append("variables");
  }
  const nb::str trainable("trainable_variables");
  const int there = PySequence_Contains(names.ptr(), trainable.ptr());
  if (there < 0) return -1;
  if (VariableOf(o)->trainable && there == 0) names.append(trainable);
  graph.attr("add_to_collections")(names, nb::handle(o));
  return 0;
}

int Init(PyObject* o, PyObject* args, PyObject* kwargs) {
  if (VariableOf(o)->handle) return 0;  // a variable creator gave it
  Arguments given = BoundArguments(args, kwargs);
  if (given[kAggregation] == Py_None) given[kAggregation] = NoAggregation();
  if (given[kSynchronization] == Py_None) {
    given[kSynchronization] = AutoSynchronization();
  }
  CheckArguments(given);
  const int trainable = given[kTrainable] == Py_None
                            ? given[kSynchronization] != OnReadSynchronization()
                            : PyObject_IsTrue(given[kTrainable]);
  if (trainable < 0) return -1;
  for (const auto& [attribute, i] :
       {std::pair("_constraint", kConstraint),
        std::pair("_synchronization", kSynchronization),
        std::pair("_aggregation", kAggregation)}) {
    if (PyObject_SetAttrString(o, attribute, given[i]) < 0) return -1;
  }
  DataType type = DataType::kInvalid;
  if (given[kDType] != Py_None) {
    type = AsDType(given[kDType]);
    if (type == DataType::kInvalid) return -1;
  }
  Asked asked(given[kInitialValue], given[kName], given[kShape], type);
  asked.trainable = trainable == 1;
  asked.lifted = IsLifted(given[kLifting]);
  if (given[kShape] != Py_None) {
    asked.shape = ValueOrThrow(AsShape(given[kShape]));
  }
  if (given[kName] != Py_None) {
    asked.name = StringView(given[kName]);
  } else if (PyRef own = PyRef::Steal(PyObject_GetAttrString(
                 given[kInitialValue], "_variable_name"))) {
    if (PyUnicode_Check(own.get())) asked.name = StringView(own.get());
  } else {
    PyErr_Clear();
  }
  const MadeVariable made = MakeVariable(&asked);
  SetUp(o, made.handle, made.dtype, made.shape, asked.trainable, made.name);
  if (made.initializer == nullptr) return 0;
  const nb::object assign =
      WrapNode(Graph::GraphOf(made.handle), made.initializer);
  const PyRef initial = Checked(WrapTensor(made.initial_value));
  for (const auto& [attribute, part] :
       {std::pair("_graph_initializer", assign.ptr()),
        std::pair("_graph_initial_value", initial.get())}) {
    if (PyObject_SetAttrString(o, attribute, part) < 0) return -1;
  }
  return List(o, kwargs, assign.attr("graph"));
}

// tf.Variable(...) is one of ResourceVariable, or whatever creators make.
PyObject* NewUninitialized(PyTypeObject* type, PyObject* args,
                           PyObject* kwargs) {
  if (type == VariableType) {
    if (PyObject* made = MadeByCreators(args, kwargs)) return made;
    if (PyErr_Occurred()) return nullptr;
    type = ResourceVariableType;
  }
  return BaseVariableType->tp_new(type, args, kwargs);
}

// tf.Variable(...). What creators give is whole: `type` would call its __init__
// once more, with arguments that a user's class need not take.
PyObject* CallVariable(PyObject* type, PyObject* const* args, size_t nargsf,
                       PyObject* names) {
  const Py_ssize_t n = PyVectorcall_NARGS(nargsf);
  const PyRef given = Checked(PyTuple_New(n));
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyTuple_SET_ITEM(given.get(), i, Py_NewRef(args[i]));
  }
  PyRef named;
  if (names != nullptr && PyTuple_GET_SIZE(names) > 0) {
    named = Checked(PyDict_New());
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
      if (PyDict_SetItem(named.get(), PyTuple_GET_ITEM(names, i),
                         args[n + i]) < 0) {
        return nullptr;
      }
    }
  }
  if (PyObject* made = MadeByCreators(given.get(), named.get())) return made;
  if (PyErr_Occurred()) return nullptr;
  PyRef made = Checked(
      BaseVariableType->tp_new(ResourceVariableType, given.get(), named.get()));
  return Init(made.get(), given.get(), named.get()) < 0 ? nullptr
                                                        : made.Release();
}

// ---- Copies ----

PyObject* Copy(PyObject* o, PyObject*) { return Py_NewRef(o); }

// What makes a variable like this one of an initial value.
PyRef Again(PyObject* o) {
  PyRef named = Checked(PyDict_New());
  for (const auto& [argument, attribute] :
       {std::pair("trainable", "trainable"),
        std::pair("constraint", "_constraint"), std::pair("dtype", "dtype"),
        std::pair("name", "_shared_name"), std::pair("shape", "shape"),
        std::pair("synchronization", "synchronization"),
        std::pair("aggregation", "aggregation")}) {
    PyRef value = Checked(PyObject_GetAttrString(o, attribute));
    if (PyDict_SetItemString(named.get(), argument, value.get()) < 0) {
      throw Error(PythonError());
    }
  }
  const PyRef partial = ImportAttribute("functools", "partial");
  const PyRef args = Checked(PyTuple_Pack(1, VariableType));
  if (!partial) throw Error(PythonError());
  return Checked(PyObject_Call(partial.get(), args.get(), named.get()));
}

PyObject* DeepCopy(PyObject* o, PyObject* memo) {
  if (OpBuilder::Current()->builds_graph()) {
    PyErr_SetString(PyExc_NotImplementedError,
                    "__deepcopy__() is only available when eager execution is "
                    "enabled.");
    return nullptr;
  }
  const PyRef again = Again(o);
  const PyRef value = Checked(PyObject_CallMethod(o, "read_value", nullptr));
  PyRef copied = Checked(PyObject_CallOneArg(again.get(), value.get()));
  const PyRef id = Checked(PyLong_FromVoidPtr(o));
  return PyObject_SetItem(memo, id.get(), copied.get()) < 0 ? nullptr
                                                            : copied.Release();
}

PyObject* Reduce(PyObject* o, PyObject*) {
  const PyRef again = Again(o);
  const PyRef value = Checked(PyObject_CallMethod(o, "numpy", nullptr));
  return Py_BuildValue("O(O)", again.get(), value.get());
}

PyMethodDef kVariableCreationMethods[] = {
    {"__copy__", Guarded<Copy>, METH_NOARGS, nullptr},
    {"__deepcopy__", Guarded<DeepCopy>, METH_O, nullptr},
    {"__reduce__", Guarded<Reduce>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

// ---- The module ----

constexpr char kVariableDoc[] =
    "Variable(initial_value=None, trainable=None, validate_shape=True, "
    "caching_device=None, name=None, variable_def=None, dtype=None, "
    "import_scope=None, constraint=None, "
    "synchronization=None, aggregation=None, shape=None, "
    "experimental_enable_variable_lifting=True, **unused)\n--\n\n"
    "A tensor that can be changed.\n\n"
    "Args:\n"
    "  initial_value: a value or a function that gives one.\n"
    "  trainable: do gradient tapes watch it? By default they do, unless\n"
    "    `synchronization` is ON_READ.\n"
    "  validate_shape: accepted for compatibility.\n"
    "  caching_device: accepted for compatibility.\n"
    "  name: of the variable; \"Variable\" unless given.\n"
    "  variable_def: not supported, there are no protos of variables.\n"
    "  dtype: of the elements; that of the initial value unless given.\n"
    "  import_scope: accepted for compatibility.\n"
    "  constraint: a function that optimizers apply after each update.\n"
    "  synchronization: when copies on several devices are brought together.\n"
    "  aggregation: how updates from several devices are combined.\n"
    "  shape: what may be assigned, if less is known than of the initial "
    "value.\n"
    "  experimental_enable_variable_lifting: if False, a variable that is "
    "made\n"
    "    while a function is traced is none that outlives the calls: each run\n"
    "    makes its own, with the initial value anew.\n\n"
    "Raises ValueError for an initial value that is missing, of another shape\n"
    "or dtype, for one that a function being traced computes (a callable may\n"
    "compute it), and for a constraint that cannot be called.\n\n"
    ">>> v = tf.Variable([1, 2], name=\"v\")\n"
    ">>> v.assign_add([10, 10]).numpy().tolist()\n[11, 12]\n"
    ">>> v[0].numpy().item()\n11";

// tf.Variable.SaveSliceInfo, a class of Python's that few programs ask for.
PyObject* SaveSliceInfo(PyObject*, PyObject*, PyObject*) {
  return Py_XNewRef(package::SaveSliceInfo.Get());
}
bool AddSaveSliceInfo(PyObject* cls) {
  static constexpr char doc[] =
      "Of what larger variable one is a part, and which: a class.";
  PyType_Slot slots[] = {{Py_tp_descr_get, Slot<SaveSliceInfo>()},
                         {Py_tp_doc, const_cast<char*>(doc)},
                         {0, nullptr}};
  PyType_Spec spec = {"graphkiln._SaveSliceInfo", sizeof(PyObject), 0,
                      Py_TPFLAGS_DEFAULT, slots};
  PyRef type = PyRef::Steal(PyType_FromSpec(&spec));
  PyRef late = PyRef::Steal(type ? PyObject_CallNoArgs(type.get()) : nullptr);
  return late && PyObject_SetAttrString(cls, "SaveSliceInfo", late.get()) == 0;
}

PyTypeObject* AddClass(PyObject* module, const char* name, const char* doc,
                       PyTypeObject* base, std::vector<PyType_Slot> slots) {
  slots.push_back({Py_tp_doc, Doc(doc)});
  slots.push_back({0, nullptr});
  PyType_Spec spec = {name, sizeof(PyVariable), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots.data()};
  return AddType(module, &spec, base);
}

PyObject* MakeSynchronization() {
  static constexpr std::pair<const char*, int> kMembers[] = {
      {"AUTO", 0}, {"NONE", 1}, {"ON_WRITE", 2}, {"ON_READ", 3}};
  return MakeEnum("Enum", "graphkiln._graphkiln", kSynchronizationMode,
                  "When copies of a variable are brought together.\n\n"
                  ">>> tf.VariableSynchronization.AUTO.name\n'AUTO'",
                  kMembers);
}
PyObject* MakeAggregation() {
  static constexpr std::pair<const char*, int> kMembers[] = {
      {"NONE", 0}, {"SUM", 1}, {"MEAN", 2}, {"ONLY_FIRST_REPLICA", 3}};
  return MakeEnum("Enum", "graphkiln._graphkiln", kAggregationMode,
                  "How updates from several replicas are combined.\n\n"
                  ">>> tf.VariableAggregation.MEAN.name\n'MEAN'",
                  kMembers);
}

bool AddUnliftableError(PyObject* module) {
  PyRef members =
      PyRef::Steal(Py_BuildValue("{sO}", "ag_pass_through", Py_True));
  PyRef cls = PyRef::Steal(
      members ? PyErr_NewExceptionWithDoc(
                    "graphkiln.UnliftableError",
                    "What shall be known outside of a graph needs a "
                    "placeholder of it that nothing is given for.",
                    PyExc_Exception, members.get())
              : nullptr);
  if (!cls || PyModule_AddObjectRef(module, "UnliftableError", cls.get()) < 0) {
    return false;
  }
  UnliftableError = cls.Release();
  return true;
}

}  // namespace

PyTypeObject* ResourceVariableType = nullptr;
PyTypeObject* UnreadVariableType = nullptr;

PyObject* AutoSynchronization() {
  static constinit MadeOnce member;
  return member.Get([] { return MemberOf(kSynchronizationMode, "AUTO"); });
}
PyObject* OnReadSynchronization() {
  static constinit MadeOnce member;
  return member.Get([] { return MemberOf(kSynchronizationMode, "ON_READ"); });
}
PyObject* NoAggregation() {
  static constinit MadeOnce member;
  return member.Get([] { return MemberOf(kAggregationMode, "NONE"); });
}

void SetModes(PyObject* variable, int synchronization, int aggregation) {
  for (const auto& [attribute, mode, number] :
       {std::tuple("_synchronization", kSynchronizationMode, synchronization),
        std::tuple("_aggregation", kAggregationMode, aggregation)}) {
    const PyRef cls = Checked(LateAttribute(mode));
    const PyRef member = Checked(PyObject_CallFunction(cls.get(), "i", number));
    if (PyObject_SetAttrString(variable, attribute, member.get()) < 0) {
      throw Error(PythonError());
    }
  }
}

PyObject* NewVariable(const Tensor& value, const char* name, bool trainable) {
  PyRef initial = PyRef::Steal(WrapTensor(value));
  PyRef args = PyRef::Steal(initial ? PyTuple_Pack(1, initial.get()) : nullptr);
  PyRef named = PyRef::Steal(Py_BuildValue("{sssO}", "name", name, "trainable",
                                           trainable ? Py_True : Py_False));
  return args && named
             ? PyObject_Call(reinterpret_cast<PyObject*>(VariableType),
                             args.get(), named.get())
             : nullptr;
}

PyObject* VariableOfHandle(const Tensor& handle, DataType dtype,
                           const PartialTensorShape& shape, bool trainable,
                           std::string_view name) {
  PyRef none = PyRef::Steal(PyTuple_New(0));
  PyRef made = PyRef::Steal(
      none ? BaseVariableType->tp_new(VariableType, none.get(), nullptr)
           : nullptr);
  if (!made) return nullptr;
  SetUp(made.get(), handle, dtype, shape, trainable, name);
  return made.Release();
}

bool AddVariableClasses(PyObject* module) {
  AddLate(kSynchronizationMode, MakeSynchronization);
  AddLate(kAggregationMode, MakeAggregation);
  if (!AddUnliftableError(module)) return false;
  VariableType =
      AddClass(module, "graphkiln.Variable", kVariableDoc, BaseVariableType,
               {{Py_tp_new, Slot<NewUninitialized>()},
                {Py_tp_init, Slot<Init>()},
                {Py_tp_methods, Slot<kVariableCreationMethods>()}});
  if (VariableType == nullptr) return false;
  VariableType->tp_vectorcall = Guarded<CallVariable>;
  // Of variables that nobody has given others.
  auto* cls = reinterpret_cast<PyObject*>(VariableType);
  for (const auto& [attribute, value] :
       {std::pair("_graph_initializer", Py_None),
        std::pair("_graph_initial_value", Py_None),
        std::pair("_constraint", Py_None),
        std::pair("_should_act_as_resource_variable", Py_True)}) {
    if (PyObject_SetAttrString(cls, attribute, value) < 0) return false;
  }
  if (!AddSaveSliceInfo(cls)) return false;
  ResourceVariableType =
      AddClass(module, "graphkiln._graphkiln.ResourceVariable",
               "What tf.Variable makes.", VariableType, {});
  UnreadVariableType = AddClass(
      module, "graphkiln._graphkiln._UnreadVariable",
      "What an assignment gives: the variable, which reads what was written.",
      VariableType, UnreadVariableSlots());
  return ResourceVariableType != nullptr && UnreadVariableType != nullptr;
}

}  // namespace gk::py
