// Iterators as resources: a place in a dataset that each step moves on.
#include "data/iterator_resource.h"
#include "data/optional.h"
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/optimize_dataset.h"
#include "ops/named_resource.h"

namespace gk {
namespace {

Tensor NewIterator(KernelContext& c) {
  static std::atomic<uint64_t> next{0};
  auto iterator = MakeRef<IteratorResource>(SignatureAttrs(c));
  std::string name = Format("Resource-{}-at-0x{:x}",
                            next.fetch_add(1, std::memory_order_relaxed),
                            reinterpret_cast<uintptr_t>(iterator.get()));
  return Tensor::Scalar(
      ResourceHandle(std::move(iterator), std::move(name), {}));
}

Status ComputeNew(KernelContext& c) {
  c.set_output(0, NewIterator(c));
  return OkStatus();
}

Status ComputeNamed(KernelContext& c) {
  ElementSignature wanted = SignatureAttrs(c);
  GK_RETURN_IF_ERROR(OutputResource(
      c, "iterator", {}, [&](const std::string&) -> StatusOr<Ref<Resource>> {
        return Ref<Resource>(MakeRef<IteratorResource>(wanted));
      }));
  GK_ASSIGN_OR_RETURN(const Ref<IteratorResource> found,
                      IteratorResource::Of(c.output(0)));
  return CheckSignature(wanted, found->signature());
}

// What stands for the wish to delete an iterator; handles count by themselves.
class Deleter final : public VariantObject {
 public:
  std::string_view type_name() const override { return "graphkiln::Deleter"; }
  void AppendText(std::string* text, size_t) const override {
    *text += "[empty]";
  }
};

Status ComputeNewWithDeleter(KernelContext& c) {
  c.set_output(0, NewIterator(c));
  c.set_output(1, Tensor::Scalar(Variant(MakeRef<Deleter>())));
  return OkStatus();
}

Status NewShape(InferenceContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, TensorShape());
  return OkStatus();
}

Status ComputeMake(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<const Dataset> dataset, InputDataset(c));
  GK_ASSIGN_OR_RETURN(const Ref<IteratorResource> iterator,
                      IteratorResource::Of(c.input(1)));
  GK_ASSIGN_OR_RETURN(const Ref<const Dataset> gone_through,
                      Optimized(dataset));
  return iterator->Start(*gone_through);
}

Status ComputeOneShot(KernelContext& c) {
  const ElementSignature wanted = SignatureAttrs(c);
  const auto make = [&](const std::string&) -> StatusOr<Ref<Resource>> {
    CapturedFunction factory;
    GK_RETURN_IF_ERROR(
        CaptureFunction(c, "dataset_factory", 0, 0, 0, &factory));
    TensorVector made;
    GK_RETURN_IF_ERROR(factory.Run({}, c.cancellation(), &made));
    if (made.size() != 1) {
      return InvalidArgument(
          "The `dataset_factory` function must return exactly one dataset, but "
          "returns {} values",
          made.size());
    }
    GK_ASSIGN_OR_RETURN(const Ref<const Dataset> dataset, Dataset::Of(made[0]));
    GK_ASSIGN_OR_RETURN(const Ref<const Dataset> gone_through,
                        Optimized(dataset));
    auto iterator = MakeRef<IteratorResource>(wanted);
    GK_RETURN_IF_ERROR(iterator->Start(*gone_through));
    return Ref<Resource>(std::move(iterator));
  };
  GK_RETURN_IF_ERROR(OutputResource(c, "iterator", {}, make));
  GK_ASSIGN_OR_RETURN(const Ref<IteratorResource> found,
                      IteratorResource::Of(c.output(0)));
  return CheckSignature(wanted, found->signature());
}

Status ComputeNext(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<IteratorResource> iterator,
                      IteratorResource::Of(c.input(0)));
  const ElementSignature wanted = SignatureAttrs(c);
  TensorVector element;
  bool end = false;
  GK_RETURN_IF_ERROR(iterator->GetNext(c.cancellation(), &element, &end));
  if (end) return OutOfRange("End of sequence");
  GK_RETURN_IF_ERROR(CheckElement(wanted, element));
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, HandOut(std::move(element[i])));
  }
  return OkStatus();
}

