// IteratorResource: what an iterator handle refers to: a place in a dataset.
//
// Any number of threads may ask; each element goes to one of them. Waiting for
// one's turn can be cancelled.
#ifndef GK_DATA_ITERATOR_RESOURCE_H_
#define GK_DATA_ITERATOR_RESOURCE_H_

#include <cstdint>
#include <semaphore>
#include <string>
#include <string_view>

#include "base/process_mutex.h"
#include "data/dataset.h"
#include "framework/resource_manager.h"

namespace gk {

class IteratorResource final : public NamedResource {
 public:
  explicit IteratorResource(ElementSignature signature)
      : signature_(std::move(signature)) {}

  std::string_view kind() const override { return "Iterator"; }
  std::string_view type_name() const override {
    return "tensorflow::data::IteratorResource";
  }

  // What its elements are.
  const ElementSignature& signature() const { return signature_; }

  // Begins at the first element of `dataset`. InvalidArgument if its elements
  // are not those of this iterator.
  Status Start(const Dataset& dataset);
  // FailedPrecondition before it is started.
  Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                 bool* end);
  // Where it is, as bytes. FailedPrecondition before it is started, and, as
  // long as neither the caller nor the dataset's options say that they may be
  // repeated, if its functions have effects: to go on there, what was given is
  // made again.
  StatusOr<std::string> Save(bool may_repeat = false);
  // Goes on where one over the same dataset was. DataLoss for bytes that are no
  // state; FailedPrecondition before it is started.
  Status Restore(std::string_view state);
  // Nothing can be had of it any more; what works ahead for it stops.
  void Close();

  // InvalidArgument for another handle; NotFound if it was destroyed.
  static StatusOr<Ref<IteratorResource>> Of(const Tensor& handle);

 private:
  class Turn;
  struct Pass {
    Ref<const Dataset> dataset;
    ContextRef context;
    IteratorPtr iterator;
    int64_t asked = 0;  // how often it gave an element or an error
  };

  static StatusOr<std::shared_ptr<Pass>> Begin(Ref<const Dataset> dataset,
                                               ContextRef context);

  const ElementSignature signature_;
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  // For those who wait; some of them may be left behind by a fork.
  std::counting_semaphore<> free_{0};
  int waiting_ = 0;
  bool busy_ = false;
  uint64_t user_ = 0;  // its ThreadNumber()
  std::shared_ptr<Pass> pass_;
};

}  // namespace gk

#endif  // GK_DATA_ITERATOR_RESOURCE_H_
