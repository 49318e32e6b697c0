// Datasets that keep their elements for the next time, in memory or in a file.
#include <mutex>

#include "base/process_mutex.h"
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"
#include "ops/data/file_cache.h"

namespace gk {
namespace {

// What a complete pass has seen. Shared by the iterators of a dataset.
struct Cache {
  ProcessMutex& mutex = ProcessMutex::Of(this);
  std::shared_ptr<const std::vector<TensorVector>> elements;
};

class CacheDataset final : public DatasetOfInput {
 public:
  CacheDataset(ElementSignature signature, Ref<const Dataset> input)
      : DatasetOfInput(std::move(signature), std::move(input)) {}

  std::string_view kind() const override { return "CacheDatasetV2"; }
  void AppendText(std::string* text, size_t) const override {
    *text += "CacheDatasetOp::MemoryDataset";
  }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    auto made = std::make_unique<Iterator>(this);
    GK_RETURN_IF_ERROR(made->Open(context));
    return IteratorPtr(std::move(made));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const CacheDataset* d) : dataset_(d) {}
    // What is there when it is made is read, or else the input.
    Status Open(const ContextRef& context) {
      {
        std::lock_guard lock(dataset_->cache_.mutex);
        cached_ = dataset_->cache_.elements;
      }
      if (cached_) return OkStatus();
      GK_ASSIGN_OR_RETURN(input_, dataset_->input().NewIterator(context));
      return OkStatus();
    }
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      if (cached_) {
        if (next_ >= cached_->size()) {
          *end = true;
          return OkStatus();
        }
        Share((*cached_)[next_++], element);
        return OkStatus();
      }
      TensorVector read;
      GK_RETURN_IF_ERROR(input_->Next(cancellation, &read, end));
      if (*end) {
        Complete();
      } else {
        Share(read, element);
        seen_.push_back(std::move(read));
        // Who knows how many elements there are need not ask for one more.
        if (static_cast<int64_t>(seen_.size()) ==
            dataset_->input().Cardinality()) {
          Complete();
        }
      }
      return OkStatus();
    }

   private:
    static void Share(const TensorVector& from, TensorVector* to) {
      to->clear();
      for (const Tensor& t : from) to->push_back(t.Alias());
    }

    void Complete() {
      next_ = seen_.size();
      cached_ =
          std::make_shared<const std::vector<TensorVector>>(std::move(seen_));
      input_.reset();
      std::lock_guard lock(dataset_->cache_.mutex);
      if (!dataset_->cache_.elements) dataset_->cache_.elements = cached_;
    }

    const Ref<const CacheDataset> dataset_;
    IteratorPtr input_;
    std::vector<TensorVector> seen_;
    std::shared_ptr<const std::vector<TensorVector>> cached_;
    size_t next_ = 0;
  };

  mutable Cache cache_;
};

Status ComputeCache(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(Ref<const Dataset> input, InputDataset(c));
  if (!c.input(1).shape().IsScalar()) {
    return InvalidArgument("`filename` must be a scalar");
  }
  const std::string& file = c.input(1).scalar<std::string>();
  if (!file.empty()) {
    return SetDataset(c,
                      NewFileCache(SignatureAttrs(c), std::move(input), file));
  }
  return SetDataset(c,
                    MakeRef<CacheDataset>(SignatureAttrs(c), std::move(input)));
}

// Stands where a cache could be given: the dataset has its own.
Status ComputeDummy(KernelContext& c) {
  return SetStandIn(c, "DummyMemoryCache", "tensorflow::data::MemoryCache");
}

const OpRecord kRecords[] = {
    {.name = "CacheDatasetV2",
     .inputs = "input_dataset: variant; filename: string; cache: resource",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS "; metadata: string = ''",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeCache},
     .doc = "A dataset that keeps what the first complete pass has seen."},

    {.name = "DummyMemoryCache",
     .inputs = "",
     .outputs = "handle: resource",
     .attrs = "",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeDummy},
     .doc = "Stands for the cache that a dataset makes itself."},
};

}  // namespace

GK_REGISTER_OPS(data_cache)

}  // namespace gk
