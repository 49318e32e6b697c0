#include "function/func_graph.h"

#include <algorithm>
#include <atomic>
#include <unordered_set>

#include "base/caught.h"
#include "framework/arguments_text.h"
#include "framework/host_language.h"
#include "framework/long_work.h"
#include "framework/op_registry.h"
#include "function/graph_collections.h"
#include "graph/control_gather.h"
#include "graph/out_of_scope.h"
#include "ops/random/random_seeds.h"

namespace gk {
namespace {

// Shape errors are the programmer's while a graph is being built.
Status AsBuildError(const Status& status) {
  if (status.code() == Code::kInvalidArgument) {
    return Status(Code::kValueError, status.message());
  }
  return status;
}

// "values_1" for the second element of the list argument "values".
std::string InputName(const OpRecord& record, const AttrMap& attrs,
                      size_t index) {
  size_t at = 0;
  for (const ArgDef& arg : record.def->inputs) {
    size_t n = 1;
    if (!arg.number_attr.empty()) {
      const int64_t* v = attrs.Get<int64_t>(arg.number_attr);
      n = v ? static_cast<size_t>(*v) : 1;
    } else if (!arg.type_list_attr.empty()) {
      const auto* v = attrs.Get<std::vector<DataType>>(arg.type_list_attr);
      n = v ? v->size() : 1;
    }
    if (index < at + n) {
      return arg.is_list() ? Format("{}_{}", arg.name, index - at) : arg.name;
    }
    at += n;
  }
  return "input";
}

// What wants to share its resource under the node's own name, which passes may
// change.
void NameSharedResource(Node* node) {
  const auto* wants = node->attrs().Get<bool>("use_node_name_sharing");
  if (wants == nullptr || !*wants) return;
  const auto* name = node->attrs().Get<std::string>("shared_name");
  if (name == nullptr || !name->empty()) return;
  node->mutable_attrs().Set("shared_name", node->name());
}

}  // namespace

FuncGraph::FuncGraph(std::string name, OpBuilder* outer)
    : FuncGraph(std::move(name), outer, MakeRef<Graph>()) {}

FuncGraph::FuncGraph(std::string name, OpBuilder* outer, Ref<Graph> graph)
    : name_(std::move(name)),
      graph_(std::move(graph)),
      scopes_(graph_.get()),
      collections_(MakeRef<GraphCollections>()),
      outer_(dynamic_cast<FuncGraph*>(outer)),
      inputs_(
          {.builder = this,
           .graph = graph_.get(),
           .scopes = &scopes_,
           .effects = &automatic_control_,
           .outer = outer_ ? &outer_->inputs_ : nullptr,
           .check_scope = [this](const Tensor& t) { return CheckScope(t); }}) {
  graph_->set_builder(this);
  if (outer_) {
    ancestors_ = outer_->ancestors_;
    ancestors_.push_back(outer_->graph_.get());
  }
  random_seeds_.graph =
      outer_ ? outer_->random_seeds_.graph : ProgramRandomSeed();
}

Ref<FuncGraph> FuncGraph::Over(const GraphFunction& function,
                               std::vector<FunctionCapture> captures) {
  auto made = Ref<FuncGraph>::Adopt(
      new FuncGraph(PlainFunctionName(function.name()), OpBuilder::Eager(),
                    function.graph_ref()));
  const std::span<Node* const> all = function.arguments();
  const size_t num_arguments = all.size() - captures.size();
  made->inputs_.Take(all.first(num_arguments), std::move(captures));
  made->results_ = function.results();
  made->automatic_control_.set_must_run(function.control_outputs());
  made->finished_ = true;
  return made;
}

FuncGraph::~FuncGraph() { graph_->set_builder(nullptr); }

Status FuncGraph::CheckOpen() const {
  return finished_ ? GraphCollections::Finalized() : OkStatus();
}

void FuncGraph::Finalize() {
  finished_ = true;
  collections_->Finalize();
}

FuncGraph* FuncGraph::Of(const Graph* graph) {
  return static_cast<FuncGraph*>(graph->builder());
}

FuncGraph* FuncGraph::Current() {
  OpBuilder* builder = OpBuilder::Current();
  return builder && builder->builds_graph() ? dynamic_cast<FuncGraph*>(builder)
                                            : nullptr;
}

Status FuncGraph::CheckScope(const Tensor& t) const {
  const Graph* graph = Graph::GraphOf(t);
  if (std::find(ancestors_.begin(), ancestors_.end(), graph) !=
      ancestors_.end()) {
    return OkStatus();
  }
  const FuncGraph* builder = FuncGraph::Of(graph);
  if (builder == nullptr) return OutOfScopeError(t, {});
  auto text = [](const FuncGraph& f) {
    return Format("FuncGraph(name={}, id={})", f.name(),
                  reinterpret_cast<uintptr_t>(&f));
  };
  const auto& outer = builder->ancestors_;
  if (std::find(outer.begin(), outer.end(), graph_.get()) != outer.end()) {
    return InaccessibleTensorError(t, text(*builder), text(*this));
  }
  return OutOfScopeError(t, text(*builder));
}

void FuncGraph::NoteDifferentiation() {
  for (FuncGraph* f = this; f != nullptr; f = f->outer_.get()) {
    f->differentiated_ = true;
  }
}

std::string FuncGraph::GradientScope(const Tensor& made) const {
  return made.is_symbolic()
             ? scopes_.user_name(Graph::OutputOf(made).node->name())
             : std::string();
}

void FuncGraph::EnterGradientScope(const std::string& scope) {
  // The name of a scope that was entered is valid in another one.
  (void)scopes_.PushName("gradient_tape/" + scope);
}

StatusOr<TensorVector> FuncGraph::Apply(const OpRecord& record,
                                        std::span<const Tensor> inputs,
                                        AttrMap attrs, std::string_view name) {
  GK_RETURN_IF_ERROR(CheckOpen());
  InlinedVector<DataType, 8> types;
  for (const Tensor& t : inputs) {
    if (!t) return Internal("{}: an input is null", record.name);
    types.push_back(t.dtype());
  }
  if (Status s = ResolveAttrs(record, types, true, &attrs); !s.ok()) {
    std::vector<ShownInput> shown;
    for (const Tensor& t : inputs) shown.push_back(ShownInput::Of(t));
    return WithArguments(s, record, attrs, shown);
  }
  scopes_.AddAttrs(record, &attrs);
  const std::string unique =
      scopes_.UniqueName(name.empty() ? record.name : name);
  InlinedVector<Output, 8> edges;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_symbolic() && Graph::GraphOf(inputs[i]) == graph_.get()) {
      edges.push_back(Graph::OutputOf(inputs[i]));
      continue;
    }
    if (Node* known = inputs_.Captured(inputs[i])) {
      edges.push_back({known, 0});
      continue;
    }
    const std::string placeholder_name =
        unique + "/" +
        (inputs[i].is_symbolic() ? Graph::OutputOf(inputs[i]).node->name()
                                 : InputName(record, attrs, i)) +
        "/";
    GK_ASSIGN_OR_RETURN(Tensor captured,
                        inputs_.Capture(inputs[i], placeholder_name));
    edges.push_back(Graph::OutputOf(captured));
  }
  StatusOr<Node*> made =
      graph_->AddNode(record, unique + "/", edges, std::move(attrs));
  if (!made.ok()) return AsBuildError(made.status());
  Node* node = *made;
  NameSharedResource(node);
  GK_RETURN_IF_ERROR(scopes_.Apply(node));
  node->set_source(HostLanguage::Get().CurrentSource());
  LongWork::Advance(WorkUnit::kNodes, 1);
  if (automatic_control_on_) automatic_control_.Add(node);
  TensorVector outputs;
  outputs.reserve(node->num_outputs());
  for (int i = 0; i < node->num_outputs(); ++i) {
    outputs.push_back(graph_->TensorOf({node, i}));
  }
  return outputs;
}

