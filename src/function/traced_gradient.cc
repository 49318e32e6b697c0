#include "function/traced_gradient.h"

#include <string>
#include <utility>

#include "base/caught.h"
#include "framework/grad_context.h"
#include "function/derivatives.h"
#include "function/func_graph.h"
#include "function/function_gradient.h"
#include "function/own_gradient_attrs.h"
#include "function/variant_cache.h"

namespace gk {
namespace {

constexpr char kName[] = "internal_grad_fn";

// How many of the inputs are what the function of its gradient captures.
int NumCaptured(const Node& node) {
  const auto* f = node.attrs().Get<FunctionAttr>(kOwnGradientFunction);
  const auto* n = node.attrs().Get<int64_t>(kOwnGradientCount);
  if (f == nullptr || f->definition == nullptr || n == nullptr) return 0;
  const auto taken = static_cast<int64_t>(f->definition->arguments().size());
  if (*n < 0 || *n > taken || taken - *n > node.num_inputs()) return 0;
  return static_cast<int>(taken - *n);
}

bool HasGradient(const Node::OutputInfo& info) {
  return info.dtype != DataType::kResource && info.dtype != DataType::kVariant;
}

// The node's function itself, if it takes what is asked for.
std::optional<TracedGradient> Held(const Node& node, int num_inputs,
                                   Graph* graph) {
  const auto* f = node.attrs().Get<FunctionAttr>(kOwnGradientFunction);
  const auto* n = node.attrs().Get<int64_t>(kOwnGradientCount);
  const auto* positions =
      node.attrs().Get<std::vector<int64_t>>(kOwnGradientPositions);
  if (f == nullptr || f->definition == nullptr || n == nullptr ||
      positions == nullptr || *n != num_inputs) {
    return std::nullopt;
  }
  TracedGradient held;
  held.num_inputs = num_inputs;
  held.function = Ref<GraphFunction>(f->definition);
  held.positions = *positions;
  for (int i = num_inputs; i < node.num_inputs(); ++i) {
    held.captures.push_back(graph->TensorOf(node.input(i)));
  }
  return held;
}

}  // namespace

StatusOr<std::optional<TracedGradient>> TraceGradientOf(
    const GraphFunction& owner, Node* node) {
  const auto* type = node->attrs().Get<std::string>(kGradientOpType);
  if (type == nullptr) return std::optional<TracedGradient>();
  const auto gradient = FindGradientOverride(*type);
  if (gradient == nullptr) return std::optional<TracedGradient>();
  TracedGradient traced;
  Graph* const graph = owner.graph_ref().get();
  traced.num_inputs = node->num_inputs();
  if (*type == kOwnGradientType) {
    traced.num_inputs -= NumCaptured(*node);
    if (auto held = Held(*node, traced.num_inputs, graph)) return held;
  }
  auto builder = MakeRef<FuncGraph>(kName, nullptr);
  builder->inputs().AllowCapturesFrom(graph, VariantCache::Of(owner).originals);
  TensorVector results, x, y;
  {
    const FuncGraph::Building building(builder.get());
    std::vector<Gradient> dy(node->num_outputs());
    for (int i = 0; i < traced.num_inputs; ++i) {
      const Output& in = node->input(i);
      const Node::OutputInfo& info = in.node->output(in.index);
      const bool has = HasGradient(info);
      GK_ASSIGN_OR_RETURN(
          const Tensor taken,
          builder->inputs().AddArgument(
              Format("result_grads_{}", i), has ? info.dtype : DataType::kFloat,
              has ? info.shape : PartialTensorShape(TensorShape())));
      if (has && i < node->num_outputs()) dy[i].dense = taken;
    }
    try {
      for (const Output& o : node->inputs()) x.push_back(graph->TensorOf(o));
      for (int i = 0; i < node->num_outputs(); ++i) {
        y.push_back(graph->TensorOf({node, i}));
      }
      GradContext context(node->op(), node->attrs(), x, y, dy);
      (*gradient)(context);
      std::vector<Gradient>& found = context.grads();
      for (int i = 0; i < traced.num_inputs; ++i) {
        if (found[i].is_none()) continue;
        traced.positions.push_back(i);
        results.push_back(found[i].is_slices() ? Densify(found[i])
                                               : found[i].dense);
      }
    } catch (...) {
      return CaughtStatus();
    }
  }
  const std::string name = Format("__inference_{}_{}", kName, NextFunctionId());
  {
    const FuncGraph::Building building(builder.get());
    GK_ASSIGN_OR_RETURN(traced.function, builder->Finish(results, name));
  }
  for (const FunctionCapture& c : builder->inputs().captures()) {
    traced.captures.push_back(c.external);
  }
  return std::optional(std::move(traced));
}

}  // namespace gk
