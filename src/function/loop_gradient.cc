// The backward loop of a While: takes what the forward loop kept off its lists
// again.
#include <algorithm>

#include "framework/op_registry.h"
#include "function/control_flow.h"
#include "function/differentiable_while.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Equal.h"
#include "ops/fn/Greater.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Sub.h"
#include "ops/fn/TensorListLength.h"
#include "ops/fn/TensorListPopBack.h"
#include "ops/fn/ZerosLike.h"

namespace gk {

std::vector<Gradient> DifferentiableWhile::Backward(
    std::span<const Tensor> inputs, std::span<const Tensor> outputs,
    std::span<const Gradient> grads, const std::vector<bool>& wanted_in) {
  const size_t n = num_states_;
  std::vector<bool> present(n), wanted(n);
  for (size_t i = 0; i < n; ++i) {
    // The handle of a variable that comes through the loop as it was.
    const bool is_handle =
        inputs[i].dtype() == DataType::kResource && invariant_[i];
    present[i] = (call_->differentiable()[i] || is_handle) &&
                 i < grads.size() && !grads[i].is_none();
    wanted[i] = i < wanted_in.size() && wanted_in[i] && call_->wanted()[i];
  }
  const std::vector<bool> asked = wanted;
  Spread(false, &present);
  Spread(true, &wanted);
  std::vector<bool> active(n), resources(n);
  bool any = false;
  for (size_t i = 0; i < n; ++i) {
    active[i] = present[i] && wanted[i] && call_->differentiable()[i];
    resources[i] = present[i] && asked[i] &&
                   inputs[i].dtype() == DataType::kResource;
    any |= active[i] || resources[i];
  }
  std::vector<Gradient> none(inputs.size());
  if (!any) return none;
  std::vector<bool> useful(n);
  for (size_t i = 0; i < n; ++i) useful[i] = active[i] || resources[i];
  std::optional<std::vector<Source>> sources =
      ValueOrThrow(call_->Needs(active, useful));
  // Where a gradient does not arrive, zeros of the shape of a value may be
  // needed that all gradients together do without.
  if (!sources || !PlacesOf(*sources)) {
    active = call_->differentiable();
    useful = call_->wanted();
    for (size_t i = 0; i < n; ++i) {
      resources[i] = useful[i] && inputs[i].dtype() == DataType::kResource;
    }
    sources = ValueOrThrow(call_->Needs(active, useful));
    if (!sources) throw Error(Internal("no backward function of a loop"));
  }
  return BackwardLoop(inputs, outputs, grads, active, resources, *sources);
}

std::vector<Gradient> DifferentiableWhile::BackwardLoop(
    std::span<const Tensor> inputs, std::span<const Tensor> outputs,
    std::span<const Gradient> grads, const std::vector<bool>& active,
    const std::vector<bool>& resources, std::span<const Source> sources) {
  const size_t n = num_states_;
  // State: how many iterations are left; a gradient for each active state, a
  // sum for each variable; the lists in use.
  TensorVector state;
  Tensor left;
  const size_t counter =
      std::find(counts_.begin(), counts_.end(), true) - counts_.begin();
  if (counter < n) {
    left = ops::Sub(outputs[counter], inputs[counter]);
  } else {
    left = ops::TensorListLength(outputs[accumulators_.begin()->first]);
  }
  state.push_back(left);
  std::vector<int> owners;  // of the gradients in `state`
  for (size_t i = 0; i < n; ++i) {
    if (!active[i] && !resources[i]) continue;
    owners.push_back(static_cast<int>(i));
    const bool given = i < grads.size() && !grads[i].is_none();
    state.push_back(given
                        ? Densify(grads[i])
                        : ZeroGradient(resources[i] ? inputs[i] : outputs[i]));
  }
  const std::optional<std::vector<Place>> places = PlacesOf(sources);
  if (!places) throw Error(Internal("a loop did not keep all it has to"));
  std::map<int, size_t> list_at, next_at;  // by state: the index in `state`
  const auto carry = [&](int index, std::map<int, size_t>* at) {
    if (at->emplace(index, state.size()).second) {
      state.push_back(outputs[index]);
    }
  };
  for (const Place& p : *places) {
    if (p.kind == Place::kNext) carry(p.state, &next_at);
    if (p.kind == Place::kList) carry(p.state, &list_at);
    if (p.kind == Place::kNext) carry(ListOfArgument(p.state), &list_at);
  }
  WhileOptions options;
  for (const Tensor& t : state) options.shapes.push_back(t.partial_shape());
  // The gradient of a value has the value's shape, in all iterations.
  for (size_t k = 0; k < owners.size(); ++k) {
    if (active[owners[k]]) {
      options.shapes[k + 1] = outputs[owners[k]].partial_shape();
    }
  }
  for (const auto& [j, at] : next_at) {
    options.shapes[at] = options.shapes[at].CommonSupertype(
        accumulators_.at(ListOfArgument(j)).shape);
  }
  const std::string name = body_->name();
  FunctionPart condition =
      TracePart(name + "_grad_cond", state, options.shapes,
                [&](std::span<const Tensor> x) -> TensorVector {
                  return {ops::Greater(x[0], IntegerConstant(0, left.dtype()))};
                });

  const auto step = [&](std::span<const Tensor> x) -> TensorVector {
    TensorVector next(x.begin(), x.end());
    next[0] = ops::Sub(x[0], IntegerConstant(1, left.dtype()));
    std::map<int, Tensor> popped;
    for (const auto& [list_state, at] : list_at) {
      const List& list = accumulators_.at(list_state);
      const TensorVector out = ops::TensorListPopBack(
          x[at], KnownTensor(ShapeValue(list.shape), "element_shape"),
          list.dtype);
      next[at] = out[0];
      popped[list_state] = out[1];
      if (list.dtype == DataType::kVariant) {
        const Output o = Graph::OutputOf(out[1]);
        o.node->mutable_output(o.index).handle_data = list.handle_data;
      }
    }
    for (const auto& [j, at] : next_at) next[at] = popped[ListOfArgument(j)];
    const auto value_at = [&](const Place& place) {
      const int i = place.state;
      switch (place.kind) {
        case Place::kInvariant: return inputs[i];
        case Place::kList: return popped[i];
        case Place::kNext: return x[next_at.at(i)];
        case Place::kTaken: {
          const Output pop = ResourceRoot(call_->forward()->results()[i]);
          return TakenElement(inputs[i], {pop.node, 1}, next[0], 0);
        }
        case Place::kTakenLast: {
          const Output taken = call_->forward()->results()[i];
          const Tensor before =
              TakenElement(inputs[ListTakenFrom(taken)], taken, next[0], 1);
          const Tensor is_first =
              ops::Equal(next[0], IntegerConstant(0, next[0].dtype()));
          return ops::SelectV2(is_first, inputs[i], before);
        }
        case Place::kCounter: break;
      }
      Tensor done = next[0];
      if (done.dtype() != inputs[i].dtype()) {
        done = ops::Cast(done, inputs[i].dtype());
      }
      return ops::AddV2(inputs[i], done);
    };
    TensorVector body_inputs(n), body_outputs(
                                     call_->forward()->results().size());
    std::map<std::pair<std::string, int>, Tensor> known;
    for (size_t k = 0; k < sources.size(); ++k) {
      (sources[k].is_input ? body_inputs
                           : body_outputs)[sources[k].index] =
          Derive(ValueOf(sources[k]), value_at, &known);
    }
    std::vector<Gradient> dy(body_outputs.size());
    std::vector<bool> useful(n);
    for (size_t k = 0; k < owners.size(); ++k) {
      const int i = owners[k];
      useful[i] = true;
      if (active[i]) dy[i].dense = x[k + 1];
    }
    const std::vector<Gradient> dx =
        call_->Backward(body_inputs, body_outputs, dy, useful);
    for (size_t k = 0; k < owners.size(); ++k) {
      const int i = owners[k];
      const bool found = !dx[i].is_none();
      if (resources[i]) {
        if (found) next[k + 1] = ops::AddV2(x[k + 1], Densify(dx[i]));
      } else {
        next[k + 1] = found ? Densify(dx[i]) : ops::ZerosLike(x[k + 1]);
      }
    }
    return next;
  };
  FunctionPart body =
      TracePart(name + "_grad_body", state, options.shapes, step);
  const TensorVector made =
      ValueOrThrow(MakeWhile(std::move(condition), std::move(body), state,
                             options, "gradients/while_grad"));
  std::vector<Gradient> result(inputs.size());
  for (size_t k = 0; k < owners.size(); ++k) {
    result[owners[k]].dense = made[k + 1];
  }
  return result;
}

}  // namespace gk
