// What ops on sparse tensors ask of their parts, and say of them in errors.
#ifndef GK_OPS_SPARSE_SPARSE_PARTS_H_
#define GK_OPS_SPARSE_SPARSE_PARTS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/inference_context.h"
#include "framework/kernel_context.h"
#include "framework/types.h"
#include "kernels/sparse.h"

namespace gk {

// "[2,3]", as errors show places and shapes.
std::string ShownSizes(std::span<const int64_t> sizes);

// A matrix of places, a vector of values and one of sizes that fit.
Status CheckSparseParts(const Tensor& indices, const Tensor& values,
                        const Tensor& shape);
// A matrix and two vectors, whether or not they fit, of an op that calls them
// `operand`_indices, _values and _shape.
Status CheckSparseForms(const Tensor& indices, const Tensor& values,
                        const Tensor& shape, std::string_view operand);
// The product of sizes; InvalidArgument if 64 bits do not hold it.
StatusOr<int64_t> ElementsOf(std::span<const int64_t> sizes);
// No negative size, and no more elements than 64 bits count.
Status CheckSizes(std::span<const int64_t> sizes);
// No negative size, and all places within.
Status CheckPlacesInside(const Places& places, std::span<const int64_t> sizes);

inline Places PlacesOf(const Tensor& indices) {
  return {indices.data<int64_t>(), indices.dim(0), indices.dim(1)};
}

// The static shapes of the parts at inputs `first` to `first + 2`.
struct SparseShapes {
  PartialTensorShape indices, values, shape;
};
Status InferSparseParts(InferenceContext& c, int first, SparseShapes* out);

// Calls fn with a value of the type of `t`, if that is a number.
template <class Fn>
bool VisitRealNumber(DataType t, Fn&& fn) {
  return VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t,
                   int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(t, fn);
}
template <class Fn>
bool VisitNumber(DataType t, Fn&& fn) {
  return VisitRealNumber(t, fn) || VisitType<complex64, complex128>(t, fn);
}

}  // namespace gk

// Lists of types in the attributes of such ops.
#define GK_SPARSE_NUMBERS                                                 \
  "[float, double, int32, uint8, int16, int8, complex64, int64, qint8, "  \
  "quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, " \
  "uint32, uint64]"
#define GK_SPARSE_REALS                                                  \
  "[float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, " \
  "half, uint32, uint64]"

#endif  // GK_OPS_SPARSE_SPARSE_PARTS_H_
