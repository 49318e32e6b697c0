#include "ops/data/optimize_dataset.h"

#include <optional>
#include <unordered_map>

#include "data/debug_mode.h"
#include "data/said_option.h"
#include "framework/graph.h"
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/fuse_datasets.h"
#include "ops/data/shuffle_dataset.h"

namespace gk {
namespace {

// The same attributes, with those that `op` has besides.
AttrMap AttrsFor(const DatasetOrigin& origin,
                 std::initializer_list<AttrMap::Entry> others) {
  AttrMap attrs;
  for (const char* shared :
       {"f", "Targuments", "output_types", "output_shapes",
        "use_inter_op_parallelism", "preserve_cardinality", "metadata"}) {
    if (const AttrValue* value = origin.attrs.Find(shared)) {
      attrs.Set(shared, *value);
    }
  }
  for (const auto& [name, value] : others) attrs.Set(name, value);
  return attrs;
}

std::optional<int64_t> NumberInput(const DatasetOrigin& origin, size_t i) {
  if (i >= origin.inputs.size()) return std::nullopt;
  const Tensor& t = origin.inputs[i];
  if (t.dtype() != DataType::kInt64 || !t.shape().IsScalar()) {
    return std::nullopt;
  }
  return t.scalar<int64_t>();
}

Tensor Autotuned() { return Tensor::Scalar<int64_t>(-1); }

// What gives all elements of its input and no others.
StatusOr<Tensor> WithoutNoop(const Dataset& dataset,
                             const DatasetOrigin& origin) {
  const auto number = NumberInput(origin, 1);
  const std::string_view kind = dataset.kind();
  const bool noop = (kind == "TakeDataset" && number && *number < 0) ||
                    (kind == "SkipDataset" && number == 0) ||
                    (kind == "RepeatDataset" && number == 1) ||
                    (kind == "PrefetchDataset" && number == 0) ||
                    (kind == "ShardDataset" && number == 1);
  if (!noop) return Tensor();
  GK_ASSIGN_OR_RETURN(const Ref<const Dataset> input,
                      Dataset::Of(origin.inputs[0]));
  const auto* shapes =
      origin.attrs.Get<std::vector<PartialTensorShape>>("output_shapes");
  if (shapes == nullptr || *shapes != input->signature().shapes) {
    return Tensor();
  }
  return origin.inputs[0];
}

StatusOr<Tensor> MapInParallel(const Dataset& dataset,
                               const DatasetOrigin& origin) {
  if (dataset.kind() != "MapDataset") return Tensor();
  const auto* f = origin.attrs.Get<FunctionAttr>("f");
  const auto* preserves = origin.attrs.Get<bool>("preserve_cardinality");
  const auto* alone = origin.attrs.Get<bool>("force_synchronous");
  if (f == nullptr || !f->definition || f->definition->is_stateful() ||
      preserves == nullptr || !*preserves || (alone != nullptr && *alone)) {
    return Tensor();
  }
  TensorVector inputs = origin.inputs;
  inputs.push_back(Autotuned());
  return MakeDataset("ParallelMapDatasetV2",
              AttrsFor(origin, {{"deterministic", std::string("true")},
                                {"use_unbounded_threadpool", false}}),
              inputs);
}

StatusOr<Tensor> BatchInParallel(const Dataset& dataset,
                                 const DatasetOrigin& origin) {
  if (dataset.kind() != "BatchDatasetV2") return Tensor();
  return MakeDataset(
      "ParallelBatchDataset",
      AttrsFor(origin, {{"parallel_copy", false},
                        {"deterministic", std::string("true")}}),
      {origin.inputs[0], origin.inputs[1], Autotuned(), origin.inputs[2]});
}

// The datasets that it interleaves, one after the other, are made in advance.
StatusOr<Tensor> PartsAhead(const Dataset& dataset,
                            const DatasetOrigin& origin) {
  if (dataset.kind() != "InterleaveDataset") return Tensor();
  AttrMap attrs = origin.attrs;
  attrs.Set(kPartsAhead, true);
  return MakeDataset(*origin.op, attrs, origin.inputs);
}

struct Rewriting {
  const char* option;
  bool otherwise;  // where nobody says
  DatasetRule* rule;
};
// In this order: what becomes of a dataset by one is given to the next.
constexpr Rewriting kRewritings[] = {
    {"noop_elimination", true, &WithoutNoop},
    {"map_parallelization", false, &MapInParallel},
    {"filter_parallelization", false, &FilterInParallel},
    {"map_fusion", false, &FuseMaps},
    {"filter_fusion", false, &FuseFilters},
    {"map_and_filter_fusion", false, &FuseMapAndFilter},
    {"map_and_batch_fusion", false, &FuseMapAndBatch},
    {"parallel_batch", false, &BatchInParallel},
    {"shuffle_and_repeat_fusion", false, &FuseShuffleAndRepeat},
    {"seq_interleave_prefetch", false, &PartsAhead},
};

bool Said(const DatasetOptions* options, const char* name, bool otherwise) {
  const bool* said =
      SaidOption<bool>(options, "experimental_optimization", name);
  return said == nullptr ? otherwise : *said;
}

class Optimizer {
 public:
  explicit Optimizer(const DatasetOptions* options) {
    const bool defaults = Said(options, "apply_default_optimizations", true);
    for (const Rewriting& r : kRewritings) {
      if (Said(options, r.option, defaults && r.otherwise)) {
        rules_.push_back(r.rule);
      }
    }
  }

