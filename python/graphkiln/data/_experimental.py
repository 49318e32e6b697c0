"""tf.data.experimental: what is made of several methods of datasets."""

from __future__ import annotations

import collections.abc
import typing

import numpy as np
from graphkiln._graphkiln import convert_to_tensor

from graphkiln import _graphkiln, raw_ops
from graphkiln._src.example import features as example_features
from graphkiln._src.lookup import initializers, tables
from graphkiln._src.types import dtypes
from graphkiln.data import _constants, _dataset, _files

Dataset = _dataset.Dataset
Transformation = collections.abc.Callable[[Dataset], Dataset]
Count = typing.Any  # an int64 scalar

# The number of shards or the shard that whoever distributes a dataset says.
SHARD_HINT = -1


class RandomDataset(_files.MadeDataset):
    """`Dataset.random`, as a class.

    Args:
      seed: an int; with the global seed it determines the numbers.
      rerandomize_each_iteration: whether each iteration draws others.
      name: accepted for compatibility.

    >>> len(list(tf.data.experimental.RandomDataset(seed=1).take(3)))
    3
    """

    def __init__(
        self,
        seed: int | None = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(Dataset.random(seed, rerandomize_each_iteration))


def shuffle_and_repeat(
    buffer_size: Count, count: Count | None = None, seed: int | None = None
) -> Transformation:
    """For `apply`: `Dataset.shuffle`, then `Dataset.repeat`.

    >>> d = tf.data.Dataset.range(2)
    >>> d = d.apply(tf.data.experimental.shuffle_and_repeat(2, 3, seed=1))
    >>> sorted(int(x) for x in d)
    [0, 0, 0, 1, 1, 1]
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def at(dataset: Dataset, index: Count) -> typing.Any:
    """The element of a number; those before it are made, too.

    Args:
      dataset: the dataset.
      index: a number from 0 on.

    Raises:
      tf.errors.OutOfRangeError: there is none.

    >>> int(tf.data.experimental.at(tf.data.Dataset.range(5, 9), 2))
    7
    """
    made = raw_ops.GetElementAtIndex(
        dataset=dataset._as_input(),
        index=_graphkiln.convert_to_tensor(index, dtypes.int64),
        **dataset._flat_structure,
    )
    return _graphkiln.element_of_components(dataset.element_spec, list(made))


def _zeros(spec: _graphkiln.TensorSpec) -> np.ndarray:
    value = b"" if spec.dtype == dtypes.string else 0
    return np.full(spec.shape.as_list(), value, spec.dtype.as_numpy_dtype)


def pad_to_cardinality(cardinality: Count, mask_key: str = "valid") -> Transformation:
    """For `apply`: the elements, dictionaries, then zeros up to a number.

    Args:
      cardinality: how many elements there are then.
      mask_key: of the bool that says whether an element was there before.

    Applying it raises ValueError unless elements are dictionaries and it is
    known how many there are, at most `cardinality`.

    >>> d = tf.data.Dataset.from_tensor_slices({'x': [1, 2]})
    >>> d = d.apply(tf.data.experimental.pad_to_cardinality(3))
    >>> [(int(e['x']), bool(e['valid'])) for e in d]
    [(1, True), (2, True), (0, False)]
    """

    def apply(dataset: Dataset) -> Dataset:
        count = dataset.cardinality()
        if _graphkiln.executing_eagerly():
            if int(count) < 0:
                raise ValueError(
                    "The dataset passed into `pad_to_cardinality` must have a "
                    f"known cardinality, but has cardinality {int(count)}"
                )
            if int(count) > int(cardinality):
                raise ValueError(
                    "The dataset passed into `pad_to_cardinality` must have a "
                    "cardinality of at most the target cardinality "
                    f"({int(cardinality)}), but has cardinality {int(count)}"
                )
        spec = dataset.element_spec
        if not isinstance(spec, collections.abc.Mapping):
            raise ValueError(
                "`pad_to_cardinality` requires its input dataset to be a "
                f"dictionary, but elements are {spec}"
            )
        filler = _graphkiln.nest_map(_zeros, dict(spec))
        padding = Dataset.from_tensors({**filler, mask_key: False})
        return dataset.map(lambda x: {**x, mask_key: True}).concatenate(
            padding.repeat(cardinality - count)
        )

    return apply


def parse_example_dataset(
    features: collections.abc.Mapping[str, typing.Any],
    num_parallel_calls: Count = 1,
    deterministic: bool | None = None,
) -> Transformation:
    """For `apply`: `tf.io.parse_example` of batches of serialized examples.

    Args:
      features: by name, which features and how, as `tf.io.parse_example` takes
        them.
      num_parallel_calls: how many batches are parsed at a time.
      deterministic: whether batches keep their order; None: as options say.

    Raises:
      ValueError: there are no features.

    Applying it raises TypeError unless elements are vectors of strings.

    >>> x = tf.train.Example()
    >>> x.features.feature['n'].int64_list.value.append(3)
    >>> d = tf.data.Dataset.from_tensors([x.SerializeToString()])
    >>> d = d.apply(tf.data.experimental.parse_example_dataset(
    ...     {'n': tf.io.FixedLenFeature([], tf.int64)}))
    >>> [e['n'].numpy().tolist() for e in d]
    [[3]]
    """
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")

    def apply(dataset: Dataset) -> Dataset:
        spec = dataset.element_spec
        vectors = _graphkiln.TensorSpec([None], dtypes.string)
        if not vectors.is_compatible_with(spec):
            raise TypeError(
                "Input dataset should be a dataset of vectors of strings. "
                f"Instead it is `{spec}`."
            )
        return dataset.map(
            lambda serialized: example_features.parse_example(serialized, features),
            num_parallel_calls=num_parallel_calls,
            deterministic=deterministic,
        )

    return apply


def make_batched_features_dataset(
    file_pattern: typing.Any,
    batch_size: Count,
    features: collections.abc.Mapping[str, typing.Any],
    reader: collections.abc.Callable[..., Dataset] | None = None,
    label_key: str | None = None,
    reader_args: collections.abc.Sequence[typing.Any] | None = None,
    num_epochs: Count | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: Count = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: Count | None = None,
    reader_num_threads: Count | None = None,
    parser_num_threads: Count | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """Batches of features out of files of serialized examples.

    Args:
      file_pattern: a pattern as `tf.io.gfile.glob` takes it, or a list of them.
      batch_size: how many examples a batch has.
      features: by name, which features and how, as `tf.io.parse_example` takes
        them.
      reader: makes the dataset of a file; None: `tf.data.TFRecordDataset`.
      label_key: the feature that stands beside the others; elements are then
        pairs.
      reader_args: more arguments of `reader`.
      num_epochs: how often all examples come; None: without end.
      shuffle: whether files and examples are in random order.
      shuffle_buffer_size: how many examples one is drawn from.
      shuffle_seed: an int; with the global seed it determines the order.
      prefetch_buffer_size: how many batches are made in advance.
      reader_num_threads: how many files are read at a time; 1 for None.
      parser_num_threads: how many batches are parsed at a time; 2 for None.
      sloppy_ordering: whether what is ready goes first.
      drop_final_batch: whether a last batch of fewer examples is left out.

    Raises:
      ValueError: `label_key` is no feature.
      tf.errors.InvalidArgumentError: there are no such files.

    >>> import os, tempfile
    >>> x = tf.train.Example()
    >>> x.features.feature['n'].int64_list.value.append(3)
    >>> path = os.path.join(tempfile.mkdtemp(), 'a')
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(x.SerializeToString())
    >>> d = tf.data.experimental.make_batched_features_dataset(
    ...     path, 1, {'n': tf.io.FixedLenFeature([], tf.int64)}, num_epochs=1)
    >>> [e['n'].numpy().tolist() for e in d]
    [[3]]
    """
    if label_key and label_key not in features:
        raise ValueError(
            f"The `label_key` provided ({label_key}) must be one of the "
            f"`features` keys: {features.keys()}."
        )
    make = reader or _files.TFRecordDataset
    threads = 1 if reader_num_threads is None else reader_num_threads
    tuned = isinstance(threads, int) and threads == _constants.AUTOTUNE
    dataset = Dataset.list_files(file_pattern, shuffle, shuffle_seed).interleave(
        lambda filename: make(filename, *(reader_args or ())),
        cycle_length=None if tuned else threads,
        num_parallel_calls=threads,
        deterministic=not sloppy_ordering,
    )
    spec = dataset.element_spec
    if isinstance(spec, tuple) and len(spec) == 2:
        # Pairs of a key and an example.
        dataset = dataset.map(lambda _, example: example)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(
        batch_size, drop_remainder=drop_final_batch or num_epochs is None
    )
    parallel = 2 if parser_num_threads is None else parser_num_threads
    dataset = dataset.apply(parse_example_dataset(features, parallel))
    if label_key:

        def with_label(parsed: dict) -> tuple:
            rest = {k: v for k, v in parsed.items() if k != label_key}
            return rest, parsed[label_key]

        dataset = dataset.map(with_label)
    return dataset.prefetch(
        _constants.AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size
    )


class DatasetInitializer(initializers.TableInitializerBase):
    """Fills a lookup table with the pairs that a dataset has.

    Args:
      dataset: of pairs of scalars, keys and values.

    Raises:
      ValueError: it is of something else.

    >>> d = tf.data.Dataset.from_tensor_slices((['a', 'b'], [1, 2]))
    >>> table = tf.lookup.StaticHashTable(
    ...     tf.data.experimental.DatasetInitializer(d), default_value=-1)
    >>> table.lookup(tf.constant(['b', 'c'])).numpy().tolist()
    [2, -1]
    """

    def __init__(self, dataset: Dataset) -> None:
        spec = dataset.element_spec
        scalars = isinstance(spec, tuple) and len(spec) == 2
        if not scalars or any(
            not isinstance(s, _graphkiln.TensorSpec) or s.shape.rank != 0 for s in spec
        ):
            raise ValueError(
                "Datasets used to initialize lookup tables must have elements "
                f"in the form (key, value) of scalars, but they are {spec}"
            )
        self.dataset = dataset
        super().__init__(spec[0].dtype, spec[1].dtype)

    def initialize(self, table: typing.Any) -> typing.Any:
        """Makes the op that fills the table.

        Args:
          table: of the same types.
        """
        keys, values = self.dataset.batch(2**62).get_single_element()
        pairs = initializers.KeyValueTensorInitializer(keys, values)
        return pairs.initialize(table)


def _given(dataset: Dataset | None) -> Dataset:
    if not isinstance(dataset, Dataset):
        raise TypeError(
            "`dataset` must be a tf.data.Dataset, whose elements are what the table "
            f"holds, got {dataset!r}"
        )
    return dataset


def table_from_dataset(
    dataset: Dataset | None = None,
    num_oov_buckets: int = 0,
    vocab_size: Count | None = None,
    default_value: typing.Any = None,
    hasher_spec: typing.Any = None,
    key_dtype: typing.Any = dtypes.string,
    name: str | None = None,
) -> typing.Any:
    """A lookup table of the pairs that a dataset has.

    Args:
      dataset: of pairs of scalars, keys and values.
      num_oov_buckets: how many values keys that it has not are spread over; 0:
        they have `default_value`.
      vocab_size: how many pairs it has, at most; None: all of the dataset's.
      default_value: the value of other keys; -1 for None.
      hasher_spec: accepted for compatibility.
      key_dtype: of the keys.
      name: accepted for compatibility.

    Raises:
      ValueError: the dataset or the numbers are none that make a table.
      TypeError: keys are no integers or strings.

    >>> d = tf.data.Dataset.from_tensor_slices((['a', 'b'], [1, 2]))
    >>> table = tf.data.experimental.table_from_dataset(d)
    >>> table.lookup(tf.constant(['b', 'c'])).numpy().tolist()
    [2, -1]
    """
    dataset = _given(dataset)
    initializer = DatasetInitializer(dataset)
    value = dataset.element_spec[1].dtype
    if default_value is None:
        default_value = -1
        if not (value.is_integer or value.is_floating):
            raise ValueError(
                "`default_value` must be specified when creating a table from a "
                f"dataset that produces values of type {value}."
            )
    if num_oov_buckets < 0:
        raise ValueError(
            "`num_oov_buckets` must be greater than or equal to 0, got "
            f"{num_oov_buckets}."
        )
    keys = _graphkiln.as_dtype(key_dtype)
    if not keys.is_integer and keys != dtypes.string:
        raise TypeError(
            f"`key_dtype` must be either an integer or string type, but got {key_dtype}"
        )
    if vocab_size is not None:
        if isinstance(vocab_size, int) and vocab_size < 1:
            raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
        count = convert_to_tensor(vocab_size)
        dataset = dataset.take(count)._assert_cardinality(count)
        initializer = DatasetInitializer(dataset)
    if num_oov_buckets:
        return tables.StaticVocabularyTable(initializer, num_oov_buckets)
    return tables.StaticHashTable(initializer, default_value)


def index_table_from_dataset(
    dataset: Dataset | None = None,
    num_oov_buckets: int = 0,
    vocab_size: Count | None = None,
    default_value: typing.Any = -1,
    hasher_spec: typing.Any = None,
    key_dtype: typing.Any = dtypes.string,
    name: str | None = None,
) -> typing.Any:
    """A lookup table of the numbers of a dataset's elements.

    Args:
      dataset: of scalars, the keys.
      num_oov_buckets: how many values keys that it has not are spread over; 0:
        they have `default_value`.
      vocab_size: how many keys it has, at most; None: all of the dataset's.
      default_value: the value of other keys.
      hasher_spec: accepted for compatibility.
      key_dtype: of the keys.
      name: accepted for compatibility.

    >>> d = tf.data.Dataset.from_tensor_slices(['a', 'b'])
    >>> table = tf.data.experimental.index_table_from_dataset(d)
    >>> table.lookup(tf.constant(['b', 'c'])).numpy().tolist()
    [1, -1]
    """
    return table_from_dataset(
        _given(dataset).enumerate().map(lambda number, key: (key, number)),
        num_oov_buckets,
        vocab_size,
        default_value,
        hasher_spec,
        key_dtype,
        name,
    )
