#include "python/src/graph/name_scope.h"

#include <optional>
#include <utility>

#include "base/per_thread.h"
#include "framework/logical_device.h"
#include "function/device_scope.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_error.h"
#include "python/src/tensors/tensor_type.h"

namespace nb = nanobind;

namespace gk::py {

namespace {

// Whether AutoGraph converts what the library is given to call: what the
// function that is traced here, or do_not_convert around it, says.
class ConversionStatus {
 public:
  explicit ConversionStatus(bool on) : disabled_(!on) {}
  static bool& Disabled() {
    struct Status {
      bool disabled = false;
    };
    return PerThread<Status, Status>::Get().disabled;
  }
  void Enter() { before_ = std::exchange(Disabled(), disabled_); }
  void Exit() { Disabled() = before_; }

 private:
  bool disabled_, before_ = false;
};

}  // namespace

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

nb::object NewNameScope(std::string name) {
  return nb::cast(new UserNameScope(std::move(name)),
                  nb::rv_policy::take_ownership);
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
  nb::class_<UserNameScope>(m, "name_scope",
                            "Names made inside begin with this scope's name.")
      .def(
          "__init__",
          [](UserNameScope* self, nb::object name) {
            if (!nb::isinstance<nb::str>(name)) {
              Throw(ValueError("name for name_scope must be a string."));
            }
            new (self) UserNameScope(nb::cast<std::string>(name));
          },
          nb::arg("name").none())
      .def_prop_ro("name", &UserNameScope::name, "The name given.")
      .def("__enter__",
           [](UserNameScope& self) { return ValueOrThrow(self.Enter()); })
      .def("__exit__", [](UserNameScope& self, nb::args) { self.Exit(); });
  nb::class_<InitScope>(m, "init_scope",
                        "Lifts what is made inside out of all graphs.")
      .def(nb::init<>())
      .def("__enter__", &InitScope::Enter)
      .def("__exit__",
           [](InitScope& self, nb::args) { ThrowIfError(self.Exit()); });
  nb::class_<ConversionStatus>(
      m, "ConversionStatus",
      "Whether callables of the user's are converted inside, on this thread.")
      .def(nb::init<bool>(), nb::arg("autograph"))
      .def("__enter__", &ConversionStatus::Enter)
      .def("__exit__", [](ConversionStatus& self, nb::args) { self.Exit(); });
  m.def("conversion_is_disabled", [] { return ConversionStatus::Disabled(); });
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
  m.def("current_scope", &CurrentNameScope,
        "The full name of the current name scope.");
}

}  // namespace gk::py
