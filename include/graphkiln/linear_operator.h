// LinearOperator: what acts like a matrix, or a batch of them, and need not
// hold it: a diagonal, a circulant, a product of others, or a kind of your own.
//
//   namespace la = gk::linalg;
//   la::LinearOperator d = la::LinearOperatorDiag({1.f, 2.f});
//   gk::Tensor y = d.matvec({3.f, 4.f});
//   la::LinearOperator e = (d * d).inverse();  // a diagonal again
//   e.part("diag");                            // {1.f, 0.25f}
//
// What is promised of an operator (OperatorOptions) chooses algorithms and is
// not checked. Handles of values that do not change; variables are read at each
// use. Throw Error. Thread-safe.
#ifndef GRAPHKILN_LINEAR_OPERATOR_H_
#define GRAPHKILN_LINEAR_OPERATOR_H_

#include <graphkiln/tensor.h>
#include <graphkiln/variable.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gk {
GK_API_NAMESPACE {
  namespace linalg {

  // A tensor that an operator is made of, or a variable that is read at each
  // use.
  class OperatorPart {
   public:
    // Of either, or of what makes a tensor.
    OperatorPart(const Tensor& tensor) : part_(tensor) {}
    OperatorPart(const Variable& variable) : part_(variable) {}
    template <Element T>
    OperatorPart(T value) : part_(Tensor(value)) {}
    template <Element T>
    OperatorPart(std::initializer_list<T> values) : part_(Tensor(values)) {}
    template <Element T>
    OperatorPart(detail::List2<T> values) : part_(Tensor(values)) {}

    // The tensor, or what the variable holds now.
    Tensor value() const {
      const Variable* v = variable();
      return v != nullptr ? v->value() : std::get<Tensor>(part_);
    }
    const Variable* variable() const { return std::get_if<Variable>(&part_); }
    Shape shape() const {
      const Variable* v = variable();
      return v != nullptr ? v->shape() : std::get<Tensor>(part_).shape();
    }
    DataType dtype() const {
      const Variable* v = variable();
      return v != nullptr ? v->dtype() : std::get<Tensor>(part_).dtype();
    }

   private:
    std::variant<Tensor, Variable> part_;
  };

  // What is promised of an operator; nothing: unknown. And its name, by default
  // its kind's.
  struct OperatorOptions {
    std::optional<bool> is_non_singular = {};
    std::optional<bool> is_self_adjoint = {};
    std::optional<bool> is_positive_definite = {};
    std::optional<bool> is_square = {};
    std::string name = {};
  };

  class OperatorKind;

  // An operator of some kind; a handle, copying shares.
  class GK_EXPORT LinearOperator {
   public:
    // Of a kind of one's own as well.
    explicit LinearOperator(std::shared_ptr<const OperatorKind> kind);

    // "LinearOperatorDiag", and its name.
    const std::string& kind() const;
    const std::string& name() const;
    DataType dtype() const;
    std::optional<bool> is_non_singular() const;
    std::optional<bool> is_self_adjoint() const;
    std::optional<bool> is_positive_definite() const;
    std::optional<bool> is_square() const;
    // The tensor of that name that it is made of, "diag"; and the operators.
    // ValueError if it has none.
    Tensor part(const std::string& name) const;
    const std::vector<LinearOperator>& operators() const;
    // Those it reads, and those of its operators; each once.
    std::vector<Variable> variables() const;

    // [B1, ..., Bb, M, N], as far as known, and as a tensor.
    Shape shape() const;
    Shape batch_shape() const;
    Tensor shape_tensor() const;
    Tensor batch_shape_tensor() const;
    int tensor_rank() const { return shape().rank(); }
    // N and M; kUnknown if they are.
    int64_t domain_dimension() const;
    int64_t range_dimension() const;
    Tensor domain_dimension_tensor() const;
    Tensor range_dimension_tensor() const;

    // A x of matrices [..., N, R] or, with `adjoint`, A^H x; with `adjoint_arg`
    // x^H stands for x.
    Tensor matmul(const Tensor& x, bool adjoint = false,
                  bool adjoint_arg = false) const;
    // The product of operators, of a simple kind where there is one.
    LinearOperator matmul(const LinearOperator& x, bool adjoint = false,
                          bool adjoint_arg = false) const;
    // Of vectors [..., N].
    Tensor matvec(const Tensor& x, bool adjoint = false) const;
    // The X with A X = rhs.
    Tensor solve(const Tensor& rhs, bool adjoint = false,
                 bool adjoint_arg = false) const;
    // The operator X with A X = rhs.
    LinearOperator solve(const LinearOperator& rhs, bool adjoint = false,
                         bool adjoint_arg = false) const;
    // Of vectors [..., M].
    Tensor solvevec(const Tensor& rhs, bool adjoint = false) const;

    // A^H, and A^-1 of a square operator.
    LinearOperator adjoint() const;
    LinearOperator inverse() const;
    // Of an operator that is promised to be self-adjoint and positive definite.
    LinearOperator cholesky() const;

    // The whole matrix [B1, ..., Bb, M, N].
    Tensor to_dense() const;
    // The diagonal [B1, ..., Bb, min(M, N)], and its sum.
    Tensor diag_part() const;
    Tensor trace() const;
    // [B1, ..., Bb], of a square operator.
    Tensor determinant() const;
    Tensor log_abs_determinant() const;
    // A + x.
    Tensor add_to_tensor(const Tensor& x) const;
    // Of an operator that is promised to be self-adjoint.
    Tensor eigvals() const;
    // The greatest singular value over the least.
    Tensor cond() const;

    // Throw Error (InvalidArgument), or fail when the function runs.
    void assert_non_singular() const;
    void assert_positive_definite() const;
    void assert_self_adjoint() const;

    friend bool operator==(const LinearOperator& a, const LinearOperator& b) {
      return a.kind_ == b.kind_;
    }

    // --- For kinds.
    const OperatorKind& operator*() const { return *kind_; }
    const OperatorKind* operator->() const { return kind_.get(); }

   private:
    Tensor Checked(const Tensor& x, int64_t mine, int dim) const;

    std::shared_ptr<const OperatorKind> kind_;
  };

  // The product of two operators.
  inline LinearOperator operator*(const LinearOperator& a,
                                  const LinearOperator& b) {
    return a.matmul(b);
  }

  // What a kind of operators defines: derive from it for one of your own, and
  // override shape() and matmul(), and what it can do better than by way of the
  // whole matrix. Arguments are checked when it gets them.
  class GK_EXPORT OperatorKind {
   public:
    // ValueError for promises that contradict one another.
    OperatorKind(std::string kind, DataType dtype, OperatorOptions options);
    virtual ~OperatorKind();
    OperatorKind(const OperatorKind&) = delete;
    OperatorKind& operator=(const OperatorKind&) = delete;

    // As LinearOperator's functions of these names.
    virtual Shape shape() const = 0;
    virtual Tensor shape_tensor() const;  // where shape() is not all known
    virtual Tensor matmul(const Tensor& x, bool adjoint,
                          bool adjoint_arg) const = 0;
    virtual Tensor solve(const Tensor& rhs, bool adjoint,
                         bool adjoint_arg) const;
    virtual Tensor to_dense() const;
    virtual Tensor diag_part() const;
    virtual Tensor trace() const;
    virtual Tensor determinant() const;
    virtual Tensor log_abs_determinant() const;
    virtual Tensor add_to_tensor(const Tensor& x) const;
    virtual Tensor eigvals() const;
    virtual Tensor cond() const;
    virtual void assert_non_singular() const;
    virtual void assert_positive_definite() const;
    virtual void assert_self_adjoint() const;
    // Nothing: an operator that says so of `self`, which is of this kind.
    virtual std::optional<LinearOperator> adjoint() const { return {}; }
    virtual std::optional<LinearOperator> inverse() const { return {}; }
    virtual std::optional<LinearOperator> cholesky() const { return {}; }

    // "LinearOperatorDiag".
    const std::string& kind() const { return kind_; }
    const std::string& name() const { return options_.name; }
    DataType dtype() const { return dtype_; }
    const OperatorOptions& promised() const { return options_; }
    // As promised, or as the shape tells.
    std::optional<bool> is_square() const;
    bool can_use_cholesky() const;

   protected:
    friend class LinearOperator;
    // By factors of the whole matrix.
    Tensor DenseSolve(Tensor rhs, bool adjoint, bool adjoint_arg) const;
    // The batch, and the number of columns, of which it is not known.
    Tensor BatchShape() const;

    std::vector<std::pair<std::string, OperatorPart>> parts_;
    std::vector<LinearOperator> operators_;

   private:
    std::string kind_;
    DataType dtype_;
    OperatorOptions options_;
  };

  // A diagonal [..., N].
  GK_EXPORT LinearOperator LinearOperatorDiag(const OperatorPart& diag,
                                              const OperatorOptions& o = {});
  // A matrix [..., M, N].
  GK_EXPORT LinearOperator LinearOperatorFullMatrix(
      const OperatorPart& matrix, const OperatorOptions& o = {});
  // The lower triangle of a matrix [..., N, N].
  GK_EXPORT LinearOperator LinearOperatorLowerTriangular(
      const OperatorPart& tril, const OperatorOptions& o = {});
  // The identity of so many rows, a scalar; of a batch if one is given.
  GK_EXPORT LinearOperator LinearOperatorIdentity(
      const Tensor& num_rows, DataType dtype = DataType::kFloat,
      const std::optional<Tensor>& batch_shape = {});
  // The identity times numbers [...].
  GK_EXPORT LinearOperator LinearOperatorScaledIdentity(
      const Tensor& num_rows, const OperatorPart& multiplier,
      const OperatorOptions& o = {});
  // Zeros; as many columns as rows unless they are given.
  GK_EXPORT LinearOperator LinearOperatorZeros(
      const Tensor& num_rows, const std::optional<Tensor>& num_columns = {},
      DataType dtype = DataType::kFloat,
      const std::optional<Tensor>& batch_shape = {});
  // I - 2 v v^H, of v of any length [..., N].
  GK_EXPORT LinearOperator LinearOperatorHouseholder(
      const OperatorPart& reflection_axis, const OperatorOptions& o = {});
  // Row i of a product is row perm[i] of the argument; integers [..., N].
  GK_EXPORT LinearOperator LinearOperatorPermutation(
      const OperatorPart& perm, DataType dtype = DataType::kFloat,
      const OperatorOptions& o = {});
  // Constant along the diagonals: the first column and row, [..., N].
  GK_EXPORT LinearOperator
  LinearOperatorToeplitz(const OperatorPart& col, const OperatorPart& row,
                         const OperatorOptions& o = {});
  // Circulants of one, two and three dimensions, of their eigenvalues.
  GK_EXPORT LinearOperator LinearOperatorCirculant(
      const OperatorPart& spectrum, DataType dtype = DataType::kComplex64,
      const OperatorOptions& o = {});
  GK_EXPORT LinearOperator LinearOperatorCirculant2D(
      const OperatorPart& spectrum, DataType dtype = DataType::kComplex64,
      const OperatorOptions& o = {});
  GK_EXPORT LinearOperator LinearOperatorCirculant3D(
      const OperatorPart& spectrum, DataType dtype = DataType::kComplex64,
      const OperatorOptions& o = {});
  // Superdiagonal, diagonal and subdiagonal: [..., 3, N] ("compact") or the
  // matrix ("matrix").
  GK_EXPORT LinearOperator
  LinearOperatorTridiag(const OperatorPart& diagonals,
                        const std::string& diagonals_format = "compact",
                        const OperatorOptions& o = {});
  // The adjoint and the inverse of another, as they are.
  GK_EXPORT LinearOperator LinearOperatorAdjoint(const LinearOperator& op,
                                                 const OperatorOptions& o = {});
  GK_EXPORT LinearOperator LinearOperatorInversion(
      const LinearOperator& op, const OperatorOptions& o = {});
  // A product, of which the last is applied first; a Kronecker product; blocks
  // along the diagonal; rows of blocks, those above the diagonal being zero.
  GK_EXPORT LinearOperator
  LinearOperatorComposition(const std::vector<LinearOperator>& operators,
                            const OperatorOptions& o = {});
  GK_EXPORT LinearOperator
  LinearOperatorKronecker(const std::vector<LinearOperator>& operators,
                          const OperatorOptions& o = {});
  GK_EXPORT LinearOperator
  LinearOperatorBlockDiag(const std::vector<LinearOperator>& operators,
                          const OperatorOptions& o = {});
  GK_EXPORT LinearOperator LinearOperatorBlockLowerTriangular(
      const std::vector<std::vector<LinearOperator>>& operators,
      const OperatorOptions& o = {});
  // base + u diag_update v^H: u is [..., M, K], v likewise, u unless given.
  GK_EXPORT LinearOperator LinearOperatorLowRankUpdate(
      const LinearOperator& base_operator, const OperatorPart& u,
      const std::optional<OperatorPart>& diag_update = {},
      const std::optional<OperatorPart>& v = {},
      std::optional<bool> is_diag_update_positive = {},
      const OperatorOptions& o = {});

  namespace experimental {

  // How A x = rhs is solved step by step.
  struct ConjugateGradientOptions {
    std::optional<LinearOperator> preconditioner = {};  // close to the inverse
    Tensor x = {};                                      // where to begin; zero
    double tol = 1e-5;  // of the norm of rhs, what may be left
    int max_iter = 20;
  };
  // After `i` steps: the solution, what is left, the last direction, and the
  // product of what is left with itself or what the preconditioner makes of it.
  struct ConjugateGradientState {
    Tensor i, x, r, p, gamma;
  };
  // Solves A x = rhs of vectors [..., N] by conjugate gradients, of an operator
  // that is promised to be self-adjoint and positive definite.
  GK_EXPORT ConjugateGradientState
  conjugate_gradient(const LinearOperator& op, const Tensor& rhs,
                     const ConjugateGradientOptions& options = {});

  }  // namespace experimental

  }  // namespace linalg
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_LINEAR_OPERATOR_H_
