#include "graphkiln/graph.h"

#include <utility>

#include "api/concrete_rep.h"
#include "api/graph_rep.h"
#include "function/part_scope.h"
#include "function/run_order.h"
#include "function/user_graph.h"
#include "function/user_scopes.h"
#include "graph/graph_file.h"
#include "ops/fn/Identity.h"
#include "ops/static_value.h"

namespace gk::api {

namespace {

const Operation::Rep& Defined(const Operation& op) {
  if (op.defined()) return *op.rep();
  ThrowPublic(ValueError("An operation that is not defined() was asked"));
}

}  // namespace

std::vector<Node*> NodesOf(const std::vector<Operation>& operations,
                           const FuncGraph* graph) {
  std::vector<Node*> nodes;
  for (const Operation& op : operations) {
    if (op.defined() && op.rep()->graph.get() == graph->graph().get()) {
      nodes.push_back(op.rep()->node);
    }
  }
  return nodes;
}

bool executing_eagerly() { return !OpBuilder::Current()->builds_graph(); }

bool inside_function() { return InsideFunction(); }

bool is_symbolic_tensor(const Tensor& tensor) {
  return tensor.defined() && tensor.is_symbolic();
}

Tensor get_static_value(const Tensor& tensor) {
  return Guarded([&] {
    const InnerTensor value = StaticValue(Inner(tensor));
    return value ? api::Outer(value) : Tensor();
  });
}

Operation::Operation(const Tensor& made) {
  if (!is_symbolic_tensor(made)) return;
  const InnerTensor t = Inner(made);
  rep_ =
      std::make_shared<const Rep>(Rep{Ref<::gk::Graph>(::gk::Graph::GraphOf(t)),
                                      ::gk::Graph::OutputOf(t).node});
}

std::string Operation::name() const { return Defined(*this).node->name(); }
std::string Operation::type() const {
  return std::string(Defined(*this).node->type());
}
std::string Operation::device() const { return Defined(*this).node->device(); }

std::vector<Tensor> Operation::inputs() const {
  std::vector<Tensor> out;
  for (const Output& o : Defined(*this).node->inputs()) {
    out.push_back(api::Outer(rep_->graph->TensorOf(o)));
  }
  return out;
}

std::vector<Tensor> Operation::outputs() const {
  std::vector<Tensor> out;
  for (int i = 0; i < Defined(*this).node->num_outputs(); ++i) {
    out.push_back(api::Outer(rep_->graph->TensorOf({rep_->node, i})));
  }
  return out;
}

std::vector<Operation> Operation::control_inputs() const {
  std::vector<Operation> out;
  for (Node* node : Defined(*this).node->control_inputs()) {
    out.push_back(OuterNode(rep_->graph, node));
  }
  return out;
}

struct ControlDependencies::Rep {
  Rep(FuncGraph* graph, const std::vector<Operation>& before)
      : order(graph, NodesOf(before, graph)) {}
  RunsAfter order;
};

ControlDependencies::ControlDependencies(const std::vector<Operation>& before) {
  if (FuncGraph* graph = FuncGraph::Current()) {
    rep_ = std::make_unique<Rep>(graph, before);
  }
}
ControlDependencies::~ControlDependencies() = default;

Operation group(const std::vector<Operation>& inputs, const std::string& name) {
  return Guarded([&] {
    FuncGraph* graph = FuncGraph::Current();
    if (graph == nullptr) return Operation();
    return OuterNode(graph->graph(),
                     Group(graph, NodesOf(inputs, graph), name));
  });
}

std::vector<Tensor> tuple(const std::vector<Tensor>& tensors,
                          const std::vector<Operation>& control_inputs,
                          const std::string& name) {
  return Guarded([&] {
    FuncGraph* graph = FuncGraph::Current();
    if (graph == nullptr) return tensors;
    std::vector<Operation> gates = control_inputs;
    for (const Tensor& t : tensors) {
      if (t.defined()) gates.emplace_back(t);
    }
    if (gates.empty()) {
      throw ::gk::Error(ValueError("'tensors' must have at least one Tensor."));
    }
    const NameScope scope(graph, name);
    const RunsAfter order(graph, NodesOf(gates, graph));
    std::vector<Tensor> out;
    for (const Tensor& t : tensors) {
      out.push_back(t.defined() ? api::Outer(::gk::ops::Identity(Inner(t)))
                                : Tensor());
    }
    return out;
  });
}

std::vector<Tensor> import_graph_def(
    const std::string& graph_def,
    const std::map<std::string, Tensor>& input_map,
    const std::vector<std::string>& return_elements, const std::string& name) {
  return Guarded([&] {
    FuncGraph* builder = FuncGraph::Current();
    if (builder == nullptr) {
      throw ::gk::Error(::gk::RuntimeError(
          "import_graph_def adds to a graph: call it in a gk::function "
          "or under a gk::Graph's as_default"));
    }
    proto::GraphDef message;
    ThrowIfError(message.Parse(graph_def));
    GraphImport import{name, {}, return_elements};
    for (const auto& [edge, tensor] : input_map) {
      import.input_map[edge] = Inner(tensor);
    }
    std::vector<Tensor> out;
    size_t next = 0;
    for (const auto& [node, index] :
         ValueOrThrow(ImportInto(builder, message, import))) {
      const std::string& element = return_elements[next++];
      if (index < 0) {
        throw ::gk::Error(
            ValueError("'{}' is an operation: name a tensor of it, '{}:0'",
                       element, element));
      }
      out.push_back(api::Outer(builder->graph()->TensorOf({node, index})));
    }
    return out;
  });
}

namespace io {

std::string write_graph(const ConcreteFunction& function,
                        const std::string& logdir, const std::string& name,
                        bool as_text) {
  return Guarded([&] {
    const GraphFunction& f = *function.rep().function->function();
    GraphDefOptions options;
    options.results = f.results();
    options.control_outputs = f.control_outputs();
    const proto::GraphDef message =
        ValueOrThrow(GraphToGraphDef(f.graph(), options));
    return ValueOrThrow(WriteToFolder(
        logdir, name, as_text ? message.ToText() : message.Serialize()));
  });
}

}  // namespace io
}  // namespace gk::api