StatusOr<Tensor> FuncGraph::Constant(const Tensor& value,
                                     std::string_view name) {
  if (value.is_symbolic() || value.dtype() == DataType::kResource ||
      value.dtype() == DataType::kVariant) {
    return inputs_.Capture(value, name);
  }
  const OpRecord& record = OpRegistry::Get().The(kConstant);
  AttrMap attrs{{"value", value}, {"dtype", value.dtype()}};
  GK_ASSIGN_OR_RETURN(
      TensorVector out,
      Apply(record, {}, std::move(attrs), name.empty() ? record.name : name));
  return std::move(out[0]);
}

StatusOr<Ref<GraphFunction>> FuncGraph::BuildFunction(
    std::string_view name, std::span<const DataType> types,
    std::span<const PartialTensorShape> shapes,
    const std::function<TensorVector(std::span<const Tensor>)>& body,
    TensorVector* captures) {
  auto inner = MakeRef<FuncGraph>(std::string(name), this);
  TensorVector arguments;
  for (size_t i = 0; i < types.size(); ++i) {
    GK_ASSIGN_OR_RETURN(
        Tensor argument,
        inner->inputs().AddArgument(
            Format("arg_{}", i), types[i],
            i < shapes.size() ? shapes[i] : PartialTensorShape()));
    arguments.push_back(std::move(argument));
  }
  TensorVector results;
  {
    Building building(inner.get());
    try {
      results = body(arguments);
    } catch (...) {
      return CaughtStatus();
    }
  }
  GK_ASSIGN_OR_RETURN(Ref<GraphFunction> function,
                      inner->Finish(results, UniqueFunctionName("", name)));
  for (const FunctionCapture& c : inner->inputs().captures()) {
    if (c.value) {
      return Unimplemented(
          "A value captured by call time cannot be used in a branch or body");
    }
    captures->push_back(c.external);
  }
  return Ref<GraphFunction>(std::move(function));
}

