// Datasets made of the elements of the datasets that a function makes of each
// element: one after the other, or several in turn.
#include "base/thread_pool.h"
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

// FlatMap is interleaving of one at a time.
class InterleaveDataset final : public DatasetOfInput {
 public:
  InterleaveDataset(std::string_view kind, ElementSignature signature,
                    Ref<const Dataset> input, CapturedFunction function,
                    int64_t cycle_length, int64_t block_length)
      : DatasetOfInput(std::move(signature), std::move(input)),
        kind_(kind),
        function_(std::move(function)),
        cycle_length_(cycle_length),
        block_length_(block_length) {}

  std::string_view kind() const override { return kind_; }
  int64_t Cardinality() const override { return kUnknownCardinality; }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    GK_ASSIGN_OR_RETURN(IteratorPtr in, input().MakeIterator(context));
    return IteratorPtr(new Iterator(this, context, std::move(in)));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const InterleaveDataset* d, const ContextRef& context,
             IteratorPtr input)
        : dataset_(d),
          context_(context),
          function_(d->function_.In(context)),
          input_(std::move(input)),
          cycle_(d->cycle_length_) {}

    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      while (!ended_ || open_ > 0) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        if (at_ < int64_t(parts_.size()) && parts_[at_]) {
          bool part_ended = false;
          GK_RETURN_IF_ERROR(
              parts_[at_]->GetNext(cancellation, element, &part_ended));
          if (!part_ended) {
            if (++in_block_ == dataset_->block_length_) Advance();
            return OkStatus();
          }
          parts_[at_].reset();
          --open_;
          Advance();
        } else if (!ended_) {
          GK_RETURN_IF_ERROR(OpenPart(cancellation));
        } else {
          Advance();
        }
      }
      *end = true;
      return OkStatus();
    }

   private:
    Status OpenPart(const CancellationToken* cancellation) {
      TensorVector argument, result;
      GK_RETURN_IF_ERROR(input_->GetNext(cancellation, &argument, &ended_));
      if (ended_) {
        // Places that were never taken are not visited.
        cycle_ = std::max<int64_t>(1, parts_.size());
        if (at_ >= cycle_) at_ = 0;
        return OkStatus();
      }
      GK_RETURN_IF_ERROR(
          function_.Run(std::move(argument), cancellation, &result));
      if (result.size() != 1) {
        return InvalidArgument("Function must return a single dataset.");
      }
      GK_ASSIGN_OR_RETURN(Ref<const Dataset> part, Dataset::Of(result[0]));
      GK_RETURN_IF_ERROR(
          CheckSignature(dataset_->signature(), part->signature()));
      if (at_ >= int64_t(parts_.size())) parts_.resize(at_ + 1);
      GK_ASSIGN_OR_RETURN(parts_[at_], part->MakeIterator(context_));
      ++open_;
      return OkStatus();
    }

    void Advance() {
      in_block_ = 0;
      at_ = at_ + 1 >= cycle_ ? 0 : at_ + 1;
    }

    const Ref<const InterleaveDataset> dataset_;
    const ContextRef context_;
    const CapturedFunction function_;
    const IteratorPtr input_;
    int64_t cycle_;
    std::vector<IteratorPtr> parts_;  // as many as were needed at once
    int64_t open_ = 0, at_ = 0, in_block_ = 0;
    bool ended_ = false;
  };

  const std::string_view kind_;
  const CapturedFunction function_;
  const int64_t cycle_length_, block_length_;
};

Status MakeInterleave(KernelContext& c, int64_t cycle, int64_t block) {
  GK_ASSIGN_OR_RETURN(Ref<const Dataset> input, InputDataset(c));
  CapturedFunction f;
  GK_RETURN_IF_ERROR(CaptureFunction(c, "f", 1, ListLength(c, "Targuments"),
                                     input->signature().types.size(), &f));
  return SetDataset(c, MakeRef<InterleaveDataset>(
                           c.record().name, SignatureAttrs(c), std::move(input),
                           std::move(f), cycle, block));
}

Status ComputeFlatMap(KernelContext& c) {
  return MakeInterleave(c, 1, std::numeric_limits<int64_t>::max());
}

Status ComputeInterleave(KernelContext& c) {
  const int first = 1 + ListLength(c, "Targuments");
  int64_t cycle = 0, block = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, first, "cycle_length", &cycle));
  GK_RETURN_IF_ERROR(ScalarInput(c, first + 1, "block_length", &block));
  if (first + 2 < c.num_inputs()) {
    int64_t parallel = 0;
    GK_RETURN_IF_ERROR(
        ScalarInput(c, c.num_inputs() - 1, "num_parallel_calls", &parallel));
    if (parallel <= 0 && parallel != -1) {
      return InvalidArgument("num_parallel_calls must be greater than zero.");
    }
    if (cycle == -1 && parallel > 0) {
      cycle = std::min<int64_t>(parallel, AllowedCpus());
    }
  }
  if (cycle == -1) cycle = AllowedCpus();
  if (cycle <= 0) {
    return InvalidArgument("cycle_length must be greater than zero.");
  }
  if (block <= 0) {
    return InvalidArgument("block_length must be greater than zero.");
  }
  return MakeInterleave(c, cycle, block);
}

const OpRecord kRecords[] = {
    {.name = "FlatMapDataset",
     .inputs = "input_dataset: variant; other_arguments: Targuments",
     .outputs = "handle: variant",
     .attrs = "f: func; Targuments: list(type) >= 0; " GK_ELEMENT_ATTRS
              "; metadata: string = ''",
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeFlatMap},
     .doc = "The elements of the datasets that `f` makes of each element."},

    {.name = "InterleaveDataset",
     .inputs = "input_dataset: variant; other_arguments: Targuments;"
               "cycle_length: int64; block_length: int64",
     .outputs = "handle: variant",
     .attrs = "f: func; Targuments: list(type) >= 0; " GK_ELEMENT_ATTRS
              "; metadata: string = ''",
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeInterleave},
     .doc = "Blocks of elements, in turn, of `cycle_length` of the datasets "
            "that `f` makes of each element."},

    {.name = "ParallelInterleaveDatasetV4",
     .inputs = "input_dataset: variant; other_arguments: Targuments;"
               "cycle_length: int64; block_length: int64;"
               "buffer_output_elements: int64; prefetch_input_elements: int64;"
               "num_parallel_calls: int64",
     .outputs = "handle: variant",
     .attrs = "f: func; deterministic: string = 'default'; Targuments: "
              "list(type) >= 0; " GK_ELEMENT_ATTRS "; metadata: string = ''",
     .traits = kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeInterleave},
     .doc = "InterleaveDataset with a wish for parallel work."},
};

}  // namespace

GK_REGISTER_OPS(data_flat_map)

}  // namespace gk
