#include "graphkiln/gradient_tape.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "api/inner.h"
#include "api/variable_facts.h"
#include "framework/op_builder.h"
#include "function/derivatives.h"
#include "function/forward_accumulator.h"
#include "function/part_scope.h"
#include "graphkiln/functions.h"

namespace gk::api {

namespace {

::gk::UnconnectedGradients InnerUnconnected(UnconnectedGradients unconnected) {
  return static_cast<::gk::UnconnectedGradients>(unconnected);
}
Tensor OuterGradient(const Gradient& g) {
  return g.is_none()     ? Tensor()
         : g.is_slices() ? Outer(Densify(g))
                         : Outer(g.dense);
}
std::vector<Tensor> OuterGradients(const std::vector<Gradient>& gradients) {
  std::vector<Tensor> out;
  for (const Gradient& g : gradients) out.push_back(OuterGradient(g));
  return out;
}
TensorVector InnerSources(const std::vector<TensorOrVariable>& sources) {
  TensorVector inner;
  for (const TensorOrVariable& s : sources) {
    inner.push_back(Inner(s.tensor()));
  }
  return inner;
}
std::vector<Gradient> InnerWeights(const std::vector<Tensor>& weights) {
  std::vector<Gradient> inner;
  for (const Tensor& w : weights) inner.push_back({.dense = InnerOrNull(w)});
  return inner;
}

}  // namespace

struct GradientTape::Rep {
  explicit Rep(const GradientTapeOptions& options)
      : tape(options.persistent, options.watch_accessed_variables),
        builder(OpBuilder::Current()) {}
  UserTape& Home() {
    if (std::this_thread::get_id() == thread &&
        OpBuilder::Current() == builder) {
      return tape;
    }
    throw ::gk::Error(::gk::RuntimeError(
        "A GradientTape must be used on the thread and inside the function "
        "where it was made"));
  }

  UserTape tape;
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
  Guarded([&] { rep_->Home().Pop(); });
}
void GradientTape::Resume() {
  Guarded([&] { rep_->Home().Push(); });
}
void GradientTape::Reset() {
  Guarded([&] { rep_->tape.Reset(); });
}
GradientTape::Stopped::~Stopped() {
  if (!tape_->rep_->tape.recording()) tape_->rep_->tape.Push();
}

std::vector<Variable> GradientTape::watched_variables() const {
  return Guarded([&] {
    std::vector<Variable> variables;
    for (const InnerTensor& handle : rep_->tape.watched_variables()) {
      variables.push_back(VariableOfHandle(handle));
    }
    std::sort(variables.begin(), variables.end(),
              [](const Variable& a, const Variable& b) {
                return a.handle().impl()->id() < b.handle().impl()->id();
              });
    return variables;
  });
}

Tensor GradientTape::gradient(const TensorOrVariable& target,
                              const TensorOrVariable& source,
                              UnconnectedGradients unconnected) {
  return Compute({target.tensor()}, {source}, {}, unconnected)[0];
}

std::vector<Tensor> GradientTape::gradient(
    const TensorOrVariable& target, const std::vector<Variable>& sources) {
  return Compute({target.tensor()}, {sources.begin(), sources.end()}, {});
}

std::vector<Tensor> GradientTape::gradient(const TensorOrVariable& target,
                                           const std::vector<Tensor>& sources) {
  return Compute({target.tensor()}, {sources.begin(), sources.end()}, {});
}

std::vector<Tensor> GradientTape::gradient(
    const std::vector<Tensor>& targets,
    const std::vector<TensorOrVariable>& sources,
    const std::vector<Tensor>& weights, UnconnectedGradients unconnected) {
  return Compute(targets, sources, weights, unconnected);
}

std::vector<Tensor> GradientTape::Compute(
    const std::vector<Tensor>& targets,
    const std::vector<TensorOrVariable>& sources,
    const std::vector<Tensor>& weights, UnconnectedGradients unconnected) {
  return Guarded([&] {
    return OuterGradients(rep_->Home().Gradients(
        Inner(targets), InnerSources(sources), InnerWeights(weights),
        InnerUnconnected(unconnected)));
  });
}

Tensor GradientTape::jacobian(const TensorOrVariable& target,
                              const TensorOrVariable& source,
                              UnconnectedGradients unconnected) {
  return jacobian(target, std::vector<TensorOrVariable>{source},
                  unconnected)[0];
}

std::vector<Tensor> GradientTape::jacobian(
    const TensorOrVariable& target,
    const std::vector<TensorOrVariable>& sources,
    UnconnectedGradients unconnected) {
  return Guarded([&] {
    std::vector<Tensor> out;
    for (const InnerTensor& t :
         rep_->Home().Jacobians(Inner(target.tensor()), InnerSources(sources),
                                InnerUnconnected(unconnected))) {
      out.push_back(t ? Outer(t) : Tensor());
    }
    return out;
  });
}

Tensor GradientTape::batch_jacobian(const TensorOrVariable& target,
                                    const TensorOrVariable& source) {
  return Guarded([&] {
    return Outer(rep_->Home().BatchJacobian(Inner(target.tensor()),
                                            Inner(source.tensor())));
  });
}

std::vector<Tensor> gradients(const std::vector<Tensor>& ys,
                              const std::vector<TensorOrVariable>& xs,
                              const GradientsOptions& options) {
  return Guarded([&] {
    std::optional<NameScope> scope;
    if (FuncGraph* graph = FuncGraph::Current()) {
      scope.emplace(graph, options.name);
    }
    return OuterGradients(GraphGradients(
        Inner(ys), InnerSources(xs), InnerWeights(options.grad_ys),
        Inner(options.stop_gradients), InnerUnconnected(options.unconnected)));
  });
}

std::vector<Tensor> hessians(const std::vector<Tensor>& ys,
                             const std::vector<TensorOrVariable>& xs,
                             const std::string& name) {
  return Guarded(
      [&] { return Outer(Hessians(Inner(ys), InnerSources(xs), name)); });
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

std::vector<Tensor> jacobian(
    const std::function<Tensor(const std::vector<Tensor>&)>& f,
    const std::vector<Tensor>& arguments) {
  GradientTape tape({.watch_accessed_variables = false});
  // Of its own each, as above.
  std::vector<Tensor> own;
  for (const Tensor& x : arguments) {
    own.push_back(identity(x));
    tape.watch(own.back());
  }
  const Tensor value = f(own);
  return tape.jacobian(value,
                       std::vector<TensorOrVariable>(own.begin(), own.end()),
                       UnconnectedGradients::kZero);
}

Tensor jacobian(const std::function<Tensor(const Tensor&)>& f,
                const Tensor& x) {
  return jacobian([&](const std::vector<Tensor>& own) { return f(own[0]); },
                  std::vector<Tensor>{x})[0];
}

Tensor batch_jacobian(const std::function<Tensor(const Tensor&)>& f,
                      const Tensor& x) {
  GradientTape tape({.watch_accessed_variables = false});
  const Tensor own = identity(x);
  tape.watch(own);
  const Tensor value = f(own);
  return tape.batch_jacobian(value, own);
}

}  // namespace gk::api
