// DeviceSpec: the name of a device, taken apart; what is missing is open.
#ifndef GK_FRAMEWORK_DEVICE_SPEC_H_
#define GK_FRAMEWORK_DEVICE_SPEC_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace gk {

struct DeviceSpec {
  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  std::optional<std::string> type;  // "CPU"
  std::optional<int> index;

  // "/job:worker/task:1/device:CPU:0", "cpu:0"; ValueError if it is none.
  static StatusOr<DeviceSpec> Parse(std::string_view name);
  std::string ToString() const;
  // This spec with what `inner` says.
  DeviceSpec MergedWith(const DeviceSpec& inner) const;

  friend bool operator==(const DeviceSpec&, const DeviceSpec&) = default;
};

// "cpu" is written "CPU".
std::string DeviceTypeName(std::string_view name);

}  // namespace gk

#endif  // GK_FRAMEWORK_DEVICE_SPEC_H_
