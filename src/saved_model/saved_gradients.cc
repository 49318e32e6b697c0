#include "saved_model/saved_gradients.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "framework/called_functions.h"
#include "function/own_gradient_attrs.h"
#include "saved_model/value_messages.h"

namespace gk {
namespace {

// Gradients of gradients are saved up to this order. Some programs make a new
// one for each (jax2tf), without an end.
constexpr int kHighestOrder = 2;

proto::StructuredValue SpecOf(const Node* node, int index) {
  const Node::OutputInfo& info = node->output(index);
  return TensorSpecMessage(node->name(), info.dtype, info.shape);
}

// As TensorFlow calls them: with the op in front, which nobody passes, and a
// gradient or None for each input as the result.
ExportedTrace AsExported(const TracedGradient& gradient) {
  const GraphFunction& function = *gradient.function;
  ExportedTrace trace;
  std::vector<ArgumentSpec> arguments;
  proto::StructuredValue taken;
  auto& values = taken.mutable_tuple_value().values;
  values.push_back(NoneMessage());
  for (size_t i = 0; i < function.arguments().size(); ++i) {
    const Node* node = function.arguments()[i];
    arguments.push_back(
        {node->name(), node->output(0).dtype, node->output(0).shape});
    if (i < static_cast<size_t>(gradient.num_inputs)) {
      values.push_back(SpecOf(node, 0));
    }
  }
  auto& inputs = trace.inputs.mutable_tuple_value().values;
  inputs.push_back(std::move(taken));
  inputs.emplace_back().mutable_dict_value();
  auto& given = trace.outputs.mutable_list_value().values;
  given.assign(gradient.num_inputs, NoneMessage());
  for (size_t i = 0; i < gradient.positions.size(); ++i) {
    const Output& result = function.results()[i];
    given[gradient.positions[i]] = SpecOf(result.node, result.index);
  }
  trace.function = MakeRef<ConcreteFunction>(
      gradient.function, std::move(arguments), std::vector<FunctionCapture>());
  return trace;
}

// Does a loop's body give back that argument as it is?
bool IsKept(const GraphFunction& body, int argument) {
  if (argument >= static_cast<int>(body.results().size())) return false;
  const Node* node = body.results()[argument].node;
  while (node->op().Has(kIdentity) && node->num_inputs() == 1) {
    node = node->input(0).node;
  }
  return node == body.arguments()[argument];
}

// What is called how in the definition of a function.
class Definition {
 public:
  Definition(const GraphFunction& function, proto::FunctionDef* message)
      : message_(message) {
    int next = 0;
    for (const Node* argument : function.arguments()) {
      arguments_.emplace(argument, next++);
    }
    next = 0;
    for (const auto& node : function.graph().nodes()) {
      if (!arguments_.contains(node.get())) nodes_.emplace(node.get(), next++);
    }
  }

  proto::NodeDef& NodeOf(const Node* node) const {
    return message_->node_def.at(nodes_.at(node));
  }
  // "Exp:0".
  std::string NameOf(const Output& o) const {
    const auto argument = arguments_.find(o.node);
    return Format("{}:{}",
                  argument == arguments_.end()
                      ? NodeOf(o.node).name
                      : message_->signature->input_arg[argument->second].name,
                  o.index);
  }

