// Which devices there are, which of them a program may use and how it divides
// them, for both languages. There is one physical device, the CPU; its parts
// are logical devices (logical_device.h). Thread-safe.
#ifndef GK_EAGER_DEVICE_SETTINGS_H_
#define GK_EAGER_DEVICE_SETTINGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace gk {

// A device of the machine, or one that programs name.
struct KnownDevice {
  std::string name;  // "/physical_device:CPU:0", "/device:CPU:1"
  std::string type;  // "CPU"
  friend bool operator==(const KnownDevice&, const KnownDevice&) = default;
  // "PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')".
  std::string PhysicalText() const;
};
// What a program wants of a part of a device. Those of the CPU have neither
// limits nor priorities.
struct LogicalDeviceConfiguration {
  std::optional<double> memory_limit;
  std::optional<int64_t> experimental_priority, experimental_device_ordinal;
  friend bool operator==(const LogicalDeviceConfiguration&,
                         const LogicalDeviceConfiguration&) = default;
};

KnownDevice PhysicalCpu();
// Those of a type, or all.
using DeviceKind = std::optional<std::string_view>;
std::vector<KnownDevice> PhysicalDevices(DeviceKind type = {});
std::vector<KnownDevice> VisibleDevices(DeviceKind type = {});
// From now on they cannot be divided anew.
std::vector<KnownDevice> LogicalDevices(DeviceKind type = {});
// ValueError for devices that are not there, RuntimeError if there is none:
// the CPU runs everything.
Status SetVisibleDevices(std::vector<KnownDevice> devices,
                         DeviceKind type = {});

// nullopt: it is not divided. ValueError for a device that is not there.
using DeviceDivision = std::optional<std::vector<LogicalDeviceConfiguration>>;
StatusOr<DeviceDivision> GetDeviceDivision(const KnownDevice& device);
// ValueError for what a part of the CPU cannot have, InvalidArgument for more
// than kMaxLogicalDevices parts, RuntimeError once there are tensors or the
// devices have been listed, unless it is divided like that already.
Status SetDeviceDivision(const KnownDevice& device,
                         std::vector<LogicalDeviceConfiguration> parts);

}  // namespace gk

#endif  // GK_EAGER_DEVICE_SETTINGS_H_
