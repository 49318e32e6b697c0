// GradientTape: records what is computed and differentiates it.
//
//   gk::GradientTape tape;
//   gk::Tensor loss = w * w;
//   gk::Tensor dw = tape.gradient(loss, w);
//
// Records from construction on, until the first gradient (unless persistent),
// Stop or destruction. Trainable variables are watched by themselves, tensors
// on request. Tapes nest: an outer one sees what an inner one computes. Belongs
// to the thread that made it.
#ifndef GRAPHKILN_GRADIENT_TAPE_H_
#define GRAPHKILN_GRADIENT_TAPE_H_

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <graphkiln/tensor_spec.h>

namespace gk {
GK_API_NAMESPACE {

// What comes out for a source that the target does not depend on: a tensor
// that is not defined(), or zeros.
enum class UnconnectedGradients { kNone, kZero };

// Of a tape: what it keeps and what it watches by itself.
struct GradientTapeOptions {
  bool persistent = false;  // gradient may be called more than once
  bool watch_accessed_variables = true;
};

// Records what is computed and differentiates it.
class GK_EXPORT GradientTape {
 public:
  // Records from now on.
  explicit GradientTape(const GradientTapeOptions& options = {});
  ~GradientTape();
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  // Makes what depends on `source` differentiable.
  void watch(const TensorOrVariable& source);
  // Stops recording, and goes on; a tape that was used up begins anew. These
  // throw Error if it does not record, or does.
  void Stop();
  void Resume();
  // Stopped until the result is destroyed.
  class Stopped;
  [[nodiscard]] Stopped stop_recording();
  // Forgets what was recorded and watched. The same.
  void Reset();
  // The variables that are watched, or were by a tape that was used up, as they
  // were made.
  std::vector<Variable> watched_variables() const;

  // d sum(target) / d source; ones if it is the source. Throws Error at the
  // second use unless persistent.
  Tensor gradient(
      const TensorOrVariable& target, const TensorOrVariable& source,
      UnconnectedGradients unconnected = UnconnectedGradients::kNone);
  std::vector<Tensor> gradient(const TensorOrVariable& target,
                               const std::vector<Variable>& sources);
  std::vector<Tensor> gradient(const TensorOrVariable& target,
                               const std::vector<Tensor>& sources);
  // The same for tensors and variables together: gradient(loss, {w, x}).
  std::vector<Tensor> gradient(
      const TensorOrVariable& target,
      std::initializer_list<TensorOrVariable> sources) {
    return Compute({target.tensor()}, sources, {});
  }
  // The same for d sum(targets * weights); no weights: ones.
  std::vector<Tensor> gradient(
      const std::vector<Tensor>& targets,
      const std::vector<TensorOrVariable>& sources,
      const std::vector<Tensor>& weights = {},
      UnconnectedGradients unconnected = UnconnectedGradients::kNone);

  // The derivatives of each element of the target, of its shape followed by
  // that of the source. The tape is used up as by gradient.
  Tensor jacobian(
      const TensorOrVariable& target, const TensorOrVariable& source,
      UnconnectedGradients unconnected = UnconnectedGradients::kNone);
  std::vector<Tensor> jacobian(
      const TensorOrVariable& target,
      const std::vector<TensorOrVariable>& sources,
      UnconnectedGradients unconnected = UnconnectedGradients::kNone);
  // The same for each example of a batch by itself: target[i] may depend on
  // source[i] alone. Of the target's shape followed by that of an example of
  // the source; zeros if nothing depends on it. Throws Error unless both have
  // a rank of 2 or more and batches of one size.
  Tensor batch_jacobian(const TensorOrVariable& target,
                        const TensorOrVariable& source);

 private:
  std::vector<Tensor> Compute(
      const std::vector<Tensor>& targets,
      const std::vector<TensorOrVariable>& sources,
      const std::vector<Tensor>& weights,
      UnconnectedGradients unconnected = UnconnectedGradients::kNone);
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

// While it lives a tape records nothing: GradientTape::stop_recording.
class GK_EXPORT GradientTape::Stopped {
 public:
  // Throws Error if the tape does not record.
  explicit Stopped(GradientTape* tape) : tape_(tape) { tape_->Stop(); }
  // Goes on, unless the program has done so itself.
  ~Stopped();
  Stopped(const Stopped&) = delete;

 private:
  GradientTape* const tape_;
};
inline GradientTape::Stopped GradientTape::stop_recording() {
  return Stopped(this);
}

// Derivatives along a direction, while the program runs forwards: what
// changes by how much if each primal changes by its tangent.
//
//   gk::ForwardAccumulator forward({x}, {direction});
//   gk::Tensor y = x * x * x;
//   gk::Tensor dy = forward.jvp(y);
//
// Records from construction on, until Stop or destruction. Accumulators nest
// with each other and with tapes, which see the derivatives that are computed
// inside them. Belongs to the thread that made it.
class GK_EXPORT ForwardAccumulator {
 public:
  // One tangent of the shape of each primal. Throws Error if their numbers or
  // shapes differ, or a primal is there twice.
  ForwardAccumulator(const std::vector<TensorOrVariable>& primals,
                     const std::vector<Tensor>& tangents);
  ~ForwardAccumulator();
  ForwardAccumulator(const ForwardAccumulator&) = delete;
  ForwardAccumulator& operator=(const ForwardAccumulator&) = delete;

  // Stops recording, and goes on.
  void Stop();
  void Resume();
  // The derivative; not defined() if the tensor does not depend on the
  // primals.
  Tensor jvp(const TensorOrVariable& of);

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

namespace autodiff {
// TensorFlow's names.
using ForwardAccumulator = ForwardAccumulator;
using GradientTape = GradientTape;
}  // namespace autodiff

// Of gradients.
struct GradientsOptions {
  std::vector<Tensor> grad_ys;  // what the gradients of ys are; ones if empty
  // Tensors that count as constants: nothing goes through the ops that made
  // them. The gradient for such a tensor itself can be asked for.
  std::vector<Tensor> stop_gradients;
  UnconnectedGradients unconnected = UnconnectedGradients::kNone;
  std::string name = "gradients";  // of the scope of the new operations
};
// d sum(ys) / d xs in a function that is being traced, whose operations say
// how the ys came about: no tape is needed. Throws Error eagerly.
GK_EXPORT std::vector<Tensor> gradients(
    const std::vector<Tensor>& ys, const std::vector<TensorOrVariable>& xs,
    const GradientsOptions& options = {});
// The matrices of second derivatives of sum(ys), of the shape of x twice for
// each x, whose shape is known. The same.
GK_EXPORT std::vector<Tensor> hessians(
    const std::vector<Tensor>& ys, const std::vector<TensorOrVariable>& xs,
    const std::string& name = "hessians");

// The value of a function, and its derivative along a direction: what it
// changes by if each argument changes by its tangent. A tangent that is not
// defined() is zero; so is a derivative if nothing depends on the arguments.
struct ForwardResult {
  Tensor value, derivative;
};
GK_EXPORT ForwardResult jvp(
    const std::function<Tensor(const std::vector<Tensor>&)>& f,
    const std::vector<Tensor>& arguments,
    const std::vector<Tensor>& tangents);

// The derivatives of each element of f(x) by each of x: of the value's shape
// followed by x's; zeros if nothing depends on x.
//
//   gk::Tensor J = gk::jacobian([](gk::Tensor x) { return x * x; }, x);
GK_EXPORT Tensor jacobian(const std::function<Tensor(const Tensor&)>& f,
                          const Tensor& x);
// The same by each argument of f.
GK_EXPORT std::vector<Tensor> jacobian(
    const std::function<Tensor(const std::vector<Tensor>&)>& f,
    const std::vector<Tensor>& arguments);
// The same for each example of a batch by itself, as
// GradientTape::batch_jacobian.
GK_EXPORT Tensor batch_jacobian(const std::function<Tensor(const Tensor&)>& f,
                                const Tensor& x);

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_GRADIENT_TAPE_H_
