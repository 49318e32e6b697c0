// StepsDataset: what functions make of each element of a dataset, one after the
// other, where predicates may leave elements out between them. MapDataset and
// FilterDataset have one step; rewritings put steps together.
#ifndef GK_OPS_DATA_ELEMENT_STEPS_H_
#define GK_OPS_DATA_ELEMENT_STEPS_H_

#include <string_view>
#include <vector>

#include "ops/data/dataset_kernel.h"

namespace gk {

struct ElementStep {
  CapturedFunction function;
  bool filters = false;  // leaves elements out, else makes others of them
  // Of one that makes others: OutOfRange is an error and not the end.
  bool preserve_cardinality = false;

  bool is_stateful() const { return function.definition().is_stateful(); }
};
using ElementSteps = std::vector<ElementStep>;

// Whether the predicate holds for an element; InvalidArgument if it does not
// say. `scratch` may hold anything.
Status Holds(const CapturedFunction& predicate, TensorVector* element,
             const CancellationToken* cancellation, TensorVector* scratch,
             bool* holds);

class StepsDataset final : public DatasetOfInput {
 public:
  // `kind`: a literal. `parallel` 0: one element after the other; -1: tuned.
  StepsDataset(std::string_view kind, ElementSignature signature,
               Ref<const Dataset> input, ElementSteps steps, int64_t parallel);

  std::string_view kind() const override { return kind_; }
  int64_t Cardinality() const override;
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override;

  const ElementSteps& steps() const { return steps_; }
  int64_t parallel() const { return parallel_; }
  bool filters() const;
  bool is_stateful() const;

 private:
  bool preserves_cardinality() const;

  const std::string_view kind_;
  const ElementSteps steps_;
  const int64_t parallel_;
};

}  // namespace gk

#endif  // GK_OPS_DATA_ELEMENT_STEPS_H_
