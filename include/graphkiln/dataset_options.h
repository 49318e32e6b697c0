// How methods of gk::Dataset do what they do.
#ifndef GRAPHKILN_DATASET_OPTIONS_H_
#define GRAPHKILN_DATASET_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <graphkiln/data_type.h>
#include <graphkiln/shape.h>
#include <graphkiln/tensor.h>

namespace gk {
GK_API_NAMESPACE {

class Dataset;
struct ElementSpec;

// As num_parallel_calls or a buffer's size: what the library chooses.
inline constexpr int64_t kAutotune = -1;

// Of Dataset::map.
struct ParallelOptions {
  // How many elements may be worked on at a time; not defined(): one after the
  // other; kAutotune: as many as there are CPUs.
  Tensor num_parallel_calls = {};
};
// Of Dataset::batch.
struct BatchOptions {
  // Is a last batch of fewer elements left out?
  bool drop_remainder = false;
  // As those of ParallelOptions.
  Tensor num_parallel_calls = {};
};
// Of ragged_batch.
struct RaggedBatchOptions {
  bool drop_remainder = false;
  DataType row_splits_dtype = DataType::kInt64;
};
// Of padded_batch.
struct PaddedBatchOptions {
  // Of each component; dimensions that are not known are as large as the
  // largest in the batch. Empty: the components' own.
  std::vector<Shape> padded_shapes = {};
  // A scalar for each component; empty: 0 and "".
  std::vector<Tensor> padding_values = {};
  bool drop_remainder = false;
};
// Of shuffle.
struct ShuffleOptions {
  // With the program's seed it determines the order.
  std::optional<int64_t> seed = {};
  // Has each iteration another order?
  bool reshuffle_each_iteration = true;
};
// Of Dataset::list_files.
struct ListFilesOptions {
  // Are the names in random order, another one for each iteration?
  bool shuffle = true;
  // With the program's seed it determines the order.
  std::optional<int64_t> seed = {};
};
// Of Dataset::load.
struct LoadOptions {
  // What the elements were saved with.
  std::string compression = "";
  // What they are; nothing: what the folder says.
  std::shared_ptr<const ElementSpec> element_spec = {};
};
// Of interleave.
struct InterleaveOptions {
  // How many datasets take turns; kAutotune: as many as there are CPUs.
  Tensor cycle_length = kAutotune;
  // How many elements one gives in its turn.
  Tensor block_length = 1;
  // As those of ParallelOptions.
  Tensor num_parallel_calls = {};
  // If not, what is ready goes first.
  bool deterministic = true;
};
// Of window.
struct WindowOptions {
  // How far the next window begins behind the one before; not defined(): its
  // size.
  Tensor shift = {};
  // The distance of the elements of a window.
  Tensor stride = 1;
  // Are last windows of fewer elements left out?
  bool drop_remainder = false;
};
// Of Dataset::bucket_by_sequence_length.
struct BucketOptions {
  // Lengths, rising; each begins a bucket. Of each bucket, one more, the size
  // of batches.
  std::vector<int64_t> bucket_boundaries;
  std::vector<int64_t> bucket_batch_sizes;
  // As those of PaddedBatchOptions.
  std::vector<Shape> padded_shapes = {};
  std::vector<Tensor> padding_values = {};
  // Are dimensions that are not known filled up to the longest of the bucket
  // instead of the batch?
  bool pad_to_bucket_boundary = false;
  // Are elements batched as they are?
  bool no_padding = false;
  bool drop_remainder = false;
};
// Of sample_from_datasets.
struct SampleOptions {
  // How likely each dataset is: a vector of floats; not defined(): all the
  // same.
  Tensor weights = {};
  // In their place: a dataset of such vectors, one for each draw.
  const Dataset* weights_of_draws = nullptr;
  // With the program's seed it determines what is drawn.
  std::optional<int64_t> seed = {};
  // Does the end come when a dataset at its end is drawn?
  bool stop_on_empty_dataset = false;
  // Does each iteration draw anew?
  bool rerandomize_each_iteration = false;
};

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_DATASET_OPTIONS_H_
