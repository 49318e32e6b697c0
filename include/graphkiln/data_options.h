// DataOptions: what a dataset is told about how it is run. None of it changes
// what the elements are. It is written into graphs as TensorFlow writes it.
//
//   gk::DataOptions options;
//   options.deterministic = false;
//   options.threading.private_threadpool_size = 4;
//   auto data = gk::Dataset::range(3).with_options(options);
//   data.options().threading.private_threadpool_size == 4
//
// What is not set is left to the library, or to what is said later.
#ifndef GRAPHKILN_DATA_OPTIONS_H_
#define GRAPHKILN_DATA_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <graphkiln/export.h>

namespace gk {
GK_API_NAMESPACE {

// How a dataset is divided among workers.
enum class AutoShardPolicy : int {
  kOff = -1,
  kAuto = 0,
  kFile = 1,
  kData = 2,
  kHint = 3,
};
// How parallelism and buffers are chosen.
enum class AutotuneAlgorithm : int {
  kDefault = 0,
  kHillClimb = 1,
  kGradientDescent = 2,
  kMaxParallelism = 3,
  kStageBased = 4,
};
// What happens to state outside of a dataset that is saved.
enum class ExternalStatePolicy : int { kWarn = 0, kIgnore = 1, kFail = 2 };

// How parallelism and buffers that are kAutotune follow the consumer: as much
// is made in advance as keeps it from waiting; if they are not `enabled` to, as
// much as may be. `ram_budget`: bytes that one step may have made in advance.
// The algorithm and the bounds of parallelism are kept, but without effect.
struct AutotuneOptions {
  std::optional<bool> enabled = {};
  std::optional<int64_t> cpu_budget = {}, ram_budget = {};
  std::optional<AutotuneAlgorithm> autotune_algorithm = {};
  std::optional<int64_t> initial_parallelism = {}, min_parallelism = {};
  bool operator==(const AutotuneOptions&) const = default;
};
// How many workers share a dataset; kept, but without effect here.
struct DistributeOptions {
  AutoShardPolicy auto_shard_policy = AutoShardPolicy::kAuto;
  std::optional<int64_t> num_devices = {};
  bool operator==(const DistributeOptions&) const = default;
};
// Which rewritings of a dataset are wished for. Elements are the same with and
// without. These are made: noop_elimination, unless it or
// apply_default_optimizations is false, map_parallelization, parallel_batch and
// inject_prefetch; the others are kept, but without effect here.
struct OptimizationOptions {
  std::optional<bool> apply_default_optimizations = {}, filter_fusion = {},
                      filter_parallelization = {}, inject_prefetch = {},
                      map_and_batch_fusion = {}, map_and_filter_fusion = {},
                      map_fusion = {}, map_parallelization = {},
                      noop_elimination = {}, parallel_batch = {},
                      seq_interleave_prefetch = {},
                      shuffle_and_repeat_fusion = {};
  bool operator==(const OptimizationOptions&) const = default;
};
// For a service that makes elements elsewhere; there is none here.
struct ServiceOptions {
  std::optional<bool> pinned = {};
  bool operator==(const ServiceOptions&) const = default;
};
// How many threads there are.
struct ThreadingOptions {
  // Inside of an op, which is kept, but without effect here; at work in advance
  // at a time, besides whoever asks.
  std::optional<int64_t> max_intra_op_parallelism = {},
                         private_threadpool_size = {};
  bool operator==(const ThreadingOptions&) const = default;
};

// What a dataset is told of how it should run: see Dataset::with_options.
struct GK_EXPORT DataOptions {
  AutotuneOptions autotune = {};
  std::optional<std::string> dataset_name = {};
  std::vector<std::string> framework_type = {};  // who uses it
  // Must elements keep their order?
  std::optional<bool> deterministic = {};
  DistributeOptions experimental_distribute = {};
  std::optional<ExternalStatePolicy> experimental_external_state_policy = {};
  OptimizationOptions experimental_optimization = {};
  ServiceOptions experimental_service = {};
  // Does the last prefetch wait a bit?
  std::optional<bool> experimental_slack = {};
  std::optional<bool> experimental_symbolic_checkpoint = {};
  // Does work begin at once?
  std::optional<bool> experimental_warm_start = {};
  ThreadingOptions threading = {};

  // These, with what `others` say before what these do.
  DataOptions merge(const DataOptions& others) const;
  bool operator==(const DataOptions&) const = default;
};

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_DATA_OPTIONS_H_
