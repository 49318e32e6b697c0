"""Programs that turn eager execution off, and start graphs anew."""

from __future__ import annotations

import atexit
import contextlib
import threading
from collections.abc import Iterator

from graphkiln import _graphkiln
from graphkiln._graphkiln import Graph

# The default graphs of programs that turned eager execution off.
_entered: list = []


class _Sessions(threading.local):
    """The graphs that this thread's sessions entered once more."""

    def __init__(self) -> None:
        self.graphs: list[Graph] = []


_sessions = _Sessions()


def disable_eager_execution() -> None:
    """From now on this thread adds ops to one default graph.

    Called at the start of a program that was written for sessions.

        tf.compat.v1.disable_eager_execution()
        x = tf.compat.v1.placeholder(tf.float32, [])
        with tf.compat.v1.Session() as session:
            session.run(x * 2.0, {x: 3.0})
    """
    if _graphkiln.executing_eagerly():
        _enter(Graph())


def enable_eager_execution(
    config: object = None, device_policy: object = None, execution_mode: object = None
) -> None:
    """Ends what `disable_eager_execution` began.

    Args:
      config: accepted for compatibility.
      device_policy: accepted for compatibility.
      execution_mode: accepted for compatibility.

    >>> tf.compat.v1.enable_eager_execution()
    >>> tf.executing_eagerly()
    True
    """
    _leave()
    if not _graphkiln.executing_eagerly():
        raise ValueError(
            "tf.enable_eager_execution must be called at program startup."
        )


def reset_default_graph() -> None:
    """Starts the default graph anew.

    Raises AssertionError within `tf.Graph.as_default()`.

    >>> tf.compat.v1.reset_default_graph()
    """
    if _graphkiln.executing_eagerly():
        _graphkiln._set_eager_graph(Graph())
        return
    if not _is_outermost():
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you "
            "need a cleared graph, exit the nesting and create a new graph."
        )
    _entered.pop()._exit()
    _enter(Graph())


def _is_outermost() -> bool:
    """Is the default graph one that was entered here, and by no session since?"""
    graph = _graphkiln.get_default_graph()
    return (
        bool(_entered)
        and graph is _entered[-1]
        and not any(graph is other for other in _sessions.graphs)
    )


def start_anew() -> None:
    """`reset_default_graph` where that can be."""
    if _graphkiln.executing_eagerly() or _is_outermost():
        reset_default_graph()


@contextlib.contextmanager
def within_session(graph: Graph) -> Iterator[None]:
    """The graph of a session that a `with` statement opens."""
    with graph.as_default():
        _sessions.graphs.append(graph)
        try:
            yield
        finally:
            _sessions.graphs.remove(graph)


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """Ops are added to the default graph, which may be reset meanwhile."""
    if not _graphkiln.executing_eagerly():
        yield
        return
    _enter(_graphkiln.get_default_graph())
    try:
        yield
    finally:
        graph = _entered.pop()
        graph._exit()
        _graphkiln._set_eager_graph(graph)


def _enter(graph: Graph) -> None:
    graph._enter()
    _entered.append(graph)


@atexit.register
def _leave() -> None:
    while _entered:
        _entered.pop()._exit()


def disable_v2_behavior() -> None:
    """Turns eager execution off, as TensorFlow's first version began: tensors
    compare by what they are, shapes hold Dimensions.

        tf.compat.v1.disable_v2_behavior()
    """
    disable_eager_execution()
    disable_v2_tensorshape()
    disable_tensor_equality()


def enable_v2_behavior() -> None:
    """The second version's behaviour, which there is from the start.

    >>> tf.compat.v1.enable_v2_behavior()
    """
    enable_eager_execution()
    enable_v2_tensorshape()
    enable_tensor_equality()


def executing_eagerly_outside_functions() -> bool:
    """Does what is called outside of functions run at once?

    >>> tf.compat.v1.executing_eagerly_outside_functions()
    True
    """
    with _graphkiln.init_scope():
        return _graphkiln.executing_eagerly()


def enable_resource_variables() -> None:
    """Variables are resources anyway.

    >>> tf.compat.v1.enable_resource_variables()
    """


def resource_variables_enabled() -> bool:
    """Are variables resources? Always.

    >>> tf.compat.v1.resource_variables_enabled()
    True
    """
    return True


def enable_control_flow_v2() -> None:
    """Branches and loops are functions anyway.

    >>> tf.compat.v1.enable_control_flow_v2()
    """


def control_flow_v2_enabled() -> bool:
    """Are branches and loops functions? Always.

    >>> tf.compat.v1.control_flow_v2_enabled()
    True
    """
    return True


def enable_tensor_equality() -> None:
    """Tensors are compared element by element, as they are from the start.

    >>> tf.compat.v1.enable_tensor_equality()
    """
    _graphkiln._set_tensor_equality(True)


def enable_v2_tensorshape() -> None:
    """Shapes hold numbers and None, as they do from the start.

    >>> tf.compat.v1.enable_v2_tensorshape()
    """
    _graphkiln._set_v2_tensorshape(True)


def disable_control_flow_v2() -> None:
    """Branches and loops stay functions: what they compute is the same.

    >>> tf.compat.v1.disable_control_flow_v2()
    """


def disable_resource_variables() -> None:
    """Variables stay resources: what they hold is the same.

    >>> tf.compat.v1.disable_resource_variables()
    """


def disable_tensor_equality() -> None:
    """`x == y` asks whether both are the same tensor or variable.

    >>> x = tf.constant([1, 2])
    >>> tf.compat.v1.disable_tensor_equality()
    >>> x == x, x == tf.constant([1, 2])
    (True, False)
    >>> tf.compat.v1.enable_tensor_equality()
    """
    _graphkiln._set_tensor_equality(False)


def disable_v2_tensorshape() -> None:
    """Shapes hold Dimensions: `shape[0].value` is a number or None.

    >>> tf.compat.v1.disable_v2_tensorshape()
    >>> tf.TensorShape([2, None])[0]
    Dimension(2)
    >>> tf.compat.v1.enable_v2_tensorshape()
    """
    _graphkiln._set_v2_tensorshape(False)
