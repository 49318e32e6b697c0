#include "graphkiln/dataset.h"

#include <limits>

#include "api/inner.h"
#include "api/structure_rep.h"
#include "api/type_spec_inner.h"
#include "framework/op_builder.h"
#include "function/dataset_choice.h"
#include "ops/composite.h"
#include "ops/fn/AnonymousIteratorV3.h"
#include "ops/fn/BatchDatasetV2.h"
#include "ops/fn/CacheDatasetV2.h"
#include "ops/fn/ConcatenateDataset.h"
#include "ops/fn/DatasetCardinality.h"
#include "ops/fn/DatasetToSingleElement.h"
#include "ops/fn/DirectedInterleaveDataset.h"
#include "ops/fn/DummyMemoryCache.h"
#include "ops/fn/DummySeedGenerator.h"
#include "ops/fn/FilterDataset.h"
#include "ops/fn/FlatMapDataset.h"
#include "ops/fn/GroupByWindowDataset.h"
#include "ops/fn/IgnoreErrorsDataset.h"
#include "ops/fn/InterleaveDataset.h"
#include "ops/fn/IteratorGetNext.h"
#include "ops/fn/IteratorGetNextAsOptional.h"
#include "ops/fn/MakeIterator.h"
#include "ops/fn/MapDataset.h"
#include "ops/fn/OptionalFromValue.h"
#include "ops/fn/OptionalGetValue.h"
#include "ops/fn/OptionalHasValue.h"
#include "ops/fn/OptionalNone.h"
#include "ops/fn/PaddedBatchDatasetV2.h"
#include "ops/fn/ParallelBatchDataset.h"
#include "ops/fn/ParallelInterleaveDatasetV4.h"
#include "ops/fn/ParallelMapDatasetV2.h"
#include "ops/fn/PrefetchDataset.h"
#include "ops/fn/RandomDatasetV2.h"
#include "ops/fn/RangeDataset.h"
#include "ops/fn/RebatchDatasetV2.h"
#include "ops/fn/ReduceDataset.h"
#include "ops/fn/RepeatDataset.h"
#include "ops/fn/ScanDataset.h"
#include "ops/fn/ShardDataset.h"
#include "ops/fn/ShuffleDatasetV3.h"
#include "ops/fn/SkipDataset.h"
#include "ops/fn/TakeDataset.h"
#include "ops/fn/TakeWhileDataset.h"
#include "ops/fn/TensorDataset.h"
#include "ops/fn/TensorSliceDataset.h"
#include "ops/fn/UnbatchDataset.h"
#include "ops/fn/UniqueDataset.h"
#include "ops/fn/WindowDataset.h"
#include "ops/fn/ZipDataset.h"
#include "ops/random/random_seeds.h"

