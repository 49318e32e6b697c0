// What kinds of linear operators do with the tensors that they are given.
#ifndef GK_API_OPERATOR_MATRICES_H_
#define GK_API_OPERATOR_MATRICES_H_

#include <string>
#include <vector>

#include "graphkiln/error.h"
#include "graphkiln/functions.h"
#include "graphkiln/linear_operator.h"

namespace gk::api::linalg {

[[noreturn]] inline void BadValue(const std::string& message) {
  throw Error(ErrorCode::kValueError, message);
}

inline bool IsComplexType(DataType t) {
  return t == DataType::kComplex64 || t == DataType::kComplex128;
}

// A number of a dtype.
inline Tensor Number(double value, DataType dtype) {
  return api::cast(Tensor(value), dtype);
}
inline Tensor Conjugate(const Tensor& x) {
  return IsComplexType(x.dtype()) ? api::math::conj(x) : x;
}
inline Tensor AdjointIf(bool flag, const Tensor& x) {
  return flag ? api::linalg::adjoint(x) : x;
}
inline Tensor Product(const Tensor& a, const Tensor& b, bool adjoint_a = false,
                      bool adjoint_b = false) {
  return api::linalg::matmul(a, b, false, false, adjoint_a, adjoint_b);
}
inline Tensor SumOfLast(const Tensor& x) { return api::reduce_sum(x, -1); }
// x[..., None].
inline Tensor Column(const Tensor& x) { return api::expand_dims(x, -1); }

// Dimensions from one number of a shape's, or of a shape as a tensor; negative
// positions count from its end, 0 as `end` is the end.
Shape Dims(const Shape& shape, int begin, int end);
Tensor Dims(const Tensor& shape, int begin, int end);
// Of shapes one after the other.
Tensor Joined(const std::vector<Tensor>& shapes);

// What two batches broadcast to. ValueError if they do not.
Shape Broadcast(const Shape& a, const Shape& b);
Tensor Broadcast(const Tensor& a, const Tensor& b);
// A shape as a tensor: of what is known, if all of it is.
Tensor ShapeOf(const Tensor& x);

// Matrices with the same batch dimensions.
std::vector<Tensor> WithOneBatch(std::vector<Tensor> matrices);
// Solves systems whose batch dimensions broadcast.
Tensor SolveBroadcast(const Tensor& matrix, const Tensor& rhs, bool adjoint);

// Fails unless no element is zero; unless all are real.
void AssertNoZeros(const Tensor& x, const std::string& message);
void AssertReal(const Tensor& x, const std::string& message);

// What holds of both of two, of which products commute.
OperatorOptions OfCommuting(const LinearOperator& a, const LinearOperator& b);
OperatorOptions OfProduct(const LinearOperator& a, const LinearOperator& b);
// A property that follows, which may not be denied.
std::optional<bool> MustBe(bool is_true, std::optional<bool> given,
                           const std::string& message);
// The promises of an operator, square, for another without a name.
OperatorOptions Promises(const OperatorKind& kind);

}  // namespace gk::api::linalg

#endif  // GK_API_OPERATOR_MATRICES_H_
