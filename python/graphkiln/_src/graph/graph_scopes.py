"""tf.Graph: building one by hand, and the scopes that ops are made in."""

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Graph
from graphkiln._src.graph import (
    graph_def,  # adds as_graph_def
    graph_state,  # adds collections, seed, captures
)
from graphkiln._src.graph import name_scope as _name_scope


def _method(python_function: Callable) -> Callable:
    setattr(Graph, python_function.__name__, python_function)
    return python_function


def _property(python_function: Callable) -> None:
    setattr(Graph, python_function.__name__, property(python_function))


@_method
@contextlib.contextmanager
def as_default(self) -> Iterator[Graph]:
    """What is made inside becomes part of this graph.

    >>> g = tf.Graph()
    >>> with g.as_default():
    ...     c = tf.constant(30.0)
    >>> c.graph is g
    True
    """
    try:
        self._enter()
        yield self
    finally:
        self._exit()


class _ControlDependencies:
    """Ops made inside run after those given, wherever that can be."""

    def __init__(self, graph: Graph | None, inputs: Iterable | None):
        self._graph = graph
        self._inputs = inputs

    def __enter__(self) -> None:
        if self._graph is not None:
            self._graph._push_control(self._inputs)

    def __exit__(self, *exception) -> None:
        if self._graph is not None:
            self._graph._pop_control()


def _gate(item: object) -> object:
    """The tensor or operation that stands for `item`."""
    if isinstance(item, _graphkiln.BaseVariable):
        return item.handle
    values = getattr(item, "values", None)
    if isinstance(values, _graphkiln.Tensor):
        return values
    return item


@_method
def control_dependencies(self, control_inputs):
    """Ops made inside run after `control_inputs`; None forgets all that
    holds so far."""
    if control_inputs is None:
        return _ControlDependencies(self, None)
    inputs = [_gate(item) for item in control_inputs]
    for i, item in enumerate(inputs):
        if not self.building_function:
            inputs[i] = self.as_graph_element(item)
        elif item is None:
            raise TypeError(
                "Can not convert a NoneType into a Tensor or Operation."
            )
        # In a function all else is done before it runs, whatever it is.
    return _ControlDependencies(self, inputs)


@_method
def name_scope(self, name: str | None):
    """Names made inside begin with `name`."""
    return _name_scope.name_scope(name or "")


@_method
def device(self, device_name_or_function):
    """A context that asks for a device.

    Args:
      device_name_or_function: a device's name, None for no device, or a
        function that is given each operation made inside and returns the
        name of its device.

    >>> g = tf.Graph()
    >>> with g.as_default(), g.device(lambda op: "/device:CPU:1"):
    ...     c = tf.constant(30.0)
    >>> c.device
    '/device:CPU:1'
    """
    if callable(device_name_or_function):
        return _chosen_device(self, device_name_or_function)
    return _named_device(self, device_name_or_function)


@contextlib.contextmanager
def _chosen_device(graph: Graph, choose: Callable) -> Iterator[None]:
    entered = _name_scope.enter_graph(graph, choose)
    try:
        yield
    finally:
        _name_scope.exit_graph(graph, entered)


@contextlib.contextmanager
def _named_device(graph: Graph, name: object) -> Iterator[None]:
    entered = _name_scope.enter_graph(graph, _name_scope.device_spec(name))
    try:
        yield
    finally:
        _name_scope.exit_graph(graph, entered)


@_method
@contextlib.contextmanager
def container(self, container_name: str) -> Iterator[str]:
    """Stateful operations made inside keep their resources in a container,
    unless they name one themselves.

    >>> g = tf.Graph()
    >>> with g.as_default(), g.container("mine"):
    ...     v = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[])
    >>> v.op.get_attr("container")
    b'mine'
    """
    self._push_container(container_name)
    try:
        yield container_name
    finally:
        self._pop_container()


@_method
@contextlib.contextmanager
def gradient_override_map(self, op_type_map: dict) -> Iterator[None]:
    """Operations made inside have other gradients than their types have.

    Args:
      op_type_map: the type of an operation -> the name that
        `tf.RegisterGradient` gave to the gradient it is to have.

    Raises TypeError if that is no dictionary of strings. Tapes of the same
    function see operations one by one and keep to their types' gradients.

    >>> @tf.RegisterGradient("DoubledGradient")
    ... def doubled(op, grad):
    ...     return grad * 2.0
    >>> g = tf.Graph()
    >>> with g.as_default():
    ...     x = tf.constant(3.0)
    ...     with g.gradient_override_map({"Identity": "DoubledGradient"}):
    ...         y = tf.identity(x)
    >>> y.op.get_attr("_gradient_op_type")
    b'DoubledGradient'
    """
    self._push_gradient_overrides(op_type_map)
    try:
        yield
    finally:
        self._pop_gradient_overrides()


@_method
def get_name_scope(self) -> str:
    """The current name scope, without the final slash."""
    return _name_scope.current_scope().removesuffix("/")


@_method
def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
    """The tensor or operation of this graph that `obj` names or is.

    Raises KeyError or ValueError for names of nothing, ValueError for what
    belongs to another graph, TypeError for anything else.

    >>> g = tf.Graph()
    >>> with g.as_default():
    ...     c = tf.constant(1, name="c")
    >>> g.as_graph_element("c:0") is c
    True
    """
    if not (allow_tensor or allow_operation):
        raise ValueError("allow_tensor and allow_operation can't both be False.")
    element = obj
    if hasattr(obj, "_as_graph_element"):
        element = obj._as_graph_element() or obj
    if isinstance(element, str):
        return _element_by_name(self, element, allow_tensor, allow_operation)
    if isinstance(element, _graphkiln.Tensor) and allow_tensor:
        if getattr(element, "graph", None) is not self:
            raise ValueError(
                f"Tensor {element} is not an element of this graph."
            )
        return element
    if isinstance(element, _graphkiln.Operation) and allow_operation:
        if element.graph is not self:
            raise ValueError(
                f"Operation {element} is not an element of this graph."
            )
        return element
    kinds = " or ".join(
        kind
        for kind, allowed in (
            ("Tensor", allow_tensor), ("Operation", allow_operation)
        )
        if allowed
    )
    raise TypeError(
        f"Can not convert a {type(element).__name__} into a {kinds}."
    )


def _element_by_name(
    graph: Graph, name: str, allow_tensor: bool, allow_operation: bool
) -> object:
    if ":" in name and allow_tensor:
        return graph.get_tensor_by_name(name)
    if not allow_operation:
        return graph.get_tensor_by_name(name)  # An error that says why.
    return graph.get_operation_by_name(name)


@_property
def version(self) -> int:
    """Grows with every operation that is made."""
    return len(self.get_operations())


@_property
def variables(self) -> tuple:
    """The variables that a function uses and that are still there."""
    found = (
        _graphkiln.find_variable(outside)
        for outside, _ in self.captures
        if outside is not None and outside.dtype == _graphkiln.resource
    )
    return tuple(v for v in found if v is not None)


@_property
def trainable_variables(self) -> tuple:
    """Those of them that are trainable."""
    return tuple(v for v in self.variables if v.trainable)


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
    return _ControlDependencies(None, None)


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
