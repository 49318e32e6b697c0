"""tf.io.parse_example and the features that it takes: tf.io.FixedLenFeature, ..."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from graphkiln import _graphkiln
from graphkiln._src.types.dispatched import dispatched


class VarLenFeature(NamedTuple):
    """As many values as an example has, as a row of a sparse tensor.

    Fields:
      dtype: tf.float32, tf.int64 or tf.string.
    """

    dtype: object


class FixedLenFeature(NamedTuple):
    """A dense tensor of a shape that all examples share.

    Fields:
      shape: of the values of one example.
      dtype: tf.float32, tf.int64 or tf.string.
      default_value: for examples without the feature, of that shape; None: each
        must have it.
    """

    shape: object
    dtype: object
    default_value: object = None


class FixedLenSequenceFeature(NamedTuple):
    """A dense tensor with as many slices of a shape as an example has.

    Shorter examples of a batch are padded.

    Fields:
      shape: of one slice.
      dtype: tf.float32, tf.int64 or tf.string.
      allow_missing: has to be True; an example without the feature has no slice.
      default_value: a scalar, what pads; 0 or "" for None.
    """

    shape: object
    dtype: object
    allow_missing: bool = False
    default_value: object = None


class SparseFeature(NamedTuple):
    """A sparse tensor whose values are one feature, and indices others.

    Fields:
      index_key: the name of the feature of indices, or a list with one for each
        dimension.
      value_key: the name of the feature of values.
      dtype: of the values.
      size: of the dimension, or a list of sizes.
      already_sorted: do the indices rise?
    """

    index_key: str | Sequence[str]
    value_key: str
    dtype: object
    size: int | Sequence[int]
    already_sorted: bool = False


class _RowSplits(NamedTuple):
    """A feature that holds where rows begin, and where the last one ends."""

    key: str


class _RowLengths(NamedTuple):
    """A feature that holds the lengths of rows."""

    key: str


class _RowStarts(NamedTuple):
    """A feature that holds where rows begin."""

    key: str


class _RowLimits(NamedTuple):
    """A feature that holds where rows end."""

    key: str


class _ValueRowIds(NamedTuple):
    """A feature that holds the row of each value."""

    key: str


class _UniformRowLength(NamedTuple):
    """Rows of one length."""

    length: int


# In the order of FeaturePartition::Kind.
_PARTITIONS = (
    _RowSplits, _RowLengths, _RowStarts, _RowLimits, _ValueRowIds, _UniformRowLength
)  # fmt: skip


class _RaggedFields(NamedTuple):
    dtype: object
    value_key: str | None = None
    partitions: tuple = ()
    row_splits_dtype: object = _graphkiln.int32
    validate: bool = False


class RaggedFeature(_RaggedFields):
    """A ragged tensor, whose rows may be divided further by other features.

    Fields:
      dtype: of the values.
      value_key: the name of the feature of values; None: the result's.
      partitions: how the values of an example are divided, the outermost first:
        `RaggedFeature.RowSplits(key)`, `RowLengths`, `RowStarts`, `RowLimits`,
        `ValueRowIds`, `UniformRowLength(length)`.
      row_splits_dtype: tf.int32 or tf.int64.
      validate: are the partitions checked?

    Raises TypeError for partitions of another kind.
    """

    RowSplits = _RowSplits
    RowLengths = _RowLengths
    RowStarts = _RowStarts
    RowLimits = _RowLimits
    ValueRowIds = _ValueRowIds
    UniformRowLength = _UniformRowLength

    def __new__(
        cls,
        dtype: object,
        value_key: str | None = None,
        partitions: tuple = (),
        row_splits_dtype: object = _graphkiln.int32,
        validate: bool = False,
    ) -> RaggedFeature:
        if value_key is not None:
            _check_name("value_key", value_key)
        partitions = tuple(partitions)
        for partition in partitions:
            if not isinstance(partition, _PARTITIONS):
                raise TypeError(
                    "Argument `partitions` must be a list of partition objects "
                    f"{tuple(p.__name__[1:] for p in _PARTITIONS)}. Received: "
                    f"{partition}"
                )
        return super().__new__(
            cls, dtype, value_key, partitions, row_splits_dtype, validate
        )


def _check_name(what: str, name: object) -> None:
    if not isinstance(name, str):
        raise ValueError(f"Argument `{what}` must be a string; got {name!r}.")


def fields_of(key: str, feature: object) -> dict:
    """What the core is told of a feature, by its names of the fields."""
    told = {"shown": str(feature)}
    if isinstance(feature, FixedLenSequenceFeature):
        return {**told, "kind": 1, **feature._asdict()}
    if isinstance(feature, FixedLenFeature):
        return {**told, "kind": 0, **feature._asdict()}
    if isinstance(feature, VarLenFeature):
        return {**told, "kind": 2, "dtype": feature.dtype}
    if isinstance(feature, SparseFeature):
        several = isinstance(feature.index_key, (list, tuple))
        return {
            **told,
            "kind": 3,
            "dtype": feature.dtype,
            "index_keys": feature.index_key
            if several or not feature.index_key
            else [feature.index_key],
            "size": feature.size
            if isinstance(feature.size, (list, tuple))
            else [feature.size],
            "value_key": feature.value_key,
            "already_sorted": feature.already_sorted,
        }
    if isinstance(feature, RaggedFeature):
        return {
            **told,
            "kind": 4,
            "dtype": feature.dtype,
            "value_key": feature.value_key,
            "splits_type": feature.row_splits_dtype,
            "validate": feature.validate,
            "partitions": [
                (_PARTITIONS.index(type(p)), getattr(p, "key", ""),
                 getattr(p, "length", 0))
                for p in feature.partitions
            ],
        }  # fmt: skip
    raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key {key!r}")


def _parse(
    serialized: object, features: Mapping, names: object, name: str | None, one: bool
) -> dict:
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    wanted = [(key, fields_of(key, features[key])) for key in sorted(features)]
    scope = name or f"Parse{'Single' if one else ''}Example"
    return _graphkiln.parse_examples(serialized, names, wanted, scope, one)


@dispatched
def parse_example(
    serialized: object,
    features: Mapping[str, object],
    example_names: object = None,
    name: str | None = None,
) -> dict:
    """Reads features out of serialized tf.train.Example messages.

    Args:
      serialized: a vector of strings, a batch, or a scalar, one example.
      features: by name, which features and how: `tf.io.FixedLenFeature`,
        `FixedLenSequenceFeature`, `VarLenFeature`, `SparseFeature`,
        `RaggedFeature`.
      example_names: names for messages, of the shape of `serialized`.
      name: of the ops.

    Returns a dictionary of tensors, sparse and ragged tensors; those of a batch
    have a row for each example.

    Raises ValueError for features that ask for what cannot be,
    tf.errors.InvalidArgumentError for an example that is none, lacks a feature that
    it must have, or holds another type or number of values.

    >>> feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    >>> features = tf.train.Features(feature={'a': feature})
    >>> text = tf.train.Example(features=features).SerializeToString()
    >>> wanted = {'a': tf.io.FixedLenFeature([2], tf.int64)}
    >>> tf.io.parse_example([text, text], wanted)['a'].numpy().tolist()
    [[1, 2], [1, 2]]
    """
    return _parse(serialized, features, example_names, name, False)


@dispatched
def parse_single_example(
    serialized: object,
    features: Mapping[str, object],
    example_names: object = None,
    name: str | None = None,
) -> dict:
    """Reads features out of one serialized tf.train.Example message, a scalar.

    See `tf.io.parse_example`; results have no dimension for the batch.
    """
    return _parse(serialized, features, example_names, name, True)


def parse_example_v1(
    serialized: object,
    features: Mapping[str, object],
    name: str | None = None,
    example_names: object = None,
) -> dict:
    """`tf.io.parse_example` with the arguments of TensorFlow's first version."""
    return _parse(serialized, features, example_names, name, False)


def parse_single_example_v1(
    serialized: object,
    features: Mapping[str, object],
    name: str | None = None,
    example_names: object = None,
) -> dict:
    """`tf.io.parse_single_example` with the arguments of the first version."""
    return _parse(serialized, features, example_names, name, True)