  bool idle() const { return rules_.empty(); }

  StatusOr<Tensor> Rewrite(const Tensor& handle) {
    GK_ASSIGN_OR_RETURN(const Ref<const Dataset> dataset, Dataset::Of(handle));
    if (const auto known = done_.find(dataset.get()); known != done_.end()) {
      return known->second;
    }
    GK_ASSIGN_OR_RETURN(Tensor result, WithInputs(handle, *dataset));
    for (DatasetRule* const rule : rules_) {
      GK_ASSIGN_OR_RETURN(const Ref<const Dataset> now, Dataset::Of(result));
      if (IsShared(*now)) break;
      GK_ASSIGN_OR_RETURN(Tensor made, rule(*now, *now->origin()));
      if (!made) continue;
      result = std::move(made);
      // The input, for which all was done.
      if (rule == &WithoutNoop) break;
    }
    done_.emplace(dataset.get(), result);
    return result;
  }

 private:
  static const void* Of(const Tensor& handle) {
    return handle.scalar<Variant>().get();
  }
  static bool IsShared(const Dataset& dataset) {
    // What a snapshot is of names its folder.
    return dataset.origin() == nullptr ||
           dataset.origin()->op->Has(kStateful) ||
           dataset.kind() == "SnapshotDatasetV2";
  }

  // The dataset with its inputs rewritten.
  StatusOr<Tensor> WithInputs(const Tensor& handle, const Dataset& dataset) {
    const DatasetOrigin* origin = dataset.origin();
    const bool shuffles = dataset.kind() == "ShuffleDatasetV3";
    if (IsShared(dataset) && !(shuffles && origin != nullptr)) return handle;
    std::unique_ptr<DatasetOrigin> changed;
    for (size_t i = 0; i < origin->inputs.size(); ++i) {
      const Tensor& input = origin->inputs[i];
      if (!Dataset::Of(input).ok()) continue;
      GK_ASSIGN_OR_RETURN(Tensor made, Rewrite(input));
      if (Of(made) == Of(input)) continue;
      if (!changed) changed = std::make_unique<DatasetOrigin>(*origin);
      changed->inputs[i] = std::move(made);
    }
    if (!changed) return handle;
    if (!shuffles) {
      return MakeDataset(*changed->op, changed->attrs, changed->inputs);
    }
    GK_ASSIGN_OR_RETURN(Ref<const Dataset> input,
                        Dataset::Of(changed->inputs[0]));
    Ref<const Dataset> made = ShuffledLike(dataset, std::move(input));
    if (!made) return handle;
    made->NoteOrigin(std::move(*changed));
    return Dataset::Wrap(std::move(made));
  }

