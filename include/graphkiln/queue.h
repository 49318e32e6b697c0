// Queues of tuples of tensors, and sections that run one after the other.
//
//   gk::queue::FIFOQueue q(3, {gk::DataType::kInt32});
//   q.enqueue({1});
//   gk::Tensor one = q.dequeue()[0];
//
// Whoever finds a queue full or empty waits for other threads. Once it is
// closed, nothing comes in any more (Cancelled), and when it is empty nothing
// comes out (OutOfRange). Handles: copies are the same queue. Traced functions
// capture them. Thread-safe. Functions throw Error.
#ifndef GRAPHKILN_QUEUE_H_
#define GRAPHKILN_QUEUE_H_

#include <graphkiln/tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace gk {
GK_API_NAMESPACE {
  namespace queue {

  // What all queues have.
  class GK_EXPORT QueueBase {
   public:
    // The types and shapes, as far as they were given, of the components of a
    // tuple, and the handle that ops get.
    const std::vector<DataType>& dtypes() const { return dtypes_; }
    const std::vector<Shape>& shapes() const { return shapes_; }
    const Tensor& queue_ref() const { return handle_; }

    // Puts a tuple into the queue; of tensors with one dimension more, their
    // rows, one after the other.
    void enqueue(const std::vector<Tensor>& components) const;
    void enqueue_many(const std::vector<Tensor>& components) const;
    // Takes a tuple out of the queue; or n, as rows of tensors; or fewer, if
    // the queue is closed and has no more.
    std::vector<Tensor> dequeue() const;
    std::vector<Tensor> dequeue_many(const Tensor& n) const;
    std::vector<Tensor> dequeue_up_to(const Tensor& n) const;
    // Nothing more will be put into it. Those who wait for that get an error if
    // `cancel_pending_enqueues`.
    void close(bool cancel_pending_enqueues = false) const;
    // A bool scalar, and how many tuples there are, an int32 scalar.
    Tensor is_closed() const;
    Tensor size() const;

   protected:
    QueueBase(std::vector<DataType> dtypes, std::vector<Shape> shapes,
              Tensor handle)
        : dtypes_(std::move(dtypes)),
          shapes_(std::move(shapes)),
          handle_(std::move(handle)) {}

   private:
    std::vector<DataType> dtypes_;
    std::vector<Shape> shapes_;
    Tensor handle_;
  };

  // Gives tuples in the order in which they came. A negative capacity: any
  // number. The shapes of the components are needed to take several at once.
  class GK_EXPORT FIFOQueue : public QueueBase {
   public:
    // Of so many tuples of such components.
    FIFOQueue(int64_t capacity, std::vector<DataType> dtypes,
              std::vector<Shape> shapes = {});
  };

  // The same of tensors whose sizes differ where `shapes` do not say them;
  // several at once are filled up with zeros.
  class GK_EXPORT PaddingFIFOQueue : public QueueBase {
   public:
    // Of so many tuples of such components.
    PaddingFIFOQueue(int64_t capacity, std::vector<DataType> dtypes,
                     std::vector<Shape> shapes);
  };

  // Gives the tuple with the lowest priority first: an int64 scalar before the
  // components of these types.
  class GK_EXPORT PriorityQueue : public QueueBase {
   public:
    // Of so many tuples of such components.
    PriorityQueue(int64_t capacity, std::vector<DataType> types,
                  std::vector<Shape> shapes = {});
  };

  // Gives tuples at random; `min_after_dequeue` of them stay until it is
  // closed.
  class GK_EXPORT RandomShuffleQueue : public QueueBase {
   public:
    // Of so many tuples of such components.
    RandomShuffleQueue(int64_t capacity, int64_t min_after_dequeue,
                       std::vector<DataType> dtypes,
                       std::vector<Shape> shapes = {},
                       std::optional<int64_t> seed = {});
  };

  }  // namespace queue

  // Functions that run one after the other, whichever threads call them:
  //
  //   gk::CriticalSection section;
  //   gk::Tensor n = section.execute([&] { return v.assign_add(1); });
  class GK_EXPORT CriticalSection {
   public:
    // A section of its own.
    CriticalSection();

    // Calls `f`, which returns a tensor, while no other is called.
    Tensor execute(const std::function<Tensor()>& f) const;

   private:
    Tensor handle_;
  };

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_QUEUE_H_
