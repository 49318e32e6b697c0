"""IndexedSlices: rows of a tensor, as gradients of gathers are."""

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import TensorShape, TensorSpec
from graphkiln._src.types.type_spec import CompositeTensor, TypeSpec


class IndexedSlicesSpec(TypeSpec):
    """What is known of a tf.IndexedSlices.

    Args:
      shape: of the whole.
      dtype: of the values.
      indices_dtype: tf.int32 or tf.int64.
      dense_shape_dtype: None if the value carries no dense shape.
      indices_shape: the number of rows, if known.

    >>> tf.IndexedSlicesSpec([None, 2]).value_type is tf.IndexedSlices
    True
    """

    def __init__(
        self,
        shape=None,
        dtype=_graphkiln.float32,
        indices_dtype=_graphkiln.int64,
        dense_shape_dtype=None,
        indices_shape=None,
    ):
        self._shape = TensorShape(shape)
        self._values_dtype = _graphkiln.as_dtype(dtype)
        self._indices_dtype = _graphkiln.as_dtype(indices_dtype)
        self._dense_shape_dtype = (
            None if dense_shape_dtype is None
            else _graphkiln.as_dtype(dense_shape_dtype)
        )
        self._indices_shape = TensorShape(indices_shape).with_rank(1)

    @property
    def value_type(self) -> type:
        """tf.IndexedSlices."""
        return IndexedSlices

    def _serialize(self) -> tuple:
        return (
            self._shape, self._values_dtype, self._indices_dtype,
            self._dense_shape_dtype, self._indices_shape,
        )

    @property
    def _component_specs(self) -> tuple:
        inner = self._shape[1:]
        specs = (
            TensorSpec(
                self._indices_shape.concatenate(inner), self._values_dtype
            ),
            TensorSpec(self._indices_shape, self._indices_dtype),
        )
        if self._dense_shape_dtype is not None:
            rank = self._shape.rank
            specs += (TensorSpec([rank], self._dense_shape_dtype),)
        return specs

    def _to_components(self, value) -> tuple:
        if value.dense_shape is None:
            return value.values, value.indices
        return value.values, value.indices, value.dense_shape

    def _from_components(self, components) -> "IndexedSlices":
        return IndexedSlices(*components)


class IndexedSlices(CompositeTensor):
    """The rows `values` of a larger tensor, at `indices`.

    >>> rows = tf.IndexedSlices(tf.constant([[1., 2.]]), tf.constant([1]), tf.constant([3, 2]))
    >>> tf.convert_to_tensor(rows).numpy().tolist()
    [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]
    """

    __slots__ = ("_dense_shape", "_indices", "_values")

    _counts_as_tensor = True

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
    def _type_spec(self):
        indices = self._indices.shape.with_rank(1)
        shape = self._values.shape[1:]
        if self._dense_shape is None:
            shape = TensorShape([None]).concatenate(shape)
        else:
            shape = TensorShape([None]).concatenate(shape).merge_with(
                self.shape
            )
        return IndexedSlicesSpec(
            shape, self.dtype, self._indices.dtype,
            None if self._dense_shape is None else self._dense_shape.dtype,
            indices,
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
            shape = f", dense_shape={self._dense_shape!s}"
        return "IndexedSlices(indices=%s, values=%s%s)" % (
            self._indices, self._values, shape,
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
