#include "python/src/host/device_types.h"

#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eager/device_settings.h"
#include "framework/device_spec.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/late_attributes.h"
#include "python/src/binding/text_caster.h"
#include "python/src/control_flow/staged_values.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

// ---- tf.DeviceSpec ----

constexpr const char* kParts[] = {"job", "replica", "task", "device_type",
                                  "device_index"};
// What Python keeps them in, as TensorFlow does: either reads what the other
// has pickled.
constexpr const char* kSlots[] = {"_job", "_replica", "_task", "_device_type",
                                  "_device_index"};
nb::handle device_spec;  // the class, for ever

template <class T>
nb::object Shown(const std::optional<T>& part) {
  return part ? nb::cast(*part) : nb::none();
}
std::optional<std::string> Word(nb::handle given) {
  if (given.is_none()) return std::nullopt;
  return TextOf(given);
}
std::optional<int> Number(nb::handle given) {
  if (given.is_none()) return std::nullopt;
  const nb::object number = Owned(PyNumber_Long(given.ptr()));
  int overflow = 0;
  const long n = PyLong_AsLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0 || n != static_cast<int>(n)) {
    Throw(ValueError("{} is no number of a device", TextOf(number)));
  }
  return static_cast<int>(n);
}

DeviceSpec SpecOf(nb::handle self) {
  return {Word(self.attr("_job")), Number(self.attr("_replica")),
          Number(self.attr("_task")), Word(self.attr("_device_type")),
          Number(self.attr("_device_index"))};
}
nb::tuple Parts(nb::handle self) {
  nb::list parts;
  for (const char* slot : kSlots) parts.append(self.attr(slot));
  return nb::tuple(parts);
}
void Keep(nb::handle self, const DeviceSpec& spec) {
  SetParts(self, {{"_job", Shown(spec.job)},
                  {"_replica", Shown(spec.replica)},
                  {"_task", Shown(spec.task)},
                  {"_device_type", Shown(spec.type)},
                  {"_device_index", Shown(spec.index)}});
}
nb::object Made(const DeviceSpec& spec) {
  nb::object made = NewValue(device_spec, {});
  Keep(made, spec);
  return made;
}

nb::object Init(nb::handle self, nb::handle job, nb::handle replica,
                nb::handle task, nb::handle type, nb::handle index) {
  DeviceSpec spec{Word(job), Number(replica), Number(task), Word(type),
                  Number(index)};
  if (spec.type) spec.type = DeviceTypeName(*spec.type);
  Keep(self, spec);
  return nb::none();
}
nb::object FromString(nb::handle, nb::handle name) {
  return Made(ValueOrThrow(DeviceSpec::Parse(TextOf(name))));
}
nb::object Merged(nb::handle self, nb::handle other) {
  return Made(SpecOf(self).MergedWith(SpecOf(other)));
}
nb::object Replaced(nb::handle self, nb::dict given) {
  nb::dict parts;
  const nb::tuple known = Parts(self);
  for (size_t i = 0; i < std::size(kParts); ++i) parts[kParts[i]] = known[i];
  parts.update(given);
  return device_spec(**parts);
}
nb::object ToString(nb::handle self) {
  return nb::cast(SpecOf(self).ToString());
}
nb::object Equal(nb::handle self, nb::handle other) {
  return nb::bool_(nb::isinstance(other, device_spec) &&
                   SpecOf(self) == SpecOf(other));
}
nb::object Hash(nb::handle self) { return nb::int_(nb::hash(Parts(self))); }
nb::object Repr(nb::handle self) {
  std::string text = "<DeviceSpec(";
  const nb::tuple parts = Parts(self);
  for (size_t i = 0; i < std::size(kParts); ++i) {
    text += Format("{}{}={}", i > 0 ? ", " : "", kParts[i], TextOf(parts[i]));
  }
  return nb::cast(text + ")>");
}

