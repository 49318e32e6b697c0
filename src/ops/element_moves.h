// Moving elements without looking at them: dispatch by size, boxes of
// tensors, and the integers that say what to move.
#ifndef GK_OPS_ELEMENT_MOVES_H_
#define GK_OPS_ELEMENT_MOVES_H_

#include <type_traits>
#include <vector>

#include "framework/kernel_context.h"
#include "framework/op_builder.h"
#include "framework/resource.h"
#include "framework/text_memory.h"
#include "framework/variant.h"
#include "kernels/strided_copy.h"

namespace gk {

struct Bytes16 {
  uint64_t part[2];
  friend bool operator==(const Bytes16&, const Bytes16&) = default;
};

// Calls fn(std::type_identity<T>()) with a type that moves as elements of `t`
// do: an unsigned integer of that size, or the object type itself.
template <class Fn>
Status VisitMoved(DataType t, Fn&& fn) {
  switch (t) {
    case DataType::kString:
      fn(std::type_identity<CountedString>());
      return OkStatus();
    case DataType::kResource:
      fn(std::type_identity<ResourceHandle>());
      return OkStatus();
    case DataType::kVariant:
      fn(std::type_identity<Variant>());
      return OkStatus();
    default:
      break;
  }
  switch (DataTypeSize(t)) {
    case 1:
      fn(std::type_identity<uint8_t>());
      return OkStatus();
    case 2:
      fn(std::type_identity<uint16_t>());
      return OkStatus();
    case 4:
      fn(std::type_identity<uint32_t>());
      return OkStatus();
    case 8:
      fn(std::type_identity<uint64_t>());
      return OkStatus();
    case 16:
      fn(std::type_identity<Bytes16>());
      return OkStatus();
    default:
      return Unimplemented("Elements of type {} cannot be moved",
                           DataTypeString(t));
  }
}

// Row-major strides in elements.
InlinedVector<int64_t, 8> StridesOf(const TensorShape& shape);

// Copies a box of `from` (beginning at element from_offset) into `to`.
Status CopyBox(const StridedBox& box, const Tensor& from, int64_t from_offset,
               Tensor* to, int64_t to_offset);

// Zeros; empty strings and objects.
void ZeroElements(Tensor* t);
// Every element becomes the one of the scalar `value`.
Status FillElements(const Tensor& value, Tensor* t);

// The elements of an integer tensor of any integer type.
Status IntegerValues(const Tensor& t, std::vector<int64_t>* out);
// The one element of an integer tensor; `what` names it in the error.
Status IntegerValue(const Tensor& t, std::string_view what, int64_t* out);
// An integer tensor of `dtype` (int32 or int64); InvalidArgument if a value
// does not fit.
StatusOr<Tensor> IntegerTensor(DataType dtype, std::span<const int64_t> values,
                               const TensorShape& shape);
// "[1,0]" of a flat position; empty for scalars.
std::string PositionString(const TensorShape& shape, int64_t flat);
// Axis in [0, rank), counted from the end if negative; -1 if out of range.
inline int NormalAxis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) return -1;
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// For gradients: constants and shapes of the current builder; throw Error.
Tensor IntegerConstant(int64_t value, DataType dtype = DataType::kInt32);
Tensor IntegerVector(std::span<const int64_t> values,
                     DataType dtype = DataType::kInt32);
Tensor ShapeTensor(const Tensor& x, DataType dtype = DataType::kInt32);
// The value of a tensor where it is known, or a null tensor.
Tensor KnownValue(const Tensor& t);
// Cast unless it has the type already.
Tensor CastTo(const Tensor& x, DataType dtype);

}  // namespace gk

#endif  // GK_OPS_ELEMENT_MOVES_H_
