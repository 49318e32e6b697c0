#include "ops/data/fuse_datasets.h"

#include <algorithm>

#include "ops/data/batch_dataset.h"
#include "ops/data/element_steps.h"
#include "ops/data/shuffle_dataset.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

const StepsDataset* AsSteps(const Dataset& dataset) {
  return dynamic_cast<const StepsDataset*>(&dataset);
}

Ref<const Dataset> Held(const Dataset& dataset) {
  return Ref<const Dataset>(&dataset);
}

StatusOr<Tensor> Made(Ref<const Dataset> dataset, const DatasetOrigin& origin) {
  if (!dataset) return Tensor();
  dataset->NoteOrigin(origin);
  return Dataset::Wrap(std::move(dataset));
}

// One dataset of `second` over `first`, which both take steps.
StatusOr<Tensor> Joined(std::string_view kind, const StepsDataset& first,
                        const StepsDataset& second,
                        const DatasetOrigin& origin) {
  const int64_t a = first.parallel(), b = second.parallel();
  // What works in parallel has no order that could be kept.
  if ((a != 0 || b != 0) && (first.is_stateful() || second.is_stateful())) {
    return Tensor();
  }
  ElementSteps steps = first.steps();
  steps.insert(steps.end(), second.steps().begin(), second.steps().end());
  return Made(MakeRef<StepsDataset>(kind, second.signature(),
                                    Held(first.input()), std::move(steps),
                                    a < 0 || b < 0 ? -1 : std::max(a, b)),
              origin);
}

}  // namespace

StatusOr<Tensor> FuseMaps(const Dataset& dataset, const DatasetOrigin& origin) {
  const StepsDataset* second = AsSteps(dataset);
  if (second == nullptr || second->filters()) return Tensor();
  const StepsDataset* first = AsSteps(second->input());
  if (first == nullptr || first->filters() ||
      (first->parallel() == 0) != (second->parallel() == 0)) {
    return Tensor();
  }
  return Joined(second->kind(), *first, *second, origin);
}

StatusOr<Tensor> FuseFilters(const Dataset& dataset,
                             const DatasetOrigin& origin) {
  const StepsDataset* second = AsSteps(dataset);
  if (second == nullptr || !second->steps().front().filters) return Tensor();
  const StepsDataset* first = AsSteps(second->input());
  if (first == nullptr || !first->steps().back().filters ||
      (first->parallel() == 0) != (second->parallel() == 0)) {
    return Tensor();
  }
  return Joined(first->kind(), *first, *second, origin);
}

StatusOr<Tensor> FuseMapAndFilter(const Dataset& dataset,
                                  const DatasetOrigin& origin) {
  const StepsDataset* second = AsSteps(dataset);
  if (second == nullptr || !second->steps().front().filters) return Tensor();
  const StepsDataset* first = AsSteps(second->input());
  if (first == nullptr || first->filters()) return Tensor();
  return Joined(first->parallel() == 0 ? "MapAndFilterDataset"
                                       : "ParallelMapAndFilterDataset",
                *first, *second, origin);
}

StatusOr<Tensor> FuseMapAndBatch(const Dataset& dataset,
                                 const DatasetOrigin& origin) {
  if (dataset.kind() != "BatchDatasetV2") return Tensor();
  GK_ASSIGN_OR_RETURN(const Ref<const Dataset> mapped,
                      Dataset::Of(origin.inputs[0]));
  const StepsDataset* steps = AsSteps(*mapped);
  if (steps == nullptr || steps->filters()) return Tensor();
  int64_t size = 0;
  GK_RETURN_IF_ERROR(IntegerValue(origin.inputs[1], "batch_size", &size));
  return Made(MapAndBatch(dataset.signature(), Held(steps->input()), mapped,
                          size, origin.inputs[2].scalar<bool>()),
              origin);
}

StatusOr<Tensor> FuseShuffleAndRepeat(const Dataset& dataset,
                                      const DatasetOrigin& origin) {
  if (dataset.kind() != "RepeatDataset") return Tensor();
  GK_ASSIGN_OR_RETURN(const Ref<const Dataset> shuffle,
                      Dataset::Of(origin.inputs[0]));
  int64_t count = 0;
  GK_RETURN_IF_ERROR(IntegerValue(origin.inputs[1], "count", &count));
  return Made(ShuffledAndRepeated(dataset, *shuffle, count), origin);
}

StatusOr<Tensor> FilterInParallel(const Dataset& dataset,
                                  const DatasetOrigin& origin) {
  const StepsDataset* filter = AsSteps(dataset);
  if (filter == nullptr || filter->kind() != "FilterDataset" ||
      filter->is_stateful()) {
    return Tensor();
  }
  return Made(MakeRef<StepsDataset>("ParallelFilterDataset",
                                    filter->signature(), Held(filter->input()),
                                    filter->steps(), /*parallel=*/-1),
              origin);
}

}  // namespace gk
