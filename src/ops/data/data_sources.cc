// Datasets of given values: ranges, single elements, slices of tensors.
#include <algorithm>
#include <utility>

#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

class RangeDataset final : public Dataset {
 public:
  RangeDataset(ElementSignature signature, int64_t start, int64_t stop,
               int64_t step)
      : Dataset(std::move(signature), {}),
        start_(start),
        stop_(stop),
        step_(step),
        rows_{this->signature().types, {TensorShape()}} {
    const auto distance = step > 0 ? static_cast<__int128>(stop) - start
                                   : static_cast<__int128>(start) - stop;
    const __int128 size = step > 0 ? step : -static_cast<__int128>(step);
    if (distance <= 0) return;
    count_ = static_cast<uint64_t>((distance + size - 1) / size);
  }

  std::string_view kind() const override { return "RangeDataset"; }
  int64_t Cardinality() const override {
    return static_cast<int64_t>(
        std::min<uint64_t>(count_, std::numeric_limits<int64_t>::max()));
  }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef&) const override {
    return IteratorPtr(new Iterator(this));
  }

 protected:
  std::string parameters() const override {
    return Format("({}, {}, {})", start_, stop_, step_);
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const RangeDataset* d) : dataset_(d) {}
    Status GetNext(const CancellationToken*, TensorVector* element,
                   bool* end) override {
      const RangeDataset& d = *dataset_;
      if (next_ >= d.count_) {
        *end = true;
        return OkStatus();
      }
      Tensor t;
      GK_RETURN_IF_ERROR(d.Visit([&]<class T>(T) {
        t = Tensor::Scalar<T>(static_cast<T>(d.Number(next_)));
      }));
      ++next_;
      *element = {std::move(t)};
      return OkStatus();
    }
    const ElementSignature* RowsNow() override { return &dataset_->rows_; }

   protected:
    Status DoSkip(const CancellationToken*, int64_t n, SkipErrors,
                  int64_t* passed, bool* end) override {
      *passed = AtMost(n);
      next_ += static_cast<uint64_t>(*passed);
      *end = *passed < n;
      return OkStatus();
    }
    Status GetRows(const CancellationToken*, int64_t n,
                   std::span<void* const> rows, int64_t* count,
                   bool* end) override {
      const RangeDataset& d = *dataset_;
      const int64_t most = AtMost(n);
      GK_RETURN_IF_ERROR(d.Visit([&]<class T>(T) {
        T* const to = static_cast<T*>(rows[0]);
        for (int64_t i = 0; i < most; ++i) {
          to[i] = static_cast<T>(d.Number(next_ + static_cast<uint64_t>(i)));
        }
      }));
      next_ += static_cast<uint64_t>(most);
      *count = most;
      *end = most < n;
      return OkStatus();
    }

   private:
    int64_t AtMost(int64_t n) const {
      return static_cast<int64_t>(
          std::min(static_cast<uint64_t>(n), dataset_->count_ - next_));
    }

    const Ref<const RangeDataset> dataset_;
    uint64_t next_ = 0;
  };

  int64_t Number(uint64_t i) const {
    return static_cast<int64_t>(static_cast<uint64_t>(start_) +
                                i * static_cast<uint64_t>(step_));
  }
  // With the type of the elements.
  template <class F>
  Status Visit(F&& f) const {
    const DataType type = signature().types[0];
    const bool known =
        VisitType<int64_t, int32_t, int16_t, int8_t, uint8_t, uint16_t,
                  uint32_t, uint64_t, float, double, half, bfloat16>(
            type, std::forward<F>(f));
    return known ? OkStatus()
                 : InvalidArgument("Unsupported data type: {}",
                                   DataTypeString(type));
  }

  const int64_t start_, stop_, step_;
  const ElementSignature rows_;
  uint64_t count_ = 0;
};

Status ComputeRange(KernelContext& c) {
  int64_t start = 0, stop = 0, step = 0;
  GK_RETURN_IF_ERROR(ScalarInput(c, 0, "start", &start));
  GK_RETURN_IF_ERROR(ScalarInput(c, 1, "stop", &stop));
  GK_RETURN_IF_ERROR(ScalarInput(c, 2, "step", &step));
  if (step == 0) return InvalidArgument("step must be a non-zero integer.");
  ElementSignature signature = SignatureAttrs(c);
  if (signature.types.size() != 1) {
    return InvalidArgument("Elements of a range have one component, not {}",
                           signature.types.size());
  }
  return SetDataset(
      c, MakeRef<RangeDataset>(std::move(signature), start, stop, step));
}

