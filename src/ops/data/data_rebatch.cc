// Batches made anew: of other sizes, or as sparse tensors.
#include <algorithm>

#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/sparse_variant.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

// Rows [begin, begin + n) of the components of a batch.
struct Piece {
  TensorVector batch;
  int64_t begin = 0, rows = 0;
};

Status CheckRows(const TensorVector& batch) {
  GK_RETURN_IF_ERROR(
      CheckSameRows(batch, "Rows of a scalar cannot be put together"));
  if (batch.empty()) return InvalidArgument("Elements have no components");
  return OkStatus();
}

class RebatchDataset final : public OneInputDataset {
 public:
  RebatchDataset(OneInput in, std::vector<int64_t> sizes, bool drop_remainder)
      : OneInputDataset(std::move(in)),
        sizes_(std::move(sizes)),
        drop_remainder_(drop_remainder) {}
  void AppendText(std::string* text, size_t) const override {
    *text += "RebatchV2DatasetOp::Dataset";
  }
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    return n == 0 || n == kInfiniteCardinality ? n : kUnknownCardinality;
  }

 private:
  class Iterator final : public OneInputIterator<RebatchDataset> {
   public:
    using OneInputIterator::OneInputIterator;
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      const auto& sizes = dataset().sizes_;
      const int64_t wanted = sizes[next_ % sizes.size()];
      std::vector<Piece> pieces;
      int64_t have = 0;
      while (have < wanted) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        if (left_.rows == 0) {
          if (!has_input()) break;
          GK_RETURN_IF_ERROR(Read(cancellation));
          continue;
        }
        Piece piece = left_;
        piece.rows = std::min(left_.rows, wanted - have);
        left_.begin += piece.rows;
        left_.rows -= piece.rows;
        have += piece.rows;
        pieces.push_back(std::move(piece));
      }
      if (have == 0 || (have < wanted && dataset().drop_remainder_)) {
        *end = true;
        return OkStatus();
      }
      ++next_;
      element->clear();
      for (size_t k = 0; k < pieces[0].batch.size(); ++k) {
        GK_ASSIGN_OR_RETURN(Tensor t, Join(pieces, k, have));
        element->push_back(std::move(t));
      }
      return OkStatus();
    }

   private:
    Status Read(const CancellationToken* cancellation) {
      TensorVector batch;
      bool ended = false;
      GK_RETURN_IF_ERROR(input().Next(cancellation, &batch, &ended));
      if (ended) {
        DropInput();
        return OkStatus();
      }
      GK_RETURN_IF_ERROR(CheckRows(batch));
      const int64_t rows = batch[0].dim(0);
      left_ = {std::move(batch), 0, rows};
      return OkStatus();
    }

    static StatusOr<Tensor> Join(const std::vector<Piece>& pieces, size_t k,
                                 int64_t rows) {
      const Tensor& first = pieces[0].batch[k];
      TensorShape each = first.shape();
      each.RemoveDim(0);
      std::vector<int64_t> dims{rows};
      dims.insert(dims.end(), each.dims().begin(), each.dims().end());
      for (const Piece& p : pieces) {
        TensorShape other = p.batch[k].shape();
        other.RemoveDim(0);
        if (other == each && p.batch[k].dtype() == first.dtype()) continue;
        return InvalidArgument(
            "Cannot put rows of shapes {} and {} together in component {}",
            each.DebugString(), other.DebugString(), k);
      }
      GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
      GK_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(first.dtype(), shape));
      GK_RETURN_IF_ERROR(
          VisitMoved(first.dtype(), [&]<class T>(std::type_identity<T>) {
            T* to = static_cast<T*>(t.raw_data());
            const int64_t n = each.num_elements();
            for (const Piece& p : pieces) {
              to = std::copy_n(
                  static_cast<const T*>(p.batch[k].raw_data()) + p.begin * n,
                  p.rows * n, to);
            }
          }));
      return t;
    }

    Piece left_;  // of the batch that was read last
    size_t next_ = 0;
  };

  IteratorPtr Over(IteratorPtr input, const ContextRef&) const override {
    return std::make_unique<Iterator>(this, std::move(input));
  }

  const std::vector<int64_t> sizes_;  // taken in turn
  const bool drop_remainder_;
};

