#include <algorithm>
#include <memory>
#include <mutex>
#include <set>

#include "base/caught.h"
#include "base/process_mutex.h"
#include "base/stack.h"
#include "framework/op_builder.h"
#include "framework/op_registry.h"
#include "function/differentiable_branches.h"
#include "function/differentiable_while.h"
#include "function/func_graph.h"
#include "function/function_gradient.h"
#include "function/graph_edit.h"
#include "function/own_gradient_attrs.h"
#include "graph/call_signature.h"

namespace gk {
namespace {

ProcessMutex& OverrideMutex() {
  static auto* const mutex = new ProcessMutex;
  return *mutex;
}
std::unordered_map<std::string, std::shared_ptr<const GradientOverride>>&
Overrides() {
  static auto* overrides =
      new std::unordered_map<std::string,
                             std::shared_ptr<const GradientOverride>>();
  return *overrides;
}

std::shared_ptr<const GradientOverride> OverrideOf(const Node& node) {
  const auto* name = node.attrs().Get<std::string>(kGradientOpType);
  if (name == nullptr) return nullptr;
  if (auto found = FindGradientOverride(*name)) return found;
  if (!name->starts_with("CustomGradient")) {
    throw Error(LookupError(
        "No gradient defined for operation'{}' (op type: {}). In general every "
        "operation must have an associated `@tf.RegisterGradient` for correct "
        "autodiff, which this op is lacking. If you want to pretend this "
        "operation is a constant in your program, you may insert "
        "`tf.stop_gradient`. This can be useful to silence the error in cases "
        "where you know gradients are not needed, e.g. the forward pass of "
        "tf.custom_gradient. Please see more details in "
        "https://www.tensorflow.org/api_docs/python/tf/custom_gradient.",
        node.name(), node.op().name));
  }
  throw Error(FailedPrecondition(
      "The gradient function of {} has been deleted together with the "
      "function that it was made in",
      node.name()));
}

// "outer/Square_grad/" below the scope that the gradients are made in.
class GradientScope {
 public:
  explicit GradientScope(const std::string& node)
      : builder_(FuncGraph::Current()) {
    if (builder_ != nullptr &&
        !builder_->scopes().PushName(node + "_grad").ok()) {
      builder_ = nullptr;
    }
  }
  ~GradientScope() {
    if (builder_ != nullptr) builder_->scopes().PopName();
  }
  GradientScope(const GradientScope&) = delete;

 private:
  FuncGraph* builder_;
};

// The walk's state for one graph.
class ReverseWalk {
 public:
  ReverseWalk(Graph* graph, CallTable* calls, bool rewrite, bool higher_order,
              std::span<const Output> stops)
      : graph_(graph),
        stops_(stops),
        calls_(calls),
        rewrite_(rewrite),
        higher_order_(higher_order) {}

  StatusOr<std::vector<Gradient>> Run(std::span<const Output> outputs,
                                      std::span<const Gradient> output_grads,
                                      std::span<const Output> inputs) {
    GK_ASSIGN_OR_RETURN(std::vector<Node*> order, graph_->TopologicalOrder());
    MarkDependent(order, inputs);
    parts_.resize(graph_->num_nodes());
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!output_grads[i].is_none() && MayHaveGradient(outputs[i])) {
        Add(outputs[i], output_grads[i]);
      }
    }
    try {
      for (size_t i = order.size(); i-- > 0;) {
        if (dependent_[order[i]->id()]) Visit(order[i]);
      }
      std::vector<Gradient> result(inputs.size());
      for (size_t i = 0; i < inputs.size(); ++i) result[i] = Take(inputs[i]);
      return result;
    } catch (...) {
      return CaughtStatus();
    }
  }

