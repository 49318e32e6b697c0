"""What a tf.Graph keeps beside its operations: collections, its seed, marks;
and what the graph of a function says of that function."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator

from graphkiln import _graphkiln
from graphkiln._graphkiln import FuncGraph, Graph
from graphkiln._src.function import function_binding as binding


def _method(python_function: Callable) -> Callable:
    setattr(Graph, python_function.__name__, python_function)
    return python_function


def _state(graph: Graph, what: str, make: Callable) -> object:
    return vars(graph).setdefault("_state", {}).setdefault(what, make())


# ---- Collections ----


def _collections(graph: Graph) -> dict:
    return _state(graph, "collections", dict)


@_method
def add_to_collection(self, name: object, value: object) -> None:
    """Appends `value` to the graph's list of that name.

    >>> g = tf.Graph()
    >>> g.add_to_collection("losses", 1)
    >>> g.get_collection("losses")
    [1]
    """
    _collections(self).setdefault(name, []).append(value)


@_method
def add_to_collections(self, names: object, value: object) -> None:
    """Appends `value` to the lists of all these names (or of the one)."""
    if isinstance(names, str):
        names = (names,)
    for name in dict.fromkeys(names):
        self.add_to_collection(name, value)


@_method
def get_collection_ref(self, name: object) -> list:
    """The list of that name itself, empty if new."""
    return _collections(self).setdefault(name, [])


@_method
def get_collection(self, name: object, scope: str | None = None) -> list:
    """A copy of the list of that name; `scope`: only what has a name that
    this pattern matches at its beginning."""
    found = list(_collections(self).get(name, ()))
    if scope is None:
        return found
    import re

    pattern = re.compile(scope)
    return [
        item for item in found
        if hasattr(item, "name") and pattern.match(item.name)
    ]


@_method
def get_all_collection_keys(self) -> list:
    """The names of all lists."""
    return [key for key in _collections(self) if isinstance(key, str)]


@_method
def clear_collection(self, name: object) -> None:
    """Empties the list of that name."""
    _collections(self).pop(name, None)


Graph.collections = property(
    lambda self: list(_collections(self)), doc="The names of all lists."
)


# ---- Marks ----


@_method
def prevent_feeding(self, tensor: _graphkiln.Tensor) -> None:
    """Marks a tensor as one that cannot be fed."""
    _state(self, "unfeedable", set).add(tensor.name)


@_method
def is_feedable(self, tensor: _graphkiln.Tensor) -> bool:
    """Can a value be given in place of this tensor?"""
    return tensor.name not in _state(self, "unfeedable", set)


@_method
def prevent_fetching(self, op: object) -> None:
    """Marks an operation as one whose results cannot be asked for."""
    _state(self, "unfetchable", set).add(op.name)


@_method
def is_fetchable(self, tensor_or_op: object) -> bool:
    """Can the result of this tensor or operation be asked for?"""
    op = getattr(tensor_or_op, "op", tensor_or_op)
    return op.name not in _state(self, "unfetchable", set)


Graph.operations = property(
    lambda self: self.get_operations(), doc="All operations, as made."
)


@_method
def num_operations(self) -> int:
    """How many operations there are."""
    return len(self.get_operations())


@_method
def new_operations(self) -> list:
    """The operations made since this was last asked for.

    >>> with tf.Graph().as_default() as g:
    ...     _ = tf.constant(1, name="a"), g.new_operations()
    ...     _ = tf.constant(2, name="b")
    >>> g.new_operations()
    [<tf.Operation 'b' type=Const>]
    """
    seen = _state(self, "operations_seen", lambda: [0])
    operations = self.get_operations()
    found = operations[seen[0]:]
    seen[0] = len(operations)
    return found


@_method
def switch_to_thread_local(self) -> None:
    """Scopes are those of the thread that builds the graph already."""


@_method
@contextlib.contextmanager
def colocate_with(
    self, op: object, ignore_existing: bool = False
) -> Iterator[None]:
    """Operations made inside ask to run on the device of `op`.

    Args:
      op: an operation or tensor of this graph; None ends what holds so far,
        with `ignore_existing`.
      ignore_existing: what holds so far is forgotten inside.
    """
    if op is None and not ignore_existing:
        raise ValueError(
            "Trying to reset colocation (op is None) but ignore_existing is "
            "not True"
        )
    if isinstance(op, _graphkiln.Tensor):
        op = op.op
    pushed = 0
    try:
        if ignore_existing:
            self._push_colocation(None)
            pushed += 1
        if op is not None:
            self._push_colocation(op)
            pushed += 1
        yield
    finally:
        for _ in range(pushed):
            self._pop_colocation()


# ---- Graphs of functions ----


FuncGraph.external_captures = property(
    lambda self: [
        outer for outer, _ in self.captures if outer is not None
    ],
    doc="Outside tensors that the function uses.",
)
FuncGraph.internal_captures = property(
    lambda self: [
        inner for outer, inner in self.captures if outer is not None
    ],
    doc="The placeholders that stand for `external_captures`.",
)
FuncGraph.deferred_internal_captures = property(
    lambda self: [inner for outer, inner in self.captures if outer is None],
    doc="Placeholders of values that are asked for at each call.",
)


FuncGraph.deferred_external_captures = property(
    lambda self: list(vars(self).get("_closures", ())),
    doc="What gives the values of `deferred_internal_captures`.",
)
FuncGraph.output_types = property(
    lambda self: [t.dtype for t in self.outputs],
    doc="The data types of what the function returns, flat.",
)
FuncGraph.output_shapes = property(
    lambda self: [t.shape for t in self.outputs],
    doc="The static shapes of what the function returns, flat.",
)
FuncGraph.__str__ = (
    lambda self: f"FuncGraph(name={self.name}, id={id(self)})"
)


def capture(
    self: FuncGraph,
    tensor: _graphkiln.Tensor,
    name: str | None = None,
    shape: object = None,
) -> _graphkiln.Tensor:
    """The tensor of this graph that stands for an outside tensor."""
    del shape  # That of the tensor.
    return self._capture(tensor, name or "")


class _DeferredValue:
    """What a closure returns, evaluated once for all its tensors in each
    call."""

    def __init__(self, closure: Callable, type_: object):
        self._closure = closure
        self._type = type_
        self._local = threading.local()
        self.positions: list[int] = []  # of each placeholder, when flattened

    def tensor(self, index: int) -> _graphkiln.Tensor:
        """The value of the placeholder made as number `index`."""
        if index == 0:
            self._local.values = self._evaluate()
        return self._local.values[self.positions[index]]

    def _evaluate(self) -> list:
        try:
            value = self._type._cast(self._closure())
        except binding.BindingError as error:
            raise TypeError(str(error)) from None
        return _graphkiln.to_inputs(self._type._flatten_inputs(value, set()))


class _DeferredArguments:
    """Stands in for a graph where placeholders of parameters are made."""

    def __init__(self, graph: FuncGraph, value: _DeferredValue):
        self._graph = graph
        self._value = value
        self.made: list = []

    def _add_argument(self, name, dtype, shape, user_name, variable=False):
        del user_name
        if variable:
            raise TypeError(
                "A variable cannot be captured by call time; its value can."
            )
        tensor = functools.partial(self._value.tensor, len(self.made))
        self.made.append(
            self._graph._capture_deferred(tensor, dtype, shape, name)
        )
        return self.made[-1]


def _deferred_placeholders(
    graph: FuncGraph, closure: Callable, type_: object
) -> tuple[object, int]:
    """Placeholders in the structure of `type_`, and how many they are."""
    deferred = _DeferredValue(closure, type_)
    arguments = _DeferredArguments(graph, deferred)
    value = _graphkiln.make_value(arguments, type_, "Placeholder")
    flat = type_._flatten_inputs(value, set())
    at = {t.name: i for i, t in enumerate(flat)}
    deferred.positions = [at[t.name] for t in arguments.made]
    return value, len(flat)


def capture_call_time_value(
    self: FuncGraph,
    closure: Callable[[], object],
    spec: object,
    key: object = None,
    default_value: object = None,
    placeholder: object = None,
) -> object:
    """A value that is asked for anew at each call of the function.

    Args:
      closure: takes nothing, returns tensors that match `spec`. It runs
        outside of the graph.
      spec: tf.TensorSpec, or a structure of them.
      key: hashable; the same key gives the same placeholder again.
      default_value: accepted for compatibility.
      placeholder: must be None: placeholders are made here.

    Returns symbolic tensors in the structure of `spec`. A call raises
    TypeError if the closure returns something else.

    >>> box = [2.0]
    >>> @tf.function
    ... def f(x):
    ...     spec = tf.TensorSpec([], tf.float32)
    ...     return x * x.graph.capture_call_time_value(
    ...         lambda: tf.constant(box[0]), spec)
    >>> f(tf.constant(3.0)).numpy().item()
    6.0
    >>> box[0] = 5.0
    >>> f(tf.constant(3.0)).numpy().item()
    15.0
    """
    del default_value
    if placeholder is not None:
        raise ValueError("`placeholder` must be None: it is made here.")
    deferred = vars(self).setdefault("_deferred", {})
    if key is None:
        key = object()
    if key not in deferred:
        type_ = _graphkiln.trace_type(spec)
        vars(self).setdefault("_closures", []).append(closure)
        deferred[key] = (type_, *_deferred_placeholders(self, closure, type_))
    return deferred[key][1]


FuncGraph.capture = capture
FuncGraph.capture_call_time_value = capture_call_time_value
