// Linear operators made of blocks.
#include <algorithm>

#include "api/operator_matrices.h"
#include "graphkiln/index.h"

namespace gk::api::linalg {
namespace {

using Row = std::vector<LinearOperator>;
using Rows = std::vector<Row>;

// Rows of blocks of which the last stand on the diagonal; what is not given is
// zero. Both kinds are of this one.
class Blocks : public OperatorKind {
 public:
  Blocks(const char* kind, const Rows& rows, bool only_diagonal,
         const OperatorOptions& o)
      : OperatorKind(kind, rows[0][0].dtype(), o),
        rows_(rows),
        only_diagonal_(only_diagonal) {
    for (const Row& row : rows) {
      for (const LinearOperator& op : row) {
        if (op.dtype() != dtype()) {
          throw Error(ErrorCode::kTypeError,
                      "Expected all operators to have the same dtype.");
        }
        operators_.push_back(op);
      }
    }
  }
  Shape shape() const override {
    int64_t rows = 0, columns = 0;
    const auto plus = [](int64_t a, int64_t b) {
      return a == kUnknown || b == kUnknown ? kUnknown : a + b;
    };
    Shape batch;
    for (const LinearOperator& op : operators_) {
      batch = Broadcast(batch, op.batch_shape());
    }
    for (const Row& row : rows_) {
      rows = plus(rows, row.back().range_dimension());
      columns = plus(columns, row.back().domain_dimension());
    }
    return batch.concatenate(Shape{rows, columns});
  }
  Tensor shape_tensor() const override {
    Tensor batch = operators_[0].batch_shape_tensor();
    for (const LinearOperator& op : operators_) {
      batch = Broadcast(batch, op.batch_shape_tensor());
    }
    const Tensor rows = api::reduce_sum(Sizes(true));
    const Tensor columns = api::reduce_sum(Sizes(false));
    return Joined({batch, api::stack({rows, columns})});
  }
  Tensor matmul(const Tensor& x, bool adjoint,
                bool adjoint_arg) const override {
    const std::vector<Tensor> blocks =
        Split(AdjointIf(adjoint_arg, x), /*of_rows=*/adjoint);
    std::vector<Tensor> results(rows_.size());
    EachBlock([&](size_t i, size_t j, const LinearOperator& op) {
      Tensor& sum = results[adjoint ? j : i];
      const Tensor term = op.matmul(blocks[adjoint ? i : j], adjoint);
      sum = sum.defined() ? sum + term : term;
    });
    return Stacked(results);
  }
  Tensor solve(const Tensor& rhs, bool adjoint,
               bool adjoint_arg) const override {
    std::vector<Tensor> left =
        Split(AdjointIf(adjoint_arg, rhs), /*of_rows=*/!adjoint);
    // Row by row, the last first of the adjoint, which is upper triangular.
    const size_t count = rows_.size();
    std::vector<Tensor> found(count);
    for (size_t n = 0; n < count; ++n) {
      const size_t at = adjoint ? count - 1 - n : n;
      EachBlock([&](size_t i, size_t j, const LinearOperator& op) {
        const size_t row = adjoint ? j : i, column = adjoint ? i : j;
        if (row != at || column == at) return;
        left[at] = left[at] - op.matmul(found[column], adjoint);
      });
      found[at] = rows_[at].back().solve(left[at], adjoint);
    }
    return Stacked(found);
  }
  Tensor diag_part() const override {
    return OfDiagonal([](const auto& op) { return op.diag_part(); });
  }
  Tensor eigvals() const override {
    return OfDiagonal([](const auto& op) { return op.eigvals(); });
  }
  Tensor trace() const override {
    Tensor all = rows_[0].back().trace();
    for (size_t i = 1; i < rows_.size(); ++i) {
      all = all + rows_[i].back().trace();
    }
    return all;
  }
  Tensor determinant() const override {
    Tensor all = rows_[0].back().determinant();
    for (size_t i = 1; i < rows_.size(); ++i) {
      all = all * rows_[i].back().determinant();
    }
    return all;
  }
  Tensor log_abs_determinant() const override {
    Tensor all = rows_[0].back().log_abs_determinant();
    for (size_t i = 1; i < rows_.size(); ++i) {
      all = all + rows_[i].back().log_abs_determinant();
    }
    return all;
  }
  void assert_non_singular() const override {
    for (const Row& row : rows_) row.back().assert_non_singular();
  }
  void assert_self_adjoint() const override {
    if (!only_diagonal_) return OperatorKind::assert_self_adjoint();
    for (const Row& row : rows_) row.back().assert_self_adjoint();
  }
  void assert_positive_definite() const override {
    if (!only_diagonal_) return OperatorKind::assert_positive_definite();
    for (const Row& row : rows_) row.back().assert_positive_definite();
  }
  std::optional<LinearOperator> adjoint() const override {
    return Each([](const auto& op) { return op.adjoint(); });
  }
  std::optional<LinearOperator> inverse() const override {
    return Each([](const auto& op) { return op.inverse(); });
  }
  std::optional<LinearOperator> cholesky() const override {
    return Each([](const auto& op) { return op.cholesky(); });
  }

