// Some of a dataset's elements, by their number: the first ones, all but the
// first, all of them several times, every n-th.
#include <utility>

#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

class TakeDataset final : public OneInputDataset {
 public:
  TakeDataset(OneInput in, int64_t count)
      : OneInputDataset(std::move(in)), count_(count) {}

  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (n == kUnknownCardinality || count_ < 0) return n;
    return n == kInfiniteCardinality ? count_ : std::min(n, count_);
  }

 private:
  class Iterator final : public OneInputIterator<TakeDataset> {
   public:
    Iterator(const TakeDataset* d, IteratorPtr input)
        : OneInputIterator(d, std::move(input)), left_(d->count_) {}
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      if (left_ == 0) DropInput();
      if (!has_input()) {
        *end = true;
        return OkStatus();
      }
      GK_RETURN_IF_ERROR(input().Next(cancellation, element, end));
      Took(1, *end);
      return OkStatus();
    }
    const ElementSignature* RowsNow() override {
      return left_ == 0 || !has_input() ? nullptr : input().RowsNow();
    }

   protected:
    Status DoSkip(const CancellationToken* cancellation, int64_t n, SkipErrors,
                  int64_t* passed, bool* end) override {
      if (left_ == 0) DropInput();
      if (!has_input()) {
        *end = true;
        return OkStatus();
      }
      // Behind an error as many are left as before.
      const Status status = input().Skip(cancellation, AtMost(n),
                                         SkipErrors::kGiven, passed, end);
      Took(*passed, *end);
      return status;
    }
    Status GetRows(const CancellationToken* cancellation, int64_t n,
                   std::span<void* const> rows, int64_t* count,
                   bool* end) override {
      if (left_ == 0) DropInput();
      if (!has_input()) {
        *end = true;
        return OkStatus();
      }
      const Status status =
          input().NextRows(cancellation, AtMost(n), rows, count, end);
      Took(*count, *end);
      return status;
    }

   private:
    int64_t AtMost(int64_t n) const {
      return left_ > 0 ? std::min(n, left_) : n;
    }
    void Took(int64_t n, bool end) {
      if (left_ > 0) left_ -= n;
      if (end) DropInput();
    }

    int64_t left_;
  };

  IteratorPtr Over(IteratorPtr input, const ContextRef&) const override {
    return std::make_unique<Iterator>(this, std::move(input));
  }

  const int64_t count_;  // negative: all
};

class SkipDataset final : public OneInputDataset {
 public:
  SkipDataset(OneInput in, int64_t count)
      : OneInputDataset(std::move(in)), count_(count) {}

  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (n < 0) return n;
    return count_ < 0 ? 0 : std::max<int64_t>(0, n - count_);
  }

 private:
  class Iterator final : public OneInputIterator<SkipDataset> {
   public:
    Iterator(const SkipDataset* d, IteratorPtr input)
        : OneInputIterator(d, std::move(input)), left_(d->count_) {}
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      GK_RETURN_IF_ERROR(Begin(cancellation, end));
      return *end ? OkStatus() : input().Next(cancellation, element, end);
    }
    const ElementSignature* RowsNow() override { return input().RowsNow(); }

   protected:
    Status DoSkip(const CancellationToken* cancellation, int64_t n, SkipErrors,
                  int64_t* passed, bool* end) override {
      GK_RETURN_IF_ERROR(Begin(cancellation, end));
      return *end ? OkStatus()
                  : input().Skip(cancellation, n, SkipErrors::kGiven, passed,
                                 end);
    }
    Status GetRows(const CancellationToken* cancellation, int64_t n,
                   std::span<void* const> rows, int64_t* count,
                   bool* end) override {
      // What is passed over may change what RowsNow() says.
      if (left_ != 0) return Begin(cancellation, end);
      return input().NextRows(cancellation, n, rows, count, end);
    }

   private:
    // Passes over the first elements.
    Status Begin(const CancellationToken* cancellation, bool* end) {
      if (left_ > 0) {
        int64_t passed = 0;
        const Status status =
            input().Skip(cancellation, left_, SkipErrors::kGiven, &passed, end);
        // As TensorFlow has it, as many are left behind an error.
        GK_RETURN_IF_ERROR(status);
        left_ = *end ? -1 : left_ - passed;
      }
      if (left_ < 0) *end = true;
      return OkStatus();
    }

    int64_t left_;  // negative: nothing is left
  };

  IteratorPtr Over(IteratorPtr input, const ContextRef&) const override {
    return std::make_unique<Iterator>(this, std::move(input));
  }

  const int64_t count_;  // negative: all
};

