#include "function/graph_facts.h"

#include <algorithm>
#include <utility>

#include "framework/variable.h"
#include "graph/control_gather.h"

namespace gk {

TensorVector InputsOf(const FuncGraph& graph) {
  TensorVector tensors;
  for (Node* node : graph.inputs().arguments()) {
    tensors.push_back(graph.graph()->TensorOf({node, 0}));
  }
  for (const FunctionCapture& c : graph.inputs().captures()) {
    tensors.push_back(graph.graph()->TensorOf({c.placeholder, 0}));
  }
  return tensors;
}

TensorVector OutputsOf(const FuncGraph& graph) {
  TensorVector tensors;
  for (const Output& o : graph.results()) {
    tensors.push_back(graph.graph()->TensorOf(o));
  }
  return tensors;
}

std::vector<Node*> ControlOutputsOf(const FuncGraph& graph) {
  if (!graph.automatic_control()) return {};
  const ControlGather gather(*graph.graph(), graph.results(),
                             graph.control_outputs());
  std::vector<Node*> nodes = gather.controls();
  std::sort(nodes.begin(), nodes.end(),
            [](const Node* a, const Node* b) { return a->id() < b->id(); });
  return nodes;
}

TensorVector CapturedVariables(const FuncGraph& graph) {
  TensorVector handles;
  for (const FunctionCapture& c : graph.inputs().captures()) {
    if (!c.external || c.external.dtype() != DataType::kResource) continue;
    // A variable of a graph around it, or what stands for one there.
    if (c.external.is_symbolic() || VariableOf(c.external).ok()) {
      handles.push_back(c.external);
    }
  }
  return handles;
}

Tensor OutermostHandle(Tensor handle) {
  while (handle.is_symbolic()) {
    const FuncGraph* const graph = FuncGraph::Of(Graph::GraphOf(handle));
    if (graph == nullptr) break;
    const Node* const node = Graph::OutputOf(handle).node;
    const auto& captures = graph->inputs().captures();
    const auto found = std::find_if(
        captures.begin(), captures.end(),
        [node](const FunctionCapture& c) { return c.placeholder == node; });
    if (found == captures.end() || !found->external) break;
    handle = found->external;
  }
  return handle;
}

std::vector<Node*> ConsumersOf(const Tensor& t) {
  const Output made = Graph::OutputOf(t);
  std::vector<Node*> nodes;
  for (const auto& node : Graph::GraphOf(t)->nodes()) {
    const auto& inputs = node->inputs();
    if (std::any_of(inputs.begin(), inputs.end(), [&](const Output& o) {
          return o.node == made.node && o.index == made.index;
        })) {
      nodes.push_back(node.get());
    }
  }
  return nodes;
}

Status SetStaticShape(const Tensor& t, const PartialTensorShape& shape) {
  const PartialTensorShape own = t.partial_shape();
  if (!t.is_symbolic()) {
    if (own.IsCompatibleWith(shape)) return OkStatus();
    return ValueError(
        "Tensor's shape {} is not compatible with supplied shape {}.",
        own.PythonString(), shape.PythonString());
  }
  StatusOr<PartialTensorShape> merged = own.MergeWith(shape);
  if (!merged.ok()) {
    if (own.rank() != shape.rank()) {
      return ValueError("Shapes must be equal rank, but are {} and {}",
                        own.rank(), shape.rank());
    }
    for (int i = 0; i < own.rank(); ++i) {
      const int64_t a = own.dim(i), b = shape.dim(i);
      if (a < 0 || b < 0 || a == b) continue;
      return ValueError(
          "Dimension {} in both shapes must be equal, but are {} and {}. "
          "Shapes are {} and {}.",
          i, a, b, own.DebugString(), shape.DebugString());
    }
    return ValueError("{}", merged.status().message());
  }
  // What is traced runs as it was traced.
  const FuncGraph* const builder = FuncGraph::Of(Graph::GraphOf(t));
  if (builder == nullptr || builder->finished()) return OkStatus();
  const Output made = Graph::OutputOf(t);
  made.node->mutable_output(made.index).shape = *std::move(merged);
  return OkStatus();
}

}  // namespace gk
