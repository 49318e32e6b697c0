// SymbolicTensor: the TensorImpl of a graph edge (node, output index).
//
// Keeps its graph alive. The graph holds no TensorImpl strongly; a node
// remembers the live one of each output so that identity is stable.
#ifndef GK_FRAMEWORK_SYMBOLIC_TENSOR_H_
#define GK_FRAMEWORK_SYMBOLIC_TENSOR_H_

#include "framework/tensor.h"

namespace gk {

class SymbolicTensor final : public TensorImpl {
 public:
  // What a graph layer must tell about an edge.
  class Source : public RefCounted {
   public:
    virtual PartialTensorShape OutputShape(const Node* node,
                                           int index) const = 0;
    // The value, where it is known while building; else null.
    virtual Tensor OutputValue(const Node* node, int index) const = 0;
    // Takes note of what its maker knows of the shape beyond what is inferred.
    virtual void RefineShape(Node* node, int index,
                             const PartialTensorShape& shape) = 0;
    virtual void ForgetTensor(Node* node, int index) = 0;
  };

  SymbolicTensor(Ref<Source> source, Node* node, int index, DataType dtype)
      : TensorImpl(SymbolicTag(), dtype),
        source_(std::move(source)),
        node_(node),
        index_(index) {}
  ~SymbolicTensor() override { source_->ForgetTensor(node_, index_); }

  Source* source() const { return source_.get(); }
  Node* node() const { return node_; }
  int index() const { return index_; }
  PartialTensorShape shape() const {
    return source_->OutputShape(node_, index_);
  }

  static SymbolicTensor* Of(const Tensor& t) {
    return static_cast<SymbolicTensor*>(t.impl());
  }

 private:
  Ref<Source> source_;
  Node* node_;
  int index_;
};

}  // namespace gk

#endif  // GK_FRAMEWORK_SYMBOLIC_TENSOR_H_
