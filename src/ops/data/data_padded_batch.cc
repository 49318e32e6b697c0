// Elements of different shapes put together to batches: filled up to one
// shape.
#include <algorithm>

#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

// Copies `from` to the beginning of each dimension of `to`, whose dimensions
// are at least as large. Both have the same number of dimensions.
template <class T>
void CopyCorner(const T* from, std::span<const int64_t> from_dims, T* to,
                std::span<const int64_t> to_dims) {
  if (from_dims.empty()) {
    *to = *from;
    return;
  }
  if (from_dims.size() == 1) {
    std::copy_n(from, from_dims[0], to);
    return;
  }
  int64_t from_step = 1, to_step = 1;
  for (size_t i = 1; i < from_dims.size(); ++i) {
    from_step *= from_dims[i];
    to_step *= to_dims[i];
  }
  for (int64_t i = 0; i < from_dims[0]; ++i) {
    CopyCorner(from + i * from_step, from_dims.subspan(1), to + i * to_step,
               to_dims.subspan(1));
  }
}

struct Padding {
  std::vector<std::vector<int64_t>> shapes;  // negative: as large as needed
  TensorVector values;
  int64_t size = 1;
  bool drop_remainder = false;
};

class PaddedBatchDataset final : public OneInputDataset {
 public:
  PaddedBatchDataset(OneInput in, Padding padding)
      : OneInputDataset(std::move(in)), padding_(std::move(padding)) {}

  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (n < 0) return n;
    const bool more = n % padding_.size != 0 && !padding_.drop_remainder;
    return n / padding_.size + (more ? 1 : 0);
  }

 protected:
  std::string parameters() const override {
    return Format("({})", padding_.size);
  }

 private:
  class Iterator final : public OneInputIterator<PaddedBatchDataset> {
   public:
    using OneInputIterator::OneInputIterator;
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      const Padding& p = dataset().padding_;
      std::vector<TensorVector> rows;
      while (has_input() && static_cast<int64_t>(rows.size()) < p.size) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        TensorVector row;
        bool ended = false;
        GK_RETURN_IF_ERROR(input().Next(cancellation, &row, &ended));
        if (ended) {
          DropInput();
        } else if (row.size() != p.shapes.size()) {
          return InvalidArgument(
              "Cannot batch elements with different components");
        } else {
          rows.push_back(std::move(row));
        }
      }
      const bool partial = static_cast<int64_t>(rows.size()) < p.size;
      if (rows.empty() || (partial && p.drop_remainder)) {
        *end = true;
        return OkStatus();
      }
      element->clear();
      for (size_t k = 0; k < p.shapes.size(); ++k) {
        GK_ASSIGN_OR_RETURN(Tensor batch, Pad(rows, k));
        element->push_back(std::move(batch));
      }
      return OkStatus();
    }

   private:
    // The shape that component k of all rows is filled up to, behind the
    // number of rows.
    StatusOr<TensorShape> Room(const std::vector<TensorVector>& rows,
                               size_t k) const {
      const std::vector<int64_t>& wanted = dataset().padding_.shapes[k];
      std::vector<int64_t> dims{static_cast<int64_t>(rows.size())};
      dims.insert(dims.end(), wanted.begin(), wanted.end());
      for (const TensorVector& row : rows) {
        const Tensor& t = row[k];
        if (t.rank() != static_cast<int>(wanted.size())) {
          return InvalidArgument(
              "All elements in a batch must have the same rank as the padded "
              "shape for component{}: expected rank {} but got element with "
              "rank {}",
              k, wanted.size(), t.rank());
        }
        for (int i = 0; i < t.rank(); ++i) {
          int64_t& room = dims[i + 1];
          if (wanted[i] < 0) {
            room = std::max(room, t.dim(i));
          } else if (t.dim(i) > room) {
            return DataLoss(
                "Attempted to pad to a smaller size than the input element.");
          }
        }
      }
      return TensorShape::Make(dims);
    }

    StatusOr<Tensor> Pad(const std::vector<TensorVector>& rows,
                         size_t k) const {
      GK_ASSIGN_OR_RETURN(const TensorShape shape, Room(rows, k));
      const Tensor& filler = dataset().padding_.values[k];
      GK_ASSIGN_OR_RETURN(Tensor batch,
                          Tensor::Allocate(filler.dtype(), shape));
      const int64_t each =
          shape.num_elements() / static_cast<int64_t>(rows.size());
      for (const TensorVector& row : rows) {
        if (row[k].dtype() == filler.dtype()) continue;
        return InvalidArgument(
            "Cannot batch elements with different components");
      }
      GK_RETURN_IF_ERROR(
          VisitMoved(filler.dtype(), [&]<class T>(std::type_identity<T>) {
            T* to = static_cast<T*>(batch.raw_data());
            std::fill_n(to, batch.num_elements(),
                        *static_cast<const T*>(filler.raw_data()));
            for (const TensorVector& row : rows) {
              if (row[k].num_elements() > 0) {
                CopyCorner(static_cast<const T*>(row[k].raw_data()),
                           row[k].shape().dims(), to, shape.dims().subspan(1));
              }
              to += each;
            }
          }));
      return batch;
    }
  };

  IteratorPtr Over(IteratorPtr input, const ContextRef&) const override {
    return std::make_unique<Iterator>(this, std::move(input));
  }

  const Padding padding_;
};

