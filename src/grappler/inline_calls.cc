#include "grappler/inline_calls.h"

#include <algorithm>

#include "base/checks.h"
#include "base/interrupt.h"
#include "grappler/splice.h"
#include "ops/control/truth.h"

namespace gk {
namespace {

constexpr int kMaxInlinedNodes = 50000;
constexpr size_t kMaxDepth = 32;

using Chain = std::vector<const GraphFunction*>;

// The function that a node calls once, and its input that is argument 0.
struct Callee {
  const GraphFunction* function = nullptr;
  int first_input = 0;
};

// What an If or Case calls if it is known which branch it takes.
const FunctionAttr* KnownBranch(const Node& node) {
  if (node.num_inputs() == 0) return nullptr;
  const Tensor& choice = KnownValue(node.input(0));
  if (!choice) return nullptr;
  const AttrMap& attrs = node.attrs();
  if (node.op().control == Control::kIf) {
    const StatusOr<bool> truth = TruthFor(attrs)(choice);
    if (!truth.ok()) return nullptr;  // fails when, and if, it runs
    return attrs.Get<FunctionAttr>(*truth ? "then_branch" : "else_branch");
  }
  if (node.op().control != Control::kCase) return nullptr;
  const auto* branches = attrs.Get<std::vector<FunctionAttr>>("branches");
  if (!branches || branches->empty() || !choice.shape().IsScalar() ||
      choice.dtype() != DataType::kInt32) {
    return nullptr;
  }
  const int64_t index = choice.scalar<int32_t>(), n = branches->size();
  return &(*branches)[index < 0 || index >= n ? n - 1 : index];
}

// No function if `node` is no call, or one that does not fit.
Callee CalleeOf(const Node& node) {
  const FunctionAttr* f = nullptr;
  Callee callee;
  if (node.op().control == Control::kCall) {
    f = node.attrs().Get<FunctionAttr>("f");
  } else if (node.op().Has(kCallsFunction)) {
    f = KnownBranch(node);
    callee.first_input = 1;
  }
  const GraphFunction* function = GraphOf(f);
  const size_t first = callee.first_input;
  if (!function ||
      function->arguments().size() + first != size_t(node.num_inputs()) ||
      function->results().size() != size_t(node.num_outputs())) {
    return {};
  }
  for (size_t i = first; i < size_t(node.num_inputs()); ++i) {
    const Output& in = node.input(i);
    if (in.node->output(in.index).dtype !=
        function->arguments()[i - first]->output(0).dtype) {
      return {};
    }
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    const Output& r = function->results()[i];
    if (r.node->output(r.index).dtype != node.output(i).dtype) return {};
  }
  callee.function = function;
  return callee;
}

class Inliner {
 public:
  explicit Inliner(RewriteGraph* f) : f_(f), splice_(f) {}

  Status Run(const GraphFunction* self) {
    std::vector<std::pair<Node*, Chain>> calls;
    for (const auto& node : f_->graph->nodes()) {
      if (CalleeOf(*node).function) calls.push_back({node.get(), {self}});
    }
    for (size_t i = 0; i < calls.size(); ++i) {
      auto [call, chain] = calls[i];
      const Callee target = CalleeOf(*call);
      const GraphFunction* callee = target.function;
      if (std::count(chain.begin(), chain.end(), callee) ||
          chain.size() >= kMaxDepth ||
          f_->graph->num_nodes() + callee->graph().num_nodes() >
              kMaxInlinedNodes) {
        continue;
      }
      chain.push_back(callee);
      std::vector<Node*> inner_calls;
      GK_RETURN_IF_ERROR(Inline(call, target, &inner_calls));
      for (Node* inner : inner_calls) calls.push_back({inner, chain});
    }
    return splice_.empty() ? OkStatus() : splice_.Apply();
  }

