#include "python/src/graph/name_scope.h"

#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "base/per_thread.h"
#include "framework/logical_device.h"
#include "function/device_scope.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_error.h"
#include "python/src/binding/type_parts.h"
#include "python/src/tensors/tensor_type.h"

namespace nb = nanobind;

namespace gk::py {

namespace {

// Whether AutoGraph converts what the library is given to call: what the
// function that is traced here, or do_not_convert around it, says.
bool& ConversionDisabled() {
  struct Status {
    bool disabled = false;
  };
  return PerThread<Status, Status>::Get().disabled;
}

class ConversionStatus {
 public:
  explicit ConversionStatus(bool on) : on_(on) {}
  void Enter() { scope_.emplace(on_); }
  void Exit() { scope_.reset(); }

 private:
  const bool on_;
  std::optional<ConversionScope> scope_;
};

// An object around a scope, which it has once its __init__ ran.
template <class T>
struct ScopeObject {
  PyObject_HEAD std::optional<T> scope;
};
template <class T>
std::optional<T>& Held(PyObject* o) {
  return reinterpret_cast<ScopeObject<T>*>(o)->scope;
}
template <class T>
T& ScopeOf(PyObject* o) {
  if (!Held<T>(o)) {
    Throw(TypeError("{}.__init__() was not called", Py_TYPE(o)->tp_name));
  }
  return *Held<T>(o);
}
template <class T>
PyObject* NewScope(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* o = type->tp_alloc(type, 0);
  if (o != nullptr) new (&Held<T>(o)) std::optional<T>();
  return o;
}
template <class T>
void DeallocScope(PyObject* o) {
  PyTypeObject* const type = Py_TYPE(o);
  std::destroy_at(&Held<T>(o));
  type->tp_free(o);
  Py_DECREF(type);
}

// Names may have lone surrogates outside of graphs, which have rules.
PyObject* TextOf(const std::string& name) {
  return PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()),
                              "surrogatepass");
}

PyTypeObject* name_scope_type = nullptr;

int InitNameScope(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* name;
  if (!ParseArguments(args, kwargs, "O:name_scope", {"name"}, &name)) return -1;
  Held<UserNameScope>(o).emplace(ScopeName(name));
  return 0;
}
PyObject* EnterNameScope(PyObject* o, PyObject*) {
  return TextOf(ValueOrThrow(ScopeOf<UserNameScope>(o).Enter()));
}
PyObject* ExitNameScope(PyObject* o, PyObject*) {
  ScopeOf<UserNameScope>(o).Exit();
  Py_RETURN_NONE;
}
PyObject* NameOfScope(PyObject* o, void*) {
  return TextOf(ScopeOf<UserNameScope>(o).name());
}
PyObject* ReduceNameScope(PyObject* o, PyObject*) {
  const PyRef name = PyRef::Steal(NameOfScope(o, nullptr));
  if (!name) return nullptr;
  return Py_BuildValue("O(O)", Py_TYPE(o), name.get());
}
PyMethodDef name_scope_methods[] = {
    {"__enter__", Guarded<EnterNameScope>, METH_NOARGS, nullptr},
    {"__reduce__", Guarded<ReduceNameScope>, METH_NOARGS, nullptr},
    {"__exit__", Guarded<ExitNameScope>, METH_VARARGS, nullptr},
    {}};
PyGetSetDef name_scope_attributes[] = {
    {"name", Guarded<NameOfScope>, nullptr, "The name given.", nullptr}, {}};

// `T`: InitScope or EagerMode.
template <class T>
int InitLifting(PyObject* o, PyObject* args, PyObject* kwargs) {
  if (PyTuple_GET_SIZE(args) != 0 ||
      (kwargs != nullptr && PyDict_GET_SIZE(kwargs) != 0)) {
    Throw(TypeError("init_scope() takes no arguments"));
  }
  Held<T>(o).emplace();
  return 0;
}
template <class T>
PyObject* EnterLifting(PyObject* o, PyObject*) {
  ScopeOf<T>(o).Enter();
  Py_RETURN_NONE;
}
template <class T>
PyObject* ExitLifting(PyObject* o, PyObject*) {
  ThrowIfError(ScopeOf<T>(o).Exit());
  Py_RETURN_NONE;
}
template <class T>
PyMethodDef lifting_methods[] = {
    {"__enter__", Guarded<EnterLifting<T>>, METH_NOARGS, nullptr},
    {"__exit__", Guarded<ExitLifting<T>>, METH_VARARGS, nullptr},
    {}};

template <class T, auto kInit>
PyTypeObject* AddScopeType(PyObject* module, const char* name, const char* doc,
                           PyMethodDef* methods, PyGetSetDef* attributes) {
  PyType_Slot slots[] = {{Py_tp_doc, Doc(doc)},
                         {Py_tp_new, Slot<NewScope<T>>()},
                         {Py_tp_init, Slot<kInit>()},
                         {Py_tp_dealloc, Slot<DeallocScope<T>>()},
                         {Py_tp_methods, methods},
                         {Py_tp_getset, attributes},
                         {0, nullptr}};
  PyType_Spec spec = {name, sizeof(ScopeObject<T>), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  PyTypeObject* const type = AddType(module, &spec, nullptr);
  if (type == nullptr) throw nb::python_error();
  return type;
}

}  // namespace

ConversionScope::ConversionScope(bool on)
    : before_(std::exchange(ConversionDisabled(), !on)) {}
ConversionScope::~ConversionScope() { ConversionDisabled() = before_; }

