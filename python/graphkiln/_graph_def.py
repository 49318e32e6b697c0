"""Graphs, functions and operations as protocol buffer messages, and graphs
from messages. protobuf is imported when the first message is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from graphkiln import _graphkiln
from graphkiln import _proto
from graphkiln import errors
from graphkiln._graphkiln import ConcreteFunction
from graphkiln._graphkiln import Graph
from graphkiln._graphkiln import Operation


def _message(kind: str, data: bytes) -> object:
    return getattr(_proto, kind).FromString(data)


def _as_graph_def(
    self: Graph, from_version: int | None = None, add_shapes: bool = False
) -> object:
    """The graph as a GraphDef; `add_shapes` adds `_output_shapes` to nodes."""
    del from_version  # The graph is not cut at a version.
    return _message("GraphDef", _graphkiln.graph_def(self, bool(add_shapes)))


def _function_def(self: ConcreteFunction) -> object:
    """The function as a FunctionDef."""
    return _message("FunctionDef", _graphkiln.function_def(self))


def _node_def(self: Operation) -> object:
    """The operation as a NodeDef."""
    return _message("NodeDef", _graphkiln.node_def(self))


def _get_attr(self: Operation, name: str) -> object:
    """The value of an attribute: a Python value, or a message for shapes,
    tensors and functions. ValueError if there is no such attribute."""
    data = _graphkiln.attr_message(self, name)
    if data is None:
        return _graphkiln.plain_attr(self, name)
    value = _message("AttrValue", data)
    kind = value.WhichOneof("value")
    if kind != "list":
        return getattr(value, kind)
    for field in ("shape", "tensor", "func"):
        items = list(getattr(value.list, field))
        if items:
            return items
    return []


# Pictures load what draws them when they are first asked for.
def _repr_svg(self: Graph | ConcreteFunction) -> str | None:
    from graphkiln import _picture

    return _picture.to_svg(self)


def _repr_html(self: Graph | ConcreteFunction) -> str:
    from graphkiln import _picture

    return _picture.to_html(self)


for _type in (Graph, ConcreteFunction):
    _type._repr_svg_ = _repr_svg
    _type._repr_html_ = _repr_html
Graph.as_graph_def = _as_graph_def
ConcreteFunction.function_def = property(_function_def)
Operation.node_def = property(_node_def)
Operation.get_attr = _get_attr


def import_graph_def(
    graph_def: object,
    input_map: Mapping[str, object] | None = None,
    return_elements: Iterable[str] | None = None,
    name: str | None = None,
    op_dict: object = None,
    producer_op_list: object = None,
) -> list | None:
    """Adds the nodes of a GraphDef to the graph that is being built.

    `input_map` gives tensors in place of the message's edges, `name` is the
    prefix of all names ("import" if None, none if empty). Returns the
    operations ("x") and tensors ("x:0") of `return_elements`.
    """
    del op_dict, producer_op_list
    graph = _graphkiln.current_graph()
    if graph is None:
        raise RuntimeError(
            "tf.import_graph_def adds to a graph: call it in a tf.function or "
            "under tf.Graph().as_default()."
        )
    if not hasattr(graph_def, "SerializeToString"):
        raise TypeError(
            "Argument `graph_def` must be a GraphDef proto. Received: "
            f"{type(graph_def).__name__}"
        )
    wanted = None if return_elements is None else tuple(return_elements)
    if wanted is not None and not all(isinstance(e, str) for e in wanted):
        raise TypeError(
            "Argument `return_elements` must be a list of strings. Received: "
            f"{return_elements!r}"
        )
    inputs = {
        key: graph._capture(_graphkiln.convert_to_tensor(value))
        for key, value in (input_map or {}).items()
    }
    prefix = "import" if name is None else name.rstrip("/")
    if prefix:
        prefix = graph.unique_name(prefix)
    try:
        operations = _graphkiln.import_graph_def(
            graph, graph_def.SerializeToString(), inputs, prefix
        )
    except errors.InvalidArgumentError as error:
        raise ValueError(error.message) from None
    if wanted is None:
        return None
    by_name = {
        node.name: op for node, op in zip(graph_def.node, operations)
    }
    return [_element(by_name, element) for element in wanted]


def _element(by_name: Mapping[str, Operation], element: str) -> object:
    node, colon, index = element.partition(":")
    op = by_name.get(node)
    if op is None or (colon and not index.isdecimal()):
        raise ValueError(
            "Requested return_element "
            f"{element!r} not found in graph_def."
        )
    if not colon:
        return op
    outputs = op.outputs
    if int(index) >= len(outputs):
        raise ValueError(
            f"Requested return_element {element!r} not found in graph_def."
        )
    return outputs[int(index)]
