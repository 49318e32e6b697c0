// A dataset of given elements, whose components may differ in shape.
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/elements_dataset.h"

namespace gk {
namespace {

Status ComputeList(KernelContext& c) {
  ElementSignature signature = SignatureAttrs(c);
  const size_t components = signature.types.size();
  const auto tensors = static_cast<size_t>(c.num_inputs());
  if (components == 0 || tensors % components != 0) {
    return InvalidArgument(
        "`tensors` has {} tensors, which are no whole number of elements of {} "
        "components, as `output_types` says",
        tensors, components);
  }
  std::vector<TensorVector> elements;
  for (size_t i = 0; i < tensors; i += components) {
    TensorVector& element = elements.emplace_back();
    for (size_t j = 0; j < components; ++j) {
      element.push_back(c.input(static_cast<int>(i + j)));
    }
    GK_RETURN_IF_ERROR(CheckElement(signature, element));
  }
  return SetDataset(
      c, MakeRef<ElementsDataset>("ListDataset", std::move(signature),
                                  std::move(elements)));
}

const OpRecord kRecords[] = {
    {.name = "ListDataset",
     .inputs = "tensors: Tinput_types",
     .outputs = "handle: variant",
     .attrs = "Tinput_types: list(type) >= 1; " GK_ELEMENT_ATTRS
              "; metadata: string = ''",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeList},
     .doc = "A dataset of elements whose components are given one after the "
            "other."},
};

}  // namespace

GK_REGISTER_OPS(data_list)

}  // namespace gk
