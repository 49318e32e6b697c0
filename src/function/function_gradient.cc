#include "function/function_gradient.h"

#include <algorithm>

#include "framework/op_builder.h"
#include "function/concrete_function.h"
#include "function/func_graph.h"
#include "function/trace_cache.h"
#include "function/variant_cache.h"

namespace gk {
namespace {

// "f" of "__inference_f_12".
std::string BaseName(std::string_view name) {
  for (std::string_view prefix :
       {"__inference_", "__forward_", "__backward_"}) {
    if (name.substr(0, prefix.size()) == prefix) {
      name.remove_prefix(prefix.size());
      break;
    }
  }
  const size_t at = name.rfind('_');
  const bool numbered =
      at != std::string_view::npos && at > 0 && at + 1 < name.size() &&
      std::all_of(name.begin() + at + 1, name.end(),
                  [](char c) { return c >= '0' && c <= '9'; });
  return std::string(numbered ? name.substr(0, at) : name);
}

// What the gradient of a result is: that of a variable's handle is its value's.
std::optional<HandleShape> GradientSpec(const Output& o) {
  const Node::OutputInfo& info = o.node->output(o.index);
  if (info.dtype != DataType::kResource) {
    return HandleShape{info.dtype, info.shape};
  }
  if (info.handle_data.size() != 1 || !IsTrainable(info.handle_data[0].dtype)) {
    return std::nullopt;
  }
  return info.handle_data[0];
}

}  // namespace

StatusOr<Ref<DifferentiableCall>> DifferentiableCall::For(
    const GraphFunction& function, std::vector<bool> wanted, bool higher_order,
    Use use) {
  const GraphFunction* functions[] = {&function};
  GK_ASSIGN_OR_RETURN(
      Ref<DifferentiableNode> made,
      VariantCache::Get(
          {use == Use::kCall ? VariantRequest::Kind::kCall
                             : VariantRequest::Kind::kLoopBody,
           functions, wanted, higher_order},
          [&]() -> StatusOr<Ref<DifferentiableNode>> {
            auto call = MakeRef<DifferentiableCall>();
            GK_RETURN_IF_ERROR(
                call->Make(function, wanted, higher_order, use));
            return Ref<DifferentiableNode>(std::move(call));
          }));
  return Ref<DifferentiableCall>(static_cast<DifferentiableCall*>(made.get()));
}

Status DifferentiableCall::Make(const GraphFunction& function,
                                std::vector<bool> wanted, bool higher_order,
                                Use use) {
  if (wanted.size() != function.arguments().size()) {
    return Internal("{}: wanted gradients do not match the arguments",
                    function.name());
  }
  base_name_ = BaseName(function.name());
  std::vector<Node*> map;
  originals_ = VariantCache::Of(function).originals;
  originals_.push_back(function.graph_ref());
  graph_ = function.graph().Clone(&map);
  for (const Node* a : function.arguments()) {
    arguments_.push_back(map[a->id()]);
  }
  auto add_result = [&](Output o) {
    results_.push_back(o);
    const bool is_handle =
        o.node->output(o.index).dtype == DataType::kResource;
    differentiable_.push_back(MayHaveGradient(o) && GradientSpec(o) &&
                              !(is_handle && use == Use::kLoopBody));
    int passed = -1;
    if (is_handle && !GradientSpec(o) && use == Use::kCall) {
      const auto from =
          std::find(arguments_.begin(), arguments_.end(), ResourceRoot(o).node);
      if (from != arguments_.end()) {
        passed = static_cast<int>(from - arguments_.begin());
      }
    }
    passed_.push_back(passed);
  };
  for (const Output& r : function.results()) {
    add_result({map[r.node->id()], r.index});
  }
  for (const Node* c : function.control_outputs()) {
    control_outputs_.push_back(map[c->id()]);
  }
  attrs_ = function.attrs();
  wanted_ = std::move(wanted);
  higher_order_ = higher_order;
  while (true) {
    const Key key(differentiable_, wanted_);
    std::vector<Output> extras;
    GK_ASSIGN_OR_RETURN(BackwardFunction backward, Build(key, true, &extras));
    if (!higher_order || extras.empty()) {
      VariantCache::Of(*forward_).originals = originals_;
      backward_.emplace(
          key, std::make_unique<BackwardFunction>(std::move(backward)));
      return OkStatus();
    }
    // A gradient of an intermediate may need further ones.
    for (const Output& o : extras) add_result(o);
  }
}

StatusOr<DifferentiableCall::BackwardFunction> DifferentiableCall::Build(
    const Key& key, bool make_forward, std::vector<Output>* extras_out) {
  const auto& [present, wanted] = key;
  const int forward_id = make_forward ? NextFunctionId() : 0;
  const std::string forward_name =
      make_forward ? Format("__forward_{}_{}", base_name_, forward_id)
                   : forward_->name();
  auto builder = MakeRef<FuncGraph>("__backward_" + base_name_, nullptr);
  builder->inputs().AllowCapturesFrom(graph_.get(), originals_);

  BackwardFunction backward;
  TensorVector results;
  {
    FuncGraph::Building building(builder.get());
    std::vector<Gradient> grads(results_.size());
    for (size_t i = 0; i < results_.size(); ++i) {
      if (!present[i]) continue;
      const HandleShape spec = *GradientSpec(results_[i]);
      GK_ASSIGN_OR_RETURN(grads[i].dense,
                          builder->inputs().AddArgument(
                              Format("grad_ys_{}", i), spec.dtype, spec.shape));
    }
    std::vector<Output> inputs;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (wanted[i]) inputs.push_back({arguments_[i], 0});
    }
    GK_ASSIGN_OR_RETURN(std::vector<Gradient> found,
                        GradientsInGraph(graph_.get(), results_, grads, inputs,
                                         &calls_, make_forward, higher_order_));
    size_t next = 0;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const Gradient g = wanted[i] ? found[next++] : Gradient();
      backward.results.push_back(g.is_none() ? 0 : g.is_slices() ? 3 : 1);
      if (g.is_none()) continue;
      results.push_back(g.dense);
      if (g.is_slices()) {
        results.push_back(g.indices);
        results.push_back(g.dense_shape);
      }
    }
  }
  const std::string name = Format("__inference___backward_{}_{}_{}", base_name_,
                                  NextFunctionId(), forward_id);
  AttrMap attrs;
  attrs.Set("forward_function_name", forward_name);
  GK_ASSIGN_OR_RETURN(Ref<GraphFunction> function,
                      [&]() -> StatusOr<Ref<GraphFunction>> {
                        FuncGraph::Building building(builder.get());
                        return builder->Finish(results, name, std::move(attrs));
                      }());

  // What comes of the forward graph becomes arguments, before true captures.
  std::vector<Output>& extras = *extras_out;
  auto position = [](const std::vector<Output>& in, Output o) {
    return std::find(in.begin(), in.end(), o) - in.begin();
  };
  if (!make_forward) {
    extras.assign(forward_->results().begin() + results_.size(),
                  forward_->results().end());
  }
  std::vector<Node*> arguments = builder->inputs().arguments();
  std::vector<FunctionCapture> captures;
  for (const FunctionCapture& c : builder->inputs().captures()) {
    if (!c.external || !c.external.is_symbolic()) {
      captures.push_back(c);
      continue;
    }
    const Output o = Graph::OutputOf(c.external);
    arguments.push_back(c.placeholder);
    auto input = std::find(arguments_.begin(), arguments_.end(), o.node);
    size_t at;
    if (input != arguments_.end()) {
      backward.sources.push_back(
          {true, static_cast<int>(input - arguments_.begin())});
    } else if (at = position(results_, o); at < results_.size()) {
      backward.sources.push_back({false, static_cast<int>(at)});
    } else {
      at = position(extras, o);
      if (at == extras.size()) {
        if (!make_forward) return FailedPrecondition("not an intermediate");
        extras.push_back(o);
      }
      backward.sources.push_back(
          {false, static_cast<int>(results_.size() + at)});
    }
  }
  std::vector<ArgumentSpec> specs;
  for (const Node* a : arguments) {
    specs.push_back({a->name(), a->output(0).dtype, a->output(0).shape});
  }
  for (const FunctionCapture& c : captures) arguments.push_back(c.placeholder);
  auto ordered = MakeRef<GraphFunction>(
      name, function->graph_ref(), std::move(arguments), function->results(),
      function->control_outputs(), function->attrs());
  backward.function = MakeRef<ConcreteFunction>(
      std::move(ordered), std::move(specs), std::move(captures));

  if (make_forward) {
    std::vector<Output> all = results_;
    all.insert(all.end(), extras.begin(), extras.end());
    AttrMap forward_attrs = attrs_;
    forward_attrs.Set("backward_function_name", name);
    forward_ =
        MakeRef<GraphFunction>(forward_name, graph_, arguments_, std::move(all),
                               control_outputs_, std::move(forward_attrs));
  }
  return backward;
}

