#include "function/device_scope.h"

#include <string>
#include <thread>
#include <utility>

#include "base/per_thread.h"
#include "eager/absent_device.h"
#include "framework/logical_device.h"

namespace gk {
namespace {

// The eager scopes that a thread is in.
struct EagerDevices {
  std::vector<DeviceSpec> specs;
  int refusing = 0;  // since the outermost one in which nothing can run
};
EagerDevices& Devices() { return PerThread<EagerDevices, EagerDevices>::Get(); }

thread_local OpBuilder* absent_place = nullptr;

bool IsElsewhere(const DeviceSpec& spec) {
  return (spec.job && *spec.job != "localhost") || spec.replica.value_or(0) ||
         spec.task.value_or(0);
}

// Is the device there?
bool IsHere(const DeviceSpec& spec) {
  return spec.type == "CPU" && spec.index.value_or(0) < NumLogicalDevices();
}

// What says why nothing can be made on a device; null if it can. Only this
// process is there; devices that it lacks are replaced if soft placement is
// on.
std::unique_ptr<AbsentDevice> Refusal(const DeviceSpec& spec) {
  const bool elsewhere = IsElsewhere(spec);
  if (!elsewhere && (SoftPlacement() || !spec.type || IsHere(spec))) {
    return nullptr;
  }
  const std::string name = Format(
      "/job:{}/replica:{}/task:{}/device:{}:{}", spec.job.value_or("localhost"),
      spec.replica.value_or(0), spec.task.value_or(0),
      spec.type.value_or("CPU"), spec.index.value_or(0));
  std::string available;
  for (int i = 0; i < NumLogicalDevices(); ++i) {
    available += (i > 0 ? ", " : "") + DeviceName(i);
  }
  const std::string unmet = Format(
      "Could not satisfy device specification '{}'. enable_soft_placement={}. "
      "Supported device types [CPU]. All available devices [{}].",
      name, static_cast<int>(SoftPlacement()), available);
  return std::make_unique<AbsentDevice>(
      unmet, elsewhere ? name + " unknown device." : unmet);
}

}  // namespace

class DeviceScope::Eager {
 public:
  explicit Eager(const std::optional<DeviceSpec>& spec) {
    EagerDevices& devices = Devices();
    DeviceSpec merged = spec.value_or(DeviceSpec());
    if (spec && !devices.specs.empty()) {
      merged = devices.specs.back().MergedWith(*spec);
    }
    absent_ = Refusal(merged);
    const int index = IsHere(merged) ? merged.index.value_or(0) : 0;
    devices.specs.push_back(std::move(merged));
    if (absent_ || devices.refusing > 0) {
      place_before_ = std::exchange(absent_place, absent_.get());
      scope_ = std::make_unique<OpBuilder::Scope>(EagerPlace());
      ++devices.refusing;
    }
    device_before_ = CurrentDevice();
    SetCurrentDevice(index);
  }
  ~Eager() {
    // What another thread has stays.
    if (!IsOnItsThread()) {
      (void)scope_.release();
      (void)absent_.release();
      return;
    }
    SetCurrentDevice(device_before_);
    if (scope_) {
      scope_.reset();
      absent_place = place_before_;
      --Devices().refusing;
    }
    Devices().specs.pop_back();
  }

  bool IsOnItsThread() const { return thread_ == std::this_thread::get_id(); }

 private:
  const std::thread::id thread_ = std::this_thread::get_id();
  int device_before_ = 0;
  std::unique_ptr<AbsentDevice> absent_;  // null if all can run
  std::unique_ptr<OpBuilder::Scope> scope_;
  OpBuilder* place_before_ = nullptr;
};

DeviceScope::DeviceScope(std::optional<DeviceSpec> spec)
    : spec_(std::move(spec)) {}

DeviceScope::~DeviceScope() {
  while (!entered_.empty()) entered_.pop_back();
}

void DeviceScope::Enter() {
  Entered entered{Ref<FuncGraph>(FuncGraph::Current()), nullptr};
  if (entered.graph) {
    entered.graph->scopes().PushDevice(spec_);
  } else {
    entered.eager = std::make_unique<Eager>(spec_);
  }
  entered_.push_back(std::move(entered));
}

Status DeviceScope::Exit() {
  if (entered_.empty()) return OkStatus();
  const Entered& last = entered_.back();
  if (last.graph) {
    last.graph->scopes().PopDevice();
  } else if (!last.eager->IsOnItsThread()) {
    return LeftElsewhere("tf.device");
  }
  entered_.pop_back();
  return OkStatus();
}

OpBuilder* EagerPlace() {
  return absent_place ? absent_place : OpBuilder::Eager();
}

Status LeftElsewhere(std::string_view scope) {
  return RuntimeError(
      "A {} was left on another thread than the one that entered it", scope);
}

}  // namespace gk
