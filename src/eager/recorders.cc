#include "eager/recorders.h"

#include <algorithm>
#include <utility>

namespace gk {
namespace {

TapeReferences Tapes(bool forward_only) {
  TapeReferences found;
  for (const OpObserver* o : CurrentObservers().observers) {
    const auto* listing = dynamic_cast<const GradientTape::Listing*>(o);
    if (listing == nullptr || (forward_only && !listing->forward())) continue;
    found.push_back(listing->Reference());
  }
  return found;
}

}  // namespace

TapeReferences RecordingTapes() { return Tapes(false); }
TapeReferences ForwardTapes() { return Tapes(true); }

RecordOnly::RecordOnly(const TapeReferences& tapes, OpObserver* first) {
  taken_.reserve(tapes.size());
  outside_ = std::exchange(CurrentObservers(), ObserverList());
  try {
    if (first != nullptr) CurrentObservers().observers.push_back(first);
    for (const std::weak_ptr<GradientTape>& reference : tapes) {
      const std::shared_ptr<GradientTape> tape = reference.lock();
      if (!tape) continue;
      taken_.push_back(
          {reference, std::exchange(tape->listing_, nullptr), tape->thread_});
      tape->Push();
    }
  } catch (...) {
    Restore();
    throw;
  }
}

void RecordOnly::Restore() {
  for (; !taken_.empty(); taken_.pop_back()) {
    const Taken& taken = taken_.back();
    const std::shared_ptr<GradientTape> tape = taken.tape.lock();
    const bool goes_on = tape && tape->recording();
    if (tape) tape->Pop();
    if (taken.outside == nullptr) continue;
    if (goes_on) {
      tape->listing_ = taken.outside;
      tape->thread_ = taken.thread;
      continue;
    }
    taken.outside->Leave();
    if (std::erase(outside_.observers, taken.outside) > 0) delete taken.outside;
  }
  CurrentObservers() = std::move(outside_);
}

bool ReadVariables::WantsAny(std::span<const Tensor> tensors) const {
  for (const Tensor& t : tensors) {
    if (IsTrainableHandle(t)) Add(t);
  }
  return false;
}

void ReadVariables::Add(const Tensor& handle) const {
  if (std::none_of(handles_.begin(), handles_.end(),
                   [&](const Tensor& t) { return t.id() == handle.id(); })) {
    handles_.push_back(handle);
  }
}

void RecordOwnGradient(std::span<const Tensor> inputs,
                       std::span<const Tensor> outputs,
                       const BackwardFn& backward, bool forward_too) {
  if (!CurrentObservers().active()) return;
  const std::vector<OpObserver*> observers = CurrentObservers().observers;
  for (OpObserver* o : observers) {
    const auto* listing = dynamic_cast<const GradientTape::Listing*>(o);
    // One that saw nothing, as of results computed elsewhere, has but this.
    if (!forward_too && listing != nullptr && listing->forward() &&
        listing->WantsAny(outputs)) {
      continue;
    }
    o->OnCall(inputs, outputs, backward);
  }
}

}  // namespace gk
