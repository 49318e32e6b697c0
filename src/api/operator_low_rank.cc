// Linear operators to which matrices of low rank are added.
#include "api/operator_matrices.h"

namespace gk::api::linalg {
namespace {

class LowRankUpdate : public OperatorKind {
 public:
  static bool Positive(const LinearOperator& base,
                       const std::optional<OperatorPart>& diag,
                       const std::optional<OperatorPart>& v,
                       std::optional<bool> positive) {
    return base->can_use_cholesky() && (!diag || positive == true) && !v;
  }
  static OperatorOptions Known(const LinearOperator& base,
                               const std::optional<OperatorPart>& diag,
                               const std::optional<OperatorPart>& v,
                               std::optional<bool> positive,
                               OperatorOptions o) {
    if (!diag && positive == false) {
      BadValue("Default diagonal is the identity, which is positive.");
    }
    const bool definite = Positive(base, diag, v, positive);
    const bool symmetric =
        base.is_self_adjoint() == true && !v && !IsComplexType(base.dtype());
    o.is_self_adjoint =
        MustBe(symmetric || definite, o.is_self_adjoint,
               "Arguments imply this is a self-adjoint operator.");
    o.is_positive_definite = MustBe(
        definite, o.is_positive_definite,
        "Arguments imply this is self-adjoint positive-definite operator.");
    return o;
  }
  LowRankUpdate(const LinearOperator& base, const OperatorPart& u,
                const std::optional<OperatorPart>& diag,
                const std::optional<OperatorPart>& v,
                std::optional<bool> positive, const OperatorOptions& o)
      : OperatorKind("LinearOperatorLowRankUpdate", base.dtype(),
                     Known(base, diag, v, positive, o)),
        has_diag_(diag.has_value()),
        use_cholesky_(Positive(base, diag, v, positive)) {
    parts_.emplace_back("u", u);
    parts_.emplace_back("v", v ? *v : u);
    if (diag) parts_.emplace_back("diag_update", *diag);
    operators_ = {base};
    shape();  // they fit
  }
  Shape shape() const override {
    const Shape &u = parts_[0].second.shape(), &v = parts_[1].second.shape();
    const Shape both = Broadcast(u, v);
    const int64_t rows = both.has_rank() ? both.dim(-2) : kUnknown;
    const int64_t columns = base().domain_dimension();
    if (rows != columns && rows != kUnknown && columns != kUnknown) {
      BadValue("Dimensions " + std::to_string(columns) + " and " +
               std::to_string(rows) + " are not compatible");
    }
    Shape batch = Broadcast(base().batch_shape(), Dims(both, 0, -2));
    if (has_diag_) {
      batch = Broadcast(batch, Dims(parts_[2].second.shape(), 0, -1));
    }
    return batch.concatenate(Dims(base().shape(), -2, 0));
  }
  Tensor shape_tensor() const override {
    Tensor batch = Broadcast(base().batch_shape_tensor(),
                             Broadcast(Dims(ShapeOf(part(0)), 0, -2),
                                       Dims(ShapeOf(part(1)), 0, -2)));
    if (has_diag_) {
      batch = Broadcast(batch, Dims(ShapeOf(part(2)), 0, -1));
    }
    return Joined({batch, Dims(base().shape_tensor(), -2, 0)});
  }
  Tensor matmul(const Tensor& x, bool adjoint,
                bool adjoint_arg) const override {
    const Tensor u = part(adjoint ? 1 : 0), v = part(adjoint ? 0 : 1);
    Tensor inner = Product(v, x, true, adjoint_arg);
    if (has_diag_) {
      inner = Column(adjoint ? Conjugate(part(2)) : part(2)) * inner;
    }
    return base().matmul(x, adjoint, adjoint_arg) + Product(u, inner);
  }
  // (L + U D V^H)^-1 = L^-1 - L^-1 U C^-1 V^H L^-1, C being the capacitance.
  Tensor solve(const Tensor& rhs, bool adjoint,
               bool adjoint_arg) const override {
    if (base().is_non_singular() == false) {
      BadValue(
          "Solve not implemented unless this is a perturbation of a "
          "non-singular LinearOperator.");
    }
    const Tensor u = part(adjoint ? 1 : 0), v = part(adjoint ? 0 : 1);
    const Tensor first = base().solve(rhs, adjoint, adjoint_arg);
    const Tensor inner =
        SolveBroadcast(Capacitance(), Product(v, first, true), adjoint);
    return first - base().solve(Product(u, inner), adjoint);
  }
  Tensor diag_part() const override {
    Tensor product = part(0) * Conjugate(part(1));
    if (has_diag_) product = product * api::expand_dims(part(2), -2);
    return SumOfLast(product) + base().diag_part();
  }
  Tensor determinant() const override {
    Tensor all = api::linalg::det(Capacitance()) * base().determinant();
    if (has_diag_) all = all * api::reduce_prod(part(2), -1);
    return all;
  }
  Tensor log_abs_determinant() const override {
    const auto log_abs = [&](const Tensor& x) {
      return api::cast(api::math::log(api::abs(x)), dtype());
    };
    Tensor of_capacitance;
    if (use_cholesky_) {
      const Tensor factor =
          api::linalg::diag_part(api::linalg::cholesky(Capacitance()));
      of_capacitance = Number(2, dtype()) * SumOfLast(api::math::log(factor));
    } else {
      of_capacitance = log_abs(api::linalg::det(Capacitance()));
    }
    const Tensor all = of_capacitance + base().log_abs_determinant();
    return has_diag_ ? all + SumOfLast(log_abs(part(2))) : all;
  }
  void assert_self_adjoint() const override {
    if (has_diag_ || !(part(0).impl() == part(1).impl())) {
      return OperatorKind::assert_self_adjoint();
    }
    base().assert_self_adjoint();
  }

 private:
  const LinearOperator& base() const { return operators_[0]; }
  Tensor part(int i) const { return parts_[i].second.value(); }
  // D^-1 + V^H L^-1 U.
  Tensor Capacitance() const {
    const Tensor inner = Product(part(1), base().solve(part(0)), true);
    const Tensor one = Number(1, dtype());
    const Tensor diagonal = has_diag_ ? one / part(2) : one;
    return api::linalg::set_diag(inner,
                                 diagonal + api::linalg::diag_part(inner));
  }

  bool has_diag_, use_cholesky_;
};

}  // namespace

LinearOperator LinearOperatorLowRankUpdate(
    const LinearOperator& base_operator, const OperatorPart& u,
    const std::optional<OperatorPart>& diag_update,
    const std::optional<OperatorPart>& v,
    std::optional<bool> is_diag_update_positive, const OperatorOptions& o) {
  return LinearOperator(std::make_shared<const LowRankUpdate>(
      base_operator, u, diag_update, v, is_diag_update_positive, o));
}

}  // namespace gk::api::linalg