// TensorFlow's pickles hold a text and a hash beside the parts.
nb::object SetState(nb::handle self, nb::handle state) {
  const nb::object parts = nb::isinstance<nb::tuple>(state)
                               ? nb::object(state[1])
                               : nb::borrow(state);
  for (const char* slot : kSlots) {
    self.attr(slot) = parts.attr("get")(slot);
  }
  return nb::none();
}

PyMethodDef spec_methods[] = {
    GK_METHOD("__init__",
              "job=None, replica=None, task=None, device_type=None, "
              "device_index=None",
              Init, ""),
    GK_STATIC_METHOD("from_string", "spec", FromString,
                     "Takes a name such as \"/job:worker/task:1/device:CPU:0\" "
                     "apart.\n\nRaises ValueError if it is none."),
    GK_METHOD("parse_from_string", "spec", FromString,
              "The same as `from_string`."),
    GK_METHOD("make_merged_spec", "dev", Merged,
              "This spec with the parts of `dev` that are not open."),
    GK_METHOD("replace", "**kwargs", Replaced,
              "This spec with other parts.\n\n"
              ">>> tf.DeviceSpec(device_type='CPU').replace(\n"
              "...     device_index=1).to_string()\n"
              "'/device:CPU:1'"),
    GK_METHOD("to_string", "", ToString, "The name of the device."),
    GK_METHOD("__eq__", "other", Equal, ""),
    GK_METHOD("__setstate__", "state", SetState, ""),
    GK_METHOD("__hash__", "", Hash, ""),
    GK_METHOD("__repr__", "", Repr, ""),
    {}};
PyGetSetDef spec_parts[] = {
    GK_PROPERTY("job", Part<"_job">, "The job's name."),
    GK_PROPERTY("replica", Part<"_replica">, "Its replica."),
    GK_PROPERTY("task", Part<"_task">, "The task's number."),
    GK_PROPERTY("device_type", Part<"_device_type">, "\"CPU\" and so on."),
    GK_PROPERTY("device_index", Part<"_device_index">, "Which of them."),
    {}};

void AddDeviceSpec(nb::module_& m) {
  device_spec = AddClass(
      m, "DeviceSpec", {}, Slots(std::begin(kSlots), std::end(kSlots)),
      "DeviceSpec(job=None, replica=None, task=None, device_type=None, "
      "device_index=None)\n--\n\n"
      "Which device: any part that is None is left open.\n\n"
      "Raises ValueError for parts that are no numbers where numbers belong.\n"
      "\n>>> tf.DeviceSpec.from_string('/job:worker/cpu:0').to_string()\n"
      "'/job:worker/device:CPU:0'",
      spec_methods, spec_parts);
}

// ---- Devices of this machine ----

// Made when they are first needed: `namedtuple` takes a module of Python's and
// compiles code.
MadeOnce physical_type, logical_type, configuration_type;

nb::handle NamedTuple(MadeOnce& once, const char* name,
                      std::initializer_list<const char*> names,
                      nb::object defaults, const char* doc) {
  return once.Get([&] {
    nb::list fields;
    for (const char* field : names) fields.append(field);
    nb::object type =
        nb::module_::import_("collections")
            .attr("namedtuple")(name, fields, nb::arg("defaults") = defaults,
                                nb::arg("module") = "graphkiln._graphkiln");
    type.attr("__doc__") = doc;
    return type.release().ptr();
  });
}
nb::handle PhysicalDevice() {
  return NamedTuple(
      physical_type, "PhysicalDevice", {"name", "device_type"}, nb::none(),
      "A device of this machine.\n\n"
      ">>> tf.config.list_physical_devices('CPU')[0].device_type\n"
      "'CPU'");
}
nb::handle LogicalDevice() {
  return NamedTuple(logical_type, "LogicalDevice", {"name", "device_type"},
                    nb::none(),
                    "A device that programs run on.\n\n"
                    ">>> tf.config.list_logical_devices('CPU')[0].device_type\n"
                    "'CPU'");
}
nb::handle LogicalDeviceConfigurationType() {
  return NamedTuple(
      configuration_type, "LogicalDeviceConfiguration",
      {"memory_limit", "experimental_priority", "experimental_device_ordinal"},
      nb::make_tuple(nb::none(), nb::none(), nb::none()),
      "How a physical device is divided.\n\n"
      ">>> tf.config.LogicalDeviceConfiguration(memory_limit=64).memory_limit\n"
      "64");
}
template <nb::handle (*kType)()>
PyObject* Shared() {
  return Py_NewRef(kType().ptr());
}
nb::object Physical(const KnownDevice& device) {
  return PhysicalDevice()(device.name, device.type);
}
// What the program means: an equal pair will do.
KnownDevice GivenDevice(nb::handle device) {
  const KnownDevice cpu = PhysicalCpu();
  if (!device.equal(Physical(cpu))) {
    Throw(ValueError("Unrecognized device: {}", TextOf(device)));
  }
  return cpu;
}

