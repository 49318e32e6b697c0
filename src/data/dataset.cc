#include "data/dataset.h"

#include <algorithm>

#include "base/interrupt.h"

namespace gk {
namespace {

// Each level takes a few hundred bytes of stack while it is asked.
constexpr int kMaxDepth = 5000;

Status WrongNumber(size_t wanted, size_t have) {
  return InvalidArgument(
      "Number of components does not match: expected {} types but got {}.",
      wanted, have);
}

Status WrongType(size_t i, DataType wanted, DataType have) {
  return InvalidArgument(
      "Data type mismatch at component {}: expected {} but got {}.", i,
      DataTypeString(wanted), DataTypeString(have));
}

Status WrongShape(size_t i, const PartialTensorShape& wanted,
                  const PartialTensorShape& have) {
  return InvalidArgument(
      "Incompatible shapes at component {}: expected {} but got {}.", i,
      wanted.DebugString(), have.DebugString());
}

bool Fits(const PartialTensorShape& wanted, const TensorShape& have) {
  if (wanted.unknown_rank()) return true;
  return std::equal(wanted.dims().begin(), wanted.dims().end(),
                    have.dims().begin(), have.dims().end(),
                    [](int64_t w, int64_t h) { return w < 0 || w == h; });
}

}  // namespace

// Made for the first recording of an iterator's elements.
class Dataset::StageEvents final : public EventTypes {
 public:
  explicit StageEvents(const Dataset& dataset) : stage(dataset, this) {}

  class Stage final : public EventType {
   public:
    Stage(const Dataset& dataset, const EventTypes* holder)
        : EventType(EventKind::kStage, holder),
          kind_(dataset.kind()),
          signature_(dataset.signature()) {}
    void Tell(const EventDetail*, EventFacts* facts) const override {
      // TensorFlow's names: "BatchV2" of a "BatchDatasetV2".
      constexpr std::string_view kWord = "Dataset";
      std::string name = kind_;
      const size_t at = name.find(kWord);
      if (at != name.npos) name.erase(at, kWord.size());
      facts->name = Format("Iterator::{}", name);
      facts->arguments.emplace_back("name", kind_);
      for (size_t i = 0; i < signature_.types.size(); ++i) {
        facts->shapes += Format(
            "{}{}{}", i > 0 ? ", " : "", DataTypeName(signature_.types[i]),
            i < signature_.shapes.size() ? signature_.shapes[i].DebugString()
                                         : "");
      }
    }

