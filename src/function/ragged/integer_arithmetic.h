// Arithmetic on vectors of integers as expressions, for code that computes
// where elements are. Made with the current builder; throws Error.
#ifndef GK_FUNCTION_RAGGED_INTEGER_ARITHMETIC_H_
#define GK_FUNCTION_RAGGED_INTEGER_ARITHMETIC_H_

#include <optional>

#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/FloorDiv.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/Less.h"
#include "ops/fn/LogicalAnd.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Minimum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Range.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Sub.h"

namespace gk::integers {

inline Tensor Number(int64_t value, const Tensor& like) {
  return IntegerConstant(value, like.dtype());
}
inline Tensor operator+(const Tensor& x, const Tensor& y) {
  return ops::AddV2(x, y);
}
inline Tensor operator-(const Tensor& x, const Tensor& y) {
  return ops::Sub(x, y);
}
inline Tensor operator*(const Tensor& x, const Tensor& y) {
  return ops::Mul(x, y);
}
inline Tensor operator/(const Tensor& x, const Tensor& y) {
  return ops::FloorDiv(x, y);
}
inline Tensor operator<(const Tensor& x, const Tensor& y) {
  return ops::Less(x, y);
}
inline Tensor operator>=(const Tensor& x, const Tensor& y) {
  return ops::GreaterEqual(x, y);
}
inline Tensor operator&(const Tensor& x, const Tensor& y) {
  return ops::LogicalAnd(x, y);
}
inline Tensor operator+(const Tensor& x, int64_t y) { return x + Number(y, x); }
inline Tensor operator-(const Tensor& x, int64_t y) { return x - Number(y, x); }
inline Tensor operator*(const Tensor& x, int64_t y) { return x * Number(y, x); }
inline Tensor operator/(const Tensor& x, int64_t y) { return x / Number(y, x); }
inline Tensor operator<(const Tensor& x, int64_t y) { return x < Number(y, x); }
inline Tensor operator>=(const Tensor& x, int64_t y) {
  return x >= Number(y, x);
}
inline Tensor Max(const Tensor& x, const Tensor& y) {
  return ops::Maximum(x, y);
}
inline Tensor Min(const Tensor& x, const Tensor& y) {
  return ops::Minimum(x, y);
}
inline Tensor Select(const Tensor& c, const Tensor& x, const Tensor& y) {
  return ops::SelectV2(c, x, y);
}
// 0, 1, ... below the scalar `limit`.
inline Tensor Count(const Tensor& limit) {
  return ops::Range(Number(0, limit), limit, Number(1, limit));
}
// v[begin:end].
Tensor Part(const Tensor& v, std::optional<int64_t> begin,
            std::optional<int64_t> end);
// v[i].
Tensor At(const Tensor& v, int64_t i);
// x[new axis at the end] and [new axis at the front].
Tensor Column(const Tensor& x);
Tensor Row(const Tensor& x);
// The slices of x along its first axis, or along another.
Tensor Take(const Tensor& x, const Tensor& indices, int axis = 0);
// Vectors, and scalars, one after the other.
Tensor Concat(const TensorVector& parts, int axis = 0);
Tensor Vector(const TensorVector& scalars);
// Over all elements.
Tensor Total(const Tensor& x);
Tensor Product(const Tensor& x);
// The largest element, 0 if there is none.
Tensor Largest(const Tensor& x);
Tensor IsAll(const Tensor& condition);
// x in a shape of which the leading `merged` dimensions become one.
Tensor MergeLeading(const Tensor& x, int merged);
// Its size along an axis.
Tensor SizeOf(const Tensor& x, int axis, DataType dtype);
// Adds what is known of the shape of x.
void Refine(const Tensor& x, const PartialTensorShape& shape);

}  // namespace gk::integers

#endif  // GK_FUNCTION_RAGGED_INTEGER_ARITHMETIC_H_
