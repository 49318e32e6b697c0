// VariableResource: a mutable tensor behind a resource handle.
//
// Reads are snapshots: they share the value's memory. A writer takes the
// value out under the spin bit, changes it in place if nobody else holds it
// or a copy if somebody does, and puts it back; so a failed write leaves the
// old value. Thread-safe; an operation is atomic.
//
// Readers that read again and again keep the value (kept_value.h), as long as
// the variable's version stays.
#ifndef GK_FRAMEWORK_VARIABLE_H_
#define GK_FRAMEWORK_VARIABLE_H_

#include <atomic>
#include <string>
#include <string_view>

#include "base/fork.h"
#include "base/function_ref.h"
#include "framework/kept_value.h"
#include "framework/resource.h"
#include "framework/tensor.h"

namespace gk {

class VariableResource final : public Resource {
 public:
  VariableResource(std::string name, DataType dtype, PartialTensorShape shape,
                   bool trainable, std::string container = "")
      : name_(std::move(name)),
        dtype_(dtype),
        shape_(std::move(shape)),
        trainable_(trainable),
        container_(std::move(container)) {}

  std::string_view kind() const override { return "Variable"; }
  std::string_view type_name() const override { return "tensorflow::Var"; }
  const std::string& name() const { return name_; }
  DataType dtype() const { return dtype_; }
  // What values must match.
  const PartialTensorShape& shape() const { return shape_; }
  bool trainable() const { return trainable_; }
  void set_trainable(bool trainable) { trainable_ = trainable; }
  // Where others find it by its name; empty if nobody does.
  const std::string& container() const { return container_; }

  bool IsInitialized() const;
  // FailedPrecondition if uninitialised.
  StatusOr<Tensor> Read() const;
  // InvalidArgument if the dtype differs or (when `check_shape`) the shape
  // does not match. Shares `value`'s memory.
  Status Assign(const Tensor& value, bool check_shape = true);
  // Gives `update` the value to change in place: exclusive memory, already
  // copied if it was shared. If update fails, the old value stays as it was:
  // `update` must check before it writes.
  Status Update(FunctionRef<Status(Tensor& value)> update);
  // The same, but the update makes a new value from the old one.
  Status Replace(FunctionRef<Status(const Tensor& old, Tensor* value)> update);
  void Clear();

  // For writers that change several variables at once, within WholeWork. Takes
  // the value (null if uninitialised) out; everybody else waits until it is put
  // back, so whoever takes several does so in the order of their addresses.
  Tensor Take();
  void Put(Tensor value);
  Status Uninitialized() const;

  // Another one whenever a writer begins or has changed the value: while it is
  // the same, so is the value.
  uint64_t version() const { return version_.load(); }
  // In the reader's turn: puts the value at its place and remembers the reader,
  // which has kept nothing. False if there is no value.
  bool Keep(KeptValue* reader);
  // Then the place is empty. Nothing happens if the value is not kept any more.
  void Forget(KeptValue* reader);

 private:
  void Lock() const {
    const uint32_t here = ProcessGeneration();
    while (locked_.exchange(here, std::memory_order_acquire) == here) {
      WaitUntilOtherThan(here);
    }
  }
  void Unlock() const { locked_.store(0, std::memory_order_release); }
  // Whoever has the lock has it for some instructions, unless the system has
  // stopped its thread: then others had better not use up its time.
  void WaitUntilOtherThan(uint32_t holder) const;
  // Waits until no writer has the value, then holds the lock.
  void LockSettled() const;
  // Under the lock: a writer begins or ends.
  void ChangeVersion();

  std::string name_;
  DataType dtype_;
  PartialTensorShape shape_;
  std::atomic<bool> trainable_;
  std::string container_;
  // By a thread of which process (ProcessGeneration), or 0. One that a fork
  // has left behind has it no longer: the value is whole at every moment, and
  // taken out during WholeWork only.
  mutable std::atomic<uint32_t> locked_{0};
  // A writer has taken the value out and will put one back.
  bool taken_ = false;
  Tensor value_;
  std::atomic<uint64_t> version_{1};
  KeptValue* kept_ = nullptr;  // whole at every moment, for forks
};

// A scalar handle tensor for a new variable. Handles of variables of one name
// are told apart by a number after it.
Tensor NewVariableHandle(std::string name, DataType dtype,
                         const PartialTensorShape& shape, bool trainable);

// The variable behind a handle tensor; InvalidArgument if it is something
// else.
StatusOr<VariableResource*> VariableOf(const Tensor& handle);

// The variable has no value afterwards, however it was made: for those who make
// variables that another part of the program gives their values.
Status DropValue(const Tensor& handle);

// ValueError unless values of the shape `value` may be assigned to a variable
// of `shape`. Faces ask before there is an op; Assign asks again.
Status CheckAssigned(std::string_view name, const PartialTensorShape& shape,
                     const PartialTensorShape& value);

}  // namespace gk

#endif  // GK_FRAMEWORK_VARIABLE_H_
