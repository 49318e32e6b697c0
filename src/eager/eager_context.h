// EagerContext: the OpBuilder that runs each op at once.
//
// Thread-safe. The signature checks of a call are remembered per thread by
// op and input dtypes, so that a repeated op costs little more than its
// kernel. The error of an op ends with " [Op:AddV2] name: ", as in TensorFlow,
// and the name that the caller gave.
#ifndef GK_EAGER_EAGER_CONTEXT_H_
#define GK_EAGER_EAGER_CONTEXT_H_

#include <atomic>
#include <memory>
#include <vector>

#include "framework/kernel_context.h"
#include "framework/op_builder.h"

namespace gk {

// A call whose inputs' dtypes and attributes have been checked: it may run any
// number of times, on several threads at once.
class CheckedCall : public RefCounted {
 public:
  static StatusOr<Ref<CheckedCall>> Make(const OpRecord& record,
                                         std::span<const Tensor> inputs,
                                         AttrMap attrs);
  ~CheckedCall() override { delete state_.load(); }

  const OpRecord& record() const { return record_; }
  const std::vector<DataType>& types() const { return types_; }
  // With types and defaults.
  const AttrMap& attrs() const { return attrs_; }
  size_t num_outputs() const { return num_outputs_; }

  // Runs the kernel on values of types(), makes num_outputs() outputs and
  // tells the observers. Not for MindsDevices() and ChecksNumerics().
  Status Run(std::span<const Tensor> inputs, std::string_view name,
             std::span<Tensor> outputs);

 private:
  explicit CheckedCall(const OpRecord& record) : record_(record) {}

  const OpRecord& record_;
  std::vector<DataType> types_;
  AttrMap given_;  // which errors tell
  AttrMap attrs_;
  size_t num_outputs_ = 0;
  // What the last run's kernel keeps for the next one; null while one runs
  // with it.
  std::atomic<KernelState*> state_{nullptr};
};

class EagerContext final : public OpBuilder {
 public:
  static EagerContext& Get();

  StatusOr<TensorVector> Apply(const OpRecord& record,
                               std::span<const Tensor> inputs, AttrMap attrs,
                               std::string_view name) override;
  bool builds_graph() const override { return false; }
  StatusOr<Tensor> Constant(const Tensor& value,
                            std::string_view name) override {
    return value;
  }

  // The short way for elementwise ops without attributes: all inputs are
  // values of one dtype. Does not tell observers. False if the op needs the
  // long way.
  static bool RunElementwise(const OpRecord& record,
                             std::span<const Tensor* const> inputs,
                             std::string_view name, Tensor* output,
                             Status* status);
};

// Registers all ops, makes the eager context the default builder and plans
// the runner of functions. Cheap after the first time.
void InitEager();

}  // namespace gk

#endif  // GK_EAGER_EAGER_CONTEXT_H_
