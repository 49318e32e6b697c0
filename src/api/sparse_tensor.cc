#include "graphkiln/sparse_tensor.h"

#include "api/inner.h"
#include "function/ragged/flat_values.h"
#include "function/slices_value.h"
#include "function/sparse_value.h"
#include "graphkiln/indexed_slices.h"
#include "ops/element_moves.h"

namespace gk::api {
SparseTensor::SparseTensor(const SparseValue& value)
    : indices_(Outer(value.indices)),
      values_(Outer(value.values)),
      dense_shape_(Outer(value.dense_shape)) {}

SparseValue SparseTensor::value() const {
  return SparseValue::Make(Inner(indices_), Inner(values_),
                           Inner(dense_shape_));
}

SparseTensor::SparseTensor(const Tensor& indices, const Tensor& values,
                           const Tensor& dense_shape)
    : SparseTensor(MadeAs<SparseTensor>([&] {
        return SparseValue::Make(CastTo(Inner(indices), InnerType::kInt64),
                                 Inner(values),
                                 CastTo(Inner(dense_shape), InnerType::kInt64));
      })) {}

SparseTensor SparseTensor::from_dense(const Tensor& tensor) {
  return MadeAs<SparseTensor>(
      [&] { return SparseValue::FromDense(Inner(tensor)); });
}

Shape SparseTensor::shape() const {
  return Guarded([&] { return Outer(value().shape); });
}
SparseTensor SparseTensor::with_values(const Tensor& values) const {
  return {indices_, values, dense_shape_};
}
SparseTensor SparseTensor::reorder() const {
  return MadeAs<SparseTensor>([&] { return value().Reordered(); });
}
Tensor SparseTensor::to_dense(const Tensor& default_value, bool ordered) const {
  return Guarded([&] {
    return Outer(value().ToDense(InnerOrNull(default_value), ordered));
  });
}

SparseTensor operator*(const SparseTensor& x, const Tensor& y) {
  return x.with_values(Guarded(
      [&] { return Outer(x.value().Scaled(Operator::kMultiply, Inner(y))); }));
}
SparseTensor operator/(const SparseTensor& x, const Tensor& y) {
  return x.with_values(Guarded(
      [&] { return Outer(x.value().Scaled(Operator::kDivide, Inner(y))); }));
}

namespace sparse {

SparseTensor map_values(
    const std::function<Tensor(const std::vector<Tensor>&)>& f,
    const std::vector<SparseTensor>& arguments) {
  return MadeAs<SparseTensor>([&] {
    std::vector<SparseValue> sparse;
    std::vector<Tensor> values;
    for (const SparseTensor& a : arguments) {
      sparse.push_back(a.value());
      values.push_back(a.values());
    }
    return MapSparseValues(sparse, [&] { return Inner(f(values)); });
  });
}
IndexedSlices mask(const IndexedSlices& a, const Tensor& mask_indices) {
  return Guarded([&] {
    EnsureReady();
    return IndexedSlices(a.value().Without(Inner(mask_indices)));
  });
}

}  // namespace sparse

}  // namespace gk::api
