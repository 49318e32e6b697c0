#include "data/iterator_resource.h"

#include <chrono>
#include <mutex>

#include "base/thread_number.h"
#include "data/pass_resources.h"
#include "data/said_option.h"

namespace gk {

namespace {

Status NotStarted(std::string_view before) {
  return FailedPrecondition(
      "The iterator has not been initialized: it needs a dataset before {}",
      before);
}

// Symbolic checkpoints, or of TensorFlow's policies WARN and IGNORE; FAIL is
// what holds otherwise.
bool MayRepeatEffects(const Dataset& dataset) {
  const DatasetOptions* const options = dataset.options().get();
  const bool* const symbolic =
      SaidOption<bool>(options, "experimental_symbolic_checkpoint");
  if (symbolic != nullptr && *symbolic) return true;
  const int64_t* const policy =
      SaidOption<int64_t>(options, "experimental_external_state_policy");
  constexpr int64_t kFail = 2;
  return policy != nullptr && *policy != kFail;
}

ContextRef NewContext(const Dataset& dataset, bool begins) {
  const auto context = MakeRef<IterationContext>();
  context->SetResources(PassResources::Of(dataset.options().get(), begins));
  return context;
}

}  // namespace

// The right to ask, for one thread at a time.
class IteratorResource::Turn {
 public:
  explicit Turn(IteratorResource& resource) : resource_(resource) {}
  ~Turn() {
    if (!taken_) return;
    std::lock_guard lock(resource_.mutex_);
    resource_.busy_ = false;
    if (resource_.waiting_ == 0) return;
    --resource_.waiting_;
    resource_.free_.release();
  }
  Status Take(const CancellationToken* cancellation) {
    const uint64_t thread = ThreadNumber();
    std::unique_lock lock(resource_.mutex_);
    while (resource_.busy_) {
      if (resource_.user_ == thread) {
        return FailedPrecondition(
            "An iterator was asked for an element while making one");
      }
      if (IsLeftBehind(resource_.user_)) {
        return FailedPrecondition(
            "An iterator cannot be used in a process forked while another "
            "thread was asking it for an element. Make an iterator in the "
            "child instead.");
      }
      ++resource_.waiting_;
      // The check may take the host language's lock.
      lock.unlock();
      const bool called =
          resource_.free_.try_acquire_for(std::chrono::milliseconds(50));
      Status cancelled = CheckCancellation(cancellation);
      lock.lock();
      // It may have been called since.
      if (!called && !resource_.free_.try_acquire()) --resource_.waiting_;
      GK_RETURN_IF_ERROR(cancelled);
    }
    resource_.busy_ = taken_ = true;
    resource_.user_ = thread;
    pass = resource_.pass_;
    return OkStatus();
  }

  std::shared_ptr<Pass> pass;

 private:
  IteratorResource& resource_;
  bool taken_ = false;
};

Status IteratorResource::Start(const Dataset& dataset) {
  GK_RETURN_IF_ERROR(CheckSignature(signature_, dataset.signature()));
  GK_ASSIGN_OR_RETURN(std::shared_ptr<Pass> pass,
                      Begin(Ref<const Dataset>(&dataset),
                            NewContext(dataset, /*begins=*/true)));
  std::lock_guard lock(mutex_);
  pass_.swap(pass);
  return OkStatus();
}

StatusOr<std::shared_ptr<IteratorResource::Pass>> IteratorResource::Begin(
    Ref<const Dataset> dataset, ContextRef context) {
  auto pass = std::make_shared<Pass>();
  GK_ASSIGN_OR_RETURN(pass->iterator, dataset->NewIterator(context));
  pass->dataset = std::move(dataset);
  pass->context = std::move(context);
  return pass;
}

Status IteratorResource::GetNext(const CancellationToken* cancellation,
                                 TensorVector* element, bool* end) {
  Turn turn(*this);
  GK_RETURN_IF_ERROR(turn.Take(cancellation));
  if (turn.pass == nullptr) {
    return FailedPrecondition(
        "GetNext() failed because the iterator has not been initialized. "
        "Ensure that you have run the initializer operation for this iterator "
        "before getting the next element.");
  }
  *end = false;
  element->clear();
  const Status got = turn.pass->iterator->Next(cancellation, element, end);
  if (!*end && !CheckCancellation(cancellation).ok()) return got;
  if (!*end) ++turn.pass->asked;
  GK_RETURN_IF_ERROR(got);
  return *end ? OkStatus() : CheckElement(signature_, *element);
}

StatusOr<std::string> IteratorResource::Save(bool may_repeat) {
  Turn turn(*this);
  GK_RETURN_IF_ERROR(turn.Take(nullptr));
  if (turn.pass == nullptr) return NotStarted("it is saved");
  const Pass& pass = *turn.pass;
  if (!may_repeat && !MayRepeatEffects(*pass.dataset)) {
    if (const Node* const node = pass.context->Effect()) {
      return FailedPrecondition(
          "The state of an iterator cannot be saved: {} is stateful, and what "
          "it does would be done again where the state is restored ({}, in a "
          "function of the dataset). If it may be, say so with "
          "tf.data.Options.experimental_external_state_policy",
          node->op().name, node->name());
    }
  }
  proto::IteratorState state;
  state.asked = pass.asked;
  pass.context->SaveSeeds(pass.dataset->seed_sources(), &state);
  return state.Serialize();
}

Status IteratorResource::Restore(std::string_view bytes) {
  proto::IteratorState state;
  GK_RETURN_IF_ERROR(state.Parse(bytes));
  if (state.asked < 0) {
    return DataLoss("the state of an iterator says {} elements", state.asked);
  }
  Turn turn(*this);
  GK_RETURN_IF_ERROR(turn.Take(nullptr));
  if (turn.pass == nullptr) return NotStarted("a state is restored");
  ContextRef context = NewContext(*turn.pass->dataset, /*begins=*/false);
  GK_RETURN_IF_ERROR(
      context->LoadSeeds(turn.pass->dataset->seed_sources(), state));
  GK_ASSIGN_OR_RETURN(std::shared_ptr<Pass> pass,
                      Begin(turn.pass->dataset, std::move(context)));
  bool end = false;
  GK_RETURN_IF_ERROR(pass->iterator->Skip(
      nullptr, state.asked, SkipErrors::kPassed, &pass->asked, &end));
  std::lock_guard lock(mutex_);
  pass_.swap(pass);
  return OkStatus();
}

void IteratorResource::Close() {
  std::shared_ptr<Pass> dropped;
  std::lock_guard lock(mutex_);
  dropped.swap(pass_);
}

StatusOr<Ref<IteratorResource>> IteratorResource::Of(const Tensor& handle) {
  if (handle.dtype() == DataType::kResource && handle.shape().IsScalar()) {
    const auto& given = handle.scalar<ResourceHandle>();
    if (given.As<IteratorResource>() != nullptr) {
      GK_ASSIGN_OR_RETURN(const Ref<Resource> now,
                          ResourceManager::Get().Now(given));
      if (auto* found = DownCast<IteratorResource>(now.get())) {
        return Ref<IteratorResource>(found);
      }
    }
  }
  return InvalidArgument("Expected the handle of an iterator, got {}",
                         handle.DebugString(1));
}

}  // namespace gk
