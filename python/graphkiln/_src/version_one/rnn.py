"""tf.compat.v1.nn: runs cells over sequences.

A cell is what is called with an input and a state, gives an output and the next state,
and has `state_size`, `output_size` and `zero_state` or `get_initial_state`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphkiln import _graphkiln, nest
from graphkiln._graphkiln import Tensor, TensorArray, TensorShape
from graphkiln._src import ops
from graphkiln._src.version_one.functions import while_loop
from graphkiln._src.version_one.variable_store import variable_scope


def check_cell(name: str, cell: Any) -> None:
    """Raises TypeError for what is no cell."""
    lacks = [
        text
        for text, has in (
            ("'output_size' property is missing", hasattr(cell, "output_size")),
            ("'state_size' property is missing", hasattr(cell, "state_size")),
            (
                "either 'zero_state' or 'get_initial_state' method is required",
                hasattr(cell, "zero_state") or hasattr(cell, "get_initial_state"),
            ),
            ("is not callable", callable(cell)),
        )
        if not has
    ]
    if lacks:
        raise TypeError(
            f"The argument {name!r} ({cell}) is not an RNNCell: {', '.join(lacks)}."
        )


def sizes(first: Any, size: Any) -> list:
    """A batch's shape and that of its elements: numbers where they are known."""
    shape = size if isinstance(size, TensorShape) else None
    if shape is None:
        value = getattr(size, "value", size)
        shape = TensorShape(value if isinstance(value, (list, tuple)) else [value])
    return [*(first if isinstance(first, list) else [first]), *shape.as_list()]


def first_state(cell: Any, initial_state: Any, batch: Any, dtype: Any) -> Any:
    if initial_state is not None:
        return initial_state
    if not dtype:
        raise ValueError(
            "If no initial_state is provided, argument `dtype` must be specified"
        )
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch, dtype=dtype)
    return cell.zero_state(batch, dtype)


def state_dtype(dtype: Any, state: Any) -> Any:
    if dtype is not None:
        return _graphkiln.as_dtype(dtype)
    kinds = [part.dtype for part in nest.flatten(state)]
    if not kinds:
        raise ValueError(f"Unable to infer dtype from argument state={state}.")
    if any(kind != kinds[0] for kind in kinds):
        raise ValueError(
            f"Argument state={state} has tensors of different inferred dtypes. Unable "
            f"to infer a single representative dtype. Dtypes received: {kinds}"
        )
    return kinds[0]


def zeros_of(cell: Any, batch: Any, known: int | None, dtype: Any) -> Any:
    """An output of zeros."""

    def zeros(size: Any) -> Tensor:
        made = ops.zeros(ops.stack(sizes(batch, size)), dtype)
        if not _graphkiln.executing_eagerly():
            made.set_shape(sizes(known, size))
        return made

    flat = [zeros(size) for size in nest.flatten(cell.output_size)]
    return nest.pack_sequence_as(cell.output_size, flat)


def chosen(finished: Tensor, before: Any, after: Any) -> Any:
    """What was before where a sequence is at its end; of scalars and TensorArrays
    what comes after."""

    def part(old: Any, new: Any) -> Any:
        if isinstance(old, TensorArray) or old.shape.rank == 0:
            return new
        mask = ops.reshape(
            finished, ops.concat([ops.shape(finished), [1] * (new.shape.rank - 1)], 0)
        ) if new.shape.rank not in (None, 1) else finished
        return ops.where(mask, old, new)

    flat = [
        part(b, a)
        for b, a in zip(nest.flatten(before), nest.flatten(after), strict=True)
    ]
    return nest.pack_sequence_as(before, flat)


def swapped(x: Tensor) -> Tensor:
    """Time and batch exchanged."""
    if x.shape.rank is not None and x.shape.rank < 2:
        return x
    rest = ops.range(2, ops.rank(x))
    if x.shape.rank is not None:
        return ops.transpose(x, [1, 0, *range(2, x.shape.rank)])
    return ops.transpose(x, ops.concat([[1, 0], rest], 0))


def batch_of(flat: Sequence) -> Any:
    """The number of sequences, a tensor if it is not known."""
    for part in flat:
        if part.shape.rank is None:
            continue
        if part.shape.rank < 2:
            raise ValueError(
                f"Input tensor should have rank >= 2. Received input={part} of rank "
                f"{part.shape.rank}"
            )
        if part.shape[1] is not None:
            return part.shape[1]
    return ops.shape(flat[0])[1]


