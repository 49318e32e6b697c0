#include "ops/sparse/csr_matrix.h"

#include <algorithm>
#include <limits>

namespace gk {
namespace {

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

}  // namespace

StatusOr<Ref<CsrMatrix>> CsrMatrix::Make(DataType dtype,
                                         const TensorShape& shape) {
  Ref<CsrMatrix> made = Ref<CsrMatrix>::Adopt(new CsrMatrix(dtype, shape));
  if (shape.rank() != 2 && shape.rank() != 3) {
    return InvalidArgument(
        "A sparse matrix has rank 2 or 3, but the shape is {}",
        shape.DebugString());
  }
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) >= kMost) {
      return InvalidArgument(
          "A sparse matrix has fewer than {} rows and columns, but the shape "
          "is {}",
          kMost, shape.DebugString());
    }
  }
  GK_ASSIGN_OR_RETURN(const TensorShape rows,
                      TensorShape::Make(std::vector<int64_t>{
                          made->batches(), made->rows() + 1}));
  GK_ASSIGN_OR_RETURN(
      made->first_,
      Tensor::Zeros(DataType::kInt32, TensorShape({rows.num_elements()})));
  GK_RETURN_IF_ERROR(made->MakeEntries());
  return made;
}

Status CsrMatrix::MakeEntries() {
  begins_.assign(batches() + 1, 0);
  for (int64_t b = 0; b < batches(); ++b) {
    begins_[b + 1] = begins_[b] + first_of(b)[rows()];
  }
  const TensorShape shape({entries()});
  GK_ASSIGN_OR_RETURN(columns_, Tensor::Allocate(DataType::kInt32, shape));
  GK_ASSIGN_OR_RETURN(values_, Tensor::Allocate(dtype_, shape));
  return OkStatus();
}

Status CsrMatrix::MakeEntries(const std::vector<int64_t>& counts) {
  for (int64_t b = 0; b < batches(); ++b) {
    int64_t total = 0;
    for (int64_t row = 0; row < rows(); ++row) {
      total += counts[b * rows() + row];
      if (total > kMost) {
        return InvalidArgument("A sparse matrix has at most {} entries", kMost);
      }
      first_of(b)[row + 1] = static_cast<int32_t>(total);
    }
  }
  return MakeEntries();
}

StatusOr<Ref<CsrMatrix>> CsrMatrix::WithPatternOf(const CsrMatrix& other) {
  Ref<CsrMatrix> made =
      Ref<CsrMatrix>::Adopt(new CsrMatrix(other.dtype_, other.shape_));
  made->first_ = other.first_;
  made->columns_ = other.columns_;
  made->begins_ = other.begins_;
  GK_ASSIGN_OR_RETURN(
      made->values_,
      Tensor::Allocate(other.dtype_, TensorShape({other.entries()})));
  return made;
}

StatusOr<Ref<VariantObject>> CsrMatrix::ZerosLike() const {
  GK_ASSIGN_OR_RETURN(Ref<CsrMatrix> zero, Make(dtype_, shape_));
  return Ref<VariantObject>(std::move(zero));
}

StatusOr<Ref<VariantObject>> CsrMatrix::Add(const VariantObject& other) const {
  const auto* b = DownCast<const CsrMatrix>(&other);
  if (b == nullptr || b->dtype_ != dtype_ || !(b->shape_ == shape_)) {
    return InvalidArgument(
        "Only sparse matrices of one type and shape can be added");
  }
  GK_ASSIGN_OR_RETURN(Ref<CsrMatrix> sum, Make(dtype_, shape_));
  Status done;
  VisitType<float, double, complex64, complex128>(dtype_, [&](auto tag) {
    using T = decltype(tag);
    done = AddCsr<T>(*this, T(1), *b, T(1), sum.get());
  });
  GK_RETURN_IF_ERROR(done);
  return Ref<VariantObject>(std::move(sum));
}

Tensor CsrMatrix::Wrap(Ref<CsrMatrix> matrix) {
  return Tensor::Scalar(Variant(std::move(matrix)));
}

StatusOr<const CsrMatrix*> CsrMatrix::Of(KernelContext& c, int i) {
  const Tensor& t = c.input(i);
  if (t.rank() != 0) {
    return InvalidArgument(
        "Invalid input matrix: Shape must be rank 0 but is rank {}", t.rank());
  }
  const auto* matrix = t.scalar<Variant>().As<CsrMatrix>();
  if (matrix != nullptr) return matrix;
  return InvalidArgument("Could not retrieve Variant input {}", i);
}

PartialTensorShape CsrShapeOf(const InferenceContext& c, int i) {
  const HandleData* data = c.input_handle(i);
  if (data == nullptr || data->empty()) return PartialTensorShape();
  return (*data)[0].shape;
}

void SetCsrOutput(InferenceContext& c, int i, DataType dtype,
                  const PartialTensorShape& shape) {
  c.set_output(i, PartialTensorShape(TensorShape()));
  c.set_output_handle(i, {{dtype, shape}});
}

}  // namespace gk
