"""Functions that the first version alone had, or had with another meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import (
    IndexedSlices,
    RaggedTensor,
    SparseTensor,
    Tensor,
    Variable,
)
from graphkiln._src import ops


def where(
    condition: Any, x: Any = None, y: Any = None, name: str | None = None
) -> Tensor:
    """Elements of x or y, by a condition of the same shape; or whole rows, by a
    vector. Without x and y where the condition holds.

    Args:
      condition: of bool.
      x: what is taken where it holds, dense or ragged.
      y: what is taken elsewhere.
      name: of the op.

    >>> tf.compat.v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]
    ...                    ).numpy().tolist()
    [[1, 2], [7, 8]]
    """
    if (x is None) != (y is None):
        raise ValueError("x and y must both be non-None or both be None.")
    if x is None:
        return ops.where(condition, name=name)
    if any(isinstance(value, RaggedTensor) for value in (condition, x, y)):
        return _where_ragged(condition, x, y, name)
    x = _graphkiln.convert_to_tensor(x, dtype_hint=getattr(y, "dtype", None))
    y = _graphkiln.convert_to_tensor(y, x.dtype)
    return raw_ops.Select(
        condition=_graphkiln.convert_to_tensor(condition, "bool"),
        x=x,
        y=y,
        name=name,
    )


def _where_ragged(condition: Any, x: Any, y: Any, name: str | None) -> Any:
    if isinstance(condition, RaggedTensor):
        rows = [v for v in (condition, x, y) if isinstance(v, RaggedTensor)]
        with _graphkiln.name_scope(name or "RaggedWhere"):
            if len({v.shape.rank for v in rows}) > 1 or len(rows) < 3:
                raise ValueError("Input shapes do not match.")
            return ops.where(condition, x, y)
    with _graphkiln.name_scope(name or "RaggedWhere"):
        condition = _graphkiln.convert_to_tensor(condition, "bool")
        if condition.shape.rank not in (1, None):
            raise ValueError("Input shapes do not match.")
        n = ops.shape(condition, "int64")[0]
        row = ops.range(n)
        chosen = raw_ops.Select(condition=condition, x=row, y=row + n)
        return ops.gather(ops.concat([x, y], 0), chosen)


def multinomial(
    logits: Any,
    num_samples: Any,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: Any = None,
) -> Tensor:
    """Draws classes by unnormalized log-probabilities.

    Args:
      logits: [rows, classes].
      num_samples: how many are drawn for each row.
      seed: of the draws.
      name: of the op.
      output_dtype: of the classes; int64 unless given.

    >>> tf.compat.v1.multinomial([[0.0, -99.0]], 2).numpy().tolist()
    [[0, 0]]
    """
    return ops.random.categorical(logits, num_samples, output_dtype, seed, name)


def while_loop(
    cond: Callable,
    body: Callable,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Runs `body` while `cond` holds; of one variable gives it alone.

    Args:
      cond: a function of the variables.
      body: a function of the variables that gives them anew.
      loop_vars: the variables.
      shape_invariants: what holds of their shapes.
      parallel_iterations: accepted for compatibility.
      back_prop: whether gradients go through.
      swap_memory: accepted for compatibility.
      name: of the ops.
      maximum_iterations: how often it runs at most.
      return_same_structure: gives one variable in a list, too.

    >>> tf.compat.v1.while_loop(lambda i: i < 3, lambda i: i + 1, [0]).numpy().item()
    3
    """
    made = _graphkiln.while_loop(
        cond,
        body,
        loop_vars,
        shape_invariants,
        parallel_iterations,
        back_prop,
        swap_memory,
        maximum_iterations,
        name,
    )
    alone = isinstance(made, (list, tuple)) and len(made) == 1
    return made[0] if alone and not return_same_structure else made


