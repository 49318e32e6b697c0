"""Variables that are made of parts, and what says into how many: what
tf.compat.v1.get_variable makes when it is given a `partitioner`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._graphkiln import Tensor, TensorShape, Variable
from graphkiln._src import ops

Partitioner = Callable[..., list[int]]


class SaveSliceInfo:
    """Of what larger variable one is a part, and which: checkpoints hold parts
    under the name of the whole.

    Args:
      full_name: the name of the whole.
      full_shape: its shape.
      var_offset: where the part begins, in each dimension.
      var_shape: the shape of the part.
      save_slice_info_def: a message that says all of it.
      import_scope: a scope in which the whole's name is.
    """

    def __init__(
        self,
        full_name: str | None = None,
        full_shape: Sequence[int] | None = None,
        var_offset: Sequence[int] | None = None,
        var_shape: Sequence[int] | None = None,
        save_slice_info_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if save_slice_info_def is not None:
            full_name = save_slice_info_def.full_name
            if import_scope:
                full_name = f"{import_scope}/{full_name}"
            full_shape = list(save_slice_info_def.full_shape)
            var_offset = list(save_slice_info_def.var_offset)
            var_shape = list(save_slice_info_def.var_shape)
        self.full_name = full_name
        self.full_shape = full_shape
        self.var_offset = var_offset
        self.var_shape = var_shape

    @property
    def spec(self) -> str:
        """As checkpoints' ops take it: "10 20 0,5:0,20"."""
        extents = zip(self.var_offset, self.var_shape, strict=True)
        return "".join(f"{d} " for d in self.full_shape) + ":".join(
            f"{start},{length}" for start, length in extents
        )

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The message; None if the whole is not in that scope."""
        name = self.full_name
        if export_scope:
            if not name.startswith(export_scope):
                return None
            name = name.removeprefix(f"{export_scope.rstrip('/')}/")
        return _proto.SaveSliceInfoDef(
            full_name=name,
            full_shape=self.full_shape,
            var_offset=self.var_offset,
            var_shape=self.var_shape,
        )


class PartitionedVariable:
    """A variable that is made of parts, each a tf.Variable, in their order.

    Args:
      name: of the whole.
      shape: of the whole.
      dtype: of the elements.
      variable_list: the parts, which know which they are.
      partitions: how many parts there are in each dimension.

    Raises:
      TypeError: `variable_list` or `partitions` is no list.
      ValueError: there are no parts, or they do not fit `shape`.
    """

    def __init__(
        self,
        name: str,
        shape: Any,
        dtype: Any,
        variable_list: Sequence[Variable],
        partitions: Sequence[int],
    ) -> None:
        if not isinstance(variable_list, (list, tuple)):
            raise TypeError(f"variable_list is not a list or tuple: {variable_list}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f"partitions is not a list or tuple: {partitions}")
        if not all(p >= 1 for p in partitions):
            raise ValueError(f"partition values must be positive: {partitions}")
        if not variable_list:
            raise ValueError("variable_list may not be empty")
        shape = TensorShape(shape)
        if len(shape) != len(partitions):
            raise ValueError(f"len(shape) != len(partitions): {shape} vs. {partitions}")
        for variable in variable_list:
            info = slice_info_of(variable)
            if info is None:
                raise ValueError(
                    "All variables must have a save_slice_info available: "
                    f"{[v.name for v in variable_list]}"
                )
            if list(info.full_shape) != shape.as_list():
                raise ValueError(
                    f"All variables' full shapes must match shape: {shape}; but full "
                    f"shapes were: {info.full_shape}"
                )
        self._variables = sorted(
            variable_list, key=lambda v: list(slice_info_of(v).var_offset)
        )
        self._name = name
        self._shape = shape
        self._dtype = _graphkiln.as_dtype(dtype)
        self._partitions = list(partitions)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._variables)

    def __len__(self) -> int:
        self._axis()
        return len(self._variables)

    def _axis(self) -> int:
        """The dimension that is divided."""
        axes = [i for i, p in enumerate(self._partitions) if p > 1] or [0]
        if len(axes) > 1:
            raise ValueError(f"Parts lie along {len(axes)} > 1 dimensions: {axes}")
        return axes[0]

    @property
    def name(self) -> str:
        """The name of the whole."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    def _get_variable_list(self) -> list[Variable]:
        return self._variables

    def _get_partitions(self) -> list[int]:
        return self._partitions

    def as_tensor(self) -> Tensor:
        """The value of the whole, whatever waits for what around the call."""
        with _graphkiln.control_dependencies(None):
            if len(self._variables) == 1:
                return ops.identity(self._variables[0], name=self._name)
            with _graphkiln.name_scope(f"{self._name}/ConcatPartitions/"):
                whole = ops.concat(self._variables, self._axis())
            with _graphkiln.name_scope(""):
                return ops.identity(whole, name=self._name)

    def _each(self, method: str, value: Any, read_value: bool, **how: Any) -> list:
        if isinstance(value, (list, PartitionedVariable)):
            values = list(value)
            if len(values) != len(self._variables):
                raise AssertionError(
                    f"{self._name} has {len(self._variables)} parts, got a list of "
                    f"{len(values)} values; give one for each, or one tensor"
                )
        else:
            axis = self._axis()
            sizes = [v.shape.as_list()[axis] for v in self._variables]
            values = ops.split(value, sizes, axis=axis)
        done = [
            getattr(variable, method)(part, read_value=read_value, **how)
            for variable, part in zip(self._variables, values, strict=True)
        ]
        return done if read_value else [getattr(d, "op", d) for d in done]

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list:
        """Gives the parts the parts of a value, or the values of a list."""
        return self._each("assign", value, read_value, name=name)

    def assign_add(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list:
        """Adds the parts of a value, or the values of a list, to the parts."""
        return self._each("assign_add", value, read_value, name=name)

    def assign_sub(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list:
        """Subtracts the parts of a value, or the values of a list."""
        return self._each("assign_sub", value, read_value, name=name)


def slice_info_of(variable: Any) -> SaveSliceInfo | None:
    """Of what a variable is a part, if it is one."""
    return getattr(variable, "_save_slice_info", None)


def _converted(
    value: PartitionedVariable, dtype: Any = None, name: str | None = None,
    as_ref: bool = False,
) -> Tensor:  # fmt: skip
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype.name}' for "
            f"variable of type '{value.dtype.name}'"
        )
    return value.as_tensor()


