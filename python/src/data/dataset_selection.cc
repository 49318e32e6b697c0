// tf.data.Dataset: the same elements, fewer of them, in another order or at
// other times.
#include <limits>

#include "python/src/binding/class_attribute.h"
#include "python/src/data/dataset_methods.h"
#include "python/src/data/dataset_ops.h"
#include "python/src/data/dataset_options.h"
#include "python/src/data/dataset_step.h"
#include "python/src/ops/call_op.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

// By an op that takes what the method takes.
template <const char* kOp, Name... kArguments>
nb::object Step(const Arguments& a) {
  return Then(a, kOp, {},
              {{kArguments.text, nb::borrow(a[kArguments.text])}...});
}

nb::object Repeat(const Arguments& a) {
  return Then(a, kRepeatDataset, {},
              {{"count", a.has("count") ? nb::borrow(a["count"])
                                        : nb::object(nb::int_(-1))}});
}

nb::object Shuffle(const Arguments& a) {
  const nb::object seeds = Owned(OpSeedsOf(a["seed"].ptr()));
  return Then(a, kShuffleDatasetV3, {},
              {{"buffer_size", nb::borrow(a["buffer_size"])},
               {"seed", seeds[0]},
               {"seed2", seeds[1]},
               {"seed_generator", Owned(CallOp(kDummySeedGenerator, {}))},
               {"reshuffle_each_iteration",
                nb::bool_(!a.has("reshuffle_each_iteration") ||
                          a.flag("reshuffle_each_iteration"))}});
}

nb::object Prefetch(const Arguments& a) {
  const nb::object size = a.has("buffer_size") ? nb::borrow(a["buffer_size"])
                                               : nb::object(nb::int_(-1));
  return Then(a, kPrefetchDataset, {},
              {{"buffer_size", size},
               {"slack_period", nb::int_(0)},
               {"legacy_autotune", nb::bool_(false)},
               {"buffer_size_min", nb::int_(0)}});
}

nb::object Cache(const Arguments& a) {
  return Then(a, kCacheDatasetV2, {},
              {{"filename", nb::borrow(a["filename"])},
               {"cache", Owned(CallOp(kDummyMemoryCache, {}))}});
}

nb::object Enumerate(const Arguments& a) {
  const nb::handle cls = DatasetClass();
  const nb::object numbers =
      cls.attr("range")(a["start"], std::numeric_limits<int64_t>::max());
  // In several processes each of them counts for itself.
  const nb::object own =
      DatasetBy(kRewriteDataset, ElementSpecOf(numbers),
                {{"input_dataset", numbers},
                 {"rewrite_name", nb::str("replicate_on_split")}});
  return cls.attr("zip")(nb::make_tuple(own, a.self()));
}

nb::object Concatenate(const Arguments& a) {
  const nb::object mine = ElementSpecOf(a.self()),
                   others = ElementSpecOf(a["dataset"]);
  const nb::object spec = OfElements("common", mine, others);
  if (spec.is_none()) {
    Throw(TypeError("Incompatible dataset elements:\n  {} vs.   {}",
                    TextOf(mine), TextOf(others)));
  }
  return Then(a, kConcatenateDataset, spec,
              {{"another_dataset", nb::borrow(a["dataset"])}});
}

nb::object Apply(const Arguments& a) {
  nb::object made = a["transformation_func"](a.self());
  if (!IsDataset(made)) {
    Throw(TypeError(
        "`transformation_func` must return a `tf.data.Dataset` object. Got {}.",
        TextOf(made.type())));
  }
  return made;
}

nb::object Unique(const Arguments& a) {
  for (nb::handle leaf : ElementLeaves(ElementSpecOf(a.self()))) {
    const nb::object dtype = nb::getattr(leaf, "dtype", leaf);
    const DataType t =
        IsDType(dtype.ptr()) ? DTypeOf(dtype.ptr()) : DataType::kInvalid;
    if (t != DataType::kInt32 && t != DataType::kInt64 &&
        t != DataType::kString) {
      Throw(
          TypeError("`tf.data.Dataset.unique` does not support type {} -- only "
                    "`tf.int32`, `tf.int64`, and `tf.string` are supported.",
                    nb::repr(dtype).c_str()));
    }
  }
  return Then(a, kUniqueDataset, {}, {});
}

nb::object IgnoreErrors(const Arguments& a) {
  return Then(a, kIgnoreErrorsDataset, {},
              {{"log_warning", nb::bool_(a.flag("log_warning"))}});
}

nb::object WithOptions(const Arguments& a) {
  CheckOptions(a["options"]);
  nb::object made =
      Then(a, kOptionsDataset, {}, {{"serialized_options", nb::str("")}});
  made.attr("_own_options") = CopyOfOptions(a["options"]);
  return made;
}

nb::object Options(const Arguments& a) {
  nb::object made = NewOptions();
  for (nb::handle part : nb::getattr(a.self(), "_parts", nb::tuple())) {
    if (IsDataset(part)) made = MergedOptions(made, part.attr("options")());
  }
  if (nb::hasattr(a.self(), "_own_options")) {
    made = MergedOptions(made, a.self().attr("_own_options"));
  }
  FreezeOptions(made);
  return made;
}

nb::object Here(const Arguments& a) { return nb::borrow(a.self()); }