def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """Sets a part of the elements to zero and scales the others.

    Args:
      x: of floats.
      keep_prob: how many stay; or `rate`.
      noise_shape: of what is drawn.
      seed: of what is drawn.
      name: of the ops.
      rate: how many do not stay.

    >>> tf.compat.v1.nn.dropout(tf.ones([2]), keep_prob=1.0).numpy().tolist()
    [1.0, 1.0]
    """
    if rate is not None and keep_prob is not None:
        raise ValueError("Only one of `rate` and `keep_prob` can be set.")
    if rate is None:
        if keep_prob is None:
            raise ValueError(f"`rate` must be provided. Received: rate={rate}")
        rate = 1 - keep_prob
    return ops.nn.dropout(x, rate, noise_shape, seed, name)


def softmax_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Tensor:
    """The cross entropy of labels and the softmax of logits; no gradient goes to
    the labels.

    Args:
      labels: probabilities.
      logits: of the same shape.
      dim: the axis of classes.
      name: of the ops.
      axis: the newer name of `dim`.

    >>> loss = tf.compat.v1.nn.softmax_cross_entropy_with_logits(
    ...     labels=[[1.0, 0.0]], logits=[[0.0, 0.0]])
    >>> round(loss.numpy()[0].item(), 2)
    0.69
    """
    return ops.nn.softmax_cross_entropy_with_logits(
        ops.stop_gradient(labels), logits, dim if axis is None else axis, name
    )


def ctc_loss(
    labels: SparseTensor,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
) -> Tensor:
    """The loss of connectionist temporal classification; the last class is the
    blank.

    Args:
      labels: of int32, a row for each sequence.
      inputs: logits, of the shape [time, sequences, classes].
      sequence_length: how long each sequence is.
      preprocess_collapse_repeated: labels that are repeated count once.
      ctc_merge_repeated: outputs that are repeated count once.
      ignore_longer_outputs_than_inputs: no error where there are too many
        labels.
      time_major: False: of the shape [sequences, time, classes].
      logits: the newer name of `inputs`.

    >>> labels = tf.sparse.from_dense(tf.constant([[1]]))
    >>> round(tf.compat.v1.nn.ctc_loss(
    ...     labels, tf.zeros([2, 1, 3]), [2]).numpy()[0].item(), 2)
    1.1
    """
    if not isinstance(labels, SparseTensor):
        raise TypeError(
            "Expected argument `labels` to be a SparseTensor. Received "
            f"labels={labels} of type: {type(labels).__name__}"
        )
    given = logits if inputs is None else inputs
    if not time_major:
        given = ops.transpose(given, [1, 0, 2])
    loss, _ = raw_ops.CTCLoss(
        inputs=given,
        labels_indices=labels.indices,
        labels_values=labels.values,
        sequence_length=sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )
    return loss


def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> tuple[list[SparseTensor], Tensor]:
    """The most probable sequences of classes, and the logarithms of their
    probabilities.

    Args:
      inputs: logits, of the shape [time, sequences, classes].
      sequence_length: how long each sequence is.
      beam_width: how many are kept at each step.
      top_paths: how many are given.
      merge_repeated: classes that are repeated in the result count once.

    >>> found, _ = tf.compat.v1.nn.ctc_beam_search_decoder(
    ...     tf.constant([[[0.0, 5.0, 0.0]]]), [1])
    >>> found[0].values.numpy().tolist()
    [1]
    """
    indices, values, shapes, log_probability = raw_ops.CTCBeamSearchDecoder(
        inputs=inputs,
        sequence_length=sequence_length,
        beam_width=beam_width,
        top_paths=top_paths,
        merge_repeated=merge_repeated,
    )
    found = [SparseTensor(*parts) for parts in zip(indices, values, shapes)]
    return found, log_probability


