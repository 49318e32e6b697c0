// Products of sparse matrices in compressed rows.
#include "ops/fn/sparse_csr_matmul.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/broadcast_gradient.h"
#include "ops/element_moves.h"
#include "ops/fn/CSRSparseMatrixToSparseTensor.h"
#include "ops/fn/GatherNd.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Mul.h"
#include "ops/fn/SparseMatrixTranspose.h"
#include "ops/fn/SparseTensorToCSRSparseMatrix.h"
#include "ops/fn/Sum.h"
#include "ops/linalg/matrix_algebra.h"
#include "ops/sparse/csr_gradient.h"
#include "ops/sparse/csr_matrix.h"

namespace gk {
namespace {

// What becomes of an operand before it is multiplied.
enum class Turn { kNone, kTranspose, kAdjoint };

template <class Context>
Turn TurnOf(const Context& c, std::string_view transpose,
            std::string_view adjoint) {
  if (c.template attr<bool>(transpose)) return Turn::kTranspose;
  return c.template attr<bool>(adjoint) ? Turn::kAdjoint : Turn::kNone;
}

template <class Context>
Status CheckTurns(const Context& c) {
  for (const char* const which : {"a", "b"}) {
    const std::string name = which;
    if (c.template attr<bool>("adjoint_" + name) &&
        c.template attr<bool>("transpose_" + name)) {
      return InvalidArgument(
          "Only one of adjoint_{} and transpose_{} may be true.", which, which);
    }
  }
  return OkStatus();
}

Status CheckFactors(const TensorShape& a, Turn turn_a, const TensorShape& b,
                    Turn turn_b, std::string_view gap) {
  if (a.rank() != b.rank()) {
    return InvalidArgument("Ranks of a and b must match, saw: {} vs. {}.",
                           a.rank(), b.rank());
  }
  if (a.rank() == 3 && a.dim(0) != b.dim(0)) {
    return InvalidArgument("Batch sizes of a and b must match, saw: {} vs. {}.",
                           a.dim(0), b.dim(0));
  }
  const int last = a.rank() - 1;
  if (a.dim(turn_a == Turn::kNone ? last : last - 1) ==
      b.dim(turn_b == Turn::kNone ? last - 1 : last)) {
    return OkStatus();
  }
  return InvalidArgument(
      "Inner product dimensions of A and B do not agree. {}Shapes are: {} vs. "
      "{}",
      gap, a.DebugString(), b.DebugString());
}

// The shape of a product of two operands.
Status ProductOf(const PartialTensorShape& a, Turn turn_a,
                 const PartialTensorShape& b, Turn turn_b,
                 PartialTensorShape* product) {
  *product = PartialTensorShape();
  const int rank = std::max(a.rank(), b.rank());
  if (rank < 0) return OkStatus();
  if (rank < 2) {
    return InvalidArgument("Shape must be at least rank 2 but is rank {}",
                           rank);
  }
  if (!a.unknown_rank() && !b.unknown_rank() && a.rank() != b.rank()) {
    return InvalidArgument("Ranks of a and b must match, saw: {} vs. {}.",
                           a.rank(), b.rank());
  }
  const auto dim = [&](const PartialTensorShape& s, int at) {
    return s.unknown_rank() ? kUnknownDim : s.dim(at);
  };
  const auto outer = [&](const PartialTensorShape& s, Turn turn, bool left) {
    return dim(s, (turn == Turn::kNone) == left ? rank - 2 : rank - 1);
  };
  int64_t inner, batch = kUnknownDim;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(
      outer(a, turn_a, false), outer(b, turn_b, true), &inner));
  if (rank == 3) {
    GK_RETURN_IF_ERROR(
        InferenceContext::MergeDims(dim(a, 0), dim(b, 0), &batch));
  }
  const int64_t rows = outer(a, turn_a, true),
                columns = outer(b, turn_b, false);
  *product = rank == 3 ? PartialTensorShape({batch, rows, columns})
                       : PartialTensorShape({rows, columns});
  return OkStatus();
}

// ---- Sparse times dense ----

struct DenseProduct {
  Turn turn_a, turn_b;
  bool transpose_output, conjugate_output;

  template <class Context>
  explicit DenseProduct(const Context& c)
      : turn_a(TurnOf(c, "transpose_a", "adjoint_a")),
        turn_b(TurnOf(c, "transpose_b", "adjoint_b")),
        transpose_output(c.template attr<bool>("transpose_output")),
        conjugate_output(c.template attr<bool>("conjugate_output")) {}

