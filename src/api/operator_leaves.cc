// Linear operators that are made of tensors alone.
#include "api/operator_matrices.h"
#include "graphkiln/index.h"
#include "graphkiln/ops.h"

namespace gk::api::linalg {
namespace {

template <class Kind, class... Args>
LinearOperator Made(const Args&... args) {
  return LinearOperator(std::make_shared<const Kind>(args...));
}

void CheckRank(const OperatorPart& part, int rank, const char* name) {
  if (part.shape().has_rank() && part.shape().rank() < rank) {
    BadValue("Argument " + std::string(name) + " must have at least " +
             std::to_string(rank) + " dimension" + (rank > 1 ? "s." : "."));
  }
}

OperatorOptions Square(OperatorOptions o, const char* message) {
  o.is_square = MustBe(true, o.is_square, message);
  return o;
}

// [..., N] as the shape of a matrix, known and as a tensor.
Shape SquareOf(const Shape& rows) {
  return rows.concatenate(Dims(rows, -1, 0));
}
Tensor SquareOf(const Tensor& rows) {
  return Joined({rows, Dims(rows, -1, 0)});
}

// One that is told by vectors [..., N], its first part's.
class OfVectors : public OperatorKind {
 public:
  OfVectors(const char* kind, DataType dtype, const OperatorOptions& o,
            const char* name, const OperatorPart& part)
      : OperatorKind(kind, dtype, o) {
    CheckRank(part, 1, name);
    parts_.emplace_back(name, part);
  }
  Shape shape() const override { return SquareOf(parts_[0].second.shape()); }
  Tensor shape_tensor() const override { return SquareOf(ShapeOf(vector())); }

 protected:
  Tensor vector() const { return parts_[0].second.value(); }
};

class Diag : public OfVectors {
 public:
  static OperatorOptions Known(const OperatorPart& diag, OperatorOptions o) {
    o.is_self_adjoint =
        MustBe(!IsComplexType(diag.dtype()), o.is_self_adjoint,
               "A real diagonal operator is always self adjoint.");
    return Square(o, "Only square diagonal operators currently supported.");
  }
  Diag(const OperatorPart& diag, const OperatorOptions& o)
      : OfVectors("LinearOperatorDiag", diag.dtype(), Known(diag, o), "diag",
                  diag) {}

  Tensor matmul(const Tensor& x, bool adjoint,
                bool adjoint_arg) const override {
    return Column(diag(adjoint)) * AdjointIf(adjoint_arg, x);
  }
  Tensor solve(const Tensor& rhs, bool adjoint,
               bool adjoint_arg) const override {
    return AdjointIf(adjoint_arg, rhs) / Column(diag(adjoint));
  }
  Tensor to_dense() const override { return api::linalg::diag(vector()); }
  Tensor diag_part() const override { return vector(); }
  Tensor determinant() const override { return api::reduce_prod(vector(), -1); }
  Tensor log_abs_determinant() const override {
    return api::cast(SumOfLast(api::math::log(api::abs(vector()))), dtype());
  }
  Tensor add_to_tensor(const Tensor& x) const override {
    return api::linalg::set_diag(x, vector() + api::linalg::diag_part(x));
  }
  Tensor eigvals() const override { return vector(); }
  Tensor cond() const override {
    const Tensor sizes = api::abs(vector());
    return api::reduce_max(sizes, -1) / api::reduce_min(sizes, -1);
  }
  void assert_non_singular() const override {
    AssertNoZeros(vector(),
                  "Singular operator:  Diagonal contained zero values.");
  }
  void assert_positive_definite() const override {
    api::debugging::assert_positive(
        api::math::real(vector()),
        "Diagonal operator had diagonal entries with non-positive real part, "
        "thus was not positive definite.");
  }
  void assert_self_adjoint() const override {
    AssertReal(vector(),
               "This diagonal operator contained non-zero imaginary values.   "
               "Thus it was not self-adjoint.");
  }
  std::optional<LinearOperator> adjoint() const override {
    return LinearOperatorDiag(Conjugate(vector()), Promises(*this));
  }
  std::optional<LinearOperator> inverse() const override {
    return LinearOperatorDiag(Number(1, dtype()) / vector(), Promises(*this));
  }
  std::optional<LinearOperator> cholesky() const override {
    return LinearOperatorDiag(api::sqrt(vector()),
                              {.is_non_singular = true,
                               .is_self_adjoint = true,
                               .is_positive_definite = true});
  }

