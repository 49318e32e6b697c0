#include "graphkiln/indexed_slices.h"

#include "api/inner.h"
#include "function/slices_value.h"
#include "graphkiln/functions.h"

namespace gk::api {

IndexedSlices::IndexedSlices(const SlicesValue& value)
    : IndexedSlices(Outer(value.values), Outer(value.indices),
                    value.dense_shape ? Outer(value.dense_shape) : Tensor()) {}

SlicesValue IndexedSlices::value() const {
  return {Inner(values_), Inner(indices_), InnerOrNull(dense_shape())};
}

Shape IndexedSlices::shape() const {
  return Guarded([&] { return Outer(value().shape()); });
}

Tensor IndexedSlices::to_tensor() const {
  return Guarded(
      [&] { return Outer(value().Whole([&] { return to_string(); })); });
}

std::string IndexedSlices::to_string() const {
  return SlicesText(indices_.to_string(), values_.to_string(),
                    dense_shape_ ? dense_shape_->to_string() : std::string());
}

namespace detail {

Tensor Cast(const Tensor& x, DataType dtype) { return cast(x, dtype); }
Tensor ClipByValue(const Tensor& x, const Tensor& least, const Tensor& most) {
  return clip_by_value(x, least, most);
}
Tensor ClipByNorm(const Tensor& x, const Tensor& norm) {
  return clip_by_norm(x, norm);
}
Tensor ScalarMul(const Tensor& scalar, const Tensor& x) {
  return scalar_mul(scalar, x);
}
Tensor StopGradient(const Tensor& x) { return stop_gradient(x); }

}  // namespace detail
}  // namespace gk::api
