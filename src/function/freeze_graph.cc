#include "function/freeze_graph.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "framework/op_registry.h"
#include "function/func_graph.h"
#include "function/graph_edit.h"
#include "grappler/splice.h"

namespace gk {
namespace {

using Frozen = std::vector<const FrozenValue*>;
using Key = std::pair<const GraphFunction*, Frozen>;
// Functions over constants; null while one is made.
using Made = std::map<Key, Ref<GraphFunction>>;

constexpr std::string_view kReadOnly = "_read_only_resource_inputs";
constexpr std::string_view kOriginalOutputs = "_num_original_outputs";

bool Any(const Frozen& values) {
  return std::any_of(values.begin(), values.end(),
                     [](const FrozenValue* v) { return v != nullptr; });
}

// Those of `all` for which `frozen` has none.
template <class T>
std::vector<T> Kept(const std::vector<T>& all, const Frozen& frozen) {
  std::vector<T> kept;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i >= frozen.size() || frozen[i] == nullptr) kept.push_back(all[i]);
  }
  return kept;
}

class Freezer {
 public:
  Freezer(RewriteGraph* function, Made* made)
      : f_(function), made_(made), splice_(function) {}

  Status Run(const Frozen& arguments);
  // Who was given what of the graph's edges.
  const FrozenValue* Of(const Output& o) const {
    const auto it = known_.find({o.node, o.index});
    return it == known_.end() ? nullptr : it->second;
  }

 private:
  Status Freeze(Node* node);
  Status FreezeRead(Node* node, const FrozenValue& variable);
  Status FreezeCall(Node* node, const Frozen& inputs);
  StatusOr<Ref<GraphFunction>> Over(const Node& node, const FunctionAttr& f,
                                    const Frozen& arguments,
                                    bool is_loop_body = false);
  StatusOr<std::pair<const OpRecord*, AttrMap>> CallOver(const Node& node,
                                                         const Frozen& given);
  StatusOr<Output> ConstantOf(const FrozenValue& v, const Node& like);
  void Become(Node* node, Node* now);

  RewriteGraph* f_;
  Made* made_;
  Splice splice_;
  std::map<std::pair<const Node*, int>, const FrozenValue*> known_;
  std::unordered_map<const FrozenValue*, Output> constants_;
};

StatusOr<Output> Freezer::ConstantOf(const FrozenValue& v, const Node& like) {
  Output& made = constants_[&v];
  if (made.node == nullptr) {
    GK_ASSIGN_OR_RETURN(
        made.node,
        AddNodeTo(f_->graph.get(), OpRegistry::Get().The(kConstant), {},
                  {{"value", v.value}, {"dtype", v.value.dtype()}},
                  v.constant.empty() ? like.name() + "/value" : v.constant));
    made.node->set_source(like.source());
  }
  return made;
}

// `now` does what `node` did, where it did.
void Freezer::Become(Node* node, Node* now) {
  now->set_device(node->device());
  now->set_source(node->source());
}

Status Freezer::Run(const Frozen& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == nullptr) continue;
    Node* const argument = f_->arguments[i];
    if (arguments[i]->variable.empty()) {
      GK_ASSIGN_OR_RETURN(const Output value,
                          ConstantOf(*arguments[i], *argument));
      splice_.values().Add({argument, 0}, value);
    } else {
      known_[{argument, 0}] = arguments[i];
    }
    splice_.Replace(argument, {}, true, {});
  }
  GK_ASSIGN_OR_RETURN(const std::vector<Node*> order,
                      f_->graph->TopologicalOrder());
  for (Node* node : order) {
    PollInterrupt();
    GK_RETURN_IF_ERROR(Freeze(node));
  }
  for (const Output& o : f_->results) {
    const FrozenValue* const v = Of(o);
    if (v == nullptr) continue;
    return ValueError(
        "Cannot make a constant of the variable '{}': {} returns the variable "
        "itself. Return what is read of it.",
        v->variable, f_->name);
  }
  f_->arguments = Kept(f_->arguments, arguments);
  return splice_.Apply();
}

