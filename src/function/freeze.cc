#include "function/freeze.h"

#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "framework/variable.h"
#include "function/freeze_graph.h"
#include "function/user_graph.h"
#include "graph/graph_def.h"
#include "grappler/inline_calls.h"
#include "grappler/prune.h"

namespace gk {
namespace {

// What a capture is as a constant; no value if it stays one.
StatusOr<FrozenValue> ValueNow(const FunctionCapture& capture) {
  const Tensor& t = capture.external;
  if (!t || t.is_symbolic() || t.dtype() == DataType::kVariant) {
    return FrozenValue();
  }
  if (t.dtype() != DataType::kResource) return FrozenValue{t, ""};
  const StatusOr<VariableResource*> variable = VariableOf(t);
  if (!variable.ok()) return FrozenValue();
  GK_ASSIGN_OR_RETURN(Tensor value, (*variable)->Read());
  const std::string& name = (*variable)->name();
  return FrozenValue{std::move(value), name.empty() ? "Variable" : name};
}

// Results are marked anew: the nodes that mark them and do nothing else go.
std::vector<Output> Unmarked(RewriteGraph* g) {
  std::unordered_map<const Node*, int> uses;
  for (const auto& node : g->graph->nodes()) {
    for (const Output& in : node->inputs()) ++uses[in.node];
    for (const Node* before : node->control_inputs()) ++uses[before];
  }
  for (const Output& o : g->results) ++uses[o.node];
  std::vector<Output> results;
  std::vector<bool> keep(g->graph->num_nodes(), true);
  for (const Output& o : g->results) {
    const bool marks = o.node->op().Has(kIdentity) && uses[o.node] == 1 &&
                       o.node->control_inputs().empty();
    results.push_back(marks ? o.node->input(0) : o);
    if (marks) keep[o.node->id()] = false;
  }
  g->results = results;
  g->graph->RemoveNodes(keep);
  return results;
}

// The graph as one that the program sees, under construction.
StatusOr<FrozenFunction> Rebuilt(const ConcreteFunction& original,
                                 RewriteGraph g,
                                 const std::vector<FunctionCapture>& captures) {
  const std::vector<Output> results = Unmarked(&g);
  GK_ASSIGN_OR_RETURN(proto::GraphDef message, GraphToGraphDef(*g.graph));
  std::unordered_set<std::string> outside;
  for (const Node* argument : g.arguments) outside.insert(argument->name());
  std::erase_if(message.node, [&](const proto::NodeDef& def) {
    return outside.contains(def.name);
  });
  auto graph = MakeRef<FuncGraph>(PlainFunctionName(original.name()));
  GraphInputs& inputs = graph->inputs();
  GraphImport import{.prefix = ""};
  const size_t num_arguments = original.arguments().size();
  for (size_t i = 0; i < g.arguments.size(); ++i) {
    const Node& node = *g.arguments[i];
    const Node::OutputInfo& info = node.output(0);
    Tensor& given = import.input_map[node.name() + ":0"];
    if (i < num_arguments) {
      GK_ASSIGN_OR_RETURN(
          given,
          inputs.AddArgument(node.name(), info.dtype, info.shape,
                             node.attr<std::string>("_user_specified_name"),
                             info.handle_data));
      continue;
    }
    const FunctionCapture& c = captures[i - num_arguments];
    if (c.value) {
      GK_ASSIGN_OR_RETURN(
          given, inputs.CaptureDeferred(c.value, info.dtype, info.shape,
                                        node.name(), info.handle_data));
    } else {
      GK_ASSIGN_OR_RETURN(given, inputs.Capture(c.external, node.name()));
    }
  }
  const FuncGraph::Building building(graph.get());
  std::vector<std::string> edges;
  for (const Output& o : results) {
    edges.push_back(Format("{}:{}", o.node->name(), o.index));
  }
  GK_ASSIGN_OR_RETURN(
      const TensorVector tensors,
      ImportEdges(graph.get(), message, std::move(import), edges));
  graph->set_signature(original.signature());
  GK_ASSIGN_OR_RETURN(Ref<ConcreteFunction> frozen,
                      ConcreteFunction::FromFuncGraph(
                          *graph, tensors, original.function()->attrs()));
  return FrozenFunction{std::move(frozen), std::move(graph)};
}

}  // namespace

StatusOr<FrozenFunction> FreezeVariables(const ConcreteFunction& function) {
  RewriteGraph g = RewriteGraph::CloneOf(*function.function());
  GK_RETURN_IF_ERROR(InlineCalls(function.function().get(), &g));
  std::deque<FrozenValue> values;
  std::vector<const FrozenValue*> frozen(function.arguments().size());
  std::vector<FunctionCapture> captures;
  for (const FunctionCapture& c : function.captures()) {
    GK_ASSIGN_OR_RETURN(FrozenValue value, ValueNow(c));
    if (!value.value) {
      captures.push_back(c);
      frozen.push_back(nullptr);
      continue;
    }
    frozen.push_back(&values.emplace_back(std::move(value)));
  }
  GK_RETURN_IF_ERROR(FreezeGraph(&g, frozen));
  bool changed = false;
  GK_RETURN_IF_ERROR(Prune(&g, &changed));
  return Rebuilt(function, std::move(g), captures);
}

}  // namespace gk
