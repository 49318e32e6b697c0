// TensorArray: tensors of one dtype by index, which loops write to and read
// from.
//
//   gk::TensorArray ta(gk::DataType::kFloat, 2);
//   ta = ta.write(0, 1.0f).write(1, 2.0f);
//   gk::Tensor both = ta.stack();  // [1 2]
//
// An immutable handle: write, scatter, unstack and split return the array that
// holds what was written; use that one from there on. In a traced function it
// is one value, a tensor list, that loops and branches carry; gradients pass
// through it. Eagerly all arrays made from each other share their elements,
// and an older one throws. Thread-safe.
#ifndef GRAPHKILN_TENSOR_ARRAY_H_
#define GRAPHKILN_TENSOR_ARRAY_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <graphkiln/place.h>
#include <graphkiln/tensor.h>

namespace gk {

class TensorArrayImpl;

GK_API_NAMESPACE {

// Of an array: how long it may get, what its elements are.
struct TensorArrayOptions {
  // Does writing beyond the end make the array longer?
  bool dynamic_size = false;
  // Can an element be read only once? In traced functions elements stay.
  bool clear_after_read = true;
  // Must all elements have the same shape?
  bool infer_shape = true;
  // Of the elements, as far as known.
  Shape element_shape = Shape::UnknownRank();
  std::string name = "TensorArrayV2";
};

// What is known of a TensorArray that is not there yet: stands for an argument
// where a function is traced without a call.
struct TensorArraySpec {
  Shape element_shape = Shape::UnknownRank();
  DataType dtype = DataType::kFloat;
  bool dynamic_size = false;
  bool infer_shape = true;
};

// Tensors that are written and read one by one.
class GK_EXPORT TensorArray {
 public:
  // No array; may only be assigned to.
  TensorArray() noexcept = default;
  // `size`: how many elements there are, an integer scalar. Throws Error
  // (TypeError, ValueError) if it is none.
  TensorArray(DataType dtype, const Tensor& size,
              const TensorArrayOptions& options = {});

  // Is there one? The type of its elements; may it grow?
  bool defined() const noexcept { return impl_ != nullptr; }
  DataType dtype() const;
  bool dynamic_size() const;
  // Of the elements, as far as known.
  Shape element_shape() const;

  // How many elements there are, an int32 scalar.
  Tensor size() const;
  // The element at `index`, an integer scalar; zeros if it was not written
  // and its shape is known. Throws Error if there is none (eagerly
  // OutOfRange, in a traced function InvalidArgument when it runs), or if it
  // was read before and cleared (InvalidArgument).
  Tensor read(const Tensor& index) const;
  // All elements along a new first axis: shape (size, ...). They must have
  // one shape.
  Tensor stack() const;
  // The elements at `indices`, an integer vector, along a new first axis.
  Tensor gather(const Tensor& indices) const;
  // All elements one after the other along their first axis.
  Tensor concat() const;

  // The array with `value` at `index`. Throws Error if `value` has another
  // dtype (InvalidArgument) or shape (ValueError), or if there is no such
  // element and the size is not dynamic (OutOfRange; InvalidArgument in a
  // traced function when it runs). A gk::function throws Error (ValueError) at
  // the end of its trace if nothing used what this returned, as what was
  // written is lost then; the same holds for unstack, scatter and split.
  [[nodiscard]] TensorArray write(const Tensor& index, const Tensor& value,
                                  Place where = Place::current()) const;
  template <Number T>
  [[nodiscard]] TensorArray write(const Tensor& index, T value,
                                  Place where = Place::current()) const {
    return write(index, detail::Like(value, dtype()), where);
  }
  // An array of the rows of `value`, of rank 1 at least.
  [[nodiscard]] TensorArray unstack(const Tensor& value,
                                    Place where = Place::current()) const;
  // The array with the rows of `value` at `indices`, an integer vector.
  [[nodiscard]] TensorArray scatter(const Tensor& indices, const Tensor& value,
                                    Place where = Place::current()) const;
  // An array of consecutive parts of `value`, so long each; `lengths` is an
  // integer vector whose sum is the length of `value`.
  [[nodiscard]] TensorArray split(const Tensor& value, const Tensor& lengths,
                                  Place where = Place::current()) const;

  // The same elements; in a traced function behind a node of their own.
  TensorArray identity() const;
  // Drops the elements, before the last array that holds them is gone. In a
  // traced function they are dropped after their last use in any case.
  void close() const;
  // Throws Error (Unimplemented): gradients need no array of their own, tapes
  // see through every method.
  TensorArray grad(std::string_view source) const;

  // "TensorArray(dtype=float32, element_shape=(2,))".
  std::string to_string() const;

  // --- For the library itself.
  using ImplPtr = std::shared_ptr<const TensorArrayImpl>;
  explicit TensorArray(ImplPtr impl) : impl_(std::move(impl)) {}
  // The array behind a handle.
  TensorArray(const TensorArraySpec& spec, const Tensor& flow);
  // Throws Error if not defined().
  const ImplPtr& impl() const;
  // The handle of its list; a new list's if it has none.
  Tensor flow() const;
  // The same, but not defined() for an eager array where nothing is traced.
  Tensor flow_or_none() const;
  // This array at another place of a branch, a loop or a call: of the handle
  // `flow`, or itself if that is not defined(). `alone`: with a shape of its
  // own to learn.
  TensorArray with_flow(const Tensor& flow, bool alone) const;

 private:
  ImplPtr impl_;
};

// Writes the size, the type and the shape of the elements.
GK_EXPORT std::ostream& operator<<(std::ostream& out, const TensorArray& a);

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_TENSOR_ARRAY_H_
