// CsrMatrix: a sparse matrix in compressed rows, or a batch of them, in a
// scalar variant tensor. Immutable.
#ifndef GK_OPS_SPARSE_CSR_MATRIX_H_
#define GK_OPS_SPARSE_CSR_MATRIX_H_

#include <vector>

#include "framework/inference_context.h"
#include "framework/kernel_context.h"
#include "framework/tensor.h"
#include "framework/variant.h"
#include "kernels/csr.h"

namespace gk {

class CsrMatrix final : public VariantObject {
 public:
  // Nothing but the shape, of rank 2 or 3, which is counted by 32 bits: else
  // InvalidArgument.
  static StatusOr<Ref<CsrMatrix>> Make(DataType dtype,
                                       const TensorShape& shape);

  // Entries of the same places, whose values are to be set.
  static StatusOr<Ref<CsrMatrix>> WithPatternOf(const CsrMatrix& other);

  std::string_view type_name() const override {
    return "tensorflow::CSRSparseMatrix";
  }
  // No entries.
  StatusOr<Ref<VariantObject>> ZerosLike() const override;
  StatusOr<Ref<VariantObject>> Add(const VariantObject& other) const override;

  DataType dtype() const { return dtype_; }
  const TensorShape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t batches() const { return rank() == 2 ? 1 : shape_.dim(0); }
  int64_t rows() const { return shape_.dim(rank() - 2); }
  int64_t width() const { return shape_.dim(rank() - 1); }
  int64_t entries() const { return begins_.back(); }
  // The first entry of each of the batch, and behind the last.
  const std::vector<int64_t>& begins() const { return begins_; }
  // Of each matrix rows() + 1 numbers, from 0 on; then what all entries have.
  const Tensor& first() const { return first_; }
  const Tensor& columns() const { return columns_; }
  const Tensor& values() const { return values_; }

  template <class T>
  CsrView<T> View(int64_t batch) const {
    return {first_.data<int32_t>() + batch * (rows() + 1),
            columns_.data<int32_t>() + begins_[batch],
            values_.data<T>() + begins_[batch], rows(), width()};
  }

  // For whoever makes it: where rows begin, which is 0 everywhere at first.
  int32_t* first_of(int64_t batch) {
    return first_.data<int32_t>() + batch * (rows() + 1);
  }
  // Once these are right: memory for the entries. InvalidArgument if one has
  // more than 32 bits count.
  Status MakeEntries();
  // From counts of each row instead.
  Status MakeEntries(const std::vector<int64_t>& counts);
  int32_t* columns_of(int64_t batch) {
    return columns_.data<int32_t>() + begins_[batch];
  }
  template <class T>
  T* values_of(int64_t batch) {
    return values_.data<T>() + begins_[batch];
  }

  static Tensor Wrap(Ref<CsrMatrix> matrix);
  // What a tensor holds, which is input `i`: InvalidArgument if that is none.
  static StatusOr<const CsrMatrix*> Of(KernelContext& c, int i);

 private:
  CsrMatrix(DataType dtype, const TensorShape& shape)
      : dtype_(dtype), shape_(shape) {}

  const DataType dtype_;
  const TensorShape shape_;
  Tensor first_, columns_, values_;
  std::vector<int64_t> begins_;
};

// sum = alpha a + beta b; they have one shape.
template <class T>
Status AddCsr(const CsrMatrix& a, const T& alpha, const CsrMatrix& b,
              const T& beta, CsrMatrix* sum) {
  const int64_t rows = a.rows(), work = a.entries() + b.entries();
  std::vector<int64_t> counts(a.batches() * rows);
  const auto pass = [&](bool write) {
    for (int64_t i = 0; i < a.batches(); ++i) {
      const CsrView<T> x = a.View<T>(i), y = b.View<T>(i);
      SumRows<T>(
          rows, a.width(), work,
          [&](int64_t row, RowSums<T>& sums) {
            AddScaledRow(x, alpha, row, sums);
            AddScaledRow(y, beta, row, sums);
          },
          write ? nullptr : counts.data() + i * rows, sum->first_of(i),
          write ? sum->columns_of(i) : nullptr,
          write ? sum->values_of<T>(i) : nullptr, ThreadPool::Global());
    }
  };
  pass(false);
  GK_RETURN_IF_ERROR(sum->MakeEntries(counts));
  pass(true);
  return OkStatus();
}

// Calls fn with a value of the type of elements.
template <class Fn>
Status VisitCsrType(KernelContext& c, DataType t, Fn&& fn) {
  Status status;
  const bool known = VisitType<float, double, complex64, complex128>(
      t, [&](auto tag) { status = fn(tag); });
  return known ? status : c.NoKernel();
}

// The shape of the matrix behind input i: from its handle, or unknown.
PartialTensorShape CsrShapeOf(const InferenceContext& c, int i);
// The output is a matrix of that shape.
void SetCsrOutput(InferenceContext& c, int i, DataType dtype,
                  const PartialTensorShape& shape);

}  // namespace gk

#endif  // GK_OPS_SPARSE_CSR_MATRIX_H_
