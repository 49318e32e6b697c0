// TensorList: tensors of one dtype one after the other, which grows and
// shrinks, also where only the graph knows how long it is.
//
//   auto squares = gk::function([](gk::Tensor n) {
//     gk::TensorList found(gk::DataType::kInt32, {});
//     gk::Tensor i = 0;
//     gk::carry(i, found).while_([&] { return i < n; }, [&] {
//       found.append(i * i);
//       i = i + 1;
//     });
//     return found.stack();
//   });
//
// It changes in place; a copy begins with the same elements and goes its own
// way. Branches and loops carry it, gradients pass through it. Elements of
// several tensors are as many lists, in a struct or tuple. Eagerly each change
// copies the handles of the elements. For one thread.
#ifndef GRAPHKILN_TENSOR_LIST_H_
#define GRAPHKILN_TENSOR_LIST_H_

#include <graphkiln/index.h>
#include <graphkiln/tensor.h>
#include <graphkiln/trace_structure.h>

#include <ostream>
#include <string>
#include <tuple>
#include <utility>

namespace gk {

class ListValue;

GK_API_NAMESPACE {
  // Tensors one after the other.
  class GK_EXPORT TensorList {
   public:
    // No list; may only be assigned to.
    TensorList() noexcept = default;
    // Without elements. `element_shape`: what is known of the shape of all.
    explicit TensorList(DataType dtype,
                        const Shape& element_shape = Shape::UnknownRank());
    // The rows of `tensor`, of rank 1 at least.
    static TensorList of_rows(const Tensor& tensor);

    // Is there one? The type and the shape of its elements, as far as known.
    bool defined() const noexcept { return handle_.defined(); }
    DataType dtype() const;
    Shape element_shape() const;

    // How many elements there are, an int32 scalar.
    Tensor size() const;
    // The element at a position, a number or an integer scalar; negative ones
    // count from the end. Throws Error (InvalidArgument; in a traced function
    // when it runs) if there is none, (TypeError) if it is no position.
    Tensor operator[](const Index& position) const;
    // The elements of a range, as a list.
    TensorList part(const Slice& range) const;
    // All elements along a new axis, 0 or one of those of the elements.
    Tensor stack(int64_t axis = 0) const;
    // All elements one after the other along one of their axes. Throws Error
    // (ValueError) if they are scalars or, but for axis 0, their rank is not
    // known.
    Tensor concat(int64_t axis = 0) const;

    // Adds an element at the end. Throws Error (TypeError, ValueError) if
    // `value` is not of the dtype and the shape of the elements.
    void append(const Tensor& value);
    template <Number T>
    void append(T value) {
      append(detail::Like(value, dtype()));
    }
    // Replaces the element at a position; see operator[].
    void set(const Index& position, const Tensor& value);
    template <Number T>
    void set(const Index& position, T value) {
      set(position, detail::Like(value, dtype()));
    }
    // Adds an element before a position; at an end if there is none such.
    void insert(const Index& position, const Tensor& value);
    template <Number T>
    void insert(const Index& position, T value) {
      insert(position, detail::Like(value, dtype()));
    }
    // Takes off the last element, or one at another position. Throws Error
    // (InvalidArgument; in a traced function when it runs) if there is none.
    Tensor pop();
    Tensor pop(const Index& position);
    // Takes off the elements of a range; or all.
    void erase(const Slice& range);
    void clear();

    // "<list of TensorSpec(shape=(), dtype=tf.int32, name=None) in a graph>".
    std::string to_string() const;
    friend std::ostream& operator<<(std::ostream& out, const TensorList& x) {
      return out << x.to_string();
    }

   private:
    friend struct TraceStructure<TensorList>;

    explicit TensorList(const ListValue& value);
    ListValue Value() const;
    template <class F>
    auto Change(F&& f);

    Tensor handle_;  // of the library's list
  };

  // Its handle, as functions and loops see it.
  template <>
  struct TraceStructure<TensorList> {
    static constexpr const char* kName = "TensorList";
    static constexpr const char* kFields = "handle";
    // --- For the library itself.
    static auto Tie(auto& value) { return std::tie(value.handle_); }
  };

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_TENSOR_LIST_H_
