#include "graphkiln/gradient_tape.h"

#include <thread>

#include "api/inner.h"
#include "eager/gradient_tape.h"
#include "framework/op_builder.h"
#include "function/jacobian.h"
#include "graphkiln/functions.h"

namespace gk::api {

struct GradientTape::Rep {
  explicit Rep(const GradientTapeOptions& options)
      : tape(true, options.watch_accessed_variables),
        persistent(options.persistent),
        builder(OpBuilder::Current()) {}
  // Before a set of gradients is computed, which may take several passes.
  void Use() {
    CheckHome();
    if (persistent) return;
    if (used) {
      throw ::gk::Error(::gk::RuntimeError(
          "A non-persistent GradientTape can only be used to compute one set "
          "of gradients (or jacobians)"));
    }
    used = true;
    if (tape.recording()) tape.Pop();
  }
  // Afterwards: nobody asks again.
  void Used() {
    if (!persistent) tape.Reset();
  }
  bool IsHome() const {
    return std::this_thread::get_id() == thread &&
           OpBuilder::Current() == builder;
  }
  void CheckHome() const {
    if (IsHome()) return;
    throw ::gk::Error(::gk::RuntimeError(
        "A GradientTape must be used on the thread and inside the function "
        "where it was made"));
  }

  ::gk::GradientTape tape;
  bool persistent, used = false;
  OpBuilder* builder;
  std::thread::id thread = std::this_thread::get_id();
};

GradientTape::GradientTape(const GradientTapeOptions& options) {
  Guarded([&] {
    EnsureReady();
    rep_ = std::make_unique<Rep>(options);
    rep_->tape.Push();
  });
}

GradientTape::~GradientTape() = default;

void GradientTape::watch(const TensorOrVariable& source) {
  Guarded([&] { rep_->tape.Watch(Inner(source.tensor())); });
}
void GradientTape::Stop() {
  Guarded([&] {
    rep_->CheckHome();
    rep_->tape.Pop();
  });
}
void GradientTape::Resume() {
  Guarded([&] {
    rep_->CheckHome();
    rep_->tape.Push();
  });
}
void GradientTape::Reset() {
  rep_->tape.Reset();
  rep_->used = false;
}

Tensor GradientTape::gradient(const TensorOrVariable& target,
                              const TensorOrVariable& source) {
  return Compute({target.tensor()}, {source}, {})[0];
}

std::vector<Tensor> GradientTape::gradient(
    const TensorOrVariable& target, const std::vector<Variable>& sources) {
  return Compute({target.tensor()}, {sources.begin(), sources.end()}, {});
}

std::vector<Tensor> GradientTape::gradient(
    const TensorOrVariable& target, const std::vector<Tensor>& sources) {
  return Compute({target.tensor()}, {sources.begin(), sources.end()}, {});
}

std::vector<Tensor> GradientTape::gradient(
    const std::vector<Tensor>& targets,
    const std::vector<TensorOrVariable>& sources,
    const std::vector<Tensor>& weights) {
  return Compute(targets, sources, weights);
}

std::vector<Tensor> GradientTape::Compute(
    const std::vector<Tensor>& targets,
    const std::vector<TensorOrVariable>& sources,
    const std::vector<Tensor>& weights) {
  return Guarded([&] {
    rep_->Use();
    TensorVector from, to = Inner(targets);
    for (const TensorOrVariable& s : sources) {
      from.push_back(Inner(s.tensor()));
    }
    if (!weights.empty() && weights.size() != targets.size()) {
      throw ::gk::Error(ValueError("{} weights were given for {} targets",
                                   weights.size(), targets.size()));
    }
    std::vector<Gradient> given;
    for (const Tensor& w : weights) given.push_back({.dense = InnerOrNull(w)});
    const std::vector<Gradient> found =
        ValueOrThrow(rep_->tape.ComputeGradient(to, from, given));
    std::vector<Tensor> out;
    for (const Gradient& g : found) {
      out.push_back(g.is_none()     ? Tensor()
                    : g.is_slices() ? Outer(Densify(g))
                                    : Outer(g.dense));
    }
    rep_->Used();
    return out;
  });
}

Tensor GradientTape::jacobian(const TensorOrVariable& target,
                              const TensorOrVariable& source) {
  return jacobian(target, std::vector<TensorOrVariable>{source})[0];
}

std::vector<Tensor> GradientTape::jacobian(
    const TensorOrVariable& target,
    const std::vector<TensorOrVariable>& sources) {
  return Guarded([&] {
    rep_->Use();
    std::vector<Watchable> from;
    for (const TensorOrVariable& s : sources) {
      from.push_back(WatchableOf(Inner(s.tensor())));
    }
    std::vector<Tensor> out;
    for (const InnerTensor& t :
         Jacobian(&rep_->tape, WatchableOf(Inner(target.tensor())), from,
                  /*zero_if_unconnected=*/false)) {
      out.push_back(t ? Outer(t) : Tensor());
    }
    rep_->Used();
    return out;
  });
}

Tensor GradientTape::batch_jacobian(const TensorOrVariable& target,
                                    const TensorOrVariable& source) {
  return Guarded([&] {
    rep_->Use();
    const InnerTensor made =
        BatchJacobian(&rep_->tape, WatchableOf(Inner(target.tensor())),
                      WatchableOf(Inner(source.tensor())));
    rep_->Used();
    return Outer(made);
  });
}

// By two backward passes: the first is linear in what it begins with, and the
// second differentiates it with respect to that.
ForwardResult jvp(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                  const std::vector<Tensor>& arguments,
                  const std::vector<Tensor>& tangents) {
  if (tangents.size() != arguments.size()) {
    Guarded([&] {
      throw ::gk::Error(ValueError("{} tangents were given for {} arguments",
                                   tangents.size(), arguments.size()));
    });
  }
  GradientTape forward({.persistent = true});
  for (const Tensor& x : arguments) forward.watch(x);
  ForwardResult result{f(arguments), Tensor()};
  GradientTape outer({.persistent = true, .watch_accessed_variables = false});
  const Tensor start = ones_like(result.value);
  outer.watch(start);
  const std::vector<Tensor> gradients = forward.gradient(
      std::vector<Tensor>{result.value}, {arguments.begin(), arguments.end()},
      {start});
  outer.Stop();
  std::vector<Tensor> targets, weights;
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined() || !tangents[i].defined()) continue;
    targets.push_back(gradients[i]);
    weights.push_back(tangents[i]);
  }
  if (!targets.empty()) {
    result.derivative = outer.gradient(targets, {start}, weights)[0];
  }
  if (!result.derivative.defined()) {
    result.derivative = zeros_like(result.value);
  }
  return result;
}

}  // namespace gk::api