def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple:
    """Runs a cell over sequences, in a loop.

    Args:
      cell: what is run.
      inputs: [batch, time, depth], or a structure of such.
      sequence_length: of each sequence; behind it outputs are zeros and states stay.
      initial_state: of the cell; its zeros unless given.
      dtype: of these zeros.
      parallel_iterations: accepted for compatibility.
      swap_memory: accepted for compatibility.
      time_major: are inputs and outputs [time, batch, depth]?
      scope: of variables; "rnn" unless given.

    Returns:
      The outputs and the last state.

    Raises:
      TypeError: for what is no cell.
      ValueError: for inputs of unknown depth, or of different lengths.

    >>> class Sum:
    ...     state_size = output_size = 1
    ...     def zero_state(self, batch_size, dtype):
    ...         return tf.zeros([batch_size, 1], dtype)
    ...     def __call__(self, x, state):
    ...         return state + x, state + x
    >>> outputs, state = tf.compat.v1.nn.dynamic_rnn(
    ...     Sum(), tf.constant([[[1.0], [2.0]]]), dtype=tf.float32)
    >>> outputs.numpy().tolist(), state.numpy().tolist()
    ([[[1.0], [3.0]]], [[3.0]])
    """
    check_cell("cell", cell)
    with variable_scope(scope or "rnn"):
        flat = [_graphkiln.convert_to_tensor(part) for part in nest.flatten(inputs)]
        if not time_major:
            flat = [swapped(part) for part in flat]
        if sequence_length is not None:
            sequence_length = ops.cast(sequence_length, _graphkiln.int32)
            if sequence_length.shape.rank not in (None, 1):
                raise ValueError(
                    "Argument sequence_length must be a vector of length batch_size. "
                    f"Received sequence_length={sequence_length} of shape: "
                    f"{sequence_length.shape}"
                )
            sequence_length = ops.identity(sequence_length, name="sequence_length")
        batch = batch_of(flat)
        state = first_state(cell, initial_state, batch, dtype)
        if not _graphkiln.executing_eagerly() and sequence_length is not None:
            wanted, found = ops.stack([batch]), ops.shape(sequence_length)
            check = _graphkiln.Assert(
                ops.reduce_all(ops.equal(found, wanted)),
                [
                    f"Expected shape for Tensor {sequence_length.name} is ", wanted,
                    " but saw shape: ", found,
                ],
            )
            with _graphkiln.control_dependencies([check]):
                sequence_length = ops.identity(sequence_length, name="CheckSeqLen")
        outputs, state = _loop(
            cell, nest.pack_sequence_as(inputs, flat), state, sequence_length, dtype,
            parallel_iterations or 32, swap_memory,
        )
        if not time_major:
            made = [swapped(part) for part in nest.flatten(outputs)]
            outputs = nest.pack_sequence_as(outputs, made)
        return outputs, state


