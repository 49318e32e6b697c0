// Functions of tridiagonal matrices, and the exponential of matrices.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "ops/composition.h"
#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/Abs.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Ceil.h"
#include "ops/fn/ComplexAbs.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Conj.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Greater.h"
#include "ops/fn/IsFinite.h"
#include "ops/fn/Less.h"
#include "ops/fn/LessEqual.h"
#include "ops/fn/Log.h"
#include "ops/fn/LogicalAnd.h"
#include "ops/fn/MatrixDiagPartV3.h"
#include "ops/fn/MatrixDiagV3.h"
#include "ops/fn/MatrixSolve.h"
#include "ops/fn/Max.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Pow.h"
#include "ops/fn/Range.h"
#include "ops/fn/Real.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/SelfAdjointEigV2.h"
#include "ops/fn/Size.h"
#include "ops/fn/Squeeze.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/fn/TridiagonalMatMul.h"
#include "ops/fn/TridiagonalSolve.h"
#include "ops/fn/Where.h"
#include "ops/fn/ZerosLike.h"
#include "ops/linalg/matrix_algebra.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

using matrix::Product;

// ---- The three diagonals ----

int64_t SizeOf(const PartialTensorShape& s, int i) {
  return s.unknown_rank() || s.rank() + i < 0 ? kUnknownDim
                                              : s.dim(s.rank() + i);
}

// A matrix's diagonals as rows, those beside the main one with a zero where
// they have no element.
Tensor RowsOfMatrix(const Tensor& x) {
  const int64_t rows = SizeOf(x.partial_shape(), -2);
  const int64_t columns = SizeOf(x.partial_shape(), -1);
  if (rows > 0 && columns > 0 && rows != columns) {
    throw Error(ValueError(
        "Expected last two dimensions of diagonals to be same, got {} and {}",
        columns, rows));
  }
  return ops::MatrixDiagPartV3(x, IndicesOf(std::vector<int64_t>{-1, 1}),
                               ScalarLike(x, 0), "LEFT_RIGHT");
}

Tensor StackedAs(const TensorVector& parts) { return ops::Pack(parts, -2); }

// A diagonal beside the main one, `size` long, with the zero that it may lack.
Tensor Padded(const Tensor& x, int64_t size, bool in_front, const char* name) {
  const int64_t own = SizeOf(x.partial_shape(), -1);
  if (own <= 0 || own == size) return x;
  if (own != size - 1) {
    throw Error(ValueError("Expected {} to be have length {} or {}, got {}.",
                           name, size, size - 1, own));
  }
  const Tensor zero = ops::ZerosLike(matrix::ColumnsFrom(x, 0, 1));
  return ops::ConcatV2(in_front ? TensorVector{zero, x} : TensorVector{x, zero},
                       IntegerConstant(-1));
}

// The three rows, whatever the format of argument 0 is.
Tensor ThreeRows(const CompositionCall& c, const std::string& format,
                 bool pads) {
  const TensorVector& given = c.tensors(0);
  if (format == "compact") {
    return given.size() == 1 ? given[0] : StackedAs(given);
  }
  if (format == "matrix") {
    return RowsOfMatrix(given.size() == 1 ? given[0] : StackedAs(given));
  }
  if (format != "sequence") {
    throw Error(ValueError("Unrecognized diagonals_format: {}", format));
  }
  if (given.size() != 3) {
    throw Error(ValueError("Expected diagonals to be a sequence of length 3."));
  }
  if (!pads) return StackedAs(given);
  const int64_t size = SizeOf(given[1].partial_shape(), -1);
  return StackedAs({Padded(given[0], size, false, "superdiagonal"), given[1],
                    Padded(given[2], size, true, "subdiagonal")});
}

Tensor ConjugateOf(const Tensor& x) {
  return IsComplex(x.dtype()) ? ops::Conj(x) : x;
}

