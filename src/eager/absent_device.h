// AbsentDevice: the builder of scopes that ask for a device which is not
// there: what is made in them fails, entering them does not.
//
// Wraps what the eager context would do; whoever enters it keeps it alive as
// long as its scope. One thread uses it. Soft placement is of the process.
#ifndef GK_EAGER_ABSENT_DEVICE_H_
#define GK_EAGER_ABSENT_DEVICE_H_

#include <string>

#include "framework/op_builder.h"

namespace gk {

// May what asks for an absent device of this process run elsewhere?
bool SoftPlacement();
void SetSoftPlacement(bool soft);

class AbsentDevice final : public OpBuilder {
 public:
  // `op_error` for ops and functions, `value_error` for values.
  AbsentDevice(std::string op_error, std::string value_error)
      : op_error_(std::move(op_error)), value_error_(std::move(value_error)) {}

  StatusOr<TensorVector> Apply(const OpRecord& record,
                               std::span<const Tensor> inputs, AttrMap attrs,
                               std::string_view name) override;
  bool builds_graph() const override { return false; }
  StatusOr<Tensor> Constant(const Tensor& value,
                            std::string_view name) override;

  // Why nothing can run under the current builder; OK if it can.
  static Status Refusal();

 private:
  std::string op_error_;
  std::string value_error_;
};

}  // namespace gk

#endif  // GK_EAGER_ABSENT_DEVICE_H_
