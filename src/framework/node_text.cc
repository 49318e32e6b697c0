#include <algorithm>
#include <string>
#include <vector>

#include "framework/graph.h"

namespace gk {

std::string NodeText(const Node& node) {
  std::vector<std::pair<std::string_view, const AttrValue*>> attrs;
  for (const auto& [name, value] : node.attrs()) {
    attrs.emplace_back(name, &value);
  }
  std::sort(attrs.begin(), attrs.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text = Format("{{{{node {}}}}} = {}[", node.name(), node.type());
  const char* separator = "";
  for (const auto& [name, value] : attrs) {
    text += Format("{}{}={}", separator, name, AttrText(*value));
    separator = ", ";
  }
  if (!node.device().empty()) {
    text += Format("{}_device=\"{}\"", separator, node.device());
  }
  text += "](";
  separator = "";
  for (const Output& o : node.inputs()) {
    text += separator;
    text += o.node->name();
    if (o.index > 0) text += Format(":{}", o.index);
    separator = ", ";
  }
  for (const Node* c : node.control_inputs()) {
    text += Format("{}^{}", separator, c->name());
    separator = ", ";
  }
  return text + ")";
}

}  // namespace gk