_graphkiln.register_tensor_conversion_function(PartitionedVariable, _converted)


def parts_of(partitioner: Partitioner, shape: TensorShape, dtype: Any) -> list[int]:
    """What a partitioner says of a shape, checked.

    Raises ValueError for a shape that is not known, or an answer that is none."""
    if not shape.is_fully_defined():
        raise ValueError(
            "Shape of a new partitioned variable must be fully defined, but instead "
            f"was {shape}."
        )
    if shape.rank < 1:
        raise ValueError(
            f"A partitioned Variable must have rank at least 1, shape: {shape}"
        )
    parts = partitioner(shape=shape, dtype=dtype)
    if not isinstance(parts, Sequence):
        raise ValueError(f"Partitioner must return a sequence, but saw: {parts}")
    if len(parts) != shape.rank:
        raise ValueError(
            "Partitioner returned a partition list that does not match the "
            f"Variable's rank: {parts} vs. {shape}"
        )
    if any(p < 1 for p in parts):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {parts}")
    if sum(p > 1 for p in parts) > 1:
        raise ValueError(
            f"Can only slice a variable along one dimension: shape: {shape}, "
            f"partitioning: {parts}"
        )
    return list(parts)


def boxes(shape: list[int], parts: list[int]) -> Iterator[tuple[list[int], list[int]]]:
    """Where each part begins, and its shape: the first ones take what is left
    over."""
    axis = next((i for i, p in enumerate(parts) if p > 1), 0)
    length, longer = divmod(shape[axis], parts[axis])
    start = 0
    for i in range(parts[axis]):
        size = length + (i < longer)
        offset, part = [0] * len(shape), list(shape)
        offset[axis], part[axis] = start, size
        yield offset, part
        start += size


