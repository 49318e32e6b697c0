#include "saved_model/reference_variables.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/format.h"

namespace gk {
namespace {

// Ops on a reference, and those that do the same to a resource.
constexpr std::pair<std::string_view, std::string_view> kUpdates[] = {
    {"Assign", "AssignVariableOp"},
    {"AssignAdd", "AssignAddVariableOp"},
    {"AssignSub", "AssignSubVariableOp"},
    {"ScatterAdd", "ResourceScatterAdd"},
    {"ScatterDiv", "ResourceScatterDiv"},
    {"ScatterMax", "ResourceScatterMax"},
    {"ScatterMin", "ResourceScatterMin"},
    {"ScatterMul", "ResourceScatterMul"},
    {"ScatterSub", "ResourceScatterSub"},
    {"ScatterUpdate", "ResourceScatterUpdate"},
};

std::string_view ResourceOp(std::string_view op) {
  for (const auto& [reference, resource] : kUpdates) {
    if (op == reference) return resource;
  }
  return {};
}

bool IsVariable(const proto::NodeDef& node) {
  return node.op == "VariableV2" || node.op == "Variable";
}

bool IsControlInput(const std::string& input) { return input.starts_with('^'); }

// The node of an input that takes its first output; else empty.
std::string NodeOfFirstOutput(const std::string& input) {
  if (IsControlInput(input)) return {};
  const size_t colon = input.find(':');
  if (colon == input.npos) return input;
  return input.substr(colon) == ":0" ? input.substr(0, colon) : std::string();
}

class Conversion {
 public:
  explicit Conversion(proto::GraphDef* graph) : graph_(*graph) {}

  void Run() {
    for (const proto::NodeDef& node : graph_.node) {
      if (!IsVariable(node)) continue;
      variable_of_[node.name] = node.name;
      const auto dtype = node.attr.find("dtype");
      if (dtype != node.attr.end()) dtypes_[node.name] = dtype->second;
    }
    if (variable_of_.empty()) return;
    FindReferences();
    // A vector that grows: reads are added to another one.
    for (proto::NodeDef& node : graph_.node) Convert(&node);
    for (proto::NodeDef& read : reads_) graph_.node.push_back(std::move(read));
  }

 private:
  // Nodes that give on the reference which they take, or a tensor in the same
  // memory: who has one sees later changes.
  void FindReferences() {
    for (bool found = true; found;) {
      found = false;
      for (const proto::NodeDef& node : graph_.node) {
        if (node.input.empty() || variable_of_.contains(node.name)) continue;
        if (ResourceOp(node.op).empty() && node.op != "RefIdentity" &&
            node.op != "Identity") {
          continue;
        }
        const auto from = variable_of_.find(NodeOfFirstOutput(node.input[0]));
        if (from == variable_of_.end()) continue;
        const std::string variable = from->second;
        variable_of_.emplace(node.name, variable);
        found = true;
      }
    }
  }

  // The variable that an input refers to, or null.
  const std::string* VariableAt(const std::string& input) const {
    const auto found = variable_of_.find(NodeOfFirstOutput(input));
    return found == variable_of_.end() ? nullptr : &found->second;
  }

  void Convert(proto::NodeDef* node) {
    if (IsVariable(*node)) return ConvertVariable(node);
    if (node->input.empty()) return;
    const std::string first = node->input[0];
    const std::string* variable = VariableAt(first);
    const std::string_view update = ResourceOp(node->op);
    size_t next = 0;
    if (variable != nullptr &&
        (!update.empty() || node->op == "Identity" ||
         node->op == "RefIdentity" || node->op == "IsVariableInitialized")) {
      const proto::AttrValue dtype = dtypes_[*variable];
      const auto indices = node->attr.find("Tindices");
      std::map<std::string, proto::AttrValue> attrs;
      if (!update.empty()) {
        if (indices != node->attr.end()) attrs["Tindices"] = indices->second;
        node->op = update;
      } else if (node->op == "Identity") {
        node->op = "ReadVariableOp";
      } else if (node->op == "RefIdentity") {
        node->op = "NoOp";
      } else {
        node->op = "VarIsInitializedOp";
      }
      if (node->op != "NoOp" && node->op != "VarIsInitializedOp") {
        attrs["dtype"] = dtype;
      }
      node->attr = std::move(attrs);
      if (node->op == "NoOp") {
        node->input.erase(node->input.begin());
      } else {
        node->input[0] = *variable;
        next = 1;
      }
      After(first, *variable, node);
    }
    for (size_t i = next; i < node->input.size(); ++i) {
      if (const std::string* read = VariableAt(node->input[i])) {
        node->input[i] = Read(*node, i, *read);
      }
    }
  }

  static void ConvertVariable(proto::NodeDef* node) {
    node->op = "VarHandleOp";
    std::map<std::string, proto::AttrValue> attrs;
    for (const char* name : {"container", "dtype", "shape", "shared_name"}) {
      const auto found = node->attr.find(name);
      if (found != node->attr.end()) attrs[name] = found->second;
    }
    if (attrs["shared_name"].s.empty()) attrs["shared_name"].set_s(node->name);
    node->attr = std::move(attrs);
  }

  // What took the reference from another node than the variable's own runs
  // after that.
  static void After(const std::string& input, const std::string& variable,
                    proto::NodeDef* node) {
    const std::string from = NodeOfFirstOutput(input);
    if (from != variable) node->input.push_back("^" + from);
  }

  // A node that reads for input `i` of another one, when that runs.
  std::string Read(const proto::NodeDef& node, size_t i,
                   const std::string& variable) {
    proto::NodeDef& read = reads_.emplace_back();
    read.name = Format("{}/Read_{}/ReadVariableOp", node.name, i);
    read.op = "ReadVariableOp";
    read.device = node.device;
    read.input.push_back(variable);
    for (const std::string& input : node.input) {
      if (IsControlInput(input)) read.input.push_back(input);
    }
    After(node.input[i], variable, &read);
    read.attr["dtype"] = dtypes_[variable];
    return read.name;
  }

  proto::GraphDef& graph_;
  std::unordered_map<std::string, std::string> variable_of_;  // by node
  std::unordered_map<std::string, proto::AttrValue> dtypes_;
  std::vector<proto::NodeDef> reads_;
};

}  // namespace

void UseResourceVariables(proto::GraphDef* graph) { Conversion(graph).Run(); }

bool MakesVariable(const proto::NodeDef& node) {
  return node.op == "VarHandleOp";
}

}  // namespace gk