Status Freezer::Freeze(Node* node) {
  Frozen inputs;
  for (const Output& in : node->inputs()) inputs.push_back(Of(in));
  if (!Any(inputs)) return OkStatus();
  if (node->op().Has(kIdentity) && node->num_inputs() == 1) {
    known_[{node, 0}] = inputs[0];
    splice_.Replace(node, {}, false, {});
    return OkStatus();
  }
  if (node->op().control != Control::kNone) return FreezeCall(node, inputs);
  const bool reads =
      node->op().Has(kReadsVariable) || !node->op().of_constant.op.empty();
  if (reads && inputs[0] != nullptr) return FreezeRead(node, *inputs[0]);
  if (node->num_outputs() == 0 &&
      !node->op().Has(kWritesResource | kReadsResource)) {
    splice_.Replace(node, {}, false, {});  // a hint of how it will be read
    return OkStatus();
  }
  const auto variable = std::find_if(inputs.begin(), inputs.end(),
                                     [](const FrozenValue* v) { return v; });
  return ValueError(
      "Cannot make a constant of the variable '{}': {} does more than read it. "
      "Freeze a function that changes no variable.",
      (*variable)->variable, NodeText(*node));
}

Status Freezer::FreezeRead(Node* node, const FrozenValue& variable) {
  const ConstantForm& form = node->op().of_constant;
  GK_ASSIGN_OR_RETURN(const Output value, ConstantOf(variable, *node));
  splice_.Replace(node, {}, false, {});
  if (form.op.empty()) {
    splice_.values().Add({node, 0}, value);
    return OkStatus();
  }
  const OpRegistry& registry = OpRegistry::Get();
  const OpRecord& op = *registry.Find(form.op);
  std::vector<Output> inputs{value};
  AttrMap attrs;
  if (op.Has(kConstant)) {
    inputs.clear();
    const Tensor yes = Tensor::Scalar(true);
    attrs = {{"value", yes}, {"dtype", yes.dtype()}};
  }
  for (int i = 1; i < node->num_inputs(); ++i) inputs.push_back(node->input(i));
  for (const AttrDef& attr : op.def->attrs) {
    const AttrValue* given = node->attrs().Find(attr.name);
    if (given != nullptr) attrs.Set(attr.name, *given);
  }
  if (!form.last_input.empty()) {
    const Tensor last = Tensor::Scalar(
        static_cast<int32_t>(node->attr<int64_t>(form.last_input)));
    GK_ASSIGN_OR_RETURN(
        Node * constant,
        AddNodeTo(f_->graph.get(), registry.The(kConstant), {},
                  {{"value", last}, {"dtype", last.dtype()}},
                  Format("{}/{}", node->name(), form.last_input)));
    inputs.push_back({constant, 0});
  }
  GK_ASSIGN_OR_RETURN(Node * now,
                      AddNodeTo(f_->graph.get(), op, inputs, std::move(attrs),
                                Format("{}/{}", node->name(), op.name)));
  Become(node, now);
  splice_.values().Add({node, 0}, {now, 0});
  return OkStatus();
}

// `f` over constants in the place of some arguments. Those of a loop's body
// are results as well.
StatusOr<Ref<GraphFunction>> Freezer::Over(const Node& node,
                                           const FunctionAttr& f,
                                           const Frozen& arguments,
                                           bool is_loop_body) {
  const GraphFunction* const function = GraphOf(&f);
  if (function == nullptr || function->arguments().size() != arguments.size() ||
      (is_loop_body && function->results().size() != arguments.size())) {
    return InvalidArgument("{} calls '{}', which does not fit it",
                           NodeText(node), f.name);
  }
  const auto [entry, is_new] = made_->try_emplace(Key{function, arguments});
  if (!is_new) {
    if (entry->second) return entry->second;
    return ValueError(
        "Cannot make constants of variables in the function '{}', which calls "
        "itself.",
        f.name);
  }
  RewriteGraph body = RewriteGraph::CloneOf(*function);
  if (is_loop_body) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i] == nullptr) continue;
      if (ResourceRoot(body.results[i]).node == body.arguments[i]) continue;
      return ValueError(
          "Cannot make a constant of the variable '{}': the loop {} does not "
          "pass it on unchanged.",
          arguments[i]->variable, NodeText(node));
    }
    body.results = Kept(body.results, arguments);
  }
  GK_RETURN_IF_ERROR(Freezer(&body, made_).Run(arguments));
  entry->second = MakeRef<GraphFunction>(
      UniqueFunctionName("", f.name), std::move(body.graph),
      std::move(body.arguments), std::move(body.results),
      std::move(body.control_outputs), function->attrs());
  return entry->second;
}

