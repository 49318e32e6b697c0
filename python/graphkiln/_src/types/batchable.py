"""Specs of values that can be stacked and taken apart again: tensors, ragged
and sparse tensors, and extension types made of such.

What an extension type does is its batch encoder's: the attribute
`__batch_encoder__` of the class.
"""

from collections.abc import Callable

from graphkiln import nest
from graphkiln._graphkiln import TensorShape
from graphkiln._src.ragged.spec import RaggedTensorSpec
from graphkiln._src.sparse.sparse_tensor import SparseTensorSpec
from graphkiln._src.types import extension_type
from graphkiln._src.types.type_spec import NoneTensorSpec, TensorSpec, TypeSpec

# Kinds of specs that are made further up: (class, batched, sliced).
_kinds: list[tuple[type, Callable, Callable]] = []


def register_kind(kind: type, batch: Callable, slice_: Callable) -> None:
    """Makes `batched` and `sliced` know a class of specs."""
    _kinds.append((kind, batch, slice_))


def encoder(spec: object) -> "ExtensionTypeBatchEncoder | None":
    """What takes values of the spec apart, if it is an extension type's."""
    if not isinstance(spec, extension_type.ExtensionTypeSpec):
        return None
    return getattr(spec.value_type, "__batch_encoder__", None)


def encoded(spec: TypeSpec) -> list:
    """The specs of what a value of a batchable extension type becomes."""
    return nest.flatten(encoder(spec).encoding_specs(spec))


def encode(spec: TypeSpec, value: object, minimum_rank: int = 0) -> list:
    """The parts that `encoded` describes."""
    return nest.flatten(encoder(spec).encode(spec, value, minimum_rank))


def decode(spec: TypeSpec, parts: list) -> object:
    """The value made of them."""
    own = encoder(spec)
    return own.decode(
        spec, nest.pack_sequence_as(own.encoding_specs(spec), list(parts))
    )


def leaves(spec: TypeSpec) -> list:
    """The specs inside that are no extension types'."""
    if encoder(spec) is None:
        return [spec]
    return [leaf for part in encoded(spec) for leaf in leaves(part)]


def sliced(spec: TypeSpec) -> TypeSpec:
    """The spec of a row.

    Raises:
      TypeError: values of the spec have no rows.
      ValueError: they are scalars.
    """
    for kind, _, slice_ in _kinds:
        if isinstance(spec, kind):
            return slice_(spec)
    if encoder(spec) is not None:
        return encoder(spec).unbatch(spec)
    if isinstance(spec, NoneTensorSpec):
        return spec
    if not isinstance(
        spec, (TensorSpec, RaggedTensorSpec, SparseTensorSpec)
    ):
        raise TypeError(f"Elements of {spec} cannot be sliced")
    if spec.shape.rank == 0:
        raise ValueError("Unbatching a tensor is only supported for rank >= 1")
    shape = None if spec.shape.rank is None else spec.shape[1:]
    if isinstance(spec, SparseTensorSpec):
        return SparseTensorSpec(shape, spec.dtype)
    if isinstance(spec, RaggedTensorSpec) and spec.ragged_rank > 0:
        return RaggedTensorSpec(
            shape, spec.dtype, spec.ragged_rank - 1, spec.row_splits_dtype
        )
    return TensorSpec(shape, spec.dtype)


def batched(spec: TypeSpec, size: int | None) -> TypeSpec:
    """The spec of `size` values stacked; TypeError if they cannot be."""
    for kind, batch, _ in _kinds:
        if isinstance(spec, kind):
            return batch(spec, size)
    if encoder(spec) is not None:
        return encoder(spec).batch(spec, size)
    first = TensorShape([None if size is None else int(size)])
    if isinstance(spec, NoneTensorSpec):
        return spec
    if isinstance(spec, TensorSpec):
        return TensorSpec(first.concatenate(spec.shape), spec.dtype)
    if isinstance(spec, SparseTensorSpec):
        return SparseTensorSpec(first.concatenate(spec.shape), spec.dtype)
    if isinstance(spec, RaggedTensorSpec):
        return RaggedTensorSpec(
            first.concatenate(spec.shape), spec.dtype, spec.ragged_rank + 1,
            spec.row_splits_dtype,
        )
    raise TypeError(f"Elements of {spec} cannot be batched")


