#include "function/freeze_graph_def.h"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>
#include <vector>

#include "framework/op_registry.h"
#include "function/freeze_graph.h"
#include "function/graph_edit.h"
#include "graph/graph_def.h"
#include "graph/import_graph_def.h"
#include "graph/sub_graph.h"

namespace gk {
namespace {

// A name that the constant takes over while the handle is still there.
std::string HandleName(const std::string& name) { return name + "/handle"; }

// Handles of the variables go out of the way of their constants' names.
void RenameHandles(const std::map<std::string, Tensor>& values,
                   proto::GraphDef* graph) {
  for (proto::NodeDef& node : graph->node) {
    if (values.count(node.name) != 0) node.name = HandleName(node.name);
    for (std::string& input : node.input) {
      const size_t from = input.starts_with('^') ? 1 : 0;
      const size_t colon = std::min(input.find(':'), input.size());
      const std::string name = input.substr(from, colon - from);
      if (values.count(name) == 0) continue;
      input = input.substr(0, from) + HandleName(name) + input.substr(colon);
    }
  }
}

bool HasAttr(const OpDef& def, std::string_view name, AttrType type) {
  return std::ranges::any_of(def.attrs, [&](const AttrDef& attr) {
    return attr.name == name && attr.type == type;
  });
}

bool MakesVariableHandle(const OpDef& def) {
  return def.inputs.empty() && def.outputs.size() == 1 &&
         def.outputs[0].type == DataType::kResource &&
         HasAttr(def, "dtype", AttrType::kType) &&
         HasAttr(def, "shape", AttrType::kShape);
}

}  // namespace

std::vector<std::string> VariableHandles(const proto::GraphDef& graph) {
  std::vector<std::string> names;
  for (const proto::NodeDef& node : graph.node) {
    const OpRecord* const op = OpRegistry::Get().Find(node.op);
    if (op != nullptr && MakesVariableHandle(*op->def)) {
      names.push_back(node.name);
    }
  }
  return names;
}

bool ReadsVariable(std::string_view op) {
  const OpRecord* const record = OpRegistry::Get().Find(op);
  return record != nullptr && record->Has(kReadsVariable);
}

StatusOr<proto::GraphDef> FreezeGraphDef(
    const proto::GraphDef& graph, std::span<const std::string> outputs,
    const std::map<std::string, Tensor>& values) {
  GK_ASSIGN_OR_RETURN(proto::GraphDef part, ExtractSubGraph(graph, outputs));
  RenameHandles(values, &part);
  RewriteGraph g;
  g.name = "the graph";
  g.graph = MakeRef<Graph>();
  ImportGraphDefOptions options;
  options.unknown_ops = UnknownOps::kCarry;
  GK_RETURN_IF_ERROR(ImportGraphDef(part, g.graph.get(), options).status());
  std::deque<FrozenValue> held;
  std::vector<const FrozenValue*> frozen;
  for (const auto& [name, value] : values) {
    Node* handle = g.graph->FindNode(HandleName(name));
    if (handle == nullptr) continue;
    g.arguments.push_back(handle);
    frozen.push_back(&held.emplace_back(FrozenValue{value, name, name}));
  }
  for (const std::string& output : outputs) {
    Node* const node = g.graph->FindNode(output);
    if (node == nullptr) {
      return ValueError("The output '{}' is the variable itself", output);
    }
    if (node->num_outputs() == 0) {
      g.control_outputs.push_back(node);
    } else {
      g.results.push_back({node, 0});
    }
  }
  const std::vector<Output> asked = g.results;
  std::vector<std::string> names;
  for (const Output& o : asked) names.push_back(o.node->name());
  GK_RETURN_IF_ERROR(FreezeGraph(&g, frozen));
  for (size_t i = 0; i < g.results.size(); ++i) {
    const Output& now = g.results[i];
    if (now.node->name() == names[i] ||
        g.graph->FindNode(names[i]) != nullptr) {
      continue;
    }
    const DataType dtype = now.node->output(now.index).dtype;
    GK_RETURN_IF_ERROR(g.graph
                           ->AddNode(OpRegistry::Get().The(kIdentity),
                                     names[i] + "/", std::array{now},
                                     {{"T", dtype}})
                           .status());
  }
  GK_ASSIGN_OR_RETURN(proto::GraphDef made, GraphToGraphDef(*g.graph));
  made.versions = graph.versions;
  return ExtractSubGraph(made, outputs);
}

}  // namespace gk
