#include "saved_model/attached_gradients.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/format.h"
#include "function/own_gradient_attrs.h"

namespace gk {
namespace {

using ObjectKind = proto::SavedObject::KindCase;
using ValueKind = proto::StructuredValue::KindCase;
using Arguments = std::vector<proto::OpDef::ArgDef>;

constexpr char kTypes[] = "T";

// Which of the inputs of a node its gradient function gives gradients for, of
// what it returns: a value or None for each input. None if that is no such
// list.
std::optional<std::vector<int64_t>> PositionsIn(
    const proto::StructuredValue& outputs, size_t num_results,
    size_t num_inputs) {
  const std::vector<proto::StructuredValue>* values = nullptr;
  if (outputs.kind_case == ValueKind::kListValue) {
    values = &outputs.list_value->values;
  } else if (outputs.kind_case == ValueKind::kTupleValue) {
    values = &outputs.tuple_value->values;
  }
  if (values == nullptr || values->size() > num_inputs) return std::nullopt;
  std::vector<int64_t> positions;
  for (size_t i = 0; i < values->size(); ++i) {
    const ValueKind kind = (*values)[i].kind_case;
    if (kind == ValueKind::kNoneValue) continue;
    if (kind != ValueKind::kTensorSpecValue) return std::nullopt;
    positions.push_back(static_cast<int64_t>(i));
  }
  if (positions.size() != num_results) return std::nullopt;
  return positions;
}

bool IsControl(const std::string& input) { return input.starts_with('^'); }

class Attachment {
 public:
  explicit Attachment(proto::MetaGraphDef* graph)
      : library_(graph->graph_def.mut().library.mut()),
        objects_(graph->object_graph_def.mut()) {
    for (const auto& gradient : library_.registered_gradients) {
      names_.emplace(gradient.registered_op_type, gradient.gradient_func);
    }
    for (const proto::FunctionDef& f : library_.function) {
      functions_.emplace(f.signature->name, &f);
      for (const proto::NodeDef& node : f.node_def) {
        called_.insert(node.op);
        for (const auto& [name, value] : node.attr) NoteCalls(value);
      }
    }
  }

  void Run() {
    for (proto::FunctionDef& f : library_.function) {
      for (proto::NodeDef& node : f.node_def) Attach(&f, &node);
    }
  }

 private:
  void NoteCalls(const proto::AttrValue& value) {
    using Kind = proto::AttrValue::ValueCase;
    if (value.value_case == Kind::kFunc) called_.insert(value.func->name);
    if (value.value_case != Kind::kList) return;
    for (const auto& f : value.list->func) called_.insert(f.name);
  }

  void Attach(proto::FunctionDef* owner, proto::NodeDef* node) {
    const auto type = node->attr.find(kGradientOpType);
    const auto types = node->attr.find(kTypes);
    if (type == node->attr.end() || types == node->attr.end()) return;
    const auto name = names_.find(type->second.s);
    if (name == names_.end()) return;
    const auto function = functions_.find(name->second);
    const auto saved = objects_.concrete_functions.find(name->second);
    if (function == functions_.end() ||
        saved == objects_.concrete_functions.end()) {
      return;
    }
    const proto::OpDef& signature = *function->second->signature;
    const auto end = std::ranges::find_if(node->input, IsControl);
    const size_t n = end - node->input.begin();
    const size_t bound = saved->second.bound_inputs.size();
    if (types->second.list->type.size() != n ||
        signature.input_arg.size() != n + bound) {
      return;
    }
    const auto positions = PositionsIn(*saved->second.output_signature,
                                       signature.output_arg.size(), n);
    if (!positions) return;
    // Copied: the owner may be the gradient function of a node in it.
    const std::vector<int> captured = saved->second.bound_inputs;
    const Arguments taken(signature.input_arg.begin() + n,
                          signature.input_arg.end());
    std::vector<std::string> edges;
    for (size_t i = 0; i < bound; ++i) {
      edges.push_back(EdgeTo(captured[i], taken[i], owner));
      if (edges.back().empty()) return;
    }
    node->input.insert(end, edges.begin(), edges.end());
    auto& list = types->second.mutable_list();
    for (const auto& argument : taken) list.type.push_back(argument.type);
    node->attr[kGradientOpType].set_s(kOwnGradientType);
    node->attr[kOwnGradientFunction].mutable_func().name = name->second;
    node->attr[kOwnGradientCount].set_i(static_cast<int64_t>(n));
    node->attr[kOwnGradientPositions].mutable_list().i = *positions;
  }

  // The input by which a node of `owner` has what an object stands for; "" if
  // it cannot have it.
  std::string EdgeTo(int object, const proto::OpDef::ArgDef& taken,
                     proto::FunctionDef* owner) {
    if (object < 0 || object >= static_cast<int>(objects_.nodes.size())) {
      return "";
    }
    const proto::SavedObject& o = objects_.nodes[object];
    Arguments& arguments = owner->signature.mut().input_arg;
    if (o.kind_case == ObjectKind::kCapturedTensor) {
      if (o.captured_tensor->concrete_function != owner->signature->name) {
        return "";
      }
      return EdgeOf(o.captured_tensor->name, *owner);
    }
    const auto saved = objects_.concrete_functions.find(owner->signature->name);
    if (saved == objects_.concrete_functions.end()) return "";
    std::vector<int>& bound = saved->second.bound_inputs;
    if (bound.size() > arguments.size()) return "";
    const auto known = std::ranges::find(bound, object);
    if (known != bound.end()) {
      const size_t at =
          arguments.size() - bound.size() + (known - bound.begin());
      return arguments[at].name;
    }
    // Who calls it by its name does not know of another argument.
    if (called_.contains(owner->signature->name)) return "";
    proto::OpDef::ArgDef argument = taken;
    argument.name = UnusedName(*owner);
    arguments.push_back(argument);
    bound.push_back(object);
    return argument.name;
  }

  // "Exp:0", a tensor of the graph, as an input in the function.
  static std::string EdgeOf(const std::string& tensor,
                            const proto::FunctionDef& owner) {
    const size_t colon = tensor.rfind(':');
    if (colon == tensor.npos) return "";
    const std::string node = tensor.substr(0, colon);
    for (const auto& argument : owner.signature->input_arg) {
      if (argument.name == node) return node;
    }
    for (const auto& other : owner.node_def) {
      if (other.name == node) {
        return Format("{}::{}", node, tensor.substr(colon + 1));
      }
    }
    return "";
  }

  static std::string UnusedName(const proto::FunctionDef& owner) {
    for (size_t i = owner.signature->input_arg.size();; ++i) {
      std::string name = Format("of_gradient_{}", i);
      if (EdgeOf(name + ":0", owner).empty()) return name;
    }
  }

  proto::FunctionDefLibrary& library_;
  proto::SavedObjectGraph& objects_;
  std::unordered_map<std::string, std::string> names_;
  std::unordered_map<std::string, const proto::FunctionDef*> functions_;
  std::set<std::string> called_;
};

}  // namespace

void AttachGradients(proto::MetaGraphDef* graph) {
  if (graph->graph_def->library->registered_gradients.empty()) return;
  Attachment(graph).Run();
}

}  // namespace gk