Status ComputeRebatch(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(OneInput in, ReadOneInput(c));
  const Tensor& sizes = c.input(1);
  if (sizes.rank() > 1 || sizes.num_elements() == 0) {
    return InvalidArgument("`batch_sizes` must be a scalar or a vector");
  }
  std::vector<int64_t> all(sizes.flat<int64_t>().begin(),
                           sizes.flat<int64_t>().end());
  for (int64_t n : all) {
    if (n <= 0) return InvalidArgument("Batch size must be greater than zero.");
  }
  bool drop_remainder = false;
  GK_RETURN_IF_ERROR(ScalarInput(c, 2, "drop_remainder", &drop_remainder));
  return SetDataset(c, MakeRef<RebatchDataset>(std::move(in), std::move(all),
                                               drop_remainder));
}

// Each batch in so many parts, of which the last ones may be smaller or empty.
class SplitBatchDataset final : public OneInputDataset {
 public:
  SplitBatchDataset(OneInput in, int64_t parts)
      : OneInputDataset(std::move(in)), parts_(parts) {}
  int64_t Cardinality() const override {
    return input().Cardinality() == kInfiniteCardinality ? kInfiniteCardinality
                                                         : kUnknownCardinality;
  }

 protected:
  std::string parameters() const override { return Format("({})", parts_); }

 private:
  class Iterator final : public OneInputIterator<SplitBatchDataset> {
   public:
    using OneInputIterator::OneInputIterator;
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      const int64_t parts = dataset().parts_;
      if (next_ == parts) {
        TensorVector batch;
        GK_RETURN_IF_ERROR(input().Next(cancellation, &batch, end));
        if (*end) return OkStatus();
        GK_RETURN_IF_ERROR(CheckRows(batch));
        batch_ = std::move(batch);
        next_ = 0;
      }
      const int64_t rows = batch_[0].dim(0);
      const int64_t each = rows / parts + (rows % parts == 0 ? 0 : 1);
      const int64_t first = std::min(rows, next_ * each);
      const int64_t n = std::min(each, rows - first);
      element->clear();
      for (const Tensor& t : batch_) {
        TensorShape shape = t.shape();
        shape.SetDim(0, n);
        GK_ASSIGN_OR_RETURN(Tensor part, Tensor::Allocate(t.dtype(), shape));
        GK_RETURN_IF_ERROR(CopyRows(t, first, n, part.raw_data()));
        element->push_back(std::move(part));
      }
      ++next_;
      return OkStatus();
    }

   private:
    TensorVector batch_;
    int64_t next_ = dataset().parts_;  // part of it
  };

  IteratorPtr Over(IteratorPtr input, const ContextRef&) const override {
    return std::make_unique<Iterator>(this, std::move(input));
  }

  const int64_t parts_;
};

Status ComputeSplitBatch(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(OneInput in, ReadOneInput(c));
  int64_t parts = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, 1, "num_replicas", &parts));
  if (parts <= 0) {
    return InvalidArgument("num_replicas must be greater than zero.");
  }
  return SetDataset(c, MakeRef<SplitBatchDataset>(std::move(in), parts));
}

