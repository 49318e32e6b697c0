// Datasets of what a function makes of each element.
#include "base/thread_pool.h"
#include "data/iteration.h"
#include "data/read_ahead.h"
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

class MapDataset final : public DatasetOfInput {
 public:
  // parallel 0: one after the other; -1: tuned.
  MapDataset(ElementSignature signature, Ref<const Dataset> input,
             CapturedFunction function, bool preserve_cardinality,
             int64_t parallel)
      : DatasetOfInput(std::move(signature), std::move(input)),
        function_(std::move(function)),
        preserve_cardinality_(preserve_cardinality),
        parallel_(parallel) {}

  std::string_view kind() const override {
    return parallel_ != 0 ? "ParallelMapDatasetV2" : "MapDataset";
  }
  int64_t Cardinality() const override {
    return preserve_cardinality_ ? input().Cardinality() : kUnknownCardinality;
  }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    GK_ASSIGN_OR_RETURN(IteratorPtr in, input().NewIterator(context));
    ElementFn apply =
        [self = Ref<const MapDataset>(this), f = function_.In(context)](
            TensorVector element, const CancellationToken* cancellation,
            TensorVector* result, bool* end) {
          return self->Apply(f, std::move(element), cancellation, result, end);
        };
    const PassedOver passed_over =
        preserve_cardinality_ && !function_.definition().is_stateful()
            ? PassedOver::kRunsForErrors
            : PassedOver::kRuns;
    if (parallel_ != 0) {
      return ParallelMap(std::move(in), std::move(apply),
                         InParallel(context->resources(), parallel_),
                         passed_over);
    }
    return MapEach(std::move(in), std::move(apply), passed_over);
  }

 private:
  Status Apply(const CapturedFunction& f, TensorVector element,
               const CancellationToken* cancellation, TensorVector* result,
               bool* end) const {
    Status status = f.Run(std::move(element), cancellation, result);
    if (status.code() != Code::kOutOfRange) return status;
    if (preserve_cardinality_) {
      return InvalidArgument("Function invocation produced OutOfRangeError: {}",
                             status.message());
    }
    // The function asks an iterator that has come to its end.
    TakeErrorSite();
    *end = true;
    return OkStatus();
  }

  const CapturedFunction function_;
  const bool preserve_cardinality_;
  const int64_t parallel_;
};

Status MakeMap(KernelContext& c, int64_t parallel) {
  GK_ASSIGN_OR_RETURN(Ref<const Dataset> input, InputDataset(c));
  CapturedFunction f;
  GK_RETURN_IF_ERROR(CaptureFunction(c, "f", 1, ListLength(c, "Targuments"),
                                     input->signature().types.size(), &f));
  return SetDataset(
      c, MakeRef<MapDataset>(SignatureAttrs(c), std::move(input), std::move(f),
                             c.attr<bool>("preserve_cardinality"), parallel));
}

Status ComputeMap(KernelContext& c) { return MakeMap(c, 0); }

Status ComputeParallelMap(KernelContext& c) {
  int64_t parallel = 0;
  GK_RETURN_IF_ERROR(
      ScalarInput(c, c.num_inputs() - 1, "num_parallel_calls", &parallel));
  if (parallel <= 0 && parallel != -1) {
    return InvalidArgument("num_parallel_calls must be greater than zero.");
  }
  return MakeMap(c, parallel);
}

const OpRecord kRecords[] = {
    {.name = "MapDataset",
     .inputs = "input_dataset: variant; other_arguments: Targuments",
     .outputs = "handle: variant",
     .attrs = "f: func; Targuments: list(type) >= 0; " GK_ELEMENT_ATTRS
              "; use_inter_op_parallelism: bool = True; "
              "preserve_cardinality: bool = False; force_synchronous: bool = "
              "False; metadata: string = ''",
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeMap},
     .doc = "A dataset of `f` of each element."},

    {.name = "ParallelMapDatasetV2",
     .inputs = "input_dataset: variant; other_arguments: Targuments;"
               "num_parallel_calls: int64",
     .outputs = "handle: variant",
     .attrs = "f: func; Targuments: list(type) >= 0; " GK_ELEMENT_ATTRS
              "; use_inter_op_parallelism: bool = True; deterministic: "
              "string = 'default'; preserve_cardinality: bool = False; "
              "use_unbounded_threadpool: bool = False; metadata: string = ''",
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeParallelMap},
     .doc = "A dataset of `f` of each element, several at a time, in order."},
};

}  // namespace

GK_REGISTER_OPS(data_map)

}  // namespace gk