namespace gk::api {
namespace {

using Spec = Dataset::Spec;
using InnerStructure = ::gk::Structure;
using detail::ElementBody;
using detail::ElementResult;
using detail::ElementValue;
using detail::Results;

InnerTensor Int64(const Tensor& t) { return AsInt64(Inner(t)); }
InnerTensor Int64(int64_t value) {
  return ConstantHere(InnerTensor::Scalar(value));
}
InnerTensor Bool(bool value) {
  return ConstantHere(InnerTensor::Scalar(value));
}

ElementSignature SignatureOf(const ElementSpec& spec) {
  return ::gk::SignatureOf(Inner(spec));
}

// Of what a function returned, or was given, with these components.
Spec SpecOf(const ElementResult& value, const ElementSignature& e) {
  if (!value.parts.shape.arrays.empty()) {
    throw ::gk::Error(TypeError("Elements of datasets hold no TensorArrays"));
  }
  ElementSpec spec{value.structure, {}, value.parts.shape};
  auto next = value.leaves.entries.begin();
  for (size_t i = 0; i < e.types.size();) {
    if (next != value.leaves.entries.end() && next->first == i) {
      spec.leaves.push_back(*next->spec);
      i += next->count;
      ++next;
    } else {
      spec.leaves.push_back(
          TensorSpec{Outer(e.shapes[i]), Outer(e.types[i])});
      ++i;
    }
  }
  return std::make_shared<ElementSpec>(std::move(spec));
}

// An element that is a tuple of parts.
Spec TupleOf(std::span<const Spec> parts) {
  auto made = std::make_shared<ElementSpec>();
  std::vector<StructureRef> structures;
  for (const Spec& part : parts) {
    structures.push_back(Inner(part->structure));
    detail::ResultShape& shape = made->shape;
    auto append = [](auto* to, const auto& from) {
      to->insert(to->end(), from.begin(), from.end());
    };
    append(&made->leaves, part->leaves);
    append(&shape.sizes, part->shape.sizes);
    append(&shape.keys, part->shape.keys);
  }
  made->structure = Outer(InnerStructure::Tuple(std::move(structures)));
  return made;
}

Spec ScalarSpec(InnerType dtype) {
  static const Structure leaf = Outer(InnerStructure::Leaf());
  return std::make_shared<ElementSpec>(ElementSpec{
      leaf, {TensorSpec{Shape(), Outer(dtype)}}, {.sizes = {1}}});
}

// Of a dataset of such elements.
Spec DatasetsOf(const ElementSpec& elements) {
  ElementSpec spec = *ScalarSpec(InnerType::kVariant);
  spec.shape = {};
  spec.leaves = {DatasetSpec(elements)};
  return std::make_shared<ElementSpec>(std::move(spec));
}

// Datasets of one structure: the spec of all their elements.
Spec CommonSpec(const std::vector<Dataset>& datasets) {
  if (datasets.empty()) {
    throw ::gk::Error(
        ValueError("Invalid `datasets`. `datasets` should not be empty."));
  }
  Spec common = datasets[0].spec();
  for (size_t i = 1; i < datasets.size(); ++i) {
    const Spec& next = datasets[i].spec();
    const auto both = CommonElements(Inner(*common), Inner(*next));
    if (!both) {
      throw ::gk::Error(TypeError(
          "Incompatible dataset elements: dataset 0 has {}, dataset {} has {}",
          common->to_string(), i, next->to_string()));
    }
    common = Outer(*both, *common);
  }
  return common;
}

InnerTensor In(const Dataset& d) { return Inner(d.variant()); }
TensorVector In(const std::vector<Dataset>& datasets) {
  TensorVector variants;
  for (const Dataset& d : datasets) variants.push_back(In(d));
  return variants;
}

TypedDataset Typed(const Dataset& d) { return {In(d), SignatureOf(*d.spec())}; }

// A function of elements, and what it returns.
struct Traced {
  ElementFunction f;
  std::vector<Spec> specs;
};

Traced Trace(const char* name, const std::vector<Spec>& arguments,
             const ElementBody& body) {
  Traced made;
  ElementSignature all;
  for (const Spec& s : arguments) all = Joined(std::move(all), SignatureOf(*s));
  std::vector<ElementResult> results;
  made.f =
      TraceElementFunction(name, all, [&](std::span<const InnerTensor> given) {
        std::vector<ElementValue> values;
        for (const Spec& s : arguments) {
          const auto part = given.first(SignatureOf(*s).types.size());
          given = given.subspan(part.size());
          values.push_back({Outer(TensorVector(part.begin(), part.end())), s});
        }
        results = body(values);
        TensorVector tensors;
        for (const ElementResult& r : results) {
          const TensorVector own = Inner(r.parts.tensors);
          tensors.insert(tensors.end(), own.begin(), own.end());
        }
        return tensors;
      });
  size_t next = 0;
  for (const ElementResult& r : results) {
    ElementSignature own;
    for (size_t i = 0; i < r.parts.tensors.size(); ++i, ++next) {
      own.types.push_back(made.f.result.types[next]);
      own.shapes.push_back(made.f.result.shapes[next]);
    }
    made.specs.push_back(SpecOf(r, own));
  }
  return made;
}

// The same of a state and an element; `state` becomes what it settles at.
Traced TraceState(const char* name, Spec* state, const Spec& element,
                  const ElementBody& body) {
  Traced made;
  UntilFixed(Inner(**state), [&](const ::gk::ElementSpec& now) {
    *state = Outer(now, **state);
    made = Trace(name, {*state, element}, body);
    return Inner(*made.specs[0]);
  });
  return made;
}

void CheckScalar(const Traced& made, InnerType wanted, const char* what) {
  const ElementSpec& spec = *made.specs[0];
  if (spec.structure.kind() == Structure::Kind::kLeaf &&
      spec.leaves[0].kind == TypeSpec::Kind::kTensor &&
      Inner(spec.leaves[0].dtype) == wanted &&
      Inner(spec.leaves[0].shape).IsCompatibleWith(TensorShape())) {
    return;
  }
  throw ::gk::Error(ValueError(
      "Invalid `{}`. `{}` must return a {} scalar tensor, but its return type "
      "is {}.",
      what, what, DataTypeName(wanted), spec.to_string()));
}

// What the datasets that a function returns hold.
Spec NestedSpec(const Traced& made, const char* what) {
  const ElementSpec& spec = *made.specs[0];
  if (spec.structure.kind() == Structure::Kind::kLeaf &&
      spec.leaves[0].kind == TypeSpec::Kind::kDataset) {
    return spec.leaves[0].element_spec;
  }
  throw ::gk::Error(
      TypeError("The `{}` argument must return a `Dataset` object. Got {}.",
                what, spec.to_string()));
}

// Elements as the op takes and gives them.
struct Described {
  explicit Described(const ElementSpec& spec) {
    ElementSignature e = SignatureOf(spec);
    types = std::move(e.types);
    shapes = std::move(e.shapes);
  }
  std::vector<InnerType> types;
  std::vector<PartialTensorShape> shapes;
};

// Calls `op(input, types, shapes)` for a dataset of these elements.
template <class Op>
Dataset Make(const Spec& spec, Op&& op) {
  return Guarded([&] {
    EnsureReady();
    const Described d(*spec);
    return Dataset(Outer(op(d.types, d.shapes)), spec);
  });
}

using Types = const std::vector<InnerType>&;
using Shapes = const std::vector<PartialTensorShape>&;

}  // namespace

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
    if (tensors.empty()) {
      throw ::gk::Error(
          ValueError("Invalid `element`. `element` should not be empty."));
    }
    Spec spec = SpecOf(value, ::gk::SignatureOf(tensors));
    if (slices) {
      const ::gk::ElementSpec batch = Inner(*spec);
      spec = Outer(RowsOf(batch), *spec);
      if (const auto lengths = UnequalLengths(batch)) {
        throw ::gk::Error(ValueError("Dimensions {} and {} are not compatible",
                                     lengths->first, lengths->second));
      }
    }
    return Make(spec, [&](Types, Shapes shapes) {
      return slices ? ::gk::ops::TensorSliceDataset(tensors, shapes)
                    : ::gk::ops::TensorDataset(tensors, shapes);
    });
  });
}