// Calls `then` with the type of devices that is asked for; None, or what is
// the name of none, as it is.
template <class Then>
auto OfKind(nb::handle type, Then then) {
  if (type.is_none()) return then(DeviceKind());
  const std::string name = nb::isinstance<nb::str>(type) ? TextOf(type) : "";
  return then(DeviceKind(name));
}
// The one argument of all three may be left out.
template <std::vector<KnownDevice> (*kList)(DeviceKind), nb::handle (*kType)()>
nb::object ListDevices(nb::handle, nb::handle type) {
  nb::list devices;
  for (const KnownDevice& device : OfKind(type, kList)) {
    devices.append(kType()(device.name, device.type));
  }
  return devices;
}

nb::object SetVisible(nb::handle, nb::handle given, nb::handle type) {
  std::vector<KnownDevice> devices;
  if (nb::isinstance(given, PhysicalDevice())) {
    devices.push_back(GivenDevice(given));
  } else {
    for (nb::handle device : nb::borrow(given)) {
      devices.push_back(GivenDevice(device));
    }
  }
  ThrowIfError(OfKind(type, [&](DeviceKind kind) {
    return SetVisibleDevices(std::move(devices), kind);
  }));
  return nb::none();
}

nb::object GetDivision(nb::handle, nb::handle device) {
  const DeviceDivision division =
      ValueOrThrow(GetDeviceDivision(GivenDevice(device)));
  if (!division) return nb::none();
  nb::list parts;
  for (const LogicalDeviceConfiguration& part : *division) {
    parts.append(LogicalDeviceConfigurationType()(
        Shown(part.memory_limit), Shown(part.experimental_priority),
        Shown(part.experimental_device_ordinal)));
  }
  return parts;
}
template <class T>
std::optional<T> GivenNumber(nb::handle part, const char* name) {
  const nb::object value = part.attr(name);
  if (value.is_none()) return std::nullopt;
  return nb::cast<T>(value);
}
nb::object SetDivision(nb::handle, nb::handle device, nb::handle given) {
  const KnownDevice cpu = GivenDevice(device);
  std::vector<LogicalDeviceConfiguration> parts;
  for (nb::handle part : nb::list(nb::borrow(given))) {
    parts.push_back(
        {GivenNumber<double>(part, "memory_limit"),
         GivenNumber<int64_t>(part, "experimental_priority"),
         GivenNumber<int64_t>(part, "experimental_device_ordinal")});
  }
  ThrowIfError(SetDeviceDivision(cpu, std::move(parts)));
  return nb::none();
}

