// ArrayResource: what the TensorArrays of graphs of version 1 refer to.
//
// There an array is an object that ops change, and a float, the flow, orders
// them. Its gradient is an array of its own, which sums what is written to one
// place. Thread-safe.
#ifndef GK_OPS_LIST_ARRAY_RESOURCE_H_
#define GK_OPS_LIST_ARRAY_RESOURCE_H_

#include <map>
#include <span>
#include <string>
#include <unordered_map>

#include "base/process_mutex.h"
#include "framework/resource.h"
#include "framework/tensor.h"

namespace gk {

class ArrayResource final : public Resource {
 public:
  struct Traits {
    DataType dtype = DataType::kInvalid;
    PartialTensorShape element_shape;
    bool grows = false;             // with what is written behind its end
    bool clears = true;             // an element when it has been read
    bool has_equal_shapes = false;  // of all elements
    bool sums = false;              // what is written to one place
  };

  ArrayResource(std::string name, int64_t size, Traits traits);

  std::string_view kind() const override { return "TensorArray"; }
  std::string_view type_name() const override {
    return "tensorflow::TensorArray";
  }
  const std::string& name() const { return name_; }

  static StatusOr<Ref<ArrayResource>> Of(const Tensor& handle);

  // FailedPrecondition once it is closed, from all of these.
  StatusOr<int64_t> Size();
  StatusOr<PartialTensorShape> ElementShape();
  // `op` elements of this dtype; InvalidArgument if it has another.
  Status CheckDtype(DataType dtype, std::string_view action) const;
  // Element `at` becomes a copy of `value`.
  Status Write(int64_t at, const Tensor& value);
  // Makes room for `n` elements, or says that `n` are too many.
  Status Reserve(int64_t n, std::string_view what);
  Status Read(int64_t at, Tensor* element);
  // The array of gradients that `source` names, made on first use; its elements
  // have `prepended` dimensions before those of these.
  StatusOr<Ref<ArrayResource>> Gradient(const std::string& source,
                                        std::span<const int64_t> prepended);
  void Close();

 private:
  struct Element {
    Tensor value;  // null: zeros of `shape`
    TensorShape shape;
    bool was_read = false;
    bool is_cleared = false;
  };

  // With the lock held.
  Status CheckOpen() const;
  Status CheckWrite(int64_t at, const Tensor& value) const;

  const std::string name_;
  const Traits traits_;
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  int64_t size_;
  PartialTensorShape element_shape_;
  bool grows_;
  bool is_closed_ = false;
  std::unordered_map<int64_t, Element> elements_;  // those written
  std::map<std::string, Ref<ArrayResource>> gradients_;
};

}  // namespace gk

#endif  // GK_OPS_LIST_ARRAY_RESOURCE_H_