// What calls the functions over constants.
StatusOr<std::pair<const OpRecord*, AttrMap>> Freezer::CallOver(
    const Node& node, const Frozen& given) {
  const OpRegistry& registry = OpRegistry::Get();
  const AttrMap& old = node.attrs();
  const Control control = node.op().control;
  std::vector<Ref<GraphFunction>> functions;
  const auto add = [&](const FunctionAttr* f, bool is_body = false) {
    if (f == nullptr) return InvalidArgument("{}", NodeText(node));
    GK_ASSIGN_OR_RETURN(functions.emplace_back(),
                        Over(node, *f, given, is_body));
    return OkStatus();
  };
  AttrMap attrs = old;
  if (control == Control::kCall) {
    GK_RETURN_IF_ERROR(add(old.Get<FunctionAttr>("f")));
    attrs.Set("f", AttrOf(*functions[0]));
    attrs.Set("Tin", functions[0]->input_types());
    attrs.Set(kReadOnly, ReadOnlyInputs(functions, 0));
    return std::pair{&registry.Of(control, AnyStateful(functions)),
                     std::move(attrs)};
  }
  if (control == Control::kWhile) {
    GK_RETURN_IF_ERROR(add(old.Get<FunctionAttr>("cond")));
    GK_RETURN_IF_ERROR(add(old.Get<FunctionAttr>("body"), true));
    std::vector<PartialTensorShape> shapes;
    for (int i = 0; i < node.num_outputs(); ++i) {
      if (given[i] == nullptr) shapes.push_back(node.output(i).shape);
    }
    SetLoopAttrs(functions[0], functions[1], std::move(shapes), &attrs);
    if (const int64_t* n = old.Get<int64_t>(kOriginalOutputs)) {
      const auto end = given.begin() + std::min<size_t>(*n, given.size());
      attrs.Set(kOriginalOutputs,
                *n - std::count_if(given.begin(), end,
                                   [](const FrozenValue* v) { return v; }));
    }
    return std::pair{&registry.Of(control, AnyStateful(functions)),
                     std::move(attrs)};
  }
  const bool is_if = control == Control::kIf;
  if (is_if) {
    GK_RETURN_IF_ERROR(add(old.Get<FunctionAttr>("then_branch")));
    GK_RETURN_IF_ERROR(add(old.Get<FunctionAttr>("else_branch")));
  } else if (const auto* all = old.Get<std::vector<FunctionAttr>>("branches")) {
    for (const FunctionAttr& f : *all) GK_RETURN_IF_ERROR(add(&f));
  }
  const Output& selector = node.input(0);
  GK_ASSIGN_OR_RETURN(
      BranchNodeParts parts,
      BranchNode(is_if, selector.node->output(selector.index).dtype,
                 functions));
  for (const auto& [name, value] : parts.attrs) attrs.Set(name, value);
  attrs.Set(kReadOnly, ReadOnlyInputs(functions, 1));
  return std::pair{parts.record, std::move(attrs)};
}

Status Freezer::FreezeCall(Node* node, const Frozen& inputs) {
  const Control control = node->op().control;
  const bool chooses = control == Control::kIf || control == Control::kCase;
  const Frozen given(inputs.begin() + (chooses ? 1 : 0), inputs.end());
  GK_ASSIGN_OR_RETURN(auto call, CallOver(*node, given));
  const std::vector<Output> all(node->inputs().begin(), node->inputs().end());
  GK_ASSIGN_OR_RETURN(Node * now,
                      AddNodeTo(f_->graph.get(), *call.first, Kept(all, inputs),
                                std::move(call.second), node->name()));
  Become(node, now);
  for (Node* before : node->control_inputs()) now->AddControlInput(before);
  for (int i = 0, to = 0; i < node->num_outputs(); ++i) {
    if (control == Control::kWhile && inputs[i] != nullptr) {
      known_[{node, i}] = inputs[i];  // the loop passes it on
      continue;
    }
    now->mutable_output(to).handle_data = node->output(i).handle_data;
    splice_.values().Add({node, i}, {now, to++});
  }
  splice_.Replace(node, {now}, true, {now});
  return OkStatus();
}

}  // namespace

Status FreezeGraph(RewriteGraph* function,
                   std::span<const FrozenValue* const> frozen) {
  Made made;
  return Freezer(function, &made).Run(Frozen(frozen.begin(), frozen.end()));
}

}  // namespace gk
