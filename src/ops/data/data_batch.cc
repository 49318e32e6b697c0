// Elements put together to batches, and batches taken apart.
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

class BatchDataset final : public DatasetOfInput {
 public:
  BatchDataset(std::string_view kind, ElementSignature signature,
               Ref<const Dataset> input, int64_t size, bool drop_remainder)
      : DatasetOfInput(std::move(signature), std::move(input)),
        kind_(kind),
        size_(size),
        drop_remainder_(drop_remainder) {}

  std::string_view kind() const override { return kind_; }
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (n < 0) return n;
    return n / size_ + (n % size_ == 0 || drop_remainder_ ? 0 : 1);
  }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    GK_ASSIGN_OR_RETURN(IteratorPtr in, input().MakeIterator(context));
    return IteratorPtr(new Iterator(this, std::move(in)));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const BatchDataset* d, IteratorPtr input)
        : dataset_(d), input_(std::move(input)) {}
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      std::vector<TensorVector> rows;
      while (!ended_ && static_cast<int64_t>(rows.size()) < dataset_->size_) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        TensorVector row;
        GK_RETURN_IF_ERROR(input_->GetNext(cancellation, &row, &ended_));
        if (!ended_) rows.push_back(std::move(row));
      }
      const bool partial = static_cast<int64_t>(rows.size()) < dataset_->size_;
      if (rows.empty() || (partial && dataset_->drop_remainder_)) {
        *end = true;
        return OkStatus();
      }
      element->clear();
      for (size_t k = 0; k < rows[0].size(); ++k) {
        GK_ASSIGN_OR_RETURN(Tensor batch, Stack(rows, k));
        element->push_back(std::move(batch));
      }
      return OkStatus();
    }

   private:
    // Component k of all rows.
    static StatusOr<Tensor> Stack(const std::vector<TensorVector>& rows,
                                  size_t k) {
      const Tensor& first = rows[0][k];
      for (size_t i = 1; i < rows.size(); ++i) {
        if (rows[i].size() != rows[0].size() ||
            rows[i][k].dtype() != first.dtype()) {
          return InvalidArgument(
              "Cannot batch elements with different components");
        }
        if (rows[i][k].shape() == first.shape()) continue;
        return InvalidArgument(
            "Cannot batch tensors with different shapes in component {}. "
            "First element had shape {} and element {} had shape {}.",
            k, first.shape().DebugString(), i,
            rows[i][k].shape().DebugString());
      }
      std::vector<int64_t> dims{static_cast<int64_t>(rows.size())};
      dims.insert(dims.end(), first.shape().dims().begin(),
                  first.shape().dims().end());
      GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
      GK_ASSIGN_OR_RETURN(Tensor batch, Tensor::Allocate(first.dtype(), shape));
      GK_RETURN_IF_ERROR(
          VisitMoved(first.dtype(), [&]<class T>(std::type_identity<T>) {
            T* to = static_cast<T*>(batch.raw_data());
            for (const TensorVector& row : rows) {
              to = std::copy_n(static_cast<const T*>(row[k].raw_data()),
                               row[k].num_elements(), to);
            }
          }));
      return batch;
    }

    const Ref<const BatchDataset> dataset_;
    const IteratorPtr input_;
    bool ended_ = false;
  };

  const std::string_view kind_;
  const int64_t size_;
  const bool drop_remainder_;
};

Status ComputeBatch(KernelContext& c) {
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
      c, MakeRef<BatchDataset>(c.record().name, SignatureAttrs(c),
                               std::move(input), size, drop_remainder));
}

class UnbatchDataset final : public DatasetOfInput {
 public:
  UnbatchDataset(ElementSignature signature, Ref<const Dataset> input)
      : DatasetOfInput(std::move(signature), std::move(input)) {}

  std::string_view kind() const override { return "UnbatchDataset"; }
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
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    GK_ASSIGN_OR_RETURN(IteratorPtr in, input().MakeIterator(context));
    return IteratorPtr(new Iterator(std::move(in)));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(IteratorPtr input) : input_(std::move(input)) {}
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      while (at_ >= rows_) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        TensorVector batch;
        rows_ = at_ = 0;
        GK_RETURN_IF_ERROR(input_->GetNext(cancellation, &batch, end));
        if (*end) return OkStatus();
        for (const Tensor& t : batch) {
          if (t.rank() == 0) {
            return InvalidArgument(
                "Input element must have a non-scalar value in each "
                "component.");
          }
          if (t.dim(0) != batch[0].dim(0)) {
            return InvalidArgument(
                "Input element must have the same batch size in each "
                "component. Component 0 had size {} but component {} had "
                "size, {}.",
                batch[0].dim(0), &t - batch.data(), t.dim(0));
          }
        }
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
    const IteratorPtr input_;
    TensorVector batch_;
    int64_t at_ = 0, rows_ = 0;
  };
};

Status ComputeUnbatch(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Ref<const Dataset> input, InputDataset(c));
  return SetDataset(
      c, MakeRef<UnbatchDataset>(SignatureAttrs(c), std::move(input)));
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
     .kernel = {.compute = ComputeBatch},
     .doc = "BatchDatasetV2 with a wish for parallel work."},

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
