#include "function/remade_dataset.h"

#include <unordered_map>
#include <utility>

#include "data/dataset.h"
#include "framework/op_builder.h"

namespace gk {
namespace {

// Deeper ones come from no program.
constexpr int kMostDeep = 10000;

class Remaking {
 public:
  StatusOr<Tensor> Of(const Tensor& handle, int depth) {
    GK_ASSIGN_OR_RETURN(const Ref<const Dataset> dataset, Dataset::Of(handle));
    const auto known = made_.find(dataset.get());
    if (known != made_.end()) return known->second;
    const DatasetOrigin* origin = dataset->origin();
    if (origin == nullptr || depth > kMostDeep) {
      return Unimplemented(
          "A {} that no op has made cannot be made anew in a graph",
          dataset->kind());
    }
    TensorVector inputs = origin->inputs;
    for (Tensor& input : inputs) {
      if (input.dtype() != DataType::kVariant || !input.shape().IsScalar() ||
          !Dataset::Of(input).ok()) {
        continue;
      }
      GK_ASSIGN_OR_RETURN(input, Of(input, depth + 1));
    }
    GK_ASSIGN_OR_RETURN(TensorVector made,
                        Dispatch(*origin->op, inputs, origin->attrs));
    return made_.emplace(dataset.get(), std::move(made.at(0))).first->second;
  }

 private:
  std::unordered_map<const Dataset*, Tensor> made_;
};

}  // namespace

StatusOr<Tensor> RemadeDataset(const Tensor& handle) {
  return Remaking().Of(handle, 0);
}

}  // namespace gk
