// WriteFunctionDef: a graph function as a FunctionDef.
#include <unordered_map>
#include <unordered_set>

#include "framework/host_function.h"
#include "framework/op_registry.h"
#include "framework/unregistered_op.h"
#include "graph/control_gather.h"
#include "graph/function_names.h"
#include "graph/graph_def.h"
#include "graph/tensor_proto.h"

namespace gk {
namespace {

// "matmul_readvariableop_resource" of "MatMul/ReadVariableOp/resource".
std::string ArgumentName(std::string_view node_name) {
  std::string name;
  for (char c : node_name) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper) c += 'a' - 'A';
    const bool letter = c >= 'a' && c <= 'z';
    if (name.empty() && !letter) continue;
    name += letter || (c >= '0' && c <= '9') ? c : '_';
  }
  return name.empty() ? "unknown" : name;
}

class UniqueNames {
 public:
  std::string Add(std::string name) {
    if (used_.insert(name).second) return name;
    for (int i = 0;; ++i) {
      std::string candidate = Format("{}_{}", name, i);
      if (used_.insert(candidate).second) return candidate;
    }
  }

 private:
  std::unordered_set<std::string> used_;
};

class Writer {
 public:
  Writer(const GraphFunction& function, FunctionNames* functions)
      : function_(function),
        functions_(functions),
        gather_(function.graph(), function.results(),
                function.control_outputs()) {}

  StatusOr<proto::FunctionDef> Run() {
    message_.signature.mut().name = functions_->NameOf(function_);
    WriteArguments();
    GK_RETURN_IF_ERROR(WriteNodes());
    GK_RETURN_IF_ERROR(WriteResults());
    for (const auto& [name, value] : function_.attrs()) {
      GK_ASSIGN_OR_RETURN(message_.attr[name], functions_->WriteAttr(value));
    }
    if (function_.attrs().Find("_construction_context") == nullptr) {
      message_.attr["_construction_context"].set_s("kEagerRuntime");
    }
    message_.signature.mut().is_stateful = function_.is_stateful();
    return std::move(message_);
  }

 private:
  bool IsArgument(const Node* n) const { return arguments_.count(n) != 0; }

  void WriteArguments() {
    uint32_t index = 0;
    for (const Node* node : function_.arguments()) {
      const Node::OutputInfo& info = node->output(0);
      const std::string name = names_.Add(ArgumentName(node->name()));
      signature_names_.Add(name);
      arguments_.insert(node);
      name_of_.emplace(node, name);
      proto::OpDef::ArgDef arg;
      arg.name = name;
      arg.type = static_cast<proto::DataType>(info.dtype);
      if (functions_->handle_data() && info.dtype == DataType::kResource) {
        for (const HandleShape& held : info.handle_data) {
          auto& data = arg.handle_data.emplace_back();
          data.dtype = static_cast<proto::DataType>(held.dtype);
          data.shape = ShapeToProto(held.shape);
        }
      }
      message_.signature.mut().input_arg.push_back(std::move(arg));
      auto& attrs = message_.arg_attr[index++].attr;
      if (const auto* s =
              node->attrs().Get<std::string>("_user_specified_name")) {
        attrs["_user_specified_name"].set_s(*s);
      }
      if (info.dtype != DataType::kResource) {
        attrs["_output_shapes"].mutable_list().shape.push_back(
            ShapeToProto(info.shape));
      }
    }
  }

  // "MatMul:product:0", or the name of an argument.
  StatusOr<std::string> Edge(const Output& o) const {
    const std::string& name = name_of_.at(o.node);
    if (IsArgument(o.node)) return name;
    if (o.node->op().Has(kUnregistered)) {
      const auto& r = UnregisteredOp::Of(o.node->op()).facts().results[o.index];
      return Format("{}:{}:{}", name, r.argument, r.index);
    }
    int64_t at = 0;
    for (const ArgDef& arg : o.node->op().def->outputs) {
      int64_t n = 1;
      if (!arg.number_attr.empty()) {
        n = o.node->attr<int64_t>(arg.number_attr);
      } else if (!arg.type_list_attr.empty()) {
        const auto* list =
            o.node->attrs().Get<std::vector<DataType>>(arg.type_list_attr);
        n = list == nullptr ? 0 : static_cast<int64_t>(list->size());
      }
      if (o.index < at + n) {
        return Format("{}:{}:{}", name, arg.name, o.index - at);
      }
      at += n;
    }
    return Internal("{} has no output {}", o.node->name(), o.index);
  }

