// Gradients of tensors of a graph under construction, tf.gradients: those of
// the graphs around it count too, as what is captured from there depends on
// more than the graph itself shows.
#include <algorithm>
#include <utility>

#include "base/caught.h"
#include "framework/grad_context.h"
#include "framework/op_builder.h"
#include "framework/op_registry.h"
#include "function/differentiable_node.h"
#include "function/func_graph.h"
#include "function/function_gradient.h"
#include "ops/fn/OnesLike.h"

namespace gk {
namespace {

// A graph, the one it is built in, and so on.
class Level {
 public:
  explicit Level(FuncGraph* builder) : builder_(builder) {}

  Graph* graph() const { return builder_->graph().get(); }
  const FuncGraph& builder() const { return *builder_; }
  bool Owns(const Tensor& t) const {
    return t.is_symbolic() && Graph::GraphOf(t) == graph();
  }

  // What stands for `t` here: itself, or the placeholder that it was captured
  // as. No node: nothing does.
  Output InsideOf(const Tensor& t) const {
    if (Owns(t)) return Graph::OutputOf(t);
    return {builder_->inputs().Captured(t), 0};
  }

  // The captures of tensors of the graphs around that depend on their sources.
  void FindSources(std::vector<Output> inputs, std::span<const Level> around) {
    inputs_ = std::move(inputs);
    std::vector<Output> sources = inputs_;
    for (const FunctionCapture& c : builder_->inputs().captures()) {
      for (size_t i = 0; i < around.size(); ++i) {
        if (!c.external || !around[i].Owns(c.external)) continue;
        const Output external = Graph::OutputOf(c.external);
        if (!around[i].depends_[external.node->id()]) continue;
        passages_.push_back({{c.placeholder, 0}, external, i + 1});
        sources.push_back({c.placeholder, 0});
      }
    }
    depends_.assign(graph()->num_nodes(), false);
    for (const Output& o : sources) {
      if (o.node != nullptr) depends_[o.node->id()] = true;
    }
    for (const Node* node : ValueOrThrow(graph()->TopologicalOrder())) {
      if (depends_[node->id()] || node->op().Has(kNoGradient)) continue;
      for (const Output& o : node->inputs()) {
        if (depends_[o.node->id()] && MayHaveGradient(o)) {
          depends_[node->id()] = true;
        }
      }
    }
  }

  // From a placeholder to what it was captured from, so many graphs further
  // out.
  struct Passage {
    Output inside, outside;
    size_t graphs;
  };
  const std::vector<Passage>& passages() const { return passages_; }
  const std::vector<Output>& inputs() const { return inputs_; }
  bool PassesOn(const Output& o) const {
    for (const Passage& p : passages_) {
      if (p.inside.node == o.node && p.inside.index == o.index) return true;
    }
    return false;
  }

