#include "function/ragged/integer_arithmetic.h"

#include <vector>

#include "framework/symbolic_tensor.h"
#include "ops/composition.h"
#include "ops/fn/All.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Max.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Prod.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Sum.h"
#include "ops/subscript.h"

namespace gk::integers {

Tensor Part(const Tensor& v, std::optional<int64_t> begin,
            std::optional<int64_t> end) {
  SubscriptEntry entry;
  if (begin) entry.begin = *begin;
  if (end) entry.end = *end;
  return Subscript(v, {entry});
}

Tensor At(const Tensor& v, int64_t i) {
  SubscriptEntry entry;
  entry.kind = SubscriptEntry::Kind::kIndex;
  entry.begin = i;
  return Subscript(v, {entry});
}

Tensor Column(const Tensor& x) {
  return ops::ExpandDims(x, IntegerConstant(-1));
}
Tensor Row(const Tensor& x) { return ops::ExpandDims(x, IntegerConstant(0)); }

Tensor Take(const Tensor& x, const Tensor& indices, int axis) {
  return ops::GatherV2(x, indices, IntegerConstant(axis));
}

Tensor Concat(const TensorVector& parts, int axis) {
  if (parts.size() == 1) return parts[0];
  return ops::ConcatV2(parts, IntegerConstant(axis));
}

Tensor Vector(const TensorVector& scalars) { return ops::Pack(scalars); }

Tensor Total(const Tensor& x) { return ops::Sum(x, AllAxes(x)); }
Tensor Product(const Tensor& x) { return ops::Prod(x, AllAxes(x)); }

Tensor Largest(const Tensor& x) {
  const std::vector<int64_t> zero{0};
  return ops::Max(Concat({x, IntegerVector(zero, x.dtype())}),
                  IntegerConstant(0));
}

Tensor IsAll(const Tensor& condition) {
  const PartialTensorShape shape = condition.partial_shape();
  if (!shape.unknown_rank() && shape.rank() == 0) return condition;
  return ops::All(condition, AllAxes(condition));
}

Tensor MergeLeading(const Tensor& x, int merged) {
  const Tensor shape = ops::Shape(x, DataType::kInt64);
  const Tensor rows = Product(Part(shape, {}, merged));
  return ops::Reshape(x, Concat({Row(rows), Part(shape, merged, {})}));
}

Tensor SizeOf(const Tensor& x, int axis, DataType dtype) {
  return At(ops::Shape(x, dtype), axis);
}

void Refine(const Tensor& x, const PartialTensorShape& shape) {
  if (!x.is_symbolic() || shape.unknown_rank()) return;
  const SymbolicTensor* s = SymbolicTensor::Of(x);
  s->source()->RefineShape(s->node(), s->index(), shape);
}

}  // namespace gk::integers
