// Elements put together to batches, and batches taken apart.
#include "framework/op_registry.h"
#include "ops/data/batch_dataset.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

Status MakeBatch(KernelContext& c, int64_t parallel) {
  GK_ASSIGN_OR_RETURN(Ref<const Dataset> input, InputDataset(c));
  int64_t size = 0;
  bool drop_remainder = false;
  GK_RETURN_IF_ERROR(ScalarInput(c, 1, "batch_size", &size));
  if (size <= 0) {
    return InvalidArgument("Batch size must be greater than zero.");
  }
  GK_RETURN_IF_ERROR(
      ScalarInput(c, c.num_inputs() - 1, "drop_remainder", &drop_remainder));
  return SetDataset(
      c, BatchOf(c.record().name, SignatureAttrs(c), std::move(input), size,
                 drop_remainder, parallel));
}

Status ComputeBatch(KernelContext& c) { return MakeBatch(c, 0); }

Status ComputeParallelBatch(KernelContext& c) {
  int64_t parallel = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, 2, "num_parallel_calls", &parallel));
  if (parallel <= 0 && parallel != -1) {
    return InvalidArgument("num_parallel_calls must be greater than zero.");
  }
  return MakeBatch(c, parallel);
}

class UnbatchDataset final : public OneInputDataset {
 public:
  using OneInputDataset::OneInputDataset;

  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (n < 0) return n;
    int64_t each = -1;
    for (const PartialTensorShape& s : input().signature().shapes) {
      if (s.rank() > 0 && s.dim(0) >= 0) each = s.dim(0);
    }
    const int64_t all = each < 0 ? -1 : MultiplyWithoutOverflow(n, each);
    return all < 0 ? kUnknownCardinality : all;
  }

 private:
  class Iterator final : public OneInputIterator<UnbatchDataset> {
   public:
    using OneInputIterator::OneInputIterator;
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      while (at_ >= rows_) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        TensorVector batch;
        rows_ = at_ = 0;
        GK_RETURN_IF_ERROR(input().Next(cancellation, &batch, end));
        if (*end) return OkStatus();
        GK_RETURN_IF_ERROR(CheckSameRows(
            batch,
            "Input element must have a non-scalar value in each component."));
        batch_ = std::move(batch);
        rows_ = batch_.empty() ? 0 : batch_[0].dim(0);
      }
      element->clear();
      for (const Tensor& t : batch_) {
        GK_ASSIGN_OR_RETURN(Tensor row, Row(t, at_));
        element->push_back(std::move(row));
      }
      if (++at_ == rows_) batch_.clear();
      return OkStatus();
    }

   private:
    TensorVector batch_;
    int64_t at_ = 0, rows_ = 0;
  };

  IteratorPtr Over(IteratorPtr input, const ContextRef&) const override {
    return std::make_unique<Iterator>(this, std::move(input));
  }
};

Status ComputeUnbatch(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(OneInput in, ReadOneInput(c));
  return SetDataset(c, MakeRef<UnbatchDataset>(std::move(in)));
}

const OpRecord kRecords[] = {
    {.name = "BatchDatasetV2",
     .inputs = "input_dataset: variant; batch_size: int64;"
               "drop_remainder: bool",
     .outputs = "handle: variant",
     .attrs = "parallel_copy: bool = False; " GK_ELEMENT_ATTRS
              "; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeBatch},
     .doc = "A dataset of `batch_size` consecutive elements at a time, "
            "stacked."},

    {.name = "ParallelBatchDataset",
     .inputs = "input_dataset: variant; batch_size: int64;"
               "num_parallel_calls: int64; drop_remainder: bool",
     .outputs = "handle: variant",
     .attrs = "parallel_copy: bool = False; " GK_ELEMENT_ATTRS
              "; deterministic: string = 'default'; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeParallelBatch},
     .doc = "BatchDatasetV2 whose batches are stacked several at a time."},

    {.name = "UnbatchDataset",
     .inputs = "input_dataset: variant",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS "; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeUnbatch},
     .doc = "A dataset of the rows of each element."},
};

}  // namespace

GK_REGISTER_OPS(data_batch)

}  // namespace gk