 private:
  FuncGraph* builder_;
  std::vector<Output> inputs_;  // by the sources; some without a node
  std::vector<Passage> passages_;
  std::vector<bool> depends_;
};

// `own`: what stands for the inputs in the graph itself.
std::vector<Level> LevelsFor(FuncGraph* builder, std::span<const Tensor> inputs,
                             const std::vector<Output>& own) {
  std::vector<Level> levels{Level(builder)};
  // Variables and other values that no graph makes are the graph's own inputs.
  const auto is_outside = [&](const Tensor& x) {
    return x.is_symbolic() && !levels[0].Owns(x);
  };
  if (std::any_of(inputs.begin(), inputs.end(), is_outside)) {
    for (FuncGraph* b = builder->outer(); b != nullptr; b = b->outer()) {
      levels.emplace_back(b);
    }
  }
  for (size_t i = levels.size(); i-- > 0;) {
    std::vector<Output> here = own;
    for (size_t k = 0; i > 0 && k < inputs.size(); ++k) {
      here[k] = is_outside(inputs[k]) ? levels[i].InsideOf(inputs[k])
                                      : Output{nullptr, 0};
    }
    levels[i].FindSources(std::move(here), std::span(levels).subspan(i + 1));
  }
  return levels;
}

void AddTo(Gradient* sum, Gradient part) {
  if (part.is_none()) return;
  if (sum->is_none()) {
    *sum = std::move(part);
  } else {
    *sum = SumGradients(std::vector<Gradient>{*sum, std::move(part)});
  }
}

// The gradients that reach the inputs, going out of one graph after another.
std::vector<Gradient> WalkOutward(const std::vector<Level>& levels,
                                  std::vector<Output> outputs,
                                  std::vector<Gradient> grads,
                                  std::span<const Tensor> stops) {
  std::vector<Gradient> found(levels[0].inputs().size());
  struct Arrived {
    std::vector<Output> outputs;
    std::vector<Gradient> grads;
  };
  std::vector<Arrived> arrived(levels.size());
  arrived[0] = {std::move(outputs), std::move(grads)};
  for (size_t l = 0; l < levels.size(); ++l) {
    const Level& level = levels[l];
    if (arrived[l].outputs.empty()) continue;
    std::vector<Output> ends, sources;
    for (const Tensor& t : stops) {
      const Output end = level.InsideOf(t);
      if (end.node != nullptr) ends.push_back(end);
    }
    std::vector<size_t> which;
    for (size_t i = 0; i < found.size(); ++i) {
      const Output& x = level.inputs()[i];
      if (x.node == nullptr || level.PassesOn(x)) continue;
      which.push_back(i);
      sources.push_back(x);
    }
    for (const Level::Passage& p : level.passages()) {
      sources.push_back(p.inside);
    }
    if (sources.empty()) continue;
    CallTable calls;
    std::vector<Gradient> here = ValueOrThrow(
        GradientsInGraph(level.graph(), arrived[l].outputs, arrived[l].grads,
                         sources, &calls, true, false, ends));
    for (size_t k = 0; k < which.size(); ++k) {
      AddTo(&found[which[k]], std::move(here[k]));
    }
    for (size_t k = 0; k < level.passages().size(); ++k) {
      Gradient& g = here[which.size() + k];
      if (g.is_none()) continue;
      const Level::Passage& p = level.passages()[k];
      arrived[l + p.graphs].outputs.push_back(p.outside);
      arrived[l + p.graphs].grads.push_back(std::move(g));
    }
  }
  return found;
}

}  // namespace

StatusOr<std::vector<Gradient>> SymbolicGradients(
    std::span<const Tensor> outputs, std::span<const Gradient> output_grads,
    std::span<const Tensor> inputs, std::span<const Tensor> stops) {
  FuncGraph* builder = FuncGraph::Current();
  if (builder == nullptr) {
    return RuntimeError(
        "tf.gradients is not supported when eager execution is enabled. Use "
        "tf.GradientTape instead.");
  }
  if (GraphBuilder* graph = GraphBuilder::Current()) {
    graph->NoteDifferentiation();
  }
  const auto capture = [&](std::span<const Tensor> tensors) {
    std::vector<Output> own;
    for (const Tensor& t : tensors) {
      own.push_back(
          Graph::OutputOf(ValueOrThrow(builder->inputs().Capture(t))));
    }
    return own;
  };
  try {
    const std::vector<Output> ys = capture(outputs), xs = capture(inputs);
    capture(stops);
    std::vector<Gradient> grads(outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (i < output_grads.size() && !output_grads[i].is_none()) {
        grads[i] = output_grads[i];
      } else if (IsTrainable(outputs[i].dtype())) {
        grads[i].dense = ops::OnesLike(OpName(Format("grad_ys_{}", i)),
                                       builder->graph()->TensorOf(ys[i]));
      }
    }
    return WalkOutward(LevelsFor(builder, inputs, xs), ys, std::move(grads),
                       stops);
  } catch (...) {
    return CaughtStatus();
  }
}

}  // namespace gk
