#include "graph/raise_control_flow.h"

#include <algorithm>
#include <set>

#include "graph/control_flow_raiser.h"
#include "graph/function_reader.h"
#include "graph/lowered_graph.h"

namespace gk {

bool HasLoweredControlFlow(const proto::GraphDef& graph) {
  const auto& functions = graph.library->function;
  return AnyLowered(graph.node) ||
         std::any_of(functions.begin(), functions.end(),
                     [](const auto& f) { return AnyLowered(f.node_def); });
}

StatusOr<proto::GraphDef> RaiseControlFlow(
    const proto::GraphDef& graph,
    const std::map<std::string, DataType>& outside, const proto::OpList* ops) {
  std::set<std::string> taken;
  for (const proto::FunctionDef& f : graph.library->function) {
    taken.insert(f.signature->name);
  }
  FunctionReader reader(*graph.library, ops);
  GK_RETURN_IF_ERROR(reader.Init());
  proto::GraphDef raised = graph;
  std::vector<proto::FunctionDef> made;
  for (proto::FunctionDef& f : raised.library.mut().function) {
    if (!AnyLowered(f.node_def)) continue;
    LoweredGraph body(LoweredGraph::kFunctionForm, reader.unregistered());
    for (const auto& arg : f.signature->input_arg) {
      body.DefineExternal(arg.name, static_cast<DataType>(arg.type));
    }
    GK_RETURN_IF_ERROR(body.Add(f.node_def));
    GK_RETURN_IF_ERROR(
        ControlFlowRaiser(&body, f.signature->name + "_", &taken, &made).Run());
    GK_ASSIGN_OR_RETURN(f.node_def, body.Write());
    for (auto& [name, edge] : f.ret) {
      GK_ASSIGN_OR_RETURN(const LoweredGraph::Edge e, body.Parse(edge));
      if (body.nodes()[e.node].gone) {
        return InvalidArgument("'{}', a result of {}, is in a branch or loop",
                               edge, f.signature->name);
      }
      GK_ASSIGN_OR_RETURN(edge, body.NameOf(e));
    }
    for (auto& [name, node] : f.control_ret) {
      const int stands = body.StandsFor(body.FindNode(node));
      if (stands >= 0) node = body.nodes()[stands].def.name;
    }
  }
  if (AnyLowered(graph.node)) {
    LoweredGraph nodes(LoweredGraph::kGraphForm, reader.unregistered());
    for (const auto& [edge, type] : outside) nodes.DefineExternal(edge, type);
    GK_RETURN_IF_ERROR(nodes.Add(graph.node));
    GK_RETURN_IF_ERROR(
        ControlFlowRaiser(&nodes, "raised_", &taken, &made).Run());
    GK_ASSIGN_OR_RETURN(raised.node, nodes.Write());
  }
  auto& functions = raised.library.mut().function;
  std::move(made.begin(), made.end(), std::back_inserter(functions));
  return raised;
}

}  // namespace gk
