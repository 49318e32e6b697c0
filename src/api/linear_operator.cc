#include "graphkiln/linear_operator.h"

#include <algorithm>
#include <utility>

#include "api/operator_algebra.h"
#include "api/operator_matrices.h"
#include "graphkiln/index.h"

namespace gk::api::linalg {

// ---- What every kind can do by way of the whole matrix. ----

OperatorKind::OperatorKind(std::string kind, DataType dtype,
                           OperatorOptions options)
    : kind_(std::move(kind)), dtype_(dtype), options_(std::move(options)) {
  OperatorOptions& o = options_;
  o.is_non_singular =
      MustBe(o.is_positive_definite == true, o.is_non_singular,
             "A positive definite matrix is always non-singular.");
  o.is_square = MustBe(o.is_non_singular == true, o.is_square,
                       "A non-singular matrix is always square.");
  o.is_square = MustBe(o.is_self_adjoint == true, o.is_square,
                       "A self-adjoint matrix is always square.");
  if (o.name.empty()) o.name = kind_;
}

OperatorKind::~OperatorKind() = default;

std::optional<bool> OperatorKind::is_square() const {
  const Shape s = shape();
  std::optional<bool> alike;
  if (s.has_rank() && s.dim(-1) != kUnknown && s.dim(-2) != kUnknown) {
    alike = s.dim(-1) == s.dim(-2);
  }
  if (options_.is_square == false && alike == true) {
    BadValue("User set is_square hint to False, but the operator was square.");
  }
  return options_.is_square ? options_.is_square : alike;
}

bool OperatorKind::can_use_cholesky() const {
  return options_.is_self_adjoint == true &&
         options_.is_positive_definite == true;
}

Tensor OperatorKind::shape_tensor() const {
  throw Error(ErrorCode::kUnimplemented, "shape_tensor is not implemented.");
}

Tensor OperatorKind::BatchShape() const {
  const Shape known = Dims(shape(), 0, -2);
  if (known.is_fully_defined()) {
    std::vector<int32_t> dims(known.dims().begin(), known.dims().end());
    return Tensor(dims);
  }
  return Dims(shape_tensor(), 0, -2);
}

Tensor OperatorKind::to_dense() const {
  const Shape known = shape();
  const int64_t size = known.has_rank() ? known.dim(-1) : kUnknown;
  const Tensor columns = size == kUnknown ? shape_tensor()[-1]
                                          : Tensor(static_cast<int32_t>(size));
  return matmul(api::eye(columns, {}, BatchShape(), dtype_), false, false);
}

Tensor OperatorKind::DenseSolve(Tensor rhs, bool adjoint,
                                bool adjoint_arg) const {
  rhs = AdjointIf(adjoint_arg, rhs);
  if (can_use_cholesky()) {
    return api::linalg::cholesky_solve(api::linalg::cholesky(to_dense()), rhs);
  }
  return SolveBroadcast(to_dense(), rhs, adjoint);
}

Tensor OperatorKind::solve(const Tensor& rhs, bool adjoint,
                           bool adjoint_arg) const {
  return DenseSolve(rhs, adjoint, adjoint_arg);
}

Tensor OperatorKind::diag_part() const {
  return api::linalg::diag_part(to_dense());
}

Tensor OperatorKind::trace() const { return SumOfLast(diag_part()); }

Tensor OperatorKind::determinant() const {
  if (can_use_cholesky()) return api::exp(log_abs_determinant());
  return api::linalg::det(to_dense());
}

Tensor OperatorKind::log_abs_determinant() const {
  if (can_use_cholesky()) {
    const Tensor factor = api::linalg::cholesky(to_dense());
    const Tensor sum =
        SumOfLast(api::math::log(api::linalg::diag_part(factor)));
    return sum + sum;
  }
  return api::linalg::slogdet(to_dense())[1];
}

Tensor OperatorKind::add_to_tensor(const Tensor& x) const {
  return to_dense() + x;
}

Tensor OperatorKind::eigvals() const {
  return api::linalg::eigvalsh(to_dense());
}

Tensor OperatorKind::cond() const {
  const Tensor values =
      options_.is_self_adjoint == true
          ? api::abs(eigvals())
          : api::linalg::svd(to_dense(), false, /*compute_uv=*/false)[0];
  return api::reduce_max(values, -1) / api::reduce_min(values, -1);
}

void OperatorKind::assert_non_singular() const {
  if (can_use_cholesky()) return assert_positive_definite();
  const Tensor values =
      api::linalg::svd(to_dense(), false, /*compute_uv=*/false)[0];
  const Tensor ratio =
      api::reduce_max(values, -1) / api::reduce_min(values, -1);
  const bool is_double =
      dtype_ == DataType::kDouble || dtype_ == DataType::kComplex128;
  const Tensor most =
      Number(1 / (100 * (is_double ? 2.220446049250313e-16 : 1.1920929e-07)),
             ratio.dtype());
  api::debugging::assert_less(ratio, most,
                              "Singular matrix up to precision epsilon.");
}

void OperatorKind::assert_positive_definite() const {
  if (options_.is_self_adjoint != true) {
    throw Error(ErrorCode::kUnimplemented,
                "assert_positive_definite is not implemented.");
  }
  const Tensor factor = api::linalg::cholesky(to_dense());
  api::debugging::assert_positive(
      api::math::real(api::linalg::diag_part(factor)),
      "Matrix was not positive definite.");
}

void OperatorKind::assert_self_adjoint() const {
  const Tensor dense = to_dense();
  api::debugging::assert_equal(dense, api::linalg::adjoint(dense),
                               "Matrix was not equal to its adjoint.");
}

// ---- The handle: what is asked is checked here. ----

LinearOperator::LinearOperator(std::shared_ptr<const OperatorKind> kind)
    : kind_(std::move(kind)) {
  if (kind_ == nullptr) BadValue("a linear operator needs a kind");
}

const std::string& LinearOperator::kind() const { return kind_->kind(); }
const std::string& LinearOperator::name() const { return kind_->name(); }
DataType LinearOperator::dtype() const { return kind_->dtype(); }
std::optional<bool> LinearOperator::is_non_singular() const {
  return kind_->promised().is_non_singular;
}
std::optional<bool> LinearOperator::is_self_adjoint() const {
  return kind_->promised().is_self_adjoint;
}
std::optional<bool> LinearOperator::is_positive_definite() const {
  return kind_->promised().is_positive_definite;
}
std::optional<bool> LinearOperator::is_square() const {
  return kind_->is_square();
}

Tensor LinearOperator::part(const std::string& name) const {
  for (const auto& [known, part] : kind_->parts_) {
    if (known == name) return part.value();
  }
  BadValue(kind() + " is not made of a tensor '" + name + "'");
}

const std::vector<LinearOperator>& LinearOperator::operators() const {
  return kind_->operators_;
}

std::vector<Variable> LinearOperator::variables() const {
  std::vector<Variable> found;
  const auto add = [&](const Variable& v) {
    const bool known = std::ranges::any_of(found, [&](const Variable& u) {
      return u.handle().impl() == v.handle().impl();
    });
    if (!known) found.push_back(v);
  };
  for (const auto& [name, part] : kind_->parts_) {
    if (part.variable() != nullptr) add(*part.variable());
  }
  for (const LinearOperator& inner : kind_->operators_) {
    for (const Variable& v : inner.variables()) add(v);
  }
  return found;
}

Shape LinearOperator::shape() const { return kind_->shape(); }
Shape LinearOperator::batch_shape() const { return Dims(shape(), 0, -2); }

Tensor LinearOperator::shape_tensor() const {
  const Shape known = shape();
  if (!known.is_fully_defined()) return kind_->shape_tensor();
  return Tensor(std::vector<int32_t>(known.dims().begin(), known.dims().end()));
}

Tensor LinearOperator::batch_shape_tensor() const {
  return kind_->BatchShape();
}

int64_t LinearOperator::domain_dimension() const {
  const Shape known = shape();
  return known.has_rank() ? known.dim(-1) : kUnknown;
}

int64_t LinearOperator::range_dimension() const {
  const Shape known = shape();
  return known.has_rank() ? known.dim(-2) : kUnknown;
}

Tensor LinearOperator::domain_dimension_tensor() const {
  const int64_t known = domain_dimension();
  if (known != kUnknown) return Tensor(static_cast<int32_t>(known));
  return shape_tensor()[-1];
}

Tensor LinearOperator::range_dimension_tensor() const {
  const int64_t known = range_dimension();
  if (known != kUnknown) return Tensor(static_cast<int32_t>(known));
  return shape_tensor()[-2];
}

Tensor LinearOperator::Checked(const Tensor& x, int64_t mine, int dim) const {
  if (x.dtype() != dtype()) {
    throw Error(ErrorCode::kTypeError,
                "Expected argument to have the dtype of " + name() +
                    ".  Found: " + x.to_string());
  }
  if (x.shape().has_rank() && x.rank() < -dim) {
    BadValue("an operator is multiplied with matrices, not with " +
             x.to_string());
  }
  const int64_t given = x.shape().has_rank() ? x.shape().dim(dim) : kUnknown;
  if (mine != kUnknown && given != kUnknown && mine != given) {
    BadValue("Dimensions " + std::to_string(mine) + " and " +
             std::to_string(given) + " are not compatible");
  }
  return x;
}

Tensor LinearOperator::matmul(const Tensor& x, bool adjoint,
                              bool adjoint_arg) const {
  const int64_t mine = adjoint ? range_dimension() : domain_dimension();
  return kind_->matmul(Checked(x, mine, adjoint_arg ? -1 : -2), adjoint,
                       adjoint_arg);
}

Tensor LinearOperator::matvec(const Tensor& x, bool adjoint) const {
  Checked(x, adjoint ? range_dimension() : domain_dimension(), -1);
  return api::squeeze(matmul(Column(x), adjoint), {-1});
}

namespace {

void CheckSolvable(const LinearOperator& op) {
  const bool singular = op.is_non_singular() == false;
  if (!singular && op.is_square() != false) return;
  throw Error(ErrorCode::kUnimplemented,
              std::string("Exact solve not implemented for an operator that is "
                          "expected to ") +
                  (singular ? "be singular." : "not be square."));
}

void CheckFit(const LinearOperator& left, const LinearOperator& right) {
  const int64_t columns = left.domain_dimension();
  const int64_t rows = right.range_dimension();
  if (columns == kUnknown || rows == kUnknown || columns == rows) return;
  BadValue("Operators are incompatible. Expected `x` to have dimension " +
           std::to_string(columns) + " but got " + std::to_string(rows) + ".");
}

void CheckDeterminant(const LinearOperator& op) {
  if (op.is_square() != false) return;
  throw Error(ErrorCode::kUnimplemented,
              "Determinant not implemented for an operator that is expected "
              "to not be square.");
}

}  // namespace

Tensor LinearOperator::solve(const Tensor& rhs, bool adjoint,
                             bool adjoint_arg) const {
  CheckSolvable(*this);
  const int64_t mine = adjoint ? domain_dimension() : range_dimension();
  return kind_->solve(Checked(rhs, mine, adjoint_arg ? -1 : -2), adjoint,
                      adjoint_arg);
}

Tensor LinearOperator::solvevec(const Tensor& rhs, bool adjoint) const {
  Checked(rhs, adjoint ? domain_dimension() : range_dimension(), -1);
  return api::squeeze(solve(Column(rhs), adjoint), {-1});
}

LinearOperator LinearOperator::matmul(const LinearOperator& x, bool adjoint,
                                      bool adjoint_arg) const {
  const LinearOperator left = adjoint ? this->adjoint() : *this;
  const LinearOperator right = adjoint_arg ? x.adjoint() : x;
  CheckFit(left, right);
  return Multiplied(left, right);
}

LinearOperator LinearOperator::solve(const LinearOperator& rhs, bool adjoint,
                                     bool adjoint_arg) const {
  CheckSolvable(*this);
  const LinearOperator left = adjoint ? this->adjoint() : *this;
  const LinearOperator right = adjoint_arg ? rhs.adjoint() : rhs;
  CheckFit(left, right);
  return Solved(left, right);
}

LinearOperator LinearOperator::adjoint() const {
  if (is_self_adjoint() == true) return *this;
  if (auto known = kind_->adjoint()) return *known;
  return LinearOperatorAdjoint(*this);
}

LinearOperator LinearOperator::inverse() const {
  if (is_square() == false || is_non_singular() == false) {
    BadValue(
        std::string("Cannot take the Inverse: This operator represents a ") +
        (is_square() == false ? "non square matrix." : "singular matrix."));
  }
  if (auto known = kind_->inverse()) return *known;
  return LinearOperatorInversion(*this);
}

LinearOperator LinearOperator::cholesky() const {
  if (!kind_->can_use_cholesky()) {
    BadValue(
        "Cannot take the Cholesky decomposition: Not a positive definite self "
        "adjoint matrix.");
  }
  if (auto known = kind_->cholesky()) return *known;
  return LinearOperatorLowerTriangular(
      api::linalg::cholesky(to_dense()),
      {.is_non_singular = true, .is_self_adjoint = false, .is_square = true});
}

Tensor LinearOperator::to_dense() const { return kind_->to_dense(); }
Tensor LinearOperator::diag_part() const { return kind_->diag_part(); }
Tensor LinearOperator::trace() const { return kind_->trace(); }

Tensor LinearOperator::determinant() const {
  CheckDeterminant(*this);
  return kind_->determinant();
}

Tensor LinearOperator::log_abs_determinant() const {
  CheckDeterminant(*this);
  return kind_->log_abs_determinant();
}

Tensor LinearOperator::add_to_tensor(const Tensor& x) const {
  return kind_->add_to_tensor(Checked(x, kUnknown, -2));
}

Tensor LinearOperator::eigvals() const {
  if (is_self_adjoint() != true) {
    throw Error(ErrorCode::kUnimplemented,
                "Only self-adjoint matrices are supported.");
  }
  return kind_->eigvals();
}

Tensor LinearOperator::cond() const { return kind_->cond(); }
void LinearOperator::assert_non_singular() const {
  kind_->assert_non_singular();
}
void LinearOperator::assert_positive_definite() const {
  kind_->assert_positive_definite();
}
void LinearOperator::assert_self_adjoint() const {
  kind_->assert_self_adjoint();
}

}  // namespace gk::api::linalg