  Status WriteNodes() {
    for (const auto& node : function_.graph().nodes()) {
      if (IsArgument(node.get())) continue;
      name_of_.emplace(node.get(), names_.Add(node->name()));
    }
    const std::string gather = gather_.node() != nullptr
                                   ? name_of_.at(gather_.node())
                                   : names_.Add(gather_.name());
    for (const auto& node : function_.graph().nodes()) {
      if (IsArgument(node.get())) continue;
      proto::NodeDef n = RestOf(node->op());
      n.name = name_of_.at(node.get());
      n.op = node->type();
      n.device = node->device();
      for (const Output& o : node->inputs()) {
        GK_ASSIGN_OR_RETURN(std::string edge, Edge(o));
        n.input.push_back(std::move(edge));
      }
      for (const Node* c : node->control_inputs()) {
        if (!IsArgument(c)) n.input.push_back("^" + name_of_.at(c));
      }
      if (gather_.Waits(node.get())) n.input.push_back("^" + gather);
      for (const auto& [name, value] : node->attrs()) {
        if (name == kHeldHostFunction) continue;
        GK_ASSIGN_OR_RETURN(n.attr[name], functions_->WriteAttr(value));
      }
      if (functions_->shapes()) WriteOutputShapes(*node, &n);
      message_.node_def.push_back(std::move(n));
    }
    if (gather_.needed() && gather_.node() == nullptr) {
      proto::NodeDef n;
      n.name = gather;
      n.op = OpRegistry::Get().The(kOnlyOrders).name;
      for (const Node* c : gather_.controls()) {
        if (!IsArgument(c)) n.input.push_back("^" + name_of_.at(c));
      }
      message_.node_def.push_back(std::move(n));
    }
    return OkStatus();
  }

  Status WriteResults() {
    for (const Output& o : function_.results()) {
      const Node::OutputInfo& info = o.node->output(o.index);
      proto::OpDef::ArgDef arg;
      arg.name = signature_names_.Add(ArgumentName(o.node->name()));
      arg.type = static_cast<proto::DataType>(info.dtype);
      GK_ASSIGN_OR_RETURN(message_.ret[arg.name], Edge(o));
      message_.signature.mut().output_arg.push_back(std::move(arg));
    }
    for (const Node* c : gather_.controls()) {
      if (IsArgument(c)) continue;
      const std::string& name = name_of_.at(c);
      if (!message_.control_ret.emplace(name, name).second) continue;
      message_.signature.mut().control_output.push_back(name);
    }
    return OkStatus();
  }

  const GraphFunction& function_;
  FunctionNames* functions_;
  const ControlGather gather_;
  proto::FunctionDef message_;
  UniqueNames names_, signature_names_;
  std::unordered_set<const Node*> arguments_;
  std::unordered_map<const Node*, std::string> name_of_;
};

}  // namespace

void WriteOutputShapes(const Node& node, proto::NodeDef* message) {
  if (node.num_outputs() == 0) return;
  auto& list = message->attr["_output_shapes"].mutable_list();
  list.shape.clear();  // of another's, which is written again
  for (int i = 0; i < node.num_outputs(); ++i) {
    list.shape.push_back(ShapeToProto(node.output(i).shape));
  }
}

StatusOr<proto::FunctionDef> WriteFunctionDef(const GraphFunction& function,
                                              FunctionNames* functions) {
  return Writer(function, functions).Run();
}

}  // namespace gk