std::string ScopeName(PyObject* name) {
  if (!PyUnicode_Check(name)) {
    Throw(ValueError("name for name_scope must be a string."));
  }
  const PyRef bytes =
      PyRef::Steal(PyUnicode_AsEncodedString(name, "utf-8", "surrogatepass"));
  if (!bytes) throw nb::python_error();
  return std::string(PyBytes_AS_STRING(bytes.get()),
                     static_cast<size_t>(PyBytes_GET_SIZE(bytes.get())));
}

std::string NameOr(PyObject* name, const char* otherwise) {
  if (name == Py_None) return otherwise;
  if (!PyUnicode_Check(name)) {
    Throw(ValueError("name for name_scope must be a string."));
  }
  const std::string_view text = StringView(name);
  return std::string(text.empty() ? otherwise : text);
}

std::optional<DeviceSpec> DeviceArgument(PyObject* device) {
  nb::object name = nb::borrow(device);
  if (name.is_none()) return std::nullopt;
  if (nb::hasattr(name, "device_index")) {  // a DeviceSpec
    const auto set = [&](const char* part, auto& field) {
      nb::object value = name.attr(part);
      using Field = typename std::decay_t<decltype(field)>::value_type;
      if (!value.is_none()) field = nb::cast<Field>(value);
    };
    DeviceSpec spec;
    set("job", spec.job);
    set("replica", spec.replica);
    set("task", spec.task);
    set("device_type", spec.type);
    set("device_index", spec.index);
    return spec;
  }
  if (nb::hasattr(name, "device_type")) {  // a LogicalDevice
    name = nb::getattr(name, "name", name);
  }
  if (!nb::isinstance<nb::str>(name)) {
    nb::object type = nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(device)));
    Throw(ValueError("Expecting a string device name. Got {}({})",
                     nb::str(type).c_str(), nb::str(name).c_str()));
  }
  StatusOr<DeviceSpec> spec = DeviceSpec::Parse(StringView(name.ptr()));
  if (!spec.ok()) Throw(spec.status());
  return *std::move(spec);
}

nb::object NewNameScope(std::string name, FuncGraph* graph) {
  nb::object o =
      Owned(NewScope<UserNameScope>(name_scope_type, nullptr, nullptr));
  Held<UserNameScope>(o.ptr()).emplace(std::move(name), Ref(graph));
  return o;
}

OpScope::OpScope(std::string_view name, bool own)
    : graph_(FuncGraph::Current()) {
  if (graph_ == nullptr) return;
  StatusOr<std::string> scope = graph_->scopes().PushName(name);
  if (scope.ok()) {
    name_ = *std::move(scope);
    if (own) graph_->scopes().MarkOp();
  } else {
    status_ = scope.status();
    graph_ = nullptr;
  }
}
OpScope::~OpScope() {
  if (graph_ != nullptr) graph_->scopes().PopName();
}

void AddScopes(nb::module_& m) {
  name_scope_type = AddScopeType<UserNameScope, InitNameScope>(
      m.ptr(), "graphkiln._graphkiln.name_scope",
      "name_scope(name)\n--\n\n"
      "Names made inside begin with this scope's name.\n\n"
      ">>> def f(x):\n"
      "...     with tf.name_scope('outer'):\n"
      "...         return tf.add(x, 1, name='sum')\n"
      ">>> graph = tf.function(f).get_concrete_function(1).graph\n"
      ">>> [op.name for op in graph.get_operations() if op.type == 'AddV2']\n"
      "['outer/sum']",
      name_scope_methods, name_scope_attributes);
  AddScopeType<InitScope, InitLifting<InitScope>>(
      m.ptr(), "graphkiln._graphkiln.init_scope",
      "init_scope()\n--\n\n"
      "Lifts what is made inside out of all graphs.\n\n"
      ">>> @tf.function\n"
      "... def f():\n"
      "...     with tf.init_scope():\n"
      "...         print(tf.executing_eagerly())\n"
      ">>> f()\n"
      "True",
      lifting_methods<InitScope>, nullptr);
  AddScopeType<EagerMode, InitLifting<EagerMode>>(
      m.ptr(), "graphkiln._graphkiln.EagerMode",
      "EagerMode()\n--\n\nWhat is inside runs at once, in graphs too.",
      lifting_methods<EagerMode>, nullptr);
  nb::class_<ConversionStatus>(
      m, "ConversionStatus",
      "Whether callables of the user's are converted inside, on this thread.")
      .def(nb::init<bool>(), nb::arg("autograph"))
      .def("__enter__", &ConversionStatus::Enter)
      .def("__exit__", [](ConversionStatus& self, nb::args) { self.Exit(); });
  m.def("conversion_is_disabled", [] { return ConversionDisabled(); });
  nb::class_<SavingScope>(
      m, "SavingScope",
      "Functions are traced anew inside, once, for the model that is saved.")
      .def(nb::init<>())
      .def("__enter__", &SavingScope::Enter)
      .def("__exit__", [](SavingScope& self, nb::args) { self.Exit(); });
  nb::class_<DeviceScope>(m, "DeviceScope", "Where what is made inside runs.")
      .def(
          "__init__",
          [](DeviceScope* self, nb::handle device) {
            std::optional<DeviceSpec> spec = DeviceArgument(device.ptr());
            new (self) DeviceScope(std::move(spec));
          },
          nb::arg("device").none())
      .def("__enter__", &DeviceScope::Enter)
      .def("__exit__",
           [](DeviceScope& self, nb::args) { ThrowIfError(self.Exit()); });
}

}  // namespace gk::py
