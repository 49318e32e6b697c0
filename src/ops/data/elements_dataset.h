// ElementsDataset: a dataset of elements that are there already. Constant.
#ifndef GK_OPS_DATA_ELEMENTS_DATASET_H_
#define GK_OPS_DATA_ELEMENTS_DATASET_H_

#include "data/dataset.h"

namespace gk {

class ElementsDataset final : public Dataset {
 public:
  // `kind` must outlive the dataset.
  ElementsDataset(std::string_view kind, ElementSignature signature,
                  std::vector<TensorVector> elements)
      : Dataset(std::move(signature), {}),
        kind_(kind),
        elements_(std::move(elements)) {}

  std::string_view kind() const override { return kind_; }
  int64_t Cardinality() const override {
    return static_cast<int64_t>(elements_.size());
  }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef&) const override;

  const std::vector<TensorVector>& elements() const { return elements_; }

 private:
  const std::string_view kind_;
  const std::vector<TensorVector> elements_;
};

}  // namespace gk

#endif  // GK_OPS_DATA_ELEMENTS_DATASET_H_