  std::vector<DatasetRule*> rules_;
  std::unordered_map<const Dataset*, Tensor> done_;
};

// The last prefetch, where only what passes on its elements stands behind it,
// waits as `experimental_slack` has it.
StatusOr<Tensor> WithSlack(const Tensor& handle, int64_t period) {
  GK_ASSIGN_OR_RETURN(const Ref<const Dataset> dataset, Dataset::Of(handle));
  const DatasetOrigin* origin = dataset->origin();
  const std::string_view kind = dataset->kind();
  const bool prefetches = kind == "PrefetchDataset";
  if (origin == nullptr ||
      (!prefetches && kind != "OptionsDataset" && kind != "TakeDataset" &&
       kind != "SkipDataset" && kind != "RepeatDataset")) {
    return handle;
  }
  AttrMap attrs = origin->attrs;
  TensorVector inputs = origin->inputs;
  if (prefetches) {
    attrs.Set("slack_period", period);
  } else {
    GK_ASSIGN_OR_RETURN(inputs[0], WithSlack(inputs[0], period));
  }
  return MakeDataset(*origin->op, attrs, inputs);
}

void AppendText(const Dataset& dataset, std::string* text) {
  std::vector<Ref<const Dataset>> inputs;
  if (const auto* one = dynamic_cast<const DatasetOfInput*>(&dataset)) {
    inputs.emplace_back(&one->input());
  } else if (dataset.origin() != nullptr) {
    for (const Tensor& t : dataset.origin()->inputs) {
      if (t.dtype() != DataType::kVariant || !t.shape().IsScalar()) continue;
      if (auto input = Dataset::Of(t); input.ok()) inputs.push_back(*input);
    }
  }
  for (const Ref<const Dataset>& input : inputs) {
    if (inputs.size() > 1) *text += '[';
    AppendText(*input, text);
    *text += inputs.size() > 1 ? "] " : " ";
  }
  *text += dataset.kind();
}

}  // namespace

StatusOr<Ref<const Dataset>> Optimized(Ref<const Dataset> dataset) {
  if (DatasetDebugMode()) return dataset;
  const DatasetOptions* options = dataset->options().get();
  Optimizer optimizer(options);
  GK_ASSIGN_OR_RETURN(Tensor handle, Dataset::Wrap(dataset));
  if (!optimizer.idle()) {
    GK_ASSIGN_OR_RETURN(handle, optimizer.Rewrite(handle));
  }
  if (Said(options, "inject_prefetch", false)) {
    GK_ASSIGN_OR_RETURN(const Ref<const Dataset> last, Dataset::Of(handle));
    const ElementSignature& e = last->signature();
    AttrMap attrs;
    attrs.Set("output_types", e.types);
    attrs.Set("output_shapes", e.shapes);
    if (last->kind() != "PrefetchDataset") {
      GK_ASSIGN_OR_RETURN(
          handle, MakeDataset("PrefetchDataset", attrs, {handle, Autotuned()}));
    }
  }
  const bool* slack = SaidOption<bool>(options, "experimental_slack");
  if (slack != nullptr && *slack) {
    const int64_t* devices =
        SaidOption<int64_t>(options, "experimental_distribute", "num_devices");
    GK_ASSIGN_OR_RETURN(
        handle,
        WithSlack(handle, devices == nullptr || *devices < 1 ? 1 : *devices));
  }
  return Dataset::Of(handle);
}

std::string PipelineText(const Dataset& dataset) {
  std::string text;
  AppendText(dataset, &text);
  return text;
}

}  // namespace gk
