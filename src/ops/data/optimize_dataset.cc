#include "ops/data/optimize_dataset.h"

#include <optional>
#include <unordered_map>

#include "data/said_option.h"
#include "framework/graph.h"
#include "framework/op_registry.h"

namespace gk {
namespace {

// What `op` makes of these inputs.
StatusOr<Tensor> Make(const OpRecord& op, const AttrMap& attrs,
                      const TensorVector& inputs) {
  std::vector<const Tensor*> given;
  for (const Tensor& t : inputs) given.push_back(&t);
  Tensor made;
  KernelContext c(op, attrs, given, {&made, 1});
  GK_RETURN_IF_ERROR(op.kernel.compute(c));
  return made;
}
StatusOr<Tensor> Make(std::string_view op, const AttrMap& attrs,
                      const TensorVector& inputs) {
  const OpRecord* record = OpRegistry::Get().Find(op);
  if (record == nullptr) return Internal("There is no op {}", op);
  return Make(*record, attrs, inputs);
}

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

bool IsOp(const DatasetOrigin& origin, std::string_view name) {
  return origin.op->name == name;
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

// Each gives what takes the place of the dataset that `origin` made, or a null
// tensor.
using Rule = StatusOr<Tensor> (*)(const DatasetOrigin& origin);

// What gives all elements of its input and no others.
StatusOr<Tensor> WithoutNoop(const DatasetOrigin& origin) {
  const auto number = NumberInput(origin, 1);
  const bool noop = (IsOp(origin, "TakeDataset") && number && *number < 0) ||
                    (IsOp(origin, "SkipDataset") && number == 0) ||
                    (IsOp(origin, "RepeatDataset") && number == 1) ||
                    (IsOp(origin, "PrefetchDataset") && number == 0) ||
                    (IsOp(origin, "ShardDataset") && number == 1);
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

StatusOr<Tensor> InParallel(const DatasetOrigin& origin) {
  if (!IsOp(origin, "MapDataset")) return Tensor();
  const auto* f = origin.attrs.Get<FunctionAttr>("f");
  const auto* preserves = origin.attrs.Get<bool>("preserve_cardinality");
  const auto* alone = origin.attrs.Get<bool>("force_synchronous");
  if (f == nullptr || !f->definition || f->definition->is_stateful() ||
      preserves == nullptr || !*preserves || (alone != nullptr && *alone)) {
    return Tensor();
  }
  TensorVector inputs = origin.inputs;
  inputs.push_back(Autotuned());
  return Make("ParallelMapDatasetV2",
              AttrsFor(origin, {{"deterministic", std::string("true")},
                                {"use_unbounded_threadpool", false}}),
              inputs);
}

StatusOr<Tensor> BatchInParallel(const DatasetOrigin& origin) {
  if (!IsOp(origin, "BatchDatasetV2")) return Tensor();
  return Make(
      "ParallelBatchDataset",
      AttrsFor(origin, {{"parallel_copy", false},
                        {"deterministic", std::string("true")}}),
      {origin.inputs[0], origin.inputs[1], Autotuned(), origin.inputs[2]});
}

struct Rewriting {
  const char* option;
  bool otherwise;  // where nobody says
  Rule rule;
};
constexpr Rewriting kRewritings[] = {
    {"noop_elimination", true, &WithoutNoop},
    {"map_parallelization", false, &InParallel},
    {"parallel_batch", false, &BatchInParallel},
};

bool Said(const DatasetOptions* options, const char* name, bool otherwise) {
  const bool* said =
      SaidOption<bool>(options, "experimental_optimization", name);
  return said == nullptr ? otherwise : *said;
}

class Optimizer {
 public:
  explicit Optimizer(const DatasetOptions* options) {
    const bool defaults =
        Said(options, "apply_default_optimizations", true);
    for (const Rewriting& r : kRewritings) {
      if (Said(options, r.option, defaults && r.otherwise)) {
        rules_.push_back(r.rule);
      }
    }
  }

  bool idle() const { return rules_.empty(); }

  StatusOr<Tensor> Rewrite(const Tensor& handle) {
    GK_ASSIGN_OR_RETURN(const Ref<const Dataset> dataset, Dataset::Of(handle));
    const DatasetOrigin* origin = dataset->origin();
    if (origin == nullptr || origin->op->Has(kStateful)) return handle;
    if (const auto known = done_.find(dataset.get()); known != done_.end()) {
      return known->second;
    }
    std::unique_ptr<DatasetOrigin> changed;
    for (size_t i = 0; i < origin->inputs.size(); ++i) {
      const Tensor& input = origin->inputs[i];
      if (input.dtype() != DataType::kVariant || !input.shape().IsScalar() ||
          !Dataset::Of(input).ok()) {
        continue;
      }
      GK_ASSIGN_OR_RETURN(Tensor made, Rewrite(input));
      if (Of(made) == Of(input)) continue;
      if (!changed) changed = std::make_unique<DatasetOrigin>(*origin);
      changed->inputs[i] = std::move(made);
    }
    const DatasetOrigin& now = changed ? *changed : *origin;
    Tensor result;
    for (const Rule rule : rules_) {
      GK_ASSIGN_OR_RETURN(result, rule(now));
      if (result) break;
    }
    if (!result && changed) {
      GK_ASSIGN_OR_RETURN(result, Make(*now.op, now.attrs, now.inputs));
    }
    if (!result) result = handle;
    done_.emplace(dataset.get(), result);
    return result;
  }

 private:
  static const void* Of(const Tensor& handle) {
    return handle.scalar<Variant>().get();
  }

  std::vector<Rule> rules_;
  std::unordered_map<const Dataset*, Tensor> done_;
};

void AppendText(const Dataset& dataset, std::string* text) {
  const DatasetOrigin* origin = dataset.origin();
  if (origin == nullptr) {
    *text += dataset.kind();
    return;
  }
  std::vector<Ref<const Dataset>> inputs;
  for (const Tensor& t : origin->inputs) {
    if (t.dtype() != DataType::kVariant || !t.shape().IsScalar()) continue;
    if (auto input = Dataset::Of(t); input.ok()) inputs.push_back(*input);
  }
  for (const Ref<const Dataset>& input : inputs) {
    if (inputs.size() > 1) *text += '[';
    AppendText(*input, text);
    *text += inputs.size() > 1 ? "] " : " ";
  }
  *text += origin->op->name;
}

}  // namespace

StatusOr<Ref<const Dataset>> Optimized(Ref<const Dataset> dataset) {
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
          handle, Make("PrefetchDataset", attrs, {handle, Autotuned()}));
    }
  }
  return Dataset::Of(handle);
}

std::string PipelineText(const Dataset& dataset) {
  std::string text;
  AppendText(dataset, &text);
  return text;
}

}  // namespace gk
