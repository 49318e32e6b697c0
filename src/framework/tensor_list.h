// TensorList: the elements of a TensorArray in a graph; what loops keep for
// their gradients. Lives in a scalar variant tensor.
//
// Immutable once shared; ops copy it unless nobody else can see it, so a loop
// that writes to a list of its own does so in place. A list whose elements
// are small, of plain bytes and of one shape keeps nothing but these bytes,
// in blocks that grow with the list, are shared by its copies and are freed
// as elements are taken off its end; stretches where nothing was set cost
// nothing. Any other list keeps a tensor per element.
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
  void AppendText(std::string* text, size_t) const override {
    *text += "TensorList";
  }
  // Zeros for each element that is set.
  StatusOr<Ref<VariantObject>> ZerosLike() const override;
  // Element by element; unset ones count as zeros.
  StatusOr<Ref<VariantObject>> Add(const VariantObject& other) const override;
  Ref<TensorList> Copy() const;

  // The list in a scalar variant, or an error that names `op`'s input.
  static StatusOr<const TensorList*> Of(const Tensor& handle);
  static Tensor Wrap(Ref<TensorList> list);

  int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
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

  // Does it keep its elements as bytes, all that are set of this shape?
  bool KeepsBytesOf(const TensorShape& shape) const;
  // Elements as plain bytes, one after the other, zeros where none was set.
  // False, and nothing is done, unless the list keeps them in this way.
  bool CopyBytes(int64_t i, int64_t n, void* to) const;
  // Can it keep elements of this shape in this way, beside those it has?
  bool Packs(const TensorShape& shape) const;
  // Appends `n` of these from `from` on; requires Packs(shape).
  Status PushBytes(const TensorShape& shape, const void* from, int64_t n);
  // The memory that begins with all elements, in order and as bytes, if there
  // is such and it is hardly larger; else null. To be read only.
  Ref<Buffer> Whole() const;
  // Makes the rows of `x` the elements of an empty list that packs them, in
  // the memory of `x` if that is a buffer of its own. False: nothing is done.
  bool ShareRows(const TensorShape& row, const Tensor& x);

  DataType element_dtype;
  PartialTensorShape element_shape;
  int max_num_elements = -1;  // -1: no limit

 private:
  // Elements [first, first + count). Without memory none of them is set. If
  // `partial`, a bit for each after the elements tells which are, and the
  // others are zeros. Lists that share the memory may see different counts
  // of it; who writes needs it alone.
  struct Block {
    Ref<Buffer> memory;
    int64_t first = 0;
    int64_t count = 0;
    int64_t capacity = 0;
    bool partial = false;
  };

  bool IsPacked() const { return tensors_.empty(); }
  int64_t ElementBytes() const;
  size_t BlockOf(int64_t i) const;
  std::byte* BytesOf(const Block& block, int64_t i) const;
  uint8_t* BitsOf(const Block& block) const;
  bool IsSet(const Block& block, int64_t i) const;
  // Takes the shape on if it is the first; false if it cannot be packed.
  bool TakeShape(const TensorShape& shape);
  Status AddBlock();
  // Memory for a part of block k, none of which is set, around element i.
  Status Carve(size_t k, int64_t i);
  // The same for the first of block k, which follows one that is set: lists
  // that are filled from front to back grow as if they were pushed to.
  Status Extend(size_t k);
  bool IsFull(const Block& block) const;
  // Puts `made` in the place of a part of block k.
  Status Replace(size_t k, Block made);
  Status OwnMemory(Block* block);
  Status AddBytes(const TensorList& other, const Block& theirs);
  // From bytes to tensors.
  Status Unpack();

  int64_t size_ = 0;
  TensorVector tensors_;       // null where nothing was set; or, if empty,
  std::vector<Block> blocks_;  // of all elements, in order
  TensorShape packed_shape_;
  bool has_shape_ = false;  // is packed_shape_ known?
};

}  // namespace gk

#endif  // GK_FRAMEWORK_TENSOR_LIST_H_
