// Datasets of the elements for which a function says yes.
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

class FilterDataset final : public DatasetOfInput {
 public:
  // `take_while`: ends before the first element that is refused, else leaves
  // those out.
  FilterDataset(ElementSignature signature, Ref<const Dataset> input,
                CapturedFunction predicate, bool take_while)
      : DatasetOfInput(std::move(signature), std::move(input)),
        predicate_(std::move(predicate)),
        take_while_(take_while) {}

  std::string_view kind() const override {
    return take_while_ ? "TakeWhileDataset" : "FilterDataset";
  }
  int64_t Cardinality() const override { return kUnknownCardinality; }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    GK_ASSIGN_OR_RETURN(IteratorPtr in, input().MakeIterator(context));
    return IteratorPtr(new Iterator(this, context, std::move(in)));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const FilterDataset* d, const ContextRef& context,
             IteratorPtr input)
        : dataset_(d),
          predicate_(d->predicate_.In(context)),
          input_(std::move(input)) {}
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      while (!ended_) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        GK_RETURN_IF_ERROR(input_->GetNext(cancellation, element, &ended_));
        if (ended_) break;
        TensorVector result;
        GK_RETURN_IF_ERROR(predicate_.Run(*element, cancellation, &result));
        if (result.size() != 1 || result[0].dtype() != DataType::kBool ||
            result[0].num_elements() != 1) {
          return InvalidArgument(
              "Filter predicate `f` must return a scalar bool.");
        }
        if (result[0].scalar<bool>()) return OkStatus();
        ended_ = dataset_->take_while_;
      }
      *end = true;
      return OkStatus();
    }

   private:
    const Ref<const FilterDataset> dataset_;
    const CapturedFunction predicate_;
    const IteratorPtr input_;
    bool ended_ = false;
  };

  const CapturedFunction predicate_;
  const bool take_while_;
};

template <bool kTakeWhile>
Status ComputeFilter(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Ref<const Dataset> input, InputDataset(c));
  CapturedFunction f;
  GK_RETURN_IF_ERROR(CaptureFunction(c, "predicate", 1, c.num_inputs() - 1,
                                     input->signature().types.size(), &f));
  return SetDataset(c,
                    MakeRef<FilterDataset>(SignatureAttrs(c), std::move(input),
                                           std::move(f), kTakeWhile));
}

#define GK_FILTER_ATTRS                                         \
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
