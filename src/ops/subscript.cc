#include "ops/subscript.h"

#include <cstring>
#include <string>

#include "base/format.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Pack.h"
#include "ops/with_attrs/StridedSlice.h"

namespace gk {
namespace {

using Kind = SubscriptEntry::Kind;

// One a dimension that an entry names.
struct Bounds {
  std::vector<SubscriptBound> begin, end, strides;
};

bool Fits32(const std::vector<SubscriptBound>& bounds) {
  for (const SubscriptBound& b : bounds) {
    if (b.value != static_cast<int32_t>(b.value)) return false;
    if (b.tensor && b.tensor.dtype() == DataType::kInt64) return false;
  }
  return true;
}

Tensor ScalarOf(int64_t value, DataType t) {
  return t == DataType::kInt64
             ? Tensor::Scalar<int64_t>(value)
             : Tensor::Scalar<int32_t>(static_cast<int32_t>(value));
}

Tensor VectorOf(const std::vector<SubscriptBound>& bounds, DataType t,
                std::string_view name) {
  bool symbolic = false;
  for (const SubscriptBound& b : bounds) {
    symbolic |= static_cast<bool>(b.tensor);
  }
  if (!symbolic) {
    std::vector<int64_t> wide;
    std::vector<int32_t> narrow;
    for (const SubscriptBound& b : bounds) {
      wide.push_back(b.value);
      narrow.push_back(static_cast<int32_t>(b.value));
    }
    return ValueOrThrow(OpBuilder::Current()->Constant(
        t == DataType::kInt64 ? Tensor::Vector<int64_t>(wide)
                              : Tensor::Vector<int32_t>(narrow),
        name));
  }
  TensorVector parts;
  for (const SubscriptBound& b : bounds) {
    if (!b.tensor) {
      // A node of its own, as a graph that is no function's captures nothing.
      parts.push_back(ValueOrThrow(OpBuilder::Current()->Constant(
          ScalarOf(b.value, t), Format("{}/values_{}", name, parts.size()))));
    } else if (b.tensor.dtype() != t) {
      parts.push_back(ops::Cast(b.tensor, t));
    } else {
      parts.push_back(b.tensor);
    }
  }
  return ops::Pack(OpName(name), parts, 0);
}

// Where the slice of one index ends.
SubscriptBound After(const SubscriptBound& index) {
  if (!index.tensor) return index.value + 1;
  const DataType t = index.tensor.dtype();
  Tensor one = ScalarOf(1, t == DataType::kInt16 ? DataType::kInt32 : t);
  one = ValueOrThrow(OpBuilder::Current()->Constant(one, "add/y"));
  if (t == DataType::kInt16) one = ops::Cast(one, t);
  SubscriptBound after;
  after.tensor = ops::AddV2(OpName("add"), index.tensor, one);
  return after;
}

}  // namespace

std::optional<SubscriptBound> SubscriptBound::Of(const Tensor& t) {
  const PartialTensorShape shape = t.partial_shape();
  const bool integer = t.dtype() == DataType::kInt32 ||
                       t.dtype() == DataType::kInt64 ||
                       t.dtype() == DataType::kInt16;
  if (!integer || (!shape.unknown_rank() && shape.rank() != 0)) return {};
  SubscriptBound bound;
  if (t.is_symbolic()) {
    bound.tensor = t;
  } else {
    VisitType<int16_t, int32_t, int64_t>(t.dtype(), [&](auto zero) {
      bound.value = t.scalar<decltype(zero)>();
    });
  }
  return bound;
}

SliceOperands OperandsOf(std::vector<SubscriptEntry> entries) {
  if (entries.size() > 62) {
    throw Error(InvalidArgument("Too many indices: {}", entries.size()));
  }
  Bounds b;
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0,
          shrink_mask = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    SubscriptEntry& entry = entries[i];
    const int64_t bit = int64_t{1} << i;
    switch (entry.kind) {
      case Kind::kIndex:
        entry.end = After(*entry.begin);
        shrink_mask |= bit;
        break;
      case Kind::kSlice:
        if (!entry.begin) begin_mask |= bit;
        if (!entry.end) end_mask |= bit;
        break;
      case Kind::kEllipsis:
        ellipsis_mask |= bit;
        break;
      case Kind::kNewAxis:
        new_axis_mask |= bit;
        break;
    }
    b.begin.push_back(entry.begin.value_or(0));
    b.end.push_back(entry.end.value_or(0));
    b.strides.push_back(entry.stride.value_or(1));
  }
  const DataType t = Fits32(b.begin) && Fits32(b.end) && Fits32(b.strides)
                         ? DataType::kInt32
                         : DataType::kInt64;
  SliceOperands operands;
  operands.begin = VectorOf(b.begin, t, "stack");
  operands.end = VectorOf(b.end, t, "stack_1");
  operands.strides = VectorOf(b.strides, t, "stack_2");
  operands.masks = {{"begin_mask", begin_mask},
                    {"end_mask", end_mask},
                    {"ellipsis_mask", ellipsis_mask},
                    {"new_axis_mask", new_axis_mask},
                    {"shrink_axis_mask", shrink_mask}};
  return operands;
}

Tensor EagerRow(const Tensor& x, int64_t i) {
  if (x.is_symbolic() || x.rank() == 0 || IsObjectType(x.dtype()) ||
      CurrentObservers().active() ||
      OpBuilder::Current() != OpBuilder::Eager()) {
    return Tensor();
  }
  if (i < 0) i += x.dim(0);
  if (i < 0 || i >= x.dim(0)) return Tensor();
  StatusOr<Tensor> row =
      Tensor::Allocate(x.dtype(), TensorShape(x.shape().dims().subspan(1)));
  if (!row.ok()) return Tensor();
  std::memcpy(row->raw_data(),
              static_cast<const char*>(x.raw_data()) + i * row->byte_size(),
              row->byte_size());
  return *std::move(row);
}

Tensor Subscript(const Tensor& x, std::vector<SubscriptEntry> entries) {
  if (entries.size() == 1 && entries[0].kind == Kind::kIndex &&
      !entries[0].begin->tensor) {
    if (Tensor row = EagerRow(x, entries[0].begin->value)) return row;
  }
  SliceOperands operands = OperandsOf(std::move(entries));
  return ops::StridedSlice(OpAttrs(std::move(operands.masks), "strided_slice"),
                           x, operands.begin, operands.end, operands.strides);
}

}  // namespace gk
