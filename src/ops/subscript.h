// x[...]: NumPy's basic indexing as StridedSlice, for both languages.
#ifndef GK_OPS_SUBSCRIPT_H_
#define GK_OPS_SUBSCRIPT_H_

#include <optional>
#include <string_view>
#include <vector>

#include "framework/attr_value.h"
#include "framework/op_builder.h"

namespace gk {

// One bound of a slice: a number, or a scalar tensor of int16, int32 or int64
// that is known only when the graph runs.
struct SubscriptBound {
  int64_t value = 0;
  Tensor tensor;

  SubscriptBound(int64_t v = 0) : value(v) {}
  // A tensor whose value is known becomes a number. Nothing if it is no scalar
  // of such a type.
  static std::optional<SubscriptBound> Of(const Tensor& t);
};

// What stands between two commas.
struct SubscriptEntry {
  enum class Kind { kIndex, kSlice, kEllipsis, kNewAxis };
  Kind kind = Kind::kSlice;
  std::optional<SubscriptBound> begin;  // of an index: the index
  std::optional<SubscriptBound> end, stride;
};

// What StridedSlice and its relatives take.
struct SliceOperands {
  Tensor begin, end, strides;
  AttrMap masks;
};

// Made with the current builder, nodes named "stack", "stack_1", "stack_2".
// Throws Error if there are more than 62 entries.
SliceOperands OperandsOf(std::vector<SubscriptEntry> entries);

// x[i] of an eager tensor, copied without any op. Null if it must be one.
Tensor EagerRow(const Tensor& x, int64_t i);

// x[entries]. Throws Error.
Tensor Subscript(const Tensor& x, std::vector<SubscriptEntry> entries);

}  // namespace gk

#endif  // GK_OPS_SUBSCRIPT_H_