[[noreturn]] void NoGrowth(nb::handle device, std::string_view verb) {
  Throw(ValueError(
      "Cannot {} memory growth on non-GPU and non-Pluggable devices: {}", verb,
      TextOf(device)));
}
nb::object GetGrowth(nb::handle, nb::handle device) { NoGrowth(device, "get"); }
nb::object SetGrowth(nb::handle, nb::handle device, nb::handle) {
  NoGrowth(device, "set");
}
nb::object Details(nb::handle, nb::handle device) {
  if (nb::isinstance(device, PhysicalDevice())) return nb::dict();
  Throw(ValueError("device must be a tf.config.PhysicalDevice, but got: {}",
                   TextOf(device)));
}

PyMethodDef kDeviceFunctions[] = {
    GK_MODULE_FUNCTION("list_physical_devices", "device_type=None",
                       (ListDevices<PhysicalDevices, PhysicalDevice>),
                       "The devices of this machine, or those of a type.\n\n"
                       ">>> tf.config.list_physical_devices('GPU')\n"
                       "[]"),
    GK_MODULE_FUNCTION("list_logical_devices", "device_type=None",
                       (ListDevices<LogicalDevices, LogicalDevice>),
                       "The devices that programs can name.\n\n"
                       ">>> len(tf.config.list_logical_devices('CPU'))\n"
                       "1"),
    GK_MODULE_FUNCTION(
        "get_visible_devices", "device_type=None",
        (ListDevices<VisibleDevices, PhysicalDevice>),
        "The physical devices that programs may use.\n\n"
        ">>> [device.name for device in tf.config.get_visible_devices('CPU')]\n"
        "['/physical_device:CPU:0']"),
    GK_MODULE_FUNCTION(
        "set_visible_devices", "devices, device_type=None", SetVisible,
        "Chooses the physical devices that programs may use.\n\n"
        ">>> tf.config.set_visible_devices(tf.config.list_physical_devices())"),
    GK_MODULE_FUNCTION(
        "get_logical_device_configuration", "device", GetDivision,
        "How a physical device is divided; None: not at all.\n\n"
        ">>> cpu = tf.config.list_physical_devices('CPU')[0]\n"
        ">>> tf.config.get_logical_device_configuration(cpu) is None\n"
        "True"),
    GK_MODULE_FUNCTION(
        "set_logical_device_configuration", "device, logical_devices",
        SetDivision,
        "Divides a physical device. Parts of the CPU share its memory: what\n"
        "`tf.device` changes is where tensors say they are.\n\n"
        "Raises ValueError for limits and priorities, which the CPU has not,\n"
        "InvalidArgumentError for more than 256 parts and RuntimeError once "
        "there\n"
        "are tensors or the devices have been listed."),
    GK_MODULE_FUNCTION(
        "get_memory_growth", "device", GetGrowth,
        "Memory of the CPU always grows as needed.\n\n"
        ">>> cpu = tf.config.list_physical_devices('CPU')[0]\n"
        ">>> tf.config.experimental.get_memory_growth(cpu)\n"
        "Traceback (most recent call last):\n"
        "    ...\n"
        "ValueError: Cannot get memory growth on non-GPU and non-Pluggable "
        "devices: PhysicalDevice(name='/physical_device:CPU:0', "
        "device_type='CPU')"),
    GK_MODULE_FUNCTION("set_memory_growth", "device, enable", SetGrowth,
                       "Memory of the CPU always grows as needed."),
    GK_MODULE_FUNCTION("get_device_details", "device", Details,
                       "Facts about a device; none are known of the CPU.\n\n"
                       ">>> cpu = tf.config.list_physical_devices('CPU')[0]\n"
                       ">>> tf.config.experimental.get_device_details(cpu)\n"
                       "{}"),
    {}};

}  // namespace

void AddDeviceTypes(nb::module_& m) {
  AddDeviceSpec(m);
  AddLate("PhysicalDevice", Shared<PhysicalDevice>);
  AddLate("LogicalDevice", Shared<LogicalDevice>);
  AddLate("LogicalDeviceConfiguration", Shared<LogicalDeviceConfigurationType>);
  AddFunctions(m, kDeviceFunctions);
}

}  // namespace gk::py