TensorVector TridiagonalSolve(CompositionCall& c) {
  const bool pivot = c.flag(6), perturb = c.flag(7);
  if (perturb && !pivot) {
    throw Error(
        ValueError("partial_pivoting must be True if perturb_singular is."));
  }
  const Tensor rows = ThreeRows(c, c.text(2), true);
  Tensor b = c.tensor(1);
  const PartialTensorShape a_shape = rows.partial_shape();
  const int rank = a_shape.rank(), right = b.partial_shape().rank();
  if (rank >= 0 && rank < 2) {
    throw Error(
        ValueError("Expected diagonals to have rank at least 2, got {}", rank));
  }
  if (rank >= 0 && right >= 0 && right != rank && right != rank - 1) {
    throw Error(ValueError("Expected the rank of rhs to be {} or {}, got {}",
                           rank - 1, rank, right));
  }
  const int64_t three = SizeOf(a_shape, -2);
  if (three > 0 && three != 3) {
    throw Error(ValueError("Expected 3 diagonals got {}", three));
  }
  const bool is_vector = rank >= 0 && right == rank - 1;
  if (is_vector) {
    if (c.flag(4)) b = ConjugateOf(b);
    b = ops::ExpandDims(b, IntegerConstant(-1));
  } else if (c.flag(3)) {
    b = c.flag(4) ? matrix::Adjoint(b) : matrix::Transpose(b);
  } else if (c.flag(4)) {
    b = ConjugateOf(b);
  }
  const int64_t n = SizeOf(a_shape, -1), m = SizeOf(b.partial_shape(), -2);
  if (n > 0 && m > 0 && n != m) {
    throw Error(
        ValueError("Expected number of left-hand sided and right-hand sides to "
                   "be equal, got {} and {}",
                   n, m));
  }
  const Tensor x =
      ops::TridiagonalSolve(OpName(c.name()), rows, b, pivot, perturb);
  if (!is_vector) return {x};
  return {ops::Squeeze(x, std::vector<int64_t>{-1})};
}

TensorVector TridiagonalProduct(CompositionCall& c) {
  const Tensor rows = ThreeRows(c, c.text(2), false);
  return {ops::TridiagonalMatMul(OpName(c.name()), matrix::RowsFrom(rows, 0, 1),
                                 matrix::RowsFrom(rows, 1, 2),
                                 matrix::RowsFrom(rows, 2, 3), c.tensor(1))};
}

// ---- Eigenvalues ----

// The bounds of a range as two numbers.
std::array<Tensor, 2> RangeOf(const CompositionCall& c, int i, DataType dtype) {
  if (!c.has(i)) {
    throw Error(ValueError("`select_range` says which eigenvalues are meant"));
  }
  Tensor both;
  if (const auto* ints = c.get<std::vector<int64_t>>(i)) {
    both = IntsTensor(*ints, DataType::kInt64);
  } else {
    both = c.tensor(i);
  }
  both = CastTo(both, dtype);
  const Tensor zero = IntegerConstant(0);
  return {ops::GatherV2(both, zero, zero),
          ops::GatherV2(both, IntegerConstant(1), zero)};
}

// How far eigenvalues may be from what they are: bounds that are eigenvalues
// themselves are to hold them.
Tensor RoundingOf(const Tensor& values) {
  const bool is_double = values.dtype() == DataType::kDouble;
  const double each = is_double ? std::numeric_limits<double>::epsilon()
                                : std::numeric_limits<float>::epsilon();
  const double least = is_double ? std::numeric_limits<double>::min()
                                 : std::numeric_limits<float>::min();
  const Tensor norm = ops::Max(ops::Abs(values), IntegerConstant(0), false);
  const Tensor count = CastTo(ops::Size(values), values.dtype());
  const Tensor relative =
      ops::Mul(ops::Mul(count, norm), ScalarLike(values, 2.1 * each));
  return ops::AddV2(relative, ScalarLike(values, 4.2 * least));
}

