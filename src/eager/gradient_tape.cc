#include "eager/gradient_tape.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/caught.h"
#include "framework/graph_builder.h"
#include "framework/handle_data.h"
#include "framework/op_registry.h"
#include "framework/variable.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/ReadVariableOp.h"

namespace gk {

bool MayHaveGradient(DataType dtype, const HandleData& held) {
  if (!IsTrainable(dtype)) return false;
  return dtype != DataType::kVariant || held.size() != 1 ||
         IsTrainable(held[0].dtype);
}

bool MayHaveGradient(const Tensor& t) {
  if (t.dtype() != DataType::kVariant) return IsTrainable(t.dtype());
  return MayHaveGradient(t.dtype(), HandleDataOf(t));
}

bool IsTrainableHandle(const Tensor& t) {
  if (t.dtype() != DataType::kResource) return false;
  if (t.is_symbolic()) {
    const GraphBuilder* const builder = GraphBuilder::Of(Graph::GraphOf(t));
    return builder != nullptr && builder->IsTrainable(t);
  }
  StatusOr<VariableResource*> v = VariableOf(t);
  return v.ok() && (*v)->trainable();
}

namespace {

// What is one for tapes: a tensor, or a variable whatever holds its handle.
uint64_t IdOf(const Tensor& t) {
  if (t.dtype() != DataType::kResource) return t.id();
  constexpr uint64_t kIsAddress = uint64_t{1} << 63;  // no tensor's id has it
  return reinterpret_cast<uintptr_t>(ResourceKey(t)) | kIsAddress;
}

// What is made meanwhile is the gradient of an op that was made in `scope`.
class InGradientScope {
 public:
  explicit InGradientScope(const std::string& scope)
      : graph_(GraphBuilder::Current()) {
    if (graph_ != nullptr) graph_->EnterGradientScope(scope);
  }
  ~InGradientScope() {
    if (graph_ != nullptr) graph_->LeaveGradientScope();
  }
  InGradientScope(const InGradientScope&) = delete;

 private:
  GraphBuilder* const graph_;
};

// Is `output` the handle of a variable whose handle is an input, too? What has
// arrived for one has arrived for the other.
bool IsInput(const Tensor& output, std::span<const Tensor> inputs) {
  return output.dtype() == DataType::kResource &&
         std::any_of(inputs.begin(), inputs.end(), [&](const Tensor& t) {
           return t.dtype() == DataType::kResource && IdOf(t) == IdOf(output);
         });
}

constexpr int64_t kMaxSeedElements = 1000;

// Can a gradient begin with it? A variable's handle stands for its value.
bool IsTarget(const Tensor& t, bool is_source) {
  if (t.dtype() == DataType::kResource) return !HandleDataOf(t).empty();
  return MayHaveGradient(t) || (is_source && !IsObjectType(t.dtype()));
}

// The gradient of a target with respect to itself. In a graph a constant,
// where the shape is known and small.
Tensor Seed(const Tensor& target) {
  OpBuilder* builder = OpBuilder::Current();
  if (target.dtype() == DataType::kResource) {
    return Seed(ops::ReadVariableOp(target, HandleDataOf(target)[0].dtype));
  }
  if (!builder->builds_graph()) return ops::OnesLike(target);
  const PartialTensorShape shape = target.partial_shape();
  const StatusOr<TensorShape> known = shape.AsTensorShape();
  if (!known.ok() || known->num_elements() >= kMaxSeedElements) {
    return ops::OnesLike(OpName("ones_like"), target);
  }
  const Tensor zeros = ValueOrThrow(Tensor::Zeros(target.dtype(), *known));
  const Tensor ones = [&] {
    OpBuilder::Scope eagerly(OpBuilder::Eager());
    return ops::OnesLike(zeros);
  }();
  return ValueOrThrow(builder->Constant(ones, "ones"));
}

// Gradients that have arrived for each tensor, by tensor id.
class Accumulators {
 public:
  void Add(const Tensor& t, Gradient g) {
    if (!g.is_none()) parts_[IdOf(t)].push_back(std::move(g));
  }
  bool Has(const Tensor& t) const { return parts_.contains(IdOf(t)); }
  Gradient Take(const Tensor& t) {
    auto it = parts_.find(IdOf(t));
    if (it == parts_.end()) return {};
    Gradient g = SumGradients(it->second);
    it->second = {g};
    return g;
  }
  void Drop(const Tensor& t) { parts_.erase(IdOf(t)); }

