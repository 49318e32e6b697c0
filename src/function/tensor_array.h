// TensorArrayImpl: a list of tensors of one dtype that loops write to and read
// from, one step at a time.
//
// Eagerly it is a vector that all arrays made from each other share, of which
// only the newest may be used; in a graph, the handle of a tensor list. Both
// are immutable handles, safe to use from any thread. Functions throw Error.
#ifndef GK_FUNCTION_TENSOR_ARRAY_H_
#define GK_FUNCTION_TENSOR_ARRAY_H_

#include <memory>
#include <string>

#include "framework/op_builder.h"

namespace gk {

struct TensorArrayFacts {
  DataType dtype = DataType::kFloat;
  bool dynamic_size = false;
  bool clear_after_read = true;  // eagerly
  bool infer_shape = true;
};

class TensorArrayImpl {
 public:
  using Ptr = std::shared_ptr<const TensorArrayImpl>;

  explicit TensorArrayImpl(const TensorArrayFacts& facts) : facts_(facts) {}
  virtual ~TensorArrayImpl() = default;
  TensorArrayImpl(const TensorArrayImpl&) = delete;

  // An array of `size` elements, an integer scalar, without any written.
  static Ptr Make(const TensorArrayFacts& facts, const Tensor& size,
                  const PartialTensorShape& element_shape,
                  std::string_view name);
  // The list behind a handle.
  static Ptr OfFlow(const TensorArrayFacts& facts, const Tensor& flow,
                    const PartialTensorShape& element_shape);

  const TensorArrayFacts& facts() const { return facts_; }
  DataType dtype() const { return facts_.dtype; }
  virtual PartialTensorShape element_shape() const = 0;
  // Is it a tensor list's handle?
  virtual bool is_list() const = 0;
  // The handle; of a new list if there is none.
  virtual Tensor Flow() const = 0;
  // What is known of this array, of another handle. `alone`: what is learnt
  // of the shape of one is not known of the other.
  Ptr WithFlow(const Tensor& flow, bool alone) const;

  virtual Tensor Read(const Tensor& index) const = 0;
  virtual Tensor Stack() const = 0;
  virtual Tensor Gather(const Tensor& indices) const = 0;
  virtual Tensor Concat() const = 0;
  virtual Tensor Size() const = 0;
  // `place`: "net.cc:12", for errors about what the call wrote.
  virtual Ptr Write(const Tensor& index, const Tensor& value,
                    std::string_view place) const = 0;
  virtual Ptr Unstack(const Tensor& value, std::string_view place) const = 0;
  virtual Ptr Scatter(const Tensor& indices, const Tensor& value,
                      std::string_view place) const = 0;
  virtual Ptr Split(const Tensor& value, const Tensor& lengths,
                    std::string_view place) const = 0;

 protected:
  TensorArrayFacts facts_;
};

// "(2, None)", -1 where unknown, as the list ops take shapes.
Tensor ListShape(const PartialTensorShape& shape);

}  // namespace gk

#endif  // GK_FUNCTION_TENSOR_ARRAY_H_
