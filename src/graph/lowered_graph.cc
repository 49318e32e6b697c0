#include "graph/lowered_graph.h"

#include <algorithm>
#include <charconv>

#include "framework/op_builder.h"
#include "framework/op_registry.h"
#include "graph/attr_from_proto.h"

namespace gk {
namespace {

// Of one node: some bytes ask for many.
constexpr int64_t kMaxOutputs = 1 << 16;

bool ParseNumber(std::string_view text, int* number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && stop == end && !text.empty() && *number >= 0;
}

// Ops of lowered control flow that no plan runs: "T" in, "T" out.
bool PassesOneType(LoweredOp op, std::vector<std::string>* arguments) {
  switch (op) {
    case LoweredOp::kSwitch:
      *arguments = {"output_false", "output_true"};
      return true;
    case LoweredOp::kMerge:
      *arguments = {"output", "value_index"};
      return true;
    case LoweredOp::kEnter:
    case LoweredOp::kExit:
    case LoweredOp::kNextIteration:
      *arguments = {"output"};
      return true;
    default:
      return false;
  }
}

}  // namespace

void LoweredGraph::DefineExternal(const std::string& edge, DataType type) {
  external_[edge] = size();
  Node node;
  node.def.name = edge;
  node.is_external = true;
  node.type = type;
  nodes_.push_back(std::move(node));
}

Status LoweredGraph::Add(const std::vector<proto::NodeDef>& defs) {
  const int first = size();
  for (const proto::NodeDef& def : defs) {
    if (!by_name_.emplace(def.name, size()).second) {
      return InvalidArgument("Duplicate node name '{}'", def.name);
    }
    Node node;
    node.def = def;
    node.lowered = LoweredOpOf(def.op);
    node.def.input.clear();
    nodes_.push_back(std::move(node));
  }
  ImportBudget budget;
  GK_ASSIGN_OR_RETURN(
      unregistered_,
      names_.FindResults(defs, form_ == kFunctionForm, {}, &budget));
  for (size_t i = 0; i < defs.size(); ++i) {
    Node& node = nodes_[first + i];
    for (const std::string& input : defs[i].input) {
      if (input.empty() || input[0] != '^') {
        GK_ASSIGN_OR_RETURN(const Edge e, Parse(input));
        node.inputs.push_back(e);
        continue;
      }
      const std::string name = input.substr(1);
      int from = FindNode(name);
      if (const auto it = external_.find(input); it != external_.end()) {
        from = it->second;
      } else if (const auto arg = external_.find(name);
                 form_ == kFunctionForm && arg != external_.end()) {
        from = arg->second;
      }
      if (from < 0) return InvalidArgument("Unknown input node '{}'", input);
      node.controls.push_back(from);
    }
  }
  return OkStatus();
}

int LoweredGraph::FindNode(std::string_view name) const {
  const auto it = by_name_.find(std::string(name));
  return it == by_name_.end() ? -1 : it->second;
}

StatusOr<LoweredGraph::Edge> LoweredGraph::Parse(
    const std::string& edge) const {
  if (const auto it = external_.find(edge); it != external_.end()) {
    return Edge{it->second, 0};
  }
  const size_t colon = edge.find(':');
  const int node = FindNode(std::string_view(edge).substr(0, colon));
  if (node < 0) return InvalidArgument("Unknown input node '{}'", edge);
  if (colon == std::string::npos) {
    if (form_ == kFunctionForm) {
      return InvalidArgument("Malformed input '{}'", edge);
    }
    return Edge{node, 0};
  }
  std::string_view rest = std::string_view(edge).substr(colon + 1);
  int index = 0;
  if (form_ == kGraphForm) {
    if (!ParseNumber(rest, &index)) {
      return InvalidArgument("Malformed input '{}'", edge);
    }
    return Edge{node, index};
  }
  const size_t second = rest.find(':');
  if (second == std::string_view::npos ||
      !ParseNumber(rest.substr(second + 1), &index)) {
    return InvalidArgument("Malformed input '{}'", edge);
  }
  GK_ASSIGN_OR_RETURN(const Outputs outputs, OutputsOf(node));
  for (size_t i = 0; i < outputs.types.size(); ++i) {
    if (outputs.arguments[i] == rest.substr(0, second) &&
        outputs.indices[i] == index) {
      return Edge{node, static_cast<int>(i)};
    }
  }
  return InvalidArgument("'{}': {} has no such output", edge,
                         nodes_[node].def.op);
}

int LoweredGraph::AddNode(const std::string& name, std::string_view op) {
  std::string unique = name;
  for (int i = 1; by_name_.count(unique) != 0; ++i) {
    unique = Format("{}_{}", name, i);
  }
  by_name_.emplace(unique, size());
  Node node;
  node.def.name = std::move(unique);
  node.SetOp(op);
  nodes_.push_back(std::move(node));
  return size() - 1;
}

StatusOr<LoweredGraph::Outputs> LoweredGraph::OutputsOf(int node) const {
  const proto::NodeDef& def = nodes_[node].def;
  Outputs out;
  const auto add = [&](const std::string& argument, int index, DataType type) {
    out.arguments.push_back(argument);
    out.indices.push_back(index);
    out.types.push_back(type);
  };
  const auto wrong = [&](const std::string& name) {
    return InvalidArgument(
        "Node '{}' ({}): attr '{}' is missing or of another type", def.name,
        def.op, name);
  };
  const auto type_attr = [&](const char* name) -> StatusOr<DataType> {
    const auto it = def.attr.find(name);
    if (it == def.attr.end() ||
        it->second.value_case != proto::AttrValue::ValueCase::kType) {
      return wrong(name);
    }
    return static_cast<DataType>(it->second.type);
  };
  std::vector<std::string> arguments;
  const LoweredOp lowered = nodes_[node].lowered;
  if (PassesOneType(lowered, &arguments)) {
    GK_ASSIGN_OR_RETURN(const DataType type, type_attr("T"));
    for (const std::string& a : arguments) {
      add(a, 0, a == "value_index" ? DataType::kInt32 : type);
    }
    return out;
  }
  if (lowered == LoweredOp::kLoopCond) {
    add("output", 0, DataType::kBool);
    return out;
  }
  if (lowered == LoweredOp::kSwitchN) {
    GK_ASSIGN_OR_RETURN(const DataType type, type_attr("T"));
    const auto n = def.attr.find("num_outs");
    if (n == def.attr.end() || n->second.i < 0 || n->second.i > kMaxOutputs) {
      return InvalidArgument("Node '{}' ({}): attr 'num_outs' is wrong",
                             def.name, def.op);
    }
    for (int i = 0; i < n->second.i; ++i) add("outputs", i, type);
    return out;
  }
  const OpRecord* record = OpRegistry::Get().Find(def.op);
  if (record == nullptr) {
    const proto::FunctionDef* f = names_.function(def.op);
    if (f == nullptr) {
      const auto found = unregistered_.find(def.name);
      if (found == unregistered_.end()) {
        return OpNotRegistered(def.op, def.name);
      }
      for (const auto& r : found->second) add(r.argument, r.index, r.dtype);
      return out;
    }
    for (const auto& arg : f->signature->output_arg) {
      add(arg.name, 0, static_cast<DataType>(arg.type));
    }
    return out;
  }
  AttrMap attrs;
  for (const AttrDef& declared : record->def->attrs) {
    if (declared.type == AttrType::kFunc) continue;
    const auto it = def.attr.find(declared.name);
    if (it == def.attr.end()) {
      if (declared.default_value) {
        attrs.Set(declared.name, *declared.default_value);
      }
      continue;
    }
    if (declared.type != AttrType::kType && declared.type != AttrType::kInt) {
      continue;
    }
    GK_ASSIGN_OR_RETURN(AttrValue value,
                        AttrFromProto(it->second, &declared, nullptr));
    attrs.Set(declared.name, std::move(value));
  }
  for (const ArgDef& arg : record->def->outputs) {
    const std::string& types = arg.type_list_attr;
    const std::string& type = arg.type_attr;
    const std::string& number = arg.number_attr;
    if (!types.empty() && !attrs.Get<std::vector<DataType>>(types)) {
      return wrong(types);
    }
    if (!type.empty() && !attrs.Get<DataType>(type)) return wrong(type);
    if (!number.empty() && !attrs.Get<int64_t>(number)) return wrong(number);
  }
  GK_RETURN_IF_ERROR(OutputTypes(*record->def, attrs, &out.types));
  for (const ArgDef& arg : record->def->outputs) {
    int64_t n = 1;
    if (!arg.number_attr.empty()) {
      const int64_t* number = attrs.Get<int64_t>(arg.number_attr);
      n = number != nullptr ? *number : 0;
    } else if (!arg.type_list_attr.empty()) {
      const auto* list = attrs.Get<std::vector<DataType>>(arg.type_list_attr);
      n = list != nullptr ? static_cast<int64_t>(list->size()) : 0;
    }
    if (n > kMaxOutputs) {
      return InvalidArgument("Node '{}' ({}) has too many outputs", def.name,
                             def.op);
    }
    for (int64_t i = 0; i < n; ++i) {
      out.arguments.push_back(arg.name);
      out.indices.push_back(static_cast<int>(i));
    }
  }
  if (out.arguments.size() != out.types.size()) {
    return InvalidArgument("Node '{}' ({}): its outputs cannot be counted",
                           def.name, def.op);
  }
  return out;
}

StatusOr<DataType> LoweredGraph::TypeOf(Edge e) const {
  const Node& node = nodes_[e.node];
  if (node.is_external) return node.type;
  GK_ASSIGN_OR_RETURN(const Outputs outputs, OutputsOf(e.node));
  if (size_t(e.index) >= outputs.types.size()) {
    return InvalidArgument("{}:{}: {} has no such output", node.def.name,
                           e.index, node.def.op);
  }
  return outputs.types[e.index];
}

StatusOr<std::string> LoweredGraph::EdgeName(Edge e, Form form) const {
  const Node& node = nodes_[e.node];
  if (node.is_external) return node.def.name;
  if (form == kGraphForm) {
    return e.index == 0 ? node.def.name
                        : Format("{}:{}", node.def.name, e.index);
  }
  GK_ASSIGN_OR_RETURN(const Outputs outputs, OutputsOf(e.node));
  if (size_t(e.index) >= outputs.types.size()) {
    return InvalidArgument("{}:{}: {} has no such output", node.def.name,
                           e.index, node.def.op);
  }
  return Format("{}:{}:{}", node.def.name, outputs.arguments[e.index],
                outputs.indices[e.index]);
}

StatusOr<std::string> LoweredGraph::NameOf(Edge e) const {
  return EdgeName(e, form_);
}

StatusOr<std::string> LoweredGraph::NameInFunction(Edge e,
                                                   const Names& names) const {
  const auto it = names.find(e);
  return it != names.end() ? StatusOr<std::string>(it->second)
                           : EdgeName(e, kFunctionForm);
}

int LoweredGraph::StandsFor(int node) const {
  for (int turn = 0; node >= 0 && nodes_[node].gone; ++turn) {
    if (turn > size()) return -1;
    node = nodes_[node].moved_to;
  }
  return node;
}

void LoweredGraph::WriteControls(int id, const std::function<bool(int)>& keep,
                                 proto::NodeDef* def) const {
  std::vector<int> seen;
  for (int c : nodes_[id].controls) {
    const int from = StandsFor(c);
    if (from < 0 || from == id || !keep(from)) continue;
    if (std::find(seen.begin(), seen.end(), from) != seen.end()) continue;
    seen.push_back(from);
    const std::string& name = nodes_[from].def.name;
    def->input.push_back(name.starts_with('^') ? name : "^" + name);
  }
}

StatusOr<proto::NodeDef> LoweredGraph::WriteInFunction(
    int id, const Names& names, const std::function<bool(int)>& keep) const {
  proto::NodeDef def = nodes_[id].def;
  for (const Edge& e : nodes_[id].inputs) {
    GK_ASSIGN_OR_RETURN(std::string name, NameInFunction(e, names));
    def.input.push_back(std::move(name));
  }
  WriteControls(id, keep, &def);
  return def;
}

StatusOr<std::vector<proto::NodeDef>> LoweredGraph::Write() const {
  std::vector<proto::NodeDef> defs;
  for (int i = 0; i < size(); ++i) {
    const Node& node = nodes_[i];
    if (node.gone || node.is_external) continue;
    proto::NodeDef def = node.def;
    for (const Edge& e : node.inputs) {
      if (nodes_[e.node].gone) {
        return InvalidArgument(
            "Node '{}' ({}) takes a value out of a branch or loop",
            node.def.name, node.def.op);
      }
      GK_ASSIGN_OR_RETURN(std::string name, NameOf(e));
      def.input.push_back(std::move(name));
    }
    WriteControls(
        i, [](int) { return true; }, &def);
    defs.push_back(std::move(def));
  }
  return defs;
}

int LoweredGraph::AddInteger(const std::string& name, int value) {
  const int made = AddNode(name, OpRegistry::Get().The(kConstant).name);
  auto& attrs = nodes_[made].def.attr;
  const auto type = static_cast<proto::DataType>(DataType::kInt32);
  attrs["dtype"].set_type(type);
  proto::TensorProto& tensor = attrs["value"].mutable_tensor();
  tensor.dtype = type;
  tensor.tensor_shape.mut();
  tensor.int_val.push_back(value);
  return made;
}

bool AnyLowered(const std::vector<proto::NodeDef>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [](const auto& n) {
    return LoweredOpOf(n.op) != LoweredOp::kNone;
  });
}

proto::AttrValue TypeList(const std::vector<DataType>& types) {
  proto::AttrValue value;
  auto& list = value.mutable_list();
  for (DataType t : types) {
    list.type.push_back(static_cast<proto::DataType>(t));
  }
  return value;
}

proto::AttrValue FunctionNamed(const std::string& name) {
  proto::AttrValue value;
  value.mutable_func().name = name;
  return value;
}

}  // namespace gk