class RepeatDataset final : public DatasetOfInput {
 public:
  RepeatDataset(OneInput in, int64_t count)
      : DatasetOfInput(std::move(in.signature), std::move(in.dataset)),
        count_(count),
        is_shuffled_(input().kind() == "ShuffleDatasetV3") {}

  std::string_view kind() const override { return "RepeatDataset"; }
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (count_ == 0 || n == 0) return 0;
    if (count_ < 0) return kInfiniteCardinality;
    if (n < 0) return n;
    const int64_t all = MultiplyWithoutOverflow(n, count_);
    return all < 0 ? std::numeric_limits<int64_t>::max() : all;
  }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    auto made = std::make_unique<Iterator>(this, context);
    GK_RETURN_IF_ERROR(made->OpenAhead());
    return IteratorPtr(std::move(made));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    // Where passes are counted TensorFlow makes the iterator of the next one,
    // which draws its seeds, before it is asked: one too many, too, unless it
    // makes one dataset of the shuffling and the repetition.
    Status OpenAhead() { return left_ > 0 ? Open() : OkStatus(); }

    Iterator(const RepeatDataset* d, ContextRef context)
        : dataset_(d), context_(std::move(context)), left_(d->count_) {}
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      int64_t count = 0;
      return Ask(cancellation, &count, end, [&](bool* ended) {
        const Status status = input_->Next(cancellation, element, ended);
        if (!*ended) count = 1;
        return status;
      });
    }
    const ElementSignature* RowsNow() override {
      return left_ != 0 && Open().ok() ? input_->RowsNow() : nullptr;
    }

   protected:
    Status DoSkip(const CancellationToken* cancellation, int64_t n,
                  SkipErrors errors, int64_t* passed, bool* end) override {
      return Ask(cancellation, passed, end, [&](bool* ended) {
        return input_->Skip(cancellation, n, errors, passed, ended);
      });
    }
    Status GetRows(const CancellationToken* cancellation, int64_t n,
                   std::span<void* const> rows, int64_t* count,
                   bool* end) override {
      // Another pass says anew what its rows are.
      return Ask(
          cancellation, count, end,
          [&](bool* ended) {
            return input_->NextRows(cancellation, n, rows, count, ended);
          },
          /*passes=*/1);
    }

   private:
    Status Open() {
      if (input_) return OkStatus();
      GK_ASSIGN_OR_RETURN(input_, dataset_->input().NewIterator(context_));
      fresh_ = true;
      return OkStatus();
    }

    // Until `ask` gave something of the pass that it is: *count elements, or
    // was asked in so many passes.
    template <class F>
    Status Ask(const CancellationToken* cancellation, const int64_t* count,
               bool* end, F&& ask, int64_t passes = -1) {
      while (left_ != 0) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        GK_RETURN_IF_ERROR(Open());
        const bool fresh = std::exchange(fresh_, false);
        bool ended = false;
        GK_RETURN_IF_ERROR(ask(&ended));
        if (!ended) return OkStatus();
        input_.reset();
        if (left_ > 0) {
          --left_;
          if (left_ > 0 || !dataset_->is_shuffled_) {
            GK_RETURN_IF_ERROR(Open());
          }
          if (left_ == 0) input_.reset();
        }
        // What has no elements has none for ever.
        if (left_ < 0 && fresh && *count == 0 &&
            !(dataset_->input().repeats_empty_passes() && passes_ > 0)) {
          left_ = 0;
        }
        ++passes_;
        if (*count > 0 || --passes == 0) return OkStatus();
      }
      *end = true;
      return OkStatus();
    }

    const Ref<const RepeatDataset> dataset_;
    const ContextRef context_;
    int64_t left_;  // negative: for ever
    int64_t passes_ = 0;
    IteratorPtr input_;
    bool fresh_ = false;  // nothing was asked of the input yet
  };

  const int64_t count_;  // negative: for ever
  const bool is_shuffled_;
};

