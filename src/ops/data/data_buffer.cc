// Datasets whose elements are made in advance.
#include "data/read_ahead.h"
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

class PrefetchDataset final : public DatasetOfInput {
 public:
  PrefetchDataset(ElementSignature signature, Ref<const Dataset> input,
                  int64_t buffer_size, int64_t slack_period)
      : DatasetOfInput(std::move(signature), std::move(input)),
        buffer_size_(buffer_size),
        slack_period_(slack_period) {}

  std::string_view kind() const override { return "PrefetchDataset"; }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    GK_ASSIGN_OR_RETURN(IteratorPtr in, input().NewIterator(context));
    if (buffer_size_ == 0) return in;
    const auto& resources = context->resources();
    AheadOptions options(buffer_size_);
    options.resources = resources;
    if (buffer_size_ < 0) options = TunedAhead(resources, kMostTuned);
    options.slack_period = slack_period_;
    return Prefetch(std::move(in), options);
  }

 private:
  // Elements that are made in advance, if the consumer needs so many.
  static constexpr int64_t kMostTuned = 64;

  const int64_t buffer_size_;  // negative: tuned
  const int64_t slack_period_;
};

Status ComputePrefetch(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Ref<const Dataset> input, InputDataset(c));
  int64_t size = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, 1, "buffer_size", &size));
  if (size < -1) {
    return InvalidArgument(
        "buffer_size must be >= 0 or set buffer_size to be -1 for "
        "auto-tuning");
  }
  const int64_t slack = c.attr<int64_t>("slack_period");
  if (slack < 0) return InvalidArgument("slack_period must be >= 0");
  return SetDataset(c, MakeRef<PrefetchDataset>(SignatureAttrs(c),
                                                std::move(input), size, slack));
}

const OpRecord kRecords[] = {
    {.name = "PrefetchDataset",
     .inputs = "input_dataset: variant; buffer_size: int64",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS
     "; slack_period: int = 0; legacy_autotune: bool = True; "
     "buffer_size_min: int = 0; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputePrefetch},
     .doc = "A dataset that has its next elements made in advance."},
};

}  // namespace

GK_REGISTER_OPS(data_buffer)

}  // namespace gk
