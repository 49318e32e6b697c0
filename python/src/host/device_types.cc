#include "python/src/host/device_types.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "framework/device_spec.h"
#include "framework/logical_device.h"
#include "framework/tensor.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/only_argument.h"
#include "python/src/binding/text_caster.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

[[noreturn]] void Throw(const Status& status) {
  Raise(status);
  throw nb::python_error();
}

// ---- tf.DeviceSpec ----

constexpr const char* kParts[] = {"job", "replica", "task", "device_type",
                                  "device_index"};

template <class T>
nb::object Shown(const std::optional<T>& part) {
  return part ? nb::cast(*part) : nb::none();
}
nb::tuple Parts(const DeviceSpec& spec) {
  return nb::make_tuple(Shown(spec.job), Shown(spec.replica), Shown(spec.task),
                        Shown(spec.type), Shown(spec.index));
}

std::optional<std::string> Word(nb::handle given) {
  if (given.is_none()) return std::nullopt;
  return nb::cast<std::string>(nb::str(given));
}
std::optional<int> Number(nb::handle given) {
  if (given.is_none()) return std::nullopt;
  const nb::object number = nb::steal(PyNumber_Long(given.ptr()));
  if (!number) throw nb::python_error();
  int overflow = 0;
  const long n = PyLong_AsLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0 || n != static_cast<int>(n)) {
    Throw(ValueError("{} is no number of a device",
                     nb::cast<std::string>(nb::str(number))));
  }
  return static_cast<int>(n);
}
DeviceSpec Spec(nb::handle job, nb::handle replica, nb::handle task,
                nb::handle type, nb::handle index) {
  DeviceSpec spec{Word(job), Number(replica), Number(task), Word(type),
                  Number(index)};
  if (spec.type) spec.type = DeviceTypeName(*spec.type);
  return spec;
}

DeviceSpec Parsed(const std::string& name) {
  StatusOr<DeviceSpec> spec = DeviceSpec::Parse(name);
  if (!spec.ok()) Throw(spec.status());
  return *std::move(spec);
}

DeviceSpec Replaced(const DeviceSpec& spec, nb::kwargs given) {
  nb::dict parts;
  const nb::tuple known = Parts(spec);
  for (size_t i = 0; i < std::size(kParts); ++i) parts[kParts[i]] = known[i];
  parts.update(given);
  return nb::cast<DeviceSpec>(nb::type<DeviceSpec>()(**parts));
}

std::string Repr(const DeviceSpec& spec) {
  std::string text = "<DeviceSpec(";
  const nb::tuple parts = Parts(spec);
  for (size_t i = 0; i < std::size(kParts); ++i) {
    const nb::object part = parts[i];
    text +=
        Format("{}{}={}", i > 0 ? ", " : "", kParts[i], nb::str(part).c_str());
  }
  return text + ")>";
}

// As TensorFlow pickles one, so that either reads the other's.
nb::tuple State(const DeviceSpec& spec) {
  nb::dict slots;
  const nb::tuple parts = Parts(spec);
  for (size_t i = 0; i < std::size(kParts); ++i) {
    slots[(std::string("_") + kParts[i]).c_str()] = parts[i];
  }
  return nb::make_tuple(nb::none(), slots);
}
void SetState(DeviceSpec& spec, nb::tuple state) {
  const nb::object slots = state[1];
  const auto part = [&](size_t i) -> nb::object {
    return slots[(std::string("_") + kParts[i]).c_str()];
  };
  new (&spec) DeviceSpec(Spec(part(0), part(1), part(2), part(3), part(4)));
}