class PartitionInfo:
    """What an initializer is told of the part that it makes: the shape of the
    whole, and where the part begins."""

    def __init__(self, full_shape: list[int], var_offset: list[int]) -> None:
        self.full_shape = full_shape
        self.var_offset = var_offset


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """A partitioner that makes so many parts along a dimension.

    Args:
      num_shards: how many; as many as there are rows at most.
      axis: the dimension.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_variable(
    ...         "v", [5, 2], partitioner=tf.compat.v1.fixed_size_partitioner(2))
    ...     [part.name for part in v], [part.shape.as_list() for part in v]
    (['v/part_0:0', 'v/part_1:0'], [[3, 2], [2, 2]])
    """

    def partitioner(shape: TensorShape, **_: Any) -> list[int]:
        parts = [1] * len(shape)
        parts[axis] = min(num_shards, shape.as_list()[axis])
        return parts

    return partitioner


def _element_size(dtype: Any, bytes_per_string_element: int) -> int:
    dtype = _graphkiln.as_dtype(dtype)
    if dtype == _graphkiln.string:
        return bytes_per_string_element
    return dtype.size


def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Partitioner:
    """A partitioner that makes parts of so many bytes at most, as far as rows of
    one dimension can be.

    Args:
      max_shard_bytes: the most bytes of a part.
      axis: the dimension.
      bytes_per_string_element: what a string counts for.
      max_shards: the most parts, whatever their sizes.

    Raises ValueError for numbers that are not positive.

    >>> parts = tf.compat.v1.variable_axis_size_partitioner(16)
    >>> parts(shape=tf.TensorShape([6, 2]), dtype=tf.float32)
    [3, 1]
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            "Both max_shard_bytes and bytes_per_string_element must be positive. "
            f"Currently, max_shard_bytes is {max_shard_bytes} and "
            f"bytes_per_string_element is {bytes_per_string_element}"
        )
    if max_shards and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def partitioner(shape: TensorShape, dtype: Any) -> list[int]:
        if not isinstance(shape, TensorShape):
            raise ValueError(f"shape is not a TensorShape: {shape}")
        if not shape.is_fully_defined():
            raise ValueError(f"shape is not fully defined: {shape}")
        length = shape.as_list()[axis]
        row = shape.num_elements() / length
        row *= _element_size(dtype, bytes_per_string_element)
        count = math.ceil(length / max(1, math.floor(max_shard_bytes / row)))
        parts = [1] * len(shape)
        parts[axis] = min(max_shards, count) if max_shards else count
        return parts

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Partitioner:
    """A partitioner that makes as many parts as are of so many bytes at least.

    Args:
      max_partitions: the most parts.
      axis: the dimension.
      min_slice_size: the least bytes of a part.
      bytes_per_string_element: what a string counts for.

    >>> parts = tf.compat.v1.min_max_variable_partitioner(4, min_slice_size=16)
    >>> parts(shape=tf.TensorShape([6, 2]), dtype=tf.float32)
    [3, 1]
    """

    def partitioner(shape: TensorShape, dtype: Any) -> list[int]:
        if axis >= len(shape):
            raise ValueError(
                f"Cannot partition variable along axis {axis} when shape is only "
                f"{shape}"
            )
        size = shape.num_elements() * _element_size(dtype, bytes_per_string_element)
        parts = [1] * len(shape)
        most = min(shape.as_list()[axis], max_partitions)
        parts[axis] = max(1, min(most, math.ceil(size / min_slice_size)))
        return parts

    return partitioner


_graphkiln.provide(SaveSliceInfo)
