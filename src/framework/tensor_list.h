// TensorList: the elements of a TensorArray in a graph; what loops keep for
// their gradients. Lives in a scalar variant tensor.
//
// Immutable once shared; ops copy it unless nobody else can see it, so a loop
// that writes to a list of its own does so in place. A list whose elements
// are small, of plain bytes and of one shape keeps nothing but these bytes,
// in blocks that grow with the list, are shared by its copies and are freed
// as elements are taken off its end; any other keeps a tensor per element.
#ifndef GK_FRAMEWORK_TENSOR_LIST_H_
#define GK_FRAMEWORK_TENSOR_LIST_H_

#include <vector>

#include "framework/tensor.h"
#include "framework/variant.h"

namespace gk {

class TensorList final : public VariantObject {
 public:
  TensorList(DataType dtype, PartialTensorShape shape)
      : element_dtype(dtype), element_shape(std::move(shape)) {}

  std::string_view type_name() const override {
    return "tensorflow::TensorList";
  }
  // Zeros for each element that is set.
  StatusOr<Ref<VariantObject>> ZerosLike() const override;
  // Element by element; unset ones count as zeros.
  StatusOr<Ref<VariantObject>> Add(const VariantObject& other) const override;
  Ref<TensorList> Copy() const;

  // The list in a scalar variant, or an error that names `op`'s input.
  static StatusOr<const TensorList*> Of(const Tensor& handle);
  static Tensor Wrap(Ref<TensorList> list);

  int64_t size() const { return packed_ > 0 ? packed_ : tensors_.size(); }
  bool empty() const { return size() == 0; }
  // The shape of element i < size(); null if it was never set.
  const TensorShape* ShapeOf(int64_t i) const;
  // Element i < size() as a tensor of its own; null if it was never set.
  StatusOr<Tensor> Get(int64_t i) const;

  // All these give ResourceExhausted if the memory cannot be had. `x` is of
  // element_dtype, i < size().
  Status Set(int64_t i, const Tensor& x);
  Status Push(const Tensor& x);
  void Pop();
  // New elements are not set.
  Status Resize(int64_t n);
  Status Append(const TensorList& other);

  // Elements as plain bytes, one after the other. False, and nothing is done,
  // if the list does not keep [i, i + n) in this way.
  bool CopyBytes(int64_t i, int64_t n, void* to) const;
  // Can it keep elements of this shape in this way, beside those it has?
  bool Packs(const TensorShape& shape) const;
  // `n` of these from `from` on; requires Packs(shape).
  Status PushBytes(const TensorShape& shape, const void* from, int64_t n);

  DataType element_dtype;
  PartialTensorShape element_shape;
  int max_num_elements = -1;  // -1: no limit

 private:
  // Elements [first, first + count) of a packed list. Lists that share the
  // memory see different counts of it; who appends needs it alone.
  struct Block {
    Ref<Buffer> memory;
    int64_t first = 0;
    int64_t count = 0;
    int64_t capacity = 0;
  };

  int64_t ElementBytes() const;
  size_t BlockOf(int64_t i) const;
  const std::byte* BytesOf(int64_t i) const;
  Status AddBlock();
  // The block's memory for writing.
  StatusOr<std::byte*> OwnMemory(Block* block);
  // From bytes to tensors.
  Status Unpack();

  TensorVector tensors_;  // null where nothing was set; or
  int64_t packed_ = 0;    // elements in blocks, of packed_shape_
  TensorShape packed_shape_;
  std::vector<Block> blocks_;
};

}  // namespace gk

#endif  // GK_FRAMEWORK_TENSOR_LIST_H_
