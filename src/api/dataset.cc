#include "graphkiln/dataset.h"

#include "api/data_options.h"
#include "api/dataset_parts.h"
#include "function/dataset_choice.h"
#include "ops/composition.h"
#include "ops/fn/DatasetCardinality.h"
#include "ops/fn/DatasetToSingleElement.h"

namespace gk::api {

using detail::ElementResult;

namespace detail {

void ThrowOtherElements(const ElementSpec& spec, const char* wanted) {
  ThrowPublic(
      TypeError("An element is {}, which is not {}", spec.to_string(), wanted));
}

}  // namespace detail

const Tensor& Dataset::variant() const {
  if (!defined()) {
    ThrowPublic(ValueError("A Dataset that is not defined() was given"));
  }
  return variant_;
}
const Spec& Dataset::spec() const {
  variant();
  return spec_;
}
const ElementSpec& Dataset::element_spec() const { return *spec(); }

std::string Dataset::to_string() const {
  return defined() ? "<Dataset element_spec=" + spec_->to_string() + ">"
                   : "<Dataset>";
}
std::ostream& operator<<(std::ostream& out, const Dataset& dataset) {
  return out << dataset.to_string();
}

// --- Sources.

Dataset Dataset::FromTensors(const ElementResult& value, bool slices) {
  return Guarded([&] {
    EnsureReady();
    const TensorVector tensors = Inner(value.parts.tensors);
    const Spec whole = SpecOf(value, ::gk::SignatureOf(tensors));
    const ::gk::ElementSpec batch = Inner(*whole);
    RefuseEmptyElement(batch);
    if (!slices) {
      return Made(steps::FromTensors(tensors, ::gk::SignatureOf(batch)), whole);
    }
    const ::gk::ElementSpec rows = RowsOf(batch);
    steps::CheckSlices(batch);
    return Made(steps::FromSlices(tensors, ::gk::SignatureOf(rows)),
                Outer(rows, *whole));
  });
}

Dataset Dataset::range(const Tensor& stop) {
  return range(int64_t{0}, stop, int64_t{1});
}
Dataset Dataset::range(const Tensor& start, const Tensor& stop,
                       const Tensor& step) {
  return Guarded([&] {
    EnsureReady();
    return Made(steps::Range(Int64(start), Int64(stop), Int64(step)),
                ScalarSpec(InnerType::kInt64));
  });
}

Dataset Dataset::counter(const Tensor& start, const Tensor& step) {
  return Guarded([&] {
    EnsureReady();
    const InnerTensor first = Inner(start);
    const TypedDataset made = steps::Counter(
        first, step.defined() ? Inner(step) : IntegerOf(1, first.dtype()));
    Spec spec = ScalarSpec(first.dtype());
    ::gk::ElementSpec of = Inner(*spec);
    of.leaves[0].shape = made.elements.shapes[0];
    return Made(made, Outer(of, *spec));
  });
}

Dataset Dataset::random(std::optional<int64_t> seed,
                        bool rerandomize_each_iteration) {
  return Guarded([&] {
    EnsureReady();
    return Made(steps::Random(seed, rerandomize_each_iteration),
                ScalarSpec(InnerType::kInt64));
  });
}

// --- Several datasets.

Dataset Dataset::zip(const std::vector<Dataset>& datasets) {
  return Guarded([&] {
    EnsureReady();
    std::vector<Spec> specs;
    std::vector<TypedDataset> typed;
    for (const Dataset& d : datasets) {
      specs.push_back(d.spec());
      typed.push_back(Typed(d));
    }
    return Made(steps::Zip(typed), TupleOf(specs));
  });
}

Dataset Dataset::choose_from_datasets(const std::vector<Dataset>& datasets,
                                      const Dataset& choice,
                                      bool stop_on_empty_dataset) {
  return Guarded([&] {
    const Spec spec = CommonSpec(datasets);
    return WithWords(choice.element_spec(), [&](const auto& chosen) {
      return Made(steps::Choose(Typed(choice), chosen, Variants(datasets),
                                SignatureOf(*spec), stop_on_empty_dataset),
                  spec);
    });
  });
}

Dataset Dataset::sample_from_datasets(const std::vector<Dataset>& datasets,
                                      const SampleOptions& options) {
  return Guarded([&] {
    const Spec spec = CommonSpec(datasets);
    const ElementSignature e = SignatureOf(*spec);
    const ::gk::SampleOptions how{options.seed, options.stop_on_empty_dataset,
                                  options.rerandomize_each_iteration};
    return Dataset(
        Outer(options.weights_of_draws
                  ? SampleByDataset(Variants(datasets), e,
                                    Typed(*options.weights_of_draws), how)
                  : SampleByWeights(Variants(datasets), e,
                                    InnerOrNull(options.weights), how)),
        spec);
  });
}

Dataset Dataset::concatenate(const Dataset& other) const {
  return Guarded([&] {
    const Spec spec = CommonSpec({*this, other});
    return Made(
        steps::Concatenate(Typed(*this), Typed(other), SignatureOf(*spec)),
        spec);
  });
}

Dataset Dataset::enumerate(const Tensor& start) const {
  return Guarded([&] {
    EnsureReady();
    return Made(steps::Enumerate(Typed(*this), Int64(start)),
                TupleOf(std::vector{ScalarSpec(InnerType::kInt64), spec()}));
  });
}

// --- The same elements: fewer, more, in another order or at other times.

Dataset Dataset::take(const Tensor& count) const {
  return Same(*this, [&](const TypedDataset& d) {
    return steps::Take(d, Int64(count));
  });
}
Dataset Dataset::skip(const Tensor& count) const {
  return Same(*this, [&](const TypedDataset& d) {
    return steps::Skip(d, Int64(count));
  });
}
Dataset Dataset::repeat(const Tensor& count) const {
  return Same(*this, [&](const TypedDataset& d) {
    return steps::Repeat(d, Int64(count));
  });
}
Dataset Dataset::shard(const Tensor& num_shards, const Tensor& index) const {
  return Same(*this, [&](const TypedDataset& d) {
    return steps::Shard(d, Int64(num_shards), Int64(index));
  });
}

Dataset Dataset::shuffle(const Tensor& buffer_size,
                         const ShuffleOptions& options) const {
  return Same(*this, [&](const TypedDataset& d) {
    return steps::Shuffle(d, Int64(buffer_size), options.seed,
                          options.reshuffle_each_iteration);
  });
}

Dataset Dataset::prefetch(const Tensor& buffer_size) const {
  return Same(*this, [&](const TypedDataset& d) {
    return steps::Prefetch(d, Int64(buffer_size));
  });
}

Dataset Dataset::cache(const std::string& filename) const {
  return Same(*this, [&](const TypedDataset& d) {
    return steps::Cache(d, Inner(Tensor(filename)));
  });
}

Dataset Dataset::unique() const {
  return Same(*this, [&](const TypedDataset& d) {
    for (const TypeSpec& leaf : spec()->leaves) {
      const InnerType t = Inner(leaf.dtype);
      steps::CheckUnique(
          leaf.kind == TypeSpec::Kind::kTensor ? t : InnerType::kVariant,
          [&] { return Format("tf.{}", DataTypeName(t)); });
    }
    return steps::Unique(d);
  });
}

Dataset Dataset::ignore_errors() const {
  return Same(*this, [](const TypedDataset& d) {
    return steps::IgnoreErrors(d, /*log_warning=*/false);
  });
}

Dataset Dataset::assert_cardinality(const Tensor& expected_cardinality) const {
  return Same(*this, [&](const TypedDataset& d) {
    return steps::AssertCardinality(d, Int64(expected_cardinality));
  });
}

Dataset Dataset::with_options(const DataOptions& options) const {
  return Same(*this, [&](const TypedDataset& d) {
    return steps::WithOptions(d, Inner(options));
  });
}
DataOptions Dataset::options() const {
  return Guarded([&] { return Outer(steps::OptionsOf(Inner(variant()))); });
}

// --- The elements.

Tensor Dataset::cardinality() const {
  return Guarded(
      [&] { return Outer(::gk::ops::DatasetCardinality(Inner(variant()))); });
}

DatasetElement Dataset::get_single_element() const {
  return Guarded([&] {
    const ElementSignature d = SignatureOf(*spec());
    return DatasetElement({Outer(::gk::ops::DatasetToSingleElement(
                               Inner(variant()), d.types, d.shapes)),
                           spec()});
  });
}

Dataset Dataset::from_variant(const Tensor& variant, const ElementSpec& spec) {
  if (variant.dtype() != DataType::kVariant) {
    ThrowPublic(
        TypeError("from_variant: a dataset is a tensor of dtype variant, "
                  "got one of dtype {}",
                  DataTypeName(Inner(variant.dtype()))));
  }
  return Dataset(variant, std::make_shared<ElementSpec>(spec));
}

}  // namespace gk::api
