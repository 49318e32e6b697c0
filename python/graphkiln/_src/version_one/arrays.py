"""Casts, draws, counts, records and rows of variables, as the first version had
them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import RaggedTensor, SparseTensor, Tensor, Variable
from graphkiln._src import ops
from graphkiln._src.session.graph_variables import tables_initializer

newaxis = None


def _filled(value: Any, shape: Any, verify_shape: bool) -> Any:
    """The values, and the last of them again until the shape is full."""
    dims = tuple(_graphkiln.TensorShape(shape).as_list())
    array = np.asarray(value)
    if array.dtype.kind in "SU":
        array = np.asarray(value, object)
    if verify_shape and array.shape != dims:
        raise TypeError(f"Expected Tensor's shape: {dims}, but got {array.shape}.")
    count = math.prod(dims)
    if array.size > count:
        raise ValueError(
            f"Too many elements provided. Takes at most {count}, but got {array.size}."
        )
    if not 1 < array.size < count:
        return value
    filled = np.full(count, array.flat[-1], array.dtype)
    filled[: array.size] = array.ravel()
    filled = filled.reshape(dims)
    return filled if isinstance(value, np.ndarray) else filled.tolist()


def constant(
    value: Any,
    dtype: Any = None,
    shape: Any = None,
    name: str = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """A tensor of a constant value. In a graph the last value is repeated if there
    are fewer than `shape` holds.

    Args:
      value: a number, a list of values or an array.
      dtype: of the tensor.
      shape: of the tensor.
      name: of the op.
      verify_shape: refuses, in a graph, values of another shape.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.constant([1, 2], shape=[2, 2])
    >>> tf.get_static_value(x).tolist()
    [[1, 2], [2, 2]]
    """
    of_values = not _graphkiln.is_tensor(value)
    if of_values and shape is not None and not _graphkiln.executing_eagerly():
        value = _filled(value, shape, verify_shape)
    return _graphkiln.constant(value, dtype, shape, name)


def to_bfloat16(x: Any, name: str | None = "ToBFloat16") -> Tensor:
    """`tf.cast` to bfloat16.

    Args:
      x: a tensor, a sparse one or slices.
      name: of the op.

    >>> tf.compat.v1.to_bfloat16([1.0]).dtype
    tf.bfloat16
    """
    return ops.cast(x, _graphkiln.bfloat16, name)


def to_complex64(x: Any, name: str | None = "ToComplex64") -> Tensor:
    """`tf.cast` to complex64.

    Args:
      x: a tensor, a sparse one or slices.
      name: of the op.

    >>> tf.compat.v1.to_complex64([1.0]).dtype
    tf.complex64
    """
    return ops.cast(x, _graphkiln.complex64, name)


def to_complex128(x: Any, name: str | None = "ToComplex128") -> Tensor:
    """`tf.cast` to complex128.

    Args:
      x: a tensor, a sparse one or slices.
      name: of the op.

    >>> tf.compat.v1.to_complex128([1.0]).dtype
    tf.complex128
    """
    return ops.cast(x, _graphkiln.complex128, name)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """Gathers along the last dimension of the indices; those before it are
    batches, and those of `params` too.

    Args:
      params: from what is gathered, a tensor or ragged.
      indices: of a known rank, dense or ragged.
      name: of the op.

    Raises:
      ValueError: if the rank of `indices` is not known.

    >>> tf.compat.v1.batch_gather([[1, 2], [3, 4]], [[1], [0]]).numpy().tolist()
    [[2], [3]]
    """
    if isinstance(params, RaggedTensor) or isinstance(indices, RaggedTensor):
        return ops.gather(params, indices, batch_dims=-1, name=name)
    with _graphkiln.name_scope(name or "BatchGather"):
        indices = _graphkiln.convert_to_tensor(indices, name="indices")
        params = _graphkiln.convert_to_tensor(params, name="params")
        rank = indices.shape.rank
        if rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        return ops.gather(params, indices, axis=rank - 1, batch_dims=rank - 1)


def batch_scatter_update(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Sets rows of a variable; the indices' dimensions but the last are those of
    batches.

    Args:
      ref: the variable.
      indices: of a known rank.
      updates: a row for each index.
      use_locking: accepted for compatibility.
      name: of the ops.

    Raises:
      ValueError: if the rank of `indices` is not known.

    >>> v = tf.Variable([[1, 2], [3, 4]])
    >>> tf.compat.v1.batch_scatter_update(v, [[1], [0]], [[8], [9]]).numpy().tolist()
    [[1, 8], [9, 4]]
    """
    with _graphkiln.name_scope(name or "batch_scatter_update"):
        indices = _graphkiln.convert_to_tensor(indices, name="indices")
        rank = indices.shape.rank
        if rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        sizes = ops.shape(indices)
        places = ops.meshgrid(
            *[ops.cast(ops.range(sizes[d]), indices.dtype) for d in range(rank)],
            indexing="ij",
        )
        full = ops.stack([*places[:-1], indices], axis=-1)
        return scatter_nd_update(ref, full, updates, use_locking)


