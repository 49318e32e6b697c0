// Gradients of While: the body becomes its forward variant and puts what its
// backward function needs onto lists, one for each value; the gradient is a
// While that takes them off again.
//
// Values that no iteration changes go on no list, nor do counters, what the
// next iteration begins with if that is kept, and what is cheap to compute
// again. The loop that is returned may itself be differentiated: lists have
// gradients, which are lists.
#ifndef GK_FUNCTION_DIFFERENTIABLE_WHILE_H_
#define GK_FUNCTION_DIFFERENTIABLE_WHILE_H_

#include <functional>
#include <map>
#include <optional>
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
  // Where the backward loop finds a value of an iteration.
  struct Place {
    enum Kind {
      kInvariant,  // the state itself
      kCounter,    // the state before, plus the iterations
      kList,       // on the list that the state is
      kNext,       // what the next iteration's state was
      kTaken,      // in the list that the state was at first: one is taken off
                   // in each iteration
      kTakenLast,  // the same of the iteration before, of which the state is
    };
    Kind kind = kInvariant;
    int state = 0;
  };
  using PlaceValue = std::function<Tensor(const Place&)>;

  Status Differentiate(const std::vector<bool>& wanted, bool higher_order);
  // The value of the body's graph that `source` is.
  Output ValueOf(const Source& source) const;
  // Values are told apart by the names of their nodes, which clones keep.
  static std::pair<std::string, int> KeyOf(const Output& value);
  std::optional<Place> Find(const Output& value) const;
  // Can it be computed from what is kept, by at most `budget` cheap ops?
  bool IsDerived(const Output& value, int* budget) const;
  // Adds what it takes of the kept for that; false if it is not kept.
  bool PlacesOf(const Output& value, std::vector<Place>* places) const;
  std::optional<std::vector<Place>> PlacesOf(
      std::span<const Source> sources) const;
  // The value in an iteration of the backward loop, where `known` has those
  // that were asked for before.
  Tensor Derive(const Output& value, const PlaceValue& at,
                std::map<std::pair<std::string, int>, Tensor>* known) const;
  // The list that enters the loop, and of which an iteration takes off the
  // value, or -1.
  int ListTakenFrom(const Output& value) const;
  // Of a list that enters the loop: the element `back` iterations before the
  // one that `done` others come before; in the backward loop.
  Tensor TakenElement(const Tensor& list, const Output& value,
                      const Tensor& done, int back) const;
  // The list that keeps the state as it enters iterations, or -1.
  int ListOfArgument(int state) const;
  // Puts on lists what has to be of the values that the gradient needs.
  void Keep(std::span<const Output> needed, std::vector<Output>* fresh);
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
  // The accumulator that keeps a value, by KeyOf.
  std::map<std::pair<std::string, int>, int> list_of_;
  std::vector<bool> invariant_;                         // of the states
  // reach_[i][j]: result j may have a gradient for state i.
  std::vector<std::vector<bool>> reach_;
  std::vector<bool> counts_;  // states that grow by one in each iteration
};

// -1 for a shape of which nothing is known, else its dims: the value of an
// element_shape input.
Tensor ShapeValue(const PartialTensorShape& shape);
// A constant of the graph under construction.
Tensor KnownTensor(const Tensor& value, std::string_view name);

// An empty list in the graph under construction.
StatusOr<Tensor> EmptyList(const DifferentiableWhile::List& list);
// The same in a graph that nobody builds.
StatusOr<Output> EmptyListIn(Graph* graph,
                             const DifferentiableWhile::List& list);

}  // namespace gk

#endif  // GK_FUNCTION_DIFFERENTIABLE_WHILE_H_
