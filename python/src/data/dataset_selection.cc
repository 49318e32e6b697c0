// tf.data.Dataset: the same elements, fewer of them, in another order or at
// other times.
#include "python/src/data/dataset_methods.h"
#include "python/src/data/dataset_options.h"
#include "python/src/data/dataset_step.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

nb::object Repeat(const Arguments& a) {
  return Then(a, steps::Repeat(Own(a), NumberIfGiven(a, "count")));
}

nb::object Shuffle(const Arguments& a) {
  const bool again =
      !a.has("reshuffle_each_iteration") || a.flag("reshuffle_each_iteration");
  return Then(a, steps::Shuffle(Own(a), Number(a, "buffer_size"),
                                SeedOf(a["seed"]), again));
}

nb::object Prefetch(const Arguments& a) {
  return Then(a, steps::Prefetch(Own(a), NumberIfGiven(a, "buffer_size")));
}

nb::object Cache(const Arguments& a) {
  return Then(a,
              steps::Cache(Own(a), Number(a, "filename", DataType::kString)));
}

nb::object Enumerate(const Arguments& a) {
  const nb::object number =
      Owned(WrapTensorSpec(TensorShape(), DataType::kInt64));
  return Then(a, steps::Enumerate(Own(a), Number(a, "start")),
              nb::make_tuple(number, ElementSpecOf(a.self())));
}

nb::object Concatenate(const Arguments& a) {
  const nb::object mine = ElementSpecOf(a.self()),
                   others = ElementSpecOf(a["dataset"]);
  const nb::object spec = Common(mine, others);
  if (spec.is_none()) {
    Throw(TypeError("Incompatible dataset elements:\n  {} vs.   {}",
                    TextOf(mine), TextOf(others)));
  }
  return Then(a,
              steps::Concatenate(Own(a), DatasetOf(a["dataset"]),
                                 SignatureOfSpec(spec)),
              spec, {nb::borrow(a["dataset"])});
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
    steps::CheckUnique(
        IsDType(dtype.ptr()) ? DTypeOf(dtype.ptr()) : DataType::kInvalid,
        [&] { return std::string(nb::repr(dtype).c_str()); });
  }
  return Then(a, steps::Unique(Own(a)));
}

nb::object IgnoreErrors(const Arguments& a) {
  return Then(a, steps::IgnoreErrors(Own(a), a.flag("log_warning")));
}

nb::object WithOptions(const Arguments& a) {
  return Then(a, steps::WithOptions(Own(a), CoreOptions(a["options"])));
}

nb::object Options(const Arguments& a) {
  return FrozenOptions(steps::OptionsOf(Own(a).variant));
}

nb::object Here(const Arguments& a) { return nb::borrow(a.self()); }

constexpr ToldFunction kDatasetSelectionMethods[] = {
    {R"(take(self, count, name=None)
The first `count` elements; all if it is -1.

>>> [int(x) for x in tf.data.Dataset.range(5).take(2)]
[0, 1])",
     &Step<steps::Take, "count">},
    {R"(skip(self, count, name=None)
All but the first `count` elements; none if it is -1.

>>> [int(x) for x in tf.data.Dataset.range(5).skip(3)]
[3, 4])",
     &Step<steps::Skip, "count">},
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
     &Step<steps::Shard, "num_shards", "index">},
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
     &Step<steps::AssertCardinality, "cardinality">},
    {R"(_here(self)
The dataset itself.)",
     &Here},
};

}  // namespace

PyMethodDef* SelectionMethods() {
  return MethodsOf<kDatasetSelectionMethods, METH_STATIC>();
}

}  // namespace gk::py