 private:
  // Nodes from which a gradient can reach one of `inputs`.
  void MarkDependent(const std::vector<Node*>& order,
                     std::span<const Output> inputs) {
    const size_t n = graph_->num_nodes();
    dependent_.assign(n, false);
    source_.assign(n, false);
    for (const Output& o : inputs) source_[o.node->id()] = true;
    std::vector<bool> stopped(n);
    for (const Output& o : stops_) stopped[o.node->id()] = StopsWhole(*o.node);
    for (const Node* node : order) {
      bool any = false;
      if (!node->op().Has(kNoGradient) && !stopped[node->id()]) {
        for (const Output& o : node->inputs()) {
          any |= (dependent_[o.node->id()] || source_[o.node->id()]) &&
                 MayHaveGradient(o);
        }
      }
      dependent_[node->id()] = any;
    }
  }

  bool Wants(Output o) const {
    // Nodes made on the way carry no gradient.
    if (static_cast<size_t>(o.node->id()) >= dependent_.size()) return false;
    return (dependent_[o.node->id()] || source_[o.node->id()]) &&
           MayHaveGradient(o);
  }

  void Add(Output o, Gradient g) {
    auto& parts = parts_[o.node->id()];
    if (parts.empty()) parts.resize(o.node->num_outputs());
    if (static_cast<size_t>(o.index) < parts.size()) {
      parts[o.index].push_back(std::move(g));
    }
  }

  Gradient Take(Output o) {
    auto& parts = parts_[o.node->id()];
    if (static_cast<size_t>(o.index) >= parts.size()) return {};
    if (parts[o.index].empty()) return {};
    if (parts[o.index].size() > 1) {
      parts[o.index] = {SumGradients(parts[o.index])};
    }
    return parts[o.index][0];
  }

  void Visit(Node* node) {
    if (parts_[node->id()].empty()) return;
    const int n = node->num_inputs(), m = parts_[node->id()].size();
    std::vector<Gradient> dy(node->num_outputs());
    for (int i = 0; i < m; ++i) dy[i] = Take({node, i});
    for (const Output& o : stops_) {
      if (o.node == node) dy[o.index] = {};
    }
    if (std::all_of(dy.begin(), dy.end(),
                    [](const Gradient& g) { return g.is_none(); })) {
      return;
    }
    std::vector<bool> wanted(n);
    auto flags = std::make_unique<bool[]>(n);
    for (int i = 0; i < n; ++i) {
      wanted[i] = flags[i] = Wants(node->input(i));
    }
    const auto custom = OverrideOf(*node);
    std::vector<Gradient> dx;
    if (!custom && RunsFunctions(*node)) {
      dx = CallGradient(node, dy, wanted);
    } else {
      const OpRecord& op = node->op();
      if (!custom && op.gradient == nullptr) {
        throw Error(
            LookupError("gradient registry has no entry for: {}", op.name));
      }
      const TensorVector x = Inputs(node), y = Outputs(node);
      GradContext context(op, node->attrs(), x, y, dy);
      context.set_wanted(flags.get());
      const GradientScope scope(node->name());
      if (custom) {
        (*custom)(context);
      } else {
        op.gradient(context);
      }
      dx = std::move(context.grads());
    }
    for (int i = 0; i < n && i < static_cast<int>(dx.size()); ++i) {
      if (wanted[i] && !dx[i].is_none()) Add(node->input(i), std::move(dx[i]));
    }
  }

  std::vector<Gradient> CallGradient(Node* node,
                                     const std::vector<Gradient>& dy,
                                     const std::vector<bool>& wanted) {
    auto it = calls_->find(node);
    if (it == calls_->end()) {
      if (!rewrite_) {
        throw Error(
            Internal("{} does not call a forward variant", node->name()));
      }
      it = calls_->emplace(node, Rewrite(node, wanted, higher_order_)).first;
    }
    const TensorVector x = Inputs(node), y = Outputs(node);
    std::vector<Gradient> grads = dy;
    grads.resize(y.size());
    std::vector<bool> which = wanted;
    which.resize(x.size());
    return it->second->Backward(x, y, grads, which);
  }

  // Calls and control flow; what it calls is in the node's attributes.
  static bool RunsFunctions(const Node& node) {
    if (!node.op().Has(kCallsFunction)) return false;
    for (std::string_view name : {"f", "then_branch", "body"}) {
      if (node.attrs().Get<FunctionAttr>(name) != nullptr) return true;
    }
    return node.attrs().Get<std::vector<FunctionAttr>>("branches") != nullptr;
  }

