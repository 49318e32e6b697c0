"""tf.SparseTensor: the elements that are not zero, and where they are."""

import collections
import collections.abc

import graphkiln as tf
from graphkiln._graphkiln import TensorSpec
from graphkiln._src.types.type_spec import CompositeTensor, ShapedTypeSpec

SparseTensorValue = collections.namedtuple(
    "SparseTensorValue", ["indices", "values", "dense_shape"]
)


class SparseTensorSpec(ShapedTypeSpec):
    """What is known of a tf.SparseTensor.

    >>> tf.SparseTensorSpec([None, 3], tf.int32)
    SparseTensorSpec(TensorShape([None, 3]), tf.int32)
    """

    def __init__(self, shape=None, dtype=tf.float32):
        self._shape = tf.TensorShape(shape)
        self._dtype = tf.as_dtype(dtype)

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
            TensorSpec([None, rank], tf.int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], tf.int64),
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
        with tf.name_scope("SparseTensor"):
            indices = _converted(indices, "indices", tf.int64)
            values = tf.convert_to_tensor(values)
            if not isinstance(
                dense_shape, (tf.Tensor, collections.abc.Iterable)
            ):
                raise TypeError(
                    f"{type(dense_shape).__name__!r} object is not iterable"
                )
            static = _static(dense_shape)
            dense_shape = _converted(dense_shape, "dense_shape", tf.int64)
        self._indices = indices
        self._values = values
        self._dense_shape = dense_shape
        indices_shape = indices.shape.with_rank(2)
        values_shape = values.shape.with_rank(1)
        shape_shape = dense_shape.shape.with_rank(1)
        _same_size(indices_shape[0], values_shape[0])
        _same_size(indices_shape[1], shape_shape[0])
        if static is None:
            known = tf.get_static_value(dense_shape)
            static = (
                tf.TensorShape(known.tolist()) if known is not None
                else tf.TensorShape(
                    None if shape_shape[0] is None else [None] * shape_shape[0]
                )
            )
        self._static_shape = static

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
    def indices(self) -> tf.Tensor:
        """Where the elements are: int64 of shape [n, rank]."""
        return self._indices

    @property
    def values(self) -> tf.Tensor:
        """The elements, of shape [n]."""
        return self._values

    @property
    def dense_shape(self) -> tf.Tensor:
        """The shape as a tensor: int64 of shape [rank]."""
        return self._dense_shape

    @property
    def shape(self) -> tf.TensorShape:
        """The static shape."""
        return self._static_shape

    def get_shape(self) -> tf.TensorShape:
        """The static shape."""
        return self._static_shape

    def set_shape(self, shape) -> None:
        """Adds what is known of the static shape."""
        shape = tf.TensorShape(shape)
        self._static_shape = self._static_shape.merge_with(shape)

    @property
    def dtype(self) -> tf.DType:
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
        other = tf.convert_to_tensor(other, dtype_hint=self.dtype)
        if other.shape.rank != 0:
            other = tf.broadcast_to(other, tf.cast(
                self._dense_shape, tf.int32
            ))
            other = tf.gather_nd(other, self._indices)
        return self.with_values(op(self._values, other))

    def __mul__(self, other):
        return self._scaled(lambda x, y: x * y, other)

    def __truediv__(self, other):
        return self._scaled(lambda x, y: x / y, other)


def _converted(value, name: str, dtype) -> tf.Tensor:
    if isinstance(value, tf.Tensor) and value.dtype != dtype:
        raise ValueError(
            f"{name}: Tensor conversion requested dtype {dtype.name} for "
            f"Tensor with dtype {value.dtype.name}: {value!r}"
        )
    if hasattr(value, "astype"):
        value = value.astype(dtype.as_numpy_dtype)
    return tf.convert_to_tensor(value, dtype)


def _static(dense_shape) -> tf.TensorShape | None:
    """The static shape of a dense shape given in Python."""
    if isinstance(dense_shape, tf.TensorShape):
        return dense_shape
    return None


def _same_size(a, b) -> None:
    if a is not None and b is not None and a != b:
        raise ValueError(f"Dimensions {a} and {b} are not compatible")


