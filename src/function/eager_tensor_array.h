// The TensorArrayImpl of eager mode: a vector.
//
// Arrays made from each other by writing share it. Only the newest may be
// used: an older one would not show what it held.
#ifndef GK_FUNCTION_EAGER_TENSOR_ARRAY_H_
#define GK_FUNCTION_EAGER_TENSOR_ARRAY_H_

#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "function/tensor_array.h"

namespace gk {

class EagerTensorArray final : public TensorArrayImpl {
 public:
  struct Elements {
    std::mutex mutex;
    std::vector<Tensor> tensors;    // null where nothing was written
    std::set<int64_t> read_before;  // and cleared
    PartialTensorShape shape;
    uint64_t writes = 0;
    std::string last_write;  // "write at net.cc:12"
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
  Tensor Read(const Tensor& index) const override;
  Tensor Stack() const override;
  Tensor Gather(const Tensor& indices) const override;
  Tensor Concat() const override;
  Tensor Size() const override;
  Ptr Write(const Tensor& index, const Tensor& value,
            std::string_view place) const override;
  Ptr Unstack(const Tensor& value, std::string_view place) const override;
  Ptr Scatter(const Tensor& indices, const Tensor& value,
              std::string_view place) const override;
  Ptr Split(const Tensor& value, const Tensor& lengths,
            std::string_view place) const override;

 private:
  // All of these with the lock held. Fit learns the shape of the values only
  // if all fit.
  Status CheckNewest() const;
  StatusOr<Tensor> Element(int64_t index) const;
  Status Fit(std::span<const Tensor> values) const;
  Status CheckWrite(int64_t index) const;
  void Set(int64_t index, const Tensor& value) const;
  Ptr Written(std::string_view method, std::string_view place) const;
  Ptr Replace(TensorVector parts, std::string_view method,
              std::string_view place) const;

  TensorVector All() const;
  void Check(const Tensor& value) const;

  std::shared_ptr<Elements> elements_;
  uint64_t version_;
};

}  // namespace gk

#endif  // GK_FUNCTION_EAGER_TENSOR_ARRAY_H_
