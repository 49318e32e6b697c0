"""tf.compat.v1.nn: cells over sequences that are lists, step by step."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln, nest
from graphkiln._graphkiln import TensorShape
from graphkiln._src import ops
from graphkiln._src.version_one import rnn
from graphkiln._src.version_one.variable_store import variable_scope


def _check_inputs(inputs: Any) -> None:
    if not nest.is_nested(inputs):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")


def _known_batch(inputs: Any) -> int | None:
    """The number of sequences, None if it is not known."""
    flat = nest.flatten(inputs)
    first = flat[0].shape
    if first.rank == 1:
        return first[0]
    batch = TensorShape(first.with_rank_at_least(2)[:1])
    for part in flat:
        shape = part.shape.with_rank_at_least(2)
        batch.assert_is_compatible_with(shape[:1])
        for i, size in enumerate(shape[1:].as_list()):
            if size is None:
                raise ValueError(
                    f"Input size (dimension {i} of input {part}) must be accessible "
                    "via shape inference, but saw value None."
                )
    return batch[0]


def static_rnn(
    cell: Any,
    inputs: Any,
    initial_state: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple:
    """Runs a cell over a list of inputs.

    Args:
      cell: what is run.
      inputs: for each step [batch, depth], or a structure of such.
      initial_state: of the cell; its zeros unless given.
      dtype: of these zeros.
      sequence_length: of each sequence; behind it outputs are zeros and states stay.
      scope: of variables; "rnn" unless given.

    Returns:
      The list of outputs and the last state.

    Raises:
      TypeError: for what is no cell, and inputs that are no list.
      ValueError: for an empty list, and inputs of unknown depth.

    >>> class Sum:
    ...     state_size = output_size = 1
    ...     def zero_state(self, batch_size, dtype):
    ...         return tf.zeros([batch_size, 1], dtype)
    ...     def __call__(self, x, state):
    ...         return state + x, state + x
    >>> outputs, state = tf.compat.v1.nn.static_rnn(
    ...     Sum(), [tf.ones([1, 1])] * 2, dtype=tf.float32)
    >>> [o.numpy().item() for o in outputs]
    [1.0, 2.0]
    """
    rnn.check_cell("cell", cell)
    _check_inputs(inputs)
    outputs = []
    with variable_scope(scope or "rnn") as opened:
        known = _known_batch(inputs)
        batch = known or ops.shape(nest.flatten(inputs)[0])[0]
        state = rnn.first_state(cell, initial_state, batch, dtype)
        if sequence_length is not None:
            sequence_length = _graphkiln.convert_to_tensor(
                sequence_length, name="sequence_length"
            )
            if sequence_length.shape.rank not in (None, 1):
                raise ValueError(
                    f"Argument `sequence_length` must be a vector of length {batch}. "
                    f"Received sequence_length={sequence_length}."
                )
            sequence_length = ops.cast(sequence_length, _graphkiln.int32)
            zeros = rnn.zeros_of(cell, batch, known, rnn.state_dtype(dtype, state))
        for time, now in enumerate(inputs):
            if time > 0:
                opened.reuse_variables()
            output, after = cell(now, state)
            if sequence_length is not None:
                nest.assert_same_structure(zeros, output)
                nest.assert_same_structure(state, after)
                finished = time >= sequence_length
                output = rnn.chosen(finished, zeros, output)
                after = rnn.chosen(finished, state, after)
            state = after
            outputs.append(output)
    return outputs, state


def static_state_saving_rnn(
    cell: Any,
    inputs: Any,
    state_saver: Any,
    state_name: Any,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple:
    """`static_rnn` whose states are kept from one run to the next.

    Args:
      cell: what is run.
      inputs: for each step [batch, depth], or a structure of such.
      state_saver: an object with `state(name)` and `save_state(name, value)`.
      state_name: the name of the state, or a structure of names.
      sequence_length: of each sequence.
      scope: of variables; "rnn" unless given.

    Returns:
      The list of outputs and the last state, which has been saved.

    Raises:
      ValueError: for a structure of names that is not the states'.

    >>> class Sum:
    ...     state_size = output_size = 1
    ...     def zero_state(self, batch_size, dtype):
    ...         return tf.zeros([batch_size, 1], dtype)
    ...     def __call__(self, x, state):
    ...         return state + x, state + x
    >>> class Saver:
    ...     kept = {"sum": tf.ones([1, 1])}
    ...     def state(self, name):
    ...         return self.kept[name]
    ...     def save_state(self, name, value):
    ...         self.kept[name] = value
    ...         return tf.no_op()
    >>> saver = Saver()
    >>> _ = tf.compat.v1.nn.static_state_saving_rnn(
    ...     Sum(), [tf.ones([1, 1])] * 2, saver, "sum")
    >>> saver.kept["sum"].numpy().item()
    3.0
    """
    size = cell.state_size
    several = nest.is_nested(size)
    if several != nest.is_nested(state_name):
        raise ValueError(
            "Argument `state_name` should be the same type as `cell.state_size`. "
            f"Received: state_name={state_name!s}, cell.state_size={size!s}."
        )
    names, flat_sizes = nest.flatten(state_name), nest.flatten(size)
    if len(names) != len(flat_sizes):
        raise ValueError(
            "Number of elements in argument `state_name` and `cell.state_size` are "
            f"mismatched. Received state_name={state_name} with {len(names)} elements "
            f"and cell.state_size={size} with {len(flat_sizes)} elements."
        )
    first = nest.pack_sequence_as(size, [state_saver.state(n) for n in names])
    outputs, state = static_rnn(
        cell, inputs, initial_state=first, sequence_length=sequence_length, scope=scope
    )
    parts = nest.flatten(state)
    saved = [
        state_saver.save_state(name, part)
        for name, part in zip(names, parts, strict=True)
    ]
    with _graphkiln.control_dependencies([s for s in saved if s is not None]):
        last = [ops.identity(part) for part in nest.flatten(outputs[-1])]
        outputs[-1] = nest.pack_sequence_as(outputs[-1], last)
        state = nest.pack_sequence_as(state, [ops.identity(part) for part in parts])
    return outputs, state


def _reversed(inputs: list, lengths: Any) -> list:
    """The steps of each sequence in the other order."""
    if lengths is None:
        return list(reversed(inputs))
    flat = []
    for parts in zip(*(nest.flatten(step) for step in inputs), strict=True):
        whole = ops.reverse_sequence(
            ops.stack(parts), lengths, seq_axis=0, batch_axis=1
        )
        flat.append(ops.unstack(whole, len(inputs)))
    return [
        nest.pack_sequence_as(inputs[0], list(step))
        for step in zip(*flat, strict=True)
    ]


def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple:
    """Runs one cell over a list of inputs forwards, another backwards.

    Args:
      cell_fw: that runs forwards.
      cell_bw: that runs backwards.
      inputs: for each step [batch, depth], or a structure of such.
      initial_state_fw: of the first cell.
      initial_state_bw: of the second cell.
      dtype: of states that are not given.
      sequence_length: of each sequence.
      scope: of variables; "bidirectional_rnn" unless given.

    Returns:
      The list of outputs, those of both side by side, and both last states.

    >>> class Sum:
    ...     state_size = output_size = 1
    ...     def zero_state(self, batch_size, dtype):
    ...         return tf.zeros([batch_size, 1], dtype)
    ...     def __call__(self, x, state):
    ...         return state + x, state + x
    >>> outputs, _, _ = tf.compat.v1.nn.static_bidirectional_rnn(
    ...     Sum(), Sum(), [tf.ones([1, 1])] * 2, dtype=tf.float32)
    >>> [o.numpy().tolist() for o in outputs]
    [[[1.0, 2.0]], [[2.0, 1.0]]]
    """
    rnn.check_cell("cell_fw", cell_fw)
    rnn.check_cell("cell_bw", cell_bw)
    _check_inputs(inputs)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inner:
            forward, last_forward = static_rnn(
                cell_fw, inputs, initial_state_fw, dtype, sequence_length, inner
            )
        with variable_scope("bw") as inner:
            backward, last_backward = static_rnn(
                cell_bw, _reversed(list(inputs), sequence_length), initial_state_bw,
                dtype, sequence_length, inner,
            )
    sides = zip(forward, _reversed(backward, sequence_length), strict=True)
    outputs = [
        nest.pack_sequence_as(fw, [
            ops.concat([a, b], 1)
            for a, b in zip(nest.flatten(fw), nest.flatten(bw), strict=True)
        ])
        for fw, bw in sides
    ]
    return outputs, last_forward, last_backward
