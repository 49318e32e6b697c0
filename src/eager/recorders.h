// Which tapes record on this thread, and code that only some of them see.
#ifndef GK_EAGER_RECORDERS_H_
#define GK_EAGER_RECORDERS_H_

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "eager/gradient_tape.h"

namespace gk {

using TapeReferences = std::vector<std::weak_ptr<GradientTape>>;

// The tapes that see what is made here now, outermost first; those of forward
// accumulators alone.
TapeReferences RecordingTapes();
TapeReferences ForwardTapes();

// While it lives exactly these tapes record on this thread, if they are still
// there, whatever records or pauses outside; `first` sees it before them. A
// tape that is stopped meanwhile stays stopped.
class RecordOnly {
 public:
  explicit RecordOnly(const TapeReferences& tapes, OpObserver* first = nullptr);
  ~RecordOnly() { Restore(); }
  RecordOnly(const RecordOnly&) = delete;

 private:
  struct Taken {
    std::weak_ptr<GradientTape> tape;
    GradientTape::Listing* outside;  // null: it did not record
    std::thread::id thread;
  };
  void Restore();

  std::vector<Taken> taken_;
  ObserverList outside_;
};

// Notes the handles of trainable variables that are read, in order.
class ReadVariables final : public OpObserver {
 public:
  const TensorVector& handles() const { return handles_; }

  void OnOp(const OpRecord&, std::span<const Tensor>, std::span<const Tensor>,
            const AttrMap&) override {}
  void OnCall(std::span<const Tensor>, std::span<const Tensor>,
              BackwardFn) override {}
  bool WantsAny(std::span<const Tensor> tensors) const override;
  void OnVariableAccess(const Tensor& handle) override { Add(handle); }

 private:
  void Add(const Tensor& handle) const;

  mutable TensorVector handles_;
};

// Tells the tapes of a call that has a gradient of its own. Forward
// accumulators that saw what it did are told only if `forward_too`.
void RecordOwnGradient(std::span<const Tensor> inputs,
                       std::span<const Tensor> outputs,
                       const BackwardFn& backward, bool forward_too);

}  // namespace gk

#endif  // GK_EAGER_RECORDERS_H_
