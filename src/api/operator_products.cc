// Linear operators that are made of others.
#include <algorithm>

#include "api/operator_matrices.h"
#include "graphkiln/index.h"

namespace gk::api::linalg {
namespace {

using Operators = std::vector<LinearOperator>;

// Of a property that an operator shares with what is made of it.
std::optional<bool> Shared(std::optional<bool> known, std::optional<bool> given,
                           const char* what) {
  if (known && given && *known != *given) {
    BadValue(std::string("An operator is ") + what +
             " if and only if its adjoint and its inverse are.");
  }
  return known ? known : given;
}

OperatorOptions OfWrapped(const LinearOperator& op, OperatorOptions o,
                          const char* suffix) {
  o.is_square = Shared(op.is_square(), o.is_square, "square");
  o.is_non_singular =
      Shared(op.is_non_singular(), o.is_non_singular, "non-singular");
  o.is_self_adjoint =
      Shared(op.is_self_adjoint(), o.is_self_adjoint, "self-adjoint");
  o.is_positive_definite = Shared(op.is_positive_definite(),
                                  o.is_positive_definite, "positive-definite");
  if (o.name.empty()) o.name = op.name() + suffix;
  return o;
}

class Adjoint : public OperatorKind {
 public:
  Adjoint(const LinearOperator& op, const OperatorOptions& o)
      : OperatorKind("LinearOperatorAdjoint", op.dtype(),
                     OfWrapped(op, o, "_adjoint")) {
    operators_ = {op};
  }
  Shape shape() const override {
    const Shape s = inner().shape();
    if (!s.has_rank()) return s;
    return Dims(s, 0, -2).concatenate(Shape{s.dim(-1), s.dim(-2)});
  }
  Tensor shape_tensor() const override {
    const Tensor s = inner().shape_tensor();
    return Joined({Dims(s, 0, -2), Dims(s, -1, 0), Dims(s, -2, -1)});
  }
  Tensor matmul(const Tensor& x, bool adjoint,
                bool adjoint_arg) const override {
    return inner().matmul(x, !adjoint, adjoint_arg);
  }
  Tensor solve(const Tensor& rhs, bool adjoint,
               bool adjoint_arg) const override {
    return inner().solve(rhs, !adjoint, adjoint_arg);
  }
  Tensor to_dense() const override {
    return api::linalg::adjoint(inner().to_dense());
  }
  Tensor diag_part() const override { return Conjugate(inner().diag_part()); }
  Tensor trace() const override { return Conjugate(inner().trace()); }
  Tensor determinant() const override {
    return Conjugate(inner().determinant());
  }
  Tensor log_abs_determinant() const override {
    return inner().log_abs_determinant();
  }
  Tensor cond() const override { return inner().cond(); }
  void assert_non_singular() const override { inner().assert_non_singular(); }
  void assert_positive_definite() const override {
    inner().assert_positive_definite();
  }
  void assert_self_adjoint() const override { inner().assert_self_adjoint(); }
  std::optional<LinearOperator> adjoint() const override { return inner(); }

 private:
  const LinearOperator& inner() const { return operators_[0]; }
};

class Inversion : public OperatorKind {
 public:
  Inversion(const LinearOperator& op, const OperatorOptions& o)
      : OperatorKind("LinearOperatorInversion", op.dtype(),
                     OfWrapped(op, o, "_inv")) {
    if (promised().is_non_singular == false || promised().is_square == false) {
      BadValue("Only square operators that are not singular have an inverse.");
    }
    operators_ = {op};
  }
  Shape shape() const override { return inner().shape(); }
  Tensor shape_tensor() const override { return inner().shape_tensor(); }
  Tensor matmul(const Tensor& x, bool adjoint,
                bool adjoint_arg) const override {
    return inner().solve(x, adjoint, adjoint_arg);
  }
  Tensor solve(const Tensor& rhs, bool adjoint,
               bool adjoint_arg) const override {
    return inner().matmul(rhs, adjoint, adjoint_arg);
  }
  Tensor determinant() const override {
    return Number(1, dtype()) / inner().determinant();
  }
  Tensor log_abs_determinant() const override {
    return -inner().log_abs_determinant();
  }
  Tensor eigvals() const override {
    const Tensor values = inner().eigvals();
    return Number(1, values.dtype()) / values;
  }
  Tensor cond() const override { return inner().cond(); }
  void assert_non_singular() const override { inner().assert_non_singular(); }
  void assert_positive_definite() const override {
    inner().assert_positive_definite();
  }
  void assert_self_adjoint() const override { inner().assert_self_adjoint(); }
  std::optional<LinearOperator> inverse() const override { return inner(); }

