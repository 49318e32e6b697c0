"""tf.foldl, tf.foldr and tf.scan: a function of a state and every row of
tensors."""

from collections.abc import Callable

from graphkiln import _graphkiln, nest
from graphkiln._src.graph import name_scope


def _fold(
    fn: Callable, elems: object, initializer: object, parallel_iterations,
    reverse: bool, scans: bool = False, infer_shape: bool = True,
) -> object:
    if not callable(fn):
        raise TypeError(f"fn must be callable, got {fn!r}")
    if not nest.flatten(elems):
        raise ValueError(f"elems must hold a tensor, got {elems}")
    if isinstance(elems, list) and not any(
        _graphkiln.is_tensor(x) for x in nest.flatten(elems)
    ):
        elems = _graphkiln.convert_to_tensor(elems)
    return _graphkiln._fold_rows(
        fn, elems, initializer, scans, parallel_iterations or 10, reverse,
        infer_shape,
    )


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
    with name_scope.name_scope(name or "foldl"):
        return _fold(fn, elems, initializer, parallel_iterations, False)


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
    with name_scope.name_scope(name or "foldr"):
        return _fold(fn, elems, initializer, parallel_iterations, True)


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
    with name_scope.name_scope(name or "scan"):
        return _fold(
            fn, elems, initializer, parallel_iterations, reverse, True,
            infer_shape,
        )