def batch_to_space(
    input: Any,
    crops: Any,
    block_size: Any = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Tensor:
    """Lays batches side by side, in two dimensions.

    Args:
      input: of four dimensions.
      crops: what is cut off.
      block_size: a number, of both dimensions.
      name: of the op.
      block_shape: the newer name of `block_size`.

    >>> tf.compat.v1.batch_to_space(tf.reshape(tf.range(4), [4, 1, 1, 1]),
    ...                             [[0, 0], [0, 0]], 2).shape
    TensorShape([1, 2, 2, 1])
    """
    return ops.batch_to_space(input, _block(block_size, block_shape), crops, name)


def space_to_batch(
    input: Any,
    paddings: Any,
    block_size: Any = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Tensor:
    """Takes blocks of two dimensions apart, into batches.

    Args:
      input: of four dimensions.
      paddings: zeros that are put around it.
      block_size: a number, of both dimensions.
      name: of the op.
      block_shape: the newer name of `block_size`.

    >>> tf.compat.v1.space_to_batch(tf.reshape(tf.range(4), [1, 2, 2, 1]),
    ...                             [[0, 0], [0, 0]], 2).shape
    TensorShape([4, 1, 1, 1])
    """
    return ops.space_to_batch(input, _block(block_size, block_shape), paddings, name)


def _block(size: Any, shape: Any) -> Any:
    given = shape if size is None else size
    return [given, given] if isinstance(given, int) else given


def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Divides as Python 2 did: integers are rounded down.

    Args:
      x: numbers.
      y: of the same dtype.
      name: of the op.

    >>> tf.compat.v1.div(7, 2).numpy().item(), tf.compat.v1.div(7.0, 2.0).numpy().item()
    (3, 3.5)
    """
    x = _graphkiln.convert_to_tensor(x)
    if x.dtype.is_floating or x.dtype.is_complex:
        return ops.math.divide(x, y, name)
    return ops.math.floordiv(x, y, name)


def floor_div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Divides and rounds down.

    Args:
      x: numbers.
      y: of the same dtype.
      name: of the op.

    >>> tf.compat.v1.floor_div(-7, 2).numpy().item()
    -4
    """
    return ops.math.floordiv(x, y, name)


def setdiff1d(
    x: Any, y: Any, index_dtype: Any = _graphkiln.int32, name: str | None = None
) -> tuple:
    """What is in one list and not in another, and where it was.

    Args:
      x: a list.
      y: of what is left out.
      index_dtype: of the places.
      name: of the op.

    >>> tf.compat.v1.setdiff1d([1, 2, 3, 4], [2, 4]).out.numpy().tolist()
    [1, 3]
    """
    return raw_ops.ListDiff(x=x, y=y, out_idx=index_dtype, name=name)


def sparse_placeholder(
    dtype: Any, shape: Any = None, name: str | None = None
) -> SparseTensor:
    """A sparse tensor of the graph being built that has no value yet.

    Args:
      dtype: of the values.
      shape: what is known of it.
      name: of the operations.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.sparse_placeholder(tf.float32, [2, 3]).shape
    TensorShape([2, 3])
    """
    if _graphkiln.executing_eagerly():
        raise RuntimeError(
            "`sparse_placeholder` is not compatible with eager execution."
        )
    names = [
        None if name is None else f"{name}/{part}"
        for part in ("shape", "values", "indices")
    ]
    known = _graphkiln.TensorShape(shape)
    rank = known.rank
    holder = _graphkiln.placeholder
    if known.is_fully_defined():
        sizes = raw_ops.PlaceholderWithDefault(
            input=_graphkiln.constant(known.as_list(), "int64"),
            shape=[rank],
            name=names[0],
        )
    else:
        sizes = holder("int64", [rank], name=names[0])
    made = SparseTensor(
        values=holder(dtype, [None], name=names[1]),
        indices=holder("int64", [None, rank], name=names[2]),
        dense_shape=sizes,
    )
    if rank is not None:
        made.set_shape(known)
    return made


def set_random_seed(seed: int) -> None:
    """Sets the seed of the default graph, or of eager code.

    Args:
      seed: a number.

    >>> tf.compat.v1.set_random_seed(1)
    """
    _graphkiln.set_seed(seed)


def convert_to_tensor_or_sparse_tensor(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """A tensor, or the sparse tensor that was given.

    Args:
      value: what becomes a tensor; a SparseTensorValue becomes a sparse one.
      dtype: of the tensor.
      name: of a constant.

    >>> tf.compat.v1.convert_to_tensor_or_sparse_tensor([1, 2]).numpy().tolist()
    [1, 2]
    """
    if isinstance(value, _graphkiln.SparseTensorValue):
        value = SparseTensor.from_value(value)
    if isinstance(value, SparseTensor):
        if dtype and _graphkiln.as_dtype(dtype) != value.dtype:
            raise RuntimeError(
                f"Sparse dtype mismatch. Requested: {dtype.name}, Actual: "
                f"{value.dtype.name}"
            )
        return value
    return _graphkiln.convert_to_tensor(value, dtype, name=name)


def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: Any = None, name: str | None = None
) -> Any:
    """A tensor, or the slices that were given.

    Args:
      value: what becomes a tensor.
      dtype: of the tensor.
      name: of a constant.

    >>> tf.compat.v1.convert_to_tensor_or_indexed_slices(1).numpy().item()
    1
    """
    if isinstance(value, IndexedSlices):
        return value
    return _graphkiln.convert_to_tensor(value, dtype, name=name)


def _scattered(method: str, locking: bool = False) -> Callable:
    def update(
        ref: Variable,
        indices: Any,
        updates: Any,
        use_locking: bool = locking,
        name: str | None = None,
    ) -> Any:
        slices = IndexedSlices(
            _graphkiln.convert_to_tensor(updates, ref.dtype),
            _graphkiln.convert_to_tensor(indices),
        )
        return getattr(ref, method)(slices, use_locking=use_locking, name=name)

    update.__name__ = update.__qualname__ = method
    update.__doc__ = (
        f"`variable.{method}` of rows.\n\n"
        "Args:\n"
        "  ref: the variable.\n"
        "  indices: of rows.\n"
        "  updates: a row for each.\n"
        "  use_locking: accepted for compatibility.\n"
        "  name: of the op.\n\n"
        ">>> v = tf.Variable([8.0, 8.0])\n"
        f">>> _ = tf.compat.v1.{method}(v, [1], [2.0])"
    )
    return update


scatter_update = _scattered("scatter_update", locking=True)
scatter_add = _scattered("scatter_add")
scatter_sub = _scattered("scatter_sub")
scatter_mul = _scattered("scatter_mul")
scatter_div = _scattered("scatter_div")
scatter_min = _scattered("scatter_min")
scatter_max = _scattered("scatter_max")


class NameScope:
    """A `with` statement in which names begin with a scope's.

    Args:
      name: the scope's; that of `default_name` if it is None.
      default_name: the usual name.
      values: accepted for compatibility.

    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.name_scope(None, "usual"):
    ...         tf.constant(1).name
    'usual/Const:0'
    """

    def __init__(
        self,
        name: str | None,
        default_name: str | None = None,
        values: Iterable | None = None,
    ) -> None:
        if not (name is None or isinstance(name, str)):
            if _graphkiln.executing_eagerly():
                raise ValueError("name for name_scope must be a string.")
            raise TypeError(
                f"`name` for name_scope must be a string. Got {type(name).__name__}."
            )
        if not (default_name is None or isinstance(default_name, str)):
            raise TypeError(
                "`default_name` type must be a string type. Got "
                f"{type(default_name)} instead. You likely meant to pass this into "
                "the `values` kwarg."
            )
        if name is None and default_name is None and values is not None:
            raise ValueError(
                f"At least one of name (`{name}`) and default_name "
                f"(`{default_name}`) should be provided."
            )
        self._name = default_name if name is None else name
        self._scopes: list = []

    @property
    def name(self) -> str | None:
        """What was given."""
        return self._name

    def __enter__(self) -> str:
        scope = _graphkiln.name_scope(self._name or "")
        self._scopes.append(scope)
        return scope.__enter__()

    def __exit__(self, *error: Any) -> Any:
        return self._scopes.pop().__exit__(*error)
