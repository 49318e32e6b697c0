// Datasets of other datasets: side by side, one behind the other; and those
// that only say something about how they want to be run.
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

using Datasets = std::vector<Ref<const Dataset>>;

class ZipDataset final : public Dataset {
 public:
  ZipDataset(ElementSignature signature, Datasets inputs)
      : Dataset(std::move(signature), {}), inputs_(std::move(inputs)) {
    for (const auto& d : inputs_) AddInput(*d);
  }

  std::string_view kind() const override { return "ZipDataset"; }
  int64_t Cardinality() const override {
    int64_t least = kInfiniteCardinality;
    for (const auto& d : inputs_) {
      const int64_t n = d->Cardinality();
      if (n == kUnknownCardinality) return n;
      if (n >= 0 && (least < 0 || n < least)) least = n;
    }
    return least;
  }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    std::vector<IteratorPtr> parts;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      GK_ASSIGN_OR_RETURN(
          IteratorPtr part,
          inputs_[i]->NewIterator(context->Part(static_cast<int>(i))));
      parts.push_back(std::move(part));
    }
    return IteratorPtr(new Iterator(std::move(parts)));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(std::vector<IteratorPtr> parts)
        : parts_(std::move(parts)) {}
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      element->clear();
      if (parts_.empty()) *end = true;
      Status status;
      // Every part is asked, whatever the others said: they stay in step
      // behind an error, and a cache among them sees its end.
      for (const IteratorPtr& part : parts_) {
        TensorVector components;
        bool part_end = false;
        Status got = part->Next(cancellation, &components, &part_end);
        if (status.ok()) status = std::move(got);
        *end |= part_end;
        for (Tensor& t : components) element->push_back(std::move(t));
      }
      if (*end) parts_.clear();
      if (*end || !status.ok()) element->clear();
      return status;
    }

   private:
    std::vector<IteratorPtr> parts_;  // none behind the end
  };

  const Datasets inputs_;
};

class ConcatenateDataset final : public Dataset {
 public:
  ConcatenateDataset(ElementSignature signature, Ref<const Dataset> first,
                     Ref<const Dataset> second)
      : Dataset(std::move(signature), {first.get(), second.get()}),
        parts_{std::move(first), std::move(second)} {}

  std::string_view kind() const override { return "ConcatenateDataset"; }
  int64_t Cardinality() const override {
    const int64_t a = parts_[0]->Cardinality(), b = parts_[1]->Cardinality();
    if (a == kInfiniteCardinality || b == kInfiniteCardinality) {
      return kInfiniteCardinality;
    }
    int64_t sum = 0;
    if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum)) {
      return kUnknownCardinality;
    }
    return sum;
  }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    auto made = std::make_unique<Iterator>(this, context);
    GK_RETURN_IF_ERROR(made->Open());
    return IteratorPtr(std::move(made));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const ConcatenateDataset* d, ContextRef context)
        : dataset_(d), context_(std::move(context)) {}
    Status Open() {
      GK_ASSIGN_OR_RETURN(input_, dataset_->parts_[part_]->NewIterator(
                                      context_->Part(part_)));
      return OkStatus();
    }
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      for (; part_ < 2; ++part_) {
        if (!input_) GK_RETURN_IF_ERROR(Open());
        bool ended = false;
        GK_RETURN_IF_ERROR(input_->Next(cancellation, element, &ended));
        if (!ended) return OkStatus();
        input_.reset();
      }
      *end = true;
      return OkStatus();
    }

   private:
    const Ref<const ConcatenateDataset> dataset_;
    const ContextRef context_;
    int part_ = 0;
    IteratorPtr input_;
  };

  const Ref<const Dataset> parts_[2];
};

Status ComputeZip(KernelContext& c) {
  Datasets inputs;
  for (int i = 0; i < c.num_inputs(); ++i) {
    GK_ASSIGN_OR_RETURN(Ref<const Dataset> input, InputDataset(c, i));
    inputs.push_back(std::move(input));
  }
  return SetDataset(c,
                    MakeRef<ZipDataset>(SignatureAttrs(c), std::move(inputs)));
}

Status ComputeConcatenate(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Ref<const Dataset> first, InputDataset(c, 0));
  GK_ASSIGN_OR_RETURN(Ref<const Dataset> second, InputDataset(c, 1));
  if (first->signature().types != second->signature().types) {
    return InvalidArgument(
        "input dataset and dataset to concatenate have different output types");
  }
  return SetDataset(
      c, MakeRef<ConcatenateDataset>(SignatureAttrs(c), std::move(first),
                                     std::move(second)));
}

// The elements of another, of which it knows what is asked for.
class OptionsDataset final : public DatasetOfInput {
 public:
  OptionsDataset(ElementSignature signature, Ref<const Dataset> input,
                 DatasetOptions options)
      : DatasetOfInput(std::move(signature), std::move(input)) {
    AddOptions(std::make_shared<DatasetOptions>(std::move(options)));
  }
  std::string_view kind() const override { return "OptionsDataset"; }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    return input().NewIterator(context);
  }
};

Status ComputeOptions(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Ref<const Dataset> input, InputDataset(c));
  GK_ASSIGN_OR_RETURN(
      DatasetOptions options,
      DatasetOptions::Parse(c.attr<std::string>("serialized_options")));
  return SetDataset(c,
                    MakeRef<OptionsDataset>(SignatureAttrs(c), std::move(input),
                                            std::move(options)));
}

// The dataset itself: what is asked for does not change its elements.
Status ComputeSame(KernelContext& c) {
  GK_RETURN_IF_ERROR(InputDataset(c).status());
  c.set_output(0, c.input(0).Alias());
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "ZipDataset",
     .inputs = "input_datasets: N * variant",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS "; N: int >= 1; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeZip},
     .doc = "A dataset of elements of several datasets side by side, as long "
            "as the shortest."},

    {.name = "ConcatenateDataset",
     .inputs = "input_dataset: variant; another_dataset: variant",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS "; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeConcatenate},
     .doc = "The elements of one dataset, then those of another."},

    {.name = "OptionsDataset",
     .inputs = "input_dataset: variant",
     .outputs = "handle: variant",
     .attrs = "serialized_options: string; " GK_ELEMENT_ATTRS
              "; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeOptions},
     .doc = "A dataset with options for how it is run."},

    {.name = "RewriteDataset",
     .inputs = "input_dataset: variant; rewrite_name: string",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeSame},
     .doc = "A dataset that may be rewritten by the rule of that name."},
};

}  // namespace

GK_REGISTER_OPS(data_combine)

}  // namespace gk
