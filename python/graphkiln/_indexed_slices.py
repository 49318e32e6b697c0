"""IndexedSlices: rows of a tensor, as gradients of gathers are."""

from graphkiln import _graphkiln
from graphkiln import raw_ops


class IndexedSlices:
    """The rows `values` of a larger tensor, at `indices`."""

    def __init__(self, values, indices, dense_shape=None):
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self):
        """The rows."""
        return self._values

    @property
    def indices(self):
        """Where the rows belong."""
        return self._indices

    @property
    def dense_shape(self):
        """The shape of the whole, or None."""
        return self._dense_shape

    @property
    def shape(self):
        """The static shape of the whole."""
        if self._dense_shape is None:
            return _graphkiln.TensorShape(None)
        if hasattr(self._dense_shape, "numpy"):
            return _graphkiln.TensorShape(self._dense_shape.numpy())
        return _graphkiln.TensorShape(
            [None] * (self._dense_shape.shape[0] or 0)
        )

    @property
    def dtype(self):
        """The type of the elements."""
        return self._values.dtype

    @property
    def name(self):
        """The name of the values."""
        return self._values.name

    @property
    def device(self):
        """Where the values are."""
        return self._values.device

    @property
    def op(self):
        """The operation that made the values."""
        return self._values.op

    @property
    def graph(self):
        """The graph of the values."""
        return self._values.graph

    def __neg__(self):
        return IndexedSlices(-self.values, self.indices, self.dense_shape)

    def __str__(self):
        shape = ""
        if self._dense_shape is not None:
            shape = f", dense_shape={self._dense_shape}"
        return (
            f"IndexedSlices(indices={self._indices}, values={self._values}"
            f"{shape})"
        )

    def consumers(self):
        """The operations that use the values."""
        return self._values.consumers()

    def __tf_tensor__(self, dtype=None, name=None):
        if dtype is not None and dtype != self.dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for "
                f"IndexedSlices with dtype {self.dtype.name}."
            )
        if self._dense_shape is None:
            raise ValueError(
                "Tensor conversion requested for IndexedSlices for argument "
                f"`value` without dense_shape: {self}"
            )
        values = _graphkiln.convert_to_tensor(self._values)
        shape = _graphkiln.convert_to_tensor(self._dense_shape)
        indices = _graphkiln.convert_to_tensor(self._indices)
        return raw_ops.UnsortedSegmentSum(
            data=values, segment_ids=indices, num_segments=shape[0], name=name
        )
