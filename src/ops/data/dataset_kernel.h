// What kernels of dataset ops share: reading their inputs and attributes,
// and slices of components.
#ifndef GK_OPS_DATA_DATASET_KERNEL_H_
#define GK_OPS_DATA_DATASET_KERNEL_H_

#include "base/thread_pool.h"
#include "data/captured_function.h"
#include "data/dataset.h"
#include "data/read_ahead.h"
#include "framework/kernel_context.h"

// In a record's attributes: what an element is made of.
#define GK_ELEMENT_ATTRS \
  "output_types: list(type) >= 1; output_shapes: list(shape) >= 1"

namespace gk {

// Attributes output_types (or another name) and output_shapes.
ElementSignature SignatureAttrs(KernelContext& c,
                                std::string_view types = "output_types");

// The outputs are the components of an element, of attribute output_shapes.
Status ElementShapes(InferenceContext& c);

inline StatusOr<Ref<const Dataset>> InputDataset(KernelContext& c, int i = 0) {
  return Dataset::Of(c.input(i));
}

// The scalar input i; InvalidArgument that names it if it is no scalar.
Status ScalarInput(KernelContext& c, int i, std::string_view name,
                   int64_t* value);
Status ScalarInput(KernelContext& c, int i, std::string_view name, bool* value);

// The function of attribute `attr` with inputs [first, first + n) as what it
// captured; it is called with `arguments` values.
Status CaptureFunction(KernelContext& c, std::string_view attr, int first,
                       int n, size_t arguments, CapturedFunction* function);
// The length of a list of types attribute.
int ListLength(KernelContext& c, std::string_view attr);

// Output 0 is this dataset.
Status SetDataset(KernelContext& c, Ref<const Dataset> dataset);

// The dataset that `op` makes of these inputs.
StatusOr<Tensor> MakeDataset(const OpRecord& op, const AttrMap& attrs,
                             const TensorVector& inputs);
StatusOr<Tensor> MakeDataset(std::string_view op, const AttrMap& attrs,
                             const TensorVector& inputs);

// Output 0 is a resource that only has to be there; both texts are literals.
Status SetStandIn(KernelContext& c, std::string_view kind,
                  std::string_view type_name);

// InvalidArgument unless the components have as many rows; `of_scalar` says
// what is wrong with one that has none.
Status CheckSameRows(const TensorVector& batch, std::string_view of_scalar);

// Row i of a component: what its first dimension holds there.
StatusOr<Tensor> Row(const Tensor& component, int64_t i);

// Rows [first, first + n) of a component, to where values of its type are.
Status CopyRows(const Tensor& component, int64_t first, int64_t n, void* to);

// A tensor to hand out: with an identity of its own.
inline Tensor HandOut(Tensor t) {
  return t.impl()->RefCount() > 1 ? t.Alias() : t;
}

// num_parallel_calls as iterators of a pass take it; -1: tuned.
inline AheadOptions InParallel(const std::shared_ptr<PassResources>& resources,
                               int64_t parallel) {
  if (parallel < 0) {
    return TunedAhead(resources, resources != nullptr ? resources->parallelism()
                                                      : AllowedCpus());
  }
  AheadOptions options(parallel);
  options.resources = resources;
  return options;
}

// A dataset that passes on elements of one input.
class DatasetOfInput : public Dataset {
 public:
  DatasetOfInput(ElementSignature signature, Ref<const Dataset> input)
      : Dataset(std::move(signature), {input.get()}),
        input_(std::move(input)) {}
  const Dataset& input() const { return *input_; }
  int64_t Cardinality() const override { return input_->Cardinality(); }

 private:
  const Ref<const Dataset> input_;
};

// What a dataset over one input is made of: input 0 and the attributes.
struct OneInput {
  std::string_view kind;
  ElementSignature signature;
  Ref<const Dataset> dataset;
};
StatusOr<OneInput> ReadOneInput(KernelContext& c);

// A dataset whose iterators each go through one iterator of the input.
class OneInputDataset : public DatasetOfInput {
 public:
  explicit OneInputDataset(OneInput in)
      : DatasetOfInput(std::move(in.signature), std::move(in.dataset)),
        kind_(in.kind) {}
  std::string_view kind() const final { return kind_; }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const final {
    GK_ASSIGN_OR_RETURN(IteratorPtr in, input().NewIterator(context));
    return Over(std::move(in), context);
  }

 protected:
  virtual IteratorPtr Over(IteratorPtr input,
                           const ContextRef& context) const = 0;

 private:
  const std::string_view kind_;
};

// The iterator of such a dataset of class D, which it keeps alive.
template <class D>
class OneInputIterator : public DatasetIterator {
 public:
  OneInputIterator(const D* dataset, IteratorPtr input)
      : dataset_(dataset), input_(std::move(input)) {}

 protected:
  const D& dataset() const { return *dataset_; }
  DatasetIterator& input() { return *input_; }
  bool has_input() const { return input_ != nullptr; }
  // Behind its end nothing is asked of it.
  void DropInput() { input_.reset(); }

 private:
  const Ref<const D> dataset_;
  IteratorPtr input_;
};

}  // namespace gk

#endif  // GK_OPS_DATA_DATASET_KERNEL_H_
