// Locks that ops take and give back.
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "framework/op_registry.h"
#include "framework/variant.h"
#include "ops/named_resource.h"
#include "ops/queue/waiting.h"

namespace gk {
namespace {

class MutexResource final : public Resource {
 public:
  std::string_view kind() const override { return "Mutex"; }
  std::string_view type_name() const override { return "tensorflow::Mutex"; }

  Status Take(const CancellationToken* cancellation) {
    Waiting waiting(cancellation);
    Waiting::Lock lock(mutex_);
    while (is_taken_) GK_RETURN_IF_ERROR(waiting.Once(lock, changed_));
    is_taken_ = true;
    return OkStatus();
  }
  void GiveBack() {
    const std::lock_guard lock(mutex_);
    is_taken_ = false;
    changed_.notify_all();
  }

 private:
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  std::condition_variable_any changed_;
  bool is_taken_ = false;
};

// Holds the lock until it is given back, or nobody has it any more.
class HeldMutex final : public VariantObject {
 public:
  explicit HeldMutex(Ref<MutexResource> mutex) : mutex_(std::move(mutex)) {}
  ~HeldMutex() override { GiveBack(); }
  std::string_view type_name() const override {
    return "tensorflow::SharedLockReleaser";
  }
  void GiveBack() {
    if (!is_held_.exchange(false)) return;
    mutex_->GiveBack();
  }

 private:
  const Ref<MutexResource> mutex_;
  std::atomic<bool> is_held_{true};
};

Status ComputeMutex(KernelContext& c) {
  return OutputResource(c, "mutex", {},
                        [](const std::string&) -> StatusOr<Ref<Resource>> {
                          return Ref<Resource>(MakeRef<MutexResource>());
                        });
}

Status ComputeLock(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Ref<MutexResource> mutex,
                      ResourceOf<MutexResource>(c.input(0), "mutex"));
  GK_RETURN_IF_ERROR(mutex->Take(c.cancellation()));
  c.set_output(0,
               Tensor::Scalar(Variant(MakeRef<HeldMutex>(std::move(mutex)))));
  return OkStatus();
}

Status ComputeConsume(KernelContext& c) {
  const Tensor& lock = c.input(0);
  auto* held = lock.dtype() == DataType::kVariant && lock.num_elements() == 1
                   ? lock.scalar<Variant>().As<HeldMutex>()
                   : nullptr;
  if (held == nullptr) {
    return InvalidArgument(
        "Expected input to be a variant with the lock of a mutex, got {}",
        lock.DebugString(1));
  }
  held->GiveBack();
  return OkStatus();
}

Status MutexShape(InferenceContext& c) {
  c.set_output(0, PartialTensorShape(TensorShape()));
  return OkStatus();
}

constexpr uint64_t kMutexTraits = kStateful | kNoGradient;

const OpRecord kRecords[] = {
    {.name = "MutexV2",
     .inputs = "",
     .outputs = "resource: resource",
     .attrs = "container: string = ''; shared_name: string = ''",
     .traits = kMutexTraits,
     .shape = MutexShape,
     .kernel = {.compute = ComputeMutex},
     .doc = "A lock that ops take."},

    {.name = "MutexLock",
     .inputs = "mutex: resource",
     .outputs = "mutex_lock: variant",
     .attrs = "",
     .traits = kMutexTraits | kReadsResource | kWritesResource,
     .shape = MutexShape,
     .kernel = {.compute = ComputeLock},
     .doc = "Takes a lock; waits while another has it."},

    {.name = "ConsumeMutexLock",
     .inputs = "mutex_lock: variant",
     .outputs = "",
     .attrs = "",
     .traits = kMutexTraits,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeConsume},
     .doc = "Gives a lock back."},
};

}  // namespace

GK_REGISTER_OPS(queue_mutex)

}  // namespace gk