 private:
  const LinearOperator& inner() const { return operators_[0]; }
};

const Operators& NotEmpty(const Operators& operators) {
  if (operators.empty()) {
    BadValue("Expected a non-empty list of operators.");
  }
  for (const LinearOperator& op : operators) {
    if (op.dtype() == operators[0].dtype()) continue;
    throw Error(ErrorCode::kTypeError,
                "Expected all operators to have the same dtype.");
  }
  return operators;
}

using Hint = std::optional<bool> (LinearOperator::*)() const;
bool AllOf(const Operators& operators, Hint hint) {
  return std::ranges::all_of(operators, [&](const LinearOperator& op) {
    return (op.*hint)() == true;
  });
}

std::string NameOf(const Operators& operators, const char* between) {
  std::string name;
  for (const LinearOperator& op : operators) {
    if (!name.empty()) name += between;
    name += op.name();
  }
  return name;
}

Shape BatchOf(const Operators& operators) {
  Shape batch;
  for (const LinearOperator& op : operators) {
    batch = Broadcast(batch, op.batch_shape());
  }
  return batch;
}

Tensor BatchTensorOf(const Operators& operators) {
  Tensor batch = operators[0].batch_shape_tensor();
  for (const LinearOperator& op : operators) {
    batch = Broadcast(batch, op.batch_shape_tensor());
  }
  return batch;
}

class Composition : public OperatorKind {
 public:
  static OperatorOptions Known(const Operators& all, OperatorOptions o) {
    o.is_non_singular = MustBe(
        AllOf(NotEmpty(all), &LinearOperator::is_non_singular),
        o.is_non_singular,
        "The composition of non-singular operators is always non-singular.");
    // A B ... B^H A^H.
    bool pairs = all.size() % 2 == 0;
    for (size_t i = 0; pairs && i < all.size() / 2; ++i) {
      const LinearOperator &a = all[i], &b = all[all.size() - 1 - i];
      pairs = a == b ? a.is_self_adjoint() == true
                     : a.adjoint() == b || b.adjoint() == a;
    }
    const bool one = all.size() == 1 && all[0].is_self_adjoint() == true;
    o.is_self_adjoint = MustBe(pairs || one, o.is_self_adjoint,
                               "The composition was determined to be "
                               "self-adjoint.");
    o.is_square =
        MustBe(pairs, o.is_square,
               "The composition was determined have the form A @ A.H, hence it "
               "must be square.");
    o.is_positive_definite =
        MustBe(pairs && o.is_non_singular == true, o.is_positive_definite,
               "The composition was determined to be non-singular and have the "
               "form A @ A.H, hence it must be positive-definite.");
    if (o.name.empty()) o.name = NameOf(all, "_o_");
    return o;
  }
  Composition(const Operators& operators, const OperatorOptions& o)
      : OperatorKind("LinearOperatorComposition",
                     NotEmpty(operators)[0].dtype(), Known(operators, o)) {
    operators_ = operators;
    shape();  // they fit
  }
  Shape shape() const override {
    for (size_t i = 1; i < operators_.size(); ++i) {
      const int64_t columns = operators_[i - 1].domain_dimension();
      const int64_t rows = operators_[i].range_dimension();
      if (columns != rows && columns != kUnknown && rows != kUnknown) {
        BadValue("Dimensions " + std::to_string(columns) + " and " +
                 std::to_string(rows) + " are not compatible");
      }
    }
    return BatchOf(operators_)
        .concatenate(Shape{operators_.front().range_dimension(),
                           operators_.back().domain_dimension()});
  }
  Tensor shape_tensor() const override {
    return Joined({BatchTensorOf(operators_),
                   api::stack({operators_.front().range_dimension_tensor(),
                               operators_.back().domain_dimension_tensor()})});
  }
  Tensor matmul(const Tensor& x, bool adjoint,
                bool adjoint_arg) const override {
    return InTurn(!adjoint, x, adjoint_arg,
                  [&](const LinearOperator& op, const Tensor& y, bool arg) {
                    return op.matmul(y, adjoint, arg);
                  });
  }
  Tensor solve(const Tensor& rhs, bool adjoint,
               bool adjoint_arg) const override {
    return InTurn(adjoint, rhs, adjoint_arg,
                  [&](const LinearOperator& op, const Tensor& y, bool arg) {
                    return op.solve(y, adjoint, arg);
                  });
  }
  Tensor determinant() const override {
    Tensor all = operators_[0].determinant();
    for (size_t i = 1; i < operators_.size(); ++i) {
      all = all * operators_[i].determinant();
    }
    return all;
  }
  Tensor log_abs_determinant() const override {
    Tensor all = operators_[0].log_abs_determinant();
    for (size_t i = 1; i < operators_.size(); ++i) {
      all = all + operators_[i].log_abs_determinant();
    }
    return all;
  }
  void assert_non_singular() const override {
    if (!AllOf(operators_, &LinearOperator::is_square)) {
      return OperatorKind::assert_non_singular();
    }
    for (const LinearOperator& op : operators_) op.assert_non_singular();
  }

