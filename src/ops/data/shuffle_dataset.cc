#include "ops/data/shuffle_dataset.h"

#include <utility>

#include "data/background_work.h"
#include "ops/data/element_ring.h"

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
    auto made = std::make_unique<Iterator>(this, context);
    made->DrawSeeds();
    return IteratorPtr(std::move(made));
  }

  // Of another input, with the seeds of this one.
  Ref<const Dataset> Over(Ref<const Dataset> input) const {
    return MakeRef<ShuffleDataset>(
        OneInput{kind_, signature(), std::move(input)}, buffer_size_, seeds_);
  }

  class Iterator final : public DatasetIterator {
   public:
    Iterator(const ShuffleDataset* d, ContextRef context)
        : dataset_(d), context_(std::move(context)), ring_(d->buffer_size_) {}

    // As in TensorFlow an iterator has its seeds from when it is made, whether
    // it is asked or not; that of the input is made when it is asked.
    void DrawSeeds() {
      stream_.emplace(dataset_->seeds_->Next(dataset_->depth(), *context_));
    }
    // Whether no more elements come to those in the buffer.
    bool has_read_all() const { return begun_ && !input_; }
    uint64_t size() const { return ring_.size(); }

    // Reads up to `n` elements before anybody asks. An error waits.
    void Prepare(const CancellationToken* cancellation, int n) {
      while (n-- > 0 && first_.status.ok() && !has_read_all()) {
        first_.Take(/*background=*/true, [&] { return Read(cancellation); });
      }
    }
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      GK_RETURN_IF_ERROR(Fill(cancellation));
      *end = size() == 0;
      return *end ? OkStatus() : ring_.Draw(Choose(), element);
    }
    const ElementSignature* RowsNow() override { return ring_.rows(); }

   protected:
    Status GetRows(const CancellationToken* cancellation, int64_t n,
                   std::span<void* const> rows, int64_t* count,
                   bool* end) override {
      for (; *count < n; ++*count) {
        GK_RETURN_IF_ERROR(Fill(cancellation));
        *end = size() == 0;
        // What was read may be of another kind.
        if (*end || ring_.rows() == nullptr) break;
        ring_.DrawRow(Choose(), rows, *count);
      }
      return OkStatus();
    }

   private:
    uint64_t Choose() { return stream_->Word() % size(); }

    bool HasRoom() const {
      return dataset_->buffer_size_ < 0 ||
             size() < static_cast<uint64_t>(dataset_->buffer_size_);
    }

    Status Fill(const CancellationToken* cancellation) {
      if (!first_.status.ok()) {
        bool end = false;
        TensorVector none;
        return std::exchange(first_, {}).Deliver(&none, &end);
      }
      while (HasRoom() && !has_read_all()) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        GK_RETURN_IF_ERROR(Read(cancellation));
      }
      return OkStatus();
    }

    // One element.
    Status Read(const CancellationToken* cancellation) {
      if (!begun_) {
        GK_ASSIGN_OR_RETURN(input_, dataset_->input().NewIterator(context_));
        begun_ = true;
      }
      bool ended = false;
      GK_RETURN_IF_ERROR(ring_.Read(*input_, cancellation, &ended));
      if (ended) input_.reset();
      return OkStatus();
    }

    const Ref<const ShuffleDataset> dataset_;
    const ContextRef context_;
    std::optional<PhiloxStream> stream_;
    Outcome first_;  // an error that came before anybody asked
    bool begun_ = false;
    IteratorPtr input_;  // null behind its end
    ElementRing ring_;
  };

  int64_t buffer_size() const { return buffer_size_; }

 private:
  const std::string_view kind_;
  const int64_t buffer_size_;  // negative: as many as there are
  const std::shared_ptr<SeedGenerator> seeds_;
};

// The passes of a RepeatDataset over a ShuffleDataset, each of which fills the
// buffer while the one before it empties it.
class ShuffleAndRepeatDataset final : public DatasetOfInput {
 public:
  ShuffleAndRepeatDataset(Ref<const Dataset> repeat,
                          Ref<const ShuffleDataset> shuffle, int64_t count)
      : DatasetOfInput(repeat->signature(),
                       Ref<const Dataset>(&shuffle->input())),
        repeat_(std::move(repeat)),
        shuffle_(std::move(shuffle)),
        count_(count) {
    AddSeedSources(shuffle_->seed_sources());
  }