void AddDeviceSpec(nb::module_& m) {
  const auto part = [](auto field) {
    return [field](const DeviceSpec& spec) { return Shown(spec.*field); };
  };
  nb::class_<DeviceSpec>(
      m, "DeviceSpec",
      "DeviceSpec(job=None, replica=None, task=None, device_type=None, "
      "device_index=None)\n--\n\n"
      "Which device: any part that is None is left open.\n\n"
      "Raises ValueError for parts that are no numbers where numbers belong.\n"
      "\n>>> tf.DeviceSpec.from_string('/job:worker/cpu:0').to_string()\n"
      "'/job:worker/device:CPU:0'")
      .def(
          "__init__",
          [](DeviceSpec* self, nb::handle job, nb::handle replica,
             nb::handle task, nb::handle type, nb::handle index) {
            new (self) DeviceSpec(Spec(job, replica, task, type, index));
          },
          nb::arg("job") = nb::none(), nb::arg("replica") = nb::none(),
          nb::arg("task") = nb::none(), nb::arg("device_type") = nb::none(),
          nb::arg("device_index") = nb::none())
      .def_prop_ro("job", part(&DeviceSpec::job), "The job's name.")
      .def_prop_ro("replica", part(&DeviceSpec::replica), "Its replica.")
      .def_prop_ro("task", part(&DeviceSpec::task), "The task's number.")
      .def_prop_ro("device_type", part(&DeviceSpec::type), "\"CPU\" and so on.")
      .def_prop_ro("device_index", part(&DeviceSpec::index), "Which of them.")
      .def_static("from_string", &Parsed, nb::arg("spec"),
                  "Takes a name such as \"/job:worker/task:1/device:CPU:0\" "
                  "apart.\n\nRaises ValueError if it is none.")
      .def(
          "parse_from_string",
          [](const DeviceSpec&, const std::string& spec) {
            return Parsed(spec);
          },
          nb::arg("spec"), "The same as `from_string`.")
      .def("make_merged_spec", &DeviceSpec::MergedWith, nb::arg("dev"),
           "This spec with the parts of `dev` that are not open.")
      .def("replace", &Replaced,
           "This spec with other parts.\n\n"
           ">>> tf.DeviceSpec(device_type='CPU').replace(\n"
           "...     device_index=1).to_string()\n"
           "'/device:CPU:1'")
      .def("to_string", &DeviceSpec::ToString, "The name of the device.")
      .def("__eq__",
           [](const DeviceSpec& a, nb::handle b) {
             return nb::isinstance<DeviceSpec>(b) &&
                    a == nb::cast<const DeviceSpec&>(b);
           })
      .def("__hash__",
           [](const DeviceSpec& spec) { return nb::hash(Parts(spec)); })
      .def("__repr__", &Repr)
      .def("__getstate__", &State)
      .def("__setstate__", &SetState);
}

// ---- Devices of this machine ----

// Under the GIL, for ever.
nb::handle physical_type, logical_type, configuration_type, cpu;
struct Settings {
  nb::list visible;
  // What the CPU is divided into, as it was given; null: not at all.
  nb::object parts;
  bool initialized = false;
  uint64_t last_probe = 0;
};
Settings& Set() {
  static auto* settings = new Settings();
  return *settings;
}

nb::handle NamedTuple(nb::module_& m, const char* name, nb::list fields,
                      nb::object defaults, const char* doc) {
  const nb::object make =
      nb::module_::import_("collections").attr("namedtuple");
  nb::object type = make(name, fields, nb::arg("defaults") = defaults,
                         nb::arg("module") = m.attr("__name__"));
  type.attr("__doc__") = doc;
  m.attr(name) = type;
  return type.release();
}
nb::list Fields(std::initializer_list<const char*> names) {
  nb::list fields;
  for (const char* name : names) fields.append(name);
  return fields;
}

bool Is(nb::handle type, const char* name) {
  return type.is_none() || type.equal(nb::str(name));
}
nb::list OfType(const nb::list& devices, nb::handle type) {
  return Is(type, "CPU") ? nb::list(devices) : nb::list();
}
void CheckKnown(nb::handle device) {
  if (!device.equal(cpu)) {
    Throw(ValueError("Unrecognized device: {}",
                     nb::cast<std::string>(nb::str(device))));
  }
}

nb::object Physical(nb::handle type) {
  nb::list all;
  all.append(cpu);
  return OfType(all, type);
}
nb::object Visible(nb::handle type) { return OfType(Set().visible, type); }
nb::object Logical(nb::handle type) {
  Set().initialized = true;
  nb::list devices;
  if (nb::len(Set().visible) > 0 && Is(type, "CPU")) {
    for (int i = 0; i < NumLogicalDevices(); ++i) {
      devices.append(logical_type(Format("/device:CPU:{}", i).c_str(), "CPU"));
    }
  }
  return devices;
}
// The one argument of all three may be left out.
template <nb::object (*kList)(nb::handle)>
PyObject* ListDevices(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"device_type", nullptr};
  PyObject* type = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O",
                                   const_cast<char**>(names), &type)) {
    return nullptr;
  }
  return kList(type).release().ptr();
}