Dataset Dataset::range(const Tensor& stop) {
  return range(int64_t{0}, stop, int64_t{1});
}
Dataset Dataset::range(const Tensor& start, const Tensor& stop,
                       const Tensor& step) {
  return Make(ScalarSpec(InnerType::kInt64), [&](Types types, Shapes shapes) {
    return ::gk::ops::RangeDataset(Int64(start), Int64(stop), Int64(step),
                                   types, shapes);
  });
}

Dataset Dataset::random(std::optional<int64_t> seed,
                        bool rerandomize_each_iteration) {
  return Make(ScalarSpec(InnerType::kInt64), [&](Types types, Shapes shapes) {
    const OpSeeds seeds = SeedsOfOp(seed);
    return ::gk::ops::RandomDatasetV2(Int64(seeds.seed), Int64(seeds.seed2),
                                      ::gk::ops::DummySeedGenerator(), types,
                                      shapes, rerandomize_each_iteration);
  });
}

Dataset Dataset::zip(const std::vector<Dataset>& datasets) {
  if (datasets.empty()) {
    ThrowPublic(TypeError("Must pass at least one dataset to `zip`."));
  }
  std::vector<Spec> specs;
  for (const Dataset& d : datasets) specs.push_back(d.spec());
  return Make(TupleOf(specs), [&](Types types, Shapes shapes) {
    return ::gk::ops::ZipDataset(In(datasets), types, shapes);
  });
}

