// EagerContext: the OpBuilder that runs each op at once.
//
// Thread-safe. The signature checks of a call are remembered per thread by
// op and input dtypes, so that a repeated op costs little more than its
// kernel. The error of an op ends with " [Op:AddV2] name: ", as in TensorFlow,
// and the name that the caller gave.
#ifndef GK_EAGER_EAGER_CONTEXT_H_
#define GK_EAGER_EAGER_CONTEXT_H_

#include "framework/op_builder.h"

namespace gk {

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
