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

#include <concepts>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>

namespace gk {

struct SlicesValue;

GK_API_NAMESPACE {
  // Rows of a larger tensor.
  class GK_EXPORT IndexedSlices {
   public:
    // No slices; may only be assigned to.
    IndexedSlices() = default;
    // `values[i]` stands at row `indices[i]`; rows named twice add up.
    IndexedSlices(Tensor values, Tensor indices, Tensor dense_shape = {})
        : values_(std::move(values)), indices_(std::move(indices)) {
      if (dense_shape.defined()) dense_shape_ = std::move(dense_shape);
    }

    // Is there one? And the type of its elements.
    bool defined() const noexcept { return values_.defined(); }
    DataType dtype() const { return values_.dtype(); }
    // Of the whole, as far as the dense shape is known.
    Shape shape() const;
    const Tensor& values() const { return values_; }
    const Tensor& indices() const { return indices_; }
    // Of the whole; not defined() if it is not known.
    Tensor dense_shape() const { return dense_shape_.value_or(Tensor()); }

    // The same places with other values.
    IndexedSlices with_values(Tensor values) const {
      return {std::move(values), indices_, dense_shape()};
    }
    IndexedSlices operator-() const { return with_values(-values_); }
    // The whole. Throws Error (ValueError) without a dense shape.
    Tensor to_tensor() const;
    // "IndexedSlices(indices=..., values=...)".
    std::string to_string() const;
    friend std::ostream& operator<<(std::ostream& out, const IndexedSlices& x) {
      return out << x.to_string();
    }

    // --- For the library itself.
    explicit IndexedSlices(const SlicesValue& value);
    SlicesValue value() const;

   private:
    friend struct TraceStructure<IndexedSlices>;

    Tensor values_, indices_;
    std::optional<Tensor> dense_shape_;
  };

  namespace detail {
  GK_EXPORT Tensor Cast(const Tensor& x, DataType dtype);
  GK_EXPORT Tensor ClipByValue(const Tensor& x, const Tensor& least,
                               const Tensor& most);
  GK_EXPORT Tensor ClipByNorm(const Tensor& x, const Tensor& norm);
  GK_EXPORT Tensor ScalarMul(const Tensor& scalar, const Tensor& x);
  GK_EXPORT Tensor StopGradient(const Tensor& x);
  }  // namespace detail

  // Functions of tensors that change the values alone; all others take the
  // whole. Templates, so that {1, 2} stays a tensor where one is expected.
  template <std::same_as<IndexedSlices> T>
  T cast(const T& x, DataType dtype) {
    return x.with_values(detail::Cast(x.values(), dtype));
  }
  template <std::same_as<IndexedSlices> T>
  T clip_by_value(const T& x, const Tensor& clip_value_min,
                  const Tensor& clip_value_max) {
    return x.with_values(
        detail::ClipByValue(x.values(), clip_value_min, clip_value_max));
  }
  template <std::same_as<IndexedSlices> T>
  T clip_by_norm(const T& x, const Tensor& clip_norm) {
    return x.with_values(detail::ClipByNorm(x.values(), clip_norm));
  }
  template <std::same_as<IndexedSlices> T>
  T scalar_mul(const Tensor& scalar, const T& x) {
    return x.with_values(detail::ScalarMul(scalar, x.values()));
  }
  template <std::same_as<IndexedSlices> T>
  T stop_gradient(const T& x) {
    return x.with_values(detail::StopGradient(x.values()));
  }

  namespace sparse {
  // The slices that are named by none of `mask_indices`.
  GK_EXPORT IndexedSlices mask(const IndexedSlices& a,
                               const Tensor& mask_indices);
  }  // namespace sparse

  // Its parts, as functions and loops see them.
  template <>
  struct TraceStructure<IndexedSlices> {
    static constexpr const char* kName = "IndexedSlices";
    static constexpr const char* kFields = "values, indices, dense_shape";
    // --- For the library itself.
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
