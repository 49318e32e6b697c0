"""Specs of values that can be stacked and taken apart again: tensors, ragged
and sparse tensors, and extension types made of such.

What an extension type does is its batch encoder's: the attribute
`__batch_encoder__` of the class.
"""

from graphkiln._graphkiln import TensorShape, elements
from graphkiln._src.types import extension_type
from graphkiln._src.types.type_spec import TypeSpec

batched, sliced = elements.batched, elements.sliced


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

    def decode(self, spec, encoded_value):
        """The value of `spec` that `encode` made the encoding of.

        >>> class Point(tf.experimental.BatchableExtensionType):
        ...     x: tf.Tensor
        >>> tf.experimental.ExtensionTypeBatchEncoder().decode(
        ...     Point.Spec(tf.TensorSpec([])), (tf.constant(1.5),))
        Point(x=<tf.Tensor: shape=(), dtype=float32, numpy=1.5>)
        """
        return spec._from_components(encoded_value)

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
