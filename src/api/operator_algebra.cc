#include "api/operator_algebra.h"

#include "api/operator_matrices.h"

namespace gk::api::linalg {
namespace {

constexpr char kDiag[] = "LinearOperatorDiag";
constexpr char kScaled[] = "LinearOperatorScaledIdentity";
constexpr char kIdentity[] = "LinearOperatorIdentity";
constexpr char kZeros[] = "LinearOperatorZeros";
constexpr char kTriangle[] = "LinearOperatorLowerTriangular";
constexpr char kInversion[] = "LinearOperatorInversion";
constexpr char kBlocks[] = "LinearOperatorBlockDiag";

void CheckSquare(const LinearOperator& a, const LinearOperator& b) {
  if (a.is_square() == true && b.is_square() == true) return;
  BadValue(
      "Matmul with non-square `LinearOperator`s or non-square "
      "`LinearOperatorZeros` not supported at this time.");
}

// Of a circulant, the function that makes such ones.
using MakeCirculant = LinearOperator (*)(const OperatorPart&, DataType,
                                         const OperatorOptions&);
MakeCirculant CirculantOf(const std::string& kind) {
  if (kind == "LinearOperatorCirculant") return LinearOperatorCirculant;
  if (kind == "LinearOperatorCirculant2D") return LinearOperatorCirculant2D;
  if (kind == "LinearOperatorCirculant3D") return LinearOperatorCirculant3D;
  return nullptr;
}

OperatorOptions OfTriangle(const LinearOperator& a, const LinearOperator& b) {
  OperatorOptions o = OfCommuting(a, b);
  o.is_positive_definite = {};
  return o;
}

template <class F>
LinearOperator EachBlock(const LinearOperator& left,
                         const LinearOperator& right, F combine) {
  const auto &a = left.operators(), &b = right.operators();
  if (a.size() != b.size()) {
    BadValue(
        "Can not efficiently multiply two `LinearOperatorBlockDiag`s together "
        "when number of blocks differ.");
  }
  std::vector<LinearOperator> blocks;
  for (size_t i = 0; i < a.size(); ++i) blocks.push_back(combine(a[i], b[i]));
  return LinearOperatorBlockDiag(
      blocks, {.is_non_singular = OfCommuting(left, right).is_non_singular,
               .is_square = true});
}

}  // namespace

LinearOperator Multiplied(const LinearOperator& left,
                          const LinearOperator& right) {
  const std::string &a = left.kind(), &b = right.kind();
  if (a == kIdentity) return right;
  if (a == kZeros) {
    CheckSquare(left, right);
    return left;
  }
  const bool scales = a == kScaled || b == kScaled;
  if (a == kScaled && b == kScaled) {
    return LinearOperatorScaledIdentity(
        left.domain_dimension_tensor(),
        left.part("multiplier") * right.part("multiplier"),
        OfCommuting(left, right));
  }
  if ((a == kDiag || b == kDiag) && scales) {
    const LinearOperator &diag = a == kDiag ? left : right,
                         &scaled = a == kDiag ? right : left;
    return LinearOperatorDiag(
        diag.part("diag") * Column(scaled.part("multiplier")),
        OfCommuting(left, right));
  }
  if (a == kDiag && b == kDiag) {
    return LinearOperatorDiag(left.part("diag") * right.part("diag"),
                              OfCommuting(left, right));
  }
  if (a == kDiag && b == kTriangle) {
    return LinearOperatorLowerTriangular(
        Column(left.part("diag")) * right.to_dense(), OfTriangle(left, right));
  }
  if (a == kTriangle && b == kDiag) {
    // Of a batch of diagonals each multiplies the columns of its matrix.
    return LinearOperatorLowerTriangular(
        left.to_dense() * api::expand_dims(right.part("diag"), -2),
        OfTriangle(left, right));
  }
  if (const MakeCirculant make = CirculantOf(a); make != nullptr && a == b) {
    return make(left.part("spectrum") * right.part("spectrum"), left.dtype(),
                OfCommuting(left, right));
  }
  if (a == kBlocks && b == kBlocks) {
    return EachBlock(left, right,
                     [](const auto& x, const auto& y) { return x.matmul(y); });
  }
  if (b == kIdentity) return left;
  if (b == kZeros) {
    CheckSquare(left, right);
    return right;
  }
  return LinearOperatorComposition({left, right}, OfProduct(left, right));
}

LinearOperator Solved(const LinearOperator& left, const LinearOperator& right) {
  const std::string &a = left.kind(), &b = right.kind();
  if (a == kIdentity) return right;
  if (a == kInversion) return left.operators()[0].matmul(right);
  if (a == kScaled && b == kScaled) {
    return LinearOperatorScaledIdentity(
        left.domain_dimension_tensor(),
        right.part("multiplier") / left.part("multiplier"),
        OfCommuting(left, right));
  }
  if (a == kScaled && b == kDiag) {
    return LinearOperatorDiag(
        right.part("diag") / Column(left.part("multiplier")),
        OfCommuting(left, right));
  }
  if (a == kDiag && (b == kDiag || b == kScaled)) {
    const Tensor of_right =
        b == kDiag ? right.part("diag") : Column(right.part("multiplier"));
    return LinearOperatorDiag(of_right / left.part("diag"),
                              OfCommuting(left, right));
  }
  if (a == kDiag && b == kTriangle) {
    return LinearOperatorLowerTriangular(
        right.to_dense() / Column(left.part("diag")), OfTriangle(left, right));
  }
  if (const MakeCirculant make = CirculantOf(a); make != nullptr && a == b) {
    return make(right.part("spectrum") / left.part("spectrum"), left.dtype(),
                OfCommuting(left, right));
  }
  if (a == kBlocks && b == kBlocks) {
    return EachBlock(left, right,
                     [](const auto& x, const auto& y) { return x.solve(y); });
  }
  if (b == kIdentity) return left.inverse();
  return LinearOperatorComposition({LinearOperatorInversion(left), right},
                                   OfProduct(left, right));
}

}  // namespace gk::api::linalg
