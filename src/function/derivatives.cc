#include "function/derivatives.h"

#include <algorithm>

#include "framework/grad_context.h"
#include "function/function_gradient.h"
#include "function/part_scope.h"
#include "ops/composition.h"
#include "ops/element_moves.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/StridedSlice.h"
#include "ops/fn/ZerosLike.h"

namespace gk {

StatusOr<UnconnectedGradients> ParseUnconnectedGradients(
    std::string_view text) {
  if (text == "none") return UnconnectedGradients::kNone;
  if (text == "zero") return UnconnectedGradients::kZero;
  return ValueError("Unknown value for unconnected_gradients: '{}'", text);
}

GradientTape& UserTape::Tape() {
  if (!tape_) {
    // Dropped after its only use unless persistent; a Jacobian uses it several
    // times.
    tape_ = std::make_unique<GradientTape>(true, watch_accessed_);
  }
  return *tape_;
}

void UserTape::Push() {
  if (recording_) {
    throw Error(
        ValueError("Tape is still recording, This can happen if you try to "
                   "re-enter an already-active tape."));
  }
  Tape().Push();
  recording_ = true;
}

void UserTape::Pop() {
  if (!recording_) throw Error(ValueError("Tape is not recording."));
  tape_->Pop();
  recording_ = false;
}

void UserTape::Reset() {
  if (!recording_) throw Error(ValueError("Tape is not recording."));
  tape_->Reset();
}

void UserTape::CheckUsable() const {
  if (tape_) return;
  throw Error(RuntimeError(
      "A non-persistent GradientTape can only be used to compute one set of "
      "gradients (or jacobians)"));
}

template <class F>
auto UserTape::Use(F&& differentiate) {
  CheckUsable();
  if (!persistent_ && recording_) Pop();
  auto found = differentiate(tape_.get());
  if (!persistent_) {
    watched_ = tape_->watched_variables();
    tape_.reset();
  }
  return found;
}

std::vector<Gradient> UserTape::Gradients(std::span<const Tensor> targets,
                                          std::span<const Tensor> sources,
                                          std::span<const Gradient> weights,
                                          UnconnectedGradients unconnected) {
  return Use([&](GradientTape* tape) {
    if (!weights.empty() && weights.size() != targets.size()) {
      throw Error(ValueError("{} weights were given for {} targets",
                             weights.size(), targets.size()));
    }
    std::vector<Gradient> found =
        ValueOrThrow(tape->ComputeGradient(targets, sources, weights));
    for (size_t i = 0; i < found.size(); ++i) {
      if (found[i].is_none() && unconnected == UnconnectedGradients::kZero) {
        found[i].dense = ops::ZerosLike(WatchableOf(sources[i]).value());
      }
    }
    return found;
  });
}

TensorVector UserTape::Jacobians(const Tensor& target,
                                 std::span<const Tensor> sources,
                                 UnconnectedGradients unconnected) {
  return Use([&](GradientTape* tape) {
    std::vector<Watchable> along;
    for (const Tensor& t : sources) along.push_back(WatchableOf(t));
    return Jacobian(tape, WatchableOf(target), along,
                    unconnected == UnconnectedGradients::kZero);
  });
}

Tensor UserTape::BatchJacobian(const Tensor& target, const Tensor& source) {
  return Use([&](GradientTape* tape) {
    return gk::BatchJacobian(tape, WatchableOf(target), WatchableOf(source));
  });
}

namespace {

bool HasDerivative(const Tensor& t) {
  return IsFloating(t.dtype()) || IsComplex(t.dtype());
}

void CheckWeight(const Tensor& y, const Gradient& weight) {
  if (weight.is_none() || weight.is_slices()) return;
  const PartialTensorShape given = weight.dense.partial_shape();
  if (given.IsCompatibleWith(y.partial_shape())) return;
  const std::string op =
      y.is_symbolic() ? Graph::OutputOf(y).node->name() : "of eager code";
  throw Error(ValueError(
      "Incompatible shapes between op input and calculated input gradient. "
      "Forward operation: {}. Input index: 0. Original input shape: {}. "
      "Calculated input gradient shape: {}",
      op, y.partial_shape().PythonString(), given.PythonString()));
}

}  // namespace

std::vector<Gradient> GraphGradients(std::span<const Tensor> ys,
                                     std::span<const Tensor> xs,
                                     std::span<const Gradient> weights,
                                     std::span<const Tensor> stops,
                                     UnconnectedGradients unconnected) {
  if (!weights.empty() && weights.size() != ys.size()) {
    throw Error(ValueError("Length mismatch. Passed {} grad_ys for {} ys",
                           weights.size(), ys.size()));
  }
  TensorVector targets;
  std::vector<Gradient> starts;
  for (size_t i = 0; i < ys.size(); ++i) {
    const Gradient weight = weights.empty() ? Gradient() : weights[i];
    CheckWeight(ys[i], weight);
    if (!HasDerivative(ys[i])) continue;
    targets.push_back(ys[i]);
    starts.push_back(weight);
  }
  std::vector<Gradient> found(xs.size());
  if (!targets.empty()) {
    found = ValueOrThrow(SymbolicGradients(targets, starts, xs, stops));
  }
  for (size_t i = 0; i < xs.size(); ++i) {
    if (found[i].is_none() && unconnected == UnconnectedGradients::kZero) {
      found[i].dense =
          CallComposition("zeros_like", {WatchableOf(xs[i]).value()})[0];
    }
  }
  return found;
}

TensorVector Hessians(std::span<const Tensor> ys, std::span<const Tensor> xs,
                      std::string_view name) {
  FuncGraph* graph = FuncGraph::Current();
  if (graph == nullptr) {
    throw Error(RuntimeError(
        "tf.gradients is not supported when eager execution is enabled. Use "
        "tf.GradientTape instead."));
  }
  const std::vector<Gradient> firsts = [&] {
    const NameScope scope(graph, name);
    return GraphGradients(ys, xs, {}, {}, UnconnectedGradients::kNone);
  }();
  TensorVector hessians;
  for (size_t i = 0; i < xs.size(); ++i) {
    const PartialTensorShape shape = WatchableOf(xs[i]).shape;
    if (firsts[i].is_none()) {
      throw Error(
          ValueError("x {}, of shape {}, is not connected with the tensors to "
                     "differentiate",
                     i, shape.PythonString()));
    }
    const StatusOr<TensorShape> known = shape.AsTensorShape();
    if (!known.ok()) {
      throw Error(ValueError(
          "The static shape of x {} must be known for its Hessian, got {}", i,
          shape.PythonString()));
    }
    const std::vector<int64_t> flat{-1};
    const Tensor first = ops::Reshape(
        firsts[i].is_slices() ? Densify(firsts[i]) : firsts[i].dense,
        IntegerVector(flat));
    std::vector<int64_t> sizes(shape.dims().begin(), shape.dims().end());
    sizes.insert(sizes.end(), shape.dims().begin(), shape.dims().end());
    const NameScope scope(graph, name);
    TensorVector rows;
    for (int64_t j = 0; j < known->num_elements(); ++j) {
      const std::vector<int64_t> at{j}, end{j + 1}, step{1};
      const TensorVector element{ops::StridedSlice(
          first, IntegerVector(at), IntegerVector(end), IntegerVector(step), 0,
          0, 0, 0, /*shrink_axis_mask=*/1)};
      const NameScope pass(graph, "gradients");
      const std::vector<Gradient> row = GraphGradients(
          element, xs.subspan(i, 1), {}, {}, UnconnectedGradients::kZero);
      rows.push_back(row[0].is_slices() ? Densify(row[0]) : row[0].dense);
    }
    hessians.push_back(
        rows.empty() ? CallComposition("zeros", {IntegerVector(sizes),
                                                 WatchableOf(xs[i]).dtype})[0]
                     : ops::Reshape(ops::Pack(rows), IntegerVector(sizes)));
  }
  return hessians;
}

}  // namespace gk
