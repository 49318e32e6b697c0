#include "function/function_gradient.h"

#include <algorithm>

#include "framework/op_builder.h"
#include "function/concrete_function.h"
#include "function/func_graph.h"

namespace gk {
namespace {

// The variants of one function, kept in GraphFunction::gradients().
class VariantCache final : public RefCounted {
 public:
  static VariantCache& Of(const GraphFunction& function) {
    std::atomic<RefCounted*>& slot = function.gradients();
    RefCounted* cache = slot.load(std::memory_order_acquire);
    if (cache == nullptr) {
      auto* made = new VariantCache();
      if (slot.compare_exchange_strong(cache, made,
                                       std::memory_order_acq_rel)) {
        return *made;
      }
      made->Unref();
    }
    return *static_cast<VariantCache*>(cache);
  }

  // Recursive: a function may, through others, call itself only by name, but
  // making a variant makes those of the functions it calls.
  std::recursive_mutex mutex;
  std::map<std::vector<bool>, Ref<DifferentiableCall>> variants;
};

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

}  // namespace

StatusOr<Ref<DifferentiableCall>> DifferentiableCall::For(
    const GraphFunction& function, std::vector<bool> wanted) {
  VariantCache& cache = VariantCache::Of(function);
  std::lock_guard lock(cache.mutex);
  auto it = cache.variants.find(wanted);
  if (it != cache.variants.end()) return it->second;
  auto made = MakeRef<DifferentiableCall>();
  GK_RETURN_IF_ERROR(made->Make(function, wanted));
  cache.variants.emplace(std::move(wanted), made);
  return made;
}

Status DifferentiableCall::Make(const GraphFunction& function,
                                std::vector<bool> wanted) {
  if (wanted.size() != function.arguments().size()) {
    return Internal("{}: wanted gradients do not match the arguments",
                    function.name());
  }
  base_name_ = BaseName(function.name());
  std::vector<Node*> map;
  graph_ = function.graph().Clone(&map);
  for (const Node* a : function.arguments()) {
    arguments_.push_back(map[a->id()]);
  }
  for (const Output& r : function.results()) {
    results_.push_back({map[r.node->id()], r.index});
    const DataType dtype = r.node->output(r.index).dtype;
    differentiable_.push_back(IsTrainable(dtype) &&
                              dtype != DataType::kResource);
  }
  for (const Node* c : function.control_outputs()) {
    control_outputs_.push_back(map[c->id()]);
  }
  attrs_ = function.attrs();
  wanted_ = std::move(wanted);
  const Key key(differentiable_, wanted_);
  GK_ASSIGN_OR_RETURN(BackwardFunction backward, Build(key, true));
  // Tapes of higher order see the intermediates as outputs, too: they may
  // bring gradients of their own.
  for (size_t i = results_.size(); i < forward_->results().size(); ++i) {
    const Output& r = forward_->results()[i];
    const DataType dtype = r.node->output(r.index).dtype;
    differentiable_.push_back(IsTrainable(dtype) &&
                              dtype != DataType::kResource);
  }
  std::vector<bool> present = key.first;
  present.resize(differentiable_.size());
  backward_.emplace(Key(std::move(present), wanted_),
                    std::make_unique<BackwardFunction>(std::move(backward)));
  return OkStatus();
}

StatusOr<DifferentiableCall::BackwardFunction> DifferentiableCall::Build(
    const Key& key, bool make_forward) {
  const auto& [present, wanted] = key;
  const int forward_id = make_forward ? NextFunctionId() : 0;
  const std::string forward_name =
      make_forward ? fmt::format("__forward_{}_{}", base_name_, forward_id)
                   : forward_->name();
  auto builder = MakeRef<FuncGraph>("__backward_" + base_name_, nullptr);
  builder->AllowCapturesFrom(graph_.get());

  BackwardFunction backward;
  TensorVector results;
  const std::vector<Output> targets =
      make_forward ? results_ : forward_->results();
  {
    FuncGraph::Building building(builder.get());
    std::vector<Gradient> grads(targets.size());
    for (size_t i = 0; i < targets.size(); ++i) {
      if (!present[i]) continue;
      const Output& r = targets[i];
      const Node::OutputInfo& info = r.node->output(r.index);
      GK_ASSIGN_OR_RETURN(grads[i].dense,
                          builder->AddArgument(fmt::format("grad_ys_{}", i),
                                               info.dtype, info.shape));
    }
    std::vector<Output> inputs;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (wanted[i]) inputs.push_back({arguments_[i], 0});
    }
    GK_ASSIGN_OR_RETURN(std::vector<Gradient> found,
                        GradientsInGraph(graph_.get(), targets, grads, inputs,
                                         &calls_, make_forward));
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
  const std::string name =
      fmt::format("__inference___backward_{}_{}_{}", base_name_,
                  NextFunctionId(), forward_id);
  AttrMap attrs;
  attrs.Set("forward_function_name", forward_name);
  GK_ASSIGN_OR_RETURN(Ref<GraphFunction> function,
                      [&]() -> StatusOr<Ref<GraphFunction>> {
                        FuncGraph::Building building(builder.get());
                        return builder->Finish(results, name, std::move(attrs));
                      }());

  // What comes of the forward graph becomes arguments, before true captures.
  std::vector<Output> extras;
  auto position = [](const std::vector<Output>& in, Output o) {
    return std::find(in.begin(), in.end(), o) - in.begin();
  };
  if (!make_forward) {
    extras.assign(forward_->results().begin() + results_.size(),
                  forward_->results().end());
  }
  std::vector<Node*> arguments = builder->arguments();
  std::vector<FunctionCapture> captures;
  for (const FunctionCapture& c : builder->captures()) {
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
  std::lock_guard lock(mutex_);
  auto it = backward_.find(key);
  if (it == backward_.end()) {
    StatusOr<BackwardFunction> built = Build(key, false);
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

std::vector<Gradient> DifferentiableCall::Backward(
    std::span<const Tensor> inputs, std::span<const Tensor> outputs,
    std::span<const Gradient> grads, const std::vector<bool>& wanted) {
  std::vector<Gradient> result(inputs.size());
  std::vector<bool> present(differentiable_.size()), useful(inputs.size());
  bool any_grad = false, any_wanted = false;
  for (size_t i = 0; i < present.size() && i < grads.size(); ++i) {
    present[i] = differentiable_[i] && !grads[i].is_none();
    any_grad |= present[i];
  }
  for (size_t i = 0; i < inputs.size() && i < wanted.size(); ++i) {
    useful[i] = wanted[i] && wanted_[i];
    any_wanted |= useful[i];
  }
  if (!any_grad || !any_wanted) return result;
  const BackwardFunction* backward = ValueOrThrow(Find({present, useful}));
  if (backward == nullptr) {
    std::copy_n(differentiable_.begin(), results_.size(), present.begin());
    backward = ValueOrThrow(Find({present, wanted_}));
    if (backward == nullptr) throw Error(Internal("no backward function"));
  }
  TensorVector arguments;
  for (size_t i = 0; i < present.size(); ++i) {
    if (!present[i]) continue;
    const bool given = i < grads.size() && !grads[i].is_none();
    arguments.push_back(given ? Densify(grads[i])
                              : MakeOp1("ZerosLike", {outputs[i]}));
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
      result[i].dense = found[next];
      if (n == 3) {
        result[i].indices = found[next + 1];
        result[i].dense_shape = found[next + 2];
      }
    }
    next += n;
  }
  return result;
}

}  // namespace gk
