// Linear operators that are told their sizes, and circulants.
#include <cmath>
#include <functional>
#include <numeric>

#include "api/inner.h"
#include "api/operator_matrices.h"
#include "graphkiln/index.h"
#include "ops/composition.h"

namespace gk::api::linalg {
namespace {

// A size or a batch's: a tensor, and what is known of it.
struct Sizes {
  Sizes() = default;
  Sizes(const Tensor& given, int rank, const char* name) : tensor(given) {
    if (given.dtype() != DataType::kInt32 &&
        given.dtype() != DataType::kInt64) {
      throw Error(ErrorCode::kTypeError,
                  "Argument " + std::string(name) + " must be integer type.");
    }
    if (given.shape().has_rank() && given.rank() != rank) {
      BadValue("Argument " + std::string(name) + " must be a " +
               std::to_string(rank) + "-D Tensor.");
    }
    tensor = api::cast(given, DataType::kInt32);
    known = Guarded([&] { return KnownInts(Inner(tensor)); });
    for (const int64_t n : known.value_or(std::vector<int64_t>())) {
      if (n < 0) {
        BadValue("Argument " + std::string(name) + " must be non-negative.");
      }
    }
  }
  int64_t number() const { return known ? (*known)[0] : kUnknown; }

  Tensor tensor;
  std::optional<std::vector<int64_t>> known;
};

class Sized : public OperatorKind {
 public:
  Sized(const char* kind, DataType dtype, const OperatorOptions& o,
        const Sizes& rows, const Sizes& columns,
        const std::optional<Tensor>& batch)
      : OperatorKind(kind, dtype, o), rows_(rows), columns_(columns) {
    if (batch) batch_ = Sizes(*batch, 1, "batch_shape");
  }
  Shape shape() const override {
    const Shape matrix{rows_.number(), columns_.number()};
    if (!batch_.tensor.defined()) return matrix;
    if (batch_.known) return Shape(*batch_.known).concatenate(matrix);
    return Shape::UnknownRank();
  }
  Tensor shape_tensor() const override {
    const Tensor matrix = api::stack({rows_.tensor, columns_.tensor});
    if (!batch_.tensor.defined()) return matrix;
    return Joined({batch_.tensor, matrix});
  }

 protected:
  // An argument, of which the batch is at least the operator's.
  Tensor WithBatch(const Tensor& x) const {
    if (!batch_.tensor.defined()) return x;
    const Tensor ones(std::vector<int32_t>{1, 1});
    return x + api::zeros(Joined({batch_.tensor, ones}), x.dtype());
  }
  // [..., min(M, N)].
  Tensor DiagonalShape() const {
    const Tensor least = api::minimum(rows_.tensor, columns_.tensor);
    return Joined({BatchShape(), api::reshape(least, {1})});
  }

  Sizes rows_, columns_, batch_;
};

constexpr OperatorOptions kOfIdentity() {
  return {.is_non_singular = true,
          .is_self_adjoint = true,
          .is_positive_definite = true,
          .is_square = true};
}

class Identity : public Sized {
 public:
  Identity(const Sizes& rows, DataType dtype,
           const std::optional<Tensor>& batch)
      : Sized("LinearOperatorIdentity", dtype, kOfIdentity(), rows, rows,
              batch) {}
  Tensor matmul(const Tensor& x, bool, bool adjoint_arg) const override {
    return WithBatch(AdjointIf(adjoint_arg, x));
  }
  Tensor solve(const Tensor& rhs, bool, bool adjoint_arg) const override {
    return matmul(rhs, false, adjoint_arg);
  }
  Tensor diag_part() const override {
    return api::ones(DiagonalShape(), dtype());
  }
  Tensor determinant() const override {
    return api::ones(BatchShape(), dtype());
  }
  Tensor log_abs_determinant() const override {
    return api::zeros(BatchShape(), dtype());
  }
  Tensor add_to_tensor(const Tensor& x) const override {
    return api::linalg::set_diag(
        x, Number(1, dtype()) + api::linalg::diag_part(x));
  }
  Tensor eigvals() const override { return diag_part(); }
  Tensor cond() const override { return determinant(); }
  void assert_non_singular() const override {}
  void assert_positive_definite() const override {}
  void assert_self_adjoint() const override {}
  std::optional<LinearOperator> inverse() const override { return Same(); }
  std::optional<LinearOperator> cholesky() const override { return Same(); }

