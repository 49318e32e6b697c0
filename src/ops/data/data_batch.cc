// Elements put together to batches, and batches taken apart.
#include "base/thread_pool.h"
#include "data/read_ahead.h"
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

// The components of up to `size` elements, one element behind the other.
class GroupIterator final : public DatasetIterator {
 public:
  GroupIterator(IteratorPtr input, int64_t size, size_t width,
                bool drop_remainder)
      : input_(std::move(input)),
        size_(size),
        width_(width),
        drop_remainder_(drop_remainder) {}

  Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                 bool* end) override {
    element->clear();
    int64_t rows = 0;
    while (!ended_ && rows < size_) {
      GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
      TensorVector row;
      GK_RETURN_IF_ERROR(input_->Next(cancellation, &row, &ended_));
      if (ended_) break;
      if (row.size() != width_) {
        return InvalidArgument(
            "Cannot batch elements with different components");
      }
      for (Tensor& t : row) element->push_back(std::move(t));
      ++rows;
    }
    if (rows == 0 || (rows < size_ && drop_remainder_)) {
      element->clear();
      *end = true;
    }
    return OkStatus();
  }

 private:
  const IteratorPtr input_;
  const int64_t size_;
  const size_t width_;
  const bool drop_remainder_;
  bool ended_ = false;
};

// Component k of all rows of a group.
StatusOr<Tensor> Stack(const TensorVector& group, size_t width, size_t k) {
  const Tensor& first = group[k];
  for (size_t i = k + width; i < group.size(); i += width) {
    const Tensor& other = group[i];
    if (other.dtype() != first.dtype()) {
      return InvalidArgument("Cannot batch elements with different components");
    }
    if (other.shape() == first.shape()) continue;
    return InvalidArgument(
        "Cannot batch tensors with different shapes in component {}. First "
        "element had shape {} and element {} had shape {}.",
        k, first.shape().DebugString(), i / width, other.shape().DebugString());
  }
  std::vector<int64_t> dims{static_cast<int64_t>(group.size() / width)};
  dims.insert(dims.end(), first.shape().dims().begin(),
              first.shape().dims().end());
  GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
  GK_ASSIGN_OR_RETURN(Tensor batch, Tensor::Allocate(first.dtype(), shape));
  GK_RETURN_IF_ERROR(
      VisitMoved(first.dtype(), [&]<class T>(std::type_identity<T>) {
        T* to = static_cast<T*>(batch.raw_data());
        for (size_t i = k; i < group.size(); i += width) {
          to = std::copy_n(static_cast<const T*>(group[i].raw_data()),
                           group[i].num_elements(), to);
        }
      }));
  return batch;
}

class BatchDataset final : public DatasetOfInput {
 public:
  // parallel 0: one batch after the other; -1: tuned.
  BatchDataset(std::string_view kind, ElementSignature signature,
               Ref<const Dataset> input, int64_t size, bool drop_remainder,
               int64_t parallel)
      : DatasetOfInput(std::move(signature), std::move(input)),
        kind_(kind),
        size_(size),
        drop_remainder_(drop_remainder),
        parallel_(parallel) {}

  std::string_view kind() const override { return kind_; }
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (n < 0) return n;
    return n / size_ + (n % size_ == 0 || drop_remainder_ ? 0 : 1);
  }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    GK_ASSIGN_OR_RETURN(IteratorPtr in, input().NewIterator(context));
    const size_t width = input().signature().types.size();
    IteratorPtr groups = std::make_unique<GroupIterator>(
        std::move(in), size_, width, drop_remainder_);
    ElementFn stack = [width](TensorVector group, const CancellationToken*,
                              TensorVector* batch, bool*) -> Status {
      for (size_t k = 0; k < width; ++k) {
        GK_ASSIGN_OR_RETURN(Tensor stacked, Stack(group, width, k));
        batch->push_back(std::move(stacked));
      }
      return OkStatus();
    };
    return parallel_ != 0
               ? ParallelMap(std::move(groups), std::move(stack),
                             InParallel(context->resources(), parallel_))
               : MapEach(std::move(groups), std::move(stack));
  }

 protected:
  std::string parameters() const override { return Format("({})", size_); }

 private:
  const std::string_view kind_;
  const int64_t size_;
  const bool drop_remainder_;
  const int64_t parallel_;
};

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
  return SetDataset(c, MakeRef<BatchDataset>(c.record().name, SignatureAttrs(c),
                                             std::move(input), size,
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