  std::string_view kind() const override { return "ShuffleAndRepeatDatasetV2"; }
  int64_t Cardinality() const override { return repeat_->Cardinality(); }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    return IteratorPtr(new Iterator(this, context));
  }

 private:
  using PassPtr = std::unique_ptr<ShuffleDataset::Iterator>;

  class Iterator final : public DatasetIterator {
   public:
    Iterator(const ShuffleAndRepeatDataset* d, ContextRef context)
        : dataset_(d), context_(std::move(context)), left_(d->count_) {
      // As RepeatDataset has it where passes are counted.
      if (left_ > 0) Open();
    }
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      while (left_ != 0) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        Open();
        const bool fresh = std::exchange(fresh_, false);
        bool ended = false;
        GK_RETURN_IF_ERROR(now_->Next(cancellation, element, &ended));
        if (!ended) {
          PrepareNext(cancellation);
          return OkStatus();
        }
        EndPass(fresh);
      }
      *end = true;
      return OkStatus();
    }
    const ElementSignature* RowsNow() override {
      return now_ ? now_->RowsNow() : nullptr;
    }

   protected:
    Status GetRows(const CancellationToken* cancellation, int64_t n,
                   std::span<void* const> rows, int64_t* count,
                   bool*) override {
      const bool fresh = std::exchange(fresh_, false);
      bool ended = false;
      GK_RETURN_IF_ERROR(now_->NextRows(
          cancellation, now_->has_read_all() ? 1 : n, rows, count, &ended));
      if (ended) {
        EndPass(fresh);
      } else {
        PrepareNext(cancellation);
      }
      return OkStatus();
    }

   private:
    void EndPass(bool fresh) {
      now_.reset();
      if (left_ > 0 && --left_ > 0) Open();
      // What has no elements has none for ever.
      if (left_ < 0 && fresh && passes_ == 0) left_ = 0;
      ++passes_;
    }
    PassPtr Pass() const {
      return std::make_unique<ShuffleDataset::Iterator>(
          dataset_->shuffle_.get(), context_);
    }
    // Seeds are drawn when a pass begins, and not when its buffer is filled.
    void Open() {
      if (now_) return;
      now_ = next_ ? std::move(next_) : Pass();
      now_->DrawSeeds();
      fresh_ = true;
    }
    // Two elements for each that is taken.
    void PrepareNext(const CancellationToken* cancellation) {
      if (!now_->has_read_all() || left_ == 1) return;
      if (!next_) next_ = Pass();
      const int64_t most = dataset_->shuffle_->buffer_size();
      int64_t room = 2;
      if (most > 0) {
        room = std::min(
            room, most - static_cast<int64_t>(now_->size() + next_->size()));
      }
      if (CheckCancellation(cancellation).ok()) {
        next_->Prepare(cancellation, static_cast<int>(room));
      }
    }

    const Ref<const ShuffleAndRepeatDataset> dataset_;
    const ContextRef context_;
    int64_t left_;  // negative: for ever
    int64_t passes_ = 0;
    bool fresh_ = false;  // nothing was asked of this pass
    PassPtr now_, next_;
  };

  const Ref<const Dataset> repeat_;
  const Ref<const ShuffleDataset> shuffle_;
  const int64_t count_;
};

}  // namespace

Ref<const Dataset> ShuffleOf(OneInput in, int64_t buffer_size,
                             std::shared_ptr<SeedGenerator> seeds) {
  return MakeRef<ShuffleDataset>(std::move(in), buffer_size, std::move(seeds));
}

Ref<const Dataset> ShuffledLike(const Dataset& shuffle,
                                Ref<const Dataset> input) {
  const auto* known = dynamic_cast<const ShuffleDataset*>(&shuffle);
  return known == nullptr ? Ref<const Dataset>()
                          : known->Over(std::move(input));
}

Ref<const Dataset> ShuffledAndRepeated(const Dataset& repeat,
                                       const Dataset& shuffle, int64_t count) {
  const auto* known = dynamic_cast<const ShuffleDataset*>(&shuffle);
  if (known == nullptr || !known->input().seed_sources().empty()) return {};
  return MakeRef<ShuffleAndRepeatDataset>(
      Ref<const Dataset>(&repeat), Ref<const ShuffleDataset>(known), count);
}

}  // namespace gk
