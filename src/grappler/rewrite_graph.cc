#include "grappler/rewrite_graph.h"

#include <algorithm>

namespace gk {
namespace {

RewriteGraph CloneParts(const std::string& name, const Graph& graph,
                         const std::vector<Node*>& arguments,
                         const std::vector<Output>& results,
                         const std::vector<Node*>& control_outputs) {
  RewriteGraph f;
  f.name = name;
  std::vector<Node*> map;
  f.graph = graph.Clone(&map);
  for (Node* n : arguments) f.arguments.push_back(map[n->id()]);
  for (const Output& o : results) {
    f.results.push_back({map[o.node->id()], o.index});
  }
  for (Node* n : control_outputs) f.control_outputs.push_back(map[n->id()]);
  return f;
}

}  // namespace

RewriteGraph RewriteGraph::CloneOf(const GraphFunction& function) {
  return CloneParts(function.name(), function.graph(), function.arguments(),
                    function.results(), function.control_outputs());
}

RewriteGraph RewriteGraph::Clone() const {
  RewriteGraph f =
      CloneParts(name, *graph, arguments, results, control_outputs);
  f.spliced = spliced;
  return f;
}

const GraphFunction* GraphOf(const FunctionAttr* f) {
  return f ? f->definition.get() : nullptr;
}

bool HasSideEffect(const Node& node) { return EffectsOf(node).must_run; }

bool KeepsPlace(const Node& node) {
  const OpRecord& op = node.op();
  if (!op.Has(kStateful | kRandom | kReadsResource | kWritesResource |
              kCallsFunction) &&
      !op.def->is_stateful) {
    return false;
  }
  const FunctionEffects effects = EffectsOf(node);
  if (!effects.stateful) return false;
  return !op.Has(kRandom) ||
         std::any_of(effects.arguments.begin(), effects.arguments.end(),
                     [](ResourceUse use) { return use != ResourceUse::kNone; });
}

}  // namespace gk