 private:
  template <class F>
  std::optional<LinearOperator> Each(F f) const {
    if (!only_diagonal_) return {};
    Row made;
    for (const Row& row : rows_) made.push_back(f(row.back()));
    return LinearOperatorBlockDiag(made, {.is_square = promised().is_square});
  }
  template <class F>
  void EachBlock(F f) const {
    for (size_t i = 0; i < rows_.size(); ++i) {
      for (size_t j = 0; j < rows_[i].size(); ++j) {
        f(i, only_diagonal_ ? i : j, rows_[i][j]);
      }
    }
  }
  // The numbers of rows, or columns, of the blocks on the diagonal.
  Tensor Sizes(bool of_rows) const {
    std::vector<Tensor> sizes;
    for (const Row& row : rows_) {
      sizes.push_back(of_rows ? row.back().range_dimension_tensor()
                              : row.back().domain_dimension_tensor());
    }
    return api::stack(sizes);
  }
  std::vector<Tensor> Split(const Tensor& x, bool of_rows) const {
    return api::split(x, Sizes(of_rows), -2,
                      static_cast<int64_t>(rows_.size()));
  }
  static Tensor Stacked(std::vector<Tensor> blocks) {
    return api::concat(WithOneBatch(std::move(blocks)), -2);
  }
  template <class F>
  Tensor OfDiagonal(F vector_of) const {
    std::vector<Tensor> columns;
    for (const Row& row : rows_) {
      if (row.back().is_square() == false) {
        throw Error(ErrorCode::kUnimplemented,
                    "not implemented for an operator whose blocks are not "
                    "square.");
      }
      columns.push_back(Column(vector_of(row.back())));
    }
    return api::squeeze(Stacked(columns), {-1});
  }

  Rows rows_;
  bool only_diagonal_;
};

OperatorOptions OfDirectSum(const Row& operators, OperatorOptions o) {
  const auto all = [&](auto hint) {
    return std::ranges::all_of(operators, [&](const LinearOperator& op) {
      return (op.*hint)() == true;
    });
  };
  o.is_non_singular =
      MustBe(all(&LinearOperator::is_non_singular), o.is_non_singular,
             "The direct sum of non-singular operators is always "
             "non-singular.");
  o.is_self_adjoint =
      MustBe(all(&LinearOperator::is_self_adjoint), o.is_self_adjoint,
             "The direct sum of self-adjoint operators is always "
             "self-adjoint.");
  o.is_positive_definite =
      MustBe(all(&LinearOperator::is_positive_definite), o.is_positive_definite,
             "The direct sum of positive definite operators is always "
             "positive definite.");
  return o;
}

void CheckTriangle(const Rows& rows) {
  const auto fit = [](int64_t a, int64_t b) {
    return a == b || a == kUnknown || b == kUnknown;
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != i + 1) {
      BadValue("Argument `operators[" + std::to_string(i) +
               "]` must contain `" + std::to_string(i + 1) +
               "` blocks. Received: " + std::to_string(rows[i].size()) +
               " blocks.");
    }
    for (size_t j = 0; j < i; ++j) {
      if (!fit(rows[i][j].domain_dimension(),
               rows[i - 1][j].domain_dimension()) ||
          !fit(rows[i][j].range_dimension(),
               rows[i][j + 1].range_dimension())) {
        BadValue("Argument `operators[" + std::to_string(i) + "][" +
                 std::to_string(j) +
                 "]` must have the rows and columns of its neighbours.");
      }
    }
    if (rows[i].back().is_square() == false) {
      BadValue("Matrices on the diagonal must be square.");
    }
  }
}

}  // namespace

LinearOperator LinearOperatorBlockDiag(
    const std::vector<LinearOperator>& operators, const OperatorOptions& o) {
  if (operators.empty()) BadValue("Expected a non-empty list of operators.");
  Rows rows;
  std::string name;
  for (const LinearOperator& op : operators) {
    rows.push_back({op});
    name += (name.empty() ? "" : "_ds_") + op.name();
  }
  OperatorOptions known = OfDirectSum(operators, o);
  if (known.name.empty()) known.name = name;
  return LinearOperator(std::make_shared<const Blocks>(
      "LinearOperatorBlockDiag", rows, /*only_diagonal=*/true, known));
}

LinearOperator LinearOperatorBlockLowerTriangular(
    const std::vector<std::vector<LinearOperator>>& operators,
    const OperatorOptions& o) {
  if (operators.empty() || operators[0].empty()) {
    BadValue("Argument `operators` must be a list of >=1 operators.");
  }
  CheckTriangle(operators);
  OperatorOptions known = o;
  known.is_square = MustBe(true, o.is_square,
                           "`LinearOperatorBlockLowerTriangular` must be "
                           "square.");
  bool all = true;
  for (const auto& row : operators) {
    all = all && row.back().is_non_singular() == true;
  }
  known.is_non_singular =
      MustBe(all, o.is_non_singular,
             "A blockwise lower-triangular operator with non-singular "
             "operators on the main diagonal is always non-singular.");
  return LinearOperator(std::make_shared<const Blocks>(
      "LinearOperatorBlockLowerTriangular", operators,
      /*only_diagonal=*/false, known));
}

}  // namespace gk::api::linalg