Status ComputePaddedBatch(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Ref<const Dataset> input, InputDataset(c));
  const auto n = static_cast<int>(c.attr<int64_t>("N"));
  Padding p;
  GK_RETURN_IF_ERROR(ScalarInput(c, 1, "batch_size", &p.size));
  if (p.size <= 0) {
    return InvalidArgument("Batch size must be greater than zero.");
  }
  if (n != static_cast<int>(input->signature().types.size()) ||
      n != ListLength(c, "Toutput_types")) {
    return InvalidArgument(
        "Number of padded shapes ({}) must match the number of components in "
        "the input dataset's elements ({})",
        n, input->signature().types.size());
  }
  for (int i = 0; i < n; ++i) {
    const Tensor& shape = c.input(2 + i);
    if (shape.rank() != 1) {
      return InvalidArgument("All padded shapes must be vectors");
    }
    std::vector<int64_t> dims(shape.flat<int64_t>().begin(),
                              shape.flat<int64_t>().end());
    for (int64_t d : dims) {
      if (d < -1) return InvalidArgument("Dimension {} must be >= -1", d);
    }
    p.shapes.push_back(std::move(dims));
    const Tensor& value = c.input(2 + n + i);
    if (!value.shape().IsScalar()) {
      return InvalidArgument("All padding values must be scalars");
    }
    if (value.dtype() != input->signature().types[i]) {
      return InvalidArgument(
          "Mismatched type between padding value {} and input dataset's "
          "component {}: {} vs. {}",
          i, i, DataTypeString(value.dtype()),
          DataTypeString(input->signature().types[i]));
    }
    p.values.push_back(value);
  }
  GK_RETURN_IF_ERROR(
      ScalarInput(c, c.num_inputs() - 1, "drop_remainder", &p.drop_remainder));
  return SetDataset(
      c, MakeRef<PaddedBatchDataset>(
             OneInput{c.record().name, SignatureAttrs(c, "Toutput_types"),
                      std::move(input)},
             std::move(p)));
}

const OpRecord kRecords[] = {
    {.name = "PaddedBatchDatasetV2",
     .inputs = "input_dataset: variant; batch_size: int64;"
               "padded_shapes: N * int64; padding_values: Toutput_types;"
               "drop_remainder: bool",
     .outputs = "handle: variant",
     .attrs = "parallel_copy: bool = False; Toutput_types: list(type) >= 1; "
              "output_shapes: list(shape) >= 1; N: int >= 1; "
              "metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputePaddedBatch},
     .doc = "A dataset of `batch_size` elements at a time, filled up to one "
            "shape and stacked."},
};

}  // namespace

GK_REGISTER_OPS(data_padded_batch)

}  // namespace gk