 private:
  proto::FunctionDef* const message_;
  std::unordered_map<const Node*, int> arguments_, nodes_;
};

}  // namespace

Status SavedGradients::Trace(SavedObjects* objects) {
  std::set<const GraphFunction*> seen;
  std::vector<std::pair<Ref<GraphFunction>, int>> queue;
  const auto enter = [&](const GraphFunction& f, int order) {
    if (seen.insert(&f).second) {
      queue.emplace_back(const_cast<GraphFunction*>(&f), order);
    }
  };
  for (const ExportedTrace& trace : objects->functions()) {
    enter(*trace.function->function(), 0);
  }
  for (size_t i = 0; i < queue.size(); ++i) {
    const Ref<GraphFunction> owner = queue[i].first;
    const int order = queue[i].second;
    // The nodes that are there now: tracing makes none in this graph.
    for (const auto& node : owner->graph().nodes()) {
      const size_t before = entries_.size();
      if (order < kHighestOrder) {
        GK_RETURN_IF_ERROR(Trace(*owner, node.get(), objects));
      }
      if (entries_.size() > before) {
        enter(*entries_.back().gradient.function, order + 1);
      }
      // What its gradient calls is in that function.
      ForEachCalled(*node, [&](const GraphFunction& called) {
        callers_.try_emplace(&called, owner.get(), node.get());
        enter(called, order);
      });
    }
  }
  return OkStatus();
}

SavedGradients::Place SavedGradients::Around(Place place) const {
  while (true) {
    const auto caller = callers_.find(place.owner);
    const auto& arguments = place.owner->arguments();
    const auto argument = std::ranges::find(arguments, place.output.node);
    if (caller == callers_.end() || argument == arguments.end()) return place;
    const auto [outer, node] = caller->second;
    const int index = static_cast<int>(argument - arguments.begin());
    const Control control = node->op().control;
    int input = index;
    if (control == Control::kIf || control == Control::kCase) {
      ++input;
    } else if (control != Control::kWhile || !IsKept(*place.owner, index)) {
      return place;
    }
    if (input >= node->num_inputs()) return place;
    place = {outer, node->input(input)};
  }
}

Status SavedGradients::Trace(const GraphFunction& owner, Node* node,
                             SavedObjects* objects) {
  StatusOr<std::optional<TracedGradient>> traced = TraceGradientOf(owner, node);
  if (!traced.ok()) {
    const Status why = ValueError(
        "Error when tracing gradients for SavedModel: the gradient of {} in "
        "{} could not be made a function. You may need to update the custom "
        "gradient, or disable saving gradients with the option "
        "tf.saved_model.SaveOptions(experimental_custom_gradients=False).",
        node->name(), owner.name());
    // An exception of the host language stays what it is, with these words.
    if (traced.status().code() == Code::kPythonException) {
      return traced.status().Append(why.message());
    }
    return why.Append(Format("\n{}", traced.status().message()));
  }
  if (!*traced) return OkStatus();
  Entry entry{&owner, node, *std::move(*traced), {}, {}};
  GK_ASSIGN_OR_RETURN(
      entry.objects,
      objects->AddGradient(AsExported(entry.gradient), entry.gradient.captures,
                           &owner.graph()));
  for (const Tensor& t : entry.gradient.captures) {
    Place& place = entry.places.emplace_back();
    if (!t || !t.is_symbolic()) continue;
    place = Around({&owner, Graph::OutputOf(t)});
  }
  entries_.push_back(std::move(entry));
  return OkStatus();
}

std::vector<const GraphFunction*> SavedGradients::owners() const {
  std::vector<const GraphFunction*> owners;
  for (const Entry& entry : entries_) {
    owners.push_back(entry.owner);
    for (const Place& place : entry.places) {
      if (place.owner != nullptr) owners.push_back(place.owner);
    }
  }
  return owners;
}

void SavedGradients::Write(const SavedObjects::Names& names,
                           proto::MetaGraphDef* message) const {
  if (entries_.empty()) return;
  auto& library = message->graph_def.mut().library.mut();
  std::unordered_map<std::string, proto::FunctionDef*> defs;
  for (proto::FunctionDef& def : library.function) {
    defs.emplace(def.signature->name, &def);
  }
  std::unordered_map<const GraphFunction*, Definition> definitions;
  const auto definition_of = [&](const GraphFunction* f) -> Definition& {
    return definitions.try_emplace(f, *f, defs.at(names.at(f))).first->second;
  };
  int next = 0;
  for (const Entry& entry : entries_) {
    proto::NodeDef& node = definition_of(entry.owner).NodeOf(entry.node);
    const std::string type = Format("CustomGradient-{}", next++);
    for (const char* own :
         {kOwnGradientFunction, kOwnGradientCount, kOwnGradientPositions}) {
      node.attr.erase(own);
    }
    node.attr[kGradientOpType].set_s(type);
    const int n = entry.gradient.num_inputs;
    node.input.erase(node.input.begin() + n,
                     node.input.begin() + entry.node->num_inputs());
    auto& types = node.attr["T"].mutable_list().type;
    if (types.size() > static_cast<size_t>(n)) types.resize(n);
    auto& registered = library.registered_gradients.emplace_back();
    registered.registered_op_type = type;
    registered.gradient_func = names.at(entry.gradient.function.get());
    for (size_t i = 0; i < entry.objects.size(); ++i) {
      proto::SavedObject& object =
          message->object_graph_def.mut().nodes[entry.objects[i]];
      if (!object.captured_tensor.has()) continue;
      proto::CapturedTensor& captured = object.mutable_captured_tensor();
      const Place& place = entry.places[i];
      captured.name = definition_of(place.owner).NameOf(place.output);
      captured.concrete_function = names.at(place.owner);
    }
  }
}

}  // namespace gk
