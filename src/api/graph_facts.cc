// What gk::Graph, gk::Operation and tensors of graphs tell of themselves.
#include "function/graph_facts.h"

#include <utility>

#include "api/graph_rep.h"
#include "api/variable_facts.h"
#include "framework/logical_device.h"
#include "framework/op_registry.h"
#include "function/graph_collections.h"
#include "graph/graph_def.h"
#include "graph/graph_elements.h"
#include "graph/op_def_proto.h"
#include "graph/tensor_proto.h"
#include "graphkiln/variable.h"

namespace gk::api {
namespace {

const Operation::Rep& Known(const Operation& op) {
  if (op.defined()) return *op.rep();
  throw ::gk::Error(ValueError("An operation that is not defined() was asked"));
}

std::string OpSignatureOf(const std::string& type) {
  const StatusOr<const OpRecord*> record = OpRegistry::Get().LookUp(type);
  if (!record.ok()) {
    throw ::gk::Error(::gk::RuntimeError("{}", record.status().message()));
  }
  return ValueOrThrow(OpDefToProto(*(*record)->def)).Serialize();
}

std::vector<Operation> Operations(const Ref<::gk::Graph>& graph,
                                  const std::vector<Node*>& nodes) {
  std::vector<Operation> out;
  for (Node* node : nodes) out.push_back(OuterNode(graph, node));
  return out;
}

// ValueError, as of what an eager tensor has not.
InnerTensor Symbolic(const Tensor& t, const char* what) {
  InnerTensor inner = Inner(t);
  if (inner.is_symbolic()) return inner;
  throw ::gk::Error(::gk::AttributeError(
      "Tensor.{} is undefined when eager execution is enabled.", what));
}

}  // namespace

// ---- Tensors ----

std::string Tensor::device() const {
  return Guarded([&] {
    const InnerTensor t = Inner(*this);
    return t.is_symbolic() ? ::gk::Graph::OutputOf(t).node->device()
                           : DeviceName(DeviceOf(t));
  });
}
void Tensor::set_shape(const Shape& shape) const {
  Guarded([&] { ThrowIfError(SetStaticShape(Inner(*this), Inner(shape))); });
}
Operation Tensor::op() const { return Operation(*this); }
int Tensor::value_index() const {
  return Guarded([&] {
    return ::gk::Graph::OutputOf(Symbolic(*this, "value_index")).index;
  });
}
std::string Tensor::name() const {
  return Guarded([&] {
    const Output o = ::gk::Graph::OutputOf(Symbolic(*this, "name"));
    return Format("{}:{}", o.node->name(), o.index);
  });
}
Graph Tensor::graph() const {
  return Guarded([&] {
    Symbolic(*this, "graph");
    return op().graph();
  });
}
std::vector<Operation> Tensor::consumers() const {
  return Guarded([&] {
    const InnerTensor t = Inner(*this);
    if (!t.is_symbolic()) return std::vector<Operation>();
    return Operations(Ref<::gk::Graph>(::gk::Graph::GraphOf(t)),
                      ConsumersOf(t));
  });
}

// ---- Operations ----

std::string Operation::get_attr(const std::string& name) const {
  return Guarded([&] {
    const Node& node = *Known(*this).node;
    const AttrValue* value = node.attrs().Find(name);
    if (value == nullptr) {
      throw ::gk::Error(ValueError("Operation '{}' has no attr named '{}'.",
                                   node.name(), name));
    }
    return ValueOrThrow(AttrToProto(*value)).Serialize();
  });
}
std::string Operation::node_def() const {
  return Guarded([&] {
    return ValueOrThrow(NodeToNodeDef(*Known(*this).node)).Serialize();
  });
}
std::string Operation::op_def() const {
  return Guarded([&] { return OpSignatureOf(type()); });
}
std::vector<std::string> Operation::colocation_groups() const {
  return Guarded([&] { return ColocationGroupsOf(*Known(*this).node); });
}
bool Operation::operator==(const Operation& other) const {
  return defined() ? other.defined() && rep_->node == other.rep_->node
                   : !other.defined();
}

// ---- Graphs ----

std::vector<Operation> Graph::new_operations() const {
  std::vector<Operation> all = get_operations();
  const size_t seen = rep_->graph->collections()->Seen(all.size());
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(seen));
  return all;
}
std::string Graph::op_def_for_type(const std::string& type) const {
  return Guarded([&] { return OpSignatureOf(type); });
}

bool Graph::building_function() const { return rep_->graph->is_function(); }
std::string Graph::name() const { return rep_->graph->name(); }
std::optional<Graph> Graph::outer_graph() const {
  FuncGraph* const outer = rep_->graph->outer();
  if (outer == nullptr) return std::nullopt;
  return Graph(std::make_shared<const Rep>(Rep{Ref<FuncGraph>(outer)}));
}
std::vector<Tensor> Graph::inputs() const {
  return Outer(InputsOf(*rep_->graph));
}
std::vector<Tensor> Graph::outputs() const {
  return Outer(OutputsOf(*rep_->graph));
}
std::vector<std::pair<Tensor, Tensor>> Graph::captures() const {
  std::vector<std::pair<Tensor, Tensor>> pairs;
  for (const FunctionCapture& c : rep_->graph->inputs().captures()) {
    pairs.emplace_back(
        c.external ? Outer(c.external) : Tensor(),
        Outer(rep_->graph->graph()->TensorOf({c.placeholder, 0})));
  }
  return pairs;
}
std::vector<Operation> Graph::control_outputs() const {
  return Operations(rep_->graph->graph(), ControlOutputsOf(*rep_->graph));
}
std::vector<Variable> Graph::variables() const {
  return Guarded([&] {
    std::vector<Variable> variables;
    for (const InnerTensor& handle : CapturedVariables(*rep_->graph)) {
      variables.push_back(VariableOfHandle(handle));
    }
    return variables;
  });
}
std::vector<Variable> Graph::trainable_variables() const {
  std::vector<Variable> variables = this->variables();
  std::erase_if(variables, [](const Variable& v) { return !v.trainable(); });
  return variables;
}

}  // namespace gk::api
