#include "api/staged_host.h"

namespace gk::api::detail {
namespace {

// `tensors`, from `next` on, and nulls where nothing is.
void AddLeaves(const ::gk::Structure& structure, const TensorVector& tensors,
               size_t* next, TensorVector* leaves) {
  using Kind = ::gk::Structure::Kind;
  if (structure.kind() == Kind::kLeaf) {
    leaves->push_back(tensors.at((*next)++));
  } else if (structure.kind() == Kind::kNone) {
    leaves->push_back(InnerTensor());
  }
  for (const StructureRef& child : structure.children()) {
    AddLeaves(*child, tensors, next, leaves);
  }
}

}  // namespace

StagedValue StagedOf(TensorVector tensors, const Form& form) {
  StagedValue value;
  value.kind = StagedValue::Kind::kTensors;
  size_t next = 0;
  value.structure = Inner(form.structure);
  AddLeaves(*value.structure, tensors, &next, &value.leaves);
  for (const TensorArray& array : form.arrays) {
    value.arrays.push_back(Inner(array.dtype()));
  }
  value.plain = form.plain;
  value.host = std::make_shared<Form>(form);
  return value;
}

}  // namespace gk::api::detail
