#include "ops/data/elements_dataset.h"

namespace gk {
namespace {

class Iterator final : public DatasetIterator {
 public:
  explicit Iterator(const ElementsDataset* d) : dataset_(d) {}
  Status GetNext(const CancellationToken*, TensorVector* element,
                 bool* end) override {
    if (next_ >= dataset_->elements().size()) {
      *end = true;
      return OkStatus();
    }
    element->clear();
    for (const Tensor& t : dataset_->elements()[next_]) {
      element->push_back(t.Alias());
    }
    ++next_;
    return OkStatus();
  }

 private:
  const Ref<const ElementsDataset> dataset_;
  size_t next_ = 0;
};

}  // namespace

StatusOr<IteratorPtr> ElementsDataset::MakeIterator(const ContextRef&) const {
  return IteratorPtr(new Iterator(this));
}

}  // namespace gk
