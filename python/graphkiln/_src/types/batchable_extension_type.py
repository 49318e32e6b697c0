"""tf.experimental.BatchableExtensionType: extension types that are stacked."""

from graphkiln._graphkiln import ExtensionTypeBatchEncoder
from graphkiln._src.types.extension_type import ExtensionType


class BatchableExtensionType(ExtensionType):
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
    _tf_extension_type_stacks = True
    __batch_encoder__ = ExtensionTypeBatchEncoder()