 private:
  Tensor diag(bool adjoint) const {
    return adjoint ? Conjugate(vector()) : vector();
  }
};

class FullMatrix : public OperatorKind {
 public:
  FullMatrix(const OperatorPart& matrix, const OperatorOptions& o)
      : OperatorKind("LinearOperatorFullMatrix", matrix.dtype(), o) {
    CheckRank(matrix, 2, "`matrix`");
    parts_.emplace_back("matrix", matrix);
  }
  Shape shape() const override { return parts_[0].second.shape(); }
  Tensor shape_tensor() const override { return ShapeOf(to_dense()); }
  Tensor matmul(const Tensor& x, bool adjoint,
                bool adjoint_arg) const override {
    return Product(to_dense(), x, adjoint, adjoint_arg);
  }
  Tensor to_dense() const override { return parts_[0].second.value(); }
};

class LowerTriangular : public OperatorKind {
 public:
  LowerTriangular(const OperatorPart& tril, const OperatorOptions& o)
      : OperatorKind(
            "LinearOperatorLowerTriangular", tril.dtype(),
            Square(o,
                   "Only square lower triangular operators supported at "
                   "this time.")) {
    CheckRank(tril, 2, "tril");
    parts_.emplace_back("tril", tril);
  }
  Shape shape() const override { return parts_[0].second.shape(); }
  Tensor shape_tensor() const override { return ShapeOf(whole()); }
  Tensor matmul(const Tensor& x, bool adjoint,
                bool adjoint_arg) const override {
    return Product(to_dense(), x, adjoint, adjoint_arg);
  }
  Tensor solve(const Tensor& rhs, bool adjoint,
               bool adjoint_arg) const override {
    return api::linalg::triangular_solve(
        to_dense(), AdjointIf(adjoint_arg, rhs), /*lower=*/true, adjoint);
  }
  Tensor to_dense() const override {
    return api::linalg::band_part(whole(), -1, 0);
  }
  Tensor diag_part() const override { return api::linalg::diag_part(whole()); }
  Tensor determinant() const override {
    return api::reduce_prod(diag_part(), -1);
  }
  Tensor log_abs_determinant() const override {
    return SumOfLast(api::math::log(api::abs(diag_part())));
  }
  Tensor eigvals() const override { return diag_part(); }
  void assert_non_singular() const override {
    AssertNoZeros(diag_part(),
                  "Singular operator:  Diagonal contained zero values.");
  }

 private:
  Tensor whole() const { return parts_[0].second.value(); }
};

class Householder : public OfVectors {
 public:
  static OperatorOptions Known(OperatorOptions o) {
    o.is_self_adjoint =
        MustBe(true, o.is_self_adjoint,
               "A Householder operator is always self adjoint.");
    if (o.is_positive_definite == true) {
      BadValue("A Householder operator is always non-positive definite.");
    }
    o.is_positive_definite = false;
    return Square(o, "A Householder operator is always square.");
  }
  Householder(const OperatorPart& axis, const OperatorOptions& o)
      : OfVectors("LinearOperatorHouseholder", axis.dtype(), Known(o),
                  "reflection_axis", axis) {}

  Tensor matmul(const Tensor& x, bool, bool adjoint_arg) const override {
    const Tensor y = AdjointIf(adjoint_arg, x), v = Column(direction());
    return y - Number(2, dtype()) * v * Product(v, y, true);
  }
  Tensor solve(const Tensor& rhs, bool adjoint,
               bool adjoint_arg) const override {
    return matmul(rhs, adjoint, adjoint_arg);
  }
  Tensor to_dense() const override {
    const Tensor v = Column(direction());
    const Tensor outer =
        Number(-2, dtype()) * Product(v, v, false, /*adjoint_b=*/true);
    return api::linalg::set_diag(
        outer, Number(1, dtype()) + api::linalg::diag_part(outer));
  }
  Tensor determinant() const override {
    return -api::ones(BatchShape(), dtype());
  }
  Tensor log_abs_determinant() const override {
    return api::zeros(BatchShape(), dtype());
  }
  Tensor cond() const override { return api::ones(BatchShape(), dtype()); }
  Tensor eigvals() const override {
    // One is -1, the others 1.
    const Tensor ones = api::ones(ShapeOf(vector()), dtype());
    return api::concat({-ones[{api::ellipsis, api::Slice(0, 1)}],
                        ones[{api::ellipsis, api::Slice(1, {})}]},
                       -1);
  }
  void assert_non_singular() const override {}
  void assert_self_adjoint() const override {}
  void assert_positive_definite() const override {
    throw Error(ErrorCode::kInvalidArgument,
                "Householder operators are always non-positive definite.");
  }
  std::optional<LinearOperator> inverse() const override {
    return LinearOperatorHouseholder(parts_[0].second);
  }

