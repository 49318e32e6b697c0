#include "function/traced_gradient.h"

#include <string>
#include <utility>

#include "base/caught.h"
#include "framework/grad_context.h"
#include "function/derivatives.h"
#include "function/func_graph.h"
#include "function/function_gradient.h"
#include "function/held_gradient.h"
#include "function/own_gradient_attrs.h"
#include "function/variant_cache.h"

namespace gk {
namespace {

constexpr char kName[] = "internal_grad_fn";

bool HasGradient(const Node::OutputInfo& info) {
  return info.dtype != DataType::kResource && info.dtype != DataType::kVariant;
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
    if (auto held = HeldGradientOf(node->attrs(), node->num_inputs())) {
      traced.num_inputs -= held->num_captured;
      if (held->num_gradients ==
          traced.num_inputs) {  // it is what is asked for
        traced.function = std::move(held->function.definition);
        traced.positions = std::move(held->positions);
        for (int i = traced.num_inputs; i < node->num_inputs(); ++i) {
          traced.captures.push_back(graph->TensorOf(node->input(i)));
        }
        return std::optional(std::move(traced));
      }
    }
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