// One element, or the rows of its components as elements.
class TensorsDataset final : public Dataset {
 public:
  TensorsDataset(ElementSignature signature, TensorVector components,
                 bool slices)
      : Dataset(std::move(signature), {}),
        components_(std::move(components)),
        slices_(slices) {
    if (!slices_) return;
    for (const Tensor& t : components_) {
      TensorShape row = t.shape();
      row.RemoveDim(0);
      rows_.types.push_back(t.dtype());
      rows_.shapes.push_back(row);
    }
  }

  std::string_view kind() const override {
    return slices_ ? "TensorSliceDataset" : "TensorDataset";
  }
  int64_t Cardinality() const override {
    return slices_ ? components_[0].dim(0) : 1;
  }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef&) const override {
    return IteratorPtr(new Iterator(this));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const TensorsDataset* d) : dataset_(d) {}
    Status GetNext(const CancellationToken*, TensorVector* element,
                   bool* end) override {
      if (next_ >= dataset_->Cardinality()) {
        *end = true;
        return OkStatus();
      }
      element->clear();
      for (const Tensor& t : dataset_->components_) {
        if (dataset_->slices_) {
          GK_ASSIGN_OR_RETURN(Tensor row, Row(t, next_));
          element->push_back(std::move(row));
        } else {
          element->push_back(t.Alias());
        }
      }
      ++next_;
      return OkStatus();
    }
    const ElementSignature* RowsNow() override {
      return dataset_->slices_ ? &dataset_->rows_ : nullptr;
    }

   protected:
    Status DoSkip(const CancellationToken*, int64_t n, SkipErrors,
                  int64_t* passed, bool* end) override {
      *passed = AtMost(n);
      next_ += *passed;
      *end = *passed < n;
      return OkStatus();
    }
    Status GetRows(const CancellationToken*, int64_t n,
                   std::span<void* const> rows, int64_t* count,
                   bool* end) override {
      const int64_t most = AtMost(n);
      for (size_t k = 0; k < rows.size(); ++k) {
        GK_RETURN_IF_ERROR(
            CopyRows(dataset_->components_[k], next_, most, rows[k]));
      }
      next_ += most;
      *count = most;
      *end = most < n;
      return OkStatus();
    }

   private:
    int64_t AtMost(int64_t n) const {
      return std::min(n, dataset_->Cardinality() - next_);
    }

    const Ref<const TensorsDataset> dataset_;
    int64_t next_ = 0;
  };

  const TensorVector components_;
  const bool slices_;
  ElementSignature rows_;  // of slices
};

template <bool kSlices>
Status ComputeTensors(KernelContext& c) {
  TensorVector components;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Tensor& t = c.input(i);
    if (kSlices) {
      if (t.rank() == 0) {
        return InvalidArgument("All components must be at least 1-dimensional");
      }
      if (t.dim(0) != c.input(0).dim(0)) {
        return InvalidArgument(
            "All components must have the same size in the 0th dimension");
      }
    }
    components.push_back(t);
  }
  return SetDataset(c,
                    MakeRef<TensorsDataset>(SignatureAttrs(c, "Toutput_types"),
                                            std::move(components), kSlices));
}

// Stateful as TensorFlow's are: they are made whenever the graph runs.
const OpRecord kRecords[] = {
    {.name = "RangeDataset",
     .inputs = "start: int64; stop: int64; step: int64",
     .outputs = "handle: variant",
     .attrs = GK_ELEMENT_ATTRS
     "; metadata: string = ''; replicate_on_split: bool = False",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeRange},
     .doc = "A dataset of the numbers from `start` to before `stop`."},

    {.name = "TensorDataset",
     .inputs = "components: Toutput_types",
     .outputs = "handle: variant",
     .attrs = "Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1;"
              "metadata: string = ''",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeTensors<false>},
     .doc = "A dataset of one element, `components`."},

    {.name = "TensorSliceDataset",
     .inputs = "components: Toutput_types",
     .outputs = "handle: variant",
     .attrs = "Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1;"
              "is_files: bool = False; metadata: string = '';"
              "replicate_on_split: bool = False",
     .traits = kStateful,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeTensors<true>},
     .doc = "A dataset of the rows of `components`."},
};

}  // namespace

GK_REGISTER_OPS(data_sources)

}  // namespace gk