constexpr ToldFunction kMethods[] = {
    {R"(take(self, count, name=None)
The first `count` elements; all if it is -1.

>>> [int(x) for x in tf.data.Dataset.range(5).take(2)]
[0, 1])",
     &Step<kTakeDataset, "count">},
    {R"(skip(self, count, name=None)
All but the first `count` elements; none if it is -1.

>>> [int(x) for x in tf.data.Dataset.range(5).skip(3)]
[3, 4])",
     &Step<kSkipDataset, "count">},
    {R"(repeat(self, count=None, name=None)
The elements `count` times over; for ever if it is None or -1.

>>> [int(x) for x in tf.data.Dataset.range(2).repeat(2)]
[0, 1, 0, 1])",
     &Repeat},
    {R"(shard(self, num_shards, index, name=None)
Every `num_shards`-th element, beginning with the one of number `index`.

Raises:
  tf.errors.InvalidArgumentError: `index` is not below `num_shards`.

>>> [int(x) for x in tf.data.Dataset.range(7).shard(3, 1)]
[1, 4])",
     &Step<kShardDataset, "num_shards", "index">},
    {R"(shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=True,
        name=None)
The elements in random order: each is drawn from the next `buffer_size`.

Args:
  buffer_size: an int64 scalar; tf.data.UNKNOWN_CARDINALITY for all.
  seed: an int; with the global seed it determines the order.
  reshuffle_each_iteration: whether each iteration has another order.
  name: accepted for compatibility.

Raises:
  tf.errors.InvalidArgumentError: `buffer_size` is not positive.

>>> sorted(int(x) for x in tf.data.Dataset.range(4).shuffle(4))
[0, 1, 2, 3])",
     &Shuffle},
    {R"(prefetch(self, buffer_size, name=None)
The same elements, up to `buffer_size` of them made in advance on other threads.

Args:
  buffer_size: an int64 scalar; tf.data.AUTOTUNE leaves it to the library.
  name: accepted for compatibility.

Raises:
  tf.errors.InvalidArgumentError: `buffer_size` is below -1.

>>> [int(x) for x in tf.data.Dataset.range(3).prefetch(2)]
[0, 1, 2])",
     &Prefetch},
    {R"(cache(self, filename='', name=None)
The same elements, kept when they have been seen once to the end.

Args:
  filename: of a file that they are kept in, with ".index" behind it; if there
    is one, they are read from there. In memory if empty.
  name: accepted for compatibility.

Raises:
  tf.errors.DataLossError: when iterating, the file is damaged or something
    else.

>>> cached = tf.data.Dataset.range(3).cache()
>>> [int(x) for x in cached], [int(x) for x in cached]
([0, 1, 2], [0, 1, 2]))",
     &Cache},
    {R"(enumerate(self, start=0, name=None)
Pairs of a number, counted from `start`, and an element.

>>> [(int(i), int(x)) for i, x in
...  tf.data.Dataset.range(5, 7).enumerate(start=1)]
[(1, 5), (2, 6)])",
     &Enumerate},
    {R"(concatenate(self, dataset, name=None)
The elements, then those of another dataset.

Raises:
  TypeError: its elements have another structure or other types.

>>> a = tf.data.Dataset.range(2)
>>> [int(x) for x in a.concatenate(a)]
[0, 1, 0, 1])",
     &Concatenate},
    {R"(apply(self, transformation_func)
`transformation_func(self)`, which must be a dataset.

>>> def halves(dataset):
...     return dataset.map(lambda x: x / 2)
>>> [float(x) for x in tf.data.Dataset.range(3).apply(halves)]
[0.0, 0.5, 1.0])",
     &Apply},
    {R"(unique(self, name=None)
The elements that were not there before.

Raises:
  TypeError: elements are neither tf.int32, tf.int64 nor tf.string.

>>> data = tf.data.Dataset.from_tensor_slices([1, 2, 1, 3, 2])
>>> [int(x) for x in data.unique()]
[1, 2, 3])",
     &Unique},
    {R"(ignore_errors(self, log_warning=False, name=None)
The elements that can be made; errors are passed over.

Args:
  log_warning: accepted for compatibility.
  name: accepted for compatibility.

>>> data = tf.data.Dataset.from_tensor_slices([1, 0, 2])
>>> [int(x) for x in data.map(lambda x: 4 // x).ignore_errors()]
[4, 2])",
     &IgnoreErrors},
    {R"(with_options(self, options, name=None)
The same elements, with tf.data.Options for how it is run; see `options`.

>>> options = tf.data.Options()
>>> options.threading.private_threadpool_size = 2
>>> data = tf.data.Dataset.range(2).with_options(options)
>>> data.options().threading.private_threadpool_size
2)",
     &WithOptions},
    {R"(options(self)
What `with_options` said, of this dataset and those it is made of.

>>> tf.data.Dataset.range(2).options().deterministic is None
True)",
     &Options},
    {R"(_assert_cardinality(self, cardinality)
See tf.data.experimental.assert_cardinality.)",
     &Step<kAssertCardinalityDataset, "cardinality">},
    {R"(_here(self)
The dataset itself.)",
     &Here},
};

}  // namespace

PyMethodDef* SelectionMethods() { return MethodsOf<kMethods, METH_STATIC>(); }

}  // namespace gk::py
