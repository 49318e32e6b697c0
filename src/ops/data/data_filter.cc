// Datasets of the elements for which a function says yes.
#include "framework/op_registry.h"
#include "ops/data/element_steps.h"

namespace gk {
namespace {

// Ends before the first element that is refused.
class TakeWhileDataset final : public OneInputDataset {
 public:
  TakeWhileDataset(OneInput in, CapturedFunction predicate)
      : OneInputDataset(std::move(in)), predicate_(std::move(predicate)) {}

  int64_t Cardinality() const override { return kUnknownCardinality; }

 private:
  class Iterator final : public OneInputIterator<TakeWhileDataset> {
   public:
    Iterator(const TakeWhileDataset* d, const ContextRef& context,
             IteratorPtr input)
        : OneInputIterator(d, std::move(input)),
          predicate_(d->predicate_.In(context)) {}
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      if (!ended_) {
        GK_RETURN_IF_ERROR(input().Next(cancellation, element, &ended_));
      }
      if (!ended_) {
        bool holds = false;
        GK_RETURN_IF_ERROR(
            Holds(predicate_, element, cancellation, &scratch_, &holds));
        ended_ = !holds;
      }
      *end = ended_;
      return OkStatus();
    }

   private:
    const CapturedFunction predicate_;
    TensorVector scratch_;
    bool ended_ = false;
  };

  IteratorPtr Over(IteratorPtr input,
                   const ContextRef& context) const override {
    return std::make_unique<Iterator>(this, context, std::move(input));
  }

  const CapturedFunction predicate_;
};

template <bool kTakeWhile>
Status ComputeFilter(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(OneInput in, ReadOneInput(c));
  CapturedFunction f;
  GK_RETURN_IF_ERROR(CaptureFunction(c, "predicate", 1, c.num_inputs() - 1,
                                     in.dataset->signature().types.size(), &f));
  if constexpr (kTakeWhile) {
    return SetDataset(c,
                      MakeRef<TakeWhileDataset>(std::move(in), std::move(f)));
  } else {
    ElementSteps steps{{.function = std::move(f), .filters = true}};
    return SetDataset(
        c, MakeRef<StepsDataset>(in.kind, std::move(in.signature),
                                 std::move(in.dataset), std::move(steps), 0));
  }
}

#define GK_FILTER_ATTRS                                             \
  "predicate: func; Targuments: list(type) >= 0; " GK_ELEMENT_ATTRS \
  "; metadata: string = ''"

const OpRecord kRecords[] = {
    {.name = "FilterDataset",
     .inputs = "input_dataset: variant; other_arguments: Targuments",
     .outputs = "handle: variant",
     .attrs = GK_FILTER_ATTRS,
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFilter<false>},
     .doc = "A dataset of the elements for which `predicate` holds."},

    {.name = "TakeWhileDataset",
     .inputs = "input_dataset: variant; other_arguments: Targuments",
     .outputs = "handle: variant",
     .attrs = GK_FILTER_ATTRS,
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFilter<true>},
     .doc = "A dataset that ends before the first element for which "
            "`predicate` does not hold."},
};

}  // namespace

GK_REGISTER_OPS(data_filter)

}  // namespace gk
