#include "eager/device_settings.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "framework/logical_device.h"
#include "framework/op_registry.h"
#include "framework/tensor.h"

namespace gk {
namespace {

constexpr std::string_view kCpuType = "CPU";

// The number of the last tensor that a record has as an attribute's default.
uint64_t LastOfRecords() {
  uint64_t last = 0;
  for (const OpRecord* record : OpRegistry::Get().all()) {
    for (const AttrDef& attr : record->def->attrs) {
      if (!attr.default_value) continue;
      const auto* tensor = std::get_if<Tensor>(&*attr.default_value);
      if (tensor != nullptr && *tensor) last = std::max(last, tensor->id());
    }
  }
  return last;
}

struct Settings {
  std::mutex mutex;
  std::vector<KnownDevice> visible{PhysicalCpu()};
  DeviceDivision division;
  bool initialized = false;
  uint64_t last_probe = LastOfRecords();

  // Has anything been made that sits on a device? Tensors are numbered: the
  // one made here follows the last one made here unless others came between.
  bool IsInitialized() {
    if (!initialized) {
      const uint64_t probe = Tensor::Scalar(0).id();
      initialized = probe != last_probe + 1;
      last_probe = probe;
    }
    return initialized;
  }
};
Settings& OfProcess() {
  static auto* const settings = new Settings();
  return *settings;
}

bool MeansCpu(DeviceKind type) { return !type || *type == kCpuType; }

Status CheckKnown(const KnownDevice& device) {
  if (device == PhysicalCpu()) return OkStatus();
  return ValueError("Unrecognized device: {}", device.PhysicalText());
}

}  // namespace

std::string KnownDevice::PhysicalText() const {
  return Format("PhysicalDevice(name='{}', device_type='{}')", name, type);
}

KnownDevice PhysicalCpu() {
  return {"/physical_device:CPU:0", std::string(kCpuType)};
}

std::vector<KnownDevice> PhysicalDevices(DeviceKind type) {
  if (!MeansCpu(type)) return {};
  return {PhysicalCpu()};
}

std::vector<KnownDevice> VisibleDevices(DeviceKind type) {
  if (!MeansCpu(type)) return {};
  Settings& settings = OfProcess();
  const std::lock_guard lock(settings.mutex);
  return settings.visible;
}

std::vector<KnownDevice> LogicalDevices(DeviceKind type) {
  Settings& settings = OfProcess();
  const std::lock_guard lock(settings.mutex);
  settings.initialized = true;
  std::vector<KnownDevice> devices;
  if (!MeansCpu(type)) return devices;
  for (int i = 0; i < NumLogicalDevices(); ++i) {
    devices.push_back({Format("/device:CPU:{}", i), std::string(kCpuType)});
  }
  return devices;
}

Status SetVisibleDevices(std::vector<KnownDevice> devices, DeviceKind type) {
  for (const KnownDevice& device : devices) {
    GK_RETURN_IF_ERROR(CheckKnown(device));
  }
  if (!MeansCpu(type)) return OkStatus();
  if (devices.empty()) {
    return RuntimeError("The CPU cannot be hidden: it runs everything");
  }
  Settings& settings = OfProcess();
  const std::lock_guard lock(settings.mutex);
  settings.visible = std::move(devices);
  return OkStatus();
}

StatusOr<DeviceDivision> GetDeviceDivision(const KnownDevice& device) {
  GK_RETURN_IF_ERROR(CheckKnown(device));
  Settings& settings = OfProcess();
  const std::lock_guard lock(settings.mutex);
  return settings.division;
}

Status SetDeviceDivision(const KnownDevice& device,
                         std::vector<LogicalDeviceConfiguration> parts) {
  GK_RETURN_IF_ERROR(CheckKnown(device));
  for (const LogicalDeviceConfiguration& part : parts) {
    if (part.memory_limit) {
      return ValueError(
          "Setting memory limit on CPU virtual devices is currently not "
          "supported");
    }
    if (part.experimental_priority) {
      return ValueError(
          "Setting experimental_priority on CPU virtual  devices is currently "
          "not supported");
    }
  }
  Settings& settings = OfProcess();
  const std::lock_guard lock(settings.mutex);
  if (settings.division == parts) return OkStatus();
  if (settings.IsInitialized()) {
    return RuntimeError(
        "Virtual devices cannot be modified after being initialized");
  }
  GK_RETURN_IF_ERROR(SetNumLogicalDevices(static_cast<int>(
      std::clamp<size_t>(parts.size(), 1, kMaxLogicalDevices + 1))));
  settings.division = std::move(parts);
  return OkStatus();
}

}  // namespace gk
