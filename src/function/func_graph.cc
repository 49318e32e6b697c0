#include "function/func_graph.h"

#include <algorithm>
#include <atomic>
#include <unordered_set>

#include "base/caught.h"
#include "eager/gradient_tape.h"
#include "framework/arguments_text.h"
#include "framework/known_values.h"
#include "framework/op_registry.h"
#include "function/graph_collections.h"
#include "graph/control_gather.h"
#include "graph/out_of_scope.h"

namespace gk {
namespace {

std::atomic<FuncGraph::SourceFn> source_fn{nullptr};

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

// Static shapes follow from small values that are captured. Callers may give
// others later: what is known ends with the trace.
bool IsKnownWhileTraced(const Tensor& t) {
  constexpr int64_t kMaxElements = 128;
  return !t.is_symbolic() && t.dtype() != DataType::kResource &&
         t.dtype() != DataType::kVariant && t.num_elements() <= kMaxElements;
}

// What makes a resource and names none shares it under the node's own name,
// which passes may change.
void NameSharedResource(Node* node) {
  if (node->num_inputs() != 0 || !node->op().Has(kStateful)) return;
  const auto* name = node->attrs().Get<std::string>("shared_name");
  if (name == nullptr || !name->empty()) return;
  node->mutable_attrs().Set("shared_name", node->name());
}

}  // namespace

FuncGraph::FuncGraph(std::string name, OpBuilder* outer)
    : name_(std::move(name)),
      graph_(MakeRef<Graph>()),
      scopes_(graph_.get()),
      collections_(MakeRef<GraphCollections>()),
      outer_(dynamic_cast<FuncGraph*>(outer)) {
  graph_->set_builder(this);
  if (outer_) {
    ancestors_ = outer_->ancestors_;
    ancestors_.push_back(outer_->graph_.get());
  }
  random_seed_ = outer_ ? outer_->random_seed_ : ProgramRandomSeed();
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

const FuncGraph::PlaceholderFacts* FuncGraph::FactsOf(const Tensor& t) {
  if (!t.is_symbolic() || t.dtype() != DataType::kResource) return nullptr;
  const FuncGraph* builder = FuncGraph::Of(Graph::GraphOf(t));
  if (builder == nullptr) return nullptr;
  const auto known = builder->facts_of_.find(Graph::OutputOf(t).node);
  return known == builder->facts_of_.end() ? nullptr : &known->second;
}

void FuncGraph::NoteDifferentiation() {
  for (FuncGraph* f = Current(); f != nullptr; f = f->outer_.get()) {
    f->differentiated_ = true;
  }
}

bool FuncGraph::IsTrainablePlaceholder(const Tensor& t) {
  const PlaceholderFacts* facts = FactsOf(t);
  return facts != nullptr && facts->trainable;
}

const void* FuncGraph::CaptureKey(const Tensor& t) {
  if (!t.is_symbolic() && t.dtype() == DataType::kResource &&
      t.num_elements() == 1) {
    if (const Resource* r = t.data<ResourceHandle>()->resource()) return r;
  }
  const PlaceholderFacts* facts = FactsOf(t);
  if (facts != nullptr && facts->key != nullptr) return facts->key;
  return t.impl();
}

void FuncGraph::SetSourceFn(SourceFn fn) { source_fn = fn; }

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
    auto known = capture_of_.find(CaptureKey(inputs[i]));
    if (known != capture_of_.end()) {
      edges.push_back({captures_[known->second].placeholder, 0});
      continue;
    }
    const std::string placeholder_name =
        unique + "/" +
        (inputs[i].is_symbolic() ? Graph::OutputOf(inputs[i]).node->name()
                                 : InputName(record, attrs, i)) +
        "/";
    GK_ASSIGN_OR_RETURN(Tensor captured, Capture(inputs[i], placeholder_name));
    edges.push_back(Graph::OutputOf(captured));
  }
  StatusOr<Node*> made =
      graph_->AddNode(record, unique + "/", edges, std::move(attrs));
  if (!made.ok()) return AsBuildError(made.status());
  Node* node = *made;
  NameSharedResource(node);
  GK_RETURN_IF_ERROR(scopes_.Apply(node));
  if (SourceFn fn = source_fn.load(std::memory_order_relaxed)) {
    node->set_source(fn());
  }
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
  if (value.is_symbolic()) return Capture(value, name);
  if (value.dtype() == DataType::kResource ||
      value.dtype() == DataType::kVariant) {
    return Capture(value, name);
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
        inner->AddArgument(
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
  for (const FunctionCapture& c : inner->captures()) {
    if (c.value) {
      return Unimplemented(
          "A value captured by call time cannot be used in a branch or body");
    }
    captures->push_back(c.external);
  }
  return Ref<GraphFunction>(std::move(function));
}

StatusOr<Tensor> FuncGraph::AddPlaceholder(
    std::string_view name, DataType dtype, const PartialTensorShape& shape,
    std::string_view user_name, HandleData handle_data, bool reserved) {
  const OpRecord& record = OpRegistry::Get().The(kPlaceholder);
  AttrMap attrs{{"dtype", dtype}, {"shape", shape}};
  if (!user_name.empty()) {
    attrs.Set("_user_specified_name", std::string(user_name));
  }
  const std::string unique =
      reserved ? graph_->UniqueName(name) : scopes_.UniqueName(name);
  GK_ASSIGN_OR_RETURN(
      Node * node, graph_->AddNode(record, unique + "/", {}, std::move(attrs)));
  node->mutable_output(0).handle_data = std::move(handle_data);
  if (SourceFn fn = source_fn.load(std::memory_order_relaxed)) {
    node->set_source(fn());
  }
  return graph_->TensorOf({node, 0});
}

StatusOr<Tensor> FuncGraph::AddArgument(std::string_view name, DataType dtype,
                                        const PartialTensorShape& shape,
                                        std::string_view user_name,
                                        HandleData handle_data) {
  GK_ASSIGN_OR_RETURN(
      Tensor t,
      AddPlaceholder(
          name.empty() ? OpRegistry::Get().The(kPlaceholder).name : name, dtype,
          shape, user_name, std::move(handle_data), false));
  arguments_.push_back(Graph::OutputOf(t).node);
  if (dtype == DataType::kResource) {
    automatic_control_.AddArgument(arguments_.back());
  }
  return t;
}

Status FuncGraph::OrderArguments(std::span<const Tensor> arguments) {
  std::vector<Node*> ordered;
  for (const Tensor& t : arguments) {
    Node* node = t.is_symbolic() && Graph::GraphOf(t) == graph_.get()
                     ? Graph::OutputOf(t).node
                     : nullptr;
    if (std::find(arguments_.begin(), arguments_.end(), node) ==
            arguments_.end() ||
        std::find(ordered.begin(), ordered.end(), node) != ordered.end()) {
      return Internal("OrderArguments: not a permutation of the arguments");
    }
    ordered.push_back(node);
  }
  if (ordered.size() != arguments_.size()) {
    return Internal("OrderArguments: {} of {} arguments", ordered.size(),
                    arguments_.size());
  }
  arguments_ = std::move(ordered);
  return OkStatus();
}

Status FuncGraph::CheckScope(const Tensor& t) const {
  if (!t.is_symbolic()) return OkStatus();
  const Graph* graph = Graph::GraphOf(t);
  if (graph == capture_source_) return OkStatus();
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

bool FuncGraph::CapturesFrom(const Graph* graph) const {
  if (graph == capture_source_) return true;
  for (const Ref<Graph>& original : capture_originals_) {
    if (graph == original.get()) return true;
  }
  return outer_ && outer_->CapturesFrom(graph);
}

void FuncGraph::SetArgumentVariable(const Tensor& argument, bool trainable,
                                    const Tensor& handle) {
  Node* node = Graph::OutputOf(argument).node;
  PlaceholderFacts& facts = facts_of_[node];
  facts.trainable = trainable;
  if (!handle) return;
  const void* key = CaptureKey(handle);
  if (argument_values_.emplace(key, node).second) {
    facts.key = key;
  }
}

StatusOr<Tensor> FuncGraph::Capture(const Tensor& t, std::string_view name) {
  if (t.is_symbolic()) {
    const Graph* graph = Graph::GraphOf(t);
    for (const Ref<Graph>& original : capture_originals_) {
      if (graph != original.get()) continue;
      const Output o = Graph::OutputOf(t);
      Node* node = capture_source_->FindNode(o.node->name());
      if (node == nullptr) continue;
      return Capture(capture_source_->TensorOf({node, o.index}), name);
    }
  }
  if (t.is_symbolic() && Graph::GraphOf(t) == graph_.get()) return t;
  const auto argument = argument_values_.find(CaptureKey(t));
  if (argument != argument_values_.end()) {
    Node* const found = argument->second;
    // What was captured lives as long as whoever refers to it; what was given
    // may be of a graph that is gone when the function is called again.
    const auto noted = std::find_if(
        captured_arguments_.begin(), captured_arguments_.end(),
        [&](const CapturedArgument& c) { return c.argument == found; });
    if (noted == captured_arguments_.end()) {
      captured_arguments_.push_back({found, t});
    } else if (noted->value.is_symbolic()) {
      noted->value = t;
    }
    return graph_->TensorOf({found, 0});
  }
  auto it = capture_of_.find(CaptureKey(t));
  if (it != capture_of_.end()) {
    return graph_->TensorOf({captures_[it->second].placeholder, 0});
  }
  if (t.is_symbolic() && capture_source_ != nullptr &&
      Graph::GraphOf(t) == capture_source_) {
    const Output o = Graph::OutputOf(t);
    const Tensor& value = o.node->output(o.index).value;
    if (value && value.num_elements() <= kMaxKnownElements) {
      auto known = constant_of_.find(t.impl());
      if (known == constant_of_.end()) {
        GK_ASSIGN_OR_RETURN(Tensor c, Constant(value, o.node->name()));
        known = constant_of_.emplace(t.impl(), std::pair(t, Graph::OutputOf(c)))
                    .first;
      }
      return graph_->TensorOf(known->second.second);
    }
  }
  if (!may_capture_) {
    if (!t.is_symbolic()) {
      return RuntimeError(
          "{}: Attempting to capture an EagerTensor without building a "
          "function.",
          name.substr(0, name.find_last_not_of('/') + 1));
    }
    const Output o = Graph::OutputOf(t);
    return ValueError(
        "Tensor \"{}:{}\" must be from the same graph as what is made of it",
        o.node->name(), o.index);
  }
  if (t.is_symbolic() && outer_ && outer_->CapturesFrom(Graph::GraphOf(t))) {
    GK_ASSIGN_OR_RETURN(Tensor outer, outer_->Capture(t));
    return Capture(outer, name);
  }
  GK_RETURN_IF_ERROR(CheckScope(t));
  const bool reserved = !name.empty() && name.back() == '/';
  if (reserved) name.remove_suffix(1);
  if (name.empty()) name = "captured";
  GK_ASSIGN_OR_RETURN(Tensor placeholder,
                      AddPlaceholder(name, t.dtype(), t.partial_shape(), {},
                                     HandleDataOf(t), reserved));
  const void* key = CaptureKey(t);
  capture_of_.emplace(key, static_cast<int>(captures_.size()));
  if (t.dtype() == DataType::kResource) {
    facts_of_[Graph::OutputOf(placeholder).node] = {key, IsTrainableHandle(t)};
  }
  Node* const node = Graph::OutputOf(placeholder).node;
  if (IsKnownWhileTraced(t)) node->mutable_output(0).value = t;
  captures_.push_back({t, nullptr, node});
  return placeholder;
}

Status FuncGraph::OrderCaptures(std::span<const Tensor> externals,
                                std::string_view name) {
  std::vector<FunctionCapture> ordered;
  for (const Tensor& t : externals) {
    GK_RETURN_IF_ERROR(Capture(t, name).status());
    ordered.push_back(captures_[capture_of_.at(CaptureKey(t))]);
  }
  if (ordered.size() != captures_.size()) {
    return Internal("FuncGraph {} captures more than it is told", name_);
  }
  captures_ = std::move(ordered);
  for (size_t i = 0; i < captures_.size(); ++i) {
    capture_of_[CaptureKey(captures_[i].external)] = static_cast<int>(i);
  }
  return OkStatus();
}

StatusOr<Tensor> FuncGraph::CaptureDeferred(
    std::function<StatusOr<Tensor>()> value, DataType dtype,
    const PartialTensorShape& shape, std::string_view name,
    HandleData handle_data) {
  GK_ASSIGN_OR_RETURN(Tensor placeholder,
                      AddPlaceholder(name.empty() ? "captured" : name, dtype,
                                     shape, {}, std::move(handle_data), false));
  captures_.push_back(
      {Tensor(), std::move(value), Graph::OutputOf(placeholder).node});
  return placeholder;
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

void FuncGraph::ForgetCapturedValues() {
  std::vector<bool> follows(graph_->num_nodes());
  bool any = false;
  const auto forget = [&](Node* node) {
    for (int i = 0; i < node->num_outputs(); ++i) {
      Tensor& value = node->mutable_output(i).value;
      if (!value) continue;
      value = Tensor();
      follows[node->id()] = any = true;
    }
  };
  for (const FunctionCapture& c : captures_) forget(c.placeholder);
  if (!any) return;
  for (const auto& node : graph_->nodes()) {
    if (std::any_of(node->inputs().begin(), node->inputs().end(),
                    [&](const Output& o) { return follows[o.node->id()]; })) {
      forget(node.get());
    }
  }
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
  ForgetCapturedValues();  // Results may be captured, too.
  std::vector<Node*> arguments = arguments_;
  for (const FunctionCapture& c : captures_) {
    arguments.push_back(c.placeholder);
  }
  results_ = edges;
  GK_RETURN_IF_ERROR(AddGather());
  finished_ = true;
  argument_values_.clear();  // what was captured of them is noted
  outer_ = nullptr;
  if (function_name.empty()) {
    function_name = UniqueFunctionName("__inference_", name_);
  }
  return MakeRef<GraphFunction>(std::move(function_name), graph_,
                                std::move(arguments), std::move(edges),
                                control_outputs(), std::move(attrs));
}

void InitGradientScopes() {
  static const GradientScopes scopes = {
      [](const Tensor& made) {
        const FuncGraph* f = FuncGraph::Current();
        if (f == nullptr || !made.is_symbolic()) return std::string();
        return f->scopes().user_name(Graph::OutputOf(made).node->name());
      },
      [](const std::string& scope) {
        FuncGraph* f = FuncGraph::Current();
        // The name of a scope that was entered is valid in another one.
        if (f != nullptr) (void)f->scopes().PushName("gradient_tape/" + scope);
      },
      [] {
        if (FuncGraph* f = FuncGraph::Current()) f->scopes().PopName();
      }};
  SetGradientScopes(&scopes);
  static const HandleFacts facts = {FuncGraph::CaptureKey,
                                    FuncGraph::IsTrainablePlaceholder,
                                    FuncGraph::NoteDifferentiation};
  SetHandleFacts(&facts);
}

FuncGraph::Building::Building(FuncGraph* graph)
    : scope_(graph), saved_(std::move(CurrentObservers())) {
  CurrentObservers() = ObserverList();
}

FuncGraph::Building::~Building() { CurrentObservers() = std::move(saved_); }

int NextFunctionId() {
  static std::atomic<int> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

std::string UniqueFunctionName(std::string_view prefix, std::string_view name) {
  return Format("{}{}_{}", prefix, name, NextFunctionId());
}

}  // namespace gk