 private:
  LinearOperator Same() const {
    return LinearOperatorIdentity(
        rows_.tensor, dtype(),
        batch_.tensor.defined() ? std::optional(batch_.tensor) : std::nullopt);
  }
};

class ScaledIdentity : public OperatorKind {
 public:
  static OperatorOptions Known(const OperatorPart& multiplier,
                               OperatorOptions o) {
    o.is_self_adjoint =
        MustBe(!IsComplexType(multiplier.dtype()), o.is_self_adjoint,
               "A real diagonal operator is always self adjoint.");
    o.is_square = MustBe(true, o.is_square,
                         "A ScaledIdentity operator is always square.");
    return o;
  }
  ScaledIdentity(const Sizes& rows, const OperatorPart& multiplier,
                 const OperatorOptions& o)
      : OperatorKind("LinearOperatorScaledIdentity", multiplier.dtype(),
                     Known(multiplier, o)),
        rows_(rows) {
    parts_.emplace_back("multiplier", multiplier);
  }
  Shape shape() const override {
    return parts_[0].second.shape().concatenate(
        Shape{rows_.number(), rows_.number()});
  }
  Tensor shape_tensor() const override {
    return Joined(
        {ShapeOf(multiplier()), api::stack({rows_.tensor, rows_.tensor})});
  }
  Tensor matmul(const Tensor& x, bool adjoint,
                bool adjoint_arg) const override {
    return AdjointIf(adjoint_arg, x) * Spread(adjoint);
  }
  Tensor solve(const Tensor& rhs, bool adjoint,
               bool adjoint_arg) const override {
    return AdjointIf(adjoint_arg, rhs) / Spread(adjoint);
  }
  Tensor diag_part() const override {
    const Tensor size = api::reshape(rows_.tensor, {1});
    return Column(multiplier()) * api::ones(size, dtype());
  }
  Tensor determinant() const override {
    return api::pow(multiplier(), api::cast(rows_.tensor, dtype()));
  }
  Tensor log_abs_determinant() const override {
    const Tensor logs = api::math::log(api::abs(multiplier()));
    return api::cast(rows_.tensor, logs.dtype()) * logs;
  }
  Tensor add_to_tensor(const Tensor& x) const override {
    return api::linalg::set_diag(
        x, Column(multiplier()) + api::linalg::diag_part(x));
  }
  Tensor eigvals() const override { return diag_part(); }
  void assert_non_singular() const override {
    AssertNoZeros(multiplier(), "LinearOperator was singular");
  }
  void assert_positive_definite() const override {
    api::debugging::assert_positive(
        api::math::real(multiplier()),
        "LinearOperator was not positive definite.");
  }
  void assert_self_adjoint() const override {
    AssertReal(multiplier(), "LinearOperator was not self-adjoint");
  }
  std::optional<LinearOperator> adjoint() const override {
    return LinearOperatorScaledIdentity(rows_.tensor, Conjugate(multiplier()),
                                        Promises(*this));
  }
  std::optional<LinearOperator> inverse() const override {
    return LinearOperatorScaledIdentity(
        rows_.tensor, Number(1, dtype()) / multiplier(), Promises(*this));
  }
  std::optional<LinearOperator> cholesky() const override {
    return LinearOperatorScaledIdentity(rows_.tensor, api::sqrt(multiplier()),
                                        kOfIdentity());
  }

 private:
  Tensor multiplier() const { return parts_[0].second.value(); }
  Tensor Spread(bool adjoint) const {
    const Tensor m = adjoint ? Conjugate(multiplier()) : multiplier();
    return Column(Column(m));
  }