  // One matrix of each; scratch has room for b and for the product.
  template <class T>
  void Run(const CsrView<T>& given, const T* b, int64_t columns, T* scratch_b,
           T* scratch, T* out) const {
    const OwnCsr<T> a(given, turn_a != Turn::kNone, turn_a == Turn::kAdjoint);
    if (turn_b != Turn::kNone) {
      CopyTransposed(b, columns, a.view.width, true, turn_b == Turn::kAdjoint,
                     scratch_b);
      b = scratch_b;
    }
    T* const product = transpose_output ? scratch : out;
    CsrTimesDense(a.view, b, columns, product, ThreadPool::Global());
    if (transpose_output || conjugate_output) {
      CopyTransposed(product, a.view.rows, columns, transpose_output,
                     conjugate_output, out);
    }
  }
};

Status ComputeCsrTimesDense(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckTurns(c));
  GK_ASSIGN_OR_RETURN(const CsrMatrix* a, CsrMatrix::Of(c, 0));
  const Tensor& b = c.input(1);
  if (a->dtype() != b.dtype()) {
    return InvalidArgument(
        "Input types don't match.  a.dtype == {} vs. b.dtype == {}",
        DataTypeString(a->dtype()), DataTypeString(b.dtype()));
  }
  const DenseProduct how(c);
  GK_RETURN_IF_ERROR(
      CheckFactors(a->shape(), how.turn_a, b.shape(), how.turn_b, ""));
  const int last = b.rank() - 1;
  const int64_t rows = how.turn_a == Turn::kNone ? a->rows() : a->width();
  const int64_t columns = b.dim(how.turn_b == Turn::kNone ? last : last - 1);
  std::vector<int64_t> sizes{rows, columns};
  if (how.transpose_output) std::swap(sizes[0], sizes[1]);
  if (b.rank() == 3) sizes.insert(sizes.begin(), a->batches());
  GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(sizes));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, b.dtype(), shape, &out));
  const int64_t size_b = b.dim(last) * b.dim(last - 1), size = rows * columns;
  GK_ASSIGN_OR_RETURN(
      Tensor scratch_b,
      Tensor::Allocate(b.dtype(),
                       TensorShape({how.turn_b == Turn::kNone ? 0 : size_b})));
  GK_ASSIGN_OR_RETURN(
      Tensor scratch,
      Tensor::Allocate(b.dtype(),
                       TensorShape({how.transpose_output ? size : 0})));
  return VisitCsrType(c, b.dtype(), [&](auto tag) {
    using T = decltype(tag);
    for (int64_t i = 0; i < a->batches(); ++i) {
      how.Run(a->View<T>(i), b.data<T>() + i * size_b, columns,
              scratch_b.data<T>(), scratch.data<T>(),
              out->data<T>() + i * size);
    }
    return OkStatus();
  });
}

Status CsrTimesDenseShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(CheckTurns(c));
  const DenseProduct how(c);
  PartialTensorShape product;
  GK_RETURN_IF_ERROR(ProductOf(CsrShapeOf(c, 0), how.turn_a, c.input(1),
                               how.turn_b, &product));
  if (const int rank = product.rank(); rank >= 2 && how.transpose_output) {
    const int64_t rows = product.dim(rank - 2);
    product.SetDim(rank - 2, product.dim(rank - 1));
    product.SetDim(rank - 1, rows);
  }
  c.set_output(0, std::move(product));
  return OkStatus();
}

// Element (i, j) of opA(A)'s gradient is row i of G, that of the product
// before it is turned, times the conjugate of row j of opB(B).
Tensor GradOfSparse(const GradContext& g, const DenseProduct& how) {
  const Tensor &a = g.x(0), &b = g.x(1);
  Tensor dy = g.dy(0);
  if (how.transpose_output) dy = matrix::Transpose(dy);
  if (how.conjugate_output) dy = Conjugate(dy);
  Tensor right = b;
  if (how.turn_b != Turn::kNone) right = matrix::Transpose(right);
  if (how.turn_b != Turn::kAdjoint) right = Conjugate(right);
  const int rank = b.partial_shape().rank();
  if (rank != 2 && rank != 3) {
    throw Error(
        ValueError("The gradient of SparseMatrixMatMul needs a `b` of "
                   "known rank, 2 or 3, but its shape is {}",
                   b.partial_shape().DebugString()));
  }
  const TensorVector parts = ops::CSRSparseMatrixToSparseTensor(a, b.dtype());
  // Rows of an operand at column `at` of the places, and the batch's.
  const auto pick = [&](const Tensor& from, int64_t at) {
    std::vector<int64_t> which{at};
    if (rank == 3) which = {0, at + 1};
    return ops::GatherNd(from, ops::GatherV2(parts[0], IntegerVector(which),
                                             IntegerConstant(1)));
  };
  const bool turned = how.turn_a != Turn::kNone;
  Tensor values =
      ops::Sum(ops::Mul(pick(dy, turned ? 1 : 0), pick(right, turned ? 0 : 1)),
               IntegerConstant(-1));
  if (how.turn_a == Turn::kAdjoint) values = Conjugate(values);
  return ops::SparseTensorToCSRSparseMatrix(parts[0], values, parts[2]);
}

