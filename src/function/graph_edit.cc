#include "function/graph_edit.h"

#include <algorithm>

#include "framework/op_builder.h"
#include "framework/op_registry.h"
#include "function/func_graph.h"
#include "function/variant_cache.h"

namespace gk {

StatusOr<Node*> AddNodeTo(Graph* graph, const OpRecord& op,
                          std::span<const Output> inputs, AttrMap attrs,
                          std::string_view name) {
  std::vector<DataType> types;
  for (const Output& o : inputs) {
    types.push_back(o.node->output(o.index).dtype);
  }
  GK_RETURN_IF_ERROR(ResolveAttrs(op, types, true, &attrs));
  return graph->AddNode(op, name.empty() ? op.name : name, inputs,
                        std::move(attrs));
}

StatusOr<Node*> AddArgumentTo(Graph* graph, std::string_view name,
                              DataType dtype, const PartialTensorShape& shape,
                              HandleData handle_data) {
  GK_ASSIGN_OR_RETURN(Node * node,
                      AddNodeTo(graph, OpRegistry::Get().The(kPlaceholder), {},
                                {{"dtype", dtype}, {"shape", shape}}, name));
  node->mutable_output(0).handle_data = std::move(handle_data);
  return node;
}

Ref<GraphFunction> CloneFunction(const GraphFunction& function,
                                 Ref<Graph> graph,
                                 const std::vector<Node*>& map,
                                 std::vector<Output> results,
                                 const std::vector<Node*>& more_arguments) {
  std::vector<Node*> arguments, control;
  for (const Node* a : function.arguments()) {
    arguments.push_back(map[a->id()]);
  }
  arguments.insert(arguments.end(), more_arguments.begin(),
                   more_arguments.end());
  for (const Node* c : function.control_outputs()) {
    control.push_back(map[c->id()]);
  }
  auto made = MakeRef<GraphFunction>(
      UniqueFunctionName("", function.name()), std::move(graph),
      std::move(arguments), std::move(results), std::move(control),
      function.attrs());
  ShareGradientOriginals(function, *made);
  return made;
}

Ref<GraphFunction> ShareGraph(const GraphFunction& function) {
  std::vector<Node*> map;
  for (const auto& node : function.graph().nodes()) map.push_back(node.get());
  return CloneFunction(function, function.graph_ref(), map, function.results(),
                       {});
}

FunctionAttr AttrOf(const GraphFunction& function) {
  return {function.name(),
          Ref<GraphFunction>(const_cast<GraphFunction*>(&function)),
          nullptr};
}

bool AnyStateful(std::span<const Ref<GraphFunction>> functions) {
  return std::any_of(
      functions.begin(), functions.end(),
      [](const Ref<GraphFunction>& f) { return f->is_stateful(); });
}

StatusOr<BranchNodeParts> BranchNode(
    bool is_if, DataType selector,
    std::span<const Ref<GraphFunction>> functions) {
  const bool stateful = AnyStateful(functions);
  BranchNodeParts node;
  node.record =
      &OpRegistry::Get().Of(is_if ? Control::kIf : Control::kCase, stateful);
  std::vector<PartialTensorShape> shapes = functions[0]->output_shapes();
  for (const Ref<GraphFunction>& f : functions) {
    const std::vector<PartialTensorShape> mine = f->output_shapes();
    for (size_t i = 0; i < shapes.size(); ++i) {
      shapes[i] = shapes[i].CommonSupertype(mine[i]);
    }
  }
  if (is_if) {
    node.attrs.Set("Tcond", selector);
    node.attrs.Set("then_branch", AttrOf(*functions[0]));
    node.attrs.Set("else_branch", AttrOf(*functions[1]));
  } else {
    std::vector<FunctionAttr> branches;
    for (const Ref<GraphFunction>& f : functions) {
      branches.push_back(AttrOf(*f));
    }
    node.attrs.Set("branches", std::move(branches));
  }
  node.attrs.Set("Tin", functions[0]->input_types());
  node.attrs.Set("Tout", functions[0]->output_types());
  node.attrs.Set("output_shapes", std::move(shapes));
  node.attrs.Set("_lower_using_switch_merge", true);
  return node;
}

std::vector<int64_t> ReadOnlyInputs(
    std::span<const Ref<GraphFunction>> functions, int leading) {
  std::vector<int64_t> result;
  const size_t n = functions[0]->arguments().size();
  for (size_t i = 0; i < n; ++i) {
    if (functions[0]->arguments()[i]->output(0).dtype != DataType::kResource) {
      continue;
    }
    const bool written = std::any_of(
        functions.begin(), functions.end(), [&](const Ref<GraphFunction>& f) {
          return f->effects().arguments[i] == ResourceUse::kWrite;
        });
    if (!written) result.push_back(static_cast<int64_t>(i) + leading);
  }
  return result;
}

void SetLoopAttrs(const Ref<GraphFunction>& condition,
                  const Ref<GraphFunction>& body,
                  std::vector<PartialTensorShape> shapes, AttrMap* attrs) {
  const Ref<GraphFunction> functions[] = {condition, body};
  attrs->Set("T", body->input_types());
  attrs->Set("cond", AttrOf(*condition));
  attrs->Set("body", AttrOf(*body));
  attrs->Set("output_shapes", std::move(shapes));
  attrs->Set("_read_only_resource_inputs", ReadOnlyInputs(functions, 0));
}

}  // namespace gk
