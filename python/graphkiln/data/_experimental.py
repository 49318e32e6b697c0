"""tf.data.experimental: older names of what datasets and iterators have."""

from collections.abc import Callable

import numpy as np

from graphkiln import _graphkiln, raw_ops
from graphkiln._src.function import tracing
from graphkiln._src.types import dtypes
from graphkiln.data import _dataset
from graphkiln.data import _making as making


def cardinality(dataset):
    """`dataset.cardinality()`.

    >>> int(tf.data.experimental.cardinality(tf.data.Dataset.range(4)))
    4
    """
    return dataset.cardinality()


def get_single_element(dataset):
    """`dataset.get_single_element()`.

    >>> d = tf.data.Dataset.from_tensors(3)
    >>> int(tf.data.experimental.get_single_element(d))
    3
    """
    if not isinstance(dataset, _dataset.Dataset):
        raise TypeError(
            "Invalid `dataset`. Expected a `tf.data.Dataset` object but got "
            f"{type(dataset)}."
        )
    return dataset.get_single_element()


def get_next_as_optional(
    iterator: _graphkiln.Iterator,
) -> _graphkiln.Optional:
    """`iterator.get_next_as_optional()`.

    >>> it = iter(tf.data.Dataset.range(4))
    >>> int(tf.data.experimental.get_next_as_optional(it).get_value())
    0
    """
    return iterator.get_next_as_optional()


