// ConcreteFunction: a traced function with the values it captured; what is
// called.
//
// Shares the GraphFunction and the captured tensors. Constant after making;
// Call is safe from any number of threads. A plain eager call allocates
// nothing but its outputs.
#ifndef GK_FUNCTION_CONCRETE_FUNCTION_H_
#define GK_FUNCTION_CONCRETE_FUNCTION_H_

#include <span>
#include <string>
#include <vector>

#include "framework/graph.h"
#include "framework/op_builder.h"
#include "function/func_graph.h"

namespace gk {

struct ArgumentSpec {
  std::string name;  // for messages
  DataType dtype = DataType::kInvalid;
  PartialTensorShape shape;
};

// That of a function of tensors, which gives a tuple unless it gives one.
TracedSignature SignatureOfTensors(std::span<const ArgumentSpec> arguments,
                                   size_t num_results);

class ConcreteFunction final : public RefCounted {
 public:
  // `function`'s arguments are `arguments`, then the captures.
  ConcreteFunction(Ref<GraphFunction> function,
                   std::vector<ArgumentSpec> arguments,
                   std::vector<FunctionCapture> captures);
  ~ConcreteFunction() override;

  // Finishes `graph` under the name "__inference_<name>_<uid>".
  static StatusOr<Ref<ConcreteFunction>> FromFuncGraph(
      FuncGraph& graph, std::span<const Tensor> results, AttrMap attrs = {});
  // A function of tensors without captures (read from a file).
  static Ref<ConcreteFunction> FromFunction(Ref<GraphFunction> function);

  const std::string& name() const { return function_->name(); }
  const Ref<GraphFunction>& function() const { return function_; }
  const std::vector<ArgumentSpec>& arguments() const { return arguments_; }
  const std::vector<FunctionCapture>& captures() const { return captures_; }
  // How it was traced.
  const TracedSignature& signature() const { return signature_; }
  int num_outputs() const { return function_->results().size(); }

  // The same function over other captured values, one for each of captures():
  // their placeholders are taken from there. InvalidArgument if a value's
  // dtype or shape does not match.
  StatusOr<Ref<ConcreteFunction>> WithCaptures(
      std::vector<FunctionCapture> captures) const;

  // The same function over the graph of `body`, and what that captures; null
  // if this one does more than call it.
  Ref<ConcreteFunction> WithBody(const ConcreteFunction& body) const;

  // Calls with the current builder: runs when eager, makes a call node in a
  // graph; under a tape that wants it, runs the forward variant and records.
  // InvalidArgument if an argument's dtype or shape does not match.
  Status Call(std::span<const Tensor> arguments, TensorVector* outputs,
              const CancellationToken* cancellation = nullptr) const;
  // The same where the caller has matched dtypes and shapes.
  Status CallMatched(std::span<const Tensor> arguments, TensorVector* outputs,
                     const CancellationToken* cancellation = nullptr,
                     OpBuilder* builder = OpBuilder::Current()) const;
  Status CheckArguments(std::span<const Tensor> arguments) const;

  // Resources that it captures as arguments: (number of the argument, what it
  // has to be).
  const std::vector<std::pair<int, Tensor>>& captured_arguments() const {
    return captured_arguments_;
  }
  // Handles of the resources that it captures, if what it computes depends on
  // whether they are arguments, too.
  TensorVector TellingCaptures() const;

  // Values of the captures now, in order.
  StatusOr<TensorVector> CaptureValues() const;
  // Is some value asked for at each call?
  bool has_deferred() const { return has_deferred_; }

 private:
  Status Run(std::span<const Tensor> arguments, TensorVector* outputs,
             const CancellationToken* cancellation) const;
  Status Misplaced(const Node& asking) const;
  Status CheckCapture(size_t i, const Tensor& t) const;
  Status CheckCapturedArguments(std::span<const Tensor> arguments) const;
  Status CallRecorded(TensorVector inputs, TensorVector* outputs,
                      const CancellationToken* cancellation) const;

  Ref<GraphFunction> function_;
  std::vector<ArgumentSpec> arguments_;
  std::vector<FunctionCapture> captures_;
  TracedSignature signature_;
  std::vector<std::pair<int, Tensor>> captured_arguments_;
  bool differentiated_ = false;  // has gradients in it
  TensorVector captured_;        // the values, unless some are deferred
  bool has_deferred_ = false;
  // A node that asks for a device of another process: it cannot run here.
  const Node* misplaced_ = nullptr;
  // One that asks for a device that is not there: soft placement must be on.
  const Node* absent_ = nullptr;
};

// A node that calls `function` in the graph under construction.
Status CallInGraph(OpBuilder* builder, const GraphFunction& function,
                   std::span<const Tensor> inputs, TensorVector* outputs);

}  // namespace gk

#endif  // GK_FUNCTION_CONCRETE_FUNCTION_H_