Dataset Dataset::choose_from_datasets(const std::vector<Dataset>& datasets,
                                      const Dataset& choice,
                                      bool stop_on_empty_dataset) {
  return Guarded([&] {
    const Spec spec = CommonSpec(datasets);
    const ElementSpec& chosen = choice.element_spec();
    if (chosen.structure.kind() != Structure::Kind::kLeaf ||
        chosen.leaves[0].dtype != DataType::kInt64 ||
        !Inner(chosen.leaves[0].shape).IsCompatibleWith(TensorShape())) {
      throw ::gk::Error(TypeError(
          "Invalid `choice_dataset`. Elements of `choice_dataset` must be "
          "scalar int64 tensors but are {}.",
          chosen.to_string()));
    }
    return Make(spec, [&](Types types, Shapes shapes) {
      return ::gk::ops::DirectedInterleaveDataset(
          In(choice), In(datasets), types, shapes, stop_on_empty_dataset);
    });
  });
}

Dataset Dataset::sample_from_datasets(const std::vector<Dataset>& datasets,
                                      const SampleOptions& options) {
  return Guarded([&] {
    const Spec spec = CommonSpec(datasets);
    const ::gk::SampleOptions how{options.seed, options.stop_on_empty_dataset,
                                  options.rerandomize_each_iteration};
    return Make(spec, [&](Types types, Shapes shapes) {
      if (options.weights_of_draws) {
        return SampleByDataset(In(datasets), {types, shapes},
                               Typed(*options.weights_of_draws), how);
      }
      return SampleByWeights(In(datasets), {types, shapes},
                             InnerOrNull(options.weights), how);
    });
  });
}

Dataset Dataset::Resampled(const ElementBody& class_of, const Tensor& target,
                           const Tensor& initial,
                           std::optional<int64_t> seed) const {
  const Dataset classed = Map(
      [&](const std::vector<ElementValue>& values) {
        std::vector<ElementResult> made = class_of(values);
        const Spec both = TupleOf(std::vector{
            SpecOf(made[0], ::gk::SignatureOf(Inner(made[0].parts.tensors))),
            values[0].spec});
        ElementResult& pair = made[0];
        size_t first = pair.parts.tensors.size();
        pair.parts.tensors.insert(pair.parts.tensors.end(),
                                  values[0].tensors.begin(),
                                  values[0].tensors.end());
        for (const TypeSpec& leaf : values[0].spec->leaves) {
          ElementSignature own;
          Inner(leaf).AddComponents(&own);
          const size_t count = own.types.size();
          if (leaf.kind != TypeSpec::Kind::kTensor) {
            pair.leaves.entries.push_back(
                {first, count, std::make_shared<TypeSpec>(leaf)});
          }
          first += count;
        }
        pair.parts.shape = both->shape;
        pair.structure = both->structure;
        return made;
      },
      {});
  return Guarded([&] {
    const InnerTensor made = RejectionResample(Typed(classed), Inner(target),
                                               InnerOrNull(initial), seed);
    return made ? Dataset(Outer(made), classed.spec()) : classed;
  });
}

// --- Functions of elements.

Dataset Dataset::Map(const ElementBody& body,
                     const ParallelOptions& options) const {
  return Guarded([&] {
    const Traced made = Trace("Dataset_map", {spec()}, body);
    const auto& [f, captured, result] = made.f;
    if (result.types.empty()) {
      throw ::gk::Error(
          ValueError("Invalid `element`. `element` should not be empty."));
    }
    return Make(made.specs[0], [&](Types types, Shapes shapes) {
      if (!options.num_parallel_calls.defined()) {
        return ::gk::ops::MapDataset(In(*this), captured, f, types, shapes,
                                     /*use_inter_op_parallelism=*/true,
                                     /*preserve_cardinality=*/true);
      }
      return ::gk::ops::ParallelMapDatasetV2(
          In(*this), captured, Int64(options.num_parallel_calls), f, types,
          shapes, /*use_inter_op_parallelism=*/true, "default",
          /*preserve_cardinality=*/true);
    });
  });
}