TensorVector TridiagonalEigen(CompositionCall& c) {
  const Tensor &alpha = c.tensor(0), &beta = c.tensor(1);
  if (alpha.dtype() != beta.dtype()) {
    throw Error(ValueError("'alpha' and 'beta' must have the same type."));
  }
  const DataType real = RealType(alpha.dtype());
  const auto real_part = [&](const Tensor& x) {
    return IsComplex(x.dtype()) ? ops::Real(x, real) : x;
  };
  const Tensor any = IntegerConstant(-1), none = ScalarLike(alpha, 0);
  // A Hermitian matrix has a real diagonal.
  const Tensor diagonal =
      ops::MatrixDiagV3(CastTo(real_part(alpha), alpha.dtype()),
                        IntegerConstant(0), any, any, none);
  const bool single = SizeOf(alpha.partial_shape(), -1) == 1;
  // Only the lower half is read.
  const Tensor below =
      single ? Tensor()
             : ops::MatrixDiagV3(ConjugateOf(beta), any, any, any, none);
  const Tensor whole = single ? diagonal : ops::AddV2(diagonal, below);
  const bool values_only = c.flag(2);
  TensorVector found = ops::SelfAdjointEigV2(whole, !values_only);
  found[0] = real_part(found[0]);
  if (values_only) found.resize(1);
  const std::string& select = c.text(3);
  if (select == "a") return found;
  Tensor places;
  if (select == "i") {
    const auto [first, last] = RangeOf(c, 4, DataType::kInt32);
    const Tensor one = IntegerConstant(1);
    places = ops::Range(first, ops::AddV2(last, one), one);
  } else if (select == "v") {
    const auto [low, high] = RangeOf(c, 4, real);
    const Tensor slack = RoundingOf(found[0]);
    const Tensor least = ops::Sub(low, slack), most = ops::AddV2(high, slack);
    const Tensor within = ops::LogicalAnd(ops::Greater(found[0], least),
                                          ops::LessEqual(found[0], most));
    places = ops::Squeeze(ops::Where(within), std::vector<int64_t>{1});
  } else {
    throw Error(ValueError("'select must have a value in {{'a', 'i', 'v'}}."));
  }
  found[0] = ops::GatherV2(found[0], places, IntegerConstant(0));
  if (!values_only) {
    found[1] = ops::GatherV2(found[1], places, IntegerConstant(1));
  }
  return found;
}

// ---- The exponential ----

// Numerators of Pade approximants to exp(x), the constant first; the
// denominators are those of -x.
constexpr double kPade7[] = {17297280, 8648640, 1995840, 277200,
                             25200,    1512,    56,      1};
constexpr double kPade13[] = {64764752532480000.,
                              32382376266240000.,
                              7771770303897600.,
                              1187353796428800.,
                              129060195264000.,
                              10559470521600.,
                              670442572800.,
                              33522128640.,
                              1323241920.,
                              40840800.,
                              960960.,
                              16380.,
                              182.,
                              1.};

// What a graph, which knows no values while it is built, halves at most: norms
// up to 2^40.
constexpr int kMostHalvings = 40;

// exp(x) = (exp(x / 2^n))^(2^n), with an approximant of x / 2^n.
Tensor Exponential(const Tensor& x) {
  const bool is_double =
      x.dtype() == DataType::kDouble || x.dtype() == DataType::kComplex128;
  const DataType real = RealType(x.dtype());
  const auto number = [&](double v) { return NumberOf(v, x.dtype()); };
  const auto real_number = [&](double v) { return NumberOf(v, real); };
  const Tensor sizes =
      IsComplex(x.dtype()) ? ops::ComplexAbs(x, real) : ops::Abs(x);
  const Tensor columns = ops::Sum(sizes, IndicesOf(std::vector<int64_t>{-2}));
  const Tensor norm =
      matrix::AsMatrix(ops::Max(columns, IndicesOf(std::vector<int64_t>{-1})));
  const Tensor finite = ops::IsFinite(norm);
  // Matrices without an exponential are zeros on the way.
  const Tensor safe = ops::SelectV2(finite, x, ops::ZerosLike(x));
  const Tensor safe_norm = ops::SelectV2(finite, norm, ops::ZerosLike(norm));
  const double enough = is_double ? 5.371920351148152 : 3.925724783138660;
  // log2(norm / enough) + 1, cut off to a whole number.
  const Tensor scaled = ops::Maximum(
      ops::RealDiv(safe_norm, real_number(enough)), real_number(0.25));
  const Tensor halvings = ops::Maximum(
      ops::Ceil(ops::RealDiv(ops::Log(scaled), real_number(std::log(2.0)))),
      real_number(0));
  const Tensor factor = ops::Pow(real_number(2), halvings);
  const Tensor small = ops::RealDiv(safe, CastTo(factor, x.dtype()));

  const std::span<const double> pade =
      is_double ? std::span<const double>(kPade13) : kPade7;
  const int degree = pade.size() - 1;
  const Tensor eye = matrix::EyeLike(small);
  const Tensor square = Product(small, small);
  // Even and odd terms by Horner's rule, in the square.
  const auto horner = [&](int last) {
    Tensor sum = ops::Mul(number(pade[last]), eye);
    for (int i = last - 2; i >= 0; i -= 2) {
      sum = ops::AddV2(Product(sum, square), ops::Mul(number(pade[i]), eye));
    }
    return sum;
  };
  const Tensor odd = Product(small, horner(degree));
  const Tensor even = horner(degree - 1);
  Tensor result = ops::MatrixSolve(ops::Sub(even, odd), ops::AddV2(even, odd));

  int most = kMostHalvings;
  const Tensor largest = ops::Max(halvings, AllAxes(halvings)).KnownValue();
  if (largest) {
    VisitType<float, double, half, bfloat16>(real, [&](auto tag) {
      most =
          static_cast<int>(static_cast<float>(*largest.data<decltype(tag)>()));
    });
  }
  for (int i = 0; i < most; ++i) {
    result = ops::SelectV2(ops::Less(real_number(i), halvings),
                           Product(result, result), result);
  }
  // A norm beyond what is halved counts as one that is not finite.
  const Tensor known =
      ops::LogicalAnd(finite, ops::LessEqual(halvings, real_number(most)));
  const double none = std::numeric_limits<double>::quiet_NaN();
  return ops::SelectV2(known, result, number(none));
}

