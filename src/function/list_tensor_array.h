// The TensorArrayImpl of graphs: the handle of a tensor list.
#ifndef GK_FUNCTION_LIST_TENSOR_ARRAY_H_
#define GK_FUNCTION_LIST_TENSOR_ARRAY_H_

#include <mutex>

#include "base/process_mutex.h"
#include "function/tensor_array.h"

namespace gk {

// The shape of the elements as far as known; shared by all arrays that were
// made from each other, so that what one learns, all know.
class ElementShape {
 public:
  explicit ElementShape(PartialTensorShape shape) : shape_(std::move(shape)) {}
  PartialTensorShape Get() const;
  // ValueError if `shape` cannot be an element's; learns it if `infer`.
  Status Fit(const PartialTensorShape& shape, bool infer);

 private:
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  PartialTensorShape shape_;
};

class ListTensorArray final : public TensorArrayImpl {
 public:
  // `size`: how many elements if that never changes, or null.
  ListTensorArray(const TensorArrayFacts& facts, Tensor flow, Tensor size,
                  std::shared_ptr<ElementShape> shape);

  PartialTensorShape element_shape() const override { return shape_->Get(); }
  bool is_list() const override { return true; }
  Tensor Flow() const override {
    Use();
    return flow_;
  }
  // A new list of `size` elements.
  static Ptr Make(const TensorArrayFacts& facts, const ArrayOperand& size,
                  const PartialTensorShape& element_shape,
                  std::string_view name);
  // At another place of a branch, loop or call; see TensorArrayImpl.
  Ptr Moved(const Tensor& flow, bool alone) const;
  Tensor Read(const ArrayOperand& index, std::string_view name) const override;
  Tensor Stack(std::string_view name) const override;
  Tensor Gather(const ArrayOperand& indices,
                std::string_view name) const override;
  Tensor Concat(std::string_view name) const override;
  Tensor Size(std::string_view name) const override;
  Ptr Write(const ArrayOperand& index, const ArrayOperand& value,
            const Call& call) const override;
  Ptr Unstack(const ArrayOperand& value, const Call& call) const override;
  Ptr Scatter(const ArrayOperand& indices, const ArrayOperand& value,
              const Call& call) const override;
  Ptr Split(const ArrayOperand& value, const ArrayOperand& lengths,
            const Call& call) const override;
  Ptr Identity() const override;
  void Close() const override {}
  void NoteDropped(std::string_view) const override {}

 private:
  void Check(const Tensor& value) const;
  int64_t KnownSize() const;
  Ptr At(const Tensor& flow) const;
  // What a method returns that wrote.
  Ptr Wrote(const Tensor& flow, std::string_view method,
            const Call& call) const;

  Tensor flow_;
  Tensor size_;
  std::shared_ptr<ElementShape> shape_;
};

}  // namespace gk

#endif  // GK_FUNCTION_LIST_TENSOR_ARRAY_H_