Dataset Dataset::Where(const ElementBody& body, bool ends) const {
  return Guarded([&] {
    const Traced made =
        Trace(ends ? "Dataset_take_while" : "Dataset_filter", {spec()}, body);
    CheckScalar(made, InnerType::kBool, "predicate");
    return Make(spec(), [&](Types types, Shapes shapes) {
      const auto& [f, captured, result] = made.f;
      return ends ? ::gk::ops::TakeWhileDataset(In(*this), captured, f, types,
                                                shapes)
                  : ::gk::ops::FilterDataset(In(*this), captured, f, types,
                                             shapes);
    });
  });
}

Dataset Dataset::Flat(const ElementBody& body,
                      const InterleaveOptions* turns) const {
  return Guarded([&] {
    const Traced made = Trace(turns ? "Dataset_interleave" : "Dataset_flat_map",
                              {spec()}, body);
    return Make(NestedSpec(made, "map_func"), [&](Types types, Shapes shapes) {
      const auto& [f, captured, result] = made.f;
      if (turns == nullptr) {
        return ::gk::ops::FlatMapDataset(In(*this), captured, f, types, shapes);
      }
      const InnerTensor cycle = Int64(turns->cycle_length);
      const InnerTensor block = Int64(turns->block_length);
      if (!turns->num_parallel_calls.defined()) {
        return ::gk::ops::InterleaveDataset(In(*this), captured, cycle, block,
                                            f, types, shapes);
      }
      return ::gk::ops::ParallelInterleaveDatasetV4(
          In(*this), captured, cycle, block, Int64(-1), Int64(-1),
          Int64(turns->num_parallel_calls), f, types, shapes,
          turns->deterministic ? "default" : "false");
    });
  });
}

Dataset Dataset::Scan(const ElementResult& initial,
                      const ElementBody& body) const {
  return Guarded([&] {
    EnsureReady();
    const TensorVector start = Inner(initial.parts.tensors);
    Spec state = SpecOf(initial, ::gk::SignatureOf(start));
    const Traced made = TraceState("Dataset_scan", &state, spec(), body);
    return Make(made.specs[1], [&](Types types, Shapes shapes) {
      return ::gk::ops::ScanDataset(In(*this), start, made.f.captured,
                                    made.f.function, types, shapes,
                                    /*preserve_cardinality=*/true,
                                    /*use_default_device=*/false);
    });
  });
}

ElementValue Dataset::Reduce(const ElementResult& initial,
                             const ElementBody& body) const {
  return Guarded([&] {
    EnsureReady();
    const TensorVector start = Inner(initial.parts.tensors);
    Spec state = SpecOf(initial, ::gk::SignatureOf(start));
    const Traced made = TraceState("Dataset_reduce", &state, spec(), body);
    const Described d(*state);
    return ElementValue{
        Outer(::gk::ops::ReduceDataset(In(*this), start, made.f.captured,
                                       made.f.function, d.types, d.shapes)),
        state};
  });
}

Dataset Dataset::Grouped(const ElementBody& key, const ElementBody& reduce,
                         const Tensor& size) const {
  return Guarded([&] {
    EnsureReady();
    const Spec key_spec = ScalarSpec(InnerType::kInt64);
    auto wide = [&](const std::vector<ElementValue>& values) {
      std::vector<ElementResult> results = key(values);
      std::vector<Tensor>& tensors = results[0].parts.tensors;
      if (tensors.size() == 1) tensors[0] = Outer(Int64(tensors[0]));
      return results;
    };
    const Traced keys = Trace("Dataset_group_by_window_key", {spec()}, wide);
    CheckScalar(keys, InnerType::kInt64, "key_func");
    const InnerTensor length = Int64(size);
    const Traced sizes = Trace(
        "Dataset_group_by_window_size", {key_spec},
        [&](const std::vector<ElementValue>&) {
          return std::vector{detail::ResultOf(Outer(InnerTensor(length)))};
        });
    const Spec group = DatasetsOf(*spec());
    const Traced made =
        Trace("Dataset_group_by_window_reduce", {key_spec, group}, reduce);
    return Make(NestedSpec(made, "reduce_func"), [&](Types types,
                                                     Shapes shapes) {
      return ::gk::ops::GroupByWindowDataset(
          In(*this), keys.f.captured, made.f.captured, sizes.f.captured,
          keys.f.function, made.f.function, sizes.f.function, types, shapes);
    });
  });
}

