// Staging areas: tuples of tensors that one part of a program leaves for
// another, found by name.
#include <condition_variable>
#include <deque>
#include <mutex>

#include "base/process_mutex.h"
#include "framework/op_registry.h"
#include "ops/named_resource.h"
#include "ops/queue/staging.h"
#include "ops/queue/waiting.h"

namespace gk {
namespace {

class StagingArea final : public Resource {
 public:
  explicit StagingArea(StagingLimits limits) : limits_(limits) {}

  std::string_view kind() const override { return "StagingArea"; }
  std::string_view type_name() const override { return "tensorflow::Buffer"; }

  // Waits for room.
  Status Put(TensorVector tuple, const CancellationToken* cancellation) {
    const int64_t bytes = BytesOf(tuple);
    GK_RETURN_IF_ERROR(limits_.CheckBytes(bytes));
    Waiting::Lock lock(mutex_);
    Waiting waiting(cancellation);
    while (
        !limits_.HasRoom(static_cast<int64_t>(tuples_.size()), bytes_, bytes)) {
      GK_RETURN_IF_ERROR(waiting.Once(lock, changed_));
    }
    bytes_ += bytes;
    tuples_.push_back(std::move(tuple));
    changed_.notify_all();
    return OkStatus();
  }

  // Waits until there is a tuple number `index`. `takes`: it is the first,
  // and taken away if `check` says that it is what was asked for.
  template <class Check>
  Status Get(int64_t index, bool takes, const CancellationToken* cancellation,
             Check&& check, TensorVector* tuple) {
    Waiting::Lock lock(mutex_);
    Waiting waiting(cancellation);
    while (static_cast<int64_t>(tuples_.size()) <= index) {
      GK_RETURN_IF_ERROR(waiting.Once(lock, changed_));
    }
    GK_RETURN_IF_ERROR(check(tuples_[index]));
    *tuple = tuples_[index];
    if (!takes) return OkStatus();
    tuples_.pop_front();
    bytes_ -= BytesOf(*tuple);
    changed_.notify_all();
    return OkStatus();
  }

  int64_t Size() {
    const std::lock_guard lock(mutex_);
    return static_cast<int64_t>(tuples_.size());
  }
  void Clear() {
    const std::lock_guard lock(mutex_);
    tuples_.clear();
    bytes_ = 0;
    changed_.notify_all();
  }

 private:
  const StagingLimits limits_;
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  std::condition_variable_any changed_;
  std::deque<TensorVector> tuples_;
  int64_t bytes_ = 0;
};

StatusOr<Ref<StagingArea>> AreaOf(const KernelContext& c) {
  GK_ASSIGN_OR_RETURN(
      const Ref<Resource> found,
      FindOrMakeNamed(c, "staging_area",
                      [&](const std::string&) -> StatusOr<Ref<Resource>> {
                        return Ref<Resource>(
                            MakeRef<StagingArea>(StagingLimits(c)));
                      }));
  return Ref<StagingArea>(static_cast<StagingArea*>(found.get()));
}

Status StageTuple(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<StagingArea> area, AreaOf(c));
  TensorVector tuple;
  for (int i = 0; i < c.num_inputs(); ++i) tuple.push_back(c.input(i));
  return area->Put(std::move(tuple), c.cancellation());
}

Status GiveTuple(KernelContext& c, int64_t index, bool takes) {
  GK_ASSIGN_OR_RETURN(const Ref<StagingArea> area, AreaOf(c));
  const auto& types = c.attr<std::vector<DataType>>("dtypes");
  const auto fits = [&](const TensorVector& tuple) {
    if (tuple.size() != types.size()) {
      return InvalidArgument("Mismatch stage/unstage: {} vs. {}", tuple.size(),
                             types.size());
    }
    for (size_t i = 0; i < types.size(); ++i) {
      if (tuple[i].dtype() != types[i]) {
        return InvalidArgument(
            "Type mismatch of component {}: staged {} vs. dtypes {}", i,
            DataTypeString(tuple[i].dtype()), DataTypeString(types[i]));
      }
    }
    return OkStatus();
  };
  TensorVector tuple;
  GK_RETURN_IF_ERROR(area->Get(index, takes, c.cancellation(), fits, &tuple));
  for (size_t i = 0; i < tuple.size(); ++i) {
    c.set_output(static_cast<int>(i), tuple[i].Alias());
  }
  return OkStatus();
}

Status UnstageTuple(KernelContext& c) { return GiveTuple(c, 0, true); }

Status PeekTuple(KernelContext& c) {
  const Tensor& index = c.input(0);
  if (index.rank() != 0 || index.scalar<int32_t>() < 0) {
    return InvalidArgument("index must be a scalar >= 0, got {}",
                           index.DebugString(3));
  }
  return GiveTuple(c, index.scalar<int32_t>(), false);
}

Status CountTuples(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<StagingArea> area, AreaOf(c));
  c.set_output(0, Tensor::Scalar(static_cast<int32_t>(area->Size())));
  return OkStatus();
}

Status ClearArea(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<StagingArea> area, AreaOf(c));
  area->Clear();
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "Stage",
     .inputs = "values: dtypes",
     .outputs = "",
     .attrs = GK_STAGED_TUPLE,
     .traits = kStaging,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = StageTuple},
     .doc = "Puts a tuple into a staging area; waits while it is full."},

    {.name = "Unstage",
     .inputs = "",
     .outputs = "values: dtypes",
     .attrs = GK_STAGED_TUPLE,
     .traits = kStaging,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = UnstageTuple},
     .doc = "Takes the tuple out of a staging area that came first; waits "
            "while there is none."},

    {.name = "StagePeek",
     .inputs = "index: int32",
     .outputs = "values: dtypes",
     .attrs = GK_STAGED_TUPLE,
     .traits = kStaging,
     .shape = shape_fn::Unknown,
     .kernel = {.compute = PeekTuple},
     .doc = "Tuple number `index` of a staging area, which stays there; waits "
            "until there is one."},

    {.name = "StageSize",
     .inputs = "",
     .outputs = "size: int32",
     .attrs = GK_STAGING,
     .traits = kStaging,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = CountTuples},
     .doc = "How many tuples a staging area has."},

    {.name = "StageClear",
     .inputs = "",
     .outputs = "",
     .attrs = GK_STAGING,
     .traits = kStaging,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ClearArea},
     .doc = "Takes all tuples out of a staging area."},
};

}  // namespace

GK_REGISTER_OPS(queue_staging)

}  // namespace gk
