// gk::Dataset: a description of a sequence of elements, which are made when
// somebody asks for them.
//
//   auto data = gk::Dataset::range(10)
//                   .map([](gk::Tensor x) { return x * x; })
//                   .filter([](gk::Tensor x) { return x > 3; })
//                   .batch(4);
//   for (gk::Tensor batch : data) ...
//
// An element is a tensor, a ragged or sparse one, slices, a dataset or an
// optional, or a container or struct of those. A function of
// elements says by the types of its parameters how it takes them: whole, as
// in [](std::pair<gk::Tensor, gk::Tensor> p), or the items of a tuple, of a
// pair or of a struct one by one, as in [](gk::Tensor image, gk::Tensor label).
// It is traced once, when the dataset is made; what it captured is used as it
// is then. Parameters have types: not auto.
//
// Datasets can be iterated over any number of times, by any number of threads.
// In a traced function they are nodes of its graph; reduce() is the loop there.
//
// Numbers (sizes, counts) are integer scalars. Methods throw Error: TypeError
// and ValueError for what is seen when the dataset is made; what ops find wrong
// otherwise.
#ifndef GRAPHKILN_DATASET_H_
#define GRAPHKILN_DATASET_H_

#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <graphkiln/data_options.h>
#include <graphkiln/dataset_elements.h>
#include <graphkiln/dataset_options.h>
#include <graphkiln/nest.h>
#include <graphkiln/ragged_tensor.h>
#include <graphkiln/sparse_tensor.h>
#include <graphkiln/type_spec.h>

