// What the methods of datasets make: their defaults, checks, the arithmetic of
// what is known of elements, and their ops. Both faces call these; what an
// element is to the user is theirs.
//
// Numbers are int64 tensors, flags bool ones; a null tensor is an argument that
// nobody gave. Called on the thread that builds. Functions throw Error.
#ifndef GK_FUNCTION_DATASET_STEPS_H_
#define GK_FUNCTION_DATASET_STEPS_H_

#include <optional>
#include <string>
#include <vector>

#include "data/dataset_options.h"
#include "function/dataset_builder.h"
#include "function/specs/type_spec.h"

namespace gk::steps {

using Datasets = std::span<const TypedDataset>;
using Text = FunctionRef<std::string()>;

// What elements are, or a function returns, as a face says it.
struct Described {
  const ElementSignature& components;
  bool is_tensor;  // and no structure, not even of one tensor
  Text text;
};

// How much is worked on at a time.
struct Parallel {
  Tensor calls;                       // null: one after the other
  std::optional<bool> deterministic;  // nothing: as the options say

  std::string_view Order() const;  // the attribute of ops
};

// --- Sources.

TypedDataset Range(const Tensor& start, const Tensor& stop, const Tensor& step,
                   DataType type = DataType::kInt64);
// Numbers from `start` on, without end.
TypedDataset Counter(const Tensor& start, const Tensor& step);
TypedDataset Random(std::optional<int64_t> seed,
                    bool rerandomize_each_iteration);
// The one element with these components; the rows that they hold, of elements
// that `e` describes.
TypedDataset FromTensors(const TensorVector& components,
                         const ElementSignature& e);
TypedDataset FromSlices(const TensorVector& components,
                        const ElementSignature& e);
// ValueError if leaves have different lengths.
void CheckSlices(const ElementSpec& e);

// --- Several datasets.

// Elements side by side.
TypedDataset Zip(Datasets datasets);
// The elements of both, which `common` covers.
TypedDataset Concatenate(const TypedDataset& first, const TypedDataset& second,
                         const ElementSignature& common);
// Those of the dataset that `selector`, of `chosen`, says. TypeError unless
// they are int64 scalars.
TypedDataset Choose(const TypedDataset& selector, const Described& chosen,
                    const TensorVector& datasets,
                    const ElementSignature& common, bool stop_on_empty_dataset);
// Pairs of numbers, from `start` on, and elements.
TypedDataset Enumerate(const TypedDataset& d, const Tensor& start);
// ValueError if there are no datasets.
void CheckSome(bool some);

// --- The same elements: fewer, more, in another order or at other times.

TypedDataset Take(const TypedDataset& d, const Tensor& count);
TypedDataset Skip(const TypedDataset& d, const Tensor& count);
TypedDataset Repeat(const TypedDataset& d, const Tensor& count);
TypedDataset Shard(const TypedDataset& d, const Tensor& num_shards,
                   const Tensor& index);
TypedDataset Shuffle(const TypedDataset& d, const Tensor& buffer_size,
                     std::optional<int64_t> seed,
                     bool reshuffle_each_iteration);
TypedDataset Prefetch(const TypedDataset& d, const Tensor& buffer_size);
TypedDataset Cache(const TypedDataset& d, const Tensor& filename);
TypedDataset IgnoreErrors(const TypedDataset& d, bool log_warning);
TypedDataset AssertCardinality(const TypedDataset& d,
                               const Tensor& cardinality);
TypedDataset WithOptions(const TypedDataset& d, const DatasetOptions& options);
// What WithOptions was told of a dataset and of those it is made of, as far as
// that is known where it is being built.
DatasetOptions OptionsOf(const Tensor& variant);
TypedDataset Unique(const TypedDataset& d);
// TypeError for leaves of a type, shown by `text`, that cannot be compared.
void CheckUnique(DataType type, Text text);

// --- Several elements at a time.

TypedDataset Batch(const TypedDataset& d, const Tensor& size,
                   const Tensor& drop_remainder, const Parallel& parallel);

// The shape that a component is filled up to: known, or an int64 vector.
struct PaddedShape {
  PartialTensorShape known;
  Tensor vector;

