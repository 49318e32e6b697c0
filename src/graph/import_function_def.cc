// FunctionReader and FunctionFromFunctionDef.
#include <algorithm>
#include <unordered_set>

#include "framework/op_builder.h"
#include "framework/op_registry.h"
#include "graph/attr_from_proto.h"
#include "graph/node_importer.h"
#include "graph/op_def_proto.h"
#include "graph/tensor_proto.h"

namespace gk {
namespace {

// Functions hold what they call: letting go of the outermost lets go of one
// within the other.
constexpr int kMaxCallDepth = 500;

StatusOr<Node*> ReadArgument(const proto::FunctionDef& def, uint32_t index,
                             Graph* graph) {
  const proto::OpDef::ArgDef& arg = def.signature->input_arg[index];
  const int number = static_cast<int>(arg.type);
  if (!arg.type_attr.empty() || !arg.type_list_attr.empty() ||
      !arg.number_attr.empty()) {
    return Unimplemented("Argument '{}' has no fixed type", arg.name);
  }
  if (!DataTypeIsValid(number)) {
    return InvalidArgument("Argument '{}' has the invalid type {}", arg.name,
                           number);
  }
  const DataType dtype = static_cast<DataType>(number);
  PartialTensorShape shape;
  if (dtype == DataType::kResource) shape = TensorShape();
  AttrMap attrs;
  auto it = def.arg_attr.find(index);
  if (it != def.arg_attr.end()) {
    const auto& map = it->second.attr;
    auto shapes = map.find("_output_shapes");
    if (shapes != map.end() && !shapes->second.list->shape.empty()) {
      GK_ASSIGN_OR_RETURN(shape, ShapeFromProto(shapes->second.list->shape[0]));
    }
    auto user_name = map.find("_user_specified_name");
    if (user_name != map.end()) {
      attrs.Set("_user_specified_name", user_name->second.s);
    }
  }
  attrs.Set("dtype", dtype);
  attrs.Set("shape", shape);
  const OpRecord& record = OpRegistry::Get().The(kPlaceholder);
  GK_RETURN_IF_ERROR(ResolveAttrs(record, {}, true, &attrs));
  if (graph->FindNode(arg.name) != nullptr) {
    return InvalidArgument("Duplicate argument name '{}'", arg.name);
  }
  GK_ASSIGN_OR_RETURN(Node * node, graph->AddNode(record, arg.name + "/", {},
                                                  std::move(attrs)));
  for (const auto& h : arg.handle_data) {
    HandleShape data;
    if (!DataTypeIsValid(static_cast<int>(h.dtype))) {
      return InvalidArgument("Argument '{}' has invalid handle data", arg.name);
    }
    data.dtype = static_cast<DataType>(h.dtype);
    GK_ASSIGN_OR_RETURN(data.shape, ShapeFromProto(*h.shape));
    node->mutable_output(0).handle_data.push_back(std::move(data));
  }
  return node;
}

// The argument of a function that input `i` of a node becomes in it, if the
// node hands it on; null if not.
const Node* ArgumentFor(const Node& node, int i, const AttrValue& attr) {
  const auto* f = std::get_if<FunctionAttr>(&attr);
  if (f == nullptr || f->definition == nullptr) return nullptr;
  const std::vector<Node*>& arguments = f->definition->arguments();
  // The first input of some says which function it is.
  const int own = node.num_inputs() - static_cast<int>(arguments.size());
  if (own < 0 || own > 1 || i < own) return nullptr;
  return arguments[i - own];
}

// What is known of the variables behind arguments of which the file does not
// say it: who reads or writes one, or hands it to a function, does.
void LearnHandleData(const Graph& graph) {
  for (const auto& node : graph.nodes()) {
    const auto* dtype = node->attrs().Get<DataType>("dtype");
    for (int i = 0; i < node->num_inputs(); ++i) {
      const Output& in = node->input(i);
      Node::OutputInfo& info = in.node->mutable_output(in.index);
      if (info.dtype != DataType::kResource || !info.handle_data.empty() ||
          !in.node->op().Has(kPlaceholder)) {
        continue;
      }
      const OpRecord& op = node->op();
      if (i == 0 && dtype != nullptr &&
          (op.Has(kReadsVariable) || op.Has(kAssignsVariable))) {
        info.handle_data = {{*dtype, PartialTensorShape()}};
        continue;
      }
      for (const auto& [name, value] : node->attrs()) {
        const Node* argument = ArgumentFor(*node, i, value);
        if (argument == nullptr) continue;
        info.handle_data = argument->output(0).handle_data;
        if (!info.handle_data.empty()) break;
      }
    }
  }
}

StatusOr<std::vector<Output>> ReadResults(const proto::FunctionDef& def,
                                          const NodeImporter& importer) {
  std::vector<Output> results;
  for (const proto::OpDef::ArgDef& arg : def.signature->output_arg) {
    auto it = def.ret.find(arg.name);
    if (it == def.ret.end()) {
      return InvalidArgument("Return value '{}' is missing", arg.name);
    }
    GK_ASSIGN_OR_RETURN(Output o, importer.FindEdge(it->second));
    const DataType dtype = o.node->output(o.index).dtype;
    if (static_cast<int>(dtype) != static_cast<int>(arg.type)) {
      return InvalidArgument("Return value '{}' is {}, not {}", arg.name,
                             DataTypeName(dtype), static_cast<int>(arg.type));
    }
    results.push_back(o);
  }
  return results;
}

StatusOr<std::vector<Node*>> ReadControlOutputs(const proto::FunctionDef& def,
                                                const NodeImporter& importer) {
  std::vector<Node*> nodes;
  auto add = [&](const std::string& name) -> Status {
    Node* node = importer.FindNode(name);
    if (node == nullptr) {
      return InvalidArgument("control_ret names the missing node '{}'", name);
    }
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) {
      nodes.push_back(node);
    }
    return OkStatus();
  };
  for (const std::string& label : def.signature->control_output) {
    auto it = def.control_ret.find(label);
    if (it == def.control_ret.end()) {
      return InvalidArgument("control_ret lacks '{}'", label);
    }
    GK_RETURN_IF_ERROR(add(it->second));
  }
  for (const auto& [label, name] : def.control_ret) {
    GK_RETURN_IF_ERROR(add(name));
  }
  return nodes;
}

StatusOr<Ref<GraphFunction>> ReadFunction(const proto::FunctionDef& def,
                                          FunctionReader* functions) {
  Ref<Graph> graph = MakeRef<Graph>();
  NodeImporter importer(NodeImporter::kFunctionForm, "", functions,
                        graph.get());
  std::vector<Node*> arguments;
  const size_t n = def.signature->input_arg.size();
  for (size_t i = 0; i < n; ++i) {
    GK_ASSIGN_OR_RETURN(Node * node, ReadArgument(def, i, graph.get()));
    importer.Define(node->name(), {node, 0});
    arguments.push_back(node);
  }
  importer.set_may_be_stateful(def.signature->is_stateful);
  for (const proto::OpDef::ArgDef& arg : def.signature->output_arg) {
    const auto it = def.ret.find(arg.name);
    if (it == def.ret.end() || !DataTypeIsValid(static_cast<int>(arg.type))) {
      continue;
    }
    importer.Read(it->second, static_cast<DataType>(arg.type));
  }
  GK_RETURN_IF_ERROR(importer.Import(def.node_def));
  LearnHandleData(*graph);
  GK_ASSIGN_OR_RETURN(std::vector<Output> results, ReadResults(def, importer));
  GK_ASSIGN_OR_RETURN(std::vector<Node*> controls,
                      ReadControlOutputs(def, importer));
  AttrMap attrs;
  const FindFunction none;
  for (const auto& [name, value] : def.attr) {
    // What only its writer can use (shapes of inputs, other functions) does
    // not keep a function from being read.
    StatusOr<AttrValue> v =
        AttrFromProto(value, nullptr, none, &functions->budget());
    if (v.ok()) attrs.Set(name, *std::move(v));
  }
  return MakeRef<GraphFunction>(def.signature->name, std::move(graph),
                                std::move(arguments), std::move(results),
                                std::move(controls), std::move(attrs));
}

}  // namespace