 private:
  template <class F>
  Tensor InTurn(bool last_first, Tensor x, bool adjoint_arg, F f) const {
    const size_t count = operators_.size();
    for (size_t i = 0; i < count; ++i) {
      const LinearOperator& op = operators_[last_first ? count - 1 - i : i];
      x = f(op, x, i == 0 && adjoint_arg);
    }
    return x;
  }
};

OperatorOptions OfAll(const Operators& operators, OperatorOptions o) {
  o.is_non_singular =
      MustBe(AllOf(NotEmpty(operators), &LinearOperator::is_non_singular),
             o.is_non_singular,
             "The Kronecker product of non-singular operators is always "
             "non-singular.");
  o.is_self_adjoint = MustBe(
      AllOf(operators, &LinearOperator::is_self_adjoint), o.is_self_adjoint,
      "The Kronecker product of self-adjoint operators is always "
      "self-adjoint.");
  o.is_positive_definite =
      MustBe(AllOf(operators, &LinearOperator::is_positive_definite),
             o.is_positive_definite,
             "The Kronecker product of positive-definite operators is always "
             "positive-definite.");
  if (o.name.empty()) o.name = NameOf(operators, "_x_");
  return o;
}

template <class F>
Operators Each(const Operators& operators, F f) {
  Operators made;
  for (const LinearOperator& op : operators) made.push_back(f(op));
  return made;
}

class Kronecker : public OperatorKind {
 public:
  Kronecker(const Operators& operators, const OperatorOptions& o)
      : OperatorKind("LinearOperatorKronecker", NotEmpty(operators)[0].dtype(),
                     OfAll(operators, o)) {
    operators_ = operators;
  }
  Shape shape() const override {
    int64_t rows = 1, columns = 1;
    const auto times = [](int64_t a, int64_t b) {
      return a == kUnknown || b == kUnknown ? kUnknown : a * b;
    };
    for (const LinearOperator& op : operators_) {
      rows = times(rows, op.range_dimension());
      columns = times(columns, op.domain_dimension());
    }
    return BatchOf(operators_).concatenate(Shape{rows, columns});
  }
  Tensor shape_tensor() const override {
    Tensor rows = operators_[0].range_dimension_tensor();
    Tensor columns = operators_[0].domain_dimension_tensor();
    for (size_t i = 1; i < operators_.size(); ++i) {
      rows = rows * operators_[i].range_dimension_tensor();
      columns = columns * operators_[i].domain_dimension_tensor();
    }
    return Joined({BatchTensorOf(operators_), api::stack({rows, columns})});
  }
  Tensor matmul(const Tensor& x, bool adjoint,
                bool adjoint_arg) const override {
    return EachApplied(x, adjoint, adjoint_arg,
                       [&](const LinearOperator& op, const Tensor& y) {
                         return op.matmul(y, adjoint, /*adjoint_arg=*/true);
                       });
  }
  Tensor solve(const Tensor& rhs, bool adjoint,
               bool adjoint_arg) const override {
    return EachApplied(rhs, adjoint, adjoint_arg,
                       [&](const LinearOperator& op, const Tensor& y) {
                         return op.solve(y, adjoint, /*adjoint_arg=*/true);
                       });
  }
  Tensor to_dense() const override {
    Tensor all = operators_[0].to_dense();
    for (size_t i = 1; i < operators_.size(); ++i) {
      const Tensor next = operators_[i].to_dense();
      const Tensor product = api::expand_dims(api::expand_dims(all, -1), -3) *
                             api::expand_dims(api::expand_dims(next, -2), -4);
      const Tensor s = ShapeOf(product);
      all = api::reshape(
          product, Joined({Dims(s, 0, -4), api::reshape(s[-4] * s[-3], {1}),
                           api::reshape(s[-2] * s[-1], {1})}));
    }
    return all;
  }
  Tensor trace() const override {
    Tensor all = operators_[0].trace();
    for (size_t i = 1; i < operators_.size(); ++i) {
      all = all * operators_[i].trace();
    }
    return all;
  }
  Tensor diag_part() const override {
    return Outer([](const LinearOperator& op) { return op.diag_part(); });
  }
  Tensor eigvals() const override {
    return Outer([](const LinearOperator& op) { return op.eigvals(); });
  }
  Tensor determinant() const override {
    Tensor all;
    for (const LinearOperator& op : operators_) {
      const Tensor part = api::pow(op.determinant(), Times(op));
      all = all.defined() ? all * part : part;
    }
    return all;
  }
  Tensor log_abs_determinant() const override {
    Tensor all;
    for (const LinearOperator& op : operators_) {
      const Tensor part = op.log_abs_determinant() * Times(op);
      all = all.defined() ? all + part : part;
    }
    return all;
  }
  void assert_non_singular() const override {
    for (const LinearOperator& op : operators_) op.assert_non_singular();
  }
  void assert_self_adjoint() const override {
    for (const LinearOperator& op : operators_) op.assert_self_adjoint();
  }
  std::optional<LinearOperator> adjoint() const override {
    return LinearOperatorKronecker(
        Each(operators_, [](const auto& op) { return op.adjoint(); }));
  }
  std::optional<LinearOperator> inverse() const override {
    return LinearOperatorKronecker(
        Each(operators_, [](const auto& op) { return op.inverse(); }),
        Promises(*this));
  }
  std::optional<LinearOperator> cholesky() const override {
    return LinearOperatorKronecker(
        Each(operators_, [](const auto& op) { return op.cholesky(); }),
        {.is_non_singular = true, .is_square = true});
  }