class ShardDataset final : public OneInputDataset {
 public:
  ShardDataset(OneInput in, int64_t shards, int64_t index,
               bool require_non_empty)
      : OneInputDataset(std::move(in)),
        shards_(shards),
        index_(index),
        require_non_empty_(require_non_empty) {}

  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    return n < 0 ? n : n / shards_ + (index_ < n % shards_ ? 1 : 0);
  }

 protected:
  std::string parameters() const override {
    return Format("({}, {})", shards_, index_);
  }

 private:
  class Iterator final : public OneInputIterator<ShardDataset> {
   public:
    using OneInputIterator::OneInputIterator;
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      const ShardDataset& d = dataset();
      while (true) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        GK_RETURN_IF_ERROR(input().Next(cancellation, element, end));
        if (*end) break;
        if (place_++ % d.shards_ == d.index_) break;
      }
      if (!d.require_non_empty_ || place_ >= d.shards_) return OkStatus();
      // The others must have elements, too.
      int64_t passed = 0;
      if (!*end) {
        bool ended = false;
        GK_RETURN_IF_ERROR(input().Skip(cancellation, d.shards_ - place_,
                                        SkipErrors::kGiven, &passed, &ended));
        place_ += passed;
        if (place_ == d.shards_) return OkStatus();
      }
      return InvalidArgument(
          "Could not apply FILE based sharding: the dataset only has {} "
          "file(s), which is not enough for the required {} shards/workers.",
          place_, d.shards_);
    }

   private:
    int64_t place_ = 0;
  };

  IteratorPtr Over(IteratorPtr input, const ContextRef&) const override {
    return std::make_unique<Iterator>(this, std::move(input));
  }

  const int64_t shards_, index_;
  const bool require_non_empty_;
};

template <class D>
Status ComputeCounted(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(OneInput in, ReadOneInput(c));
  int64_t count = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, 1, "count", &count));
  return SetDataset(c, MakeRef<D>(std::move(in), count));
}

Status ComputeShard(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(OneInput in, ReadOneInput(c));
  int64_t shards = 0, index = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, 1, "num_shards", &shards));
  GK_RETURN_IF_ERROR(ScalarInput(c, 2, "index", &index));
  if (shards < 1) {
    return InvalidArgument(
        "Number of shards must be greater than zero (currently num_shards = "
        "{}).",
        shards);
  }
  if (index < 0 || index >= shards) {
    return InvalidArgument(
        "Index must be between 0 and {} (currently index = {}).", shards - 1,
        index);
  }
  return SetDataset(c,
                    MakeRef<ShardDataset>(std::move(in), shards, index,
                                          c.attr<bool>("require_non_empty")));
}

const OpRecord kRecords[] = {
    {.name = "TakeDataset",
     .inputs = "input_dataset: variant; count: int64",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS "; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeCounted<TakeDataset>},
     .doc = "A dataset of the first `count` elements, all if it is "
            "negative."},

    {.name = "SkipDataset",
     .inputs = "input_dataset: variant; count: int64",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS "; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeCounted<SkipDataset>},
     .doc = "A dataset without the first `count` elements, empty if it is "
            "negative."},

    {.name = "RepeatDataset",
     .inputs = "input_dataset: variant; count: int64",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS "; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeCounted<RepeatDataset>},
     .doc = "A dataset `count` times over, for ever if it is negative."},

    {.name = "ShardDataset",
     .inputs = "input_dataset: variant; num_shards: int64; index: int64",
     .outputs = "handle: variant",
     .attrs = "require_non_empty: bool = False; " GK_ELEMENT_ATTRS
              "; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeShard},
     .doc = "A dataset of every `num_shards`-th element from `index` on."},
};

}  // namespace

GK_REGISTER_OPS(data_count)

}  // namespace gk
