// TensorArrayImpl: a list of tensors of one dtype that loops write to and read
// from, one step at a time.
//
// Eagerly it is a vector that all arrays made from each other share, of which
// only the newest may be used; in a graph, the handle of a tensor list. Both
// are immutable handles, safe to use from any thread. Functions throw Error.
#ifndef GK_FUNCTION_TENSOR_ARRAY_H_
#define GK_FUNCTION_TENSOR_ARRAY_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "framework/op_builder.h"
#include "function/trace_writes.h"

namespace gk {

struct TensorArrayFacts {
  DataType dtype = DataType::kFloat;
  bool dynamic_size = false;
  bool clear_after_read = true;  // eagerly
  bool infer_shape = true;
  // Eagerly: do arrays made from each other show what any of them wrote? If
  // not, only the newest may be used.
  bool shows_writes = false;
};

// What a call gives: a tensor, or what makes one where it is needed, called as
// the op calls its input.
class ArrayOperand {
 public:
  using Make = std::function<Tensor(std::string_view name)>;
  ArrayOperand(Tensor t) : tensor_(std::move(t)) {}     // NOLINT: converts
  ArrayOperand(Make make) : make_(std::move(make)) {}  // NOLINT: converts
  // Null if it is yet to be made.
  const Tensor& given() const { return tensor_; }
  Tensor Get(std::string_view name) const {
    return tensor_ ? tensor_ : make_(name);
  }

 private:
  Tensor tensor_;
  Make make_;
};

class TensorArrayImpl {
 public:
  using Ptr = std::shared_ptr<const TensorArrayImpl>;

  explicit TensorArrayImpl(const TensorArrayFacts& facts) : facts_(facts) {}
  virtual ~TensorArrayImpl() = default;
  TensorArrayImpl(const TensorArrayImpl&) = delete;

  // An array of `size` elements, an integer scalar, without any written.
  static Ptr Make(const TensorArrayFacts& facts, const ArrayOperand& size,
                  const PartialTensorShape& element_shape,
                  std::string_view name);
  // The list behind a handle.
  static Ptr OfFlow(const TensorArrayFacts& facts, const Tensor& flow,
                    const PartialTensorShape& element_shape);
  // `array` as what is built now can use it: a list in graphs.
  static Ptr Here(const Ptr& array);

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

  // In a graph: what was written to make this array is not lost.
  void Use() const {
    if (write_) write_->used = true;
  }

  // `name`: of the nodes; empty for the usual one.
  virtual Tensor Read(const ArrayOperand& index,
                      std::string_view name) const = 0;
  virtual Tensor Stack(std::string_view name) const = 0;
  virtual Tensor Gather(const ArrayOperand& indices,
                        std::string_view name) const = 0;
  virtual Tensor Concat(std::string_view name) const = 0;
  virtual Tensor Size(std::string_view name) const = 0;
  struct Call {
    std::string_view name = {};
    // "net.cc:12", for errors about what the call wrote; in a trace it is one
    // if nobody uses the result of a call that has a place.
    std::string_view place = {};
  };
  virtual Ptr Write(const ArrayOperand& index, const ArrayOperand& value,
                    const Call& call) const = 0;
  virtual Ptr Unstack(const ArrayOperand& value, const Call& call) const = 0;
  virtual Ptr Scatter(const ArrayOperand& indices, const ArrayOperand& value,
                      const Call& call) const = 0;
  virtual Ptr Split(const ArrayOperand& value, const ArrayOperand& lengths,
                    const Call& call) const = 0;
  // The same elements; in a graph behind a node of their own.
  virtual Ptr Identity() const = 0;
  // Drops the elements, where arrays hold them. In a graph lists end with
  // their last use.
  virtual void Close() const = 0;
  // The array that `write`, "write at net.cc:12", returned is gone, and nobody
  // has used it: to use another one from now on is an error.
  virtual void NoteDropped(std::string_view write) const = 0;

 protected:
  TensorArrayFacts facts_;
  std::shared_ptr<UnusedWrite> write_;  // in a trace, that made it
};

// An integer scalar as int32; TypeError or ValueError else. Throws Error.
Tensor CheckedArraySize(const Tensor& size);

// As int32, in which lists are indexed. What 32 bits do not hold becomes the
// number nearest to it, which no list has a place for.
Tensor ListIndex(const Tensor& t);

// "(2, None)", -1 where unknown, as the list ops take shapes.
Tensor ListShape(const PartialTensorShape& shape, std::string_view name = {});

}  // namespace gk

#endif  // GK_FUNCTION_TENSOR_ARRAY_H_