StatusOr<const DifferentiableCall::BackwardFunction*> DifferentiableCall::Find(
    const Key& key) {
  ThreadLatch::Hold hold;
  GK_RETURN_IF_ERROR(hold.Take(latch_));
  auto it = backward_.find(key);
  if (it == backward_.end()) {
    std::vector<Output> extras;
    StatusOr<BackwardFunction> built = Build(key, false, &extras);
    std::unique_ptr<BackwardFunction> entry;
    if (built.ok()) {
      entry = std::make_unique<BackwardFunction>(*std::move(built));
    } else if (built.status().code() != Code::kFailedPrecondition &&
               built.status().code() != Code::kInternal) {
      return built.status();
    }
    it = backward_.emplace(key, std::move(entry)).first;
  }
  return it->second.get();
}

StatusOr<std::optional<std::vector<DifferentiableCall::Source>>>
DifferentiableCall::Needs(std::vector<bool> present, std::vector<bool> wanted) {
  for (size_t i = 0; i < present.size(); ++i) {
    present[i] = present[i] && differentiable_[i];
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    wanted[i] = wanted[i] && wanted_[i];
  }
  GK_ASSIGN_OR_RETURN(const BackwardFunction* backward,
                      Find({std::move(present), std::move(wanted)}));
  std::optional<std::vector<Source>> sources;
  if (backward != nullptr) sources = backward->sources;
  return sources;
}

