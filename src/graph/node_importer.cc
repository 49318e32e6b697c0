#include "graph/node_importer.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "framework/op_builder.h"
#include "framework/op_registry.h"
#include "graph/call_signature.h"
#include "graph/edge_name.h"
#include "graph/tensor_proto.h"

namespace gk {
namespace {

Status AtNode(const proto::NodeDef& def, const Status& status) {
  if (status.ok() || status.code() == Code::kNotFound) return status;
  const Code code = status.code() == Code::kUnimplemented ||
                            status.code() == Code::kResourceExhausted
                        ? status.code()
                        : Code::kInvalidArgument;
  return Status(
      code, Format("Node '{}' ({}): {}", def.name, def.op, status.message()));
}

}  // namespace

Status NodeImporter::Import(const std::vector<proto::NodeDef>& nodes) {
  defs_ = &nodes;
  made_.assign(nodes.size(), nullptr);
  GK_RETURN_IF_ERROR(Index());
  if (form_ == kGraphForm) Rename();
  GK_ASSIGN_OR_RETURN(std::vector<int> order, Sort());
  GK_ASSIGN_OR_RETURN(unregistered_, functions_->unregistered().FindResults(
                                         nodes, form_ == kFunctionForm, read_,
                                         &functions_->budget()));
  for (int i : order) GK_RETURN_IF_ERROR(AtNode(nodes[i], Make(i)));
  return OkStatus();
}

Status NodeImporter::Index() {
  for (size_t i = 0; i < defs_->size(); ++i) {
    const proto::NodeDef& def = (*defs_)[i];
    const bool taken = form_ == kFunctionForm && defined_.count(def.name) != 0;
    if (!index_.emplace(def.name, static_cast<int>(i)).second || taken) {
      return InvalidArgument("Duplicate node name '{}'", def.name);
    }
  }
  return OkStatus();
}

void NodeImporter::Rename() {
  // What is taken: names and the scopes that they are in.
  std::unordered_set<std::string_view> taken;
  for (const auto& node : graph_->nodes()) {
    std::string_view name = node->name();
    while (taken.insert(name).second && name.find('/') != name.npos) {
      name = name.substr(0, name.rfind('/'));
    }
  }
  if (taken.empty()) return;
  std::unordered_set<std::string> own;
  for (const proto::NodeDef& def : *defs_) own.insert(Prefixed(def.name));
  for (const proto::NodeDef& def : *defs_) {
    const std::string wanted = Prefixed(def.name);
    if (!taken.contains(wanted)) continue;
    int number = 0;
    std::string name;
    do {
      name = Format("{}_{}", wanted, ++number);
    } while (taken.contains(name) || own.contains(name) ||
             renamed_.contains(name));
    new_names_.emplace(def.name, name);
    renamed_.emplace(std::move(name), wanted);
  }
}

void NodeImporter::RenameGroups(AttrMap* attrs) const {
  if (form_ != kGraphForm || (prefix_.empty() && new_names_.empty())) return;
  const auto* groups = attrs->Get<std::vector<std::string>>("_class");
  if (groups == nullptr) return;
  constexpr std::string_view kMark = "loc:@";
  std::vector<std::string> renamed = *groups;
  for (std::string& group : renamed) {
    if (!group.starts_with(kMark)) continue;
    const auto it = index_.find(std::string_view(group).substr(kMark.size()));
    if (it != index_.end()) {
      group = std::string(kMark) + NameOf((*defs_)[it->second]);
    }
  }
  attrs->Set("_class", std::move(renamed));
}

StatusOr<int> NodeImporter::ProducerOf(const std::string& edge,
                                       bool control) const {
  if (defined_.count(edge) != 0) return -1;
  std::string_view name = edge;
  if (control) {
    name.remove_prefix(1);
    if (form_ == kFunctionForm && defined_.count(std::string(name)) != 0) {
      return -1;
    }
  } else {
    EdgeName parsed;
    if (!parsed.Parse(edge, form_ == kFunctionForm)) {
      return InvalidArgument("Malformed input '{}'", edge);
    }
    name = parsed.node;
  }
  auto it = index_.find(name);
  if (it == index_.end()) {
    return InvalidArgument("Unknown input node '{}'", edge);
  }
  return it->second;
}

StatusOr<std::vector<int>> NodeImporter::Sort() const {
  const int n = static_cast<int>(defs_->size());
  std::vector<int> waiting(n, 0);
  std::vector<std::vector<int>> consumers(n);
  for (int i = 0; i < n; ++i) {
    bool control_seen = false;
    for (const std::string& input : (*defs_)[i].input) {
      const bool control = !input.empty() && input[0] == '^';
      if (control_seen && !control) {
        return AtNode(
            (*defs_)[i],
            InvalidArgument("Input '{}' follows a control input", input));
      }
      control_seen |= control;
      StatusOr<int> from = ProducerOf(input, control);
      if (!from.ok()) return AtNode((*defs_)[i], from.status());
      if (*from < 0) continue;
      consumers[*from].push_back(i);
      ++waiting[i];
    }
  }
  // A min-heap keeps the file's order where edges leave a choice.
  std::vector<int> ready, order;
  for (int i = 0; i < n; ++i) {
    if (waiting[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), std::greater<>());
    const int i = ready.back();
    ready.pop_back();
    order.push_back(i);
    for (int c : consumers[i]) {
      if (--waiting[c] > 0) continue;
      ready.push_back(c);
      std::push_heap(ready.begin(), ready.end(), std::greater<>());
    }
  }
  if (static_cast<int>(order.size()) != n) {
    for (int i = 0; i < n; ++i) {
      if (waiting[i] > 0) {
        return InvalidArgument("Graph has a cycle through or before node '{}'",
                               (*defs_)[i].name);
      }
    }
  }
  return order;
}

FindFunction NodeImporter::Functions() const {
  return [this](const std::string& name) { return functions_->Read(name); };
}

StatusOr<AttrMap> NodeImporter::ReadAttrs(const proto::NodeDef& def,
                                          const OpRecord& record) const {
  const FindFunction find = Functions();
  AttrMap attrs;
  for (const auto& [name, value] : def.attr) {
    const AttrDef* declared = record.def->FindAttr(name);
    if (declared == nullptr) {
      // Written by others for themselves, and stale once a graph is edited.
      if (name == "_output_shapes") continue;
      if (name.empty() || name[0] != '_') {
        if (IsZeroAttr(value)) continue;
        return InvalidArgument("NodeDef mentions attr '{}' not in Op {}", name,
                               record.name);
      }
    }
    StatusOr<AttrValue> read =
        AttrFromProto(value, declared, find, &functions_->budget());
    if (!read.ok()) {
      const Code code = read.status().code();
      if (code == Code::kNotFound) return read.status();
      return Status(
          code == Code::kResourceExhausted ? code : Code::kInvalidArgument,
          Format("attr '{}': {}", name, read.status().message()));
    }
    attrs.Set(name, *std::move(read));
  }
  return attrs;
}

StatusOr<AttrMap> NodeImporter::ReadCall(const proto::NodeDef& def,
                                         const OpRecord** record) const {
  GK_ASSIGN_OR_RETURN(Ref<GraphFunction> f, functions_->Read(def.op));
  *record = &OpRegistry::Get().Of(Control::kCall, f->is_stateful());
  AttrMap attrs;
  attrs.Set("Tin", f->input_types());
  attrs.Set("Tout", f->output_types());
  attrs.Set("f", FunctionAttr{def.op, Ref<GraphFunction>(f), nullptr});
  return attrs;
}

std::string NodeImporter::NameOf(const proto::NodeDef& def) const {
  const auto it = new_names_.find(def.name);
  return it == new_names_.end() ? Prefixed(def.name) : it->second;
}

Status NodeImporter::Make(int i) {
  const proto::NodeDef& def = (*defs_)[i];
  if (unregistered_.count(def.name) != 0) {
    return MakeUnregistered(i, OpNotRegistered(def.op, NameOf(def)));
  }
  Status status = MakeRegistered(i);
  if (!carries_ || status.code() != Code::kNotFound) return status;
  return MakeUnregistered(
      i, NotFound("{} Node '{}' ({}) calls it: give the file that function, or "
                  "a graph without the node.",
                  status.message(), NameOf(def), def.op));
}

Status NodeImporter::ReadInputs(const proto::NodeDef& def,
                                std::vector<Output>* inputs,
                                std::vector<Node*>* controls,
                                std::vector<DataType>* types) const {
  for (const std::string& input : def.input) {
    if (!input.empty() && input[0] == '^') {
      auto it = defined_.find(input);
      if (it == defined_.end()) it = defined_.find(input.substr(1));
      controls->push_back(it != defined_.end()
                              ? it->second.node
                              : FindNode(std::string_view(input).substr(1)));
      continue;
    }
    GK_ASSIGN_OR_RETURN(Output o, FindEdge(input));
    inputs->push_back(o);
    types->push_back(o.node->output(o.index).dtype);
  }
  return OkStatus();
}

StatusOr<AttrMap> NodeImporter::ReadUnregisteredAttrs(
    const proto::NodeDef& def, proto::NodeDef* rest) const {
  const FindFunction find = Functions();
  AttrMap attrs;
  for (const auto& [name, value] : def.attr) {
    bool names_function = false;
    ForEachFunctionName(value, [&](const auto&) { names_function = true; });
    StatusOr<AttrValue> read =
        AttrFromProto(value, nullptr, find, &functions_->budget());
    bool same = read.ok() && names_function;
    if (read.ok() && !names_function) {
      GK_ASSIGN_OR_RETURN(const proto::AttrValue again, AttrToProto(*read));
      same = again.Serialize() == value.Serialize();
    }
    if (same) {
      attrs.Set(name, *std::move(read));
    } else {
      rest->attr[name] = value;
    }
  }
  return attrs;
}

Status NodeImporter::MakeUnregistered(int i, Status error) {
  const proto::NodeDef& def = (*defs_)[i];
  UnregisteredOp::Facts facts;
  facts.type = def.op;
  facts.node = NameOf(def);
  facts.error = std::move(error);
  facts.is_stateful = may_be_stateful_;
  const OpRecord* record = OpRegistry::Get().Find(def.op);
  const auto found = unregistered_.find(def.name);
  if (record != nullptr) {
    facts.is_stateful = record->def->is_stateful;
    if (!ValuesOf(def, *record->def, record->def->outputs, &facts.results)) {
      return InvalidArgument("its outputs cannot be counted");
    }
    GK_RETURN_IF_ERROR(functions_->budget().TakeOutputs(
        static_cast<int64_t>(facts.results.size())));
  } else if (found != unregistered_.end()) {
    facts.results = found->second;
  }
  if (const proto::OpDef* op = functions_->FindOpDef(def.op)) {
    facts.op_def = *op;
    facts.is_stateful = op->is_stateful;
  }
  std::vector<Output> inputs;
  std::vector<Node*> controls;
  GK_RETURN_IF_ERROR(ReadInputs(def, &inputs, &controls, &facts.inputs));
  facts.rest = def;
  facts.rest.attr.clear();
  facts.rest.input.clear();
  GK_ASSIGN_OR_RETURN(AttrMap attrs, ReadUnregisteredAttrs(def, &facts.rest));
  RenameGroups(&attrs);
  const Ref<UnregisteredOp> op = MakeRef<UnregisteredOp>(std::move(facts));
  GK_ASSIGN_OR_RETURN(made_[i], graph_->AddNode(*op, NameOf(def) + "/", inputs,
                                                std::move(attrs), controls));
  made_[i]->set_device(def.device);
  return OkStatus();
}

Status NodeImporter::MakeRegistered(int i) {
  const proto::NodeDef& def = (*defs_)[i];
  const OpRecord* record = OpRegistry::Get().Find(def.op);
  AttrMap attrs;
  if (record != nullptr) {
    GK_ASSIGN_OR_RETURN(attrs, ReadAttrs(def, *record));
  } else {
    GK_ASSIGN_OR_RETURN(attrs, ReadCall(def, &record));
  }
  RenameGroups(&attrs);
  std::vector<Output> inputs;
  std::vector<Node*> controls;
  std::vector<DataType> types;
  GK_RETURN_IF_ERROR(ReadInputs(def, &inputs, &controls, &types));
  const AttrMap given = attrs;
  GK_RETURN_IF_ERROR(ResolveAttrs(*record, types, true, &attrs));
  for (const auto& [name, value] : given) {
    const AttrValue* resolved = attrs.Find(name);
    if (resolved != nullptr && !AttrEquals(*resolved, value)) {
      return InvalidArgument("attr '{}' is {}, but the inputs say {}", name,
                             AttrText(value), AttrText(*resolved));
    }
  }
  std::vector<DataType> outputs;
  GK_RETURN_IF_ERROR(OutputTypes(*record->def, attrs, &outputs));
  GK_RETURN_IF_ERROR(CheckCallSignature(*record, attrs, types, outputs));
  GK_RETURN_IF_ERROR(
      functions_->budget().TakeOutputs(static_cast<int64_t>(outputs.size())));
  GK_ASSIGN_OR_RETURN(made_[i],
                      graph_->AddNode(*record, NameOf(def) + "/", inputs,
                                      std::move(attrs), controls));
  made_[i]->set_device(def.device);
  return OkStatus();
}

StatusOr<int> NodeImporter::OutputIndex(int i, std::string_view argument,
                                        int64_t index) const {
  const Node& node = *made_[i];
  if (argument.empty()) return static_cast<int>(index);
  int64_t at = 0;
  if (node.op().Has(kUnregistered)) {
    for (const auto& r : UnregisteredOp::Of(node.op()).facts().results) {
      if (r.argument == argument && r.index == index) return at;
      ++at;
    }
    return -1;
  }
  const proto::NodeDef& def = (*defs_)[i];
  if (node.type() != def.op) {  // called by the function's name
    for (const auto& arg : functions_->FindDef(def.op)->signature->output_arg) {
      if (arg.name == argument && index == 0) return at;
      ++at;
    }
    return -1;
  }
  for (const ArgDef& arg : node.op().def->outputs) {
    int64_t n = 1;
    if (!arg.number_attr.empty()) {
      n = node.attr<int64_t>(arg.number_attr);
    } else if (!arg.type_list_attr.empty()) {
      const auto* list =
          node.attrs().Get<std::vector<DataType>>(arg.type_list_attr);
      n = list == nullptr ? 0 : static_cast<int64_t>(list->size());
    }
    if (arg.name == argument) return index < n ? at + index : -1;
    at += n;
  }
  return -1;
}

Node* NodeImporter::FindNode(std::string_view name) const {
  auto it = index_.find(name);
  return it == index_.end() ? nullptr : made_[it->second];
}

StatusOr<Output> NodeImporter::FindEdge(std::string_view edge) const {
  auto defined = defined_.find(std::string(edge));
  if (defined != defined_.end()) return defined->second;
  EdgeName parsed;
  if (!parsed.Parse(edge, form_ == kFunctionForm)) {
    return InvalidArgument("Malformed input '{}'", edge);
  }
  auto it = index_.find(parsed.node);
  if (it == index_.end() || made_[it->second] == nullptr) {
    return InvalidArgument("Unknown input node '{}'", edge);
  }
  Node* node = made_[it->second];
  int64_t index = parsed.index;
  if (form_ == kFunctionForm) {
    GK_ASSIGN_OR_RETURN(index, OutputIndex(it->second, parsed.argument, index));
  }
  if (index < 0 || index >= node->num_outputs()) {
    return InvalidArgument("'{}': {} ({}) has no such output", edge,
                           node->name(), node->type());
  }
  return Output{node, static_cast<int>(index)};
}

}  // namespace gk
