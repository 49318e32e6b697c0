#include "graphkiln/device.h"

#include <utility>

#include "api/inner.h"
#include "eager/absent_device.h"
#include "eager/device_settings.h"
#include "framework/logical_device.h"
#include "function/device_scope.h"

namespace gk::api {
namespace {

::gk::DeviceSpec Inner(const DeviceSpec& s) {
  ::gk::DeviceSpec spec{s.job, s.replica, s.task, s.device_type,
                        s.device_index};
  if (spec.type) spec.type = DeviceTypeName(*spec.type);
  return spec;
}
DeviceSpec OuterSpec(::gk::DeviceSpec s) {
  return {std::move(s.job), s.replica, s.task, std::move(s.type), s.index};
}

template <class Device>
std::vector<Device> Listed(const std::vector<KnownDevice>& known) {
  std::vector<Device> devices;
  for (const KnownDevice& d : known) devices.push_back({d.name, d.type});
  return devices;
}

}  // namespace

DeviceSpec DeviceSpec::from_string(std::string_view spec) {
  return Guarded(
      [&] { return OuterSpec(ValueOrThrow(::gk::DeviceSpec::Parse(spec))); });
}
DeviceSpec DeviceSpec::make_merged_spec(const DeviceSpec& inner) const {
  return OuterSpec(Inner(*this).MergedWith(Inner(inner)));
}
std::string DeviceSpec::to_string() const { return Inner(*this).ToString(); }
bool operator==(const DeviceSpec& a, const DeviceSpec& b) {
  return Inner(a) == Inner(b);
}

struct device::Rep {
  explicit Rep(std::optional<::gk::DeviceSpec> spec) : scope(std::move(spec)) {
    EnsureReady();
    scope.Enter();
  }
  DeviceScope scope;
};
device::device(std::string_view name) : device(DeviceSpec::from_string(name)) {}
device::device(const DeviceSpec& spec)
    : rep_(std::make_unique<Rep>(Inner(spec))) {}
device::device(std::nullopt_t) : rep_(std::make_unique<Rep>(std::nullopt)) {}
// On another thread there is nothing to leave, nor a way to say so.
device::~device() { (void)rep_->scope.Exit(); }

namespace config {

bool operator==(const PhysicalDevice& a, const PhysicalDevice& b) {
  return a.name == b.name && a.device_type == b.device_type;
}
bool operator==(const LogicalDevice& a, const LogicalDevice& b) {
  return a.name == b.name && a.device_type == b.device_type;
}

std::vector<PhysicalDevice> list_physical_devices(
    std::optional<std::string_view> device_type) {
  return Listed<PhysicalDevice>(PhysicalDevices(device_type));
}
std::vector<PhysicalDevice> get_visible_devices(
    std::optional<std::string_view> device_type) {
  return Listed<PhysicalDevice>(VisibleDevices(device_type));
}
std::vector<LogicalDevice> list_logical_devices(
    std::optional<std::string_view> device_type) {
  return Listed<LogicalDevice>(LogicalDevices(device_type));
}
void set_visible_devices(const std::vector<PhysicalDevice>& devices,
                         std::optional<std::string_view> device_type) {
  std::vector<KnownDevice> known;
  for (const PhysicalDevice& d : devices) {
    known.push_back({d.name, d.device_type});
  }
  ThrowUnlessOk(SetVisibleDevices(std::move(known), device_type));
}

std::optional<std::vector<LogicalDeviceConfiguration>>
get_logical_device_configuration(const PhysicalDevice& device) {
  return Guarded([&] {
    std::optional<std::vector<LogicalDeviceConfiguration>> parts;
    if (const DeviceDivision division = ValueOrThrow(
            GetDeviceDivision({device.name, device.device_type}))) {
      parts.emplace();
      for (const ::gk::LogicalDeviceConfiguration& part : *division) {
        parts->push_back({part.memory_limit, part.experimental_priority,
                          part.experimental_device_ordinal});
      }
    }
    return parts;
  });
}
void set_logical_device_configuration(
    const PhysicalDevice& device,
    const std::vector<LogicalDeviceConfiguration>& logical_devices) {
  std::vector<::gk::LogicalDeviceConfiguration> parts;
  for (const LogicalDeviceConfiguration& part : logical_devices) {
    parts.push_back({part.memory_limit, part.experimental_priority,
                     part.experimental_device_ordinal});
  }
  ThrowUnlessOk(
      SetDeviceDivision({device.name, device.device_type}, std::move(parts)));
}

bool get_soft_device_placement() { return SoftPlacement(); }
void set_soft_device_placement(bool enabled) { SetSoftPlacement(enabled); }

}  // namespace config

namespace debugging {

bool get_log_device_placement() { return LogsPlacement(); }
void set_log_device_placement(bool enabled) { SetLogsPlacement(enabled); }

}  // namespace debugging

}  // namespace gk::api
