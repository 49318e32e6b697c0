// Datasets made of the elements of the datasets that a function makes of each
// element: one after the other, or several in turn.
#include <algorithm>

#include "base/thread_pool.h"
#include "data/parallel_interleave.h"
#include "data/read_ahead.h"
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/optimize_dataset.h"

namespace gk {
namespace {

// FlatMap is interleaving of one at a time.
class InterleaveDataset final : public DatasetOfInput {
 public:
  // options.parallel 0: one after the other. `parts_ahead`: elements of the
  // datasets it makes are made in advance.
  InterleaveDataset(std::string_view kind, ElementSignature signature,
                    Ref<const Dataset> input, CapturedFunction function,
                    const InterleaveOptions& options, bool parts_ahead)
      : DatasetOfInput(std::move(signature), std::move(input)),
        kind_(kind),
        function_(std::move(function)),
        options_(options),
        parts_ahead_(parts_ahead) {}

  std::string_view kind() const override { return kind_; }
  int64_t Cardinality() const override { return kUnknownCardinality; }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    GK_ASSIGN_OR_RETURN(IteratorPtr in, input().NewIterator(context));
    const ContextRef within = context->Within(depth());
    OpenFn open = [self = Ref<const InterleaveDataset>(this), own = within,
                   f = function_.In(context)](
                      int64_t n, TensorVector element,
                      const CancellationToken* cancellation,
                      IteratorPtr* sequence) {
      return self->Open(*own, n, f, std::move(element), cancellation, sequence);
    };
    if (options_.parallel > 0) {
      InterleaveOptions options = options_;
      options.resources = context->resources();
      if (options.as_pass_says && options.resources != nullptr) {
        options.ordered = options.resources->deterministic();
      }
      options.choices = within;
      return ParallelInterleave(std::move(in), std::move(open), options);
    }
    return IteratorPtr(new Iterator(options_, std::move(open), std::move(in)));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const InterleaveOptions& options, OpenFn open, IteratorPtr input)
        : open_part_(std::move(open)),
          input_(std::move(input)),
          block_length_(options.block_length),
          cycle_(options.cycle_length) {}

    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      for (;;) {
        GK_RETURN_IF_ERROR(GoToPart(cancellation, end));
        if (*end) return OkStatus();
        bool part_ended = false;
        GK_RETURN_IF_ERROR(
            parts_[at_]->Next(cancellation, element, &part_ended));
        if (!part_ended) {
          Took(1);
          return OkStatus();
        }
        DropPart();
      }
    }
    // Where a part is open: a function that opens one can be cancelled.
    const ElementSignature* RowsNow() override {
      return HasPart() ? parts_[at_]->RowsNow() : nullptr;
    }

   protected:
    Status GetRows(const CancellationToken* cancellation, int64_t n,
                   std::span<void* const> rows, int64_t* count,
                   bool* end) override {
      bool part_ended = false;
      const Status status = parts_[at_]->NextRows(
          cancellation,
          cycle_ == 1 ? n : std::min(n, block_length_ - in_block_), rows, count,
          &part_ended);
      if (*count > 0) Took(*count);
      GK_RETURN_IF_ERROR(status);
      if (!part_ended) return OkStatus();
      // What was got may not get lost with an error of the next one.
      if (*count > 0 && cycle_ > 1) return OkStatus();
      DropPart();
      return *count > 0 ? OkStatus() : GoToPart(cancellation, end);
    }

   private:
    bool HasPart() const {
      return at_ < int64_t(parts_.size()) && parts_[at_] != nullptr;
    }
    void Took(int64_t n) {
      in_block_ += n;
      if (in_block_ >= block_length_) Advance();
    }
    void DropPart() {
      parts_[at_].reset();
      --open_;
      Advance();
    }
    // To an open part, or the end.
    Status GoToPart(const CancellationToken* cancellation, bool* end) {
      while (!ended_ || open_ > 0) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        if (HasPart()) return OkStatus();
        if (ended_) {
          Advance();
        } else {
          GK_RETURN_IF_ERROR(OpenPart(cancellation));
        }
      }
      *end = true;
      return OkStatus();
    }

    Status OpenPart(const CancellationToken* cancellation) {
      TensorVector argument;
      IteratorPtr part;
      GK_RETURN_IF_ERROR(input_->Next(cancellation, &argument, &ended_));
      if (ended_) {
        // Places that were never taken are not visited.
        cycle_ = std::max<int64_t>(1, parts_.size());
        if (at_ >= cycle_) at_ = 0;
        return OkStatus();
      }
      GK_RETURN_IF_ERROR(
          open_part_(read_++, std::move(argument), cancellation, &part));
      if (at_ >= int64_t(parts_.size())) parts_.resize(at_ + 1);
      parts_[at_] = std::move(part);
      ++open_;
      return OkStatus();
    }

    void Advance() {
      in_block_ = 0;
      at_ = at_ + 1 >= cycle_ ? 0 : at_ + 1;
    }

    const OpenFn open_part_;
    const IteratorPtr input_;
    const int64_t block_length_;
    int64_t cycle_;
    std::vector<IteratorPtr> parts_;  // as many as were needed at once
    int64_t open_ = 0, at_ = 0, in_block_ = 0;
    int64_t read_ = 0;  // elements of the input
    bool ended_ = false;
  };

  // The elements of the dataset that `f` makes of one.
  Status Open(IterationContext& context, int64_t n, const CapturedFunction& f,
              TensorVector element, const CancellationToken* cancellation,
              IteratorPtr* sequence) const {
    TensorVector result;
    GK_RETURN_IF_ERROR(f.Run(std::move(element), cancellation, &result));
    if (result.size() != 1) {
      return InvalidArgument("Function must return a single dataset.");
    }
    GK_ASSIGN_OR_RETURN(Ref<const Dataset> part, Dataset::Of(result[0]));
    GK_RETURN_IF_ERROR(CheckSignature(signature(), part->signature()));
    GK_ASSIGN_OR_RETURN(
        *sequence, part->NewIterator(context.Opened(n, part->seed_sources())));
    if (parts_ahead_) {
      *sequence = Prefetch(std::move(*sequence),
                           TunedAhead(context.resources(), kMostAhead));
    }
    return OkStatus();
  }

  const std::string_view kind_;
  const CapturedFunction function_;
  // Of each part, where that is tuned.
  static constexpr int64_t kMostAhead = 16;

  const InterleaveOptions options_;
  const bool parts_ahead_;
};