// --- Several elements at a time.

Dataset Dataset::batch(const Tensor& size, const BatchOptions& options) const {
  return Guarded([&] {
    EnsureReady();
    const InnerTensor n = Int64(size), drop = Bool(options.drop_remainder);
    const Spec batched =
        Outer(Batched(Inner(*spec()), KnownBatchSize(n, drop)), *spec());
    return Make(batched, [&](Types types, Shapes shapes) {
      if (!options.num_parallel_calls.defined()) {
        return ::gk::ops::BatchDatasetV2(In(*this), n, drop, types, shapes);
      }
      return ::gk::ops::ParallelBatchDataset(
          In(*this), n, Int64(options.num_parallel_calls), drop, types, shapes);
    });
  });
}

Dataset Dataset::padded_batch(const Tensor& size,
                              const PaddedBatchOptions& options) const {
  return Guarded([&] {
    EnsureReady();
    ::gk::ElementSpec made = Inner(*spec());
    for (const TypeSpec& leaf : spec()->leaves) {
      if (leaf.kind == TypeSpec::Kind::kTensor) continue;
      throw ::gk::Error(TypeError(
          "`padded_batch` is only supported for datasets that produce tensor "
          "elements but type spec of elements in the input dataset is not a "
          "subclass of TensorSpec: `{}`.",
          leaf.to_string()));
    }
    const ElementSignature e = ::gk::SignatureOf(made);
    const ElementSignature padded = PaddedTo(
        e, options.padded_shapes.empty() ? OwnPaddedShapes(e)
                                         : InnerList(options.padded_shapes));
    TensorVector to, values = Inner(options.padding_values);
    for (size_t i = 0; i < e.types.size(); ++i) {
      const auto dims = padded.shapes[i].dims();
      to.push_back(IntsTensor(dims, InnerType::kInt64));
      if (options.padding_values.empty()) {
        values.push_back(ConstantHere(
            ValueOrThrow(InnerTensor::Zeros(e.types[i], TensorShape()))));
      }
      if (i >= values.size() || values[i].dtype() != e.types[i]) {
        throw ::gk::Error(TypeError(
            "Invalid `padding_values`. {} values were given for {} "
            "components, of which component {} is of dtype {}",
            values.size(), e.types.size(), i, DataTypeName(e.types[i])));
      }
    }
    const InnerTensor n = Int64(size), drop = Bool(options.drop_remainder);
    for (size_t i = 0; i < made.leaves.size(); ++i) {
      made.leaves[i].shape = padded.shapes[i];
    }
    const Spec batched =
        Outer(Batched(made, KnownBatchSize(n, drop)), *spec());
    return Make(batched, [&](Types, Shapes shapes) {
      return ::gk::ops::PaddedBatchDatasetV2(In(*this), n, to, values, drop,
                                             shapes);
    });
  });
}

Tensor Dataset::ComponentsOfRows() const {
  bool tensors = true;
  for (const TypeSpec& leaf : spec()->leaves) {
    tensors = tensors && leaf.kind == TypeSpec::Kind::kTensor;
  }
  if (tensors) return variant();
  const ::gk::ElementSpec elements = Inner(*spec());
  const ElementFunction f = TraceElementFunction(
      "Dataset_unbatch_rows", ::gk::SignatureOf(elements),
      [&](std::span<const InnerTensor> components) {
        return RowsOfComponents(elements, components);
      });
  return Outer(::gk::ops::MapDataset(
      In(*this), f.captured, f.function, f.result.types, f.result.shapes,
      /*use_inter_op_parallelism=*/true, /*preserve_cardinality=*/true));
}

