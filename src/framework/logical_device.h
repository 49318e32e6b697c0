// Logical devices: parts of the CPU that programs tell apart by a number.
//
// They share memory and kernels; what differs is what tensors say of
// themselves. A tensor belongs to the device that its thread had chosen when
// it was made. As long as there is one device, all this costs the look at one
// flag for each tensor made. Thread-safe.
#ifndef GK_FRAMEWORK_LOGICAL_DEVICE_H_
#define GK_FRAMEWORK_LOGICAL_DEVICE_H_

#include <atomic>
#include <string>
#include <string_view>

#include "framework/tensor.h"

namespace gk {

inline constexpr int kMaxLogicalDevices = 256;

namespace internal {
// The number of devices, and a bit for the log: what runs often asks for
// both at once.
extern std::atomic<int> devices;
inline constexpr int kLogBit = 1 << 16;
}  // namespace internal

inline int NumLogicalDevices() {
  return internal::devices.load(std::memory_order_relaxed) &
         (internal::kLogBit - 1);
}
// Does it matter where something is? Also true while the log is on.
inline bool MindsDevices() {
  return internal::devices.load(std::memory_order_relaxed) > 1;
}
// Is it written to the log where ops run?
inline bool LogsPlacement() {
  return (internal::devices.load(std::memory_order_relaxed) &
          internal::kLogBit) != 0;
}
void SetLogsPlacement(bool on);

// InvalidArgument unless 1 <= count <= kMaxLogicalDevices.
Status SetNumLogicalDevices(int count);

// The device on which this thread makes tensors.
int CurrentDevice();
void SetCurrentDevice(int device);

class DeviceGuard {
 public:
  explicit DeviceGuard(int device) : saved_(CurrentDevice()) {
    SetCurrentDevice(device);
  }
  ~DeviceGuard() { SetCurrentDevice(saved_); }
  DeviceGuard(const DeviceGuard&) = delete;

 private:
  int saved_;
};

// Where a value is; 0 for symbolic tensors.
int DeviceOf(const Tensor& t);
// `t` if it is on `device`, else the same elements as a new tensor there.
Tensor OnDevice(const Tensor& t, int device);
// "/job:localhost/replica:0/task:0/device:CPU:1".
std::string DeviceName(int device);
// The device that a name such as "/device:CPU:1" asks for; 0 if there is
// none such. -1 if the name leaves it open.
int FindDevice(std::string_view name);

// For Tensor: a value of the current device.
TensorImpl* NewTensorImpl(DataType dtype, const TensorShape& shape);

}  // namespace gk

#endif  // GK_FRAMEWORK_LOGICAL_DEVICE_H_