Status MakeInterleave(KernelContext& c, const InterleaveOptions& options) {
  GK_ASSIGN_OR_RETURN(Ref<const Dataset> input, InputDataset(c));
  CapturedFunction f;
  GK_RETURN_IF_ERROR(CaptureFunction(c, "f", 1, ListLength(c, "Targuments"),
                                     input->signature().types.size(), &f));
  const bool* ahead = c.attrs().Get<bool>(kPartsAhead);
  return SetDataset(c, MakeRef<InterleaveDataset>(
                           c.record().name, SignatureAttrs(c), std::move(input),
                           std::move(f), options, ahead != nullptr && *ahead));
}

Status ComputeFlatMap(KernelContext& c) {
  return MakeInterleave(c, {.cycle_length = 1,
                            .block_length = std::numeric_limits<int64_t>::max(),
                            .parallel = 0});
}

Status ReadLengths(KernelContext& c, InterleaveOptions* o) {
  const int first = 1 + ListLength(c, "Targuments");
  GK_RETURN_IF_ERROR(ScalarInput(c, first, "cycle_length", &o->cycle_length));
  GK_RETURN_IF_ERROR(
      ScalarInput(c, first + 1, "block_length", &o->block_length));
  if (o->cycle_length == -1) {
    o->cycle_length = AllowedCpus();
    if (o->parallel > 0) {
      o->cycle_length = std::min(o->cycle_length, o->parallel);
    } else if (o->parallel == -1) {
      // As TensorFlow: each of them, and two more, has a thread.
      o->cycle_length = (o->cycle_length + 2) / 3;
    }
  }
  if (o->cycle_length <= 0) {
    return InvalidArgument("cycle_length must be greater than zero.");
  }
  if (o->block_length <= 0) {
    return InvalidArgument("block_length must be greater than zero.");
  }
  return OkStatus();
}

Status ComputeInterleave(KernelContext& c) {
  InterleaveOptions options{.parallel = 0};
  GK_RETURN_IF_ERROR(ReadLengths(c, &options));
  return MakeInterleave(c, options);
}

// What is made of each sequence in advance if nobody says.
constexpr int64_t kMostBuffered = 16;

Status ComputeParallelInterleave(KernelContext& c) {
  InterleaveOptions options;
  const int n = c.num_inputs();
  GK_RETURN_IF_ERROR(
      ScalarInput(c, n - 3, "buffer_output_elements", &options.buffer));
  GK_RETURN_IF_ERROR(
      ScalarInput(c, n - 2, "prefetch_input_elements", &options.prefetch));
  GK_RETURN_IF_ERROR(
      ScalarInput(c, n - 1, "num_parallel_calls", &options.parallel));
  if (options.parallel <= 0 && options.parallel != -1) {
    return InvalidArgument("num_parallel_calls must be greater than zero.");
  }
  if (options.buffer <= 0 && options.buffer != -1) {
    return InvalidArgument("`buffer_output_elements` must be -1 or > 0.");
  }
  if (options.prefetch < -1) {
    return InvalidArgument("`prefetch_input_elements` must be -1 or >= 0.");
  }
  GK_RETURN_IF_ERROR(ReadLengths(c, &options));
  if (options.parallel == -1) options.parallel = AllowedCpus();
  options.parallel = std::min(options.parallel, options.cycle_length);
  if (options.buffer == -1) {
    options.buffer = std::min(options.block_length, kMostBuffered);
  }
  // One that is read may take its turn at once.
  if (options.prefetch == -1) options.prefetch = options.parallel;
  options.prefetch = std::max<int64_t>(options.prefetch, 1);
  const auto& order = c.attr<std::string>("deterministic");
  options.ordered = order != "false";
  options.as_pass_says = order != "true" && order != "false";
  return MakeInterleave(c, options);
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
     .kernel = {.compute = ComputeParallelInterleave},
     .doc =
         "InterleaveDataset whose datasets are worked on several at a time."},
};

}  // namespace

GK_REGISTER_OPS(data_flat_map)

}  // namespace gk