StatusOr<Ref<GraphFunction>> FunctionFromFunctionDef(
    const proto::FunctionDef& def, FunctionReader* functions) {
  StatusOr<Ref<GraphFunction>> f = ReadFunction(def, functions);
  if (f.ok()) return f;
  return Status(
      f.status().code(),
      Format("{}, in function {}", f.status().message(), def.signature->name));
}

Status FunctionReader::Init() {
  for (const proto::FunctionDef& f : library_.function) {
    if (!by_name_.emplace(f.signature->name, &f).second) {
      return InvalidArgument("Duplicate function '{}' in the library",
                             f.signature->name);
    }
  }
  if (ops_ == nullptr) return OkStatus();
  for (const proto::OpDef& op : ops_->op) op_by_name_.emplace(op.name, &op);
  return OkStatus();
}

const proto::OpDef* FunctionReader::FindOpDef(const std::string& name) const {
  const auto it = op_by_name_.find(name);
  return it == op_by_name_.end() ? nullptr : it->second;
}

const OpDef* FunctionReader::FindOp(const std::string& name) {
  const proto::OpDef* message = FindOpDef(name);
  if (message == nullptr) return nullptr;
  const auto [it, fresh] = op_defs_.try_emplace(name);
  if (fresh) {
    // One that is wrong says nothing.
    StatusOr<OpDef> read = OpDefFromProto(*message);
    if (read.ok()) it->second = *std::move(read);
  }
  return it->second ? &*it->second : nullptr;
}