std::vector<Gradient> DifferentiableCall::Backward(
    std::span<const Tensor> inputs, std::span<const Tensor> outputs,
    std::span<const Gradient> grads, const std::vector<bool>& wanted) {
  std::vector<Gradient> result(inputs.size());
  std::vector<bool> present(results_.size()), useful(inputs.size());
  bool any_grad = false, any_wanted = false;
  for (size_t i = 0; i < results_.size() && i < grads.size(); ++i) {
    present[i] = differentiable_[i] && !grads[i].is_none();
    any_grad |= present[i];
  }
  for (size_t i = 0; i < inputs.size() && i < wanted.size(); ++i) {
    useful[i] = wanted[i] && wanted_[i];
    any_wanted |= useful[i];
  }
  if (!any_wanted) return result;
  for (size_t i = 0; i < results_.size() && i < grads.size(); ++i) {
    if (passed_[i] < 0 || grads[i].is_none() || !useful[passed_[i]]) continue;
    const Gradient both[] = {std::move(result[passed_[i]]), grads[i]};
    result[passed_[i]] = both[0].is_none() ? grads[i] : SumGradients(both);
  }
  if (!any_grad) return result;
  const BackwardFunction* backward = ValueOrThrow(Find({present, useful}));
  if (backward == nullptr) {
    present = differentiable_;
    backward = ValueOrThrow(Find({present, wanted_}));
    if (backward == nullptr) throw Error(Internal("no backward function"));
  }
  TensorVector arguments;
  for (size_t i = 0; i < results_.size(); ++i) {
    if (!present[i]) continue;
    const bool given = i < grads.size() && !grads[i].is_none();
    arguments.push_back(given ? Densify(grads[i]) : ZeroGradient(outputs[i]));
  }
  for (const Source& s : backward->sources) {
    arguments.push_back(s.is_input ? inputs[s.index] : outputs[s.index]);
  }
  TensorVector found;
  ThrowIfError(backward->function->CallMatched(arguments, &found));
  size_t next = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    const int n = backward->results[i];
    if (n == 0) continue;
    if (useful[i]) {
      Gradient g = {found[next], {}, {}};
      if (n == 3) {
        g.indices = found[next + 1];
        g.dense_shape = found[next + 2];
      }
      const Gradient both[] = {std::move(result[i]), g};
      result[i] = both[0].is_none() ? std::move(g) : SumGradients(both);
    }
    next += n;
  }
  return result;
}

}  // namespace gk
