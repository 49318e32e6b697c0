#include "graph/graph.h"
#include "graph/known_values.h"

namespace gk {
namespace {

// " for '{{node MatMul}} = MatMul[...](x, x)' with input shapes: [], []."
std::string Where(const Node& node, std::span<const PartialTensorShape> shapes,
                  std::span<const Tensor> values) {
  std::string text = Format(" for '{}' with input shapes: ", NodeText(node));
  const char* separator = "";
  for (const PartialTensorShape& s : shapes) {
    text += separator + s.DebugString();
    separator = ", ";
  }
  std::string computed;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i] || values[i].num_elements() > 16) continue;
    if (values[i].dtype() != DataType::kInt32 &&
        values[i].dtype() != DataType::kInt64) {
      continue;
    }
    std::string elements;
    for (int64_t k = 0; k < values[i].num_elements(); ++k) {
      if (k > 0) elements += " ";
      elements += values[i].dtype() == DataType::kInt32
                      ? Format("{}", values[i].data<int32_t>()[k])
                      : Format("{}", values[i].data<int64_t>()[k]);
    }
    computed +=
        Format("{}input[{}] = <{}>", computed.empty() ? "" : ", ", i, elements);
  }
  if (!computed.empty()) {
    text += Format(" and with computed input tensors: {}", computed);
  }
  return text + ".";
}

// A call's outputs are as its function says.
void TakeFromCallee(Node* node) {
  const auto* f = node->attrs().Get<FunctionAttr>("f");
  if (f == nullptr) return;
  const auto* callee = dynamic_cast<const GraphFunction*>(f->definition.get());
  if (callee == nullptr) return;
  const int n = std::min<int>(node->num_outputs(), callee->results().size());
  for (int i = 0; i < n; ++i) {
    const Output& r = callee->results()[i];
    const Node::OutputInfo& from = r.node->output(r.index);
    Node::OutputInfo& to = node->mutable_output(i);
    if (to.dtype != from.dtype) continue;
    if (to.shape.unknown_rank()) to.shape = from.shape;
    if (to.handle_data.empty()) to.handle_data = from.handle_data;
  }
}

}  // namespace

Status InferShapes(Node* node) {
  const OpRecord& op = node->op();
  const int n = node->num_inputs(), m = node->num_outputs();
  std::vector<PartialTensorShape> shapes(n);
  std::vector<DataType> types(n);
  std::vector<Tensor> values(n);
  std::vector<const HandleData*> handles;
  std::vector<std::optional<PartialTensorShape>> value_shapes;
  for (int i = 0; i < n; ++i) {
    const Output& o = node->input(i);
    const Node::OutputInfo& in = o.node->output(o.index);
    shapes[i] = in.shape;
    types[i] = in.dtype;
    values[i] = in.value;
    if (!in.handle_data.empty()) {
      handles.resize(n);
      handles[i] = &in.handle_data;
    }
    if (!in.value && (in.shape.rank() == 1 || in.shape.unknown_rank())) {
      if (auto known = KnownShapeValue(o)) {
        value_shapes.resize(n);
        value_shapes[i] = std::move(*known);
      }
    }
  }
  InferenceContext c(op, node->attrs(), shapes, types, values, m);
  if (!handles.empty()) c.set_input_handles(std::move(handles));
  if (!value_shapes.empty()) c.set_value_shapes(std::move(value_shapes));
  if (op.shape != nullptr) {
    if (Status s = op.shape(c); !s.ok()) {
      return s.Append(Where(*node, shapes, values));
    }
  }
  for (int i = 0; i < m; ++i) {
    Node::OutputInfo& out = node->mutable_output(i);
    out.shape = c.output(i);
    out.value = Tensor();
    if (i < static_cast<int>(c.output_handles().size())) {
      out.handle_data = c.output_handles()[i];
    }
    // An op that passes a resource on passes on what is known of it.
    const bool passes = op.Has(kView) && i == 0 && n > 0 &&
                        out.handle_data.empty() && IsObjectType(out.dtype);
    if (passes) {
      const Output& o = node->input(0);
      out.handle_data = o.node->output(o.index).handle_data;
    }
  }
  if (op.Has(kCallsFunction)) TakeFromCallee(node);
  ComputeKnownValues(node);
  return OkStatus();
}

}  // namespace gk
