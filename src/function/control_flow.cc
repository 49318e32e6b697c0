#include "function/control_flow.h"

#include <algorithm>

#include "base/format.h"
#include "eager/gradient_tape.h"
#include "framework/op_registry.h"
#include "function/differentiable_branches.h"
#include "function/differentiable_while.h"
#include "function/graph_edit.h"

namespace gk {
namespace {

// What any part captures becomes a capture of all, in one order. `scope`: the
// node's name.
StatusOr<TensorVector> UnifyCaptures(std::span<FuncGraph* const> graphs,
                                     std::string_view scope) {
  TensorVector all;
  std::vector<const void*> keys;
  for (const FuncGraph* g : graphs) {
    for (const FunctionCapture& c : g->inputs().captures()) {
      if (!c.external) {
        return InvalidArgument(
            "{}: a value asked for at each call cannot be captured by a branch "
            "or a loop",
            g->name());
      }
      const void* key = ResourceKey(c.external);
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      keys.push_back(key);
      all.push_back(c.external);
    }
  }
  std::string name(scope);
  if (!name.empty() && name.back() != '/') name += '/';
  name += OpRegistry::Get().The(kPlaceholder).name;
  for (FuncGraph* g : graphs)
    GK_RETURN_IF_ERROR(g->inputs().OrderCaptures(all, name));
  return all;
}

// Results belong to the part's own graph.
Status OwnResults(FunctionPart* part) {
  for (Tensor& r : part->results) {
    GK_ASSIGN_OR_RETURN(r, part->graph->inputs().Capture(r));
  }
  return OkStatus();
}

StatusOr<Ref<GraphFunction>> Finish(FunctionPart& part) {
  FuncGraph::Building building(part.graph.get());
  return part.graph->Finish(part.results,
                            UniqueFunctionName("", part.graph->name()));
}

// What is known of resources and lists that all functions return.
void CopyHandleData(const GraphFunction& from, std::span<const Tensor> to) {
  for (size_t i = 0; i < to.size() && i < from.results().size(); ++i) {
    const Output& r = from.results()[i];
    const Output o = Graph::OutputOf(to[i]);
    Node::OutputInfo& info = o.node->mutable_output(o.index);
    if (info.handle_data.empty()) {
      info.handle_data = r.node->output(r.index).handle_data;
    }
  }
}

StatusOr<TensorVector> MakeBranches(bool is_if, const Tensor& selector,
                                    std::vector<FunctionPart> parts,
                                    std::string_view name) {
  OpBuilder* builder = OpBuilder::Current();
  if (builder == nullptr || !builder->builds_graph()) {
    return Internal("branches are made in graphs only");
  }
  std::vector<FuncGraph*> graphs;
  for (FunctionPart& p : parts) {
    GK_RETURN_IF_ERROR(OwnResults(&p));
    graphs.push_back(p.graph.get());
  }
  GK_ASSIGN_OR_RETURN(const TensorVector captured, UnifyCaptures(graphs, name));
  std::vector<Ref<GraphFunction>> functions;
  for (FunctionPart& p : parts) {
    GK_ASSIGN_OR_RETURN(Ref<GraphFunction> f, Finish(p));
    functions.push_back(std::move(f));
  }
  const size_t num_results = parts[0].results.size();
  TensorVector inputs{selector};
  inputs.insert(inputs.end(), captured.begin(), captured.end());
  Ref<DifferentiableBranches> differentiable;
  if (ObserversWant(captured)) {
    std::vector<bool> wanted;
    for (const Tensor& t : captured) {
      wanted.push_back(MayHaveGradient(t) && ObserversWant({&t, 1}));
    }
    GK_ASSIGN_OR_RETURN(differentiable,
                        DifferentiableBranches::For(is_if, functions, wanted,
                                                    MayDifferentiateTwice()));
    functions = differentiable->forward();
  }
  GK_ASSIGN_OR_RETURN(BranchNodeParts node,
                      BranchNode(is_if, selector.dtype(), functions));
  node.attrs.Set("_read_only_resource_inputs", ReadOnlyInputs(functions, 1));
  GK_ASSIGN_OR_RETURN(
      TensorVector outputs,
      builder->Apply(*node.record, inputs, std::move(node.attrs), name));
  CopyHandleData(*functions[0], outputs);
  if (differentiable) RecordNode(differentiable, inputs, outputs);
  outputs.resize(num_results);
  return outputs;
}

}  // namespace

FunctionPart TracePart(
    std::string name, std::span<const Tensor> like,
    std::span<const PartialTensorShape> shapes,
    const std::function<TensorVector(std::span<const Tensor>)>& body) {
  FunctionPart part{MakeRef<FuncGraph>(std::move(name)), {}};
  TensorVector arguments;
  for (size_t i = 0; i < like.size(); ++i) {
    arguments.push_back(ValueOrThrow(part.graph->inputs().AddArgument(
        Format("arg{}", i), like[i].dtype(), shapes[i], {},
        HandleDataOf(like[i]))));
  }
  FuncGraph::Building building(part.graph.get());
  part.results = body(arguments);
  return part;
}

StatusOr<TensorVector> MakeIf(const Tensor& condition,
                              std::vector<FunctionPart> parts,
                              std::string_view name) {
  return MakeBranches(true, condition, std::move(parts), name);
}

StatusOr<TensorVector> MakeCase(const Tensor& index,
                                std::vector<FunctionPart> parts,
                                std::string_view name) {
  return MakeBranches(false, index, std::move(parts), name);
}

StatusOr<TensorVector> MakeWhile(FunctionPart condition, FunctionPart body,
                                 std::span<const Tensor> state,
                                 const WhileOptions& options,
                                 std::string_view name) {
  OpBuilder* builder = OpBuilder::Current();
  if (builder == nullptr || !builder->builds_graph()) {
    return Internal("loops are made in graphs only");
  }
  GK_RETURN_IF_ERROR(OwnResults(&condition));
  GK_RETURN_IF_ERROR(OwnResults(&body));
  if (condition.results.size() != 1 || body.results.size() != state.size()) {
    return Internal("{}: the parts of a loop do not fit", body.graph->name());
  }
  FuncGraph* graphs[] = {condition.graph.get(), body.graph.get()};
  GK_ASSIGN_OR_RETURN(const TensorVector captured, UnifyCaptures(graphs, name));
  // What the parts capture goes round the loop unchanged.
  for (const FunctionCapture& c : body.graph->inputs().captures()) {
    body.results.push_back(body.graph->graph()->TensorOf({c.placeholder, 0}));
  }
  Ref<GraphFunction> parts[2];
  GK_ASSIGN_OR_RETURN(parts[0], Finish(condition));
  GK_ASSIGN_OR_RETURN(parts[1], Finish(body));
  TensorVector inputs(state.begin(), state.end());
  inputs.insert(inputs.end(), captured.begin(), captured.end());
  const size_t num_results = state.size(), original = inputs.size();
  std::vector<PartialTensorShape> shapes = options.shapes;
  if (shapes.empty()) {
    for (size_t i = 0; i < num_results; ++i) {
      shapes.push_back(inputs[i].partial_shape().CommonSupertype(
          body.results[i].partial_shape()));
    }
  }
  for (size_t i = shapes.size(); i < inputs.size(); ++i) {
    shapes.push_back(inputs[i].partial_shape());
  }
  Ref<DifferentiableWhile> differentiable;
  if (ObserversWant(inputs)) {
    std::vector<bool> wanted;
    for (const Tensor& t : inputs) {
      wanted.push_back(MayHaveGradient(t) && ObserversWant({&t, 1}));
    }
    GK_ASSIGN_OR_RETURN(differentiable,
                        DifferentiableWhile::For(*parts[0], *parts[1], wanted,
                                                 MayDifferentiateTwice()));
    parts[0] = differentiable->forward_condition();
    parts[1] = differentiable->forward_body();
    for (const DifferentiableWhile::List& list : differentiable->lists()) {
      GK_ASSIGN_OR_RETURN(Tensor empty, EmptyList(list));
      inputs.push_back(std::move(empty));
      shapes.push_back(TensorShape());
    }
  }
  const OpRecord& record =
      OpRegistry::Get().Of(Control::kWhile, AnyStateful(parts));
  AttrMap attrs;
  SetLoopAttrs(parts[0], parts[1], std::move(shapes), &attrs);
  attrs.Set("parallel_iterations", options.parallel_iterations);
  attrs.Set("_num_original_outputs", static_cast<int64_t>(original));
  attrs.Set("_lower_using_switch_merge", true);
  GK_ASSIGN_OR_RETURN(TensorVector outputs,
                      builder->Apply(record, inputs, std::move(attrs), name));
  CopyHandleData(*parts[1], outputs);
  if (differentiable) RecordNode(differentiable, inputs, outputs);
  outputs.resize(num_results);
  return outputs;
}

}  // namespace gk
