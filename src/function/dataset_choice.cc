#include "function/dataset_choice.h"

#include <limits>

#include "ops/composition.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/BatchDatasetV2.h"
#include "ops/fn/Cast.h"
#include "ops/fn/DirectedInterleaveDataset.h"
#include "ops/fn/DummySeedGenerator.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Fill.h"
#include "ops/fn/FilterDataset.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Less.h"
#include "ops/fn/Log.h"
#include "ops/fn/MapDataset.h"
#include "ops/fn/Max.h"
#include "ops/fn/Min.h"
#include "ops/fn/OneHot.h"
#include "ops/fn/Pack.h"
#include "ops/fn/PrefetchDataset.h"
#include "ops/fn/RandomDatasetV2.h"
#include "ops/fn/RandomUniform.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/RepeatDataset.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/ScanDataset.h"
#include "ops/fn/Size.h"
#include "ops/fn/StatelessMultinomial.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/fn/TensorDataset.h"
#include "ops/fn/Tile.h"
#include "ops/fn/UnbatchDataset.h"
#include "ops/fn/ZipDataset.h"
#include "ops/random/random_seeds.h"

namespace gk {
namespace {

using Components = std::span<const Tensor>;
using ComponentsFn = FunctionRef<TensorVector(Components)>;

// Batches whose classes are counted together, and what each class is counted
// as having been seen before.
constexpr int64_t kCounted = 32, kSmoothing = 10;

Tensor Int64Of(int64_t value) { return IntegerOf(value, DataType::kInt64); }

TypedDataset Mapped(const TypedDataset& d, std::string name, ComponentsFn f) {
  ElementFunction made = TraceElementFunction(std::move(name), d.elements, f);
  Tensor variant = ops::MapDataset(
      d.variant, made.captured, made.function, made.result.types,
      made.result.shapes, /*use_inter_op_parallelism=*/true,
      /*preserve_cardinality=*/true);
  return {std::move(variant), std::move(made.result)};
}

TypedDataset Zipped(const TypedDataset& a, const TypedDataset& b) {
  ElementSignature both = Joined(a.elements, b.elements);
  const TensorVector variants{a.variant, b.variant};
  Tensor variant = ops::ZipDataset(variants, both.types, both.shapes);
  return {std::move(variant), std::move(both)};
}

TypedDataset Batched(const TypedDataset& d, int64_t size) {
  ElementSignature e = Stacked(d.elements, -1);
  Tensor variant =
      ops::BatchDatasetV2(d.variant, Int64Of(size),
                          NumberOf(0, DataType::kBool), e.types, e.shapes);
  return {std::move(variant), std::move(e)};
}

// Pairs of random numbers, each the seed of a draw.
TypedDataset DrawSeeds(const SampleOptions& options) {
  const OpSeeds seeds = SeedsOfOp(options.seed);
  const ElementSignature number{{DataType::kInt64}, {TensorShape()}};
  Tensor variant = ops::RandomDatasetV2(
      Int64Of(seeds.seed), Int64Of(seeds.seed2), ops::DummySeedGenerator(),
      number.types, number.shapes, options.rerandomize_each_iteration);
  return Batched({std::move(variant), number}, 2);
}

Tensor Draw(const Tensor& logits, const Tensor& seed) {
  const std::vector<int64_t> row{1, -1};
  const Tensor drawn = ops::StatelessMultinomial(
      ops::Reshape(logits, IndicesOf(row)), Int32Of(1), seed);
  return ops::Reshape(drawn, IndicesOf({}));
}

Tensor Directed(const TypedDataset& selector, Components datasets,
                const ElementSignature& elements,
                const SampleOptions& options) {
  return ops::DirectedInterleaveDataset(selector.variant, datasets,
                                        elements.types, elements.shapes,
                                        options.stop_on_empty_dataset);
}

// How likely elements of each class are kept, and how often one is taken as it
// comes: what is left of the target when the rarest class is kept whole is
// drawn from the dataset itself.
TensorVector Acceptance(const Tensor& initial, const Tensor& target) {
  const DataType dtype = initial.dtype();
  const double least = dtype == DataType::kDouble
                           ? std::numeric_limits<double>::min()
                           : std::numeric_limits<float>::min();
  const Tensor wanted =
      target.dtype() == dtype ? target : ops::Cast(target, dtype);
  const Tensor ratio =
      ops::RealDiv(wanted, ops::AddV2(initial, NumberOf(least, dtype)));
  const Tensor axis = Int32Of(0);
  const Tensor low = ops::Min(ratio, axis), high = ops::Max(ratio, axis);
  return {ops::RealDiv(ops::Sub(ratio, low), ops::Sub(high, low)), low};
}

// Of each class, as estimated from the elements so far: one vector for each
// element.
TypedDataset Frequencies(const TypedDataset& classes, const Tensor& target) {
  const Tensor n = ops::Size(target);
  auto update = [&](Components given) -> TensorVector {
    const Tensor one = Int64Of(1), zero = Int64Of(0), axis = Int32Of(0);
    const Tensor hot = ops::OneHot(given[1], n, one, zero);
    const Tensor seen = ops::AddV2(given[0], ops::Sum(hot, axis));
    auto wide = [](const Tensor& t) { return ops::Cast(t, DataType::kDouble); };
    const Tensor estimate = ops::Cast(
        ops::RealDiv(wide(seen), wide(ops::Sum(seen, axis))), DataType::kFloat);
    const std::vector<int64_t> times{kCounted, 1};
    return {seen, ops::Tile(ops::ExpandDims(estimate, axis), IndicesOf(times))};
  };
  const std::vector<int64_t> vector{1};
  const TensorVector start{
      ops::Fill(ops::Reshape(n, IndicesOf(vector)), Int64Of(kSmoothing))};
  const TypedDataset batches = Batched(classes, kCounted);
  ElementSignature state = SignatureOf(start);
  const ElementFunction f =
      TraceUntilFixed(&state, [&](const ElementSignature& s) {
        return TraceElementFunction("Dataset_scan_update",
                                    Joined(s, batches.elements), update);
      });
  const ElementSignature rows{{f.result.types[1]}, {f.result.shapes[1]}};
  const Tensor scanned = ops::ScanDataset(
      batches.variant, start, f.captured, f.function, rows.types, rows.shapes,
      /*preserve_cardinality=*/true, /*use_default_device=*/false);
  ElementSignature each = RowsOf(rows);
  Tensor variant = ops::UnbatchDataset(scanned, each.types, each.shapes);
  return {std::move(variant), std::move(each)};
}

// The elements of `classed` that are kept: by the likelihood of their class,
// of which `accepted` has a vector for each.
TypedDataset Kept(const TypedDataset& accepted, const TypedDataset& classed,
                  std::optional<int64_t> seed) {
  const TypedDataset gathered = Mapped(
      Zipped(accepted, classed), "Dataset_map_gathered",
      [](Components c) -> TensorVector {
        TensorVector made(c.begin(), c.end());
        made[0] = ops::GatherV2(c[0], c[1], Int32Of(0));
        return made;
      });
  const ElementFunction keeps = TraceElementFunction(
      "Dataset_filter_keeps", gathered.elements,
      [&](Components c) -> TensorVector {
        const OpSeeds seeds = SeedsOfOp(seed);
        const Tensor drawn = ops::RandomUniform(IndicesOf({}), c[0].dtype(),
                                                seeds.seed, seeds.seed2);
        return {ops::Less(drawn, c[0])};
      });
  const ElementSignature& e = gathered.elements;
  const Tensor filtered = ops::FilterDataset(gathered.variant, keeps.captured,
                                             keeps.function, e.types, e.shapes);
  TypedDataset kept = Mapped(
      {filtered, e}, "Dataset_map_kept", [](Components c) -> TensorVector {
        return {c.begin() + 1, c.end()};
      });
  kept.variant = ops::PrefetchDataset(
      kept.variant, Int64Of(3), kept.elements.types, kept.elements.shapes,
      /*slack_period=*/0, /*legacy_autotune=*/false);
  return kept;
}

}  // namespace

Tensor SampleByWeights(Components datasets, const ElementSignature& elements,
                       const Tensor& weights, const SampleOptions& options) {
  const auto n = static_cast<int64_t>(datasets.size());
  Tensor logits;
  if (weights) {
    if (weights.dtype() != DataType::kFloat &&
        weights.dtype() != DataType::kDouble) {
      throw Error(TypeError(
          "Invalid `weights`. `weights` type must be either `tf.float32` or "
          "`tf.float64` but is <dtype: '{}'>.",
          DataTypeName(weights.dtype())));
    }
    if (!weights.partial_shape().IsCompatibleWith(TensorShape({n}))) {
      throw Error(ValueError(
          "Invalid `weights`. The shape of `weights` should be compatible "
          "with `[{}]` but is {}.",
          n, weights.partial_shape().PythonString()));
    }
    logits = ops::Log(weights);
  } else {
    const std::vector<int64_t> dims{n};
    logits = ops::Fill(IndicesOf(dims), NumberOf(1, DataType::kFloat));
  }
  const TypedDataset selector =
      Mapped(DrawSeeds(options), "Dataset_map_draw",
             [&](Components seed) -> TensorVector {
               return {Draw(logits, seed[0])};
             });
  return Directed(selector, datasets, elements, options);
}

Tensor SampleByDataset(Components datasets, const ElementSignature& elements,
                       const TypedDataset& weights,
                       const SampleOptions& options) {
  const TypedDataset selector =
      Mapped(Zipped(weights, DrawSeeds(options)), "Dataset_map_draw",
             [](Components c) -> TensorVector {
               const Components given = c.first(c.size() - 1);
               return {Draw(ops::Log(given.size() == 1 ? given[0]
                                                       : ops::Pack(given)),
                            c.back())};
             });
  return Directed(selector, datasets, elements, options);
}

Tensor RejectionResample(const TypedDataset& classed, const Tensor& target,
                         const Tensor& initial, std::optional<int64_t> seed) {
  TypedDataset mixed;  // what Acceptance gives, for each element
  double whole = -1;   // how much is taken as it comes, if that is known
  if (initial) {
    const TensorVector known = Acceptance(initial, target);
    const ElementSignature e = SignatureOf(known);
    mixed = {ops::RepeatDataset(ops::TensorDataset(known, e.shapes),
                                Int64Of(-1), e.types, e.shapes),
             e};
    if (const Tensor low = known[1].KnownValue()) {
      whole = low.dtype() == DataType::kDouble ? *low.data<double>()
                                               : *low.data<float>();
      if (whole == 1) return {};
    }
  } else {
    const TypedDataset classes =
        Mapped(classed, "Dataset_map_class",
               [](Components c) { return TensorVector{c[0]}; });
    mixed = Mapped(Frequencies(classes, target), "Dataset_map_acceptance",
                   [&](Components c) { return Acceptance(c[0], target); });
  }
  const TypedDataset accepted =
      Mapped(mixed, "Dataset_map_accepted",
             [](Components c) { return TensorVector{c[0]}; });
  const TypedDataset kept = Kept(accepted, classed, seed);
  if (whole == 0) return kept.variant;
  const TypedDataset weights = Mapped(
      mixed, "Dataset_map_weights", [](Components c) -> TensorVector {
        const Tensor rest = ops::Sub(NumberOf(1, c[1].dtype()), c[1]);
        return {ops::Pack(TensorVector{c[1], rest})};
      });
  const TensorVector both{classed.variant, kept.variant};
  return SampleByDataset(both, classed.elements, weights,
                         {.seed = seed, .stop_on_empty_dataset = true});
}

}  // namespace gk
