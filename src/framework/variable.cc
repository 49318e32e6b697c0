#include "framework/variable.h"

#include <thread>

#include "base/interrupt.h"

namespace gk {

Status VariableResource::Uninitialized() const {
  return FailedPrecondition(
      "Could not find variable {}. This could mean that the variable has been "
      "deleted or was never initialized. In TF1, it can also mean the variable "
      "is uninitialized.",
      name_);
}

void VariableResource::WaitUntilOtherThan(uint32_t holder) const {
  constexpr int kTurns = 100;
  for (int i = 0; locked_.load(std::memory_order_relaxed) == holder; ++i) {
    if (i >= kTurns) std::this_thread::yield();
  }
}

void VariableResource::ChangeVersion() {
  version_.store(version_.load(std::memory_order_relaxed) + 1);
  for (KeptValue** at = &kept_; *at != nullptr;) {
    KeptValue* const reader = *at;
    if (!reader->turn->TryTake()) {
      at = &reader->next;
      continue;
    }
    *at = reader->next;
    *reader->slot = Tensor();
    reader->kept = false;
    reader->turn->Give();
  }
}

bool VariableResource::Keep(KeptValue* reader) {
  LockSettled();
  const bool has_value = static_cast<bool>(value_);
  if (has_value) {
    *reader->slot = value_;
    reader->version = version_.load(std::memory_order_relaxed);
    reader->kept = true;
    reader->next = kept_;
    kept_ = reader;
  }
  Unlock();
  return has_value;
}

void VariableResource::Forget(KeptValue* reader) {
  Tensor old;  // released outside the lock
  Lock();
  if (reader->kept) {
    KeptValue** at = &kept_;
    while (*at != reader) at = &(*at)->next;
    *at = reader->next;
    swap(old, *reader->slot);
    reader->kept = false;
  }
  Unlock();
}

void VariableResource::LockSettled() const {
  for (;;) {
    Lock();
    if (!taken_) return;
    Unlock();
    std::this_thread::yield();
  }
}

bool VariableResource::IsInitialized() const {
  LockSettled();
  const bool initialized = static_cast<bool>(value_);
  Unlock();
  return initialized;
}

StatusOr<Tensor> VariableResource::Read() const {
  LockSettled();
  Tensor value = value_;
  Unlock();
  if (!value) return Uninitialized();
  return value;
}

Status VariableResource::Assign(const Tensor& value, bool check_shape) {
  if (value.dtype() != dtype_) {
    return InvalidArgument(
        "Trying to assign variable with wrong dtype. Expected {} got {}",
        DataTypeString(dtype_), DataTypeString(value.dtype()));
  }
  if (check_shape && !shape_.IsCompatibleWith(value.shape())) {
    return InvalidArgument(
        "Cannot assign value to variable '{}': Shape mismatch.The variable "
        "shape {}, and the assigned value shape {} are incompatible.",
        name_, shape_.PythonString(),
        PartialTensorShape(value.shape()).PythonString());
  }
  Tensor old = value;
  if (value.buffer() && value.buffer()->is_foreign()) {
    // Only assignments change a variable, whatever its owner writes there.
    GK_ASSIGN_OR_RETURN(old, value.Copy());
  }
  LockSettled();
  swap(old, value_);
  ChangeVersion();
  Unlock();
  return OkStatus();  // `old` is released outside the lock.
}

Status VariableResource::Update(FunctionRef<Status(Tensor&)> update) {
  return Replace([&](const Tensor& old, Tensor* value) -> Status {
    if (old.IsExclusive()) {
      *value = old;
    } else {
      GK_ASSIGN_OR_RETURN(*value, old.Copy());
    }
    return update(*value);
  });
}

Status VariableResource::Replace(
    FunctionRef<Status(const Tensor&, Tensor*)> update) {
  Tensor old, value;
  const WholeWork whole;
  LockSettled();
  if (!value_) {
    Unlock();
    return Uninitialized();
  }
  taken_ = true;
  old = std::move(value_);
  ChangeVersion();
  Unlock();
  // An update in place must not end half-way, and others wait for it.
  const NoInterrupts to_the_end;
  Status status;
  try {
    status = update(old, &value);
  } catch (...) {
    Put(std::move(old));
    throw;
  }
  Put(status.ok() ? std::move(value) : std::move(old));
  return status;
}

void VariableResource::Clear() {
  Tensor old;
  LockSettled();
  swap(old, value_);
  ChangeVersion();
  Unlock();
}

Tensor VariableResource::Take() {
  LockSettled();
  taken_ = true;
  Tensor value = std::move(value_);
  ChangeVersion();
  Unlock();
  return value;
}

void VariableResource::Put(Tensor value) {
  Lock();
  value_ = std::move(value);
  taken_ = false;
  ChangeVersion();
  Unlock();
}

Tensor NewVariableHandle(std::string name, DataType dtype,
                         const PartialTensorShape& shape, bool trainable) {
  static std::atomic<uint64_t> next{0};
  Ref<Resource> resource =
      MakeRef<VariableResource>(name, dtype, shape, trainable);
  name += Format("/{}", next.fetch_add(1, std::memory_order_relaxed));
  ResourceHandle handle(std::move(resource), std::move(name),
                        {HandleShape{dtype, shape}});
  return Tensor::Scalar(std::move(handle));
}

StatusOr<VariableResource*> VariableOf(const Tensor& handle) {
  if (handle.dtype() != DataType::kResource || handle.is_symbolic() ||
      handle.num_elements() != 1) {
    return InvalidArgument("A variable's handle is needed, got {}",
                           handle.DebugString());
  }
  const ResourceHandle& h = handle.scalar<ResourceHandle>();
  if (auto* v = h.As<VariableResource>()) return v;
  return InvalidArgument(
      "Trying to access resource '{}' of kind '{}' as a Variable", h.name(),
      h.resource() ? h.resource()->kind() : "none");
}

Status DropValue(const Tensor& handle) {
  GK_ASSIGN_OR_RETURN(VariableResource * v, VariableOf(handle));
  v->Clear();
  return OkStatus();
}

Status CheckAssigned(std::string_view name, const PartialTensorShape& shape,
                     const PartialTensorShape& value) {
  if (value.IsCompatibleWith(shape)) return OkStatus();
  return ValueError(
      "Cannot assign value to variable ' {}': Shape mismatch.The variable "
      "shape {}, and the assigned value shape {} are incompatible.",
      name, shape.PythonString(), value.PythonString());
}

}  // namespace gk