class SparseBatchDataset final : public OneInputDataset {
 public:
  SparseBatchDataset(OneInput in, int64_t size, std::vector<int64_t> row_shape)
      : OneInputDataset(std::move(in)),
        size_(size),
        row_shape_(std::move(row_shape)) {}
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    return n < 0 ? n : n / size_ + (n % size_ == 0 ? 0 : 1);
  }

 protected:
  std::string parameters() const override { return Format("({})", size_); }

 private:
  class Iterator final : public OneInputIterator<SparseBatchDataset> {
   public:
    using OneInputIterator::OneInputIterator;
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      TensorVector rows;
      while (has_input() &&
             static_cast<int64_t>(rows.size()) < dataset().size_) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        TensorVector row;
        bool ended = false;
        GK_RETURN_IF_ERROR(input().Next(cancellation, &row, &ended));
        if (ended) {
          DropInput();
        } else if (row.size() != 1) {
          return InvalidArgument(
              "Elements of one component only make sparse batches");
        } else {
          rows.push_back(std::move(row[0]));
        }
      }
      if (rows.empty()) {
        *end = true;
        return OkStatus();
      }
      Sparse batch;
      GK_RETURN_IF_ERROR(Make(rows, &batch));
      GK_ASSIGN_OR_RETURN(Tensor t, SparseInVariants(batch));
      *element = {std::move(t)};
      return OkStatus();
    }

   private:
    Status Make(const TensorVector& rows, Sparse* batch) const {
      const std::vector<int64_t>& wanted = dataset().row_shape_;
      const auto rank = static_cast<int>(wanted.size());
      std::vector<int64_t> shape{static_cast<int64_t>(rows.size())};
      shape.insert(shape.end(), wanted.begin(), wanted.end());
      int64_t entries = 0;
      for (const Tensor& row : rows) {
        if (row.rank() != rank || row.dtype() != rows[0].dtype()) {
          return InvalidArgument(
              "Input element had shape ({}) that is incompatible with the row "
              "shape of rank {}.",
              row.shape().DebugString(), rank);
        }
        entries += row.num_elements();
        for (int i = 0; i < rank; ++i) {
          if (wanted[i] < 0) {
            shape[i + 1] = std::max(shape[i + 1], row.dim(i));
          } else if (row.dim(i) > wanted[i]) {
            return DataLoss(
                "Input element had shape {} that is larger than the row "
                "shape in dimension {}: {}.",
                row.shape().DebugString(), i, wanted[i]);
          }
        }
      }
      // What nobody says is as large as the largest.
      for (int64_t& n : shape) n = std::max<int64_t>(n, 0);
      GK_ASSIGN_OR_RETURN(
          batch->indices,
          Tensor::Allocate(DataType::kInt64, TensorShape({entries, rank + 1})));
      GK_ASSIGN_OR_RETURN(
          batch->values,
          Tensor::Allocate(rows[0].dtype(), TensorShape({entries})));
      int64_t* to = batch->indices.data<int64_t>();
      for (size_t r = 0; r < rows.size(); ++r) {
        for (int64_t e = 0; e < rows[r].num_elements(); ++e) {
          int64_t place = e;
          for (int k = rank; k > 0; --k) {
            to[k] = place % rows[r].dim(k - 1);
            place /= rows[r].dim(k - 1);
          }
          to[0] = static_cast<int64_t>(r);
          to += rank + 1;
        }
      }
      GK_RETURN_IF_ERROR(
          VisitMoved(rows[0].dtype(), [&]<class T>(std::type_identity<T>) {
            T* at = static_cast<T*>(batch->values.raw_data());
            for (const Tensor& row : rows) {
              at = std::copy_n(static_cast<const T*>(row.raw_data()),
                               row.num_elements(), at);
            }
          }));
      batch->shape = Tensor::Vector<int64_t>(shape);
      return OkStatus();
    }
  };

  IteratorPtr Over(IteratorPtr input, const ContextRef&) const override {
    return std::make_unique<Iterator>(this, std::move(input));
  }

  const int64_t size_;
  const std::vector<int64_t> row_shape_;  // negative: as large as needed
};

Status ComputeSparseBatch(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(OneInput in, ReadOneInput(c));
  int64_t size = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, 1, "batch_size", &size));
  if (size <= 0) {
    return InvalidArgument("Batch size must be greater than zero.");
  }
  const Tensor& shape = c.input(2);
  if (shape.rank() != 1) {
    return InvalidArgument("row_shape must be a vector");
  }
  std::vector<int64_t> row_shape(shape.flat<int64_t>().begin(),
                                 shape.flat<int64_t>().end());
  return SetDataset(c, MakeRef<SparseBatchDataset>(std::move(in), size,
                                                   std::move(row_shape)));
}

const OpRecord kRecords[] = {
    {.name = "RebatchDatasetV2",
     .inputs = "input_dataset: variant; batch_sizes: int64;"
               "drop_remainder: bool",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeRebatch},
     .doc = "A dataset of the rows of batches in batches of other sizes."},

    {.name = "RebatchDataset",
     .inputs = "input_dataset: variant; num_replicas: int64",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS "; use_fallback: bool = True",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeSplitBatch},
     .doc = "A dataset of the batches, each in `num_replicas` parts."},

    {.name = "DenseToSparseBatchDataset",
     .inputs = "input_dataset: variant; batch_size: int64; row_shape: int64",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeSparseBatch},
     .doc = "A dataset of `batch_size` elements at a time as a sparse "
            "tensor."},
};

}  // namespace

GK_REGISTER_OPS(data_rebatch)

}  // namespace gk