def scatter_nd_update(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Sets elements or slices of a variable.

    Args:
      ref: the variable.
      indices: places; each vector is one.
      updates: what comes there.
      use_locking: accepted for compatibility.
      name: of the op.

    >>> v = tf.Variable([1, 2, 3])
    >>> tf.compat.v1.scatter_nd_update(v, [[1]], [9]).numpy().tolist()
    [1, 9, 3]
    """
    return ref.scatter_nd_update(indices, _of_dtype(updates, ref), name)


def scatter_nd_add(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Adds to elements or slices of a variable.

    Args:
      ref: the variable.
      indices: places; each vector is one.
      updates: what is added there.
      use_locking: accepted for compatibility.
      name: of the op.

    >>> v = tf.Variable([1, 2, 3])
    >>> tf.compat.v1.scatter_nd_add(v, [[1], [1]], [9, 1]).numpy().tolist()
    [1, 12, 3]
    """
    return ref.scatter_nd_add(indices, _of_dtype(updates, ref), name)


def scatter_nd_sub(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Subtracts from elements or slices of a variable.

    Args:
      ref: the variable.
      indices: places; each vector is one.
      updates: what is subtracted there.
      use_locking: accepted for compatibility.
      name: of the op.

    >>> v = tf.Variable([1, 2, 3])
    >>> tf.compat.v1.scatter_nd_sub(v, [[1]], [9]).numpy().tolist()
    [1, -7, 3]
    """
    return ref.scatter_nd_sub(indices, _of_dtype(updates, ref), name)


def _of_dtype(updates: Any, ref: Variable) -> Tensor:
    return _graphkiln.convert_to_tensor(updates, ref.dtype)


def count_up_to(ref: Variable, limit: int, name: str | None = None) -> Tensor:
    """Adds one to a variable and gives what it was before.

    Args:
      ref: a scalar variable of integers.
      limit: OutOfRangeError once it is reached.
      name: of the op.

    >>> v = tf.Variable(5)
    >>> tf.compat.v1.count_up_to(v, 7).numpy().item(), v.numpy().item()
    (5, 6)
    """
    return raw_ops.ResourceCountUpTo(
        resource=ref.handle, limit=limit, T=ref.dtype, name=name
    )


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = _graphkiln.int32,
) -> Tensor:
    """How often each number is there.

    Args:
      arr: integers that are not negative.
      weights: of them; what is there counts so much, not once.
      minlength: of the result.
      maxlength: numbers from here on do not count.
      dtype: of the result where there are no weights.

    >>> tf.compat.v1.bincount([1, 1, 3]).numpy().tolist()
    [0, 2, 0, 1]
    """
    return ops.math.bincount(arr, weights, minlength, maxlength, dtype)


def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
) -> Tensor:
    """The numbers that bytes are.

    Args:
      input_bytes: strings of one length.
      out_type: of the numbers.
      little_endian: are the low bytes first?
      name: of the op.
      bytes: another name of `input_bytes`.

    >>> tf.compat.v1.decode_raw(["AB"], tf.uint8).numpy().tolist()
    [[65, 66]]
    """
    if bytes is not None:
        if input_bytes is not None:
            raise ValueError("Cannot specify both 'bytes' and 'input_bytes'.")
        input_bytes = bytes
    if out_type is None:
        raise ValueError("decode_raw_v1() missing 1 positional argument: 'out_type'")
    return raw_ops.DecodeRaw(
        bytes=input_bytes, out_type=out_type, little_endian=little_endian, name=name
    )


def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Any = None,
) -> list[Tensor]:
    """The columns of lines of comma-separated values.

    Args:
      records: the lines.
      record_defaults: of each column what stands for nothing, and its dtype.
      field_delim: what is between fields.
      use_quote_delim: do quotes hold a field together?
      name: of the op.
      na_value: what stands for nothing besides "".
      select_cols: which columns; all unless given.

    >>> [c.numpy().item() for c in tf.compat.v1.decode_csv("1,2.5", [[0], [0.0]])]
    [1, 2.5]
    """
    return ops.io.decode_csv(
        records, record_defaults, field_delim, use_quote_delim, na_value,
        select_cols, name,
    )


def split_strings(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> SparseTensor | RaggedTensor:
    """Splits strings as Python does.

    Args:
      input: strings.
      sep: what is between parts; white space unless given.
      maxsplit: how often each is split at most.
      result_type: "SparseTensor" or "RaggedTensor".
      source: another name of `input`.
      name: of the ops.

    Raises:
      ValueError: for another result type.

    >>> tf.compat.v1.strings.split(["a b", "c"]).values.numpy().tolist()
    [b'a', b'b', b'c']
    """
    if source is not None:
        if input is not None:
            raise ValueError("Cannot specify both 'source' and 'input'.")
        input = source
    with _graphkiln.name_scope(name or "string_split"):
        if not isinstance(input, RaggedTensor):
            input = _graphkiln.convert_to_tensor(input, _graphkiln.string, name="input")
        if input.shape.rank == 0:
            input = ops.expand_dims(input, 0)
        if result_type not in ("SparseTensor", "RaggedTensor"):
            raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
        if result_type == "SparseTensor" and input.shape.rank == 1:
            made = raw_ops.StringSplitV2(
                input=input, sep="" if sep is None else sep, maxsplit=maxsplit
            )
            return SparseTensor(made.indices, made.values, made.shape)
        ragged = ops.strings.split(input, sep, maxsplit)
        return ragged.to_sparse() if result_type == "SparseTensor" else ragged


def stateless_multinomial(
    logits: Any,
    num_samples: Any,
    seed: Any,
    output_dtype: Any = _graphkiln.int64,
    name: str | None = None,
) -> Tensor:
    """Draws classes by unnormalized log-probabilities, by a seed alone.

    Args:
      logits: [rows, classes].
      num_samples: how many are drawn for each row.
      seed: two integers.
      output_dtype: of the classes.
      name: of the op.

    >>> tf.compat.v1.random.stateless_multinomial(
    ...     [[0.0, -99.0]], 2, [1, 2]).numpy().tolist()
    [[0, 0]]
    """
    return ops.random.stateless_categorical(
        logits, num_samples, seed, output_dtype, name
    )


def quantize_v2(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """`tf.quantization.quantize`.

    Args:
      input: floats.
      min_range: that the least number stands for.
      max_range: that the greatest number stands for.
      T: the quantized dtype.
      mode: "MIN_COMBINED", "MIN_FIRST" or "SCALED".
      name: of the op.
      round_mode: "HALF_AWAY_FROM_ZERO" or "HALF_TO_EVEN".
      narrow_range: is the least number of signed dtypes left out?
      axis: of which each slice has a range of its own.
      ensure_minimum_range: the least that the ranges are apart.

    >>> tf.compat.v1.quantize_v2([0.0, 1.0], 0.0, 1.0, tf.quint8)[0].numpy().tolist()
    [0, 255]
    """
    return ops.quantization.quantize(
        input, min_range, max_range, T, mode, round_mode, name, narrow_range, axis,
        ensure_minimum_range,
    )


def ragged_placeholder(
    dtype: Any, ragged_rank: int, value_shape: Any = None, name: str | None = None
) -> Any:
    """A ragged tensor of the graph being built that has no value yet.

    Args:
      dtype: of the values.
      ragged_rank: how many dimensions are ragged.
      value_shape: of the values but for their first dimension.
      name: of the operations.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.ragged.placeholder(tf.int32, 1, []).shape
    TensorShape([None, None])
    """
    holder = _graphkiln.placeholder
    if ragged_rank == 0:
        return holder(dtype, value_shape, name)
    with _graphkiln.name_scope(name or "RaggedPlaceholder"):
        rows = _graphkiln.TensorShape([None]).concatenate(value_shape)
        made = holder(dtype, rows, "flat_values")
        for i in reversed(range(ragged_rank)):
            splits = holder("int64", [None], f"row_splits_{i}")
            made = RaggedTensor.from_row_splits(made, splits, validate=False)
        return made


def add_check_numerics_ops() -> Any:
    """An operation that fails if a tensor of floats of the default graph has
    infinities or NaN.

    Raises:
      RuntimeError: eagerly.

    >>> with tf.Graph().as_default():
    ...     x = tf.constant(1.0)
    ...     tf.compat.v1.add_check_numerics_ops().type
    'NoOp'
    """
    if _graphkiln.executing_eagerly():
        raise RuntimeError(
            "add_check_numerics_ops() is not compatible with eager execution. To "
            "check for Inf's and NaN's under eager execution, call "
            "tf.debugging.enable_check_numerics() once before executing the checked "
            "operations."
        )
    kinds = ("float16", "float32", "float64")
    last: list = []
    for op in _graphkiln.get_default_graph().get_operations():
        for i, tensor in enumerate(op.outputs):
            if tensor.dtype.name not in kinds:
                continue
            with _graphkiln.control_dependencies(last):
                last = [ops.debugging.check_numerics(tensor, f"{op.name}:{i}")]
    return _graphkiln.group(*last)


def initialize_all_tables(name: str = "init_all_tables") -> Any:
    """The older name of `tables_initializer`.

    Args:
      name: of the operation.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.initialize_all_tables().type
    'NoOp'
    """
    return tables_initializer(name)