Dataset Dataset::unbatch() const {
  return Guarded([&] {
    EnsureReady();
    const ::gk::ElementSpec batch = Inner(*spec());
    const Spec rows = Outer(RowsOf(batch), *spec());
    if (const auto lengths = UnequalLengths(batch)) {
      throw ::gk::Error(ValueError(
          "`unbatch()` is only supported for datasets of elements whose "
          "components have a matching leading dimension. Encountered both {} "
          "and {}.",
          lengths->first, lengths->second));
    }
    return Make(rows, [&](Types types, Shapes shapes) {
      return ::gk::ops::UnbatchDataset(Inner(ComponentsOfRows()), types,
                                       shapes);
    });
  });
}

Dataset Dataset::rebatch(const Tensor& size, bool drop_remainder) const {
  return Guarded([&] {
    EnsureReady();
    const InnerTensor n = Int64(size), drop = Bool(drop_remainder);
    const Spec batched = Outer(
        Batched(RowsOf(Inner(*spec())), KnownBatchSize(n, drop)), *spec());
    return Make(batched, [&](Types types, Shapes shapes) {
      return ::gk::ops::RebatchDatasetV2(Inner(ComponentsOfRows()), n, drop,
                                         types, shapes);
    });
  });
}

Dataset Dataset::window(const Tensor& size,
                        const WindowOptions& options) const {
  auto windows = std::make_shared<ElementSpec>(*spec());
  windows->shape = {};
  for (TypeSpec& leaf : windows->leaves) {
    ElementSpec part = *ScalarSpec(InnerType::kVariant);
    if (leaf.kind != TypeSpec::Kind::kTensor) part.shape = {};
    part.leaves = {leaf};
    leaf = DatasetSpec(part);
  }
  return Make(windows, [&](Types types, Shapes shapes) {
    return ::gk::ops::WindowDataset(
        In(*this), Int64(size),
        Int64(options.shift.defined() ? options.shift : size),
        Int64(options.stride), Bool(options.drop_remainder), types, shapes);
  });
}

// --- The same elements: fewer, more, in another order or at other times.

Dataset Dataset::take(const Tensor& count) const {
  return Make(spec(), [&](Types types, Shapes shapes) {
    return ::gk::ops::TakeDataset(In(*this), Int64(count), types, shapes);
  });
}
Dataset Dataset::skip(const Tensor& count) const {
  return Make(spec(), [&](Types types, Shapes shapes) {
    return ::gk::ops::SkipDataset(In(*this), Int64(count), types, shapes);
  });
}
Dataset Dataset::repeat(const Tensor& count) const {
  return Make(spec(), [&](Types types, Shapes shapes) {
    return ::gk::ops::RepeatDataset(In(*this), Int64(count), types, shapes);
  });
}
Dataset Dataset::shard(const Tensor& num_shards, const Tensor& index) const {
  return Make(spec(), [&](Types types, Shapes shapes) {
    return ::gk::ops::ShardDataset(In(*this), Int64(num_shards), Int64(index),
                                   types, shapes);
  });
}

Dataset Dataset::shuffle(const Tensor& buffer_size,
                         const ShuffleOptions& options) const {
  return Make(spec(), [&](Types types, Shapes shapes) {
    const OpSeeds seeds = SeedsOfOp(options.seed);
    return ::gk::ops::ShuffleDatasetV3(
        In(*this), Int64(buffer_size), Int64(seeds.seed), Int64(seeds.seed2),
        ::gk::ops::DummySeedGenerator(), types, shapes,
        options.reshuffle_each_iteration);
  });
}

Dataset Dataset::prefetch(const Tensor& buffer_size) const {
  return Make(spec(), [&](Types types, Shapes shapes) {
    return ::gk::ops::PrefetchDataset(In(*this), Int64(buffer_size), types,
                                      shapes, /*slack_period=*/0,
                                      /*legacy_autotune=*/false);
  });
}

Dataset Dataset::cache(const std::string& filename) const {
  return Make(spec(), [&](Types types, Shapes shapes) {
    return ::gk::ops::CacheDatasetV2(In(*this), Inner(Tensor(filename)),
                                     ::gk::ops::DummyMemoryCache(), types,
                                     shapes);
  });
}

Dataset Dataset::enumerate(const Tensor& start) const {
  return zip({range(start, std::numeric_limits<int64_t>::max()), *this});
}