const std::vector<Node*>& FuncGraph::control_outputs() const {
  return automatic_control_.must_run();
}

void FuncGraph::Adopt(std::span<Node* const> nodes) {
  // Ids follow the edges; files need not.
  std::vector<Node*> made(nodes.begin(), nodes.end());
  std::sort(made.begin(), made.end(),
            [](const Node* a, const Node* b) { return a->id() < b->id(); });
  for (Node* node : made) {
    NameSharedResource(node);
    if (automatic_control_on_) {
      automatic_control_.Add(node);
    } else if (EffectsOf(*node).must_run) {
      automatic_control_.AddMustRun(node);
    }
  }
}

StatusOr<Tensor> FuncGraph::MarkReturned(const Tensor& result) {
  const OpRecord& identity = OpRegistry::Get().The(kIdentity);
  GK_ASSIGN_OR_RETURN(TensorVector out, Apply(identity, {&result, 1}, {}, {}));
  returned_.push_back(Graph::OutputOf(out[0]).node);
  return std::move(out[0]);
}

Status FuncGraph::AddGather() {
  if (!automatic_control_on_) return OkStatus();
  const ControlGather gather(*graph_, results_, control_outputs());
  if (!gather.needed()) return OkStatus();
  const OpRecord& record = OpRegistry::Get().The(kOnlyOrders);
  GK_ASSIGN_OR_RETURN(Node * node,
                      graph_->AddNode(record, record.name, {}, {}));
  for (Node* control : gather.controls()) node->AddControlInput(control);
  return OkStatus();
}

StatusOr<Ref<GraphFunction>> FuncGraph::Finish(std::span<const Tensor> results,
                                               std::string function_name,
                                               AttrMap attrs) {
  if (finished_) return Internal("FuncGraph {} finished twice", name_);
  scopes_.Clear();
  std::vector<Output> edges;
  const std::unordered_set<const Node*> returned(returned_.begin(),
                                                 returned_.end());
  for (const Tensor& r : results) {
    const Node* node = r.is_symbolic() && Graph::GraphOf(r) == graph_.get()
                           ? Graph::OutputOf(r).node
                           : nullptr;
    if (returned.count(node) != 0) {
      edges.push_back(Graph::OutputOf(r));
      continue;
    }
    GK_ASSIGN_OR_RETURN(Tensor out, MarkReturned(r));
    edges.push_back(Graph::OutputOf(out));
  }
  // Results may be captured, too.
  std::vector<Node*> arguments = inputs_.Finish();
  results_ = edges;
  GK_RETURN_IF_ERROR(AddGather());
  finished_ = true;
  outer_ = nullptr;
  if (function_name.empty()) {
    function_name = UniqueFunctionName("__inference_", name_);
  }
  return MakeRef<GraphFunction>(std::move(function_name), graph_,
                                std::move(arguments), std::move(edges),
                                control_outputs(), std::move(attrs));
}

namespace {
thread_local FuncGraph::Building* innermost = nullptr;
}  // namespace

FuncGraph::Building::Building(FuncGraph* graph, Observers observers)
    : around_(innermost),
      outside_(OpBuilder::Current()),
      goes_on_(observers == kOfGraph && outside_ == graph),
      scope_(graph) {
  innermost = this;
  if (goes_on_) return;
  saved_ = std::exchange(CurrentObservers(), ObserverList());
  if (observers != kOfGraph) return;
  for (lender_ = around_; lender_ != nullptr; lender_ = lender_->around_) {
    if (lender_->outside_ == graph && !lender_->goes_on_) break;
  }
  if (lender_ != nullptr) {
    CurrentObservers() = std::exchange(lender_->saved_, ObserverList());
  }
}

FuncGraph::Building::~Building() {
  // Programs may leave graphs in another order than they entered them.
  if (innermost == this) innermost = around_;
  for (Building* b = innermost; b != nullptr; b = b->around_) {
    if (b->around_ == this) b->around_ = around_;
    if (b->lender_ == this) b->lender_ = nullptr;
  }
  if (goes_on_) return;
  if (lender_ != nullptr) {
    lender_->saved_ = std::exchange(CurrentObservers(), ObserverList());
  }
  CurrentObservers() = std::move(saved_);
}

int NextFunctionId() {
  static std::atomic<int> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

std::string UniqueFunctionName(std::string_view prefix, std::string_view name) {
  return Format("{}{}_{}", prefix, name, NextFunctionId());
}

std::string PlainFunctionName(std::string_view name) {
  constexpr std::string_view kPrefix = "__inference_";
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  const size_t end = name.find_last_not_of("0123456789");
  if (end != name.npos && end > 0 && name[end] == '_' &&
      end + 1 < name.size()) {
    name = name.substr(0, end);
  }
  return std::string(name);
}

}  // namespace gk
