// Where iterators are, as values.
#include "data/iterator_resource.h"
#include "data/iterator_state.h"
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

Status ComputeSaveState(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<IteratorResource> iterator,
                      IteratorResource::Of(c.input(0)));
  // Of TensorFlow's policies the last is to fail.
  constexpr int64_t kFail = 2;
  GK_ASSIGN_OR_RETURN(
      std::string bytes,
      iterator->Save(c.attr<int64_t>("external_state_policy") != kFail));
  GK_ASSIGN_OR_RETURN(Tensor t,
                      Tensor::Allocate(DataType::kVariant, TensorShape({1})));
  t.data<Variant>()[0] =
      Variant(MakeRef<IteratorStateVariant>(std::move(bytes)));
  c.set_output(0, std::move(t));
  return OkStatus();
}

Status ComputeRestoreState(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const Ref<IteratorResource> iterator,
                      IteratorResource::Of(c.input(0)));
  const Tensor& serialized = c.input(1);
  const auto* state =
      serialized.num_elements() == 1
          ? serialized.data<Variant>()[0].As<IteratorStateVariant>()
          : nullptr;
  if (state == nullptr) {
    return InvalidArgument(
        "`serialized` must be the state of an iterator, as SerializeIterator "
        "gives it, but is {}",
        serialized.DebugString(1));
  }
  return iterator->Restore(state->bytes());
}

Status StateShape(InferenceContext& c) {
  c.set_output(0, PartialTensorShape({-1}));
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "SerializeIterator",
     .inputs = "resource_handle: resource",
     .outputs = "serialized: variant",
     .attrs = "external_state_policy: int = 0",
     .traits = kStateful | kReadsResource | kNoGradient,
     .shape = StateShape,
     .kernel = {.compute = ComputeSaveState},
     .doc = "Where an iterator is."},

    {.name = "DeserializeIterator",
     .inputs = "resource_handle: resource; serialized: variant",
     .outputs = "",
     .attrs = "",
     .traits = kStateful | kCallsFunction | kWritesResource | kNoGradient,
     .shape = shape_fn::NoOutputs,
     .kernel = {.compute = ComputeRestoreState},
     .doc = "An iterator goes on where one over the same dataset was."},
};

}  // namespace

GK_REGISTER_OPS(data_iterator_state)

}  // namespace gk
