#include "ops/data/element_steps.h"

#include <algorithm>

namespace gk {
namespace {

Status Make(const ElementStep& step, const CancellationToken* cancellation,
            TensorVector* element, bool* end) {
  TensorVector argument;
  argument.swap(*element);
  Status status = step.function.Run(std::move(argument), cancellation, element);
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

// What becomes of an element; not *kept if it is left out.
Status TakeSteps(const ElementSteps& steps,
                 const CancellationToken* cancellation, TensorVector* element,
                 bool* kept, bool* end) {
  *kept = true;
  for (const ElementStep& step : steps) {
    if (step.filters) {
      GK_RETURN_IF_ERROR(Holds(step.function, *element, cancellation, kept));
    } else {
      GK_RETURN_IF_ERROR(Make(step, cancellation, element, end));
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
          TakeSteps(steps_, cancellation, element, &kept, &ended_));
      if (kept && !ended_) return OkStatus();
    }
    *end = true;
    return OkStatus();
  }

 private:
  const IteratorPtr input_;
  const ElementSteps steps_;
  bool ended_ = false;
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

Status Holds(const CapturedFunction& predicate, const TensorVector& element,
             const CancellationToken* cancellation, bool* holds) {
  TensorVector result;
  GK_RETURN_IF_ERROR(predicate.Run(element, cancellation, &result));
  if (result.size() != 1 || result[0].dtype() != DataType::kBool ||
      result[0].num_elements() != 1) {
    return InvalidArgument("Filter predicate `f` must return a scalar bool.");
  }
  *holds = result[0].scalar<bool>();
  return OkStatus();
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
  ElementFn apply =
      [self = Ref<const StepsDataset>(this), filters, steps = std::move(steps)](
          TensorVector element, const CancellationToken* cancellation,
          TensorVector* result, bool* end) -> Status {
    *result = std::move(element);
    bool kept = false;
    GK_RETURN_IF_ERROR(TakeSteps(steps, cancellation, result, &kept, end));
    if (!kept) result->clear();
    if (filters) result->push_back(Tensor::Scalar(kept));
    return OkStatus();
  };
  const PassedOver passed_over = preserves_cardinality() && !is_stateful()
                                     ? PassedOver::kRunsForErrors
                                     : PassedOver::kRuns;
  if (parallel_ == 0) {
    return MapEach(std::move(in), std::move(apply), passed_over);
  }
  IteratorPtr made =
      ParallelMap(std::move(in), std::move(apply),
                  InParallel(context->resources(), parallel_), passed_over);
  return filters ? IteratorPtr(new KeptIterator(std::move(made)))
                 : std::move(made);
}

}  // namespace gk
