"""Checks and small functions that the first version alone had."""

from __future__ import annotations

import sys
from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._src import ops


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> Any:
    """Refuses what is not of an integer dtype.

    Args:
      x: a tensor.
      message: what else the error says.
      name: has no effect.

    Raises:
      TypeError: for another dtype.

    >>> tf.compat.v1.assert_integer(tf.constant(1))
    """
    ops.debugging.assert_integer(x, message=message)
    if not _graphkiln.executing_eagerly():
        return ops.no_op("statically_determined_was_integer")
    return None


def assert_type(
    tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None
) -> Any:
    """Refuses what is of another dtype.

    Args:
      tensor: a tensor.
      tf_type: the dtype that it must have.
      message: what else the error says.
      name: has no effect.

    Raises:
      TypeError: for another dtype.

    >>> tf.compat.v1.assert_type(tf.constant(1), tf.int32)
    """
    ops.debugging.assert_type(tensor, tf_type, message=message)
    if not _graphkiln.executing_eagerly():
        return ops.no_op("statically_determined_correct_type")
    return None


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> _graphkiln.Tensor:
    """A tensor scaled down so that its Euclidean norm by the number of its elements
    is at most `clip_norm`.

    Args:
      t: a tensor of floats.
      clip_norm: the most that the norm may be.
      name: of the op.

    >>> tf.compat.v1.clip_by_average_norm([3.0, 0.0], 1.0).numpy().tolist()
    [2.0, 0.0]
    """
    with _graphkiln.name_scope(name or "clip_by_average_norm"):
        t = _graphkiln.convert_to_tensor(t)
        count = ops.cast(ops.size(t), t.dtype)
        norm = ops.sqrt(ops.reduce_sum(t * t))
        least = ops.minimum(count / norm, 1.0 / ops.cast(clip_norm, t.dtype))
        return t * clip_norm * least


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The two seeds of an op that is given one, or none.

    Args:
      op_seed: the op's own.

    >>> tf.random.set_seed(1)
    >>> tf.compat.v1.get_seed(2)
    (1, 2)
    """
    seeds = _graphkiln.op_seeds(op_seed)
    return (None, None) if seeds == (0, 0) else seeds


def Print(
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> _graphkiln.Tensor:
    """Its input, having printed other tensors to the standard error.

    Args:
      input_: what is given back.
      data: a list of what is printed.
      message: printed before it.
      first_n: has no effect but for 0: nothing is printed.
      summarize: how many elements of each tensor are shown; 3 unless given.
      name: of the op.

    >>> tf.compat.v1.Print(tf.constant(1), []).numpy().item()
    1
    """
    with _graphkiln.name_scope(name or "Print"):
        printed = []
        if first_n != 0:
            printed = [
                _graphkiln.print_values(
                    message or "", *data, sep="", summarize=summarize or 3,
                    output_stream=sys.stderr,
                )
            ]
        with _graphkiln.control_dependencies([p for p in printed if p is not None]):
            return ops.identity(input_)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> _graphkiln.Tensor:
    """A matrix times weights, and a bias added.

    Args:
      x: [batch, inputs].
      weights: [inputs, outputs].
      biases: [outputs].
      name: of the op.

    >>> tf.compat.v1.nn.xw_plus_b([[2.0]], [[3.0]], [1.0]).numpy().tolist()
    [[7.0]]
    """
    with _graphkiln.name_scope(name or "xw_plus_b") as scope:
        return ops.nn.bias_add(ops.matmul(x, weights), biases, name=scope)


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> _graphkiln.Tensor:
    """`relu(x * weights + biases)`.

    Args:
      x: [batch, inputs].
      weights: [inputs, outputs].
      biases: [outputs].
      name: of the op.

    >>> tf.compat.v1.nn.relu_layer([[2.0]], [[-3.0]], [1.0]).numpy().tolist()
    [[0.0]]
    """
    with _graphkiln.name_scope(name or "relu_layer") as scope:
        return ops.nn.relu(xw_plus_b(x, weights, biases), name=scope)


def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """Splits strings at any of the characters of a delimiter.

    Args:
      source: a vector of strings.
      sep: the characters, a space unless given; "" splits into characters.
      skip_empty: are empty parts left out?
      delimiter: another name of `sep`.
      result_type: "SparseTensor" or "RaggedTensor".
      name: of the op.

    Raises:
      ValueError: for another result type.

    >>> tf.compat.v1.string_split(["a b", "c"]).values.numpy().tolist()
    [b'a', b'b', b'c']
    """
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("`result_type` must be 'RaggedTensor' or 'SparseTensor'.")
    separator = delimiter if sep is None else sep
    with _graphkiln.name_scope(name or "string_split"):
        source = _graphkiln.convert_to_tensor(source, _graphkiln.string)
        split = raw_ops.StringSplit(
            input=source, delimiter=" " if separator is None else separator,
            skip_empty=skip_empty,
        )
        sparse = _graphkiln.SparseTensor(split.indices, split.values, split.shape)
        if result_type == "SparseTensor":
            return sparse
        return _graphkiln.RaggedTensor.from_value_rowids(
            sparse.values, sparse.indices[:, 0], nrows=sparse.dense_shape[0],
            validate=False,
        )


def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> _graphkiln.Tensor:
    """A tensor with given values in given places.

    Args:
      sparse_indices: a scalar, a vector or [values, rank].
      output_shape: of the tensor.
      sparse_values: one for each index, or one for all.
      default_value: everywhere else.
      validate_indices: must the indices be in order, none twice?
      name: of the op.

    >>> tf.compat.v1.sparse_to_dense([0, 2], [3], 7).numpy().tolist()
    [7, 0, 7]
    """
    return raw_ops.SparseToDense(
        sparse_indices=sparse_indices, output_shape=output_shape,
        sparse_values=sparse_values, default_value=default_value,
        validate_indices=validate_indices, name=name,
    )
