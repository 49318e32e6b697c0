// A state that goes through a dataset: all that is made on the way, or what
// it is at the end.
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

class ScanDataset final : public OneInputDataset {
 public:
  ScanDataset(OneInput in, CapturedFunction function, TensorVector initial,
              bool preserve_cardinality)
      : OneInputDataset(std::move(in)),
        function_(std::move(function)),
        initial_(std::move(initial)),
        preserve_cardinality_(preserve_cardinality) {}

  int64_t Cardinality() const override {
    return preserve_cardinality_ ? input().Cardinality() : kUnknownCardinality;
  }

 private:
  class Iterator final : public OneInputIterator<ScanDataset> {
   public:
    Iterator(const ScanDataset* d, const ContextRef& context, IteratorPtr input)
        : OneInputIterator(d, std::move(input)),
          function_(d->function_.In(context)),
          state_(d->initial_) {}
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
      TensorVector read;
      GK_RETURN_IF_ERROR(input().Next(cancellation, &read, end));
      if (*end) return OkStatus();
      const size_t n = state_.size();
      TensorVector arguments = state_, results;
      for (Tensor& t : read) arguments.push_back(std::move(t));
      GK_RETURN_IF_ERROR(
          function_.Run(std::move(arguments), cancellation, &results));
      const ElementSignature& made = dataset().signature();
      if (results.size() != n + made.types.size()) {
        return InvalidArgument(
            "A function that scans returned {} values, expected {}",
            results.size(), n + made.types.size());
      }
      for (size_t i = 0; i < n; ++i) {
        if (results[i].dtype() != state_[i].dtype()) {
          return InvalidArgument(
              "The state of a scan had type {} at {} but has type {}",
              DataTypeString(state_[i].dtype()), i,
              DataTypeString(results[i].dtype()));
        }
      }
      for (size_t i = 0; i < n; ++i) state_[i] = std::move(results[i]);
      results.erase(results.begin(), results.begin() + n);
      *element = std::move(results);
      return OkStatus();
    }

   private:
    const CapturedFunction function_;
    TensorVector state_;
  };

  IteratorPtr Over(IteratorPtr input,
                   const ContextRef& context) const override {
    return std::make_unique<Iterator>(this, context, std::move(input));
  }

  const CapturedFunction function_;
  const TensorVector initial_;
  const bool preserve_cardinality_;
};

// The parts of the inputs of Scan and Reduce.
struct Inputs {
  Ref<const Dataset> dataset;
  TensorVector state;
  CapturedFunction function;
};

Status ReadInputs(KernelContext& c, Inputs* in) {
  GK_ASSIGN_OR_RETURN(in->dataset, InputDataset(c));
  const int n = ListLength(c, "Tstate");
  for (int i = 1; i <= n; ++i) in->state.push_back(c.input(i));
  return CaptureFunction(c, "f", 1 + n, c.num_inputs() - 1 - n,
                         n + in->dataset->signature().types.size(),
                         &in->function);
}

Status ComputeScan(KernelContext& c) {
  Inputs in;
  GK_RETURN_IF_ERROR(ReadInputs(c, &in));
  return SetDataset(
      c, MakeRef<ScanDataset>(OneInput{c.record().name, SignatureAttrs(c),
                                       std::move(in.dataset)},
                              std::move(in.function), std::move(in.state),
                              c.attr<bool>("preserve_cardinality")));
}

Status ComputeReduce(KernelContext& c) {
  Inputs in;
  GK_RETURN_IF_ERROR(ReadInputs(c, &in));
  const ElementSignature signature = SignatureAttrs(c);
  TensorVector state = std::move(in.state);
  const size_t returned = in.function.definition().output_types().size();
  if (returned != state.size()) {
    return InvalidArgument(
        "The number of components of the initial state and the reduce "
        "function output does not match. (initial_state={}, output={}).",
        state.size(), returned);
  }
  const auto context = MakeRef<IterationContext>();
  const CapturedFunction f = in.function.In(context);
  GK_ASSIGN_OR_RETURN(const IteratorPtr iterator,
                      in.dataset->NewIterator(context));
  while (true) {
    GK_RETURN_IF_ERROR(CheckCancellation(c.cancellation()));
    TensorVector element;
    bool end = false;
    GK_RETURN_IF_ERROR(iterator->Next(c.cancellation(), &element, &end));
    if (end) break;
    TensorVector arguments = std::move(state);
    for (Tensor& t : element) arguments.push_back(std::move(t));
    GK_RETURN_IF_ERROR(f.Run(std::move(arguments), c.cancellation(), &state));
  }
  GK_RETURN_IF_ERROR(CheckElement(signature, state));
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, HandOut(std::move(state[i])));
  }
  return OkStatus();
}

Status ReduceShape(InferenceContext& c) {
  const auto shapes = c.attr<std::vector<PartialTensorShape>>("output_shapes");
  for (int i = 0; i < c.num_outputs() && i < int(shapes.size()); ++i) {
    c.set_output(i, shapes[i]);
  }
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "ScanDataset",
     .inputs = "input_dataset: variant; initial_state: Tstate;"
               "other_arguments: Targuments",
     .outputs = "handle: variant",
     .attrs = "f: func; Tstate: list(type) >= 1; Targuments: list(type) >= "
              "0; " GK_ELEMENT_ATTRS
              "; preserve_cardinality: bool = False; use_default_device: "
              "bool = True; metadata: string = ''",
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeScan},
     .doc = "A dataset of what `f(state, element)` returns behind the next "
            "state."},

    // It runs what the dataset behind its input runs, whatever that is.
    {.name = "ReduceDataset",
     .inputs = "input_dataset: variant; initial_state: Tstate;"
               "other_arguments: Targuments",
     .outputs = "components: output_types",
     .attrs = "f: func; Tstate: list(type) >= 1; Targuments: list(type) >= "
              "0; " GK_ELEMENT_ATTRS
              "; use_inter_op_parallelism: bool = True; metadata: string = ''",
     .traits = kStateful | kCallsFunction | kWritesResource | kNoGradient,
     .shape = ReduceShape,
     .kernel = {.compute = ComputeReduce},
     .doc = "The last of the states `state = f(state, element)`."},
};

}  // namespace

GK_REGISTER_OPS(data_scan)

}  // namespace gk
