// BarrierResource: gathers the components of tuples, which arrive one by one
// under the tuples' keys, and gives whole tuples. Thread-safe.
#ifndef GK_OPS_QUEUE_BARRIER_H_
#define GK_OPS_QUEUE_BARRIER_H_

#include <condition_variable>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/cancellation.h"
#include "base/process_mutex.h"
#include "framework/resource.h"
#include "framework/tensor.h"

namespace gk {

class BarrierResource final : public Resource {
 public:
  struct Tuple {
    int64_t index = 0;  // of the call that brought its first component
    std::string key;
    TensorVector values;  // null where none has arrived
    int64_t missing = 0;
  };

  BarrierResource(std::string name, std::vector<DataType> types,
                  std::vector<PartialTensorShape> shapes)
      : name_(std::move(name)),
        types_(std::move(types)),
        shapes_(std::move(shapes)) {}

  std::string_view kind() const override { return "Barrier"; }
  std::string_view type_name() const override {
    return "tensorflow::barrier::Barrier";
  }
  const std::string& name() const { return name_; }
  const std::vector<DataType>& types() const { return types_; }
  const std::vector<PartialTensorShape>& shapes() const { return shapes_; }

  // A component of each key; `values` are as many, of its type and shape.
  Status Insert(const std::vector<std::string>& keys, int64_t component,
                const TensorVector& values);
  // The n whole tuples that began first; waits for them. Fewer if it is
  // closed and a `small` batch will do.
  Status Take(int64_t n, bool small, const CancellationToken* cancellation,
              std::vector<Tuple>* tuples);
  Status Close(bool cancel);
  int64_t ReadySize();
  int64_t IncompleteSize();

 private:
  const std::string name_;
  const std::vector<DataType> types_;
  const std::vector<PartialTensorShape> shapes_;
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  std::condition_variable_any changed_;
  std::map<std::string, Tuple> incomplete_;
  // By index, and of one index as they became whole.
  std::multimap<int64_t, Tuple> ready_;
  int64_t next_index_ = std::numeric_limits<int64_t>::min();
  bool is_closed_ = false;
  bool is_cancelled_ = false;
};

}  // namespace gk

#endif  // GK_OPS_QUEUE_BARRIER_H_
