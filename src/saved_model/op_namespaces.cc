#include "saved_model/op_namespaces.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace gk {
namespace {

std::string Listed(const std::set<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) {
    text += Format("{}'{}'", text.empty() ? "" : ", ", name);
  }
  return text;
}

}  // namespace

Status CheckOpNamespaces(const proto::GraphDef& graph,
                         std::span<const std::string> allowed) {
  std::set<std::string_view> ops, namespaces;
  const auto look = [&](const std::vector<proto::NodeDef>& nodes) {
    for (const proto::NodeDef& node : nodes) {
      const std::string_view op = node.op;
      const size_t end = op.find('>');
      if (end == std::string_view::npos) continue;
      const std::string_view own = op.substr(0, end);
      if (std::ranges::find(allowed, own) != allowed.end()) continue;
      ops.insert(op);
      namespaces.insert(own);
    }
  };
  look(graph.node);
  if (graph.library.has()) {
    for (const auto& function : graph.library->function) {
      look(function.node_def);
    }
  }
  if (ops.empty()) return OkStatus();
  return ValueError(
      "Attempted to save ops from non-whitelisted namespaces to SavedModel: "
      "[{}].\nWho loads the model needs the libraries that define these ops: "
      "where they are there, add the namespaces to the `namespace_whitelist` "
      "of tf.saved_model.SaveOptions: {{{}}}.",
      Listed(ops), Listed(namespaces));
}

}  // namespace gk
