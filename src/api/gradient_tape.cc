#include "graphkiln/gradient_tape.h"

#include <thread>

#include "api/inner.h"
#include "eager/gradient_tape.h"
#include "framework/op_builder.h"
#include "function/forward_accumulator.h"
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
    if (persistent) return;
    tape.Reset();
    tape.Retire();
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

struct ForwardAccumulator::Rep {
  void CheckHome() const {
    if (std::this_thread::get_id() == thread) return;
    throw ::gk::Error(::gk::RuntimeError(
        "A ForwardAccumulator must be used on the thread where it was made"));
  }

  ::gk::ForwardAccumulator core;
  std::thread::id thread = std::this_thread::get_id();
};

ForwardAccumulator::ForwardAccumulator(
    const std::vector<TensorOrVariable>& primals,
    const std::vector<Tensor>& tangents) {
  Guarded([&] {
    EnsureReady();
    if (tangents.size() != primals.size()) {
      throw ::gk::Error(ValueError("{} tangents were given for {} primals",
                                   tangents.size(), primals.size()));
    }
    rep_ = std::make_unique<Rep>();
    for (size_t i = 0; i < primals.size(); ++i) {
      rep_->core.Watch(Inner(primals[i].tensor()), Inner(tangents[i]));
    }
    rep_->core.Push();
  });
}

ForwardAccumulator::~ForwardAccumulator() = default;

void ForwardAccumulator::Stop() {
  Guarded([&] {
    rep_->CheckHome();
    rep_->core.Pop();
  });
}

void ForwardAccumulator::Resume() {
  Guarded([&] {
    rep_->CheckHome();
    rep_->core.Push();
  });
}

Tensor ForwardAccumulator::jvp(const TensorOrVariable& of) {
  return Guarded([&] {
    rep_->CheckHome();
    const InnerTensor found = rep_->core.Product(Inner(of.tensor()));
    return found ? Outer(found) : Tensor();
  });
}

ForwardResult jvp(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                  const std::vector<Tensor>& arguments,
                  const std::vector<Tensor>& tangents) {
  if (tangents.size() != arguments.size()) {
    Guarded([&] {
      throw ::gk::Error(ValueError("{} tangents were given for {} arguments",
                                   tangents.size(), arguments.size()));
    });
  }
  // Of its own each: one tensor may be several arguments.
  std::vector<Tensor> own, along;
  std::vector<TensorOrVariable> moved;
  for (size_t i = 0; i < arguments.size(); ++i) {
    own.push_back(identity(arguments[i]));
    if (!tangents[i].defined()) continue;
    moved.push_back(own[i]);
    along.push_back(tangents[i]);
  }
  ForwardAccumulator forward(moved, along);
  ForwardResult result{f(own), Tensor()};
  forward.Stop();
  result.derivative = forward.jvp(result.value);
  if (!result.derivative.defined()) {
    result.derivative = zeros_like(result.value);
  }
  return result;
}

}  // namespace gk::api
