#include <exception>
#include <unordered_map>

#include "base/per_thread.h"
#include "framework/arguments_text.h"
#include "framework/graph.h"
#include "framework/known_values.h"

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
  const auto* callee = f->definition.get();
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

// Calls in calls beyond this many are taken as their functions were traced.
constexpr int kMaxCallDepth = 64;
// As are calls after this many others within one call.
constexpr size_t kMaxCallsWithin = 1024;

// The inferences that run on this thread, one within the other. A function
// that is called often from within one of them is looked at once.
struct Inferences {
  // One within those that run. It may end by an exception.
  class Inner {
   public:
    explicit Inner(Inferences* all) : all_(all) { ++all->depth; }
    ~Inner() {
      if (--all_->depth == 0 && std::uncaught_exceptions() > 0) {
        all_->known.clear();
      }
    }
    Inner(const Inner&) = delete;
    Inner& operator=(const Inner&) = delete;

   private:
    Inferences* const all_;
  };

  int depth = 0;
  std::unordered_map<std::string, StatusOr<std::vector<PartialTensorShape>>>
      known;
};

Inferences& InferencesOfThread() {
  return PerThread<Inferences, Inferences>::Get();
}

// What the caller knows of the arguments of a call, if it is more than was
// known when the function was traced.
struct CallArguments {
  std::vector<PartialTensorShape> shapes;
  std::vector<Tensor> values;  // of integers, which shapes may depend on
  bool shapes_help = false, values_help = false;
};

CallArguments ArgumentsOf(const Node& call, const GraphFunction& callee) {
  CallArguments known;
  for (int i = 0; i < call.num_inputs(); ++i) {
    const Output& o = call.input(i);
    const Node::OutputInfo& given = o.node->output(o.index);
    const Node::OutputInfo& traced = callee.arguments()[i]->output(0);
    StatusOr<PartialTensorShape> both = given.shape.MergeWith(traced.shape);
    known.shapes.push_back(both.ok() ? *both : traced.shape);
    known.shapes_help |= !(known.shapes[i] == traced.shape);
    const bool counts = given.value && (given.dtype == DataType::kInt32 ||
                                        given.dtype == DataType::kInt64);
    known.values.push_back(counts ? given.value : Tensor());
    known.values_help |= counts;
  }
  return known;
}

std::string KeyOf(const GraphFunction& callee, const CallArguments& known) {
  std::string key = Format("{}", reinterpret_cast<uintptr_t>(&callee));
  for (size_t i = 0; i < known.shapes.size(); ++i) {
    key += known.shapes[i].DebugString();
    const Tensor& v = known.values[i];
    if (v) {
      key.append(static_cast<const char*>(v.raw_data()),
                 v.num_elements() * DataTypeSize(v.dtype()));
    }
  }
  return key;
}

// The shapes of the results, inferred through a copy of the function's graph.
StatusOr<std::vector<PartialTensorShape>> InferResults(
    const GraphFunction& callee, const CallArguments& known) {
  std::vector<Node*> copies;
  const Ref<Graph> graph = callee.graph().Clone(&copies);
  std::vector<bool> is_argument(copies.size());
  for (size_t i = 0; i < callee.arguments().size(); ++i) {
    const int id = callee.arguments()[i]->id();
    is_argument[id] = true;
    Node::OutputInfo& out = copies[id]->mutable_output(0);
    out.shape = known.shapes[i];
    if (known.values[i]) out.value = known.values[i];
  }
  GK_ASSIGN_OR_RETURN(const std::vector<Node*> order,
                      graph->TopologicalOrder());
  for (Node* node : order) {
    if (is_argument[node->id()]) continue;
    std::vector<PartialTensorShape> traced;
    for (int i = 0; i < node->num_outputs(); ++i) {
      traced.push_back(node->output(i).shape);
    }
    GK_RETURN_IF_ERROR(InferShapes(node));
    GK_RETURN_IF_ERROR(InferThroughCallee(node));
    for (int i = 0; i < node->num_outputs(); ++i) {
      // What set_shape said while the function was traced still holds.
      Node::OutputInfo& out = node->mutable_output(i);
      StatusOr<PartialTensorShape> both = out.shape.MergeWith(traced[i]);
      if (both.ok()) out.shape = *std::move(both);
    }
  }
  std::vector<PartialTensorShape> shapes;
  for (const Output& r : callee.results()) {
    shapes.push_back(copies[r.node->id()]->output(r.index).shape);
  }
  return shapes;
}

}  // namespace

Status InferThroughCallee(Node* node) {
  if (node->op().control != Control::kCall) return OkStatus();
  const auto* f = node->attrs().Get<FunctionAttr>("f");
  if (f == nullptr) return OkStatus();
  const auto* callee = f->definition.get();
  if (callee == nullptr ||
      node->num_inputs() != static_cast<int>(callee->arguments().size()) ||
      node->num_outputs() != static_cast<int>(callee->results().size())) {
    return OkStatus();
  }
  const CallArguments known = ArgumentsOf(*node, *callee);
  bool open = false;
  for (int i = 0; i < node->num_outputs(); ++i) {
    open |= !node->output(i).shape.IsFullyDefined();
  }
  if (!known.shapes_help && !(known.values_help && open)) return OkStatus();
  Inferences& inferences = InferencesOfThread();
  if (inferences.depth >= kMaxCallDepth) return OkStatus();
  const std::string key = KeyOf(*callee, known);
  auto found = inferences.known.find(key);
  if (found == inferences.known.end()) {
    if (inferences.known.size() >= kMaxCallsWithin) return OkStatus();
    auto shapes = [&] {
      const Inferences::Inner inner(&inferences);
      return InferResults(*callee, known);
    }();
    found = inferences.known.emplace(key, std::move(shapes)).first;
  }
  const StatusOr<std::vector<PartialTensorShape>> shapes = found->second;
  if (inferences.depth == 0) inferences.known.clear();
  if (!shapes.ok()) return shapes.status();
  for (int i = 0; i < node->num_outputs(); ++i) {
    Node::OutputInfo& out = node->mutable_output(i);
    StatusOr<PartialTensorShape> both = out.shape.MergeWith((*shapes)[i]);
    if (both.ok()) out.shape = *std::move(both);
  }
  return OkStatus();
}

Status InferShapes(Node* node) {
  const OpRecord& op = node->op();
  const int n = node->num_inputs(), m = node->num_outputs();
  std::vector<PartialTensorShape> shapes(n);
  InlinedVector<DataType, 8> types;
  std::vector<Tensor> values(n);
  std::vector<const HandleData*> handles;
  std::vector<std::optional<PartialTensorShape>> value_shapes;
  for (int i = 0; i < n; ++i) {
    const Output& o = node->input(i);
    const Node::OutputInfo& in = o.node->output(o.index);
    shapes[i] = in.shape;
    types.push_back(in.dtype);
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
      std::vector<ShownInput> inputs;
      for (int i = 0; i < n; ++i) {
        inputs.push_back({types[i], shapes[i], values[i]});
      }
      return WithArguments(s.Append(Where(*node, shapes, values)), op,
                           node->attrs(), inputs);
    }
  }
  for (int i = 0; i < m; ++i) {
    Node::OutputInfo& out = node->mutable_output(i);
    out.shape = c.output(i);
    out.value = Tensor();
    out.handle_data = c.output_handle(i);
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
