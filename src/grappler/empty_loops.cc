#include "grappler/empty_loops.h"

#include <algorithm>

#include "base/checks.h"
#include "grappler/splice.h"
#include "ops/control/truth.h"

namespace gk {
namespace {

const GraphFunction* ConditionOf(const Node& node) {
  if (node.op().control != Control::kWhile) return nullptr;
  const auto* condition = GraphOf(node.attrs().Get<FunctionAttr>("cond"));
  if (!condition || condition->results().size() != 1 ||
      condition->arguments().size() != size_t(node.num_inputs()) ||
      node.num_inputs() != node.num_outputs()) {
    return nullptr;
  }
  return condition;
}

// Whether all that the condition's result depends on is known where the loop
// begins, and asking has no effect.
bool MayBeKnown(const GraphFunction& condition, const Node& loop) {
  std::vector<bool> known(condition.graph().num_nodes(), true);
  for (size_t i = 0; i < condition.arguments().size(); ++i) {
    known[condition.arguments()[i]->id()] = bool(KnownValue(loop.input(i)));
  }
  std::vector<bool> seen(condition.graph().num_nodes());
  std::vector<const Node*> todo{condition.results()[0].node};
  while (!todo.empty()) {
    const Node* node = todo.back();
    todo.pop_back();
    if (seen[node->id()]) continue;
    seen[node->id()] = true;
    if (!known[node->id()]) return false;
    for (const Output& in : node->inputs()) todo.push_back(in.node);
  }
  const auto& nodes = condition.graph().nodes();
  return std::none_of(nodes.begin(), nodes.end(),
                      [](const auto& node) { return HasSideEffect(*node); });
}

// Whether the loop is known to make no turn. What cannot be inferred, errors
// for one, shows when the loop runs.
bool IsEmpty(Node& loop) {
  const GraphFunction* condition = ConditionOf(loop);
  if (!condition || !MayBeKnown(*condition, loop)) return false;
  for (int i = 0; i < loop.num_outputs(); ++i) {
    if (!MayStandFor(loop.input(i), {&loop, i})) return false;
  }
  RewriteGraph test = RewriteGraph::CloneOf(*condition);
  Replacements values;
  std::vector<bool> is_argument(test.graph->num_nodes());
  for (size_t i = 0; i < test.arguments.size(); ++i) {
    Node* const argument = test.arguments[i];
    is_argument[argument->id()] = true;
    const Tensor& value = KnownValue(loop.input(i));
    if (!value || value.dtype() != argument->output(0).dtype) continue;
    const StatusOr<Node*> made = AddConst(test.graph.get(), value, *argument);
    if (!made.ok()) return false;
    values.Add({argument, 0}, {*made, 0});
  }
  values.Apply(&test);
  const StatusOr<std::vector<Node*>> order = test.graph->TopologicalOrder();
  if (!order.ok()) return false;
  for (Node* node : *order) {
    const bool is_given =
        size_t(node->id()) < is_argument.size() && is_argument[node->id()];
    if (!is_given && !InferShapes(node).ok()) return false;
  }
  const Tensor& result = KnownValue(test.results[0]);
  if (!result) return false;
  const StatusOr<bool> truth = TruthFor(loop.attrs())(result);
  return truth.ok() && !*truth;
}

}  // namespace

Status DropEmptyLoops(RewriteGraph* function, bool* changed) {
  std::vector<Node*> empty;
  for (const auto& node : function->graph->nodes()) {
    if (IsEmpty(*node)) empty.push_back(node.get());
  }
  if (empty.empty()) return OkStatus();
  Splice splice(function);
  for (Node* loop : empty) {
    for (int i = 0; i < loop->num_outputs(); ++i) {
      splice.values().Add({loop, i}, loop->input(i));
    }
    splice.Replace(loop, {}, false, {});
    if (ChecksOn()) function->spliced.push_back({loop->name()});
  }
  GK_RETURN_IF_ERROR(splice.Apply());
  *changed = true;
  return OkStatus();
}

}  // namespace gk