 private:
  Tensor Times(const LinearOperator& op) const {
    const Tensor total = shape_tensor()[-1];
    return api::cast(total / op.domain_dimension_tensor(), op.dtype());
  }
  template <class F>
  Tensor Outer(F vector_of) const {
    Tensor all = vector_of(operators_[0]);
    const Tensor any(std::vector<int32_t>{-1});
    for (size_t i = 1; i < operators_.size(); ++i) {
      const Tensor product =
          Column(all) * api::expand_dims(vector_of(operators_[i]), -2);
      all = api::reshape(product, Joined({Dims(ShapeOf(product), 0, -2), any}));
    }
    return all;
  }
  // Each factor, the last first, applied to the digits that it owns of the
  // numbers of x's rows.
  template <class F>
  Tensor EachApplied(const Tensor& x, bool adjoint, bool adjoint_arg,
                     F apply) const {
    Tensor rest = adjoint_arg ? Conjugate(x) : api::linalg::matrix_transpose(x);
    for (size_t i = operators_.size(); i-- > 0;) {
      const LinearOperator& op = operators_[i];
      const Tensor size = api::reshape(
          adjoint ? op.range_dimension_tensor() : op.domain_dimension_tensor(),
          {1});
      const Tensor any(std::vector<int32_t>{-1});
      rest =
          api::reshape(rest, Joined({Dims(ShapeOf(rest), 0, -2), any, size}));
      rest = apply(op, Conjugate(rest));
    }
    const Tensor shape = shape_tensor();
    const Tensor rows = adjoint ? Dims(shape, -1, 0) : Dims(shape, -2, -1);
    const Tensor columns =
        adjoint_arg ? Dims(ShapeOf(x), -2, -1) : Dims(ShapeOf(x), -1, 0);
    return api::reshape(rest,
                        Joined({Dims(ShapeOf(rest), 0, -2), rows, columns}));
  }
};

}  // namespace

LinearOperator LinearOperatorAdjoint(const LinearOperator& op,
                                     const OperatorOptions& o) {
  return LinearOperator(std::make_shared<const Adjoint>(op, o));
}

LinearOperator LinearOperatorInversion(const LinearOperator& op,
                                       const OperatorOptions& o) {
  return LinearOperator(std::make_shared<const Inversion>(op, o));
}

LinearOperator LinearOperatorComposition(
    const std::vector<LinearOperator>& operators, const OperatorOptions& o) {
  return LinearOperator(std::make_shared<const Composition>(operators, o));
}

LinearOperator LinearOperatorKronecker(
    const std::vector<LinearOperator>& operators, const OperatorOptions& o) {
  return LinearOperator(std::make_shared<const Kronecker>(operators, o));
}

}  // namespace gk::api::linalg
