"""tf.SparseTensor: the elements that are not zero, and where they are."""

import collections
import collections.abc
import operator

from graphkiln import _graphkiln
from graphkiln._graphkiln import DType, Tensor, TensorShape, TensorSpec, _ragged
from graphkiln._src.graph import name_scope
from graphkiln._src.types import dtypes
from graphkiln._src.types.type_spec import CompositeTensor, ShapedTypeSpec

SparseTensorValue = collections.namedtuple(
    "SparseTensorValue", ["indices", "values", "dense_shape"]
)


class SparseTensorSpec(ShapedTypeSpec):
    """What is known of a tf.SparseTensor.

    >>> tf.SparseTensorSpec([None, 3], tf.int32)
    SparseTensorSpec(TensorShape([None, 3]), tf.int32)
    """

    def __init__(self, shape=None, dtype=dtypes.float32):
        self._shape = TensorShape(shape)
        self._dtype = _graphkiln.as_dtype(dtype)

    @classmethod
    def from_value(cls, value) -> "SparseTensorSpec":
        """The spec of a sparse tensor."""
        if not isinstance(value, SparseTensor):
            raise TypeError(f"Expected SparseTensor, got {value!r}")
        return cls(value.shape, value.dtype)

    @property
    def value_type(self) -> type:
        """tf.SparseTensor."""
        return SparseTensor

    def _with_shape(self, shape) -> "SparseTensorSpec":
        return SparseTensorSpec(shape, self._dtype)

    def _serialize(self) -> tuple:
        return self._shape, self._dtype

    @property
    def _component_specs(self) -> list:
        rank = self._shape.rank
        return [
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], dtypes.int64),
        ]

    def _to_components(self, value) -> list:
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components) -> "SparseTensor":
        result = SparseTensor(*components)
        result._static_shape = result._static_shape.merge_with(self._shape)
        return result


class SparseTensor(CompositeTensor):
    """A tensor of which only some elements are kept; the others are zero.

    Args:
      indices: int64 of shape [n, rank], where the elements are.
      values: of shape [n], the elements.
      dense_shape: int64 of shape [rank].

    Raises ValueError if the shapes do not fit.

    >>> st = tf.SparseTensor([[0, 1], [1, 2]], [5.0, 6.0], [2, 3])
    >>> tf.sparse.to_dense(st).numpy().tolist()
    [[0.0, 5.0, 0.0], [0.0, 0.0, 6.0]]
    """

    __slots__ = ("_dense_shape", "_indices", "_static_shape", "_values")

    _counts_as_tensor = True

    def __init__(self, indices, values, dense_shape):
        with name_scope.name_scope("SparseTensor"):
            indices = _converted(indices, "indices", dtypes.int64)
            values = _graphkiln.convert_to_tensor(values)
            if not isinstance(
                dense_shape, (Tensor, collections.abc.Iterable)
            ):
                raise TypeError(
                    f"{type(dense_shape).__name__!r} object is not iterable"
                )
            static = (
                dense_shape if isinstance(dense_shape, TensorShape) else None
            )
            dense_shape = _converted(dense_shape, "dense_shape", dtypes.int64)
        self._indices = indices
        self._values = values
        self._dense_shape = dense_shape
        known = _ragged.sparse_shape(indices, values, dense_shape)
        self._static_shape = known if static is None else static

    @classmethod
    def from_value(cls, sparse_tensor_value) -> "SparseTensor":
        """A sparse tensor of something with the same three attributes."""
        if not all(
            hasattr(sparse_tensor_value, name)
            for name in ("indices", "values", "dense_shape")
        ):
            raise TypeError(
                f"Argument sparse_tensor_value={sparse_tensor_value} is "
                "neither a SparseTensor nor SparseTensorValue."
            )
        return cls(
            sparse_tensor_value.indices, sparse_tensor_value.values,
            sparse_tensor_value.dense_shape,
        )

    @property
    def indices(self) -> Tensor:
        """Where the elements are: int64 of shape [n, rank]."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The elements, of shape [n]."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape as a tensor: int64 of shape [rank]."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._static_shape

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self._static_shape

    def set_shape(self, shape) -> None:
        """Adds what is known of the static shape."""
        shape = TensorShape(shape)
        self._static_shape = self._static_shape.merge_with(shape)

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._values.dtype

    @property
    def op(self):
        """The operation that made the values."""
        return self._values.op

    @property
    def graph(self):
        """The graph of the parts."""
        return self._indices.graph

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self._static_shape, self.dtype)

    def with_values(self, new_values) -> "SparseTensor":
        """The same places with other values.

        >>> st = tf.SparseTensor([[0, 1]], [5.0], [2, 3])
        >>> st.with_values([7]).values.numpy().tolist()
        [7]
        """
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def consumers(self) -> list:
        """The operations that use the parts."""
        if hasattr(self._values, "numpy"):
            return []
        parts = (self._indices, self._values, self._dense_shape)
        return list({op for part in parts for op in part.consumers()})

    def eval(self, feed_dict=None, session=None):
        """Needs sessions, which do not exist here."""
        raise RuntimeError(
            "SparseTensor.eval needs a session; use tf.function instead."
        )

    def __str__(self) -> str:
        return "SparseTensor(indices=%s, values=%s, dense_shape=%s)" % (
            self._indices, self._values, self._dense_shape,
        )

    __repr__ = __str__

    def _scaled(self, op, other) -> "SparseTensor":
        beside = _ragged.sparse_beside(self, other)
        return self.with_values(op(self._values, beside))

    def __mul__(self, other):
        return self._scaled(operator.mul, other)

    def __truediv__(self, other):
        return self._scaled(operator.truediv, other)


def _converted(value, name: str, dtype) -> Tensor:
    if isinstance(value, Tensor) and value.dtype != dtype:
        raise ValueError(
            f"{name}: Tensor conversion requested dtype {dtype.name} for "
            f"Tensor with dtype {value.dtype.name}: {value!r}"
        )
    if hasattr(value, "astype"):
        value = value.astype(dtype.as_numpy_dtype)
    return _graphkiln.convert_to_tensor(value, dtype)


def from_dense(tensor, name=None) -> SparseTensor:
    """The elements of `tensor` that are not zero, false or empty.

    >>> tf.sparse.from_dense([[0, 7], [0, 0]]).indices.numpy().tolist()
    [[0, 1]]
    """
    return _ragged.sparse_from_dense(tensor, name)


def to_dense(
    sp_input, default_value=None, validate_indices=True, name=None
) -> Tensor:
    """A tensor with `default_value` where `sp_input` has nothing.

    Args:
      default_value: a scalar; zero, false or "" unless given.
      validate_indices: whether indices out of order or repeated are refused.

    Raises InvalidArgumentError for indices out of the shape, or refused.

    >>> st = tf.SparseTensor([[0], [2]], [1, 2], [4])
    >>> tf.sparse.to_dense(st, default_value=-1).numpy().tolist()
    [1, -1, 2, -1]
    """
    return _ragged.sparse_to_dense(
        sp_input, default_value, validate_indices, name
    )


def reorder(sp_input, name=None) -> SparseTensor:
    """The same with the indices in row-major order.

    >>> st = tf.SparseTensor([[1, 0], [0, 1]], [1, 2], [2, 2])
    >>> tf.sparse.reorder(st).indices.numpy().tolist()
    [[0, 1], [1, 0]]
    """
    return _ragged.sparse_reorder(sp_input, name)


_ragged.set_sparse_class(SparseTensor)
