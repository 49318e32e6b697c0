#include "saved_model/debug_nodes.h"

#include <map>
#include <string>
#include <utility>

namespace gk {
namespace {

// "^x" of "x:0".
void MakeControl(std::string* input) {
  if (input->starts_with('^')) return;
  *input = "^" + input->substr(0, input->find(':'));
}

void Strip(proto::NodeDef* node) {
  const bool does_nothing = node->op == "Assert" || node->op == "PrintV2";
  const bool passes = node->op == "CheckNumerics" ||
                      node->op == "CheckNumericsV2" || node->op == "Print";
  if (!does_nothing && !passes) return;
  node->op = does_nothing ? "NoOp" : "Identity";
  std::erase_if(node->attr, [&](const auto& attr) {
    return passes ? attr.first != "T" : !attr.first.starts_with('_');
  });
  for (size_t i = passes ? 1 : 0; i < node->input.size(); ++i) {
    MakeControl(&node->input[i]);
  }
}

}  // namespace

void StripDebugNodes(proto::GraphDef* graph) {
  for (proto::NodeDef& node : graph->node) Strip(&node);
  if (!graph->library.has()) return;
  for (proto::FunctionDef& function : graph->library.mut().function) {
    for (proto::NodeDef& node : function.node_def) Strip(&node);
  }
}

}  // namespace gk