  // An op is stopped with all its results, but for calls and branches: their
  // results have nothing to do with each other.
  static bool StopsWhole(const Node& node) {
    return !RunsFunctions(node) ||
           node.attrs().Get<FunctionAttr>("body") != nullptr;
  }

  static Ref<GraphFunction> Callee(const Node& node, const FunctionAttr& f,
                                   size_t num_inputs) {
    auto* callee = f.definition.get();
    if (callee == nullptr || callee->arguments().size() != num_inputs) {
      throw Error(InvalidArgument("{} calls {}, whose definition is not known",
                                  node.name(), f.name));
    }
    return Ref<GraphFunction>(callee);
  }

  Ref<DifferentiableNode> Rewrite(Node* node, const std::vector<bool>& wanted,
                                  bool higher_order) {
    ThrowIfError(CheckCallSignature(*node));
    if (node->attrs().Get<FunctionAttr>("f") != nullptr) {
      return RewriteCall(node, wanted, higher_order);
    }
    if (node->attrs().Get<FunctionAttr>("body") != nullptr) {
      return RewriteWhile(node, wanted, higher_order);
    }
    return RewriteBranches(node, wanted, higher_order);
  }

  static void AddOutputs(Node* node, const GraphFunction& forward) {
    for (size_t i = node->num_outputs(); i < forward.results().size(); ++i) {
      const Output& r = forward.results()[i];
      Node::OutputInfo info = r.node->output(r.index);
      info.tensor = nullptr;
      info.value = Tensor();
      node->AddOutput(std::move(info));
    }
  }

  // Lets `node` choose between the forward variants of its branches.
  static Ref<DifferentiableNode> RewriteBranches(
      Node* node, const std::vector<bool>& wanted, bool higher_order) {
    const auto* then_branch = node->attrs().Get<FunctionAttr>("then_branch");
    const bool is_if = then_branch != nullptr;
    std::vector<FunctionAttr> attrs;
    if (is_if) {
      attrs = {*then_branch, node->attr<FunctionAttr>("else_branch")};
    } else {
      attrs = node->attr<std::vector<FunctionAttr>>("branches");
    }
    std::vector<Ref<GraphFunction>> branches;
    for (const FunctionAttr& f : attrs) {
      branches.push_back(Callee(*node, f, node->num_inputs() - 1));
    }
    Ref<DifferentiableBranches> made = ValueOrThrow(DifferentiableBranches::For(
        is_if, branches, {wanted.begin() + 1, wanted.end()}, higher_order));
    const Output& selector = node->input(0);
    const BranchNodeParts parts = ValueOrThrow(BranchNode(
        is_if, selector.node->output(selector.index).dtype, made->forward()));
    AddOutputs(node, *made->forward()[0]);
    for (const auto& [name, value] : parts.attrs) {
      node->mutable_attrs().Set(name, value);
    }
    return made;
  }

  // Lets `node` run the forward variant of its body, with empty lists.
  Ref<DifferentiableNode> RewriteWhile(Node* node,
                                       const std::vector<bool>& wanted,
                                       bool higher_order) {
    const size_t n = node->num_inputs();
    const Ref<GraphFunction> condition =
        Callee(*node, node->attr<FunctionAttr>("cond"), n);
    const Ref<GraphFunction> body =
        Callee(*node, node->attr<FunctionAttr>("body"), n);
    Ref<DifferentiableWhile> made = ValueOrThrow(
        DifferentiableWhile::For(*condition, *body, wanted, higher_order));
    const Ref<GraphFunction>& forward = made->forward_body();
    auto shapes = node->attr<std::vector<PartialTensorShape>>("output_shapes");
    if (shapes.size() != n) {
      shapes.clear();
      for (size_t i = 0; i < n; ++i) shapes.push_back(node->output(i).shape);
    }
    for (const DifferentiableWhile::List& list : made->lists()) {
      node->add_input(ValueOrThrow(EmptyListIn(graph_, list)));
      shapes.push_back(TensorShape());
    }
    AddOutputs(node, *forward);
    SetLoopAttrs(made->forward_condition(), forward, std::move(shapes),
                 &node->mutable_attrs());
    return made;
  }

