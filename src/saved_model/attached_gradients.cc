#include "saved_model/attached_gradients.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "function/own_gradient_attrs.h"
#include "saved_model/passed_values.h"

namespace gk {
namespace {

using ObjectKind = proto::SavedObject::KindCase;
using ValueKind = proto::StructuredValue::KindCase;

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

class Attachment {
 public:
  explicit Attachment(proto::MetaGraphDef* graph)
      : library_(graph->graph_def.mut().library.mut()),
        objects_(graph->object_graph_def.mut()),
        values_(graph) {
    for (const auto& gradient : library_.registered_gradients) {
      names_.emplace(gradient.registered_op_type, gradient.gradient_func);
    }
  }

  void Run() {
    for (proto::FunctionDef& f : library_.function) {
      for (proto::NodeDef& node : f.node_def) Attach(&f, &node);
    }
  }

 private:
  void Attach(proto::FunctionDef* owner, proto::NodeDef* node) {
    const auto type = node->attr.find(kGradientOpType);
    const auto types = node->attr.find(kGradientTypes);
    if (type == node->attr.end() || types == node->attr.end()) return;
    const auto name = names_.find(type->second.s);
    if (name == names_.end()) return;
    proto::FunctionDef* const function = values_.Find(name->second);
    const auto saved = objects_.concrete_functions.find(name->second);
    if (function == nullptr || saved == objects_.concrete_functions.end()) {
      return;
    }
    const auto own_end = std::ranges::find_if(node->input, IsControl);
    const size_t n = own_end - node->input.begin();
    const std::vector<int>& bound = saved->second.bound_inputs;
    const size_t num_bound = bound.size();
    if (types->second.list->type.size() != n ||
        function->signature->input_arg.size() != n + num_bound) {
      return;
    }
    const auto positions =
        PositionsIn(*saved->second.output_signature,
                    function->signature->output_arg.size(), n);
    if (!positions) return;
    std::vector<std::string> edges;
    for (size_t i = 0; i < num_bound; ++i) {
      edges.push_back(values_.EdgeTo(bound[i], owner, function, n + i));
      if (edges.back().empty()) return;
    }
    node->input.insert(std::ranges::find_if(node->input, IsControl),
                       edges.begin(), edges.end());
    auto& list = types->second.mutable_list();
    for (size_t i = 0; i < num_bound; ++i) {
      list.type.push_back(function->signature->input_arg[n + i].type);
    }
    node->attr[kGradientOpType].set_s(kOwnGradientType);
    node->attr[kOwnGradientFunction].mutable_func().name = name->second;
    node->attr[kOwnGradientCount].set_i(static_cast<int64_t>(n));
    node->attr[kOwnGradientPositions].mutable_list().i = *positions;
    values_.AddGradient(owner, node, name->second);
  }

  proto::FunctionDefLibrary& library_;
  proto::SavedObjectGraph& objects_;
  PassedValues values_;
  std::unordered_map<std::string, std::string> names_;
};

}  // namespace

void AttachGradients(proto::MetaGraphDef* graph) {
  if (graph->graph_def->library->registered_gradients.empty()) return;
  Attachment(graph).Run();
}

}  // namespace gk
