// KernelContext: what a kernel sees while it runs.
//
// One context lives on the stack of the caller (eager) or in a frame (plan).
// Inputs are values, never symbolic, with the dtypes of the signature.
// Outputs are asked for with Allocate or Forward; a plan answers with the
// slot planned ahead when the shape is the planned one.
#ifndef GK_FRAMEWORK_KERNEL_CONTEXT_H_
#define GK_FRAMEWORK_KERNEL_CONTEXT_H_

#include <memory>
#include <span>
#include <string_view>

#include "base/cancellation.h"
#include "base/status.h"
#include "framework/attr_value.h"
#include "framework/tensor.h"

namespace gk {

struct OpRecord;
class KernelContext;

using ComputeFn = Status (*)(KernelContext&);

// What a kernel keeps between runs of the same instruction in the same
// frame (a prepared primitive, parsed attributes). Needs no locking.
class KernelState {
 public:
  virtual ~KernelState() = default;
};

// What all frames of an instruction share (a place in a random stream). The
// plan owns the slot; its state is made on first use.
struct SharedKernelState {
  std::unique_ptr<KernelState> state;  // under ProcessMutex::Of(this)
};

class KernelContext {
 public:
  KernelContext(const OpRecord& record, const AttrMap& attrs,
                std::span<const Tensor* const> inputs,
                std::span<Tensor> outputs)
      : record_(record), attrs_(attrs), inputs_(inputs), outputs_(outputs) {}

  const OpRecord& record() const { return record_; }
  int num_inputs() const { return inputs_.size(); }
  const Tensor& input(int i) const { return *inputs_[i]; }
  int num_outputs() const { return outputs_.size(); }
  Tensor& output(int i) { return outputs_[i]; }

  // Makes output i: elements uninitialised. On success *out points to it.
  Status Allocate(int i, DataType dtype, const TensorShape& shape,
                  Tensor** out);
  // Output i takes over input j's memory if nobody else can see it and the
  // sizes agree; else allocates. Elementwise kernels may then run in place.
  Status Forward(int j, int i, DataType dtype, const TensorShape& shape,
                 Tensor** out);
  // Nobody will look at input j again: its memory may be written over.
  bool MayOverwrite(int j) const {
    return Dies(j) && inputs_[j]->IsExclusive();
  }
  // Output i is this value (may share memory with an input).
  void set_output(int i, Tensor t) { outputs_[i] = std::move(t); }

  // Attributes (defaults filled in); a missing one is a bug of the record.
  template <class T>
  const T& attr(std::string_view name) const {
    static const T kNone{};
    const T* v = attrs_.Get<T>(name);
    return v ? *v : kNone;
  }
  const AttrMap& attrs() const { return attrs_; }

  // The state of this call site, made on first use by `make`.
  template <class S, class Make>
  S& state(Make&& make) {
    std::unique_ptr<KernelState>& slot = state_ ? *state_ : own_state_;
    if (!slot) slot = make();
    return static_cast<S&>(*slot);
  }

  // Null when the op runs by itself, eagerly.
  SharedKernelState* shared_state() const { return shared_state_; }

  const CancellationToken* cancellation() const { return cancellation_; }

  // The error of an op that has no kernel for its dtypes.
  Status NoKernel() const;

  // For executors.
  void set_state_slot(std::unique_ptr<KernelState>* slot) { state_ = slot; }
  void set_shared_state(SharedKernelState* slot) { shared_state_ = slot; }
  void set_cancellation(const CancellationToken* c) { cancellation_ = c; }
  // planned[i], where not null, is the tensor planned for output i.
  // may_forward bit j: input j's memory dies here and may be reused.
  void set_plan(const Tensor* planned, uint64_t may_forward) {
    planned_ = planned;
    may_forward_ = may_forward;
  }

 private:
  // Plans tell it of the first 64 inputs.
  bool Dies(int j) const { return j < 64 && ((may_forward_ >> j) & 1) != 0; }

  const OpRecord& record_;
  const AttrMap& attrs_;
  std::span<const Tensor* const> inputs_;
  std::span<Tensor> outputs_;
  const Tensor* planned_ = nullptr;
  uint64_t may_forward_ = 0;
  std::unique_ptr<KernelState>* state_ = nullptr;
  std::unique_ptr<KernelState> own_state_;
  SharedKernelState* shared_state_ = nullptr;
  const CancellationToken* cancellation_ = nullptr;
};

}  // namespace gk

#endif  // GK_FRAMEWORK_KERNEL_CONTEXT_H_