def _loop(
    cell: Any, inputs: Any, state: Any, lengths: Any, dtype: Any, parallel: int,
    swap_memory: bool,
) -> tuple:
    """Outputs and the last state; time is the first dimension of both sides."""
    flat = nest.flatten(inputs)
    batch = batch_of(flat)
    shapes = [part.shape.with_rank_at_least(3) for part in flat]
    for part, shape in zip(flat, shapes, strict=True):
        if not shape[2:].is_fully_defined():
            raise ValueError(
                "Input size (depth of inputs) must be accessible via shape inference, "
                f"but saw value None for input={part}."
            )
        for axis, what in ((0, "Time steps"), (1, "Batch_size")):
            if shape[axis] != shapes[0][axis]:
                raise ValueError(
                    f"{what} is not the same for all the elements in the input in a "
                    f"batch. Received inputs of shapes {shapes}."
                )
    steps, known = shapes[0][0], shapes[0][1]
    count = ops.shape(flat[0])[0]
    zero_output = zeros_of(cell, batch, known, state_dtype(dtype, state))
    kinds = [state_dtype(dtype, state)] * len(nest.flatten(zero_output))
    longest = None if lengths is None else ops.reduce_max(lengths)
    state = nest.pack_sequence_as(
        state, [s if isinstance(s, TensorArray) else _graphkiln.convert_to_tensor(s)
                for s in nest.flatten(state)]
    )
    arrays = tuple(
        TensorArray(
            kind, size=count, element_shape=zero.shape, name=f"dynamic_rnn/output_{i}"
        )
        for i, (kind, zero) in enumerate(
            zip(kinds, nest.flatten(zero_output), strict=True)
        )
    )
    with _graphkiln.name_scope("dynamic_rnn"):
        rows = tuple(
            TensorArray(
                part.dtype, size=count, element_shape=shape[1:], name=f"input_{i}"
            ).unstack(part)
            for i, (part, shape) in enumerate(zip(flat, shapes, strict=True))
        )

    def step(time: Tensor, outputs: tuple, state: Any) -> tuple:
        now = [row.read(time) for row in rows]
        for part, shape in zip(now, shapes, strict=True):
            if not _graphkiln.executing_eagerly():
                part.set_shape(shape[1:])
        output, after = cell(nest.pack_sequence_as(inputs, now), state)
        nest.assert_same_structure(zero_output, output)
        nest.assert_same_structure(state, after)
        if lengths is not None:
            finished = time >= lengths
            output = chosen(finished, zero_output, output)
            after = chosen(finished, state, after)
        for old, new in zip(nest.flatten(state), nest.flatten(after), strict=True):
            if isinstance(new, Tensor) and not _graphkiln.executing_eagerly():
                new.set_shape(old.shape)
        written = tuple(
            array.write(time, part)
            for array, part in zip(outputs, nest.flatten(output), strict=True)
        )
        return time + 1, written, after

    # At least one step, for the sake of what is found in the graph.
    bound = ops.minimum(count, ops.maximum(1, count if longest is None else longest))
    _, arrays, state = while_loop(
        lambda time, *_: time < bound, step, (_graphkiln.constant(0), arrays, state),
        parallel_iterations=parallel, swap_memory=swap_memory,
        maximum_iterations=steps,
    )
    made = []
    for array, zero in zip(arrays, nest.flatten(zero_output), strict=True):
        if longest is not None:
            array = _filled(array, bound, count, zero)
        whole = array.stack()
        if not _graphkiln.executing_eagerly():
            whole.set_shape([steps, *zero.shape.as_list()])
        made.append(whole)
    return nest.pack_sequence_as(cell.output_size, made), state


def _filled(array: Any, start: Tensor, count: Tensor, zero: Tensor) -> Any:
    """With zeros behind the longest sequence."""
    _, array = while_loop(
        lambda time, _: time < count,
        lambda time, a: (time + 1, a.write(time, zero)), (start, array),
    )
    return array


def _reversed(x: Any, lengths: Any, time_axis: int) -> Any:
    if lengths is None:
        return ops.reverse(x, [time_axis])
    return ops.reverse_sequence(x, lengths, seq_axis=time_axis, batch_axis=1 - time_axis)


def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple:
    """Runs one cell over sequences forwards, another backwards.

    Args:
      cell_fw: that runs forwards.
      cell_bw: that runs backwards.
      inputs: [batch, time, depth], or a structure of such.
      sequence_length: of each sequence.
      initial_state_fw: of the first cell.
      initial_state_bw: of the second cell.
      dtype: of states that are not given.
      parallel_iterations: accepted for compatibility.
      swap_memory: accepted for compatibility.
      time_major: are inputs and outputs [time, batch, depth]?
      scope: of variables; "bidirectional_rnn" unless given.

    Returns:
      The outputs of both, and the last states of both.

    >>> class Sum:
    ...     state_size = output_size = 1
    ...     def zero_state(self, batch_size, dtype):
    ...         return tf.zeros([batch_size, 1], dtype)
    ...     def __call__(self, x, state):
    ...         return state + x, state + x
    >>> outputs, _ = tf.compat.v1.nn.bidirectional_dynamic_rnn(
    ...     Sum(), Sum(), tf.constant([[[1.0], [2.0]]]), dtype=tf.float32)
    >>> outputs[1].numpy().tolist()
    [[[3.0], [2.0]]]
    """
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    time_axis = 0 if time_major else 1
    how = {
        "sequence_length": sequence_length, "dtype": dtype,
        "parallel_iterations": parallel_iterations, "swap_memory": swap_memory,
        "time_major": time_major,
    }

    def backwards(structure: Any) -> Any:
        flat = [
            _reversed(part, sequence_length, time_axis)
            for part in nest.flatten(structure)
        ]
        return nest.pack_sequence_as(structure, flat)

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inner:
            forward, last_forward = dynamic_rnn(
                cell_fw, inputs, initial_state=initial_state_fw, scope=inner, **how
            )
        with variable_scope("bw") as inner:
            backward, last_backward = dynamic_rnn(
                cell_bw, backwards(inputs), initial_state=initial_state_bw,
                scope=inner, **how,
            )
    return (forward, backwards(backward)), (last_forward, last_backward)