Dataset Dataset::concatenate(const Dataset& other) const {
  return Guarded([&] {
    return Make(CommonSpec({*this, other}), [&](Types types, Shapes shapes) {
      return ::gk::ops::ConcatenateDataset(In(*this), In(other), types, shapes);
    });
  });
}

Dataset Dataset::unique() const {
  return Guarded([&] {
    for (const TypeSpec& leaf : spec()->leaves) {
      const InnerType t = leaf.kind == TypeSpec::Kind::kTensor
                              ? Inner(leaf.dtype)
                              : InnerType::kVariant;
      if (t == InnerType::kInt32 || t == InnerType::kInt64 ||
          t == InnerType::kString) {
        continue;
      }
      throw ::gk::Error(TypeError(
          "`Dataset.unique` does not support type {} -- only int32, int64 and "
          "string are supported.",
          DataTypeName(t)));
    }
    return Make(spec(), [&](Types types, Shapes shapes) {
      return ::gk::ops::UniqueDataset(In(*this), types, shapes);
    });
  });
}

Dataset Dataset::ignore_errors() const {
  return Make(spec(), [&](Types types, Shapes shapes) {
    return ::gk::ops::IgnoreErrorsDataset(In(*this), types, shapes);
  });
}

// --- The elements.

Tensor Dataset::cardinality() const {
  return Guarded(
      [&] { return Outer(::gk::ops::DatasetCardinality(In(*this))); });
}

DatasetElement Dataset::get_single_element() const {
  return Guarded([&] {
    const Described d(*spec());
    return DatasetElement(
        {Outer(::gk::ops::DatasetToSingleElement(In(*this), d.types, d.shapes)),
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

// --- Optionals and iterators.

Optional Optional::FromValue(const ElementResult& value) {
  return Guarded([&] {
    const TensorVector parts = Inner(value.parts.tensors);
    return Optional(Outer(::gk::ops::OptionalFromValue(parts)),
                    SpecOf(value, ::gk::SignatureOf(parts)));
  });
}

Optional Optional::empty(const ElementSpec& element_spec) {
  return Guarded([&] {
    EnsureReady();
    return Optional(Outer(::gk::ops::OptionalNone()),
                    std::make_shared<ElementSpec>(element_spec));
  });
}

Tensor Optional::has_value() const {
  return Guarded(
      [&] { return Outer(::gk::ops::OptionalHasValue(Inner(variant_))); });
}

DatasetElement Optional::get_value() const {
  return Guarded([&] {
    const Described d(*spec_);
    return DatasetElement(
        {Outer(::gk::ops::OptionalGetValue(Inner(variant_), d.types, d.shapes)),
         spec_});
  });
}

Iterator::Iterator(const Dataset& dataset) : spec_(dataset.spec()) {
  Guarded([&] {
    EnsureReady();
    const Described d(*spec_);
    handle_ = Outer(::gk::ops::AnonymousIteratorV3(d.types, d.shapes));
    ::gk::ops::MakeIterator(In(dataset), Inner(handle_));
  });
}

DatasetElement Iterator::get_next() const {
  return Guarded([&] {
    const Described d(*spec_);
    return DatasetElement(
        {Outer(::gk::ops::IteratorGetNext(Inner(handle_), d.types, d.shapes)),
         spec_});
  });
}

Optional Iterator::get_next_as_optional() const {
  return Guarded([&] {
    const Described d(*spec_);
    return Optional(Outer(::gk::ops::IteratorGetNextAsOptional(
                        Inner(handle_), d.types, d.shapes)),
                    spec_);
  });
}

namespace {

const Dataset& Iterable(const Dataset& dataset) {
  EnsureReady();
  if (OpBuilder::Current()->builds_graph()) {
    ThrowPublic(RuntimeError(
        "A Dataset cannot be iterated over in a function that is traced: use "
        "reduce()"));
  }
  return dataset;
}

}  // namespace

DatasetIterator::DatasetIterator(const Dataset& dataset)
    : at_(Iterable(dataset)) {
  ++*this;
}

DatasetIterator& DatasetIterator::operator++() {
  element_.reset();
  try {
    element_.emplace(at_.get_next());
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kOutOfRange) throw;
  }
  return *this;
}

}  // namespace gk::api
