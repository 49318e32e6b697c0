#include "framework/logical_device.h"

#include <charconv>

namespace gk {
namespace {

class PlacedTensorImpl final : public TensorImpl {
 public:
  PlacedTensorImpl(DataType dtype, const TensorShape& shape, int device)
      : TensorImpl(dtype, shape), device_(static_cast<uint8_t>(device)) {}
  int device() const { return device_; }

 private:
  uint8_t device_;
};

thread_local int current_device = 0;

}  // namespace

namespace internal {
std::atomic<int> devices{1};
}  // namespace internal

Status SetNumLogicalDevices(int count) {
  if (count < 1 || count > kMaxLogicalDevices) {
    return InvalidArgument("Between 1 and {} logical devices, not {}",
                           kMaxLogicalDevices, count);
  }
  const int log = LogsPlacement() ? internal::kLogBit : 0;
  internal::devices.store(count | log, std::memory_order_relaxed);
  return OkStatus();
}

void SetLogsPlacement(bool on) {
  if (on) {
    internal::devices.fetch_or(internal::kLogBit, std::memory_order_relaxed);
  } else {
    internal::devices.fetch_and(~internal::kLogBit, std::memory_order_relaxed);
  }
}

int CurrentDevice() { return current_device; }
void SetCurrentDevice(int device) { current_device = device; }

int DeviceOf(const Tensor& t) {
  if (!MindsDevices() || !t || t.is_symbolic()) return 0;
  const auto* placed = dynamic_cast<const PlacedTensorImpl*>(t.impl());
  return placed == nullptr ? 0 : placed->device();
}

Tensor OnDevice(const Tensor& t, int device) {
  if (!t || t.is_symbolic() || DeviceOf(t) == device) return t;
  DeviceGuard guard(device);
  return t.Alias();
}

std::string DeviceName(int device) {
  return Format("/job:localhost/replica:0/task:0/device:CPU:{}", device);
}

int FindDevice(std::string_view name) {
  constexpr std::string_view kCpu = "/device:CPU:";
  if (name.find("/device:") == std::string_view::npos) return -1;
  const size_t at = name.find(kCpu);
  if (at == std::string_view::npos) return 0;
  const char* begin = name.data() + at + kCpu.size();
  int device = 0;
  const auto [end, error] =
      std::from_chars(begin, name.data() + name.size(), device);
  const bool whole =
      error == std::errc() && (end == name.data() + name.size() || *end == '/');
  return whole && device > 0 && device < NumLogicalDevices() ? device : 0;
}

TensorImpl* NewTensorImpl(DataType dtype, const TensorShape& shape) {
  if (MindsDevices() && current_device != 0) [[unlikely]] {
    return new PlacedTensorImpl(dtype, shape, current_device);
  }
  return new TensorImpl(dtype, shape);
}

}  // namespace gk