TensorVector Expm(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  if (!IsFloating(x.dtype()) && !IsComplex(x.dtype())) {
    throw Error(
        ValueError("tf.linalg.expm does not support matrices of type {}",
                   DataTypeString(x.dtype())));
  }
  const PartialTensorShape shape = x.partial_shape();
  if (SizeOf(shape, -1) == 0 && SizeOf(shape, -2) == 0) return {x};
  return {Exponential(x)};
}

#define FORMATS_DOC                                                          \
  "\n\nArgs:\n  diagonals: as diagonals_format says: \"compact\", [..., 3, " \
  "n], the one\n    above the main one, that, and the one below; "           \
  "\"sequence\", a list of\n    them; \"matrix\", whole matrices."

const CompositionRecord kRecords[] = {
    {.names = "linalg.tridiagonal_solve",
     .args = "diagonals: tensors(whole); rhs: tensor; diagonals_format: string "
             "= 'compact'; transpose_rhs: bool = False; conjugate_rhs: bool = "
             "False; name: name = None; partial_pivoting: bool = True; "
             "perturb_singular: bool = False",
     .scope = "TridiagonalSolve",
     .build = TridiagonalSolve,
     .doc = "The x with A x = rhs of tridiagonal matrices A." FORMATS_DOC,
     .example = ">>> d = tf.constant([[0., 0.], [2., 4.], [0., 0.]])\n"
                ">>> tf.linalg.tridiagonal_solve(d, [2., 2.]).numpy()."
                "tolist()\n[1.0, 0.5]"},
    {.names = "linalg.tridiagonal_matmul",
     .args = "diagonals: tensors(whole); rhs: tensor; diagonals_format: string "
             "= 'compact'",
     .scope = "TridiagonalMatMul",
     .build = TridiagonalProduct,
     .doc = "The product of tridiagonal matrices and `rhs`." FORMATS_DOC,
     .example = ">>> d = tf.constant([[0., 0.], [2., 4.], [0., 0.]])\n"
                ">>> tf.linalg.tridiagonal_matmul(d, [[1.], [1.]]).numpy()."
                "tolist()\n[[2.0], [4.0]]"},
    {.names = "linalg.eigh_tridiagonal",
     .args = "alpha: tensor; beta: tensor; eigvals_only: bool = True; select: "
             "string = 'a'; select_range: native = None; tol: native = None",
     .scope = "eigh_tridiagonal",
     .build = TridiagonalEigen,
     .result = "tuple or tensor",
     .doc = "The eigenvalues, in rising order, of a Hermitian matrix with "
            "`alpha` on its\ndiagonal and `beta` above it.\n\nArgs:\n"
            "  eigvals_only: if false, eigenvectors are returned, too.\n"
            "  select: \"a\", all; \"i\", those numbered select_range[0] to "
            "[1]; \"v\", those\n    above select_range[0] and up to [1].\n"
            "  tol: not used, results are as exact as the dtype.",
     .example = ">>> e = tf.linalg.eigh_tridiagonal([1., 3.], [0.])\n"
                ">>> e.numpy().tolist()\n[1.0, 3.0]"},
    {.names = "linalg.expm",
     .args = "input: tensor",
     .scope = "matrix_exponential",
     .build = Expm,
     .doc = "The exponentials of matrices, by scaling, Pade approximants and "
            "squaring;\nno numbers for a matrix that is not finite.",
     .example = ">>> tf.linalg.expm([[0., 1.], [0., 0.]]).numpy().round(4)."
                "tolist()\n[[1.0, 1.0], [0.0, 1.0]]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_tridiagonal)

}  // namespace gk