  Sizes rows_;
};

class Zeros : public Sized {
 public:
  Zeros(const Sizes& rows, const Sizes& columns, DataType dtype,
        const std::optional<Tensor>& batch, bool is_square)
      : Sized("LinearOperatorZeros", dtype,
              {.is_non_singular = false,
               .is_self_adjoint = is_square,
               .is_positive_definite = false,
               .is_square = is_square},
              rows, columns, batch) {}
  Tensor matmul(const Tensor& x, bool adjoint,
                bool adjoint_arg) const override {
    const Tensor shape = ShapeOf(x);
    const Tensor columns =
        adjoint_arg ? Dims(shape, -2, -1) : Dims(shape, -1, 0);
    const Tensor rows =
        api::reshape(adjoint ? columns_.tensor : rows_.tensor, {1});
    return WithBatch(
        api::zeros(Joined({Dims(shape, 0, -2), rows, columns}), x.dtype()));
  }
  Tensor diag_part() const override {
    return api::zeros(DiagonalShape(), dtype());
  }
  Tensor determinant() const override {
    return api::zeros(BatchShape(), dtype());
  }
  Tensor add_to_tensor(const Tensor& x) const override { return WithBatch(x); }
  Tensor eigvals() const override { return diag_part(); }
  void assert_self_adjoint() const override {}
  void assert_non_singular() const override {
    throw Error(ErrorCode::kInvalidArgument,
                "Zero operators are always non-invertible.");
  }
  void assert_positive_definite() const override {
    throw Error(ErrorCode::kInvalidArgument,
                "Zero operators are always non-positive definite.");
  }
};

// Of a real or complex spectrum [..., N1, ..., N_depth].
class Circulant : public OperatorKind {
 public:
  static OperatorOptions Known(const OperatorPart& spectrum,
                               OperatorOptions o) {
    o.is_self_adjoint =
        MustBe(!IsComplexType(spectrum.dtype()), o.is_self_adjoint,
               "A real spectrum always corresponds to a "
               "self-adjoint operator.");
    o.is_square =
        MustBe(true, o.is_square,
               "A [[nested] block] circulant operator is always square.");
    return o;
  }
  Circulant(const std::string& kind, int depth, const OperatorPart& spectrum,
            DataType dtype, const OperatorOptions& o)
      : OperatorKind(kind, dtype, Known(spectrum, o)), depth_(depth) {
    const Shape shape = spectrum.shape();
    if (shape.has_rank() && shape.rank() < depth) {
      BadValue("Argument `spectrum` must have at least " +
               std::to_string(depth) + " dimensions.");
    }
    parts_.emplace_back("spectrum", spectrum);
  }
  Shape shape() const override {
    const Shape all = parts_[0].second.shape();
    const Shape block = Dims(all, -depth_, 0);
    const int64_t size =
        block.is_fully_defined()
            ? std::accumulate(block.dims().begin(), block.dims().end(),
                              int64_t{1}, std::multiplies<>())
            : kUnknown;
    return Dims(all, 0, -depth_).concatenate(Shape{size, size});
  }
  Tensor shape_tensor() const override {
    const Tensor all = ShapeOf(spectrum());
    const Tensor size =
        api::reshape(api::reduce_prod(Dims(all, -depth_, 0)), {1});
    return Joined({Dims(all, 0, -depth_), size, size});
  }
  Tensor matmul(const Tensor& x, bool adjoint,
                bool adjoint_arg) const override {
    return Filtered(x, adjoint, adjoint_arg, /*divides=*/false);
  }
  Tensor solve(const Tensor& rhs, bool adjoint,
               bool adjoint_arg) const override {
    return Filtered(rhs, adjoint, adjoint_arg, /*divides=*/true);
  }
  Tensor trace() const override {
    const Tensor sum = SumOfLast(eigvals());
    return api::cast(IsComplexType(dtype()) ? sum : api::math::real(sum),
                     dtype());
  }
  Tensor diag_part() const override {
    const Tensor shape = Dims(shape_tensor(), 0, -1);
    const Tensor size = api::cast(shape[-1], dtype());
    return api::broadcast_to(Column(trace() / size), shape);
  }
  Tensor determinant() const override {
    return Cast(api::reduce_prod(eigvals(), -1));
  }
  Tensor log_abs_determinant() const override {
    return api::cast(SumOfLast(api::math::log(api::abs(eigvals()))), dtype());
  }
  Tensor eigvals() const override {
    const Tensor all = ShapeOf(spectrum());
    const Tensor any(std::vector<int32_t>{-1});
    return api::reshape(spectrum(), Joined({Dims(all, 0, -depth_), any}));
  }
  Tensor cond() const override {
    const Tensor sizes = api::abs(eigvals());
    return api::reduce_max(sizes, -1) / api::reduce_min(sizes, -1);
  }
  void assert_non_singular() const override {
    AssertNoZeros(spectrum(),
                  "Singular operator:  Spectrum contained zero values.");
  }
  void assert_positive_definite() const override {
    api::debugging::assert_positive(
        api::math::real(spectrum()),
        "Not positive definite:  Real part of spectrum was not all positive.");
  }
  void assert_self_adjoint() const override {
    AssertReal(spectrum(),
               "Not self-adjoint:  The spectrum contained non-zero imaginary "
               "part.");
  }
  std::optional<LinearOperator> adjoint() const override {
    return Like(Conjugate(spectrum()));
  }
  std::optional<LinearOperator> inverse() const override {
    return Like(Number(1, spectrum().dtype()) / spectrum());
  }