namespace gk {
GK_API_NAMESPACE {

// Of cardinality().
inline constexpr int64_t kInfiniteCardinality = -1;
inline constexpr int64_t kUnknownCardinality = -2;

// What Dataset::group_by_reducer does with the elements of a key:
// init_func(key) is a state, reduce_func(state, element) the next one, and
// finalize_func(state), of the last one, an element.
template <class I, class R, class F>
struct Reducer {
  // Of what makes the state of a key, takes an element to it, and gives the
  // result.
  Reducer(I init, R reduce, F finalize)
      : init_func(std::move(init)),
        reduce_func(std::move(reduce)),
        finalize_func(std::move(finalize)) {}
  I init_func;
  R reduce_func;
  F finalize_func;
};

// An element that was asked for; converts to the type that it has:
//   for (std::pair<gk::Tensor, gk::Tensor> p : dataset) ...
class DatasetElement {
 public:
  // Iterators make these.
  explicit DatasetElement(detail::ElementValue value)
      : value_(std::move(value)) {}
  // Throws Error (TypeError) if it is no T.
  template <class T>
  T get() const {
    if (!detail::Fits<T>(*value_.spec)) {
      detail::ThrowOtherElements(*value_.spec, detail::NameOf<T>());
    }
    return detail::PartReader(value_).template Whole<T>();
  }
  template <class T>
    requires(std::is_same_v<T, Tensor> || detail::IsElementLeaf<T> ||
             (detail::kContainer<T> != detail::Container::kNone &&
              detail::kContainer<T> != detail::Container::kOptional))
  operator T() const {
    return get<T>();
  }
  // Its tensors, from left to right.
  const std::vector<Tensor>& tensors() const { return value_.tensors; }

 private:
  detail::ElementValue value_;
};

// An element, or nothing: what an iterator gives at its end. Copying shares.
class GK_EXPORT Optional {
 public:
  // That holds `value`: a tensor, or what nests tensors.
  template <class T>
  static Optional from_value(const T& value) {
    return FromValue(detail::ResultOf(value));
  }
  // Nothing, where elements are of this spec.
  static Optional empty(const ElementSpec& element_spec);
  // A bool scalar.
  Tensor has_value() const;
  // Throws Error (InvalidArgument) if there is none.
  DatasetElement get_value() const;
  const ElementSpec& element_spec() const { return *spec_; }

  // --- For the library itself.
  const Tensor& variant() const { return variant_; }
  Optional(Tensor variant, std::shared_ptr<const ElementSpec> spec)
      : variant_(std::move(variant)), spec_(std::move(spec)) {}

 private:
  static Optional FromValue(const detail::ElementResult& value);

  Tensor variant_;
  std::shared_ptr<const ElementSpec> spec_;
};

// A place in a dataset, which traced functions move on, too. Copying shares. A
// Checkpoint saves it: one that is restored over the same dataset goes on
// there, random orders included, and makes what was given before again to get
// there.
class GK_EXPORT Iterator {
 public:
  // At the beginning of a dataset.
  explicit Iterator(const Dataset& dataset);
  // The next element. Throws Error (OutOfRange) at the end.
  DatasetElement get_next() const;
  // The same; nothing at the end.
  Optional get_next_as_optional() const;
  // Where it is, for restore(). Throws Error (FailedPrecondition) if the
  // dataset has functions that may not be run again, as those of random
  // numbers; see DataOptions::experimental_external_state_policy.
  Tensor save() const;
  // Goes on where an iterator over the same dataset was. Throws Error: DataLoss
  // for the state of another dataset.
  void restore(const Tensor& state) const;
  const ElementSpec& element_spec() const { return *spec_; }

  // --- For the library itself.
  const Tensor& handle() const { return handle_; }

 private:
  Tensor handle_;
  std::shared_ptr<const ElementSpec> spec_;
};

// One pass over a dataset. Not thread-safe.
class GK_EXPORT DatasetIterator {
 public:
  // As std::input_iterator asks for.
  using iterator_category = std::input_iterator_tag;
  using value_type = DatasetElement;
  using difference_type = std::ptrdiff_t;
  using pointer = const DatasetElement*;
  using reference = const DatasetElement&;

  // At the first element, which it asks for.
  explicit DatasetIterator(const Dataset& dataset);
  const DatasetElement& operator*() const { return *element_; }
  const DatasetElement* operator->() const { return &*element_; }
  DatasetIterator& operator++();
  void operator++(int) { ++*this; }
  friend bool operator==(const DatasetIterator& it, std::default_sentinel_t) {
    return !it.element_;
  }

 private:
  Iterator at_;
  std::optional<DatasetElement> element_;
};

// A handle; copying shares.
class GK_EXPORT Dataset {
 public:
  // No dataset; may only be assigned to.
  Dataset() noexcept = default;
  bool defined() const noexcept { return spec_ != nullptr; }

  // One element: the value.
  template <class T>
  static Dataset from_tensors(const T& value) {
    return FromTensors(detail::ResultOf(value), /*slices=*/false);
  }
  // The rows of tensors: what their first dimension holds. ValueError if one
  // is a scalar or lengths differ.
  template <class T>
  static Dataset from_tensor_slices(const T& tensors) {
    return FromTensors(detail::ResultOf(tensors, /*rows=*/true),
                       /*slices=*/true);
  }
  // What generators give, asked for when it is needed. Each iteration calls
  // `generator`, which begins one: a callable whose results are optionals of
  // elements, nothing at the end. Elements of another spec, and what either
  // throws, are errors of whoever asks for the element.
  template <class F>
  static Dataset from_generator(F generator,
                                const ElementSpec& output_signature) {
    return FromGenerator(
        [generator = std::move(generator)]() mutable {
          using Running = std::decay_t<decltype(generator())>;
          return [running = std::make_shared<Running>(
                      generator())]() -> std::optional<detail::ElementResult> {
            auto next = (*running)();
            if (!next) return std::nullopt;
            return detail::ResultOf(*next);
          };
        },
        output_signature);
  }
  template <class F>
  static Dataset from_generator(F generator, const TypeSpec& output_signature) {
    return from_generator(
        std::move(generator),
        ElementSpec{nest::structure_of(0), {output_signature}, {}});
  }
  // The dataset in a variant tensor, of elements of this spec.
  static Dataset from_variant(const Tensor& variant, const ElementSpec& spec);
  // 0, 1, ... below `stop`; `start`, `start` + `step`, ...: int64.
  static Dataset range(const Tensor& stop);
  static Dataset range(const Tensor& start, const Tensor& stop,
                       const Tensor& step = 1);
  // Numbers from `start` on, without end, of its dtype. `step`: 1 if not
  // defined().
  static Dataset counter(const Tensor& start = int64_t{0},
                         const Tensor& step = {});
  // Random int64 numbers from 0 to 2^32 - 1, without end.
  static Dataset random(std::optional<int64_t> seed = {},
                        bool rerandomize_each_iteration = false);
  // The names of the files that patterns, a string or a vector, describe, as
  // gk::io::gfile::glob() finds them, in random order unless that is not
  // wanted. Throws Error (InvalidArgument) if there are none.
  static Dataset list_files(const Tensor& file_pattern,
                            const ListFilesOptions& options = {});
  // The elements that save() wrote to the files of a folder, here, in Python or
  // in TensorFlow; those of several shards in turn. Throws Error: NotFound if
  // there are none, FailedPrecondition if they are not complete yet, DataLoss
  // for files that are damaged.
  static Dataset load(const std::string& path, const LoadOptions& options = {});
  // The same, as `reader_func` makes one dataset of one of those of the shards.
  template <class F>
    requires(std::is_invocable_r_v<Dataset, F&, Dataset>)
  static Dataset load(const std::string& path, F&& reader_func,
                      const LoadOptions& options = {}) {
    const detail::ElementBody body = detail::BodyOf(reader_func);
    return Load(path, &body, options);
  }
  // Elements of several datasets side by side, a tuple; as many as the
  // shortest has.
  static Dataset zip(const std::vector<Dataset>& datasets);
  // The next element of the dataset that `choice`, of int64 scalars, says.
  // TypeError if the elements differ in structure or types.
  static Dataset choose_from_datasets(const std::vector<Dataset>& datasets,
                                      const Dataset& choice,
                                      bool stop_on_empty_dataset = true);
  // The next element of a dataset drawn by chance.
  static Dataset sample_from_datasets(const std::vector<Dataset>& datasets,
                                      const SampleOptions& options = {});

  // What `f` makes of each element.
  template <class F>
  Dataset map(F&& f, const ParallelOptions& options = {}) const {
    return Map(detail::BodyOf(f), options);
  }
  // The elements for which `f`, a bool scalar, holds.
  template <class F>
  Dataset filter(F&& f) const {
    return Where(detail::BodyOf(f), /*ends=*/false);
  }
  // The elements before the first for which `f` does not hold.
  template <class F>
  Dataset take_while(F&& f) const {
    return Where(detail::BodyOf(f), /*ends=*/true);
  }
  // The elements of the datasets that `f` makes of each element, one after the
  // other.
  template <class F>
  Dataset flat_map(F&& f) const {
    return Flat(detail::BodyOf(f), nullptr);
  }
  // The same, of several of them in turn.
  template <class F>
  Dataset interleave(F&& f, const InterleaveOptions& options = {}) const {
    return Flat(detail::BodyOf(f), &options);
  }
  // `f(state, element)` returns a pair: the next state, and an element of the
  // new dataset. Dimensions of the state that change become unknown; TypeError
  // if its types change.
  template <class S, class F>
  Dataset scan(const S& initial_state, F&& f) const {
    return Scan(detail::ResultOf(initial_state),
                [&f](const std::vector<detail::ElementValue>& values) {
                  auto&& pair = detail::CallWithState(f, values);
                  static_assert(
                      std::tuple_size_v<std::decay_t<decltype(pair)>> == 2,
                      "the function of scan returns the next state and an "
                      "element");
                  return std::vector{detail::ResultOf(std::get<0>(pair)),
                                     detail::ResultOf(std::get<1>(pair))};
                });
  }
  // The last of the states `state = f(state, element)`: a loop over the
  // elements, in traced functions too.
  template <class S, class F>
  detail::Staged<S> reduce(const S& initial_state, F&& f) const {
    return detail::PartReader(
               Reduce(detail::ResultOf(initial_state),
                      [&f](const std::vector<detail::ElementValue>& values) {
                        return std::vector{
                            detail::ResultOf(detail::CallWithState(f, values))};
                      }))
        .template Whole<detail::Staged<S>>();
  }
  // The elements of the datasets that `reduce(key, window)` makes of windows of
  // `size` elements of one key(element), an integer; the last ones of a key
  // may have fewer.
  template <class K, class R>
  Dataset group_by_window(K&& key, R&& reduce, const Tensor& size) const {
    return Grouped(
        detail::BodyOf(key),
        [&reduce](const std::vector<detail::ElementValue>& values) {
          return std::vector{
              detail::ResultOf(detail::CallWithState(reduce, values))};
        },
        size);
  }

  // One element for each key(element), an integer, made of all elements of it,
  // in the order of the keys.
  template <class K, class I, class R, class F>
  Dataset group_by_reducer(K&& key, const Reducer<I, R, F>& reducer) const {
    return group_by_window(
        std::forward<K>(key),
        [&reducer](Tensor k, Dataset group) {
          return from_tensors(
                     group.reduce(reducer.init_func(k), reducer.reduce_func))
              .map(reducer.finalize_func);
        },
        // No window is ever full, so each key has one.
        std::numeric_limits<int64_t>::max());
  }
  // Batches of elements of similar length(element), an integer.
  template <class F>
  Dataset bucket_by_sequence_length(F&& length,
                                    const BucketOptions& options) const {
    return Bucketed(detail::BodyOf(length), options);
  }

  // Pairs of class_of(element), an integer, and an element, of which some are
  // left out so that classes are as frequent as `target_dist`, floats, says.
  // `initial_dist`: how frequent each is; not defined(): estimated on the way.
  template <class F>
  Dataset rejection_resample(F&& class_of, const Tensor& target_dist,
                             const Tensor& initial_dist = {},
                             std::optional<int64_t> seed = {}) const {
    return Resampled(detail::BodyOf(class_of), target_dist, initial_dist, seed);
  }

  // `size` consecutive elements at a time, stacked.
  Dataset batch(const Tensor& size, const BatchOptions& options = {}) const;
  // The same, filled up to one shape.
  Dataset padded_batch(const Tensor& size,
                       const PaddedBatchOptions& options = {}) const;
  // `size` consecutive elements at a time. Tensors of which a dimension is not
  // known become rows of a ragged tensor. ValueError if the rank of one is not
  // known.
  Dataset ragged_batch(const Tensor& size,
                       const RaggedBatchOptions& options = {}) const;
  // `size` consecutive tensors at a time as a sparse one of all of their
  // values, of rows of `row_shape`, at most as large; a dimension that is not
  // known is as large as the largest in the batch. TypeError if elements are
  // no tensors.
  Dataset sparse_batch(const Tensor& size, const Shape& row_shape) const;
  // The rows of each element.
  Dataset unbatch() const;
  // The rows of batches in batches of another size.
  Dataset rebatch(const Tensor& size, bool drop_remainder = false) const;
  // Each component as a dataset of `size` elements.
  Dataset window(const Tensor& size, const WindowOptions& options = {}) const;
  // The first `count` elements; all for -1.
  Dataset take(const Tensor& count) const;
  // All but the first `count` elements; none for -1.
  Dataset skip(const Tensor& count) const;
  // The elements `count` times over; for ever for -1.
  Dataset repeat(const Tensor& count = -1) const;
  // Every `num_shards`-th element from the one of number `index` on.
  Dataset shard(const Tensor& num_shards, const Tensor& index) const;
  // The elements in random order: each is drawn from the next `buffer_size`.
  Dataset shuffle(const Tensor& buffer_size,
                  const ShuffleOptions& options = {}) const;
  // The same elements, up to `buffer_size` of them made in advance on other
  // threads.
  Dataset prefetch(const Tensor& buffer_size = kAutotune) const;
  // The same elements, kept when they have been seen once to the end: in
  // memory, or in a file.
  Dataset cache(const std::string& filename = "") const;
  // Pairs of a number, counted from `start`, and an element.
  Dataset enumerate(const Tensor& start = 0) const;
  // The elements, then those of another dataset. TypeError if they differ in
  // structure or types.
  Dataset concatenate(const Dataset& other) const;
  // The elements, int32, int64 or texts, that were not there before.
  Dataset unique() const;
  // The elements that can be made.
  Dataset ignore_errors() const;
  // The same elements, known to be so many. FailedPrecondition when iterating
  // shows something else.
  Dataset assert_cardinality(const Tensor& expected_cardinality) const;
  // The same elements, with what is said of how they are made.
  Dataset with_options(const DataOptions& options) const;
  // What with_options() said of this dataset and those it is made of.
  DataOptions options() const;

  // How many elements there are, an int64 scalar, where that is known without
  // iterating; one of the constants above else.
  Tensor cardinality() const;
  const ElementSpec& element_spec() const;
  Tensor to_variant() const { return variant(); }
  // A number for what it is made of, a uint64 scalar, the same in every
  // process. Datasets of the same number give the same elements, unless they
  // draw random numbers or read what changes.
  Tensor fingerprint() const;
  // The one element. Throws Error (InvalidArgument) if there are none, or
  // several.
  DatasetElement get_single_element() const;

  // The elements, which the first complete pass writes to files below a folder
  // and later ones read from there: of this dataset and all of its
  // fingerprint(). `compression`: "SNAPPY", "GZIP", "ZLIB" or "". Throws Error
  // (InvalidArgument) for another one.
  Dataset snapshot(const std::string& path,
                   const std::string& compression = "") const;
  // The same, in shards, of the number shard_func(element), an integer, which
  // take turns when they are read.
  template <class F>
    requires(!std::is_convertible_v<F, std::string>)
  Dataset snapshot(const std::string& path, F&& shard_func,
                   const std::string& compression = "") const {
    const detail::ElementBody body = detail::BodyOf(shard_func);
    return Snapshot(path, &body, compression);
  }

  // Writes the elements to the files of a folder, which shows those that it had
  // before until all are there. `compression`: "SNAPPY", "GZIP", "ZLIB" or "".
  // Throws Error: what making elements and writing files do; Unimplemented for
  // elements that have no lasting form.
  void save(const std::string& path, const std::string& compression = "") const;
  // The same, in shards, of the number shard_func(element), an integer.
  template <class F>
    requires(!std::is_convertible_v<F, std::string>)
  void save(const std::string& path, F&& shard_func,
            const std::string& compression = "") const {
    const detail::ElementBody body = detail::BodyOf(shard_func);
    Save(path, &body, compression);
  }
  // The elements, which are written in the same way as they are asked for. An
  // Iterator over it that is restored goes on with the files of the one that
  // was saved, if that did not come to the end:
  //
  //   gk::Iterator it(data.saving("/data/saved"));
  //   gk::Checkpoint checkpoint({{"it", it}});
  //   gk::CheckpointManager manager(checkpoint, "/data/progress");
  //   manager.restore_or_initialize();
  //   while (it.get_next_as_optional().has_value().item<bool>()) {
  //     manager.save();
  //   }
  Dataset saving(const std::string& path,
                 const std::string& compression = "") const;
  template <class F>
    requires(!std::is_convertible_v<F, std::string>)
  Dataset saving(const std::string& path, F&& shard_func,
                 const std::string& compression = "") const {
    const detail::ElementBody body = detail::BodyOf(shard_func);
    return Saving(path, &body, compression);
  }

  // What a function makes of this dataset: data.apply(f) is f(data).
  template <class F>
  Dataset apply(F&& transformation_func) const {
    return transformation_func(*this);
  }

  // Throws Error (RuntimeError) in a traced function.
  DatasetIterator begin() const { return DatasetIterator(*this); }
  std::default_sentinel_t end() const { return {}; }

  // "<Dataset element_spec=...>".
  std::string to_string() const;

  // --- For the library itself.
  using Spec = std::shared_ptr<const ElementSpec>;
  Dataset(Tensor variant, Spec spec)
      : variant_(std::move(variant)), spec_(std::move(spec)) {}
  // Throw Error (ValueError) if not defined().
  const Tensor& variant() const;
  const Spec& spec() const;

 private:
  using NextElement = std::function<std::optional<detail::ElementResult>()>;
  static Dataset FromGenerator(std::function<NextElement()> begin,
                               const ElementSpec& spec);
  static Dataset FromTensors(const detail::ElementResult& value, bool slices);
  static Dataset Load(const std::string& path,
                      const detail::ElementBody* reader,
                      const LoadOptions& options);
  void Save(const std::string& path, const detail::ElementBody* shard,
            const std::string& compression) const;
  Dataset Saving(const std::string& path, const detail::ElementBody* shard,
                 const std::string& compression) const;
  Dataset Snapshot(const std::string& path, const detail::ElementBody* shard,
                   const std::string& compression) const;
  Dataset Map(const detail::ElementBody& f,
              const ParallelOptions& options) const;
  Dataset Where(const detail::ElementBody& f, bool ends) const;
  Dataset Flat(const detail::ElementBody& f,
               const InterleaveOptions* turns) const;
  Dataset Scan(const detail::ElementResult& initial,
               const detail::ElementBody& f) const;
  detail::ElementValue Reduce(const detail::ElementResult& initial,
                              const detail::ElementBody& f) const;
  Dataset Grouped(const detail::ElementBody& key,
                  const detail::ElementBody& reduce, const Tensor& size) const;
  Dataset Bucketed(const detail::ElementBody& length_of,
                   const BucketOptions& options) const;
  Dataset Resampled(const detail::ElementBody& class_of, const Tensor& target,
                    const Tensor& initial, std::optional<int64_t> seed) const;

  Tensor variant_;
  Spec spec_;
};

// Writes what to_string() gives.
GK_EXPORT std::ostream& operator<<(std::ostream& out, const Dataset& dataset);

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_DATASET_H_
