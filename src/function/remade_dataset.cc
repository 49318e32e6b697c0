#include "function/remade_dataset.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "data/dataset.h"
#include "data/stand_in_resource.h"
#include "framework/absent_resource.h"
#include "framework/op_builder.h"
#include "framework/op_registry.h"

namespace gk {
namespace {

// Deeper ones come from no program.
constexpr int kMostDeep = 10000;

class Remaking {
 public:
  explicit Remaking(const NamesOfFiles& files) : files_(files) {}

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
    const bool* is_files = origin->attrs.Get<bool>("is_files");
    if (files_ && is_files != nullptr && *is_files) {
      for (Tensor& names : inputs) names = files_(names);
    }
    for (Tensor& input : inputs) {
      if (input.dtype() == DataType::kResource && input.shape().IsScalar()) {
        GK_RETURN_IF_ERROR(RemakeStandIn(&input));
      } else if (Dataset::Of(input).ok()) {
        GK_ASSIGN_OR_RETURN(input, Of(input, depth + 1));
      }
    }
    GK_ASSIGN_OR_RETURN(TensorVector made,
                        Dispatch(*origin->op, inputs, origin->attrs));
    return made_.emplace(dataset.get(), std::move(made.at(0))).first->second;
  }

 private:
  // What only has to be there is made there; other resources are captured.
  static Status RemakeStandIn(Tensor* handle) {
    const Resource* const resource =
        handle->scalar<ResourceHandle>().resource();
    const OpRecord* op = nullptr;
    AttrMap attrs;
    if (dynamic_cast<const StandInResource*>(resource) != nullptr) {
      op = OpRegistry::Get().Find(resource->kind());
    } else if (dynamic_cast<const AbsentResource*>(resource) != nullptr) {
      op = &OpRegistry::Get().The(kConstant);
      attrs.Set("value", *handle);
      attrs.Set("dtype", DataType::kResource);
    } else {
      return OkStatus();
    }
    GK_ASSIGN_OR_RETURN(TensorVector made, Dispatch(*op, {}, attrs));
    *handle = std::move(made.at(0));
    return OkStatus();
  }

  const NamesOfFiles& files_;
  std::unordered_map<const Dataset*, Tensor> made_;
};

}  // namespace

StatusOr<Tensor> RemadeDataset(const Tensor& handle,
                               const NamesOfFiles& files) {
  return Remaking(files).Of(handle, 0);
}

TensorVector FilesOfDataset(const Tensor& handle) {
  TensorVector found;
  std::unordered_set<const Dataset*> seen;
  TensorVector waiting = {handle};
  while (!waiting.empty()) {
    const Tensor next = std::move(waiting.back());
    waiting.pop_back();
    const StatusOr<Ref<const Dataset>> dataset = Dataset::Of(next);
    if (!dataset.ok() || !seen.insert(dataset->get()).second) continue;
    const DatasetOrigin* origin = (*dataset)->origin();
    if (origin == nullptr) continue;
    const bool* is_files = origin->attrs.Get<bool>("is_files");
    const bool has_files = is_files != nullptr && *is_files;
    TensorVector& to = has_files ? found : waiting;
    to.insert(to.end(), origin->inputs.begin(), origin->inputs.end());
  }
  return found;
}

}  // namespace gk