class ExtensionTypeBatchEncoder:
    """How values of a tf.experimental.BatchableExtensionType are stacked and
    taken apart, for tf.data.Dataset and tf.map_fn.

    This one stacks each field by itself; a tf.TensorShape among the fields
    gets the outer dimension. A subclass, as the `__batch_encoder__` of a type,
    does it in another way: what `encode` returns must be stackable, and a
    stack of it what `encode` returns for the batch.

    >>> class Point(tf.experimental.BatchableExtensionType):
    ...     x: tf.Tensor
    >>> spec = Point.Spec(tf.TensorSpec([]))
    >>> tf.experimental.ExtensionTypeBatchEncoder().batch(spec, 3)
    Point.Spec(x=TensorSpec(shape=(3,), dtype=tf.float32, name=None))
    """

    def batch(self, spec, batch_size):
        """The spec of `batch_size` values of `spec` stacked; None: of a number
        that is not known.

        >>> class Point(tf.experimental.BatchableExtensionType):
        ...     x: tf.Tensor
        >>> tf.experimental.ExtensionTypeBatchEncoder().batch(
        ...     Point.Spec(tf.TensorSpec([2])), None)
        Point.Spec(x=TensorSpec(shape=(None, 2), dtype=tf.float32, name=None))
        """

        def field(value):
            if isinstance(value, TensorShape):
                return TensorShape([batch_size]).concatenate(value)
            if isinstance(value, TypeSpec):
                return batched(value, batch_size)
            return value

        return spec._map(field)

    def unbatch(self, spec):
        """The spec of a row of a value of `spec`.

        Raises:
          ValueError: the value has a scalar among its fields.

        >>> class Point(tf.experimental.BatchableExtensionType):
        ...     x: tf.Tensor
        >>> tf.experimental.ExtensionTypeBatchEncoder().unbatch(
        ...     Point.Spec(tf.TensorSpec([2])))
        Point.Spec(x=TensorSpec(shape=(), dtype=tf.float32, name=None))
        """

        def field(value):
            if isinstance(value, TensorShape):
                return value if value.rank is None else value[1:]
            return sliced(value) if isinstance(value, TypeSpec) else value

        return spec._map(field)

    def encode(self, spec, value, minimum_rank=0):
        """What is stacked for `value`: a structure of values that
        `encoding_specs` describes.

        Args:
          spec: of the value.
          value: of the extension type.
          minimum_rank: 1 if rows of the result will be taken.

        >>> class Point(tf.experimental.BatchableExtensionType):
        ...     x: tf.Tensor
        >>> p = Point(1.5)
        >>> tf.experimental.ExtensionTypeBatchEncoder().encode(
        ...     tf.type_spec_from_value(p), p)
        (<tf.Tensor: shape=(), dtype=float32, numpy=1.5>,)
        """
        return spec._to_components(value)

    def decode(self, spec, encoding):
        """The value of `spec` that `encode` made the encoding of.

        >>> class Point(tf.experimental.BatchableExtensionType):
        ...     x: tf.Tensor
        >>> tf.experimental.ExtensionTypeBatchEncoder().decode(
        ...     Point.Spec(tf.TensorSpec([])), (tf.constant(1.5),))
        Point(x=<tf.Tensor: shape=(), dtype=float32, numpy=1.5>)
        """
        return spec._from_components(encoding)

    def encoding_specs(self, spec):
        """The structure of the specs of what `encode` returns.

        >>> class Point(tf.experimental.BatchableExtensionType):
        ...     x: tf.Tensor
        >>> tf.experimental.ExtensionTypeBatchEncoder().encoding_specs(
        ...     Point.Spec(tf.TensorSpec([])))
        (TensorSpec(shape=(), dtype=tf.float32, name=None),)
        """
        return spec._component_specs


class BatchableExtensionType(extension_type.ExtensionType):
    """An extension type whose values can be stacked and taken apart: they are
    elements of datasets that are batched, and tf.map_fn takes their rows.

    Its class attribute `__batch_encoder__` says how; by default each field is
    stacked.

    >>> class Point(tf.experimental.BatchableExtensionType):
    ...     x: tf.Tensor
    ...     y: tf.Tensor
    >>> points = Point([1, 2, 3], [4, 5, 6])
    >>> dataset = tf.data.Dataset.from_tensor_slices(points)
    >>> [p.y.numpy().tolist() for p in dataset.batch(2)]
    [[4, 5], [6]]
    """

    _tf_extension_type_abstract = True
    __batch_encoder__ = ExtensionTypeBatchEncoder()
