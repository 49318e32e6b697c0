// Gradients of While: the body becomes its forward variant and puts what its
// backward function needs onto lists, one for each value; the gradient is a
// While that takes them off again.
//
// Values that no iteration changes go on no list. The loop that is returned
// may itself be differentiated: lists have gradients, which are lists.
#ifndef GK_FUNCTION_DIFFERENTIABLE_WHILE_H_
#define GK_FUNCTION_DIFFERENTIABLE_WHILE_H_

#include <map>
#include <string>

#include "function/differentiable_node.h"
#include "function/function_gradient.h"

namespace gk {

class DifferentiableWhile final : public DifferentiableNode {
 public:
  // `wanted` of the loop's inputs. Kept with the two functions
  // (VariantCache); thread-safe, like all of this.
  static StatusOr<Ref<DifferentiableWhile>> For(const GraphFunction& condition,
                                                const GraphFunction& body,
                                                const std::vector<bool>& wanted,
                                                bool higher_order);

  // The loop with the lists as further state, which enter it empty.
  struct List {
    DataType dtype = DataType::kInvalid;
    PartialTensorShape shape;
    HandleData handle_data;  // of lists of lists
  };
  const std::vector<List>& lists() const { return lists_; }
  const Ref<GraphFunction>& forward_condition() const { return condition_; }
  const Ref<GraphFunction>& forward_body() const { return body_; }

  std::vector<Gradient> Backward(std::span<const Tensor> inputs,
                                 std::span<const Tensor> outputs,
                                 std::span<const Gradient> grads,
                                 const std::vector<bool>& wanted) override;

 private:
  using Source = DifferentiableCall::Source;
  // Where the backward loop finds a value of an iteration: it is the state
  // itself, or on the list that the state is.
  struct Place {
    bool invariant = false;
    int state = 0;
  };

  Status Differentiate(const std::vector<bool>& wanted, bool higher_order);
  // The value of the body's graph that `source` is.
  Output ValueOf(const Source& source) const;
  std::optional<Place> Find(const Output& value) const;
  Status Append(std::span<const Output> values);
  void FindReach();
  // Adds to `set` the states that depend on (or, backward, lead to) those in
  // it, over any number of iterations.
  void Spread(bool forward, std::vector<bool>* set) const;
  // Lists that an earlier differentiation gave the body.
  void FindAccumulators();
  void Stash(const Output& value, std::vector<Output>* fresh);
  std::vector<Gradient> BackwardLoop(
      std::span<const Tensor> inputs, std::span<const Tensor> outputs,
      std::span<const Gradient> grads, const std::vector<bool>& active,
      const std::vector<bool>& resources, std::span<const Source> sources);

  Ref<GraphFunction> condition_, body_;
  // The body that `call_` differentiates: body_, or before the last lists.
  size_t num_states_ = 0;
  Ref<DifferentiableCall> call_;
  std::vector<List> lists_;
  size_t first_list_ = 0;  // the state that lists_[0] becomes
  std::map<int, List> accumulators_;  // by state: lists_ and earlier ones
  // The accumulator that keeps a value, by the node's name and output.
  std::map<std::pair<std::string, int>, int> list_of_;
  std::vector<bool> invariant_;                         // of the states
  // reach_[i][j]: result j may have a gradient for state i.
  std::vector<std::vector<bool>> reach_;
  int counter_ = -1;  // the state that counts the iterations, from 0
};

// An empty list in the graph under construction.
StatusOr<Tensor> EmptyList(const DifferentiableWhile::List& list);
// The same in a graph that nobody builds.
StatusOr<Output> EmptyListIn(Graph* graph,
                             const DifferentiableWhile::List& list);

}  // namespace gk

#endif  // GK_FUNCTION_DIFFERENTIABLE_WHILE_H_