// opB of it is opA(A)^H G.
Tensor GradOfDense(const GradContext& g, const DenseProduct& how) {
  Tensor dy = g.dy(0);
  const bool conjugate_a = how.turn_a == Turn::kTranspose;
  if (conjugate_a != how.conjugate_output) dy = Conjugate(dy);
  return ops::SparseMatrixMatMul(
      g.x(0), dy, false, how.transpose_output, how.turn_a == Turn::kNone, false,
      how.turn_b != Turn::kNone, conjugate_a != (how.turn_b == Turn::kAdjoint));
}

void CsrTimesDenseGradient(GradContext& g) {
  const DenseProduct how(g);
  if (g.wants(0)) g.Set(0, GradOfSparse(g, how));
  if (g.wants(1)) g.Set(1, GradOfDense(g, how));
}

// ---- Sparse times sparse ----

Status ComputeCsrProduct(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckTurns(c));
  GK_ASSIGN_OR_RETURN(const CsrMatrix* a, CsrMatrix::Of(c, 0));
  GK_ASSIGN_OR_RETURN(const CsrMatrix* b, CsrMatrix::Of(c, 1));
  const auto type = c.attr<DataType>("type");
  for (const CsrMatrix* x : {a, b}) {
    if (x->dtype() != type) {
      return InvalidArgument("dtype of input is not equal to 'type': {} vs. {}",
                             DataTypeString(x->dtype()), DataTypeString(type));
    }
  }
  const Turn turn_a = TurnOf(c, "transpose_a", "adjoint_a"),
             turn_b = TurnOf(c, "transpose_b", "adjoint_b");
  GK_RETURN_IF_ERROR(CheckFactors(a->shape(), turn_a, b->shape(), turn_b, " "));
  const int64_t rows = turn_a == Turn::kNone ? a->rows() : a->width();
  const int64_t width = turn_b == Turn::kNone ? b->width() : b->rows();
  TensorShape shape({rows, width});
  if (a->rank() == 3) shape = TensorShape({a->batches(), rows, width});
  GK_ASSIGN_OR_RETURN(Ref<CsrMatrix> out, CsrMatrix::Make(type, shape));
  GK_RETURN_IF_ERROR(VisitCsrType(c, type, [&](auto tag) {
    using T = decltype(tag);
    std::vector<int64_t> counts(a->batches() * rows);
    const auto pass = [&](bool write) {
      for (int64_t i = 0; i < a->batches(); ++i) {
        const OwnCsr<T> x(a->View<T>(i), turn_a != Turn::kNone,
                          turn_a == Turn::kAdjoint);
        const OwnCsr<T> y(b->View<T>(i), turn_b != Turn::kNone,
                          turn_b == Turn::kAdjoint);
        SumRows<T>(
            rows, width, ProductWork(x.view, y.view),
            [&](int64_t row, RowSums<T>& sums) {
              AddProductRow(x.view, y.view, row, sums);
            },
            write ? nullptr : counts.data() + i * rows, out->first_of(i),
            write ? out->columns_of(i) : nullptr,
            write ? out->values_of<T>(i) : nullptr, ThreadPool::Global());
      }
    };
    pass(false);
    GK_RETURN_IF_ERROR(out->MakeEntries(counts));
    pass(true);
    return OkStatus();
  }));
  c.set_output(0, CsrMatrix::Wrap(std::move(out)));
  return OkStatus();
}

