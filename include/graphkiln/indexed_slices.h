// IndexedSlices: rows of a larger tensor, as gradients of gathers are.
//
//   gk::IndexedSlices rows({{1.f, 2.f}}, {1}, {3, 2});
//   gk::Tensor whole = rows.to_tensor();  // [[0 0] [1 2] [0 0]]
//
// An immutable value of tensors, eager or of a traced function; functions take
// and give it. Thread-safe.
#ifndef GRAPHKILN_INDEXED_SLICES_H_
#define GRAPHKILN_INDEXED_SLICES_H_

#include <graphkiln/tensor.h>
#include <graphkiln/trace_structure.h>

#include <optional>
#include <tuple>
#include <utility>

namespace gk {
GK_API_NAMESPACE {

class GK_EXPORT IndexedSlices {
 public:
  // No slices; may only be assigned to.
  IndexedSlices() = default;
  // `values[i]` stands at row `indices[i]`; rows named twice add up.
  IndexedSlices(Tensor values, Tensor indices, Tensor dense_shape = {})
      : values_(std::move(values)), indices_(std::move(indices)) {
    if (dense_shape.defined()) dense_shape_ = std::move(dense_shape);
  }

  DataType dtype() const { return values_.dtype(); }
  const Tensor& values() const { return values_; }
  const Tensor& indices() const { return indices_; }
  // Of the whole; not defined() if it is not known.
  Tensor dense_shape() const { return dense_shape_.value_or(Tensor()); }

  IndexedSlices operator-() const {
    return {-values_, indices_, dense_shape()};
  }
  // The whole. Throws Error (ValueError) without a dense shape.
  Tensor to_tensor() const;

 private:
  friend struct TraceStructure<IndexedSlices>;

  Tensor values_, indices_;
  std::optional<Tensor> dense_shape_;
};

// Its parts, as functions and loops see them.
template <>
struct TraceStructure<IndexedSlices> {
  static constexpr const char* kName = "IndexedSlices";
  static constexpr const char* kFields = "values, indices, dense_shape";
  static auto Tie(auto& value) {
    return std::tie(value.values_, value.indices_, value.dense_shape_);
  }
};

namespace detail {
template <>
struct GK_EXPORT ElementLeaf<IndexedSlices> {
  static constexpr const char* kName = "slices";
  static void Add(Results& out, const IndexedSlices& value);
  static IndexedSlices Next(ResultReader& reader);
  static bool Fits(const TypeSpec& spec);
};
}  // namespace detail

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_INDEXED_SLICES_H_
