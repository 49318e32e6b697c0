// gk::Graph and the scopes that programs enter.
#include "function/user_graph.h"

#include <optional>
#include <utility>

#include "api/concrete_rep.h"
#include "api/graph_rep.h"
#include "framework/device_spec.h"
#include "framework/op_name.h"
#include "function/graph_collections.h"
#include "function/graph_part.h"
#include "function/user_scopes.h"
#include "graph/graph_elements.h"
#include "ops/fn/Placeholder.h"

namespace gk::api {
namespace {

Graph Handle(Ref<FuncGraph> graph) {
  return Graph(
      std::make_shared<const Graph::Rep>(Graph::Rep{std::move(graph)}));
}

FuncGraph& Open(const Graph& graph) {
  FuncGraph& open = *graph.rep().graph;
  ThrowIfError(open.CheckOpen());
  return open;
}

// `enter` is called with the scopes of the graph now, `leave` at the end.
template <class Enter>
GraphScope Entered(const Graph& graph, Enter enter,
                   void (GraphScopes::*leave)()) {
  return Guarded([&] {
    const Ref<FuncGraph> kept(&Open(graph));
    enter(kept->scopes());
    return GraphScope([kept, leave] { (kept->scopes().*leave)(); });
  });
}

}  // namespace

Output EdgeIn(const FuncGraph& graph, const Tensor& tensor) {
  const InnerTensor inner = Inner(tensor);
  if (inner.is_symbolic() &&
      ::gk::Graph::GraphOf(inner) == graph.graph().get()) {
    return ::gk::Graph::OutputOf(inner);
  }
  throw ::gk::Error(ValueError("Tensor {} is not an element of this graph.",
                               tensor.to_string()));
}

// ---- Scopes ----

struct name_scope::Rep {
  explicit Rep(const std::string& name) : within(name) {}
  const WithinScope within;
};
name_scope::name_scope(const std::string& name) {
  Guarded([&] { rep_ = std::make_unique<Rep>(name); });
}
name_scope::~name_scope() = default;
const std::string& name_scope::name() const {
  return rep_->within.scope().name();
}
const std::string& name_scope::full_name() const {
  return rep_->within.full_name();
}
std::string get_current_name_scope() {
  return Guarded([] {
    std::string scope = CurrentNameScope();
    if (scope.ends_with('/')) scope.pop_back();
    return scope;
  });
}

struct init_scope::Rep {
  InitScope outside;
};
init_scope::init_scope() {
  EnsureReady();
  Guarded([&] {
    rep_ = std::make_unique<Rep>();
    rep_->outside.Enter();
  });
}
init_scope::~init_scope() = default;

// ---- Graphs ----

Graph::Graph() {
  EnsureReady();
  Guarded([&] { *this = Handle(NewUserGraph()); });
}

bool Graph::operator==(const Graph& other) const {
  return rep_->graph == other.rep_->graph;
}

Graph Operation::graph() const {
  return Guarded([&] {
    FuncGraph* const builder =
        defined() ? FuncGraph::Of(rep_->graph.get()) : nullptr;
    if (builder == nullptr) {
      throw ::gk::Error(::gk::RuntimeError(
          "The operation has no graph that can be asked: {}",
          defined() ? "its function is gone" : "it is not defined()"));
    }
    return Handle(Ref<FuncGraph>(builder));
  });
}

Graph get_default_graph() {
  return Guarded([&] {
    FuncGraph* const graph = FuncGraph::Current();
    if (graph == nullptr) {
      throw ::gk::Error(::gk::RuntimeError(
          "No graph is built here: call get_default_graph in a gk::function "
          "or under a gk::Graph's as_default"));
    }
    return Handle(Ref<FuncGraph>(graph));
  });
}

Tensor placeholder(DataType dtype, const Shape& shape,
                   const std::string& name) {
  return Guarded([&] {
    if (FuncGraph::Current() == nullptr) {
      throw ::gk::Error(::gk::RuntimeError(
          "gk::placeholder() is not compatible with eager execution."));
    }
    return Outer(
        ::gk::ops::Placeholder(OpName(name), Inner(dtype), Inner(shape)));
  });
}

GraphScope Graph::as_default() const {
  return Guarded([&] {
    auto building = std::make_shared<std::optional<FuncGraph::Building>>();
    building->emplace(rep_->graph.get(), FuncGraph::Building::kOfGraph);
    return GraphScope([building, kept = rep_->graph] { building->reset(); });
  });
}

std::vector<Operation> Graph::get_operations() const {
  std::vector<Operation> out;
  const Ref<::gk::Graph>& graph = rep_->graph->graph();
  for (const auto& node : graph->nodes()) {
    out.push_back(OuterNode(graph, node.get()));
  }
  return out;
}

Operation Graph::get_operation_by_name(const std::string& name) const {
  return Guarded([&] {
    const Ref<::gk::Graph>& graph = rep_->graph->graph();
    return OuterNode(graph, ValueOrThrow(FindOperation(*graph, name)));
  });
}

Tensor Graph::get_tensor_by_name(const std::string& name) const {
  return Guarded([&] {
    const Ref<::gk::Graph>& graph = rep_->graph->graph();
    return Outer(graph->TensorOf(ValueOrThrow(FindEdge(*graph, name))));
  });
}

int64_t Graph::version() const { return rep_->graph->graph()->num_nodes(); }

Operation Graph::create_op(
    const std::string& op_type, const std::vector<Tensor>& inputs,
    const std::string& name,
    const std::map<std::string, std::string>& attrs) const {
  return Guarded([&] {
    proto::NodeDef message;
    message.op = op_type;
    message.name = name;
    for (const auto& [attr, bytes] : attrs) {
      ThrowIfError(message.attr[attr].Parse(bytes));
    }
    FuncGraph* const graph = rep_->graph.get();
    return OuterNode(graph->graph(),
                     ValueOrThrow(AddNodeOf(graph, message, Inner(inputs))));
  });
}

std::string Graph::unique_name(const std::string& name,
                               bool mark_as_used) const {
  const std::string full = rep_->graph->scopes().name() + name;
  ::gk::Graph& graph = *rep_->graph->graph();
  return mark_as_used ? graph.UniqueName(full) : graph.PeekUniqueName(full);
}

std::string Graph::get_name_scope() const {
  const std::string& scope = rep_->graph->scopes().name();
  return scope.substr(0, scope.size() - !scope.empty());
}

GraphScope Graph::device(const std::string& name) const {
  return Entered(
      *this,
      [&](GraphScopes& scopes) {
        scopes.PushDevice(ValueOrThrow(DeviceSpec::Parse(name)));
      },
      &GraphScopes::PopDevice);
}

GraphScope Graph::device(
    const std::function<std::string(const Operation&)>& choose) const {
  return Entered(
      *this,
      [&](GraphScopes& scopes) {
        scopes.PushDeviceFunction([choose](::gk::Graph* graph, Node* node) {
          return StatusOr<std::string>(
              choose(OuterNode(Ref<::gk::Graph>(graph), node)));
        });
      },
      &GraphScopes::PopDevice);
}

GraphScope Graph::control_dependencies(
    const std::vector<Operation>& control_inputs) const {
  return Entered(
      *this,
      [&](GraphScopes& scopes) {
        scopes.PushControlInputs(NodesOf(control_inputs, rep_->graph.get()));
      },
      &GraphScopes::PopControlInputs);
}

GraphScope Graph::colocate_with(const Operation& op,
                                bool ignore_existing) const {
  return Guarded([&] {
    const std::vector<Node*> nodes = NodesOf({op}, rep_->graph.get());
    if (nodes.empty()) {
      throw ::gk::Error(
          ValueError("colocate_with needs an operation of the "
                     "graph"));
    }
    const Ref<FuncGraph> kept(&Open(*this));
    if (ignore_existing) kept->scopes().PushColocation(nullptr);
    kept->scopes().PushColocation(nodes[0]);
    return GraphScope([kept, ignore_existing] {
      kept->scopes().PopColocation();
      if (ignore_existing) kept->scopes().PopColocation();
    });
  });
}

GraphScope Graph::container(const std::string& name) const {
  return Entered(
      *this, [&](GraphScopes& scopes) { scopes.PushContainer(name); },
      &GraphScopes::PopContainer);
}

GraphScope Graph::gradient_override_map(
    const std::map<std::string, std::string>& op_type_map) const {
  return Entered(
      *this,
      [&](GraphScopes& scopes) { scopes.PushGradientOverrides(op_type_map); },
      &GraphScopes::PopGradientOverrides);
}

void Graph::finalize() const { rep_->graph->Finalize(); }
bool Graph::finalized() const {
  return rep_->graph->collections()->finalized();
}

std::optional<int64_t> Graph::seed() const {
  return rep_->graph->random_seeds().graph;
}
void Graph::set_seed(std::optional<int64_t> seed) const {
  rep_->graph->random_seeds().graph = seed;
}

ConcreteFunction Graph::prune(const std::vector<Tensor>& feeds,
                              const std::vector<Tensor>& fetches,
                              const std::vector<Operation>& runs,
                              const std::string& name) const {
  return Guarded([&] {
    std::vector<Output> inputs;
    std::vector<ImportedElement> outputs;
    for (const Tensor& t : feeds) inputs.push_back(EdgeIn(*rep_->graph, t));
    for (const Tensor& t : fetches) {
      const Output o = EdgeIn(*rep_->graph, t);
      outputs.push_back({o.node, o.index});
    }
    for (Node* node : NodesOf(runs, rep_->graph.get())) {
      outputs.push_back({node, -1});
    }
    const GraphPart part = ValueOrThrow(GraphPart::Between(
        rep_->graph.get(), std::move(inputs), std::move(outputs)));
    Ref<::gk::ConcreteFunction> made = ValueOrThrow(part.ToFunction(name));
    Ref<FunctionType> type = made->signature().type;
    return ConcreteFunction(std::make_shared<const ConcreteFunction::Rep>(
        ConcreteFunction::Rep{std::move(made), std::move(type)}));
  });
}

std::string Graph::as_graph_def(bool add_shapes) const {
  return Guarded([&] {
    return ValueOrThrow(GraphDefOf(*rep_->graph, add_shapes)).Serialize();
  });
}

}  // namespace gk::api