  // Lets `node` call the forward variant of its function.
  static Ref<DifferentiableNode> RewriteCall(Node* node,
                                             const std::vector<bool>& wanted,
                                             bool higher_order) {
    const Ref<GraphFunction> callee =
        Callee(*node, node->attr<FunctionAttr>("f"), node->num_inputs());
    Ref<DifferentiableCall> call =
        ValueOrThrow(DifferentiableCall::For(*callee, wanted, higher_order));
    const Ref<GraphFunction>& forward = call->forward();
    AddOutputs(node, *forward);
    node->mutable_attrs().Set("f", AttrOf(*forward));
    node->mutable_attrs().Set("Tout", forward->output_types());
    return call;
  }

  TensorVector Inputs(const Node* node) {
    TensorVector tensors;
    for (const Output& o : node->inputs()) {
      tensors.push_back(graph_->TensorOf(o));
    }
    return tensors;
  }

  TensorVector Outputs(Node* node) {
    TensorVector tensors;
    for (int i = 0; i < node->num_outputs(); ++i) {
      tensors.push_back(graph_->TensorOf({node, i}));
    }
    return tensors;
  }

  Graph* graph_;
  std::span<const Output> stops_;
  CallTable* calls_;
  bool rewrite_, higher_order_;
  std::vector<bool> dependent_, source_;
  std::vector<std::vector<std::vector<Gradient>>> parts_;
};

}  // namespace

void SetGradientOverride(const std::string& name, GradientOverride gradient) {
  auto shared = std::make_shared<const GradientOverride>(std::move(gradient));
  std::lock_guard lock(OverrideMutex());
  Overrides()[name].swap(shared);
}

std::shared_ptr<const GradientOverride> FindGradientOverride(
    const std::string& name) {
  std::lock_guard lock(OverrideMutex());
  const auto it = Overrides().find(name);
  return it == Overrides().end() ? nullptr : it->second;
}

void RemoveGradientOverride(const std::string& name) {
  std::shared_ptr<const GradientOverride> dying;
  std::unique_lock lock(OverrideMutex());
  auto it = Overrides().find(name);
  if (it == Overrides().end()) return;
  dying = std::move(it->second);
  Overrides().erase(it);
  lock.unlock();
}

Status DeclareNoGradient(const std::string& name) {
  static auto& mutex = *new ProcessMutex;
  static auto& known = *new std::set<std::string>();
  const bool is_op = OpRegistry::Get().LookUp(name).ok();
  std::lock_guard lock(mutex);
  if (is_op || !known.insert(name).second) {
    return AlreadyExists("Registering two gradient with name '{}'!", name);
  }
  return OkStatus();
}

Status RegisterGradient(const std::string& name, GradientOverride gradient) {
  GK_RETURN_IF_ERROR(DeclareNoGradient(name));
  SetGradientOverride(name, std::move(gradient));
  return OkStatus();
}

void SetRegistered(std::vector<Gradient> found, GradContext* c) {
  if (found.size() != c->grads().size()) {
    throw Error(ValueError(
        "Num gradients {} generated for op {} do not match num inputs {}",
        found.size(), c->record().name, c->grads().size()));
  }
  c->grads() = std::move(found);
}

StatusOr<std::vector<Gradient>> GradientsInGraph(
    Graph* graph, std::span<const Output> outputs,
    std::span<const Gradient> output_grads, std::span<const Output> inputs,
    CallTable* calls, bool rewrite, bool higher_order,
    std::span<const Output> stops) {
  if (!HasStackLeft()) {
    return ResourceExhausted(
        "The gradient goes through functions that call each other more deeply "
        "than the stack of this thread allows");
  }
  return ReverseWalk(graph, calls, rewrite, higher_order, stops)
      .Run(outputs, output_grads, inputs);
}

}  // namespace gk