   private:
    const std::string kind_;
    const ElementSignature signature_;
  };
  const Stage stage;
};

Dataset::~Dataset() {
  if (const StageEvents* const made = stage_.load()) made->Unref();
}

const EventType& Dataset::Stage() const {
  const StageEvents* events = stage_.load(std::memory_order_acquire);
  if (events != nullptr) return events->stage;
  Ref<const StageEvents> made = MakeRef<StageEvents>(*this);
  if (stage_.compare_exchange_strong(events, made.get())) {
    return made.Release()->stage;
  }
  return events->stage;
}

StatusOr<IteratorPtr> Dataset::NewIterator(const ContextRef& context) const {
  GK_ASSIGN_OR_RETURN(IteratorPtr made, MakeIterator(context));
  // Some pass on what another one made.
  if (!made->made_by_) made->made_by_ = Ref<const Dataset>(this);
  return made;
}

DatasetIterator::DatasetIterator() = default;
DatasetIterator::~DatasetIterator() = default;

Status DatasetIterator::RecordedNext(const CancellationToken* cancellation,
                                     TensorVector* element, bool* end) {
  if (!made_by_) return GetNext(cancellation, element, end);
  const EventSpan span(made_by_->Stage());
  return GetNext(cancellation, element, end);
}

Status DatasetIterator::Skip(const CancellationToken* cancellation, int64_t n,
                             SkipErrors errors, int64_t* passed, bool* end) {
  *passed = 0;
  while (*passed < n && !*end) {
    int64_t some = 0;
    const Status status =
        DoSkip(cancellation, n - *passed, errors, &some, end);
    *passed += some;
    if (status.ok()) continue;
    if (errors == SkipErrors::kGiven) return status;
    GK_RETURN_IF_ERROR(CheckInterrupt());
    ++*passed;
  }
  return OkStatus();
}

Status DatasetIterator::DoSkip(const CancellationToken* cancellation, int64_t n,
                               SkipErrors, int64_t* passed, bool* end) {
  TensorVector element;
  for (; *passed < n; ++*passed) {
    GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
    GK_RETURN_IF_ERROR(CheckInterrupt());
    element.clear();
    GK_RETURN_IF_ERROR(Next(cancellation, &element, end));
    if (*end) break;
  }
  return OkStatus();
}

Status DatasetIterator::NextRows(const CancellationToken* cancellation,
                                 int64_t n, std::span<void* const> rows,
                                 int64_t* count, bool* end) {
  *count = 0;
  if (!EventLog::On() || !made_by_) [[likely]] {
    return GetRows(cancellation, n, rows, count, end);
  }
  const EventSpan span(made_by_->Stage());
  return GetRows(cancellation, n, rows, count, end);
}

Status DatasetIterator::GetRows(const CancellationToken*, int64_t,
                                std::span<void* const>, int64_t*, bool*) {
  return Internal("Elements of a {} are not given as rows",
                  made_by_ ? made_by_->kind() : "dataset");
}

Dataset::Dataset(ElementSignature signature,
                 std::initializer_list<const Dataset*> inputs)
    : signature_(std::move(signature)) {
  for (const Dataset* input : inputs) AddInput(*input);
}

void Dataset::AddInput(const Dataset& input) {
  depth_ = std::max(depth_, input.depth_ + 1);
  AddOptions(input.options_);
  AddSeedSources(input.seed_sources_);
}

void Dataset::AddSeedSources(const SeedSources& sources) {
  seed_sources_.insert(seed_sources_.end(), sources.begin(), sources.end());
}

void Dataset::AddOptions(DatasetOptions::Shared options) {
  options_ = DatasetOptions::Both(std::move(options_), std::move(options));
}

void Dataset::AppendText(std::string* text, size_t) const {
  *text += Format("{}Op{}::Dataset", kind(), parameters());
}

StatusOr<Ref<const Dataset>> Dataset::Of(const Tensor& handle) {
  if (handle.dtype() != DataType::kVariant || !handle.shape().IsScalar()) {
    return InvalidArgument(
        "Dataset tensor must be a scalar of dtype DT_VARIANT.");
  }
  const Variant& held = handle.scalar<Variant>();
  const Dataset* dataset = held.As<Dataset>();
  if (dataset == nullptr) {
    return InvalidArgument("Tensor must be a Dataset object, not {}.",
                           held.get() ? held.get()->type_name() : "nothing");
  }
  return Ref<const Dataset>(dataset);
}

StatusOr<Tensor> Dataset::Wrap(Ref<const Dataset> dataset) {
  if (dataset->depth_ > kMaxDepth) {
    return ResourceExhausted(
        "A dataset made of more than {} transformations, each of the one "
        "before",
        kMaxDepth);
  }
  GK_ASSIGN_OR_RETURN(Tensor t,
                      Tensor::Allocate(DataType::kVariant, TensorShape()));
  t.data<Variant>()[0] = Variant(
      Ref<VariantObject>::Adopt(const_cast<Dataset*>(dataset.Release())));
  return t;
}

Status CheckElement(const ElementSignature& wanted,
                    const TensorVector& element) {
  if (element.size() != wanted.types.size()) {
    return WrongNumber(wanted.types.size(), element.size());
  }
  for (size_t i = 0; i < element.size(); ++i) {
    const Tensor& t = element[i];
    if (t.dtype() != wanted.types[i]) {
      return WrongType(i, wanted.types[i], t.dtype());
    }
    if (i < wanted.shapes.size() && !Fits(wanted.shapes[i], t.shape())) {
      return WrongShape(i, wanted.shapes[i], t.shape());
    }
  }
  return OkStatus();
}

Status CheckSignature(const ElementSignature& wanted,
                      const ElementSignature& have) {
  if (have.types.size() != wanted.types.size()) {
    return WrongNumber(wanted.types.size(), have.types.size());
  }
  for (size_t i = 0; i < wanted.types.size(); ++i) {
    if (wanted.types[i] != have.types[i]) {
      return WrongType(i, wanted.types[i], have.types[i]);
    }
    if (i < wanted.shapes.size() && i < have.shapes.size() &&
        !wanted.shapes[i].IsCompatibleWith(have.shapes[i])) {
      return WrongShape(i, wanted.shapes[i], have.shapes[i]);
    }
  }
  return OkStatus();
}

}  // namespace gk
