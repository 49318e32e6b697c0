// Tensors that one run of a session leaves for others.
#include <mutex>

#include "framework/op_registry.h"
#include "framework/resource_manager.h"
#include "ops/queue/session_tensors.h"

namespace gk {

StatusOr<Ref<SessionTensors>> SessionTensors::Of(const std::string& container) {
  GK_ASSIGN_OR_RETURN(
      const Ref<Resource> found,
      ResourceManager::Get().FindOrMake(
          {container, "session_tensors", "session_tensors"},
          [] { return Ref<Resource>(MakeRef<SessionTensors>()); }));
  return Ref<SessionTensors>(static_cast<SessionTensors*>(found.get()));
}

std::string SessionTensors::Keep(Tensor tensor) {
  const std::lock_guard lock(mutex_);
  std::string handle =
      Format("GetSessionHandle;{};/job:localhost/replica:0/task:0/device:CPU:0",
             next_id_++);
  kept_.emplace(handle, std::move(tensor));
  return handle;
}

StatusOr<Tensor> SessionTensors::Find(const std::string& handle) const {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(handle);
  if (found != kept_.end()) return found->second;
  return InvalidArgument(
      "The tensor with handle '{}' is not in the session store.", handle);
}

Status SessionTensors::Delete(const std::string& handle) {
  Tensor dropped;
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(handle);
  if (found == kept_.end()) {
    return InvalidArgument(
        "Failed to delete a tensor with handle '{}' in the session store.",
        handle);
  }
  dropped = std::move(found->second);
  kept_.erase(found);
  return OkStatus();
}

namespace {

StatusOr<Ref<SessionTensors>> TensorsOf(const KernelContext& c) {
  const auto* session = c.attrs().Get<std::string>(kSessionContainer);
  if (session == nullptr || session->empty()) {
    return FailedPrecondition("{} called on null session state",
                              c.record().name);
  }
  return SessionTensors::Of(*session);
}

StatusOr<std::string> HandleOf(const KernelContext& c) {
  if (c.input(0).num_elements() == 1) return c.input(0).scalar<std::string>();
  return InvalidArgument(
      "The handle of a tensor must be a scalar, got shape {}",
      c.input(0).shape().DebugString());
}

Status KeepTensor(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<SessionTensors> tensors, TensorsOf(c));
  c.set_output(0, Tensor::Scalar(tensors->Keep(c.input(0))));
  return OkStatus();
}

Status ReadTensor(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<SessionTensors> tensors, TensorsOf(c));
  GK_ASSIGN_OR_RETURN(const std::string handle, HandleOf(c));
  GK_ASSIGN_OR_RETURN(Tensor found, tensors->Find(handle));
  const auto wanted = c.attr<DataType>("dtype");
  if (found.dtype() != wanted) {
    return InvalidArgument("The tensor with handle '{}' is of type {}, not {}.",
                           handle, DataTypeString(found.dtype()),
                           DataTypeString(wanted));
  }
  c.set_output(0, std::move(found));
  return OkStatus();
}

Status DeleteTensor(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<SessionTensors> tensors, TensorsOf(c));
  GK_ASSIGN_OR_RETURN(const std::string handle, HandleOf(c));
  return tensors->Delete(handle);
}

constexpr uint64_t kOfSession =
    kStateful | kReadsResource | kWritesResource | kNoGradient;

const OpRecord kRecords[] = {
    {.name = "GetSessionHandle",
     .inputs = "value: T",
     .outputs = "handle: string",
     .attrs = "T: type",
     .traits = kOfSession,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = KeepTensor},
     .doc = "Keeps a tensor in the session that runs; the text by which other "
            "runs find it."},

    {.name = "GetSessionTensor",
     .inputs = "handle: string",
     .outputs = "value: dtype",
     .attrs = "dtype: type",
     .traits = kOfSession,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = ReadTensor},
     .doc = "The tensor that a session keeps by this handle."},

    {.name = "DeleteSessionTensor",
     .inputs = "handle: string",
     .outputs = "",
     .attrs = "",
     .traits = kOfSession,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = DeleteTensor},
     .doc = "Drops the tensor that a session keeps by this handle."},
};

}  // namespace

GK_REGISTER_OPS(queue_session_tensors)

}  // namespace gk
