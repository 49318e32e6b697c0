// Datasets of given values: ranges, single elements, slices of tensors.
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
        step_(step) {
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
      const auto value =
          static_cast<int64_t>(static_cast<uint64_t>(d.start_) +
                               next_ * static_cast<uint64_t>(d.step_));
      const DataType type = d.signature().types[0];
      Tensor t;
      const bool known =
          VisitType<int64_t, int32_t, int16_t, int8_t, uint8_t, uint16_t,
                    uint32_t, uint64_t, float, double, half, bfloat16>(
              type, [&]<class T>(T) {
                t = Tensor::Scalar<T>(static_cast<T>(value));
              });
      if (!known) {
        return InvalidArgument("Unsupported data type: {}",
                               DataTypeString(type));
      }
      ++next_;
      *element = {std::move(t)};
      return OkStatus();
    }

   private:
    const Ref<const RangeDataset> dataset_;
    uint64_t next_ = 0;
  };

  const int64_t start_, stop_, step_;
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
        slices_(slices) {}

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

   private:
    const Ref<const TensorsDataset> dataset_;
    int64_t next_ = 0;
  };

  const TensorVector components_;
  const bool slices_;
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
