#include "function/slices_value.h"

#include <utility>

#include "framework/known_values.h"
#include "function/node_scope.h"
#include "ops/element_moves.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/ListDiff.h"
#include "ops/fn/UnsortedSegmentSum.h"

namespace gk {
namespace {

PartialTensorShape MergedShapes(const PartialTensorShape& a,
                                const PartialTensorShape& b) {
  StatusOr<PartialTensorShape> both = a.MergeWith(b);
  if (both.ok()) return *std::move(both);
  throw Error(ValueError("Shapes {} and {} are not compatible",
                         a.PythonString(), b.PythonString()));
}

}  // namespace

PartialTensorShape SlicesValue::shape() const {
  if (!dense_shape) return {};
  return ValueOrThrow(ConstantValueAsShape(dense_shape));
}

TypeSpec SlicesValue::Spec() const {
  const PartialTensorShape rows = values.partial_shape();
  PartialTensorShape whole, count;
  if (!rows.unknown_rank()) {
    whole = PartialTensorShape({kUnknownDim});
    for (int i = 1; i < rows.rank(); ++i) whole.AddDim(rows.dim(i));
    count = rows.rank() == 0 ? rows : PartialTensorShape({rows.dim(0)});
  }
  count = MergedShapes(indices.partial_shape(), count);
  count = MergedShapes(count, PartialTensorShape({kUnknownDim}));
  if (dense_shape) whole = MergedShapes(whole, shape());
  return TypeSpec::Slices(
      values.dtype(), std::move(whole), indices.dtype(),
      dense_shape ? dense_shape.dtype() : DataType::kInvalid, std::move(count));
}

Tensor SlicesValue::Whole(FunctionRef<std::string()> text,
                          std::string_view name) const {
  if (!dense_shape) {
    throw Error(
        ValueError("Tensor conversion requested for IndexedSlices for argument "
                   "`value` without dense_shape: {}",
                   text()));
  }
  return ops::UnsortedSegmentSum(OpName(name), values, indices,
                                 FirstOf(dense_shape));
}

std::string SlicesText(std::string_view indices, std::string_view values,
                       std::string_view dense_shape) {
  std::string text =
      Format("IndexedSlices(indices={}, values={}", indices, values);
  if (!dense_shape.empty()) text += Format(", dense_shape={}", dense_shape);
  return text + ")";
}

SlicesValue SlicesValue::Without(const Tensor& masked) const {
  const TensorVector kept = ops::ListDiff(indices, masked);
  return {ops::GatherV2(values, kept[1], IntegerConstant(0)), kept[0],
          dense_shape};
}

}  // namespace gk