Status ComputeNextAsOptional(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<IteratorResource> iterator,
                      IteratorResource::Of(c.input(0)));
  const ElementSignature wanted = SignatureAttrs(c);
  TensorVector element;
  bool end = false;
  GK_RETURN_IF_ERROR(iterator->GetNext(c.cancellation(), &element, &end));
  if (!end) GK_RETURN_IF_ERROR(CheckElement(wanted, element));
  GK_ASSIGN_OR_RETURN(Tensor t,
                      OptionalVariant::Wrap(
                          end ? MakeRef<OptionalVariant>()
                              : MakeRef<OptionalVariant>(std::move(element))));
  c.set_output(0, std::move(t));
  return OkStatus();
}

Status ComputeDelete(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<IteratorResource> iterator,
                      IteratorResource::Of(c.input(0)));
  iterator->Close();
  return OkStatus();
}

// Asking an iterator runs the functions of its dataset, and moves it on.
constexpr uint32_t kAsks = kStateful | kCallsFunction | kWritesResource;

const OpRecord kRecords[] = {
    {.name = "AnonymousIteratorV2",
     .inputs = "",
     .outputs = "handle: resource; deleter: variant",
     .attrs = GK_ELEMENT_ATTRS,
     .traits = kStateful | kNoGradient,
     .shape = NewShape,
     .kernel = {.compute = ComputeNewWithDeleter},
     .doc = "A new iterator, and what DeleteIterator wants."},

    {.name = "AnonymousIteratorV3",
     .inputs = "",
     .outputs = "handle: resource",
     .attrs = GK_ELEMENT_ATTRS,
     .traits = kStateful | kNoGradient,
     .shape = NewShape,
     .kernel = {.compute = ComputeNew},
     .doc = "A new iterator, which lives as long as its handles."},

    {.name = "IteratorV2",
     .inputs = "",
     .outputs = "handle: resource",
     .attrs = "shared_name: string; container: string; " GK_ELEMENT_ATTRS,
     .traits = kStateful | kNoGradient,
     .shape = NewShape,
     .kernel = {.compute = ComputeNamed},
     .doc = "The iterator of that name, made if there is none."},

    {.name = "OneShotIterator",
     .inputs = "",
     .outputs = "handle: resource",
     .attrs = "dataset_factory: func; " GK_ELEMENT_ATTRS
              "; container: string = ''; shared_name: string = ''",
     .traits = kAsks | kNoGradient,
     .shape = NewShape,
     .kernel = {.compute = ComputeOneShot},
     .doc = "The iterator of that name, made and started over what "
            "`dataset_factory` returns if there is none."},

    {.name = "MakeIterator",
     .inputs = "dataset: variant; iterator: resource",
     .outputs = "",
     .attrs = "",
     .traits = kAsks | kNoGradient,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeMake},
     .doc = "Puts the iterator at the beginning of the dataset."},

    {.name = "IteratorGetNext",
     .inputs = "iterator: resource",
     .outputs = "components: output_types",
     .attrs = GK_ELEMENT_ATTRS,
     .traits = kAsks | kNoGradient,
     .shape = ElementShapes,
     .kernel = {.compute = ComputeNext},
     .doc = "The next element; OutOfRange at the end."},

    {.name = "IteratorGetNextSync",
     .inputs = "iterator: resource",
     .outputs = "components: output_types",
     .attrs = GK_ELEMENT_ATTRS,
     .traits = kAsks | kNoGradient,
     .shape = ElementShapes,
     .kernel = {.compute = ComputeNext},
     .doc = "The next element; OutOfRange at the end."},

    {.name = "IteratorGetNextAsOptional",
     .inputs = "iterator: resource",
     .outputs = "optional: variant",
     .attrs = GK_ELEMENT_ATTRS,
     .traits = kAsks | kNoGradient,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeNextAsOptional},
     .doc = "The next element as an optional, which is empty at the end."},

    {.name = "DeleteIterator",
     .inputs = "handle: resource; deleter: variant",
     .outputs = "",
     .attrs = "",
     .traits = kStateful | kNoGradient,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeDelete},
     .doc = "Ends an iterator."},
};

}  // namespace

GK_REGISTER_OPS(data_iterator)

}  // namespace gk