 private:
  Tensor direction() const { return api::math::l2_normalize(vector(), -1); }
};

class Permutation : public OfVectors {
 public:
  Permutation(const OperatorPart& perm, DataType dtype,
              const OperatorOptions& o)
      : OfVectors("LinearOperatorPermutation", dtype,
                  Square(o, "A Permutation operator is always square."), "perm",
                  perm) {
    if (perm.dtype() != DataType::kInt32 && perm.dtype() != DataType::kInt64) {
      throw Error(ErrorCode::kTypeError,
                  "Argument `perm` must be integer dtype.");
    }
  }
  Tensor matmul(const Tensor& x, bool adjoint,
                bool adjoint_arg) const override {
    const bool other = adjoint && promised().is_self_adjoint != true;
    Tensor perm = other ? api::argsort(vector()) : vector();
    Tensor y = AdjointIf(adjoint_arg, x);
    const Tensor shape = ShapeOf(y);
    const Tensor rows = Broadcast(Dims(shape, 0, -1), ShapeOf(perm));
    const Tensor whole = Joined({rows, Dims(shape, -1, 0)});
    const Tensor any(std::vector<int32_t>{-1});
    y = api::reshape(api::broadcast_to(y, whole),
                     Joined({any, Dims(whole, -2, 0)}));
    perm = api::reshape(api::broadcast_to(perm, rows),
                        Joined({any, Dims(rows, -1, 0)}));
    const Tensor moved = api::gather(y, perm, {}, 1, /*batch_dims=*/1);
    return api::reshape(moved, whole);
  }
  Tensor solve(const Tensor& rhs, bool adjoint,
               bool adjoint_arg) const override {
    return matmul(rhs, !adjoint, adjoint_arg);
  }
  Tensor log_abs_determinant() const override {
    return api::zeros(BatchShape(), dtype());
  }
  Tensor cond() const override { return api::ones(BatchShape(), dtype()); }
  void assert_non_singular() const override {}
};

class Toeplitz : public OperatorKind {
 public:
  Toeplitz(const OperatorPart& col, const OperatorPart& row,
           const OperatorOptions& o)
      : OperatorKind(
            "LinearOperatorToeplitz", row.dtype(),
            Square(o, "Only square Toeplitz operators currently supported.")) {
    CheckRank(row, 1, "row");
    CheckRank(col, 1, "col");
    parts_.emplace_back("col", col);
    parts_.emplace_back("row", row);
    shape();  // they fit
  }
  Shape shape() const override {
    const Shape &a = parts_[0].second.shape(), &b = parts_[1].second.shape();
    if (a.has_rank() && b.has_rank() && a.dim(-1) != b.dim(-1) &&
        a.dim(-1) != kUnknown && b.dim(-1) != kUnknown) {
      BadValue(
          "Expected square matrix, got row and col with mismatched "
          "dimensions.");
    }
    return SquareOf(linalg::Broadcast(a, b));
  }
  Tensor shape_tensor() const override {
    return SquareOf(Broadcast(ShapeOf(col()), ShapeOf(row())));
  }
  // A corner of a circulant of twice the size.
  Tensor matmul(const Tensor& x, bool adjoint,
                bool adjoint_arg) const override {
    const Tensor y = AdjointIf(adjoint_arg, x), c = col(), r = row();
    const Tensor zero = api::zeros_like(c[{api::ellipsis, api::Slice(0, 1)}]);
    const Tensor back =
        api::reverse(r[{api::ellipsis, api::Slice(1, {})}], {-1});
    const bool is_double =
        dtype() == DataType::kDouble || dtype() == DataType::kComplex128;
    const Tensor column =
        api::cast(api::concat({c, zero, back}, -1),
                  is_double ? DataType::kComplex128 : DataType::kComplex64);
    const LinearOperator circulant =
        LinearOperatorCirculant(api::signal::fft(column), dtype());
    const Tensor product =
        circulant.matmul(api::concat({y, api::zeros_like(y)}, -2), adjoint);
    return product[{api::ellipsis, api::Slice(0, shape_tensor()[-1]),
                    api::Slice()}];
  }
  Tensor diag_part() const override {
    const Tensor first = col()[{api::ellipsis, api::Slice(0, 1)}];
    return api::broadcast_to(first, Dims(shape_tensor(), 0, -1));
  }
  void assert_self_adjoint() const override {
    api::debugging::assert_equal(
        row(), col(),
        "row and col are not the same, and so this operator is not "
        "self-adjoint.");
  }

