// Datasets of the elements for which a function says yes.
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

class FilterDataset final : public OneInputDataset {
 public:
  // `take_while`: ends before the first element that is refused, else leaves
  // those out.
  FilterDataset(OneInput in, CapturedFunction predicate, bool take_while)
      : OneInputDataset(std::move(in)),
        predicate_(std::move(predicate)),
        take_while_(take_while) {}

  int64_t Cardinality() const override { return kUnknownCardinality; }

 private:
  class Iterator final : public OneInputIterator<FilterDataset> {
   public:
    Iterator(const FilterDataset* d, const ContextRef& context,
             IteratorPtr input)
        : OneInputIterator(d, std::move(input)),
          predicate_(d->predicate_.In(context)) {}
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      while (!ended_) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        GK_RETURN_IF_ERROR(input().Next(cancellation, element, &ended_));
        if (ended_) break;
        TensorVector result;
        GK_RETURN_IF_ERROR(predicate_.Run(*element, cancellation, &result));
        if (result.size() != 1 || result[0].dtype() != DataType::kBool ||
            result[0].num_elements() != 1) {
          return InvalidArgument(
              "Filter predicate `f` must return a scalar bool.");
        }
        if (result[0].scalar<bool>()) return OkStatus();
        ended_ = dataset().take_while_;
      }
      *end = true;
      return OkStatus();
    }

   private:
    const CapturedFunction predicate_;
    bool ended_ = false;
  };

  IteratorPtr Over(IteratorPtr input,
                   const ContextRef& context) const override {
    return std::make_unique<Iterator>(this, context, std::move(input));
  }

  const CapturedFunction predicate_;
  const bool take_while_;
};

template <bool kTakeWhile>
Status ComputeFilter(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(OneInput in, ReadOneInput(c));
  CapturedFunction f;
  GK_RETURN_IF_ERROR(CaptureFunction(c, "predicate", 1, c.num_inputs() - 1,
                                     in.dataset->signature().types.size(), &f));
  return SetDataset(
      c, MakeRef<FilterDataset>(std::move(in), std::move(f), kTakeWhile));
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
