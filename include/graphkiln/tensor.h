// Tensor: an immutable array of elements, or a value to come while a function
// is traced.
//
// A handle of one pointer; copying shares. A tensor made from C++ values
// inside a traced function is a constant of its graph. Thread-safe: elements
// never change.
#ifndef GRAPHKILN_TENSOR_H_
#define GRAPHKILN_TENSOR_H_

#include <functional>
#include <initializer_list>
#include <ostream>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <graphkiln/data_type.h>
#include <graphkiln/shape.h>

namespace gk {

class TensorImpl;

GK_API_NAMESPACE {

class Index;      // index.h
class Graph;      // graph.h
class Operation;  // graph.h

namespace detail {

// Nested lists, from which an element type can be deduced.
template <class T>
using List2 = std::initializer_list<std::initializer_list<T>>;
template <class T>
using List3 = std::initializer_list<List2<T>>;
template <class T>
using List4 = std::initializer_list<List3<T>>;
template <class T>
using List5 = std::initializer_list<List4<T>>;
template <class T>
using List6 = std::initializer_list<List5<T>>;

}  // namespace detail

// A value of one element type, or a value to come; a handle, copying shares.
class GK_EXPORT Tensor {
 public:
  // No tensor: what a gradient that does not exist is.
  Tensor() noexcept = default;
  Tensor(const Tensor& other) noexcept;
  Tensor(Tensor&& other) noexcept
      : impl_(std::exchange(other.impl_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
  }
  ~Tensor();

  // A scalar; the element type is the type of `value`.
  template <Element T>
  Tensor(T value) : Tensor(kDataTypeOf<T>, Shape(), &value, 1) {}
  Tensor(const char* text) : Tensor(std::string(text)) {}
  // A vector: {1, 2, 3}; a matrix: {{1, 2}, {3, 4}}; and so on up to rank 6.
  // Throws Error if lists at one depth have different lengths.
  template <Element T>
  Tensor(std::initializer_list<T> values)
      : Tensor(std::span<const T>(values.begin(), values.size())) {}
  template <Element T>
  Tensor(detail::List2<T> values) : Tensor(FromLists<T, 2>(values)) {}
  template <Element T>
  Tensor(detail::List3<T> values) : Tensor(FromLists<T, 3>(values)) {}
  template <Element T>
  Tensor(detail::List4<T> values) : Tensor(FromLists<T, 4>(values)) {}
  template <Element T>
  Tensor(detail::List5<T> values) : Tensor(FromLists<T, 5>(values)) {}
  template <Element T>
  Tensor(detail::List6<T> values) : Tensor(FromLists<T, 6>(values)) {}
  // Elements in row-major order. Throws Error if the shape needs another
  // number of them.
  template <Element T>
  explicit Tensor(std::span<const T> values)
      : Tensor(values, Shape{static_cast<int64_t>(values.size())}) {}
  template <Element T>
  Tensor(std::span<const T> values, const Shape& shape)
      : Tensor(kDataTypeOf<T>, shape, values.data(), values.size()) {}
  template <Element T>
    requires(!std::is_same_v<T, bool>)
  explicit Tensor(const std::vector<T>& values)
      : Tensor(std::span<const T>(values)) {}
  template <Element T>
    requires(!std::is_same_v<T, bool>)
  Tensor(const std::vector<T>& values, const Shape& shape)
      : Tensor(std::span<const T>(values), shape) {}

  // Over memory that stays the caller's, with no copy: row-major elements that
  // nobody may change while a tensor uses them. `release` runs once, when the
  // last one lets go, on whichever thread that is. Throws Error, and has then
  // run `release`, if the shape is not fully defined.
  template <Element T>
    requires(!std::is_same_v<T, std::string>)
  static Tensor FromBlob(const T* data, const Shape& shape,
                         std::function<void()> release = {}) {
    return Foreign(kDataTypeOf<T>, shape, data, std::move(release));
  }

  // Is there one?
  bool defined() const noexcept { return impl_ != nullptr; }
  // Is it a value to come, of a function that is being traced?
  bool is_symbolic() const;
  DataType dtype() const;
  Shape shape() const;
  int rank() const { return shape().rank(); }
  int64_t dim(int i) const { return shape().dim(i); }
  int64_t num_elements() const { return shape().num_elements(); }

  // The elements, row-major; valid as long as the tensor. Throws Error if T
  // is not the element type or the tensor is symbolic.
  template <Element T>
  const T* data() const {
    return static_cast<const T*>(Data(kDataTypeOf<T>));
  }
  template <Element T>
  std::span<const T> flat() const {
    const T* begin = data<T>();
    return {begin, static_cast<size_t>(num_elements())};
  }
  template <Element T>
  std::vector<T> to_vector() const {
    const std::span<const T> values = flat<T>();
    return {values.begin(), values.end()};
  }
  // The only element.
  template <Element T>
  T item() const {
    CheckOneElement();
    return *data<T>();
  }

  // x[i]: the i-th of the first dimension, which is dropped, or whatever else
  // index.h allows; x[{i, gk::Slice(1, 4), gk::ellipsis}] for several
  // dimensions. Throws Error for indices out of range.
  Tensor operator[](const Index& index) const;
  Tensor operator[](std::initializer_list<Index> indices) const;

  // Where the value is, "/job:localhost/replica:0/task:0/device:CPU:0"; of a
  // value to come the device that it asks for, "" for none.
  std::string device() const;
  // Says of a value to come what its shape is, which then is known of what is
  // made of it, too. Throws Error (ValueError) for a shape that contradicts
  // what is known.
  void set_shape(const Shape& shape) const;
  // Of a value to come: the operation that makes it, which of its results it
  // is, its name ("x:0"), its graph, and the operations that use it. Of others
  // there is none of these; name(), value_index() and graph() throw Error.
  Operation op() const;
  int value_index() const;
  std::string name() const;
  Graph graph() const;
  std::vector<Operation> consumers() const;

  // "Tensor(shape=(2,), dtype=float32, value=[1 2])".
  std::string to_string() const;

  // --- For the library itself.
  static Tensor Adopt(TensorImpl* impl) {
    Tensor t;
    t.impl_ = impl;
    return t;
  }
  TensorImpl* impl() const { return impl_; }
  // A number as a scalar of element type `dtype`. Throws Error if it does not
  // fit.
  static Tensor OfNumber(int64_t value, DataType dtype);
  static Tensor OfNumber(double value, DataType dtype);

 private:
  Tensor(DataType dtype, const Shape& shape, const void* data, size_t count);
  static Tensor Foreign(DataType dtype, const Shape& shape, const void* data,
                        std::function<void()> release);
  const void* Data(DataType wanted) const;
  void CheckOneElement() const;
  template <class T, size_t kRank, class List>
  static Tensor FromLists(const List& lists) {
    std::vector<T> values;
    std::vector<int64_t> dims(kRank, -1);
    Flatten(lists, 0, &dims, &values);
    // Nothing stands behind a dimension of 0.
    for (int64_t& dim : dims) dim = dim < 0 ? 0 : dim;
    return FromVector(values, Shape(dims));
  }
  template <class T>
  static void Flatten(const T& value, size_t, std::vector<int64_t>*,
                      std::vector<T>* values) {
    values->push_back(value);
  }
  template <class T, class Inner>
  static void Flatten(const std::initializer_list<Inner>& list, size_t depth,
                      std::vector<int64_t>* dims, std::vector<T>* values) {
    const auto size = static_cast<int64_t>(list.size());
    if ((*dims)[depth] < 0) (*dims)[depth] = size;
    CheckRow(list.size(), static_cast<size_t>((*dims)[depth]));
    for (const Inner& inner : list) Flatten(inner, depth + 1, dims, values);
  }
  template <class T>
  static Tensor FromVector(const std::vector<T>& values, const Shape& shape) {
    if constexpr (std::is_same_v<T, bool>) {
      const std::string bytes(values.begin(), values.end());
      static_assert(sizeof(bool) == 1);
      return Tensor(DataType::kBool, shape, bytes.data(), bytes.size());
    } else {
      return Tensor(values, shape);
    }
  }
  static void CheckRow(size_t size, size_t width);

  TensorImpl* impl_ = nullptr;
};

// Writes the shape, the type and, as far as it is there, the value.
GK_EXPORT std::ostream& operator<<(std::ostream& out, const Tensor& t);

namespace dtypes {
// The smallest and the largest number of a type, as a scalar of it. Throw Error
// (TypeError) for types that have none.
GK_EXPORT Tensor min(DataType t);
GK_EXPORT Tensor max(DataType t);
// The range of brightness of images: 0 to 1, or to the largest number; of
// signed ones from the smallest on unless `clip_negative`.
GK_EXPORT std::pair<Tensor, Tensor> limits(DataType t,
                                           bool clip_negative = true);
}  // namespace dtypes

// Elementwise, with broadcasting. Throws Error if the element types differ.
GK_EXPORT Tensor operator+(const Tensor& a, const Tensor& b);
GK_EXPORT Tensor operator-(const Tensor& a, const Tensor& b);
GK_EXPORT Tensor operator*(const Tensor& a, const Tensor& b);
// True division: integers become floating point.
GK_EXPORT Tensor operator/(const Tensor& a, const Tensor& b);
GK_EXPORT Tensor operator-(const Tensor& x);
// Python's: the remainder has the divisor's sign.
GK_EXPORT Tensor operator%(const Tensor& a, const Tensor& b);
// Elementwise comparisons, of dtype bool. (gk::equal compares for equality.)
GK_EXPORT Tensor operator<(const Tensor& a, const Tensor& b);
GK_EXPORT Tensor operator<=(const Tensor& a, const Tensor& b);
GK_EXPORT Tensor operator>(const Tensor& a, const Tensor& b);
GK_EXPORT Tensor operator>=(const Tensor& a, const Tensor& b);
// Of a bool tensor.
GK_EXPORT Tensor operator!(const Tensor& x);
// Elementwise, of bool tensors: both are computed, whatever the first one is.
GK_EXPORT Tensor operator&&(const Tensor& a, const Tensor& b);
GK_EXPORT Tensor operator||(const Tensor& a, const Tensor& b);
// Of bool tensors as && and ||, of integers bit by bit.
GK_EXPORT Tensor operator&(const Tensor& a, const Tensor& b);
GK_EXPORT Tensor operator|(const Tensor& a, const Tensor& b);
GK_EXPORT Tensor operator^(const Tensor& a, const Tensor& b);
GK_EXPORT Tensor operator~(const Tensor& x);

namespace detail {

template <Number T>
Tensor Like(T value, DataType dtype) {
  if constexpr (std::is_floating_point_v<T>) {
    return Tensor::OfNumber(static_cast<double>(value), dtype);
  } else {
    return Tensor::OfNumber(static_cast<int64_t>(value), dtype);
  }
}

}  // namespace detail

// A number beside a tensor takes the tensor's element type.
#define GK_NUMBER_OPERATOR(op)               \
  template <Number T>                        \
  Tensor operator op(const Tensor& a, T b) { \
    return a op detail::Like(b, a.dtype());  \
  }                                          \
  template <Number T>                        \
  Tensor operator op(T a, const Tensor& b) { \
    return detail::Like(a, b.dtype()) op b;  \
  }
GK_NUMBER_OPERATOR(+)
GK_NUMBER_OPERATOR(-)
GK_NUMBER_OPERATOR(*)
GK_NUMBER_OPERATOR(/)
GK_NUMBER_OPERATOR(%)
GK_NUMBER_OPERATOR(<)
GK_NUMBER_OPERATOR(<=)
GK_NUMBER_OPERATOR(>)
GK_NUMBER_OPERATOR(>=)
GK_NUMBER_OPERATOR(&)
GK_NUMBER_OPERATOR(|)
GK_NUMBER_OPERATOR(^)
#undef GK_NUMBER_OPERATOR

// x += y is x = x + y: other handles of the old value keep it.
#define GK_COMPOUND_ASSIGNMENT(op)                                    \
  inline Tensor& operator op##=(Tensor& a, const Tensor& b) {         \
    return a = a op b;                                                \
  }                                                                   \
  template <Number T>                                                 \
  Tensor& operator op##=(Tensor& a, T b) {                            \
    return a = a op b;                                                \
  }
GK_COMPOUND_ASSIGNMENT(+)
GK_COMPOUND_ASSIGNMENT(-)
GK_COMPOUND_ASSIGNMENT(*)
GK_COMPOUND_ASSIGNMENT(/)
GK_COMPOUND_ASSIGNMENT(%)
#undef GK_COMPOUND_ASSIGNMENT

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_TENSOR_H_
