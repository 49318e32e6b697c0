// Elements in random order, TensorFlow's for the same seeds.
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/seed_generator.h"

namespace gk {
namespace {

class ShuffleDataset final : public DatasetOfInput {
 public:
  ShuffleDataset(OneInput in, int64_t buffer_size,
                 std::shared_ptr<SeedGenerator> seeds)
      : DatasetOfInput(std::move(in.signature), std::move(in.dataset)),
        kind_(in.kind),
        buffer_size_(buffer_size),
        seeds_(std::move(seeds)) {
    AddSeedSources({seeds_});
  }

  void AppendText(std::string* text, size_t) const override {
    *text += Format("ShuffleDatasetOp({})::Dataset", buffer_size_);
  }
  std::string_view kind() const override { return kind_; }
  bool repeats_empty_passes() const override { return true; }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    return IteratorPtr(new Iterator(this, context));
  }

 private:
  // As in TensorFlow an iterator has its seeds from when it is made, whether
  // it is asked or not; that of the input is made when it is asked.
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const ShuffleDataset* d, ContextRef context)
        : dataset_(d),
          context_(std::move(context)),
          stream_(d->seeds_->Next(d->depth(), *context_)) {}
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      GK_RETURN_IF_ERROR(Fill(cancellation));
      if (begin_ == end_) {
        *end = true;
        return OkStatus();
      }
      // The buffer is a ring: the first element takes the chosen one's place.
      const uint64_t chosen = begin_ + stream_.Word() % (end_ - begin_);
      TensorVector& place = At(chosen);
      *element = std::move(place);
      if (chosen != begin_) place = std::move(At(begin_));
      ++begin_;
      return OkStatus();
    }

   private:
    TensorVector& At(uint64_t i) {
      return buffer_[dataset_->buffer_size_ > 0
                         ? i % static_cast<uint64_t>(dataset_->buffer_size_)
                         : i];
    }

    Status Fill(const CancellationToken* cancellation) {
      if (!begun_) {
        GK_ASSIGN_OR_RETURN(input_, dataset_->input().NewIterator(context_));
        begun_ = true;
      }
      const auto size = static_cast<uint64_t>(dataset_->buffer_size_);
      while (input_ && (dataset_->buffer_size_ < 0 || end_ - begin_ < size)) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        TensorVector element;
        bool ended = false;
        GK_RETURN_IF_ERROR(input_->Next(cancellation, &element, &ended));
        if (ended) {
          input_.reset();
          break;
        }
        const uint64_t place = dataset_->buffer_size_ > 0 ? end_ % size : end_;
        if (place >= buffer_.size()) buffer_.resize(place + 1);
        buffer_[place] = std::move(element);
        ++end_;
      }
      return OkStatus();
    }

    const Ref<const ShuffleDataset> dataset_;
    const ContextRef context_;
    PhiloxStream stream_;
    bool begun_ = false;
    IteratorPtr input_;  // null behind its end
    std::vector<TensorVector> buffer_;
    uint64_t begin_ = 0, end_ = 0;
  };

  const std::string_view kind_;
  const int64_t buffer_size_;  // negative: as many as there are
  const std::shared_ptr<SeedGenerator> seeds_;
};

Status ComputeShuffle(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(OneInput in, ReadOneInput(c));
  int64_t size = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, 1, "buffer_size", &size));
  if (size <= 0 && size != kUnknownCardinality) {
    return InvalidArgument(
        "buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  }
  GK_ASSIGN_OR_RETURN(
      std::shared_ptr<SeedGenerator> seeds,
      ReadSeeds(c, 2, c.attr<bool>("reshuffle_each_iteration")));
  return SetDataset(
      c, MakeRef<ShuffleDataset>(std::move(in), size, std::move(seeds)));
}

// Stands where a generator of seeds could be given: the dataset has its own.
Status ComputeStandIn(KernelContext& c) {
  return SetStandIn(c, "DummySeedGenerator", "tensorflow::data::SeedGenerator");
}

const OpRecord kRecords[] = {
    {.name = "ShuffleDatasetV3",
     .inputs = "input_dataset: variant; buffer_size: int64; seed: int64;"
               "seed2: int64; seed_generator: resource",
     .outputs = "handle: variant",
     .attrs = "reshuffle_each_iteration: bool = True; " GK_ELEMENT_ATTRS
              "; metadata: string = ''",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeShuffle},
     .doc = "A dataset in random order: each element is drawn from the next "
            "`buffer_size`."},

    {.name = "DummySeedGenerator",
     .inputs = "",
     .outputs = "handle: resource",
     .attrs = "",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeStandIn},
     .doc = "Stands for the generator of seeds that a dataset makes itself."},
};

}  // namespace

GK_REGISTER_OPS(data_shuffle)

}  // namespace gk