PyObject* SetVisible(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"devices", "device_type", nullptr};
  PyObject *given, *type = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O",
                                   const_cast<char**>(names), &given, &type)) {
    return nullptr;
  }
  nb::list devices;
  if (nb::isinstance(given, physical_type)) {
    devices.append(nb::handle(given));
  } else {
    devices = nb::list(nb::borrow(given));
  }
  for (nb::handle device : devices) CheckKnown(device);
  if (Is(type, "CPU")) {
    if (nb::len(devices) == 0) {
      return Raise(
          RuntimeError("The CPU cannot be hidden: it runs everything"));
    }
    Set().visible = devices;
  }
  Py_RETURN_NONE;
}

// Has anything been made that sits on a device? Tensors are numbered: the one
// made here follows the last one made here unless others came between.
bool IsInitialized() {
  Settings& set = Set();
  if (!set.initialized) {
    const uint64_t probe = Tensor::Scalar(0).id();
    set.initialized = probe != set.last_probe + 1;
    set.last_probe = probe;
  }
  return set.initialized;
}

PyObject* GetParts(PyObject*, PyObject* device) {
  CheckKnown(device);
  return Set().parts ? Set().parts.inc_ref().ptr() : Py_NewRef(Py_None);
}
PyObject* SetParts(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"device", "logical_devices", nullptr};
  PyObject *device, *given;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "OO", const_cast<char**>(names), &device, &given)) {
    return nullptr;
  }
  CheckKnown(device);
  const nb::list parts(nb::borrow(given));
  for (nb::handle part : parts) {
    if (!part.attr("memory_limit").is_none()) {
      return Raise(ValueError(
          "Setting memory limit on CPU virtual devices is currently not "
          "supported"));
    }
    if (!part.attr("experimental_priority").is_none()) {
      return Raise(ValueError(
          "Setting experimental_priority on CPU virtual  devices is currently "
          "not supported"));
    }
  }
  if (Set().parts && Set().parts.equal(parts)) Py_RETURN_NONE;
  if (IsInitialized()) {
    return Raise(RuntimeError(
        "Virtual devices cannot be modified after being initialized"));
  }
  const size_t count = nb::len(parts);
  const Status status = SetNumLogicalDevices(
      static_cast<int>(std::clamp<size_t>(count, 1, kMaxLogicalDevices + 1)));
  if (!status.ok()) return Raise(status);
  Set().parts = parts;
  Py_RETURN_NONE;
}

PyObject* NoGrowth(nb::handle device, std::string_view verb) {
  return Raise(ValueError(
      "Cannot {} memory growth on non-GPU and non-Pluggable devices: {}", verb,
      nb::cast<std::string>(nb::str(device))));
}
PyObject* GetGrowth(PyObject*, PyObject* device) {
  return NoGrowth(device, "get");
}
PyObject* SetGrowth(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"device", "enable", nullptr};
  PyObject *device, *enable;
  return PyArg_ParseTupleAndKeywords(
             args, kwargs, "OO", const_cast<char**>(names), &device, &enable)
             ? NoGrowth(device, "set")
             : nullptr;
}
PyObject* Details(PyObject*, PyObject* device) {
  if (nb::isinstance(device, physical_type)) return PyDict_New();
  return Raise(
      ValueError("device must be a tf.config.PhysicalDevice, but got: {}",
                 nb::cast<std::string>(nb::str(nb::handle(device)))));
}

constexpr char kDevice[] = "device";
constexpr int kKeywords = METH_VARARGS | METH_KEYWORDS;

