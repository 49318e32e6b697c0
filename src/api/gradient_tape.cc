#include "graphkiln/gradient_tape.h"

#include <thread>

#include "api/inner.h"
#include "eager/gradient_tape.h"
#include "framework/op_builder.h"

namespace gk::api {

struct GradientTape::Rep {
  explicit Rep(const GradientTapeOptions& options)
      : tape(options.persistent, options.watch_accessed_variables),
        builder(OpBuilder::Current()) {}
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
void GradientTape::Reset() { rep_->tape.Reset(); }

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
    rep_->CheckHome();
    if (rep_->tape.recording() && !rep_->tape.persistent()) rep_->tape.Pop();
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
    return out;
  });
}

}  // namespace gk::api
