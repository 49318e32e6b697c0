#include "function/differentiable_while.h"

#include <algorithm>
#include <utility>

#include "base/caught.h"
#include "base/format.h"
#include "framework/op_registry.h"
#include "framework/tensor_list.h"
#include "function/graph_edit.h"
#include "function/variant_cache.h"
#include "ops/element_moves.h"
#include "ops/fn/EmptyTensorList.h"

namespace gk {
namespace {

// Attribute of a body: the states that are lists which enter the loop empty
// and get one value in each iteration.
constexpr char kAccumulators[] = "_accumulators";
// Each round keeps what the next derivative needs; bodies are finite.
constexpr int kMaxRounds = 100;

// Does result `o` add one to `argument` in each iteration?
bool Increments(Output o, const Node* argument) {
  o = ResourceRoot(o);
  if (!o.node->op().Has(kAddition)) return false;
  const auto is_one = [](const Output& x) {
    const Tensor& v = x.node->output(x.index).value;
    if (!v || v.num_elements() != 1) return false;
    if (v.dtype() == DataType::kInt32) return v.scalar<int32_t>() == 1;
    return v.dtype() == DataType::kInt64 && v.scalar<int64_t>() == 1;
  };
  const Output a = ResourceRoot(o.node->input(0)),
               b = ResourceRoot(o.node->input(1));
  return (a.node == argument && is_one(b)) || (b.node == argument && is_one(a));
}

}  // namespace

Tensor ShapeValue(const PartialTensorShape& shape) {
  if (shape.unknown_rank()) return Tensor::Scalar<int32_t>(-1);
  const std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  if (std::any_of(dims.begin(), dims.end(),
                  [](int64_t d) { return !std::in_range<int32_t>(d); })) {
    return Tensor::Vector<int64_t>(dims);
  }
  return Tensor::Vector<int32_t>(
      std::vector<int32_t>(dims.begin(), dims.end()));
}

Tensor KnownTensor(const Tensor& value, std::string_view name) {
  return ValueOrThrow(OpBuilder::Current()->Constant(value, name));
}

StatusOr<Tensor> EmptyList(const DifferentiableWhile::List& list) {
  try {
    const Tensor shape = KnownTensor(ShapeValue(list.shape), "element_shape");
    const Tensor limit =
        KnownTensor(Tensor::Scalar<int32_t>(-1), "max_num_elements");
    return ops::EmptyTensorList(OpName("accumulator"), shape, limit,
                                list.dtype);
  } catch (...) {
    return CaughtStatus();
  }
}

StatusOr<Output> EmptyListIn(Graph* graph,
                             const DifferentiableWhile::List& list) {
  const auto constant = [&](Tensor value) {
    const DataType dtype = value.dtype();
    return AddNodeTo(graph, OpRegistry::Get().The(kConstant), {},
                     {{"value", std::move(value)}, {"dtype", dtype}});
  };
  GK_ASSIGN_OR_RETURN(Node * shape, constant(ShapeValue(list.shape)));
  GK_ASSIGN_OR_RETURN(Node * limit, constant(Tensor::Scalar<int32_t>(-1)));
  const Output inputs[] = {{shape, 0}, {limit, 0}};
  GK_ASSIGN_OR_RETURN(const OpRecord* op,
                      OpRegistry::Get().LookUp("EmptyTensorList"));
  GK_ASSIGN_OR_RETURN(
      Node * made, AddNodeTo(graph, *op, inputs,
                             {{"element_dtype", list.dtype}}, "accumulator"));
  return Output{made, 0};
}

StatusOr<Ref<DifferentiableWhile>> DifferentiableWhile::For(
    const GraphFunction& condition, const GraphFunction& body,
    const std::vector<bool>& wanted, bool higher_order) {
  const GraphFunction* functions[] = {&body, &condition};
  GK_ASSIGN_OR_RETURN(
      Ref<DifferentiableNode> made,
      VariantCache::Get(
          {VariantRequest::Kind::kWhile, functions, wanted, higher_order},
          [&]() -> StatusOr<Ref<DifferentiableNode>> {
            auto loop = MakeRef<DifferentiableWhile>();
            loop->condition_ =
                Ref<GraphFunction>(const_cast<GraphFunction*>(&condition));
            loop->body_ = Ref<GraphFunction>(const_cast<GraphFunction*>(&body));
            GK_RETURN_IF_ERROR(loop->Differentiate(wanted, higher_order));
            if (loop->body_.get() == &body) {
              // What is kept with the functions does not keep them.
              loop->condition_ = ShareGraph(condition);
              loop->body_ = ShareGraph(body);
            }
            return Ref<DifferentiableNode>(std::move(loop));
          }));
  return Ref<DifferentiableWhile>(
      static_cast<DifferentiableWhile*>(made.get()));
}

Status DifferentiableWhile::Differentiate(const std::vector<bool>& wanted_in,
                                          bool higher_order) {
  std::vector<bool> wanted = wanted_in;
  first_list_ = body_->results().size();
  for (int round = 0; round < kMaxRounds; ++round) {
    num_states_ = body_->results().size();
    if (body_->arguments().size() != num_states_ ||
        wanted.size() != num_states_) {
      return InvalidArgument("Loop body {} takes {} values and returns {}",
                             body_->name(), body_->arguments().size(),
                             num_states_);
    }
    invariant_.assign(num_states_, false);
    for (size_t i = 0; i < num_states_; ++i) {
      invariant_[i] =
          ResourceRoot(body_->results()[i]).node == body_->arguments()[i];
    }
    FindAccumulators();
    FindReach();
    // A state is worth a gradient if it depends on what is asked for.
    Spread(true, &wanted);
    GK_ASSIGN_OR_RETURN(
        call_, DifferentiableCall::For(*body_, wanted, false,
                                       DifferentiableCall::Use::kLoopBody));
    const StatusOr<std::optional<std::vector<Source>>> sources =
        call_->Needs(call_->differentiable(), call_->wanted());
    GK_RETURN_IF_ERROR(sources.status());
    if (!sources->has_value()) {
      return Internal("loop body {} has no backward function", body_->name());
    }
    counts_.assign(num_states_, false);
    for (size_t i = 0; i < num_states_; ++i) {
      counts_[i] = Increments(body_->results()[i], body_->arguments()[i]);
    }
    std::vector<Output> needed, fresh;
    for (const Source& s : **sources) needed.push_back(ValueOf(s));
    Keep(needed, &fresh);
    if (accumulators_.empty() &&
        std::find(counts_.begin(), counts_.end(), true) == counts_.end()) {
      // The length of a list counts the iterations.
      Stash(ValueOf({true, 0}), &fresh);
    }
    if (fresh.empty()) return OkStatus();
    GK_RETURN_IF_ERROR(Append(fresh));
    if (!higher_order) return OkStatus();
    wanted.resize(body_->results().size(), true);
  }
  return Internal("the derivatives of loop {} need ever more values",
                  body_->name());
}

void DifferentiableWhile::FindAccumulators() {
  const auto* states =
      body_->attrs().Get<std::vector<int64_t>>(kAccumulators);
  if (states == nullptr) return;
  for (int64_t i : *states) {
    if (i < 0 || i >= static_cast<int64_t>(num_states_)) continue;
    const Output push = ResourceRoot(body_->results()[i]);
    if (!push.node->op().Has(kAppends) ||
        ResourceRoot(push.node->input(0)).node != body_->arguments()[i]) {
      continue;
    }
    const Output value = push.node->input(1);
    const Node::OutputInfo& info = value.node->output(value.index);
    list_of_.emplace(KeyOf(value), i);
    accumulators_.emplace(i, List{info.dtype, info.shape, info.handle_data});
  }
}

Output DifferentiableWhile::ValueOf(const Source& source) const {
  const GraphFunction& f = *call_->forward();
  return source.is_input ? Output{f.arguments()[source.index], 0}
                         : f.results()[source.index];
}

// Values of the forward body go onto lists, which become state.
Status DifferentiableWhile::Append(std::span<const Output> values) {
  const GraphFunction& forward = *call_->forward();
  const size_t first = lists_.size() - values.size();
  std::vector<Node*> map, condition_map, arguments, condition_arguments;
  Ref<Graph> graph = forward.graph().Clone(&map);
  Ref<Graph> condition_graph = condition_->graph().Clone(&condition_map);
  std::vector<Output> results, condition_results;
  for (size_t i = 0; i < num_states_; ++i) {
    const Output& r = forward.results()[i];
    results.push_back({map[r.node->id()], r.index});
  }
  for (size_t k = 0; k < values.size(); ++k) {
    const List& list = lists_[first + k];
    const HandleData data{{list.dtype, list.shape}};
    const std::string name = Format("accumulator_{}", first + k);
    GK_ASSIGN_OR_RETURN(
        Node * argument,
        AddArgumentTo(graph.get(), name, DataType::kVariant, TensorShape(),
                      data));
    arguments.push_back(argument);
    const Output inputs[] = {
        {argument, 0}, {map[values[k].node->id()], values[k].index}};
    GK_ASSIGN_OR_RETURN(Node * push,
                        AddNodeTo(graph.get(), OpRegistry::Get().The(kAppends),
                                  inputs, {{"element_dtype", list.dtype}}));
    results.push_back({push, 0});
    GK_ASSIGN_OR_RETURN(
        Node * unused,
        AddArgumentTo(condition_graph.get(), name, DataType::kVariant,
                      TensorShape(), data));
    condition_arguments.push_back(unused);
  }
  for (const Output& r : condition_->results()) {
    condition_results.push_back({condition_map[r.node->id()], r.index});
  }
  body_ = CloneFunction(forward, std::move(graph), map, std::move(results),
                        arguments);
  condition_ = CloneFunction(*condition_, std::move(condition_graph),
                             condition_map, std::move(condition_results),
                             condition_arguments);
  std::vector<int64_t> states;
  for (const auto& [state, list] : accumulators_) states.push_back(state);
  body_->mutable_attrs().Set(kAccumulators, std::move(states));
  return OkStatus();
}

void DifferentiableWhile::Spread(bool forward, std::vector<bool>* set) const {
  std::vector<size_t> added;
  for (size_t i = 0; i < num_states_; ++i) {
    if ((*set)[i]) added.push_back(i);
  }
  while (!added.empty()) {
    const size_t i = added.back();
    added.pop_back();
    for (size_t j = 0; j < num_states_; ++j) {
      if ((*set)[j] || !(forward ? reach_[i][j] : reach_[j][i])) continue;
      (*set)[j] = true;
      added.push_back(j);
    }
  }
}

void DifferentiableWhile::FindReach() {
  const size_t n = num_states_;
  reach_.assign(n, std::vector<bool>(n));
  const StatusOr<std::vector<Node*>> order = body_->graph().TopologicalOrder();
  if (!order.ok()) throw Error(order.status());
  // Of each node: the states, as bits, that its gradients may reach.
  const size_t words = (n + 63) / 64;
  std::vector<uint64_t> reached(body_->graph().num_nodes() * words);
  const auto of = [&](const Node* node) {
    return reached.data() + node->id() * words;
  };
  for (size_t i = 0; i < n; ++i) {
    of(body_->arguments()[i])[i / 64] |= uint64_t{1} << (i % 64);
  }
  for (const Node* node : *order) {
    if (node->op().Has(kNoGradient)) continue;
    for (const Output& o : node->inputs()) {
      if (!MayHaveGradient(o)) continue;
      const uint64_t* from = of(o.node);
      uint64_t* to = of(node);
      for (size_t w = 0; w < words; ++w) to[w] |= from[w];
    }
  }
  for (size_t j = 0; j < n; ++j) {
    const Output& r = body_->results()[j];
    if (r.node->output(r.index).dtype == DataType::kResource ||
        !MayHaveGradient(r)) {
      continue;
    }
    for (size_t i = 0; i < n; ++i) {
      reach_[i][j] = MayHaveGradient({body_->arguments()[i], 0}) &&
                     (of(r.node)[i / 64] >> (i % 64) & 1);
    }
  }
}

}  // namespace gk