 private:
  Status Inline(Node* call, const Callee& target,
                std::vector<Node*>* inner_calls) {
    const GraphFunction& callee = *target.function;
    GK_ASSIGN_OR_RETURN(const std::vector<Node*> order,
                        callee.graph().TopologicalOrder());
    std::vector<int> argument(callee.graph().num_nodes(), -1);
    for (size_t i = 0; i < callee.arguments().size(); ++i) {
      argument[callee.arguments()[i]->id()] = i;
    }
    std::vector<Node*> copy_of(callee.graph().num_nodes());
    const auto outer = [&](const Output& o) -> Output {
      const int i = argument[o.node->id()];
      return i >= 0
                 ? splice_.values().Follow(call->input(target.first_input + i))
                 : Output{copy_of[o.node->id()], o.index};
    };
    // Nodes of branches have the names of the scope that they are in.
    const std::string prefix = target.first_input > 0 ? "" : call->name() + "/";
    std::vector<Node*> before;
    if (KeepsPlace(*call)) {
      GK_ASSIGN_OR_RETURN(before, splice_.Before(call));
    }
    std::vector<Node*> outputs;
    std::vector<const Node*> in_place;
    std::vector<bool> is_waited_for(callee.graph().num_nodes());
    if (ChecksOn()) {
      SplicedNode spliced{call->name(), &callee, target.first_input, {}};
      spliced.copies.resize(callee.graph().num_nodes());
      f_->spliced.push_back(std::move(spliced));
    }
    for (const Node* node : order) {
      PollInterrupt();
      if (argument[node->id()] >= 0) continue;
      std::vector<Output> inputs;
      for (const Output& in : node->inputs()) inputs.push_back(outer(in));
      std::vector<Node*> control;
      for (const Node* c : node->control_inputs()) {
        if (copy_of[c->id()]) control.push_back(copy_of[c->id()]);
      }
      if (KeepsPlace(*node)) {
        in_place.push_back(node);
        for (const Output& in : node->inputs()) {
          is_waited_for[in.node->id()] = true;
        }
        for (const Node* c : node->control_inputs()) {
          is_waited_for[c->id()] = true;
        }
        control.insert(control.end(), before.begin(), before.end());
      }
      GK_ASSIGN_OR_RETURN(Node * copy,
                          f_->graph->AddNode(node->op(), prefix + node->name(),
                                             inputs, node->attrs(), control));
      copy->set_device(node->device());
      copy->set_source(node->source() ? node->source() : call->source());
      if (copy->num_outputs() != node->num_outputs()) {
        return Internal("Node {} changed its outputs", node->name());
      }
      for (int i = 0; i < copy->num_outputs(); ++i) {
        Node::OutputInfo& info = copy->mutable_output(i);
        GK_ASSIGN_OR_RETURN(info.shape,
                            info.shape.MergeWith(node->output(i).shape));
        if (info.handle_data.empty()) {
          info.handle_data = node->output(i).handle_data;
        }
      }
      copy_of[node->id()] = copy;
      if (ChecksOn()) f_->spliced.back().copies[node->id()] = copy->name();
      if (HasSideEffect(*node)) outputs.push_back(copy);
      if (CalleeOf(*copy).function) inner_calls->push_back(copy);
    }
    std::vector<Node*> after;
    for (const Node* node : in_place) {
      if (!is_waited_for[node->id()]) after.push_back(copy_of[node->id()]);
    }
    for (const Node* c : callee.control_outputs()) {
      Node* const copy = copy_of[c->id()];
      if (copy == nullptr) continue;
      outputs.push_back(copy);
      if (!KeepsPlace(*c)) after.push_back(copy);
    }
    for (size_t i = 0; i < callee.results().size(); ++i) {
      const Output result = outer(callee.results()[i]);
      if (!MayStandFor(result, {call, int(i)})) {
        return InvalidArgument("Result {} of {} is not of the shape declared",
                               i, call->name());
      }
      splice_.values().Add({call, int(i)}, result);
    }
    if (in_place.empty()) {
      // Who waits for a call without effects waits for its values.
      for (const Output& r : callee.results()) {
        if (Node* const copy = copy_of[r.node->id()]) after.push_back(copy);
      }
    }
    splice_.Replace(call, std::move(after), !in_place.empty(),
                    std::move(outputs));
    return OkStatus();
  }

  RewriteGraph* f_;
  Splice splice_;
};

}  // namespace

Status InlineCalls(const GraphFunction* self, RewriteGraph* function) {
  return Inliner(function).Run(self);
}

Status TakeKnownBranches(RewriteGraph* function, bool* changed) {
  const auto& nodes = function->graph->nodes();
  const bool any =
      std::any_of(nodes.begin(), nodes.end(), [](const auto& node) {
        return CalleeOf(*node).first_input > 0 && CalleeOf(*node).function;
      });
  if (!any) return OkStatus();
  RewriteGraph taken = function->Clone();
  // A body that does not fit its call must show that when, and if, it runs.
  if (!InlineCalls(nullptr, &taken).ok()) return OkStatus();
  *function = std::move(taken);
  *changed = true;
  return OkStatus();
}

}  // namespace gk
