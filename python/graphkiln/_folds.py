"""tf.foldl, tf.foldr and tf.scan: a function of a state and every row of
tensors."""

from collections.abc import Callable

import graphkiln as tf
from graphkiln import nest


class _Elements:
    """The rows of the tensors of a structure."""

    def __init__(self, fn: Callable, elems: object):
        if not callable(fn):
            raise TypeError(f"fn must be callable, got {fn!r}")
        if not nest.flatten(elems):
            raise ValueError(f"elems must hold a tensor, got {elems}")
        if isinstance(elems, list) and not any(
            tf.is_tensor(x) for x in nest.flatten(elems)
        ):
            elems = tf.convert_to_tensor(elems)
        self._elems = nest.map_structure(tf.convert_to_tensor, elems)
        flat = nest.flatten(self._elems)
        if any(x.shape.rank == 0 for x in flat):
            raise ValueError(
                "elements in elems must be 1+ dimensional Tensors, not scalars"
            )
        known = {
            x.shape[0] for x in flat
            if x.shape.rank is not None and x.shape[0] is not None
        }
        if len(known) > 1:
            raise ValueError(
                "The tensors of `elems` must be equally long, got lengths "
                f"{sorted(known)}"
            )
        self.count = known.pop() if known else tf.shape(flat[0])[0]
        self._arrays = [
            tf.TensorArray(
                x.dtype, self.count, clear_after_read=False,
                element_shape=x.shape[1:],
            ).unstack(x)
            for x in flat
        ]

    def row(self, i) -> object:
        return nest.pack_sequence_as(
            self._elems, [array.read(i) for array in self._arrays]
        )


def _start(initializer: object, elements: _Elements, first) -> object:
    """The state before the loop: given, or the first row."""
    if initializer is None:
        return elements.row(first)
    return nest.map_structure(tf.convert_to_tensor, initializer)


def _fold(
    fn, elems, initializer, parallel_iterations, name: str, reverse: bool
):
    with tf.name_scope(name):
        elements = _Elements(fn, elems)
        n = elements.count
        used = 0 if initializer is not None else 1
        state = _start(initializer, elements, n - 1 if reverse else 0)

        def step(i, state):
            row = elements.row(n - 1 - i if reverse else i)
            return i + 1, fn(state, row)

        _, state = tf.while_loop(
            lambda i, _: i < n, step, (tf.constant(used), state),
            parallel_iterations=parallel_iterations or 10,
            maximum_iterations=n,
        )
        return state


def foldl(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    name=None,
):
    """Applies `fn(state, row)` to the rows of `elems` from the first on.

    Args:
      fn: takes the state and a row; returns the next state.
      elems: a structure of tensors of one length.
      initializer: the first state; the first row if not given.
      parallel_iterations: a positive int, written into the graph.
      back_prop: deprecated; tf.stop_gradient does what False did.
      swap_memory: accepted for compatibility.
      name: of the scope of the ops.

    Returns:
      The last state.

    Raises:
      TypeError: `fn` is not callable.
      ValueError: `elems` has no tensor, or a scalar, or the lengths differ.

    >>> int(tf.foldl(lambda a, x: a - x, tf.constant([10, 3, 2])))
    5
    """
    return _fold(
        fn, elems, initializer, parallel_iterations, name or "foldl", False
    )


def foldr(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    name=None,
):
    """Applies `fn(state, row)` to the rows of `elems` from the last back.

    Args:
      fn: takes the state and a row; returns the next state.
      elems: a structure of tensors of one length.
      initializer: the first state; the last row if not given.
      parallel_iterations: a positive int, written into the graph.
      back_prop: deprecated; tf.stop_gradient does what False did.
      swap_memory: accepted for compatibility.
      name: of the scope of the ops.

    Returns:
      The last state.

    Raises:
      TypeError: `fn` is not callable.
      ValueError: `elems` has no tensor, or a scalar, or the lengths differ.

    >>> int(tf.foldr(lambda a, x: a - x, tf.constant([10, 3, 2])))
    -11
    """
    return _fold(
        fn, elems, initializer, parallel_iterations, name or "foldr", True
    )


def scan(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    reverse=False,
    name=None,
):
    """All states of `fn(state, row)` over the rows of `elems`, stacked.

    Args:
      fn: takes the state and a row; returns the next state.
      elems: a structure of tensors of one length.
      initializer: the state before the first call; if not given, the first
        row, which is then the first result.
      parallel_iterations: a positive int, written into the graph.
      back_prop: deprecated; tf.stop_gradient does what False did.
      swap_memory: accepted for compatibility.
      infer_shape: whether all states must have the same shape.
      reverse: begin with the last row; results stay at the rows' places.
      name: of the scope of the ops.

    Returns:
      The states in their structure, as long as `elems`.

    Raises:
      TypeError: `fn` is not callable.
      ValueError: `elems` has no tensor, or a scalar, the lengths differ, or
        `fn` returns another structure.

    >>> tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3])).numpy().tolist()
    [1, 3, 6]
    """
    with tf.name_scope(name or "scan"):
        elements = _Elements(fn, elems)
        n = elements.count
        used = 0 if initializer is not None else 1
        state = _start(initializer, elements, n - 1 if reverse else 0)
        arrays = [
            tf.TensorArray(
                x.dtype, n, infer_shape=infer_shape,
                element_shape=x.shape if infer_shape else None,
            )
            for x in nest.flatten(state)
        ]

        def place(i):
            return n - 1 - i if reverse else i

        if used:
            arrays = [
                array.write(place(0), x)
                for array, x in zip(arrays, nest.flatten(state))
            ]
        structure = state

        def step(i, state, arrays):
            after = fn(state, elements.row(place(i)))
            nest.assert_same_structure(structure, after)
            written = [
                array.write(place(i), x)
                for array, x in zip(arrays, nest.flatten(after))
            ]
            return i + 1, after, written

        _, _, arrays = tf.while_loop(
            lambda i, *_: i < n, step, (tf.constant(used), state, arrays),
            parallel_iterations=parallel_iterations or 10,
            maximum_iterations=n,
        )
        return nest.pack_sequence_as(
            structure, [array.stack() for array in arrays]
        )
