// What stands between the brackets of a tensor: x[2], x[{0, gk::Slice(1, 4)}].
//
// NumPy's basic indexing, as Python's x[2], x[0, 1:4]. Indices and bounds are
// integers or scalar integer tensors; negative ones count from the end.
#ifndef GRAPHKILN_INDEX_H_
#define GRAPHKILN_INDEX_H_

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include <graphkiln/tensor.h>

namespace gk {
GK_API_NAMESPACE {

// Stands for all dimensions that no other index names: Python's `...`.
struct Ellipsis {};
inline constexpr Ellipsis ellipsis{};
// Adds a dimension of size 1: Python's tf.newaxis.
struct NewAxis {};
inline constexpr NewAxis newaxis{};

// One bound of a slice; {} leaves it open.
class Bound {
 public:
  Bound() = default;
  // A position; negative ones count from the end.
  template <std::integral T>
  Bound(T value) : value_(static_cast<int64_t>(value)) {}
  Bound(Tensor value) : value_(std::move(value)) {}

  // --- For the library itself.
  using Value = std::variant<std::monostate, int64_t, Tensor>;
  const Value& value() const { return value_; }

 private:
  Value value_;
};

// Python's begin:end:stride: Slice(1, 4), Slice({}, 4), Slice(1, {}, 2); all of
// a dimension is Slice().
struct Slice {
  Bound begin, end, stride;

  Slice() = default;
  // From `begin` up to, not with, `end`.
  Slice(Bound begin, Bound end, Bound stride = {})
      : begin(std::move(begin)),
        end(std::move(end)),
        stride(std::move(stride)) {}
};

// One index. A scalar integer tensor takes one position, as a number does; a
// tensor of booleans, alone between the brackets, the elements where it holds.
class Index {
 public:
  // A position, a range, all other dimensions or a new one.
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Index(T position) : value_(static_cast<int64_t>(position)) {}
  Index(Tensor position) : value_(std::move(position)) {}
  Index(Slice slice) : value_(std::move(slice)) {}
  Index(Ellipsis e) : value_(e) {}
  Index(NewAxis n) : value_(n) {}

  // --- For the library itself.
  using Value = std::variant<int64_t, Tensor, Slice, Ellipsis, NewAxis>;
  const Value& value() const { return value_; }

 private:
  Value value_;
};

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_INDEX_H_