 private:
  Tensor spectrum() const { return parts_[0].second.value(); }
  LinearOperator Like(const Tensor& spectrum) const {
    return LinearOperator(std::make_shared<const Circulant>(
        kind(), depth_, spectrum, dtype(), Promises(*this)));
  }
  Tensor Cast(const Tensor& x) const {
    const bool drops = IsComplexType(x.dtype()) && !IsComplexType(dtype());
    return api::cast(drops ? api::math::real(x) : x, dtype());
  }
  // Columns become blocks [..., R, N1, ..., N_depth], and back.
  Tensor Filtered(const Tensor& x, bool adjoint, bool adjoint_arg,
                  bool divides) const {
    Tensor factor = spectrum();
    const bool is_double = factor.dtype() == DataType::kDouble ||
                           factor.dtype() == DataType::kComplex128;
    factor =
        api::cast(adjoint ? Conjugate(factor) : factor,
                  is_double ? DataType::kComplex128 : DataType::kComplex64);
    const Tensor block = Dims(ShapeOf(factor), -depth_, 0);
    const Tensor one(std::vector<int32_t>{1});
    // Of all columns the same.
    factor = api::reshape(
        factor, Joined({Dims(ShapeOf(factor), 0, -depth_), one, block}));
    const Tensor rows =
        api::linalg::matrix_transpose(AdjointIf(adjoint_arg, x));
    const Tensor outer = Dims(ShapeOf(rows), 0, -1);
    const Tensor blocks =
        api::reshape(api::cast(rows, factor.dtype()), Joined({outer, block}));
    const Tensor image = Transformed(blocks, false);
    const Tensor result =
        Transformed(divides ? image / factor : image * factor, true);
    const Tensor size = Dims(ShapeOf(rows), -1, 0);
    const Tensor flat =
        api::reshape(result, Joined({Dims(ShapeOf(result), 0, -depth_), size}));
    return Cast(api::linalg::matrix_transpose(flat));
  }
  Tensor Transformed(const Tensor& x, bool back) const {
    using F = Tensor (*)(const Tensor&);
    static constexpr F kThere[] = {api::signal::fft, api::signal::fft2d,
                                   api::signal::fft3d};
    static constexpr F kBack[] = {api::signal::ifft, api::signal::ifft2d,
                                  api::signal::ifft3d};
    return (back ? kBack : kThere)[depth_ - 1](x);
  }

  int depth_;
};

LinearOperator MadeCirculant(const char* kind, int depth,
                             const OperatorPart& spectrum, DataType dtype,
                             const OperatorOptions& o) {
  return LinearOperator(
      std::make_shared<const Circulant>(kind, depth, spectrum, dtype, o));
}

}  // namespace

LinearOperator LinearOperatorIdentity(
    const Tensor& num_rows, DataType dtype,
    const std::optional<Tensor>& batch_shape) {
  return LinearOperator(std::make_shared<const Identity>(
      Sizes(num_rows, 0, "num_rows"), dtype, batch_shape));
}

LinearOperator LinearOperatorScaledIdentity(const Tensor& num_rows,
                                            const OperatorPart& multiplier,
                                            const OperatorOptions& o) {
  return LinearOperator(std::make_shared<const ScaledIdentity>(
      Sizes(num_rows, 0, "num_rows"), multiplier, o));
}

LinearOperator LinearOperatorZeros(const Tensor& num_rows,
                                   const std::optional<Tensor>& num_columns,
                                   DataType dtype,
                                   const std::optional<Tensor>& batch_shape) {
  const Sizes rows(num_rows, 0, "num_rows");
  const Sizes columns =
      num_columns ? Sizes(*num_columns, 0, "num_columns") : rows;
  const bool is_square = !num_columns || (rows.number() != kUnknown &&
                                          rows.number() == columns.number());
  return LinearOperator(std::make_shared<const Zeros>(rows, columns, dtype,
                                                      batch_shape, is_square));
}

LinearOperator LinearOperatorCirculant(const OperatorPart& spectrum,
                                       DataType dtype,
                                       const OperatorOptions& o) {
  return MadeCirculant("LinearOperatorCirculant", 1, spectrum, dtype, o);
}

LinearOperator LinearOperatorCirculant2D(const OperatorPart& spectrum,
                                         DataType dtype,
                                         const OperatorOptions& o) {
  return MadeCirculant("LinearOperatorCirculant2D", 2, spectrum, dtype, o);
}

LinearOperator LinearOperatorCirculant3D(const OperatorPart& spectrum,
                                         DataType dtype,
                                         const OperatorOptions& o) {
  return MadeCirculant("LinearOperatorCirculant3D", 3, spectrum, dtype, o);
}

}  // namespace gk::api::linalg
