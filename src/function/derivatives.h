// Derivatives as programs ask for them: of what a tape recorded, and of the
// tensors of a graph.
#ifndef GK_FUNCTION_DERIVATIVES_H_
#define GK_FUNCTION_DERIVATIVES_H_

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "eager/gradient_tape.h"
#include "function/jacobian.h"

namespace gk {

// What comes out for a source that the target does not depend on.
enum class UnconnectedGradients { kNone, kZero };
// "none" or "zero"; ValueError for another text.
StatusOr<UnconnectedGradients> ParseUnconnectedGradients(std::string_view text);

// A gradient tape with the rules that a program sees: it is used once unless
// it is persistent, and refuses what makes no sense with an Error. Belongs to
// one thread.
class UserTape {
 public:
  explicit UserTape(bool persistent = false,
                    bool watch_accessed_variables = true)
      : persistent_(persistent), watch_accessed_(watch_accessed_variables) {}

  bool persistent() const { return persistent_; }
  bool recording() const { return recording_; }

  // Begins to record, and stops. ValueError if it does, or does not. A tape
  // that was used up begins anew.
  void Push();
  void Pop();
  // Forgets what was recorded and watched. ValueError unless it records.
  void Reset();
  // A tensor, or the handle of a variable.
  void Watch(const Tensor& t) { Tape().Watch(t); }
  // Handles of the variables watched, in order of first use; of a tape that
  // was used up those that it had.
  const TensorVector& watched_variables() const {
    return tape_ ? tape_->watched_variables() : watched_;
  }

  // RuntimeError if nothing was recorded, or it was used up.
  void CheckUsable() const;
  // These stop and use up a tape that is not persistent.
  //
  // d sum(targets * weights) / d sources. `weights` may be empty; where they
  // hold no tensor they are ones.
  std::vector<Gradient> Gradients(std::span<const Tensor> targets,
                                  std::span<const Tensor> sources,
                                  std::span<const Gradient> weights,
                                  UnconnectedGradients unconnected);
  TensorVector Jacobians(const Tensor& target, std::span<const Tensor> sources,
                         UnconnectedGradients unconnected);
  Tensor BatchJacobian(const Tensor& target, const Tensor& source);

 private:
  GradientTape& Tape();
  template <class F>
  auto Use(F&& differentiate);

  const bool persistent_, watch_accessed_;
  bool recording_ = false;
  std::unique_ptr<GradientTape> tape_;  // null: nothing recorded yet
  TensorVector watched_;
};

// d sum(ys * weights) / d xs in the graph being built; nothing goes through
// the ops that make `stops`. RuntimeError where none is built, ValueError for
// weights that do not fit.
std::vector<Gradient> GraphGradients(std::span<const Tensor> ys,
                                     std::span<const Tensor> xs,
                                     std::span<const Gradient> weights,
                                     std::span<const Tensor> stops,
                                     UnconnectedGradients unconnected);

// For each of xs, whose shapes are known, the matrix of second derivatives of
// sum(ys) by it; nodes are in the scope `name`.
TensorVector Hessians(std::span<const Tensor> ys, std::span<const Tensor> xs,
                      std::string_view name);

}  // namespace gk

#endif  // GK_FUNCTION_DERIVATIVES_H_
