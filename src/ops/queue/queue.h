// QueueResource: what handles of queues refer to, a store of tuples of tensors
// of limited size. Whoever finds it full or empty waits. Thread-safe.
#ifndef GK_OPS_QUEUE_QUEUE_H_
#define GK_OPS_QUEUE_QUEUE_H_

#include <condition_variable>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "base/process_mutex.h"
#include "framework/resource_manager.h"
#include "framework/tensor.h"
#include "kernels/random.h"

namespace gk {

enum class QueueKind { kFifo, kPadding, kPriority, kRandomShuffle };

class QueueResource final : public NamedResource {
 public:
  struct Traits {
    QueueKind kind = QueueKind::kFifo;
    // Of each component; shapes may be none.
    std::vector<DataType> types;
    std::vector<PartialTensorShape> shapes;
    int64_t capacity = 0;
    int64_t min_after_dequeue = 0;  // of what is shuffled
    Philox generator;
  };

  QueueResource(std::string name, Traits traits);

  std::string_view kind() const override { return "Queue"; }
  std::string_view type_name() const override {
    return "tensorflow::QueueInterface";
  }
  // "FIFOQueue".
  std::string_view kind_name() const;
  const std::string& name() const { return name_; }
  const Traits& traits() const { return traits_; }

  // Tuples of the right types and shapes, one after the other.
  Status Enqueue(std::vector<TensorVector> tuples,
                 const CancellationToken* cancellation);
  // n of them; with `up_to` fewer, if the queue is closed.
  Status Dequeue(int64_t n, bool up_to, std::vector<TensorVector>* tuples,
                 const CancellationToken* cancellation);
  Status Close(bool cancel_pending_enqueues);
  bool IsClosed();
  int64_t Size();

 private:
  // With the lock held.
  int64_t Available() const;
  void Put(TensorVector tuple);
  TensorVector Take();
  void GiveBack(std::vector<TensorVector>* tuples);
  Status Closed(int64_t wanted) const;
  bool EndsHere() const { return is_closed_ && pending_enqueues_ == 0; }

  const std::string name_;
  const Traits traits_;
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  std::condition_variable_any changed_;
  std::deque<TensorVector> tuples_;
  PhiloxStream random_;
  bool is_closed_ = false;
  int64_t pending_enqueues_ = 0;
  int64_t cancelled_enqueues_ = 0;  // how often those waiting were sent away
  bool is_dequeuing_ = false;       // somebody takes several
};

// "float, int32", as errors show them.
inline std::string TypesText(std::span<const DataType> types) {
  std::string text;
  for (const DataType t : types) {
    if (!text.empty()) text += ", ";
    text += DataTypeString(t);
  }
  return text;
}

}  // namespace gk

#endif  // GK_OPS_QUEUE_QUEUE_H_
