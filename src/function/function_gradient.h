// Reverse-mode differentiation of graph functions.
//
// A function called under a tape runs a forward variant, which also returns
// the intermediates that its backward function needs; nothing is computed
// again. Both are cached with the GraphFunction, by the set of inputs that
// may be asked for. Thread-safe.
#ifndef GK_FUNCTION_FUNCTION_GRADIENT_H_
#define GK_FUNCTION_FUNCTION_GRADIENT_H_

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "function/differentiable_node.h"
#include "function/trace_latch.h"

namespace gk {

class ConcreteFunction;

class DifferentiableCall final : public DifferentiableNode {
 public:
  // The variant of `function` that can give the gradients of the arguments
  // (captures included) in `wanted`. With `higher_order` the gradients of
  // these in turn can be had: gradients reach the intermediates, too. That of
  // a variable's handle, which a function may return, is its value's; a loop
  // keeps these apart, and so does its body.
  enum class Use : uint8_t { kCall, kLoopBody };
  static StatusOr<Ref<DifferentiableCall>> For(const GraphFunction& function,
                                               std::vector<bool> wanted,
                                               bool higher_order,
                                               Use use = Use::kCall);

  // Results: those of the function, then the intermediates.
  const Ref<GraphFunction>& forward() const { return forward_; }

  // Gradients of the inputs of a call of forward(), given its inputs, all its
  // outputs, and the gradients of the function's results, followed, at higher
  // order, by those of the intermediates. Calls the backward function with the
  // current builder; throws Error.
  std::vector<Gradient> Backward(std::span<const Tensor> inputs,
                                 std::span<const Tensor> outputs,
                                 std::span<const Gradient> grads,
                                 const std::vector<bool>& wanted) override;

  // Where an argument of a backward function comes from.
  struct Source {
    bool is_input;
    int index;  // of forward's inputs or outputs
  };
  // What Backward needs if gradients arrive for the results in `present` and
  // those of the inputs in `wanted` are asked for. Nothing if it takes
  // gradients for all differentiable results.
  StatusOr<std::optional<std::vector<Source>>> Needs(
      std::vector<bool> present, std::vector<bool> wanted);
  // Of each result; of each input.
  const std::vector<bool>& differentiable() const { return differentiable_; }
  const std::vector<bool>& wanted() const { return wanted_; }

 private:
  struct BackwardFunction {
    Ref<ConcreteFunction> function;  // arguments: gradients, then sources
    std::vector<Source> sources;
    std::vector<int> results;  // an input: 0 none, 1 dense, 3 slices
  };
  using Key = std::pair<std::vector<bool>, std::vector<bool>>;

  Status Make(const GraphFunction& function, std::vector<bool> wanted,
              bool higher_order, Use use);
  StatusOr<BackwardFunction> Build(const Key& key, bool make_forward,
                                   std::vector<Output>* extras);
  StatusOr<const BackwardFunction*> Find(const Key& key);

  std::string base_name_;
  std::vector<bool> wanted_, differentiable_;
  // Of a result that is the handle in an argument, of which no more is known:
  // which argument; else -1. A gradient goes past the function.
  std::vector<int> passed_;
  Ref<Graph> graph_;  // of forward, a clone; nobody else's
  std::vector<Ref<Graph>> originals_;  // what custom gradients know
  std::vector<Node*> arguments_;
  std::vector<Output> results_;  // those that gradients may arrive for
  bool higher_order_ = false;
  std::vector<Node*> control_outputs_;
  AttrMap attrs_;
  CallTable calls_;
  Ref<GraphFunction> forward_;
  ThreadLatch latch_;
  // Null where a backward needs more than forward returns.
  std::map<Key, std::unique_ptr<BackwardFunction>> backward_;
};

// Gradients of sum(outputs * output_grads) for `inputs`, all of `graph`,
// built with the current builder (the graph's own, or one that may capture
// from it). Calls in `graph` become calls of their forward variants, noted in
// `calls`; if `rewrite` is false those in `calls` are all there are.
// `higher_order`: what is found will be differentiated again, going through
// the same `calls`. Nothing goes through the ops that make `stops`; of calls
// and branches, through these results.
StatusOr<std::vector<Gradient>> GradientsInGraph(
    Graph* graph, std::span<const Output> outputs,
    std::span<const Gradient> output_grads, std::span<const Output> inputs,
    CallTable* calls, bool rewrite = true, bool higher_order = false,
    std::span<const Output> stops = {});

// The same for tensors of the graph under construction, as tf.gradients:
// null output gradients are ones.
StatusOr<std::vector<Gradient>> SymbolicGradients(
    std::span<const Tensor> outputs, std::span<const Gradient> output_grads,
    std::span<const Tensor> inputs, std::span<const Tensor> stops = {});

// Gradients of nodes with the attribute _gradient_op_type: set by the host
// language for custom gradients. Names are never used twice.
using GradientOverride = std::function<void(GradContext&)>;
void SetGradientOverride(const std::string& name, GradientOverride gradient);
void RemoveGradientOverride(const std::string& name);
// Null if there is none of that name.
std::shared_ptr<const GradientOverride> FindGradientOverride(
    const std::string& name);
// The same under a name that programs give. AlreadyExists if there is such a
// gradient, an op has the name, or it was declared to have none.
Status RegisterGradient(const std::string& name, GradientOverride gradient);
Status DeclareNoGradient(const std::string& name);
// Sets what the function of such a gradient returned. ValueError unless there
// is one for each input.
void SetRegistered(std::vector<Gradient> found, GradContext* c);

}  // namespace gk

#endif  // GK_FUNCTION_FUNCTION_GRADIENT_H_
