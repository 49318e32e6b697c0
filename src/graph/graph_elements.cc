#include "graph/graph_elements.h"

#include <charconv>

#include "base/format.h"

namespace gk {

StatusOr<Node*> FindOperation(const Graph& graph, std::string_view name) {
  if (name.find(':') != name.npos) {
    return ValueError(
        "Name '{}' appears to refer to a Tensor, not a Operation.", name);
  }
  if (Node* node = graph.FindNode(name)) return node;
  return NotFound("The name '{}' refers to an Operation not in the graph.",
                  name);
}

StatusOr<Output> FindEdge(const Graph& graph, std::string_view name) {
  constexpr std::string_view kForm =
      "Tensor names must be of the form \"<op_name>:<output_index>\".";
  const size_t colon = name.find(':');
  Node* const node = graph.FindNode(name.substr(0, colon));
  if (colon == name.npos) {
    return node ? ValueError(
                      "The name '{}' refers to an Operation, not a Tensor. {}",
                      name, kForm)
                : ValueError(
                      "The name '{}' looks like an (invalid) Operation name, "
                      "not a Tensor. {}",
                      name, kForm);
  }
  const std::string_view digits = name.substr(colon + 1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) {
    return ValueError(
        "The name '{}' looks a like a Tensor name, but is not a valid one. {}",
        name, kForm);
  }
  const std::string_view op = name.substr(0, colon);
  if (node == nullptr) {
    return NotFound(
        "The name '{}' refers to a Tensor which does not exist. The operation, "
        "'{}', does not exist in the graph.",
        name, op);
  }
  int index = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error == std::errc() && index < node->num_outputs()) {
    return Output{node, index};
  }
  return NotFound(
      "The name '{}' refers to a Tensor which does not exist. The operation, "
      "'{}', exists but only has {} outputs.",
      name, op, node->num_outputs());
}

std::string OperationText(const Node& node) {
  return Format("<tf.Operation '{}' type={}>", node.name(), node.type());
}
std::string EdgeText(const Output& edge) {
  const Node::OutputInfo& info = edge.node->output(edge.index);
  return Format("<tf.Tensor '{}:{}' shape={} dtype={}>", edge.node->name(),
                edge.index, info.shape.PythonString(),
                DataTypeName(info.dtype));
}

std::vector<std::string> ColocationGroupsOf(const Node& node) {
  std::vector<std::string> groups;
  const auto add = [&](const std::string& group) {
    if (group.starts_with("loc:@")) groups.push_back(group);
  };
  if (const auto* one = node.attrs().Get<std::string>("_class")) add(*one);
  if (const auto* all = node.attrs().Get<std::vector<std::string>>("_class")) {
    for (const std::string& group : *all) add(group);
  }
  if (groups.empty()) add("loc:@" + node.name());
  return groups;
}

}  // namespace gk