 private:
  Tensor col() const { return parts_[0].second.value(); }
  Tensor row() const { return parts_[1].second.value(); }
};

class Tridiag : public OperatorKind {
 public:
  Tridiag(const OperatorPart& diagonals, const std::string& format,
          const OperatorOptions& o)
      : OperatorKind("LinearOperatorTridiag", diagonals.dtype(), o),
        format_(format) {
    if (format != "compact" && format != "matrix") {
      BadValue(
          "Argument `diagonals_format` must be compact or matrix. Received : " +
          format + ".");
    }
    CheckRank(diagonals, 2, "diagonals");
    parts_.emplace_back("diagonals", diagonals);
  }
  Shape shape() const override {
    const Shape all = parts_[0].second.shape();
    if (is_matrix()) return all;
    const Shape size = Dims(all, -1, 0);
    return Dims(all, 0, -2).concatenate(size).concatenate(size);
  }
  Tensor shape_tensor() const override {
    const Tensor all = ShapeOf(diagonals());
    if (is_matrix()) return all;
    const Tensor size = Dims(all, -1, 0);
    return Joined({Dims(all, 0, -2), size, size});
  }
  Tensor matmul(const Tensor& x, bool adjoint,
                bool adjoint_arg) const override {
    return api::linalg::tridiagonal_matmul({diagonals(adjoint)},
                                           AdjointIf(adjoint_arg, x), format_);
  }
  Tensor solve(const Tensor& rhs, bool adjoint,
               bool adjoint_arg) const override {
    const std::vector<Tensor> both =
        WithOneBatch({diagonals(adjoint), AdjointIf(adjoint_arg, rhs)});
    return api::linalg::tridiagonal_solve({both[0]}, both[1], format_);
  }
  Tensor to_dense() const override {
    if (is_matrix()) return diagonals();
    return api::linalg::diag(diagonals(), {-1, 1}, {}, {}, {}, "LEFT_RIGHT");
  }
  Tensor diag_part() const override {
    if (is_matrix()) return api::linalg::diag_part(diagonals());
    return diagonals()[{api::ellipsis, 1, api::Slice()}];
  }

 private:
  bool is_matrix() const { return format_ == "matrix"; }
  Tensor diagonals(bool adjoint = false) const {
    const Tensor all = parts_[0].second.value();
    if (!adjoint) return all;
    if (is_matrix()) return api::linalg::adjoint(all);
    const std::vector<Tensor> three = api::unstack(Conjugate(all), 3, -2);
    return api::stack(
        {api::roll(three[2], -1, -1), three[1], api::roll(three[0], 1, -1)},
        -2);
  }

  std::string format_;
};

}  // namespace

LinearOperator LinearOperatorDiag(const OperatorPart& diag,
                                  const OperatorOptions& o) {
  return Made<Diag>(diag, o);
}

LinearOperator LinearOperatorFullMatrix(const OperatorPart& matrix,
                                        const OperatorOptions& o) {
  return Made<FullMatrix>(matrix, o);
}

LinearOperator LinearOperatorLowerTriangular(const OperatorPart& tril,
                                             const OperatorOptions& o) {
  return Made<LowerTriangular>(tril, o);
}

LinearOperator LinearOperatorHouseholder(const OperatorPart& reflection_axis,
                                         const OperatorOptions& o) {
  return Made<Householder>(reflection_axis, o);
}

LinearOperator LinearOperatorPermutation(const OperatorPart& perm,
                                         DataType dtype,
                                         const OperatorOptions& o) {
  return Made<Permutation>(perm, dtype, o);
}

LinearOperator LinearOperatorToeplitz(const OperatorPart& col,
                                      const OperatorPart& row,
                                      const OperatorOptions& o) {
  return Made<Toeplitz>(col, row, o);
}

LinearOperator LinearOperatorTridiag(const OperatorPart& diagonals,
                                     const std::string& diagonals_format,
                                     const OperatorOptions& o) {
  return Made<Tridiag>(diagonals, diagonals_format, o);
}

}  // namespace gk::api::linalg
