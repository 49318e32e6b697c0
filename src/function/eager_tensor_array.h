// The TensorArrayImpl of eager mode: a vector.
//
// Arrays made from each other by writing share it. Unless the facts say
// otherwise only the newest may be used: an older one would not show what it
// held.
#ifndef GK_FUNCTION_EAGER_TENSOR_ARRAY_H_
#define GK_FUNCTION_EAGER_TENSOR_ARRAY_H_

#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "base/process_mutex.h"
#include "function/tensor_array.h"

namespace gk {

class EagerTensorArray final : public TensorArrayImpl {
 public:
  struct Elements {
    ProcessMutex& mutex = ProcessMutex::Of(this);
    std::vector<Tensor> tensors;    // null where nothing was written
    std::set<int64_t> read_before;  // and cleared
    PartialTensorShape shape;
    uint64_t writes = 0;
    std::string last_write;  // "write at net.cc:12"
    std::string dropped;     // the same, of a result that nobody used
  };

  EagerTensorArray(const TensorArrayFacts& facts,
                   std::shared_ptr<Elements> elements, uint64_t version)
      : TensorArrayImpl(facts),
        elements_(std::move(elements)),
        version_(version) {}
  static Ptr Make(const TensorArrayFacts& facts, int64_t size,
                  const PartialTensorShape& element_shape);

  PartialTensorShape element_shape() const override;
  bool is_list() const override { return false; }
  Tensor Flow() const override;
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
  void Close() const override;
  void NoteDropped(std::string_view write) const override;

 private:
  // All of these with the lock held. Fit learns the shape of the values only
  // if all fit.
  Status CheckNewest() const;
  StatusOr<Tensor> Element(int64_t index) const;
  Status Fit(std::span<const Tensor> values) const;
  Status CheckWrite(int64_t index) const;
  // The old element is in `value` then: what it holds may be the host's, who
  // may come back here when it goes.
  void Set(int64_t index, Tensor& value) const;
  Ptr Written(std::string_view method, std::string_view place) const;
  Ptr Replace(TensorVector& parts, std::string_view method,
              std::string_view place) const;

  TensorVector All() const;
  void Check(const Tensor& value) const;

  std::shared_ptr<Elements> elements_;
  uint64_t version_;
};

}  // namespace gk

#endif  // GK_FUNCTION_EAGER_TENSOR_ARRAY_H_
