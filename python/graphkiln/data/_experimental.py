"""tf.data.experimental: older names of what datasets and iterators have."""

from collections.abc import Callable

from graphkiln.data import _dataset
from graphkiln.data import _iterator
from graphkiln.data import _optional


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


def get_next_as_optional(iterator: _iterator.Iterator) -> _optional.Optional:
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
    return _dataset._make("_VariantDataset", variant, structure)


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