 private:
  std::unordered_map<uint64_t, std::vector<Gradient>> parts_;
};

}  // namespace

GradientTape::GradientTape(bool persistent, bool watch_accessed_variables,
                           bool forward)
    : persistent_(persistent),
      watch_accessed_(watch_accessed_variables),
      forward_(forward) {}

GradientTape::~GradientTape() { Pop(); }

std::weak_ptr<GradientTape> GradientTape::Reference() {
  if (!self_) self_ = std::shared_ptr<GradientTape>(this, [](auto*) {});
  return self_;
}

void GradientTape::Push() {
  if (recording()) return;
  std::vector<OpObserver*>& observers = CurrentObservers().observers;
  std::erase_if(observers, [](OpObserver* o) {
    const auto* listing = dynamic_cast<const Listing*>(o);
    if (listing == nullptr || !listing->IsLeft()) return false;
    delete listing;
    return true;
  });
  auto listing = std::make_unique<Listing>(this);
  observers.push_back(listing.get());
  listing_ = listing.release();
  thread_ = std::this_thread::get_id();
}

void GradientTape::Pop() {
  if (!recording()) return;
  Listing* const listing = std::exchange(listing_, nullptr);
  listing->Leave();
  // In the list of another thread, or put aside, it stays.
  if (thread_ == std::this_thread::get_id() &&
      std::erase(CurrentObservers().observers, listing) > 0) {
    delete listing;
  }
}

// A few nanoseconds: held for as long as an op is noted, and hardly ever
// wanted by two.
class GradientTape::Listing::Hold {
 public:
  explicit Hold(std::atomic<bool>& busy) : busy_(busy) {
    while (busy_.exchange(true, std::memory_order_acquire)) {
      std::this_thread::yield();
    }
  }
  ~Hold() { busy_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool>& busy_;
};

bool GradientTape::Listing::IsLeft() const {
  const Hold hold(busy_);
  return tape_ == nullptr;
}
std::weak_ptr<GradientTape> GradientTape::Listing::Reference() const {
  const Hold hold(busy_);
  return tape_ == nullptr ? std::weak_ptr<GradientTape>() : tape_->Reference();
}
void GradientTape::Listing::Leave() {
  const Hold hold(busy_);
  tape_ = nullptr;
}
void GradientTape::Listing::OnOp(const OpRecord& record,
                                 std::span<const Tensor> inputs,
                                 std::span<const Tensor> outputs,
                                 const AttrMap& attrs) {
  const Hold hold(busy_);
  if (tape_ != nullptr) tape_->OnOp(record, inputs, outputs, attrs);
}
void GradientTape::Listing::OnCall(std::span<const Tensor> inputs,
                                   std::span<const Tensor> outputs,
                                   BackwardFn backward) {
  const Hold hold(busy_);
  if (tape_ != nullptr) tape_->OnCall(inputs, outputs, std::move(backward));
}
bool GradientTape::Listing::WantsAny(std::span<const Tensor> tensors) const {
  const Hold hold(busy_);
  return tape_ != nullptr && tape_->WantsAny(tensors);
}
void GradientTape::Listing::OnVariableAccess(const Tensor& handle) {
  const Hold hold(busy_);
  if (tape_ != nullptr) tape_->OnVariableAccess(handle);
}

void GradientTape::Reset() {
  entries_.clear();
  watched_.clear();
  variables_.clear();
  watched_tensors_.clear();
  used_ = false;
}

void GradientTape::Watch(const Tensor& t) {
  if (!watched_.insert(IdOf(t)).second) return;
  watched_tensors_.push_back(t);
  if (t.dtype() == DataType::kResource) variables_.push_back(t);
}

void GradientTape::OnVariableAccess(const Tensor& handle) {
  if (watch_accessed_) Watch(handle);
}

bool GradientTape::WantsAny(std::span<const Tensor> tensors) const {
  return std::any_of(tensors.begin(), tensors.end(), [&](const Tensor& t) {
    return watched_.contains(IdOf(t)) ||
           (watch_accessed_ && IsTrainableHandle(t));
  });
}

bool GradientTape::ShouldRecord(std::span<const Tensor> inputs) {
  bool wanted = false;
  for (const Tensor& t : inputs) {
    if (watched_.contains(IdOf(t))) {
      wanted = true;
    } else if (watch_accessed_ && IsTrainableHandle(t)) {
      Watch(t);
      wanted = true;
    }
  }
  return wanted;
}

void GradientTape::MarkOutputs(std::span<const Tensor> outputs) {
  for (const Tensor& t : outputs) {
    if (MayHaveGradient(t)) watched_.insert(IdOf(t));
  }
}

void GradientTape::OnOp(const OpRecord& record, std::span<const Tensor> inputs,
                        std::span<const Tensor> outputs, const AttrMap& attrs) {
  if (outputs.empty() || record.Has(kNoGradient) || !ShouldRecord(inputs)) {
    return;
  }
  if (std::none_of(outputs.begin(), outputs.end(),
                   [](const Tensor& t) { return MayHaveGradient(t); })) {
    return;
  }
  MarkOutputs(outputs);
  entries_.push_back({&record,
                      attrs,
                      {inputs.begin(), inputs.end()},
                      {outputs.begin(), outputs.end()},
                      nullptr,
                      {}});
  if (const GraphBuilder* graph = GraphBuilder::Current()) {
    entries_.back().scope = graph->GradientScope(outputs[0]);
  }
}

void GradientTape::OnCall(std::span<const Tensor> inputs,
                          std::span<const Tensor> outputs,
                          BackwardFn backward) {
  if (!ShouldRecord(inputs)) return;
  MarkOutputs(outputs);
  entries_.push_back({nullptr,
                      {},
                      {inputs.begin(), inputs.end()},
                      {outputs.begin(), outputs.end()},
                      std::move(backward),
                      {}});
}

StatusOr<std::vector<Gradient>> GradientTape::ComputeGradient(
    std::span<const Tensor> targets, std::span<const Tensor> sources,
    std::span<const Gradient> output_grads) {
  if (used_ && !persistent_) {
    return RuntimeError(
        "A non-persistent GradientTape can only be used to compute one set of "
        "gradients (or jacobians)");
  }
  used_ = true;
  if (GraphBuilder* graph = GraphBuilder::Current()) {
    graph->NoteDifferentiation();
  }
  const bool was_recording = recording();
  if (was_recording && !persistent_) Pop();

  // Entries on a path from a source. What was not watched is no source, but
  // that everything depends on itself.
  std::unordered_set<uint64_t> reached, given;
  for (const Tensor& s : sources) {
    given.insert(IdOf(s));
    if (watched_.contains(IdOf(s))) reached.insert(IdOf(s));
  }
  std::vector<bool> on_path(entries_.size());
  const size_t count = entries_.size();
  for (size_t i = 0; i < count; ++i) {
    const Entry& e = entries_[i];
    if (std::any_of(e.inputs.begin(), e.inputs.end(), [&](const Tensor& t) {
          return reached.contains(IdOf(t));
        })) {
      on_path[i] = true;
      for (const Tensor& t : e.outputs) reached.insert(IdOf(t));
    }
  }

  std::vector<Gradient> result(sources.size());
  try {
    Accumulators grads;
    for (size_t i = 0; i < targets.size(); ++i) {
      const bool is_source = given.contains(IdOf(targets[i]));
      if (!is_source && !reached.contains(IdOf(targets[i]))) continue;
      if (!IsTarget(targets[i], is_source)) continue;
      if (i < output_grads.size() && !output_grads[i].is_none()) {
        grads.Add(targets[i], output_grads[i]);
      } else {
        grads.Add(targets[i], {Seed(targets[i]), {}, {}});
      }
    }
    for (size_t i = count; i-- > 0;) {
      if (!on_path[i]) continue;
      // Making gradients may record entries and move them: copy the handle.
      const Entry e = entries_[i];
      if (std::none_of(e.outputs.begin(), e.outputs.end(),
                       [&](const Tensor& t) {
                         return grads.Has(t) && !IsInput(t, e.inputs);
                       })) {
        continue;
      }
      std::vector<Gradient> dy(e.outputs.size());
      for (size_t k = 0; k < dy.size(); ++k) {
        const Tensor& y = e.outputs[k];
        if (!IsInput(y, e.inputs)) dy[k] = grads.Take(y);
      }
      std::vector<bool> wanted(e.inputs.size());
      bool any = false;
      for (size_t k = 0; k < wanted.size(); ++k) {
        wanted[k] =
            reached.contains(IdOf(e.inputs[k])) && MayHaveGradient(e.inputs[k]);
        any |= wanted[k];
      }
      if (!any) continue;
      std::vector<Gradient> dx;
      if (e.record) {
        if (!e.record->gradient) {
          return LookupError("gradient registry has no entry for: {}",
                             e.record->name);
        }
        GradContext ctx(*e.record, e.attrs, e.inputs, e.outputs, dy);
        std::unique_ptr<bool[]> flags(new bool[wanted.size()]);
        std::copy(wanted.begin(), wanted.end(), flags.get());
        ctx.set_wanted(flags.get());
        InGradientScope scope(e.scope);
        e.record->gradient(ctx);
        dx = std::move(ctx.grads());
      } else {
        dx = e.backward(dy, wanted);
      }
      for (size_t k = 0; k < e.inputs.size() && k < dx.size(); ++k) {
        if (wanted[k]) grads.Add(e.inputs[k], std::move(dx[k]));
      }
    }
    for (size_t i = 0; i < sources.size(); ++i) {
      result[i] = grads.Take(sources[i]);
    }
  } catch (...) {
    return CaughtStatus();
  }
  if (!persistent_) {
    entries_.clear();
    watched_.clear();
    watched_tensors_.clear();
    if (was_recording) Push();
  }
  return result;
}

}  // namespace gk
