// GradientTape: records what is made on a thread and differentiates it in
// reverse mode.
//
// A tape sees ops while it is on its thread's observer list (Push, Pop). It
// records those that depend on watched tensors. It holds the tensors of the
// recorded ops until it is reset or, unless persistent, used. Not
// thread-safe. Reverse-mode accumulation as in Griewank and Walther,
// "Evaluating Derivatives", ch. 3.
#ifndef GK_EAGER_GRADIENT_TAPE_H_
#define GK_EAGER_GRADIENT_TAPE_H_

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "framework/op_builder.h"
#include "framework/resource.h"

namespace gk {

// Can there be a gradient of it? Not of integers, nor of lists of them.
bool MayHaveGradient(const Tensor& t);
// The same, for what is known of a handle.
bool MayHaveGradient(DataType dtype, const HandleData& held);

// Is it the handle of a trainable variable?
bool IsTrainableHandle(const Tensor& t);

class GradientTape final {
 public:
  // `forward`: a ForwardAccumulator's, which follows what functions with
  // gradients of their own really do.
  explicit GradientTape(bool persistent = false,
                        bool watch_accessed_variables = true,
                        bool forward = false);
  ~GradientTape();
  GradientTape(const GradientTape&) = delete;

  // Starts recording on this thread; stops it, on whatever thread.
  void Push();
  void Pop();
  // What a thread's list of observers names while a tape records.
  class Listing;
  bool recording() const { return listing_ != nullptr; }
  bool persistent() const { return persistent_; }
  bool forward() const { return forward_; }
  // Empty once the tape is gone.
  std::weak_ptr<GradientTape> Reference();
  // Forgets everything recorded and watched.
  void Reset();

  // A tensor, or the handle of a variable.
  void Watch(const Tensor& t);
  // Handles of the variables watched, in order of first use.
  const TensorVector& watched_variables() const { return variables_; }

  // d sum(targets * output_grads) / d sources; output_grads may be empty or
  // hold null tensors (ones). Built with the current builder, so that outer
  // tapes see it. RuntimeError on second use unless persistent; LookupError
  // for an op without a gradient on the path.
  StatusOr<std::vector<Gradient>> ComputeGradient(
      std::span<const Tensor> targets, std::span<const Tensor> sources,
      std::span<const Gradient> output_grads);

 private:
  struct Entry {
    const OpRecord* record = nullptr;  // null: a call with `backward`
    AttrMap attrs;
    TensorVector inputs, outputs;
    BackwardFn backward;
    std::string scope;  // in the graph that the op was made in
  };
  void OnOp(const OpRecord& record, std::span<const Tensor> inputs,
            std::span<const Tensor> outputs, const AttrMap& attrs);
  void OnCall(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
              BackwardFn backward);
  bool WantsAny(std::span<const Tensor> tensors) const;
  void OnVariableAccess(const Tensor& handle);
  bool ShouldRecord(std::span<const Tensor> inputs);
  void MarkOutputs(std::span<const Tensor> outputs);

  friend class RecordOnly;

  bool persistent_, watch_accessed_, forward_;
  std::shared_ptr<GradientTape> self_;  // does not own
  Listing* listing_ = nullptr;          // while it records
  std::thread::id thread_;              // where
  bool used_ = false;
  std::vector<Entry> entries_;
  std::unordered_set<uint64_t> watched_;
  TensorVector variables_;
  TensorVector watched_tensors_;  // keep ids from being meant for others
};

// Tapes are let go of anywhere: by another thread, or while a list is put
// aside for a trace. A list that cannot be reached names what stays behind of
// one, until a tape on that thread finds it.
class GradientTape::Listing final : public OpObserver {
 public:
  explicit Listing(GradientTape* tape)
      : persistent_(tape->persistent()),
        forward_(tape->forward()),
        tape_(tape) {}
  bool persistent() const { return persistent_; }
  bool forward() const { return forward_; }
  // Empty if it sees nothing any more.
  std::weak_ptr<GradientTape> Reference() const;
  bool IsLeft() const;
  // Waits until the tape sees nothing any more.
  void Leave();

  void OnOp(const OpRecord& record, std::span<const Tensor> inputs,
            std::span<const Tensor> outputs, const AttrMap& attrs) override;
  void OnCall(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
              BackwardFn backward) override;
  bool WantsAny(std::span<const Tensor> tensors) const override;
  void OnVariableAccess(const Tensor& handle) override;

 private:
  class Hold;
  const bool persistent_, forward_;
  mutable std::atomic<bool> busy_{false};
  GradientTape* tape_;
};

}  // namespace gk

#endif  // GK_EAGER_GRADIENT_TAPE_H_