def get_structure(dataset_or_iterator):
    """The `element_spec` of a dataset or an iterator.

    >>> tf.data.experimental.get_structure(tf.data.Dataset.range(4))
    TensorSpec(shape=(), dtype=tf.int64, name=None)
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a "
            "`tf.data.Dataset` or tf.data.Iterator object, but got "
            f"{type(dataset_or_iterator)}."
        ) from None


def to_variant(dataset: _dataset.Dataset):
    """The variant tensor of a dataset.

    >>> tf.data.experimental.to_variant(tf.data.Dataset.range(4)).dtype
    tf.variant
    """
    return dataset._as_input()


def from_variant(variant, structure) -> _dataset.Dataset:
    """The dataset in a variant tensor.

    Args:
      variant: what `to_variant` returned.
      structure: the structure of tf.TypeSpecs of an element.

    >>> d = tf.data.Dataset.range(2)
    >>> variant = tf.data.experimental.to_variant(d)
    >>> d = tf.data.experimental.from_variant(variant, d.element_spec)
    >>> [int(x) for x in d]
    [0, 1]
    """
    return making.make("_VariantDataset", variant, structure)


def enumerate_dataset(start=0) -> Callable:
    """For `apply`: numbers the elements.

    >>> d = tf.data.Dataset.range(5, 6)
    >>> d = d.apply(tf.data.experimental.enumerate_dataset())
    >>> [(int(i), int(x)) for i, x in d]
    [(0, 5)]
    """
    return lambda dataset: dataset.enumerate(start)


def unbatch() -> Callable:
    """For `apply`: takes batches apart.

    >>> d = tf.data.Dataset.from_tensors([1, 2])
    >>> [int(x) for x in d.apply(tf.data.experimental.unbatch())]
    [1, 2]
    """
    return lambda dataset: dataset.unbatch()


def scan(initial_state, scan_func) -> Callable:
    """For `apply`: `Dataset.scan`.

    >>> d = tf.data.Dataset.range(1, 4).apply(tf.data.experimental.scan(
    ...     tf.constant(0, tf.int64), lambda a, x: (a + x, a + x)))
    >>> [int(x) for x in d]
    [1, 3, 6]
    """
    return lambda dataset: dataset.scan(initial_state, scan_func)


def take_while(predicate) -> Callable:
    """For `apply`: `Dataset.take_while`.

    >>> d = tf.data.Dataset.range(9)
    >>> d = d.apply(tf.data.experimental.take_while(lambda x: x < 2))
    >>> [int(x) for x in d]
    [0, 1]
    """
    return lambda dataset: dataset.take_while(predicate)


def unique() -> Callable:
    """For `apply`: `Dataset.unique`.

    >>> d = tf.data.Dataset.from_tensor_slices([1, 1, 2])
    >>> [int(x) for x in d.apply(tf.data.experimental.unique())]
    [1, 2]
    """
    return lambda dataset: dataset.unique()


def Counter(start=0, step=1, dtype=dtypes.int64) -> _dataset.Dataset:
    """`Dataset.counter`.

    >>> [int(x) for x in tf.data.experimental.Counter(5).take(2)]
    [5, 6]
    """
    return _dataset.Dataset.counter(start, step, dtype)


def assert_cardinality(expected_cardinality) -> Callable:
    """For `apply`: says how many elements there are. When iterating shows
    something else, that is a tf.errors.FailedPreconditionError.

    >>> d = tf.data.Dataset.range(4).filter(lambda x: x > 1)
    >>> len(d.apply(tf.data.experimental.assert_cardinality(2)))
    2
    """
    return lambda dataset: dataset._then(
        raw_ops.AssertCardinalityDataset, cardinality=expected_cardinality
    )


def ignore_errors(log_warning=False) -> Callable:
    """For `apply`: `Dataset.ignore_errors`.

    >>> d = tf.data.Dataset.from_tensor_slices([1, 0]).map(lambda x: 1 // x)
    >>> [int(x) for x in d.apply(tf.data.experimental.ignore_errors())]
    [1]
    """
    return lambda dataset: dataset.ignore_errors(log_warning)


def group_by_window(
    key_func, reduce_func, window_size=None, window_size_func=None
) -> Callable:
    """For `apply`: `Dataset.group_by_window`.

    >>> d = tf.data.Dataset.range(4)
    >>> d = d.apply(tf.data.experimental.group_by_window(
    ...     lambda x: x % 2, lambda key, group: group.batch(2), 2))
    >>> [x.numpy().tolist() for x in d]
    [[0, 2], [1, 3]]
    """
    return lambda dataset: dataset.group_by_window(
        key_func, reduce_func, window_size, window_size_func
    )


def bucket_by_sequence_length(
    element_length_func,
    bucket_boundaries,
    bucket_batch_sizes,
    padded_shapes=None,
    padding_values=None,
    pad_to_bucket_boundary=False,
    no_padding=False,
    drop_remainder=False,
) -> Callable:
    """For `apply`: `Dataset.bucket_by_sequence_length`.

    >>> d = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
    >>> d = d.apply(tf.data.experimental.bucket_by_sequence_length(
    ...     lambda row: tf.shape(row)[0], [2], [1, 1]))
    >>> [x.numpy().tolist() for x in d]
    [[[1]], [[2, 2]]]
    """
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func, bucket_boundaries, bucket_batch_sizes,
        padded_shapes, padding_values, pad_to_bucket_boundary, no_padding,
        drop_remainder,
    )


def dense_to_ragged_batch(
    batch_size, drop_remainder=False, row_splits_dtype=dtypes.int64
) -> Callable:
    """For `apply`: `Dataset.ragged_batch`.

    >>> d = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
    >>> d = d.apply(tf.data.experimental.dense_to_ragged_batch(2))
    >>> [x.to_list() for x in d]
    [[[1], [2, 2]]]
    """
    return lambda dataset: dataset.ragged_batch(
        batch_size, drop_remainder, row_splits_dtype
    )


def dense_to_sparse_batch(batch_size, row_shape) -> Callable:
    """For `apply`: `Dataset.sparse_batch`.

    >>> d = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
    >>> d = d.apply(tf.data.experimental.dense_to_sparse_batch(2, [2]))
    >>> [x.values.numpy().tolist() for x in d]
    [[1, 2, 2]]
    """
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


def choose_from_datasets(
    datasets, choice_dataset, stop_on_empty_dataset=False
) -> _dataset.Dataset:
    """`Dataset.choose_from_datasets`.

    >>> parts = [tf.data.Dataset.range(2)] * 2
    >>> choice = tf.data.Dataset.range(2).repeat()
    >>> d = tf.data.experimental.choose_from_datasets(parts, choice)
    >>> [int(x) for x in d]
    [0, 0, 1, 1]
    """
    return _dataset.Dataset.choose_from_datasets(
        datasets, choice_dataset, stop_on_empty_dataset
    )


def sample_from_datasets(
    datasets, weights=None, seed=None, stop_on_empty_dataset=False
) -> _dataset.Dataset:
    """`Dataset.sample_from_datasets`.

    >>> parts = [tf.data.Dataset.range(2), tf.data.Dataset.range(5, 6)]
    >>> d = tf.data.experimental.sample_from_datasets(parts)
    >>> sorted(int(x) for x in d)
    [0, 1, 5]
    """
    return _dataset.Dataset.sample_from_datasets(
        datasets, weights, seed, stop_on_empty_dataset
    )


def rejection_resample(
    class_func, target_dist, initial_dist=None, seed=None
) -> Callable:
    """For `apply`: `Dataset.rejection_resample`.

    >>> d = tf.data.Dataset.from_tensor_slices([0, 1]).repeat(9)
    >>> d = d.apply(tf.data.experimental.rejection_resample(
    ...     lambda x: x, [0.5, 0.5], [0.5, 0.5]))
    >>> len(list(d))
    18
    """
    return lambda dataset: dataset.rejection_resample(
        class_func, target_dist, initial_dist, seed
    )


def map_and_batch(
    map_func,
    batch_size,
    num_parallel_batches=None,
    drop_remainder=False,
    num_parallel_calls=None,
) -> Callable:
    """For `apply`: `Dataset.map`, then `Dataset.batch`.

    Raises:
      ValueError: it is said twice how much works at a time.

    >>> d = tf.data.Dataset.range(4)
    >>> d = d.apply(tf.data.experimental.map_and_batch(lambda x: x * x, 2))
    >>> [x.numpy().tolist() for x in d]
    [[0, 1], [4, 9]]
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "`map_and_batch` allows only one of `num_parallel_batches` and "
            "`num_parallel_calls` to be set, but `num_parallel_batches` was "
            f"set to {num_parallel_batches} and `num_parallel_calls` was set "
            f"to {num_parallel_calls}."
        )
    calls = num_parallel_calls
    if num_parallel_batches is not None:
        calls = num_parallel_batches * batch_size
    return lambda dataset: dataset.map(map_func, calls).batch(
        batch_size, drop_remainder
    )


