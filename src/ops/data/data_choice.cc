// Random numbers as a dataset, and datasets whose elements come from the one
// of several that another dataset chooses.
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/seed_generator.h"

namespace gk {
namespace {

class RandomDataset final : public Dataset {
 public:
  RandomDataset(ElementSignature signature,
                std::shared_ptr<SeedGenerator> seeds)
      : Dataset(std::move(signature), {}), seeds_(std::move(seeds)) {
    AddSeedSources({seeds_});
  }

  std::string_view kind() const override { return "RandomDataset"; }
  int64_t Cardinality() const override { return kInfiniteCardinality; }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    return IteratorPtr(new Iterator(this, context));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const RandomDataset* d, const ContextRef& context)
        : dataset_(d), stream_(d->seeds_->Next(d->depth(), *context)) {}
    Status GetNext(const CancellationToken*, TensorVector* element,
                   bool*) override {
      *element = {Tensor::Scalar<int64_t>(stream_.Word())};
      return OkStatus();
    }

   private:
    const Ref<const RandomDataset> dataset_;
    PhiloxStream stream_;
  };

  const std::shared_ptr<SeedGenerator> seeds_;
};

Status MakeRandom(KernelContext& c, bool each_its_own) {
  ElementSignature signature = SignatureAttrs(c);
  if (signature.types != std::vector<DataType>{DataType::kInt64}) {
    return InvalidArgument("Random elements are int64 scalars");
  }
  GK_ASSIGN_OR_RETURN(std::shared_ptr<SeedGenerator> seeds,
                      ReadSeeds(c, 0, each_its_own));
  return SetDataset(
      c, MakeRef<RandomDataset>(std::move(signature), std::move(seeds)));
}

Status ComputeRandom(KernelContext& c) { return MakeRandom(c, false); }
Status ComputeRandomV2(KernelContext& c) {
  return MakeRandom(c, c.attr<bool>("rerandomize_each_iteration"));
}

using Datasets = std::vector<Ref<const Dataset>>;

class ChoiceDataset final : public Dataset {
 public:
  ChoiceDataset(ElementSignature signature, Ref<const Dataset> selector,
                Datasets inputs, bool stop_on_empty)
      : Dataset(std::move(signature), {selector.get()}),
        selector_(std::move(selector)),
        inputs_(std::move(inputs)),
        stop_on_empty_(stop_on_empty) {
    for (const auto& d : inputs_) AddInput(*d);
  }

  std::string_view kind() const override { return "DirectedInterleaveDataset"; }
  int64_t Cardinality() const override {
    for (const auto& d : inputs_) {
      if (d->Cardinality() == kInfiniteCardinality) return kInfiniteCardinality;
    }
    return kUnknownCardinality;
  }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    GK_ASSIGN_OR_RETURN(IteratorPtr selector,
                        selector_->NewIterator(context->Part(0)));
    std::vector<IteratorPtr> parts;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      GK_ASSIGN_OR_RETURN(
          IteratorPtr part,
          inputs_[i]->NewIterator(context->Part(static_cast<int>(i) + 1)));
      parts.push_back(std::move(part));
    }
    return IteratorPtr(
        new Iterator(this, std::move(selector), std::move(parts)));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const ChoiceDataset* d, IteratorPtr selector,
             std::vector<IteratorPtr> parts)
        : dataset_(d),
          selector_(std::move(selector)),
          parts_(std::move(parts)),
          left_(parts_.size()) {}
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      while (left_ > 0) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        TensorVector chosen;
        bool ended = false;
        GK_RETURN_IF_ERROR(selector_->Next(cancellation, &chosen, &ended));
        if (ended) break;
        if (chosen.size() != 1 || chosen[0].dtype() != DataType::kInt64 ||
            chosen[0].num_elements() != 1) {
          return InvalidArgument("A selector must be a scalar int64.");
        }
        const int64_t i = chosen[0].data<int64_t>()[0];
        if (i < 0 || i >= static_cast<int64_t>(parts_.size())) {
          return InvalidArgument("Selector index out of range: {} >= {}", i,
                                 parts_.size());
        }
        if (!parts_[i]) continue;
        GK_RETURN_IF_ERROR(parts_[i]->Next(cancellation, element, &ended));
        if (!ended) return OkStatus();
        parts_[i].reset();
        --left_;
        if (dataset_->stop_on_empty_) break;
      }
      left_ = 0;
      *end = true;
      return OkStatus();
    }

   private:
    const Ref<const ChoiceDataset> dataset_;
    const IteratorPtr selector_;
    std::vector<IteratorPtr> parts_;
    size_t left_;
  };

  const Ref<const Dataset> selector_;
  const Datasets inputs_;
  const bool stop_on_empty_;
};

Status ComputeChoice(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Ref<const Dataset> selector, InputDataset(c, 0));
  ElementSignature signature = SignatureAttrs(c);
  Datasets inputs;
  for (int i = 1; i < c.num_inputs(); ++i) {
    GK_ASSIGN_OR_RETURN(Ref<const Dataset> input, InputDataset(c, i));
    GK_RETURN_IF_ERROR(CheckSignature(signature, input->signature()));
    inputs.push_back(std::move(input));
  }
  return SetDataset(
      c, MakeRef<ChoiceDataset>(std::move(signature), std::move(selector),
                                std::move(inputs),
                                c.attr<bool>("stop_on_empty_dataset")));
}

const OpRecord kRecords[] = {
    {.name = "RandomDataset",
     .inputs = "seed: int64; seed2: int64",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS "; metadata: string = ''",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeRandom},
     .doc = "A dataset of random numbers below 2**32, without end."},

    {.name = "RandomDatasetV2",
     .inputs = "seed: int64; seed2: int64; seed_generator: resource",
     .outputs = "handle: variant",
     .attrs = "rerandomize_each_iteration: bool = False; " GK_ELEMENT_ATTRS
              "; metadata: string = ''",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeRandomV2},
     .doc = "A dataset of random numbers below 2**32, without end."},

    {.name = "DirectedInterleaveDataset",
     .inputs = "selector_input_dataset: variant;"
               "data_input_datasets: N * variant",
     .outputs = "handle: variant",
     .attrs =
         GK_ELEMENT_ATTRS "; N: int >= 1; stop_on_empty_dataset: bool = False",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeChoice},
     .doc = "A dataset whose next element is that of the dataset of the "
            "number that the selector says."},
};

}  // namespace

GK_REGISTER_OPS(data_choice)

}  // namespace gk
