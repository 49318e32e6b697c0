// SparseTensor: the elements of a tensor that are not zero, and where they are.
//
//   gk::SparseTensor st({{0, 1}, {1, 2}}, {5.f, 6.f}, {2, 3});
//   gk::Tensor dense = st.to_dense();
//
// An immutable value of tensors, eager or of a traced function; functions take
// and give it. Thread-safe.
#ifndef GRAPHKILN_SPARSE_TENSOR_H_
#define GRAPHKILN_SPARSE_TENSOR_H_

#include <graphkiln/tensor.h>
#include <graphkiln/trace_structure.h>

#include <functional>
#include <tuple>
#include <utility>
#include <vector>

namespace gk {

struct SparseValue;

GK_API_NAMESPACE {

// The elements that are not zero, and where they are.
class GK_EXPORT SparseTensor {
 public:
  // No tensor; may only be assigned to.
  SparseTensor() = default;
  // `indices` of shape [n, rank], `values` of [n], `dense_shape` of [rank];
  // integers become int64. Throws Error (ValueError) if they do not fit.
  SparseTensor(const Tensor& indices, const Tensor& values,
               const Tensor& dense_shape);
  // What of a tensor is not zero, false or empty.
  static SparseTensor from_dense(const Tensor& tensor);

  // Is there one? And the type of its elements.
  bool defined() const noexcept { return values_.defined(); }
  DataType dtype() const { return values_.dtype(); }
  // As far as known.
  Shape shape() const;
  const Tensor& indices() const { return indices_; }
  const Tensor& values() const { return values_; }
  const Tensor& dense_shape() const { return dense_shape_; }

  // Other values at the same places.
  SparseTensor with_values(const Tensor& values) const;
  // With the indices in row-major order.
  SparseTensor reorder() const;
  // `default_value`, zero unless given, where nothing is. Throws Error
  // (InvalidArgument) for indices out of the shape and, if `ordered`, for
  // those that do not rise.
  Tensor to_dense(const Tensor& default_value = {},
                  bool ordered = true) const;

  // By a scalar, or a tensor that broadcasts.
  friend GK_EXPORT SparseTensor operator*(const SparseTensor& x,
                                          const Tensor& y);
  friend GK_EXPORT SparseTensor operator/(const SparseTensor& x,
                                          const Tensor& y);

  // --- For the library itself.
  explicit SparseTensor(const SparseValue& value);
  SparseValue value() const;

 private:
  friend struct TraceStructure<SparseTensor>;

  Tensor indices_, values_, dense_shape_;
};

// Members of sparse tensors under TensorFlow's names.
namespace sparse {

// See SparseTensor: the members of these names.
inline SparseTensor from_dense(const Tensor& tensor) {
  return SparseTensor::from_dense(tensor);
}
inline Tensor to_dense(const SparseTensor& sp_input,
                       const Tensor& default_value = {},
                       bool validate_indices = true) {
  return sp_input.to_dense(default_value, validate_indices);
}
inline SparseTensor reorder(const SparseTensor& sp_input) {
  return sp_input.reorder();
}
// `f` of the values, at the places of the first of the sparse tensors. Throws
// Error (InvalidArgument) if others have other places or shapes.
GK_EXPORT SparseTensor map_values(
    const std::function<Tensor(const std::vector<Tensor>&)>& f,
    const std::vector<SparseTensor>& arguments);

}  // namespace sparse

// Its parts, as functions and loops see them.
template <>
struct TraceStructure<SparseTensor> {
  static constexpr const char* kName = "SparseTensor";
  static constexpr const char* kFields = "indices, values, dense_shape";
  // --- For the library itself.
  static auto Tie(auto& value) {
    return std::tie(value.indices_, value.values_, value.dense_shape_);
  }
};

namespace detail {
template <>
struct GK_EXPORT ElementLeaf<SparseTensor> {
  static constexpr const char* kName = "a sparse tensor";
  static void Add(Results& out, const SparseTensor& value);
  static SparseTensor Next(ResultReader& reader);
  static bool Fits(const TypeSpec& spec);
};
}  // namespace detail

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_SPARSE_TENSOR_H_