  // ValueError for a shape of which not even the rank is known.
  explicit PaddedShape(PartialTensorShape shape);
  explicit PaddedShape(Tensor shape);
  Tensor AsVector() const;
};
struct Padding {
  std::vector<PaddedShape> shapes;  // of each component; empty: their own
  // Of each component a scalar; null, or none of them: 0 and "".
  TensorVector values;
};
TypedDataset PaddedBatch(const TypedDataset& d, const Tensor& size,
                         const Tensor& drop_remainder, const Padding& padding);

// TypeError unless elements are tensors.
void CheckPadded(const ElementSpec& e);

// The dataset of tensors whose rows are the components of rows; of elements
// without an encoder.
TypedDataset ComponentsOfRows(const TypedDataset& d, const ElementSpec& e);
// Of such: the rows of each element. ValueError for scalars, and if lengths
// differ.
TypedDataset Unbatch(const TypedDataset& d);
void CheckUnbatched(const ElementSpec& e);
// The rows in batches of other sizes.
TypedDataset Rebatch(const TypedDataset& d, const Tensor& sizes,
                     const Tensor& drop_remainder);
void CheckRebatched(const ElementSpec& e);
// Of each component a dataset.
TypedDataset Window(const TypedDataset& d, const Tensor& size,
                    const Tensor& shift, const Tensor& stride,
                    const Tensor& drop_remainder);
// Of datasets of single components: one for each of `leaves`.
TensorVector ZipWindows(std::span<const Tensor> windows,
                        std::span<const ElementSignature> leaves);
// Rows of a sparse tensor. `e` must be one tensor.
TypedDataset SparseBatch(const TypedDataset& d, const Described& e,
                         const Tensor& size, const PaddedShape& row_shape);
// What it makes of such.
ElementSpec SparseRows(const ElementSpec& e, const PaddedShape& row_shape);
// Elements whose tensors are ragged up to their last dimension that is not
// known. ValueError if the rank of one is not known.
ElementSpec RaggedRows(const ElementSpec& e, DataType splits);
// Elements, of `e`, as such `rows`.
TypedDataset AsRaggedRows(const TypedDataset& d, const ElementSpec& e,
                          const ElementSpec& rows);

// --- Functions of elements.

struct MapOptions {
  Parallel parallel;
  bool synchronous = false;
  bool use_unbounded_threadpool = false;
};
TypedDataset Map(const TypedDataset& d, const ElementFunction& f,
                 const MapOptions& options);

// The elements that `f` holds for; those before the first that it does not.
// ValueError unless it returns a bool scalar.
TypedDataset Filter(const TypedDataset& d, const ElementFunction& f,
                    const Described& returned);
TypedDataset TakeWhile(const TypedDataset& d, const ElementFunction& f,
                       const Described& returned);

// The elements, of `inner`, of the datasets that `f` returns.
TypedDataset FlatMap(const TypedDataset& d, const ElementFunction& f,
                     const ElementSignature& inner);
struct Turns {
  Tensor cycle_length, block_length;  // null: as many as CPUs; 1
  Parallel parallel;
};
TypedDataset Interleave(const TypedDataset& d, const ElementFunction& f,
                        const ElementSignature& inner, const Turns& turns);
// TypeError: `f` returns no dataset.
[[noreturn]] void NoDataset(Text returned);

// `f` returns the next state and an element of `made`.
TypedDataset Scan(const TypedDataset& d, const TensorVector& state,
                  const ElementFunction& f, const ElementSignature& made);
TensorVector Reduce(const TypedDataset& d, const TensorVector& state,
                    const ElementFunction& f, const ElementSignature& settled);

// Keys and sizes are int64 scalars; `reduce` returns datasets of `inner`.
TypedDataset GroupByWindow(const TypedDataset& d, const ElementFunction& key,
                           const ElementFunction& size,
                           const ElementFunction& reduce,
                           const ElementSignature& inner);
// ValueError unless one is given.
void CheckWindowSize(bool size, bool size_func);
// ValueError unless the function `name` returns an int64 scalar.
void CheckInteger(std::string_view name, const Described& returned);
[[noreturn]] void NoGroups(Text returned);
// The size of all windows, for each key.
ElementFunction SameSize(const Tensor& size);

// Batches of elements of similar length.
struct Buckets {
  std::vector<int64_t> boundaries, batch_sizes;
  bool no_padding = false;
  bool pad_to_boundary = false;
  Padding padding;
  Tensor drop_remainder;

  // ValueError unless there is one size more than boundaries.
  void Check() const;
  // The number of the bucket of elements of this length.
  Tensor Of(const Tensor& length) const;
};
// `bucket`: an element's.
TypedDataset BucketBySequenceLength(const TypedDataset& d,
                                    const ElementFunction& bucket,
                                    const Buckets& buckets);

}  // namespace gk::steps

#endif  // GK_FUNCTION_DATASET_STEPS_H_
