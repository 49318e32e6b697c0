#include "ops/data/element_steps.h"

#include <algorithm>

namespace gk {
namespace {

Status Make(const ElementStep& step, const CancellationToken* cancellation,
            TensorVector* element, TensorVector* scratch, bool* end) {
  scratch->clear();
  scratch->swap(*element);
  Status status = step.function.RunOn(scratch, cancellation, element);
  scratch->clear();
  if (status.code() != Code::kOutOfRange) return status;
  if (step.preserve_cardinality) {
    return InvalidArgument("Function invocation produced OutOfRangeError: {}",
                           status.message());
  }
  // The function asks an iterator that has come to its end.
  TakeErrorSite();
  *end = true;
  return OkStatus();
}

// What becomes of an element; not *kept if it is left out. Whoever keeps
// `scratch`, which may hold anything, saves allocations.
Status TakeSteps(const ElementSteps& steps,
                 const CancellationToken* cancellation, TensorVector* element,
                 TensorVector* scratch, bool* kept, bool* end) {
  *kept = true;
  for (const ElementStep& step : steps) {
    if (step.filters) {
      GK_RETURN_IF_ERROR(
          Holds(step.function, element, cancellation, scratch, kept));
    } else {
      GK_RETURN_IF_ERROR(Make(step, cancellation, element, scratch, end));
    }
    if (*end || !*kept) break;
  }
  return OkStatus();
}

class FilterIterator final : public DatasetIterator {
 public:
  FilterIterator(IteratorPtr input, ElementSteps steps)
      : input_(std::move(input)), steps_(std::move(steps)) {}
  Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                 bool* end) override {
    while (!ended_) {
      GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
      GK_RETURN_IF_ERROR(input_->Next(cancellation, element, &ended_));
      if (ended_) break;
      bool kept = false;
      GK_RETURN_IF_ERROR(
          TakeSteps(steps_, cancellation, element, &scratch_, &kept, &ended_));
      if (kept && !ended_) return OkStatus();
    }
    *end = true;
    return OkStatus();
  }

 private:
  const IteratorPtr input_;
  const ElementSteps steps_;
  TensorVector scratch_;
  bool ended_ = false;
};

// Steps none of which leaves elements out, one element after the other.
class MapIterator final : public DatasetIterator {
 public:
  // `passes_over`: elements that nobody wants are not made.
  MapIterator(IteratorPtr input, ElementSteps steps, bool passes_over)
      : input_(std::move(input)),
        steps_(std::move(steps)),
        passes_over_(passes_over) {}
  Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                 bool* end) override {
    GK_RETURN_IF_ERROR(input_->Next(cancellation, element, end));
    if (*end) return OkStatus();
    bool kept = false;
    return TakeSteps(steps_, cancellation, element, &scratch_, &kept, end);
  }

 protected:
  Status DoSkip(const CancellationToken* cancellation, int64_t n,
                SkipErrors errors, int64_t* passed, bool* end) override {
    return passes_over_ && errors == SkipErrors::kPassed
               ? input_->Skip(cancellation, n, errors, passed, end)
               : DatasetIterator::DoSkip(cancellation, n, errors, passed, end);
  }

 private:
  const IteratorPtr input_;
  const ElementSteps steps_;
  const bool passes_over_;
  TensorVector scratch_;
};

// The elements whose last component, which goes, says that they are kept.
class KeptIterator final : public DatasetIterator {
 public:
  explicit KeptIterator(IteratorPtr input) : input_(std::move(input)) {}
  Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                 bool* end) override {
    while (!ended_) {
      GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
      GK_RETURN_IF_ERROR(input_->Next(cancellation, element, &ended_));
      if (ended_) break;
      const bool kept = element->back().scalar<bool>();
      element->pop_back();
      if (kept) return OkStatus();
    }
    *end = true;
    return OkStatus();
  }

 private:
  const IteratorPtr input_;
  bool ended_ = false;
};

}  // namespace

Status Holds(const CapturedFunction& predicate, TensorVector* element,
             const CancellationToken* cancellation, TensorVector* scratch,
             bool* holds) {
  TensorVector& result = *scratch;
  result.clear();
  GK_RETURN_IF_ERROR(predicate.RunOn(element, cancellation, &result));
  const bool says = result.size() == 1 &&
                    result[0].dtype() == DataType::kBool &&
                    result[0].num_elements() == 1;
  if (says) *holds = result[0].scalar<bool>();
  result.clear();
  if (says) return OkStatus();
  return InvalidArgument("Filter predicate `f` must return a scalar bool.");
}

StepsDataset::StepsDataset(std::string_view kind, ElementSignature signature,
                           Ref<const Dataset> input, ElementSteps steps,
                           int64_t parallel)
    : DatasetOfInput(std::move(signature), std::move(input)),
      kind_(kind),
      steps_(std::move(steps)),
      parallel_(parallel) {}

bool StepsDataset::filters() const {
  return std::ranges::any_of(steps_, &ElementStep::filters);
}
bool StepsDataset::is_stateful() const {
  return std::ranges::any_of(steps_, &ElementStep::is_stateful);
}
bool StepsDataset::preserves_cardinality() const {
  return std::ranges::all_of(steps_, &ElementStep::preserve_cardinality);
}

int64_t StepsDataset::Cardinality() const {
  return preserves_cardinality() ? input().Cardinality() : kUnknownCardinality;
}

StatusOr<IteratorPtr> StepsDataset::MakeIterator(
    const ContextRef& context) const {
  GK_ASSIGN_OR_RETURN(IteratorPtr in, input().NewIterator(context));
  ElementSteps steps = steps_;
  for (ElementStep& step : steps) step.function = step.function.In(context);
  const bool filters = this->filters();
  if (filters && parallel_ == 0) {
    return IteratorPtr(new FilterIterator(std::move(in), std::move(steps)));
  }
  const bool passes_over = preserves_cardinality() && !is_stateful();
  if (parallel_ == 0) {
    return IteratorPtr(
        new MapIterator(std::move(in), std::move(steps), passes_over));
  }
  ElementFn apply =
      [self = Ref<const StepsDataset>(this), filters, steps = std::move(steps)](
          TensorVector element, const CancellationToken* cancellation,
          TensorVector* result, bool* end) -> Status {
    *result = std::move(element);
    bool kept = false;
    TensorVector scratch;
    GK_RETURN_IF_ERROR(
        TakeSteps(steps, cancellation, result, &scratch, &kept, end));
    if (!kept) result->clear();
    if (filters) result->push_back(Tensor::Scalar(kept));
    return OkStatus();
  };
  const PassedOver passed_over =
      passes_over ? PassedOver::kRunsForErrors : PassedOver::kRuns;
  IteratorPtr made =
      ParallelMap(std::move(in), std::move(apply),
                  InParallel(context->resources(), parallel_), passed_over);
  return filters ? IteratorPtr(new KeptIterator(std::move(made)))
                 : std::move(made);
}

}  // namespace gk
