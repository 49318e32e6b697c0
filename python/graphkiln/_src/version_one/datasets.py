"""tf.compat.v1.data: what elements of a dataset or an iterator are made of."""

from __future__ import annotations

from typing import Any

from graphkiln import nest
from graphkiln._graphkiln import (
    DatasetBase,
    Iterator,
    RaggedTensorSpec,
    SparseTensorSpec,
    TensorArraySpec,
    TensorSpec,
)

_HAVE_DTYPE = RaggedTensorSpec, SparseTensorSpec, TensorSpec


def _mapped(function: Any, source: Any) -> Any:
    if not isinstance(source, (DatasetBase, Iterator)):
        raise TypeError(
            "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a "
            "`tf.data.Dataset` or tf.data.Iterator object, but got "
            f"{type(source)}."
        )
    return nest.map_structure(function, source.element_spec)


def _part(spec: Any, name: str) -> Any:
    """What a spec says of its tensor; of others the spec itself tells all."""
    if isinstance(spec, TensorArraySpec):
        return spec._dtype if name == "dtype" else spec._element_shape
    return getattr(spec, name) if isinstance(spec, _HAVE_DTYPE) else spec


def _class_of(spec: Any) -> Any:
    plain = isinstance(spec, (SparseTensorSpec, TensorArraySpec, TensorSpec))
    return spec.value_type if plain else spec


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The classes of what an element is made of.

    Args:
      dataset_or_iterator: a dataset or an iterator.

    Returns:
      A structure of classes.

    Raises:
      TypeError: it is neither.

    >>> tf.compat.v1.data.get_output_classes(tf.data.Dataset.range(3))
    <class 'graphkiln.Tensor'>
    """
    return _mapped(_class_of, dataset_or_iterator)


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The shapes of what an element is made of.

    Args:
      dataset_or_iterator: a dataset or an iterator.

    Returns:
      A structure of `tf.TensorShape`s.

    Raises:
      TypeError: it is neither.

    >>> tf.compat.v1.data.get_output_shapes(tf.data.Dataset.range(3))
    TensorShape([])
    """
    return _mapped(lambda spec: _part(spec, "shape"), dataset_or_iterator)


def get_output_types(dataset_or_iterator: Any) -> Any:
    """The dtypes of what an element is made of.

    Args:
      dataset_or_iterator: a dataset or an iterator.

    Returns:
      A structure of `tf.DType`s.

    Raises:
      TypeError: it is neither.

    >>> tf.compat.v1.data.get_output_types(tf.data.Dataset.range(3))
    tf.int64
    """
    return _mapped(lambda spec: _part(spec, "dtype"), dataset_or_iterator)
