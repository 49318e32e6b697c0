"""The variable of a graph that counts the steps of a training."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import Graph, Variable, get_default_graph
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln._src.version_one.variable_store import get_variable


def _graph_of(graph: Graph | None) -> Graph:
    return get_default_graph() if graph is None else graph


def get_global_step(graph: Graph | None = None) -> Variable | None:
    """The global step of a graph, of the default graph unless it is given; None if
    it has none.

    Raises:
      TypeError: what the graph has is no integer scalar.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.train.get_global_step() is None
    True
    """
    found = _graph_of(graph).get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) != 1:
        if len(found) > 1:
            raise TypeError("Multiple tensors in global_step collection.")
        return None
    assert_global_step(found[0])
    return found[0]


def create_global_step(graph: Graph | None = None) -> Variable:
    """Makes the global step of a graph, an int64 variable that begins at 0.

    Raises:
      ValueError: it has one.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.train.create_global_step().name
    'global_step:0'
    """
    graph = _graph_of(graph)
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default():
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            shape=[],
            dtype=_graphkiln.int64,
            initializer=lambda shape, dtype=None, **_: _graphkiln.constant(0, dtype),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


def get_or_create_global_step(graph: Graph | None = None) -> Variable:
    """The global step of a graph, made if there is none.

    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.get_or_create_global_step()
    ...     step is tf.compat.v1.train.get_global_step()
    True
    """
    graph = _graph_of(graph)
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def assert_global_step(global_step_tensor: Any) -> None:
    """Asserts that it is an integer scalar.

    Raises:
      TypeError: it is not.

    >>> tf.compat.v1.train.assert_global_step(tf.Variable(0))
    """
    if not global_step_tensor.dtype.is_integer:
        raise TypeError(
            f'Existing "global_step" does not have integer type: '
            f"{global_step_tensor.dtype}"
        )
    if global_step_tensor.shape.rank not in (0, None):
        raise TypeError(
            f'Existing "global_step" is not scalar: {global_step_tensor.shape}'
        )


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The number of steps so far, an int.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     step = tf.compat.v1.train.create_global_step()
    ...     session.run(step.initializer)
    ...     tf.compat.v1.train.global_step(session, step)
    0
    """
    # A thread beside a graph's program is eager, the tensor is not.
    if _graphkiln.executing_eagerly() and not _is_of_graph(global_step_tensor):
        return int(global_step_tensor.numpy())
    return int(sess.run(global_step_tensor))


def _is_of_graph(tensor: Any) -> bool:
    return _graphkiln.is_symbolic_tensor(getattr(tensor, "handle", tensor))
