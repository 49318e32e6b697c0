// Datasets that look at the elements of their input and leave some out, or
// have something to say about them.
#include <unordered_set>

#include "data/iteration.h"
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

// What is equal for equal tensors only.
Status AppendKey(const Tensor& t, std::string* key) {
  auto add = [key](const void* bytes, size_t n) {
    key->append(static_cast<const char*>(bytes), n);
  };
  auto add_number = [&](int64_t n) { add(&n, sizeof(n)); };
  add_number(t.rank());
  for (int64_t n : t.shape().dims()) add_number(n);
  if (t.dtype() == DataType::kString) {
    for (const std::string& s : t.flat<std::string>()) {
      add_number(static_cast<int64_t>(s.size()));
      *key += s;
    }
  } else if (DataTypeSize(t.dtype()) > 0 && t.dtype() != DataType::kVariant &&
             t.dtype() != DataType::kResource) {
    add(t.raw_data(), t.num_elements() * DataTypeSize(t.dtype()));
  } else {
    return InvalidArgument("Elements of type {} cannot be told apart",
                           DataTypeString(t.dtype()));
  }
  return OkStatus();
}

class UniqueDataset final : public OneInputDataset {
 public:
  using OneInputDataset::OneInputDataset;
  int64_t Cardinality() const override { return kUnknownCardinality; }

 private:
  class Iterator final : public OneInputIterator<UniqueDataset> {
   public:
    using OneInputIterator::OneInputIterator;
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      while (true) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        GK_RETURN_IF_ERROR(input().Next(cancellation, element, end));
        if (*end) return OkStatus();
        std::string key;
        for (const Tensor& t : *element) {
          GK_RETURN_IF_ERROR(AppendKey(t, &key));
        }
        if (seen_.insert(std::move(key)).second) return OkStatus();
      }
    }

   private:
    std::unordered_set<std::string> seen_;
  };

  IteratorPtr Over(IteratorPtr input, const ContextRef&) const override {
    return std::make_unique<Iterator>(this, std::move(input));
  }
};

class IgnoreErrorsDataset final : public OneInputDataset {
 public:
  using OneInputDataset::OneInputDataset;
  int64_t Cardinality() const override { return kUnknownCardinality; }

 private:
  class Iterator final : public OneInputIterator<IgnoreErrorsDataset> {
   public:
    using OneInputIterator::OneInputIterator;
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      while (true) {
        GK_RETURN_IF_ERROR(CheckCancellation(cancellation));
        element->clear();
        Status status = input().Next(cancellation, element, end);
        // An interruption is for the caller.
        if (status.ok() || status.code() == Code::kPythonException ||
            status.code() == Code::kCancelled) {
          return status;
        }
        TakeErrorSite();
        *end = false;
      }
    }
  };

  IteratorPtr Over(IteratorPtr input, const ContextRef&) const override {
    return std::make_unique<Iterator>(this, std::move(input));
  }
};

class AssertCardinalityDataset final : public OneInputDataset {
 public:
  AssertCardinalityDataset(OneInput in, int64_t wanted)
      : OneInputDataset(std::move(in)), wanted_(wanted) {}
  int64_t Cardinality() const override { return wanted_; }

 private:
  class Iterator final : public OneInputIterator<AssertCardinalityDataset> {
   public:
    using OneInputIterator::OneInputIterator;
    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      GK_RETURN_IF_ERROR(input().Next(cancellation, element, end));
      const int64_t wanted = dataset().wanted_;
      if (!*end) ++seen_;
      if (*end && seen_ != wanted) {
        return FailedPrecondition(
            "Input dataset was expected to contain {} but contained only {}.",
            Elements(wanted), Elements(seen_));
      }
      if (!*end && wanted != kInfiniteCardinality && seen_ > wanted) {
        return FailedPrecondition(
            "Input dataset was expected to contain {} but contained at least "
            "{}.",
            Elements(wanted), Elements(seen_));
      }
      return OkStatus();
    }

   private:
    static std::string Elements(int64_t n) {
      if (n == kInfiniteCardinality) return "an infinite number of elements";
      if (n == kUnknownCardinality) return "an unknown number of elements";
      return Format("{} element{}", n, n == 1 ? "" : "s");
    }
    int64_t seen_ = 0;
  };

  IteratorPtr Over(IteratorPtr input, const ContextRef&) const override {
    return std::make_unique<Iterator>(this, std::move(input));
  }

  const int64_t wanted_;
};

template <class D>
Status ComputePlain(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(OneInput in, ReadOneInput(c));
  return SetDataset(c, MakeRef<D>(std::move(in)));
}

Status ComputeAssertCardinality(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(OneInput in, ReadOneInput(c));
  int64_t n = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, 1, "cardinality", &n));
  return SetDataset(c, MakeRef<AssertCardinalityDataset>(std::move(in), n));
}

const OpRecord kRecords[] = {
    {.name = "UniqueDataset",
     .inputs = "input_dataset: variant",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS "; metadata: string = ''",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputePlain<UniqueDataset>},
     .doc = "A dataset without the elements that were there before."},

    {.name = "IgnoreErrorsDataset",
     .inputs = "input_dataset: variant",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS "; log_warning: bool = False",
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputePlain<IgnoreErrorsDataset>},
     .doc = "A dataset without the elements that cannot be made."},

    {.name = "AssertCardinalityDataset",
     .inputs = "input_dataset: variant; cardinality: int64",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeAssertCardinality},
     .doc = "A dataset that must have so many elements."},
};

}  // namespace

GK_REGISTER_OPS(data_check)

}  // namespace gk
