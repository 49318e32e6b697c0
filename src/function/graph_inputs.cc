#include "function/graph_inputs.h"

#include <algorithm>

#include "eager/gradient_tape.h"
#include "framework/host_language.h"
#include "framework/known_values.h"
#include "framework/op_registry.h"

namespace gk {
namespace {

// Static shapes follow from small values that are captured. Callers may give
// others later: what is known ends with the trace.
bool IsKnownWhileTraced(const Tensor& t) {
  constexpr int64_t kMaxElements = 128;
  return !t.is_symbolic() && t.dtype() != DataType::kResource &&
         t.dtype() != DataType::kVariant && t.num_elements() <= kMaxElements;
}

}  // namespace

StatusOr<Tensor> GraphInputs::AddPlaceholder(
    std::string_view name, DataType dtype, const PartialTensorShape& shape,
    std::string_view user_name, HandleData handle_data, bool reserved) {
  const OpRecord& record = OpRegistry::Get().The(kPlaceholder);
  AttrMap attrs{{"dtype", dtype}, {"shape", shape}};
  if (!user_name.empty()) {
    attrs.Set("_user_specified_name", std::string(user_name));
  }
  const std::string unique = reserved ? owner_.graph->UniqueName(name)
                                      : owner_.scopes->UniqueName(name);
  GK_ASSIGN_OR_RETURN(Node * node, owner_.graph->AddNode(record, unique + "/",
                                                         {}, std::move(attrs)));
  node->mutable_output(0).handle_data = std::move(handle_data);
  node->set_source(HostLanguage::Get().CurrentSource());
  return owner_.graph->TensorOf({node, 0});
}

StatusOr<Tensor> GraphInputs::AddArgument(std::string_view name, DataType dtype,
                                          const PartialTensorShape& shape,
                                          std::string_view user_name,
                                          HandleData handle_data) {
  GK_ASSIGN_OR_RETURN(
      Tensor t,
      AddPlaceholder(
          name.empty() ? OpRegistry::Get().The(kPlaceholder).name : name, dtype,
          shape, user_name, std::move(handle_data), false));
  arguments_.push_back(Graph::OutputOf(t).node);
  if (dtype == DataType::kResource)
    owner_.effects->AddArgument(arguments_.back());
  return t;
}

Status GraphInputs::OrderArguments(std::span<const Tensor> arguments) {
  std::vector<Node*> ordered;
  for (const Tensor& t : arguments) {
    Node* node = IsOwn(t) ? Graph::OutputOf(t).node : nullptr;
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

void GraphInputs::SetArgumentVariable(const Tensor& argument, bool trainable,
                                      const Tensor& handle) {
  Node* node = Graph::OutputOf(argument).node;
  PlaceholderFacts& facts = facts_of_[node];
  facts.trainable = trainable;
  if (!handle) return;
  const void* key = ResourceKey(handle);
  if (argument_values_.emplace(key, node).second) {
    facts.key = key;
  }
}

const void* GraphInputs::ResourceOf(const Tensor& placeholder) const {
  const auto known = facts_of_.find(Graph::OutputOf(placeholder).node);
  return known == facts_of_.end() ? nullptr : known->second.key;
}

Tensor GraphInputs::CapturedBy(const Node* placeholder) const {
  for (const FunctionCapture& capture : captures_) {
    if (capture.placeholder == placeholder) return capture.external;
  }
  return Tensor();
}

bool GraphInputs::IsTrainable(const Tensor& placeholder) const {
  const auto known = facts_of_.find(Graph::OutputOf(placeholder).node);
  return known != facts_of_.end() && known->second.trainable;
}

bool GraphInputs::CapturesFrom(const Tensor& t) const {
  const Graph* const graph = Graph::GraphOf(t);
  if (graph == capture_source_) return true;
  for (const Ref<Graph>& original : capture_originals_) {
    if (graph == original.get()) return true;
  }
  if (StandInFor(t)) return true;
  return owner_.outer != nullptr && owner_.outer->CapturesFrom(t);
}

Tensor GraphInputs::StandInFor(const Tensor& t) const {
  if (stand_ins_.empty() || capture_source_ == nullptr) return Tensor();
  const Output o = Graph::OutputOf(t);
  for (const StandIn& s : stand_ins_) {
    if (s.outer.node != o.node || s.outer.index != o.index) continue;
    const bool known =
        s.original == capture_source_ ||
        std::ranges::any_of(capture_originals_, [&](const auto& original) {
          return original.get() == s.original;
        });
    Node* const node = known ? capture_source_->FindNode(s.own) : nullptr;
    if (node != nullptr) return capture_source_->TensorOf({node, 0});
  }
  return Tensor();
}

Node* GraphInputs::Captured(const Tensor& t) const {
  const auto known = capture_of_.find(ResourceKey(t));
  return known == capture_of_.end() ? nullptr
                                    : captures_[known->second].placeholder;
}

// What was captured lives as long as whoever refers to it; what was given may
// be of a graph that is gone when the function is called again.
Tensor GraphInputs::CaptureAsArgument(Node* argument, const Tensor& t) {
  const auto noted = std::find_if(
      captured_arguments_.begin(), captured_arguments_.end(),
      [&](const CapturedArgument& c) { return c.argument == argument; });
  if (noted == captured_arguments_.end()) {
    captured_arguments_.push_back({argument, t});
  } else if (noted->value.is_symbolic()) {
    noted->value = t;
  }
  return owner_.graph->TensorOf({argument, 0});
}

StatusOr<Tensor> GraphInputs::KnownConstant(const Tensor& t) {
  const Output o = Graph::OutputOf(t);
  const Tensor& value = o.node->output(o.index).value;
  if (!value || value.num_elements() > kMaxKnownElements) return Tensor();
  auto known = constant_of_.find(t.impl());
  if (known == constant_of_.end()) {
    GK_ASSIGN_OR_RETURN(Tensor c,
                        owner_.builder->Constant(value, o.node->name()));
    known =
        constant_of_.emplace(t.impl(), std::pair(t, Graph::OutputOf(c))).first;
  }
  return owner_.graph->TensorOf(known->second.second);
}

StatusOr<Tensor> GraphInputs::Capture(const Tensor& t, std::string_view name) {
  if (t.is_symbolic()) {
    const Graph* graph = Graph::GraphOf(t);
    for (const Ref<Graph>& original : capture_originals_) {
      if (graph != original.get()) continue;
      const Output o = Graph::OutputOf(t);
      Node* node = capture_source_->FindNode(o.node->name());
      if (node == nullptr) continue;
      return Capture(capture_source_->TensorOf({node, o.index}), name);
    }
    if (const Tensor own = StandInFor(t)) return Capture(own, name);
  }
  if (IsOwn(t)) return t;
  const auto argument = argument_values_.find(ResourceKey(t));
  if (argument != argument_values_.end()) {
    return CaptureAsArgument(argument->second, t);
  }
  if (Node* known = Captured(t)) return owner_.graph->TensorOf({known, 0});
  if (t.is_symbolic() && capture_source_ != nullptr &&
      Graph::GraphOf(t) == capture_source_) {
    GK_ASSIGN_OR_RETURN(Tensor constant, KnownConstant(t));
    if (constant) return constant;
  }
  if (!may_capture_) {
    if (!t.is_symbolic()) {
      if (t.dtype() == DataType::kResource || t.dtype() == DataType::kVariant) {
        return RuntimeError(
            "Attempting to capture an EagerTensor without building a "
            "function.");
      }
      // A number or a shape that a composition needs.
      name = name.substr(0, name.find_last_not_of('/') + 1);
      return owner_.builder->Constant(t, name.empty() ? "captured" : name);
    }
    const Output o = Graph::OutputOf(t);
    return ValueError(
        "Tensor \"{}:{}\" must be from the same graph as what is made of it",
        o.node->name(), o.index);
  }
  if (GraphInputs* const outer = owner_.outer;
      t.is_symbolic() && outer != nullptr && outer->CapturesFrom(t)) {
    GK_ASSIGN_OR_RETURN(Tensor theirs, outer->Capture(t));
    return Capture(theirs, name);
  }
  if (t.is_symbolic() && Graph::GraphOf(t) != capture_source_) {
    GK_RETURN_IF_ERROR(owner_.check_scope(t));
  }
  const bool reserved = !name.empty() && name.back() == '/';
  if (reserved) name.remove_suffix(1);
  if (name.empty()) name = "captured";
  GK_ASSIGN_OR_RETURN(Tensor placeholder,
                      AddPlaceholder(name, t.dtype(), t.partial_shape(), {},
                                     HandleDataOf(t), reserved));
  const void* key = ResourceKey(t);
  capture_of_.emplace(key, static_cast<int>(captures_.size()));
  Node* const node = Graph::OutputOf(placeholder).node;
  if (t.dtype() == DataType::kResource) {
    facts_of_[node] = {key, IsTrainableHandle(t)};
  }
  if (IsKnownWhileTraced(t)) node->mutable_output(0).value = t;
  captures_.push_back({t, nullptr, node});
  return placeholder;
}

StatusOr<Tensor> GraphInputs::CaptureDeferred(
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

Status GraphInputs::OrderCaptures(std::span<const Tensor> externals,
                                  std::string_view name) {
  std::vector<FunctionCapture> ordered;
  for (const Tensor& t : externals) {
    GK_RETURN_IF_ERROR(Capture(t, name).status());
    ordered.push_back(captures_[capture_of_.at(ResourceKey(t))]);
  }
  if (ordered.size() != captures_.size()) {
    return Internal("A graph captures more than it is told");
  }
  captures_ = std::move(ordered);
  for (size_t i = 0; i < captures_.size(); ++i) {
    capture_of_[ResourceKey(captures_[i].external)] = static_cast<int>(i);
  }
  return OkStatus();
}

void GraphInputs::ForgetCapturedValues() {
  std::vector<bool> follows(owner_.graph->num_nodes());
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
  for (const auto& node : owner_.graph->nodes()) {
    if (std::any_of(node->inputs().begin(), node->inputs().end(),
                    [&](const Output& o) { return follows[o.node->id()]; })) {
      forget(node.get());
    }
  }
}

void GraphInputs::Take(std::span<Node* const> arguments,
                       std::vector<FunctionCapture> captures) {
  arguments_.assign(arguments.begin(), arguments.end());
  captures_ = std::move(captures);
}

std::vector<Node*> GraphInputs::Finish() {
  owner_.outer = nullptr;
  ForgetCapturedValues();
  argument_values_.clear();  // what was captured of them is noted
  std::vector<Node*> all = arguments_;
  for (const FunctionCapture& c : captures_) all.push_back(c.placeholder);
  return all;
}

}  // namespace gk
