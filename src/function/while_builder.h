// WhileBuilder: a While being made of a condition and a body that are traced
// into graphs of their own, in whichever order.
//
// Knows what every such loop has: the counters, the placeholders, names and
// attributes. Used by one thread while the graph around the loop is being
// built. Functions throw Error.
#ifndef GK_FUNCTION_WHILE_BUILDER_H_
#define GK_FUNCTION_WHILE_BUILDER_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "function/control_flow.h"
#include "function/part_scope.h"

namespace gk {

class WhileBuilder {
 public:
  enum Part { kCondition, kBody };

  // Enters the scope `name` ("while" if empty) until Finish or the end of this
  // object. `maximum_iterations`: an int32 scalar, or null: no limit.
  WhileBuilder(std::string_view name, const Tensor& maximum_iterations);
  // "outer/while/".
  const std::string& scope() const { return scope_->name(); }

  // The loop variables before the first iteration and their shapes in all of
  // them, each as general as that which it begins with.
  void Carry(TensorVector initial, std::vector<PartialTensorShape> shapes);
  // Makes a part, with placeholders for what is carried so far.
  FuncGraph* Begin(Part part);
  // What stands for the loop variables in a part that has begun.
  std::span<const Tensor> variables(Part part) const {
    return Arguments(part).subspan(kCounters);
  }
  // How many iterations there were before this one.
  const Tensor& counter(Part part) const { return Arguments(part)[0]; }

  // A variable that the body turns out to need while it is traced, or
  // afterwards: what stands for it there. It is carried behind the others.
  Tensor AddLate(DataType dtype, const PartialTensorShape& shape,
                 HandleData handle_data = {});
  // The late variables before the first iteration, in the order of AddLate.
  void StartLate(std::span<const Tensor> initial);

  // What the parts return: a bool scalar; the loop variables after an
  // iteration, late ones last.
  void EndCondition(const Tensor& truth);
  void EndBody(std::span<const Tensor> after);
  // Makes the node and leaves the scope: the number of iterations, then the
  // loop variables at the end.
  TensorVector Finish(int64_t parallel_iterations);

 private:
  static constexpr size_t kCounters = 2;  // and what limits them

  std::span<const Tensor> Arguments(Part part) const;
  Tensor AddArgument(Part part, std::string_view name, const Tensor& like,
                     const PartialTensorShape& shape);

  Ref<FuncGraph> outer_;
  std::unique_ptr<NameScope> scope_;
  bool limited_;
  TensorVector state_;  // with the counters
  std::vector<PartialTensorShape> shapes_;
  Ref<FuncGraph> graphs_[2];
  TensorVector arguments_[2];
  TensorVector results_[2];
};

}  // namespace gk

#endif  // GK_FUNCTION_WHILE_BUILDER_H_