UnregisteredNodes FunctionReader::unregistered() {
  return {[this](const std::string& name) { return FindDef(name); },
          [this](const std::string& name) { return FindOp(name); }};
}

const proto::FunctionDef* FunctionReader::FindDef(
    const std::string& name) const {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

std::vector<std::string> FunctionReader::Callees(
    const proto::FunctionDef& def) const {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  auto add = [&](const std::string& name) {
    if (seen.insert(name).second) names.push_back(name);
  };
  for (const proto::NodeDef& node : def.node_def) {
    if (FindDef(node.op) != nullptr &&
        OpRegistry::Get().Find(node.op) == nullptr) {
      add(node.op);
    }
    for (const auto& [attr, value] : node.attr) ForEachFunctionName(value, add);
  }
  return names;
}

StatusOr<Ref<GraphFunction>> FunctionReader::Read(const std::string& name) {
  struct Frame {
    const proto::FunctionDef* def;
    std::vector<std::string> callees;
    size_t next = 0;
    int depth = 1;
  };
  std::vector<Frame> stack;
  std::unordered_set<std::string> open;
  auto enter = [&](const std::string& callee) -> Status {
    const proto::FunctionDef* def = FindDef(callee);
    if (def == nullptr) {
      return NotFound("Function {} is not defined.", callee);
    }
    if (!open.insert(callee).second) {
      return InvalidArgument("Function {} calls itself", callee);
    }
    stack.push_back({def, Callees(*def)});
    return OkStatus();
  };
  if (done_.count(name) == 0) GK_RETURN_IF_ERROR(enter(name));
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (static_cast<int>(stack.size()) > kMaxCallDepth ||
        top.depth > kMaxCallDepth) {
      return InvalidArgument("Functions call each other more than {} deep",
                             kMaxCallDepth);
    }
    if (top.next < top.callees.size()) {
      const std::string callee = top.callees[top.next];
      auto it = done_.find(callee);
      if (it == done_.end() && FindDef(callee) == nullptr) {
        ++top.next;  // the node that names it is told
      } else if (it == done_.end()) {
        GK_RETURN_IF_ERROR(enter(callee));
      } else {
        top.depth = std::max(top.depth, it->second.depth + 1);
        ++top.next;
      }
      continue;
    }
    const std::string& done = top.def->signature->name;
    GK_ASSIGN_OR_RETURN(Ref<GraphFunction> f,
                        FunctionFromFunctionDef(*top.def, this));
    done_[done] = {std::move(f), top.depth};
    open.erase(done);
    stack.pop_back();
  }
  return done_.at(name).function;
}

}  // namespace gk