def _checked(value) -> SparseTensor:
    if not isinstance(value, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return value


def from_dense(tensor, name=None) -> SparseTensor:
    """The elements of `tensor` that are not zero, false or empty.

    >>> tf.sparse.from_dense([[0, 7], [0, 0]]).indices.numpy().tolist()
    [[0, 1]]
    """
    with tf.name_scope(name or "dense_to_sparse"):
        tensor = tf.convert_to_tensor(tensor)
        zero = tf.constant(
            "" if tensor.dtype == tf.string
            else False if tensor.dtype == tf.bool else 0,
            tensor.dtype,
        )
        indices = tf.where(tf.not_equal(tensor, zero))
        values = tf.gather_nd(tensor, indices)
        result = SparseTensor(
            indices, values, tf.shape(tensor, out_type=tf.int64)
        )
        result.set_shape(tensor.shape)
        return result


def to_dense(
    sp_input, default_value=None, validate_indices=True, name=None
) -> tf.Tensor:
    """A tensor with `default_value` where `sp_input` has nothing.

    Args:
      default_value: a scalar; zero, false or "" unless given.
      validate_indices: whether indices out of order or repeated are refused.

    Raises InvalidArgumentError for indices out of the shape, or refused.

    >>> st = tf.SparseTensor([[0], [2]], [1, 2], [4])
    >>> tf.sparse.to_dense(st, default_value=-1).numpy().tolist()
    [1, -1, 2, -1]
    """
    st = _checked(sp_input)
    with tf.name_scope(name or "SparseToDense"):
        dtype = st.dtype
        if default_value is None:
            default_value = (
                "" if dtype == tf.string else False if dtype == tf.bool else 0
            )
        default = tf.convert_to_tensor(default_value, dtype)
        flat, size = _flat_indices(st)
        flat = _checked_order(st, flat, validate_indices)
        # Numbers of the values, of which the last at a place counts; 0 is
        # the default.
        count = tf.shape(st.values, out_type=tf.int64)[0]
        number = tf.math.unsorted_segment_max(
            tf.range(1, count + 1), flat, size
        )
        number = tf.maximum(number, tf.zeros([], tf.int64))
        choices = tf.concat([tf.reshape(default, [1]), st.values], 0)
        result = tf.reshape(tf.gather(choices, number), st.dense_shape)
        result.set_shape(st.shape)
        return result


def _flat_indices(st: SparseTensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Where the elements are in row-major order, and the number of places."""
    strides = tf.math.cumprod(st.dense_shape, exclusive=True, reverse=True)
    flat = tf.reduce_sum(st.indices * strides, axis=1)
    return flat, tf.reduce_prod(st.dense_shape)


def _checked_order(
    st: SparseTensor, flat: tf.Tensor, rising_only: bool
) -> tf.Tensor:
    """`flat` if the indices are inside of the shape, and rise if they must."""
    if tf.executing_eagerly():
        _check_now(st, flat.numpy(), rising_only)
        return flat
    inside = (st.indices >= 0) & (st.indices < st.dense_shape)
    checks = [
        tf.debugging.Assert(
            tf.reduce_all(inside),
            ["indices is out of bounds: need 0 <= index <", st.dense_shape],
        )
    ]
    if rising_only:
        checks.append(
            tf.debugging.Assert(
                tf.reduce_all(flat[1:] > flat[:-1]),
                ["indices are out of order or repeated. " + _REORDER],
            )
        )
    with tf.control_dependencies([c for c in checks if c is not None]):
        return tf.identity(flat)


_REORDER = (
    "Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to "
    "create a correctly ordered copy.\n"
)


def _check_now(st: SparseTensor, flat, rising_only: bool) -> None:
    indices, shape = st.indices.numpy(), st.dense_shape.numpy()
    outside = ((indices < 0) | (indices >= shape)).any(axis=1)

    def refuse(i: int, what: str) -> None:
        at = ",".join(map(str, indices[i]))
        raise tf.errors.InvalidArgumentError(
            None, None, f"indices[{i}] = [{at}] is {what}"
        )

    if outside.any():
        bounds = ",".join(map(str, shape))
        refuse(
            int(outside.argmax()),
            f"out of bounds: need 0 <= index < [{bounds}]",
        )
    if not rising_only:
        return
    for i in range(1, len(flat)):
        if flat[i] == flat[i - 1]:
            refuse(i, "repeated")
        if flat[i] < flat[i - 1]:
            refuse(i, "out of order. " + _REORDER)


def reorder(sp_input, name=None) -> SparseTensor:
    """The same with the indices in row-major order.

    >>> st = tf.SparseTensor([[1, 0], [0, 1]], [1, 2], [2, 2])
    >>> tf.sparse.reorder(st).indices.numpy().tolist()
    [[0, 1], [1, 0]]
    """
    st = _checked(sp_input)
    with tf.name_scope(name or "SparseReorder"):
        flat, _ = _flat_indices(st)
        order = tf.argsort(flat, stable=True)
        result = SparseTensor(
            tf.gather(st.indices, order), tf.gather(st.values, order),
            st.dense_shape,
        )
        result.set_shape(st.shape)
        return result