PyMethodDef functions[] = {
    {"list_physical_devices", AsCFunction(Guarded<ListDevices<Physical>>),
     kKeywords,
     "list_physical_devices(device_type=None)\n--\n\n"
     "The devices of this machine, or those of a type.\n\n"
     ">>> tf.config.list_physical_devices('GPU')\n"
     "[]"},
    {"list_logical_devices", AsCFunction(Guarded<ListDevices<Logical>>),
     kKeywords,
     "list_logical_devices(device_type=None)\n--\n\n"
     "The devices that programs can name.\n\n"
     ">>> len(tf.config.list_logical_devices('CPU'))\n"
     "1"},
    {"get_visible_devices", AsCFunction(Guarded<ListDevices<Visible>>),
     kKeywords,
     "get_visible_devices(device_type=None)\n--\n\n"
     "The physical devices that programs may use.\n\n"
     ">>> [device.name for device in tf.config.get_visible_devices('CPU')]\n"
     "['/physical_device:CPU:0']"},
    {"set_visible_devices", AsCFunction(Guarded<SetVisible>), kKeywords,
     "set_visible_devices(devices, device_type=None)\n--\n\n"
     "Chooses the physical devices that programs may use.\n\n"
     ">>> tf.config.set_visible_devices(tf.config.list_physical_devices())"},
    {"get_logical_device_configuration", OnlyArgument<kDevice, GetParts>,
     kKeywords,
     "get_logical_device_configuration(device)\n--\n\n"
     "How a physical device is divided; None: not at all.\n\n"
     ">>> cpu = tf.config.list_physical_devices('CPU')[0]\n"
     ">>> tf.config.get_logical_device_configuration(cpu) is None\n"
     "True"},
    {"set_logical_device_configuration", AsCFunction(Guarded<SetParts>),
     kKeywords,
     "set_logical_device_configuration(device, logical_devices)\n--\n\n"
     "Divides a physical device. Parts of the CPU share its memory: what\n"
     "`tf.device` changes is where tensors say they are.\n\n"
     "Raises ValueError for limits and priorities, which the CPU has not,\n"
     "InvalidArgumentError for more than 256 parts and RuntimeError once "
     "there\n"
     "are tensors or the devices have been listed."},
    {"get_memory_growth", OnlyArgument<kDevice, GetGrowth>, kKeywords,
     "get_memory_growth(device)\n--\n\n"
     "Memory of the CPU always grows as needed.\n\n"
     ">>> cpu = tf.config.list_physical_devices('CPU')[0]\n"
     ">>> tf.config.experimental.get_memory_growth(cpu)\n"
     "Traceback (most recent call last):\n"
     "    ...\n"
     "ValueError: Cannot get memory growth on non-GPU and non-Pluggable "
     "devices: PhysicalDevice(name='/physical_device:CPU:0', "
     "device_type='CPU')"},
    {"set_memory_growth", AsCFunction(Guarded<SetGrowth>), kKeywords,
     "set_memory_growth(device, enable)\n--\n\n"
     "Memory of the CPU always grows as needed."},
    {"get_device_details", OnlyArgument<kDevice, Details>, kKeywords,
     "get_device_details(device)\n--\n\n"
     "Facts about a device; none are known of the CPU.\n\n"
     ">>> cpu = tf.config.list_physical_devices('CPU')[0]\n"
     ">>> tf.config.experimental.get_device_details(cpu)\n"
     "{}"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void AddDeviceTypes(nb::module_& m) {
  AddDeviceSpec(m);
  physical_type = NamedTuple(
      m, "PhysicalDevice", Fields({"name", "device_type"}), nb::none(),
      "A device of this machine.\n\n"
      ">>> tf.config.list_physical_devices('CPU')[0].device_type\n"
      "'CPU'");
  logical_type = NamedTuple(
      m, "LogicalDevice", Fields({"name", "device_type"}), nb::none(),
      "A device that programs run on.\n\n"
      ">>> tf.config.list_logical_devices('CPU')[0].device_type\n"
      "'CPU'");
  configuration_type = NamedTuple(
      m, "LogicalDeviceConfiguration",
      Fields({"memory_limit", "experimental_priority",
              "experimental_device_ordinal"}),
      nb::make_tuple(nb::none(), nb::none(), nb::none()),
      "How a physical device is divided.\n\n"
      ">>> tf.config.LogicalDeviceConfiguration(memory_limit=64).memory_limit\n"
      "64");
  cpu = physical_type("/physical_device:CPU:0", "CPU").release();
  Set().visible.append(cpu);
  if (PyModule_AddFunctions(m.ptr(), functions) < 0) throw nb::python_error();
}

}  // namespace gk::py
