// Datasets of what functions make of elements.
#include "data/debug_mode.h"
#include "function/dataset_steps.h"
#include "ops/composition.h"
#include "ops/fn/FilterDataset.h"
#include "ops/fn/FlatMapDataset.h"
#include "ops/fn/GroupByWindowDataset.h"
#include "ops/fn/InterleaveDataset.h"
#include "ops/fn/MapDataset.h"
#include "ops/fn/ParallelInterleaveDatasetV4.h"
#include "ops/fn/ParallelMapDatasetV2.h"
#include "ops/fn/ReduceDataset.h"
#include "ops/fn/ScanDataset.h"
#include "ops/fn/TakeWhileDataset.h"

namespace gk::steps {
namespace {

bool IsScalar(const Described& e, DataType type) {
  return e.is_tensor && e.components.types[0] == type &&
         e.components.shapes[0].IsCompatibleWith(TensorShape());
}

void CheckPredicate(const Described& returned) {
  if (IsScalar(returned, DataType::kBool)) return;
  throw Error(ValueError(
      "Invalid `predicate`. `predicate` must return a `tf.bool` scalar "
      "tensor, but its return type is {}.",
      returned.text()));
}

}  // namespace

std::string_view Parallel::Order() const {
  if (!deterministic) return "default";
  return *deterministic ? "true" : "false";
}

TypedDataset Map(const TypedDataset& d, const ElementFunction& f,
                 const MapOptions& options) {
  const ElementSignature& e = f.result;
  if (e.types.empty()) {
    throw Error(
        ValueError("Invalid `element`. `element` should not be empty."));
  }
  if (!options.parallel.calls || DatasetDebugMode()) {
    return {ops::MapDataset(d.variant, f.captured, f.function, e.types,
                            e.shapes, /*use_inter_op_parallelism=*/true,
                            /*preserve_cardinality=*/true, options.synchronous),
            e};
  }
  return {
      ops::ParallelMapDatasetV2(
          d.variant, f.captured, options.parallel.calls, f.function, e.types,
          e.shapes, /*use_inter_op_parallelism=*/true, options.parallel.Order(),
          /*preserve_cardinality=*/true, options.use_unbounded_threadpool),
      e};
}

TypedDataset Filter(const TypedDataset& d, const ElementFunction& f,
                    const Described& returned) {
  CheckPredicate(returned);
  const auto& [variant, e] = d;
  return {
      ops::FilterDataset(variant, f.captured, f.function, e.types, e.shapes),
      e};
}
TypedDataset TakeWhile(const TypedDataset& d, const ElementFunction& f,
                       const Described& returned) {
  CheckPredicate(returned);
  const auto& [variant, e] = d;
  return {
      ops::TakeWhileDataset(variant, f.captured, f.function, e.types, e.shapes),
      e};
}

TypedDataset FlatMap(const TypedDataset& d, const ElementFunction& f,
                     const ElementSignature& inner) {
  return {ops::FlatMapDataset(d.variant, f.captured, f.function, inner.types,
                              inner.shapes),
          inner};
}

TypedDataset Interleave(const TypedDataset& d, const ElementFunction& f,
                        const ElementSignature& inner, const Turns& turns) {
  auto number = [](const Tensor& given, int64_t otherwise,
                   std::string_view name) {
    return given ? given : IntegerOf(otherwise, DataType::kInt64, name);
  };
  const Tensor cycle = number(turns.cycle_length, -1, "cycle_length");
  const Tensor block = number(turns.block_length, 1, "block_length");
  if (!turns.parallel.calls || DatasetDebugMode()) {
    return {ops::InterleaveDataset(d.variant, f.captured, cycle, block,
                                   f.function, inner.types, inner.shapes),
            inner};
  }
  const Tensor output = number({}, -1, "buffer_output_elements");
  const Tensor input = number({}, -1, "prefetch_input_elements");
  return {ops::ParallelInterleaveDatasetV4(
              d.variant, f.captured, cycle, block, output, input,
              turns.parallel.calls, f.function, inner.types, inner.shapes,
              turns.parallel.Order()),
          inner};
}

void NoDataset(Text returned) {
  throw Error(
      TypeError("The `map_func` argument must return a `Dataset` object. Got "
                "{}.",
                returned()));
}

TypedDataset Scan(const TypedDataset& d, const TensorVector& state,
                  const ElementFunction& f, const ElementSignature& made) {
  return {ops::ScanDataset(d.variant, state, f.captured, f.function, made.types,
                           made.shapes, /*preserve_cardinality=*/true,
                           /*use_default_device=*/false),
          made};
}

TensorVector Reduce(const TypedDataset& d, const TensorVector& state,
                    const ElementFunction& f, const ElementSignature& settled) {
  return ops::ReduceDataset(d.variant, state, f.captured, f.function,
                            settled.types, settled.shapes);
}

TypedDataset GroupByWindow(const TypedDataset& d, const ElementFunction& key,
                           const ElementFunction& size,
                           const ElementFunction& reduce,
                           const ElementSignature& inner) {
  return {
      ops::GroupByWindowDataset(d.variant, key.captured, reduce.captured,
                                size.captured, key.function, reduce.function,
                                size.function, inner.types, inner.shapes),
      inner};
}

void CheckWindowSize(bool size, bool size_func) {
  if (size && size_func) {
    throw Error(ValueError(
        "Must pass either `window_size` or `window_size_func`. The "
        "`window_size` argument and the `window_size_func` argument can not be "
        "specified at the same time."));
  }
  if (!size && !size_func) {
    throw Error(ValueError(
        "Either the `window_size` argument or the `window_size_func` argument "
        "must be specified."));
  }
}

void CheckInteger(std::string_view name, const Described& returned) {
  if (IsScalar(returned, DataType::kInt64)) return;
  throw Error(ValueError(
      "Invalid `{}`. `{}` must return a single `tf.int64` scalar tensor but "
      "its return type is {}.",
      name, name, returned.text()));
}

void NoGroups(Text returned) {
  throw Error(
      TypeError("Invalid `reduce_func`. `reduce_func` must return a single "
                "`tf.data.Dataset` object but its return type is {}.",
                returned()));
}

ElementFunction SameSize(const Tensor& size) {
  return TraceElementFunction("Dataset_group_by_window_window_size",
                              {{DataType::kInt64}, {TensorShape()}},
                              [&](auto) { return TensorVector{size}; });
}

}  // namespace gk::steps
