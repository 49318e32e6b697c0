#include "framework/logical_device.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "framework/print_sink.h"

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

// As TensorFlow's log has it; TF_CPP_MIN_LOG_LEVEL silences it.
void LogLine(const std::string& text) {
  static const bool silent = [] {
    const char* level = std::getenv("TF_CPP_MIN_LOG_LEVEL");
    return level != nullptr && std::atoi(level) > 0;
  }();
  if (silent) return;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  char head[64];
  std::snprintf(head, sizeof(head), "I0000 00:00:%lld.%06ld %7ld ",
                static_cast<long long>(now.tv_sec), now.tv_nsec / 1000,
                static_cast<long>(syscall(SYS_gettid)));
  (void)Print(PrintStream::kStderr, Format("{}placement] {}\n", head, text));
}

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

void LogExecution(std::string_view op, int device) {
  LogLine(Format("Executing op {} in device {}", op, DeviceName(device)));
}

void LogPlacement(std::string_view node, std::string_view op, int device) {
  const std::string text = Format("{}: ({}): {}", node, op, DeviceName(device));
  // A log that cannot be written stops no program.
  (void)Print(PrintStream::kStdout, text + "\n");
  LogLine(text);
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