def raw_rnn(
    cell: Any,
    loop_fn: Callable,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple:
    """Runs a cell as long as a function says, with inputs that it makes.

    Args:
      cell: what is run.
      loop_fn: a function of the time, the cell's output, its state and a state of
        the loop (first of 0, None, None, None) that gives which sequences are
        finished, the next input, the cell's next state, what is put out and the
        loop's next state; at first how what is put out looks, or None.
      parallel_iterations: accepted for compatibility.
      swap_memory: accepted for compatibility.
      scope: of variables; "rnn" unless given.

    Returns:
      A TensorArray of what was put out, the last state of the cell, and that of the
      loop.

    >>> class Sum:
    ...     state_size = output_size = 1
    ...     def zero_state(self, batch_size, dtype):
    ...         return tf.zeros([batch_size, 1], dtype)
    ...     def __call__(self, x, state):
    ...         return state + x, state + x
    >>> def loop(time, output, state, loop_state):
    ...     first = tf.zeros([1, 1]) if output is None else state
    ...     return [time >= 2], tf.ones([1, 1]), first, output, None
    >>> made, _, _ = tf.compat.v1.nn.raw_rnn(Sum(), loop)
    >>> made.stack().numpy().ravel().tolist()
    [1.0, 2.0]
    """
    check_cell("cell", cell)
    if not callable(loop_fn):
        raise TypeError(f"Argument `loop_fn` must be a callable. Received: {loop_fn}.")
    with variable_scope(scope or "rnn"):
        time = _graphkiln.constant(0)
        finished, following, state, emitted, loop_state = loop_fn(time, None, None, None)
        first = nest.flatten(following)[0]
        for part in nest.flatten(following):
            TensorShape([first.shape[0]]).assert_is_compatible_with(part.shape[:1])
        known = first.shape[0]
        batch = ops.shape(first)[0] if known is None else known
        nest.assert_same_structure(state, cell.state_size)
        state = nest.pack_sequence_as(
            state, [_graphkiln.convert_to_tensor(s) for s in nest.flatten(state)]
        )
        if emitted is None:
            kind = nest.flatten(state)[0].dtype
            zeros = zeros_of(cell, batch, known, kind)
        else:
            zeros = nest.pack_sequence_as(
                emitted, [_zeros_like_rows(part, batch) for part in nest.flatten(emitted)]
            )
        arrays = nest.pack_sequence_as(zeros, [
            TensorArray(
                zero.dtype, size=0, dynamic_size=True, element_shape=zero.shape,
                name=f"rnn_output_{i}",
            )
            for i, zero in enumerate(nest.flatten(zeros))
        ])
        has_state = loop_state is not None
        if not has_state:
            loop_state = _graphkiln.constant(0)

        def step(
            time: Tensor, finished: Tensor, now: Any, arrays: Any, state: Any,
            loop_state: Any,
        ) -> tuple:
            output, after = cell(now, state)
            nest.assert_same_structure(state, after)
            nest.assert_same_structure(cell.output_size, output)
            ends, following, after, emit, new_loop = loop_fn(
                time + 1, output, after, loop_state
            )
            nest.assert_same_structure(state, after)
            nest.assert_same_structure(now, following)
            nest.assert_same_structure(zeros, emit)
            emit, after = chosen(finished, zeros, emit), chosen(finished, state, after)
            written = nest.pack_sequence_as(zeros, [
                array.write(time, part)
                for array, part in zip(
                    nest.flatten(arrays), nest.flatten(emit), strict=True
                )
            ])
            return (
                time + 1, ops.logical_or(finished, ends), following, written, after,
                loop_state if new_loop is None else new_loop,
            )

        *_, arrays, state, loop_state = while_loop(
            lambda _, finished, *rest: ops.logical_not(ops.reduce_all(finished)), step,
            [time, _graphkiln.convert_to_tensor(finished), following, arrays, state,
             loop_state],
            parallel_iterations=parallel_iterations or 32, swap_memory=swap_memory,
        )
        return arrays, state, loop_state if has_state else None


def _zeros_like_rows(part: Any, batch: Any) -> Tensor:
    """Zeros for each sequence of what one puts out."""
    part = _graphkiln.convert_to_tensor(part)
    shape = ops.concat([[batch], ops.shape(part)], 0)
    made = ops.zeros(shape, part.dtype)
    if not _graphkiln.executing_eagerly():
        known = batch if isinstance(batch, int) else None
        made.set_shape(TensorShape([known]).concatenate(part.shape))
    return made