Status CsrProductShape(InferenceContext& c) {
  GK_RETURN_IF_ERROR(CheckTurns(c));
  PartialTensorShape product;
  GK_RETURN_IF_ERROR(ProductOf(
      CsrShapeOf(c, 0), TurnOf(c, "transpose_a", "adjoint_a"), CsrShapeOf(c, 1),
      TurnOf(c, "transpose_b", "adjoint_b"), &product));
  SetCsrOutput(c, 0, c.attr<DataType>("type"), product);
  return OkStatus();
}

// A factor of a gradient: a matrix, turned.
struct Factor {
  Tensor matrix;
  Turn turn;
};

// The conjugate of a matrix that is turned.
Factor Conjugated(const Factor& f, DataType type) {
  if (!IsComplex(type)) return f;
  switch (f.turn) {
    case Turn::kTranspose:
      return {f.matrix, Turn::kAdjoint};
    case Turn::kAdjoint:
      return {f.matrix, Turn::kTranspose};
    case Turn::kNone:
      break;
  }
  return {ops::SparseMatrixTranspose(f.matrix, type, true), Turn::kTranspose};
}

// The adjoint of a matrix that is turned.
Factor Adjoined(const Factor& f, DataType type) {
  switch (f.turn) {
    case Turn::kNone:
      return {f.matrix, Turn::kAdjoint};
    case Turn::kAdjoint:
      return {f.matrix, Turn::kNone};
    case Turn::kTranspose:
      break;
  }
  return Conjugated({f.matrix, Turn::kNone}, type);
}

Tensor ProductOfFactors(const Factor& a, const Factor& b, DataType type) {
  return ops::SparseMatrixSparseMatMul(
      a.matrix, b.matrix, type, a.turn == Turn::kTranspose,
      b.turn == Turn::kTranspose, a.turn == Turn::kAdjoint,
      b.turn == Turn::kAdjoint);
}

// opA(A)'s gradient is G opB(B)^H, and opB(B)'s opA(A)^H G; what was turned is
// turned back.
void CsrProductGradient(GradContext& g) {
  const auto type = g.attr<DataType>("type");
  const Turn turn_a = TurnOf(g, "transpose_a", "adjoint_a"),
             turn_b = TurnOf(g, "transpose_b", "adjoint_b");
  const Factor a{g.x(0), turn_a}, b{g.x(1), turn_b}, dy{g.dy(0), Turn::kNone};
  const Factor dy_t{dy.matrix, Turn::kTranspose};
  const Factor dy_h{dy.matrix, Turn::kAdjoint};
  if (g.wants(0)) {
    Tensor grad;
    if (turn_a == Turn::kNone) {
      grad = ProductOfFactors(dy, Adjoined(b, type), type);
    } else if (turn_a == Turn::kTranspose) {
      grad = ProductOfFactors(Conjugated(b, type), dy_t, type);
    } else {
      grad = ProductOfFactors(b, dy_h, type);
    }
    g.Set(0, csr::PrunedTo(grad, g.x(0), type));
  }
  if (g.wants(1)) {
    Tensor grad;
    if (turn_b == Turn::kNone) {
      grad = ProductOfFactors(Adjoined(a, type), dy, type);
    } else if (turn_b == Turn::kTranspose) {
      grad = ProductOfFactors(dy_t, Conjugated(a, type), type);
    } else {
      grad = ProductOfFactors(dy_h, a, type);
    }
    g.Set(1, csr::PrunedTo(grad, g.x(1), type));
  }
}

#define TURNS                                                              \
  "transpose_a: bool = False; transpose_b: bool = False; adjoint_a: bool " \
  "= False; adjoint_b: bool = False"

const OpRecord kRecords[] = {
    {.name = "SparseMatrixMatMul",
     .inputs = "a: variant; b: T",
     .outputs = "output: T",
     .attrs = "T: type; " TURNS
              "; transpose_output: bool = False; conjugate_output: bool = "
              "False",
     .shape = CsrTimesDenseShape,
     .kernel = {.compute = ComputeCsrTimesDense},
     .gradient = CsrTimesDenseGradient,
     .doc = "The product of a sparse matrix and a dense one, or of batches."},

    {.name = "SparseMatrixSparseMatMul",
     .inputs = "a: variant; b: variant",
     .outputs = "c: variant",
     .attrs = "type: type in [float, double, complex64, complex128]; " TURNS,
     .shape = CsrProductShape,
     .kernel = {.compute = ComputeCsrProduct},
     .gradient = CsrProductGradient,
     .doc = "The product of two sparse matrices, or of batches."},
};

}  // namespace

GK_REGISTER_OPS(sparse_csr_matmul)

}  // namespace gk
