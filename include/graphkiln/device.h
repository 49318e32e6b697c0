// Devices: the names of them, scopes that ask for one, and what there is.
//
//   const gk::device there("/device:CPU:1");
//   gk::Tensor x = 1.f;  // x.device() tells where it is
//
// There is one physical device, the CPU, which runs everything. A program may
// divide it into logical devices, before it makes its first tensor: they share
// memory and kernels, and tensors tell on which of them they are.
#ifndef GRAPHKILN_DEVICE_H_
#define GRAPHKILN_DEVICE_H_

#include <graphkiln/export.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gk {
GK_API_NAMESPACE {
  // Which device: what is not given is left open.
  struct GK_EXPORT DeviceSpec {
    std::optional<std::string> job = {};
    std::optional<int> replica = {};
    std::optional<int> task = {};
    std::optional<std::string> device_type = {};  // "CPU"
    std::optional<int> device_index = {};

    // Takes a name such as "/job:worker/task:1/device:CPU:0" or "cpu:0" apart.
    // Throws Error (ValueError) if it is none.
    static DeviceSpec from_string(std::string_view spec);
    // This spec with what `inner` says.
    DeviceSpec make_merged_spec(const DeviceSpec& inner) const;
    // "/job:worker/task:1/device:CPU:0".
    std::string to_string() const;
    friend GK_EXPORT bool operator==(const DeviceSpec& a, const DeviceSpec& b);
  };

  // What this thread makes while it lives asks for a device: the nodes of a
  // graph say so, other tensors are there. A scope inside another adds to what
  // that one says. Scopes end on the thread that began them, the last first.
  //
  // A device that this machine lacks is replaced by one that it has. Without
  // soft placement, and on other machines, what is made there throws Error
  // (kInvalidArgument).
  class GK_EXPORT device {
   public:
    // Throws Error (ValueError) for what is no name of a device.
    explicit device(std::string_view name);
    explicit device(const DeviceSpec& spec);
    // No device, whatever the scopes around say.
    explicit device(std::nullopt_t);
    ~device();
    device(const device&) = delete;

   private:
    struct Rep;
    std::unique_ptr<Rep> rep_;
  };

  namespace config {

  // A device of this machine.
  struct PhysicalDevice {
    std::string name;         // "/physical_device:CPU:0"
    std::string device_type;  // "CPU"
    friend GK_EXPORT bool operator==(const PhysicalDevice& a,
                                     const PhysicalDevice& b);
  };
  // One that programs can name.
  struct LogicalDevice {
    std::string name;         // "/device:CPU:1"
    std::string device_type;  // "CPU"
    friend GK_EXPORT bool operator==(const LogicalDevice& a,
                                     const LogicalDevice& b);
  };
  // How a physical device is divided: what one of its parts gets. Parts of the
  // CPU have neither limits nor priorities.
  struct LogicalDeviceConfiguration {
    std::optional<double> memory_limit = {};
    std::optional<int64_t> experimental_priority = {};
    std::optional<int64_t> experimental_device_ordinal = {};
  };

  // All, or those of a type ("CPU"): the devices of this machine, those of them
  // that the program may use, and those that it can name. Once the last were
  // asked for the CPU cannot be divided any more.
  GK_EXPORT std::vector<PhysicalDevice> list_physical_devices(
      std::optional<std::string_view> device_type = std::nullopt);
  GK_EXPORT std::vector<PhysicalDevice> get_visible_devices(
      std::optional<std::string_view> device_type = std::nullopt);
  GK_EXPORT std::vector<LogicalDevice> list_logical_devices(
      std::optional<std::string_view> device_type = std::nullopt);
  // Chooses what the program may use. Throws Error: ValueError for devices that
  // are not there, RuntimeError for none: the CPU runs everything.
  GK_EXPORT void set_visible_devices(
      const std::vector<PhysicalDevice>& devices,
      std::optional<std::string_view> device_type = std::nullopt);

  // How a device is divided; nullopt: it is not.
  GK_EXPORT std::optional<std::vector<LogicalDeviceConfiguration>>
  get_logical_device_configuration(const PhysicalDevice& device);
  // Divides it, before there are tensors or the devices have been listed; later
  // it throws Error (RuntimeError). The same for a limit or a priority
  // (ValueError), and for more than 256 parts (kInvalidArgument).
  GK_EXPORT void set_logical_device_configuration(
      const PhysicalDevice& device,
      const std::vector<LogicalDeviceConfiguration>& logical_devices);

  // Does what asks for a device that this machine lacks run elsewhere?
  GK_EXPORT bool get_soft_device_placement();
  GK_EXPORT void set_soft_device_placement(bool enabled);

  }  // namespace config

  namespace debugging {

  // Is the device of each op written to the log? Eager ops and calls of
  // functions tell it on stderr, the nodes of a function on stdout when its
  // plan is made. The environment variable TF_CPP_MIN_LOG_LEVEL=1 silences the
  // log.
  GK_EXPORT bool get_log_device_placement();
  GK_EXPORT void set_log_device_placement(bool enabled);

  }  // namespace debugging

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_DEVICE_H_
