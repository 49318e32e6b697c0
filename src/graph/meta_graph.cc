#include "graph/meta_graph.h"

#include <map>
#include <set>
#include <unordered_set>
#include <vector>

#include "base/format.h"
#include "framework/op_registry.h"
#include "graph/op_def_proto.h"
#include "graph/tensor_proto.h"

namespace gk {
namespace {

constexpr char kUnbound[] = "$unbound_inputs_";

Status StripDefaults(std::vector<proto::NodeDef>* nodes) {
  for (proto::NodeDef& node : *nodes) {
    const OpRecord* record = OpRegistry::Get().Find(node.op);
    if (record == nullptr) continue;
    for (const AttrDef& attr : record->def->attrs) {
      const auto it = node.attr.find(attr.name);
      if (!attr.default_value || it == node.attr.end()) continue;
      if (attr.type == AttrType::kFunc) continue;
      GK_ASSIGN_OR_RETURN(const proto::AttrValue usual,
                          AttrToProto(*attr.default_value));
      if (usual.Serialize() == it->second.Serialize()) node.attr.erase(it);
    }
  }
  return OkStatus();
}

// "x" of "scope/x", and where it is a reference to a node, "loc:@x".
bool TakeOutOf(const std::string& scope, std::string* name) {
  const std::string prefix = scope + "/";
  size_t at = name->starts_with('^') ? 1 : 0;
  if (name->compare(at, prefix.size(), prefix) != 0) return false;
  name->erase(at, prefix.size());
  return true;
}

void KeepScope(const std::string& scope, proto::MetaGraphDef* message) {
  std::vector<proto::NodeDef> inside;
  std::vector<std::string> unbound;
  std::set<std::string> seen;
  for (proto::NodeDef& node : message->graph_def.mut().node) {
    if (!TakeOutOf(scope, &node.name)) continue;
    for (std::string& input : node.input) {
      if (TakeOutOf(scope, &input)) continue;
      const bool control = input.starts_with('^');
      const std::string from = input.substr(control ? 1 : 0);
      input = Format("{}{}{}", control ? "^" : "", kUnbound, from);
      if (seen.insert(from).second) unbound.push_back(kUnbound + from);
    }
    const auto groups = node.attr.find("_class");
    if (groups != node.attr.end()) {
      for (std::string& group : groups->second.mutable_list().s) {
        const std::string prefix = Format("loc:@{}/", scope);
        if (group.starts_with(prefix)) {
          group = "loc:@" + group.substr(prefix.size());
        }
      }
    }
    inside.push_back(std::move(node));
  }
  message->graph_def.mut().node = std::move(inside);
  if (unbound.empty()) return;
  message->collection_def[kUnboundInputs].mutable_bytes_list().value = unbound;
}

}  // namespace

StatusOr<proto::OpList> StrippedOps(const proto::GraphDef& graph,
                                    const proto::OpList* theirs) {
  std::set<std::string> names;
  std::unordered_set<std::string> functions;
  for (const proto::NodeDef& node : graph.node) names.insert(node.op);
  for (const proto::FunctionDef& f : graph.library->function) {
    functions.insert(f.signature->name);
    for (const proto::NodeDef& node : f.node_def) names.insert(node.op);
  }
  std::map<std::string, const proto::OpDef*> known;
  if (theirs != nullptr) {
    for (const proto::OpDef& op : theirs->op) known[op.name] = &op;
  }
  proto::OpList ops;
  for (const std::string& name : names) {
    if (functions.count(name) != 0) continue;
    if (const OpRecord* record = OpRegistry::Get().Find(name)) {
      GK_ASSIGN_OR_RETURN(proto::OpDef def, OpDefToProto(*record->def));
      ops.op.push_back(std::move(def));
    } else if (const auto it = known.find(name); it != known.end()) {
      ops.op.push_back(*it->second);
    }
  }
  return ops;
}

StatusOr<proto::MetaGraphDef> MetaGraphOf(proto::GraphDef graph,
                                          const MetaGraphOptions& options) {
  proto::MetaGraphDef message;
  message.graph_def = std::move(graph);
  proto::GraphDef& held = message.graph_def.mut();
  if (!options.scope.empty()) KeepScope(options.scope, &message);
  if (options.clear_devices) {
    for (proto::NodeDef& node : held.node) node.device.clear();
  }
  if (options.strip_default_attrs) {
    GK_RETURN_IF_ERROR(StripDefaults(&held.node));
    for (proto::FunctionDef& f : held.library.mut().function) {
      GK_RETURN_IF_ERROR(StripDefaults(&f.node_def));
    }
  }
  proto::MetaGraphDef::MetaInfoDef& info = message.meta_info_def.mut();
  GK_ASSIGN_OR_RETURN(info.stripped_op_list.mut(), StrippedOps(held));
  info.stripped_default_attrs = options.strip_default_attrs;
  return message;
}

}  // namespace gk
