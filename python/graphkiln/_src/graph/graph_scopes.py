"""The graph that is being built: control dependencies, placeholders."""

import contextlib

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Graph


def control_dependencies(control_inputs):
    """Ops made inside run after `control_inputs`. When eager everything runs
    in order anyway, and functions among them are called.

    >>> @tf.function
    ... def f(x):
    ...     with tf.control_dependencies([tf.debugging.assert_positive(x)]):
    ...         return x + 1
    >>> f(tf.constant(1)).numpy().item()
    2
    """
    graph = _graphkiln.current_graph()
    if graph is not None:
        return graph.control_dependencies(control_inputs)
    for item in control_inputs or []:
        if callable(item):
            item()
    return contextlib.nullcontext()


_default_graph: Graph | None = None


def get_default_graph() -> Graph:
    """The graph that ops are added to: that of the function being traced, or
    of the innermost `tf.Graph.as_default()`; when eager one that nothing uses.

    >>> with tf.Graph().as_default() as g:
    ...     tf.compat.v1.get_default_graph() is g
    True
    """
    global _default_graph
    graph = _graphkiln.current_graph()
    if graph is None:
        if _default_graph is None:
            _default_graph = Graph()
        graph = _default_graph
    return graph


def placeholder(dtype, shape=None, name=None):
    """A tensor of the graph being built that has no value yet.

    Raises RuntimeError when eager.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.placeholder(tf.float32, [None, 2], name="x"))
    Tensor("x:0", shape=(None, 2), dtype=float32)
    """
    if _graphkiln.executing_eagerly():
        raise RuntimeError(
            "tf.placeholder() is not compatible with eager execution."
        )
    return raw_ops.Placeholder(
        dtype=dtype, shape=_graphkiln.TensorShape(shape), name=name
    )


def inside_function() -> bool:
    """Is a tf.function being traced here?

    >>> tf.inside_function()
    False
    """
    return _graphkiln.inside_function()