def parallel_interleave(
    map_func,
    cycle_length,
    block_length=1,
    sloppy=False,
    buffer_output_elements=None,
    prefetch_input_elements=None,
) -> Callable:
    """For `apply`: `Dataset.interleave` of all of a cycle at a time.

    Args:
      map_func: takes an element; returns a dataset.
      cycle_length: how many datasets take turns.
      block_length: how many elements one gives in its turn.
      sloppy: whether what is ready goes first.
      buffer_output_elements: accepted for compatibility.
      prefetch_input_elements: accepted for compatibility.

    >>> d = tf.data.Dataset.range(1, 3).apply(
    ...     tf.data.experimental.parallel_interleave(
    ...         lambda x: tf.data.Dataset.from_tensors(x).repeat(2), 2))
    >>> [int(x) for x in d]
    [1, 2, 1, 2]
    """
    return lambda dataset: dataset.interleave(
        map_func, cycle_length, block_length, cycle_length, not sloppy
    )


def prefetch_to_device(device, buffer_size=None) -> Callable:
    """For `apply`: `Dataset.prefetch`; there is no other memory to go to.

    >>> d = tf.data.Dataset.range(2)
    >>> d = d.apply(tf.data.experimental.prefetch_to_device("/cpu:0"))
    >>> [int(x) for x in d]
    [0, 1]
    """
    return lambda dataset: dataset.prefetch(buffer_size)


def copy_to_device(target_device, source_device="/cpu:0") -> Callable:
    """For `apply`: the dataset itself; there is no other memory to go to.

    >>> d = tf.data.Dataset.range(2)
    >>> d = d.apply(tf.data.experimental.copy_to_device("/cpu:0"))
    >>> [int(x) for x in d]
    [0, 1]
    """
    return lambda dataset: dataset


class Reducer:
    """What `group_by_reducer` does with the elements of a key.

    Args:
      init_func: takes the key; returns a state.
      reduce_func: takes a state and an element; returns the next state.
      finalize_func: takes the last state; returns an element.

    >>> reducer = tf.data.experimental.Reducer(
    ...     lambda key: 0, lambda total, x: total + 1, lambda total: total)
    >>> counts = tf.data.Dataset.range(5).apply(
    ...     tf.data.experimental.group_by_reducer(lambda x: x % 2, reducer))
    >>> [n.numpy().item() for n in counts]
    [3, 2]
    """

    def __init__(self, init_func, reduce_func, finalize_func):
        self._functions = init_func, reduce_func, finalize_func

    @property
    def init_func(self) -> Callable:
        """Takes the key; returns a state."""
        return self._functions[0]

    @property
    def reduce_func(self) -> Callable:
        """Takes a state and an element; returns the next state."""
        return self._functions[1]

    @property
    def finalize_func(self) -> Callable:
        """Takes the last state; returns an element."""
        return self._functions[2]


def group_by_reducer(key_func, reducer: Reducer) -> Callable:
    """For `apply`: one element for each key, made of all elements of it, in
    the order of the keys.

    Args:
      key_func: takes an element; returns its key, an int64 scalar.
      reducer: a tf.data.experimental.Reducer.

    >>> count = tf.data.experimental.Reducer(
    ...     lambda key: 0, lambda n, x: n + 1, lambda n: n)
    >>> d = tf.data.Dataset.range(5)
    >>> d = d.apply(tf.data.experimental.group_by_reducer(
    ...     lambda x: x % 2, count))
    >>> [int(x) for x in d]
    [3, 2]
    """
    init = tracing.convert(reducer.init_func, None)

    def reduced(key, group):
        state = group.reduce(init(key), reducer.reduce_func)
        return _dataset.Dataset.from_tensors(state).map(reducer.finalize_func)

    # No window is ever full, so each key has one.
    most = np.iinfo(np.int64).max
    return lambda dataset: dataset.group_by_window(key_func, reduced, most)
