"""Graphs, functions and operations as protocol buffer messages, and graphs
from messages. protobuf is imported when the first message is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from graphkiln import _graphkiln, errors
from graphkiln._graphkiln import ConcreteFunction, Graph, Operation


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

    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     one = tf.constant(1, name='one')
    >>> copy = tf.Graph()
    >>> with copy.as_default():
    ...     tf.graph_util.import_graph_def(graph.as_graph_def(), name='copied')
    >>> [op.name for op in copy.get_operations()]
    ['copied/one']
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
    start = len(prefix) + 1 if prefix else 0
    by_name = {op.name[start:]: op for op in operations}
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


def write_graph(
    graph_or_graph_def: object, logdir: str, name: str, as_text: bool = True
) -> str:
    """Writes a graph to a file, as text or as bytes; returns its path.

    >>> import tempfile
    >>> graph = tf.Graph()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = tf.io.write_graph(graph, folder, 'graph.pbtxt')
    """
    message = graph_or_graph_def
    if isinstance(message, (Graph, ConcreteFunction)):
        graph = message if isinstance(message, Graph) else message.graph
        message = graph.as_graph_def()
    if as_text:
        data = str(message).encode()
    else:
        data = message.SerializeToString(deterministic=True)
    folder = Path(logdir)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    # Readers see the old file or the whole new one.
    written = path.with_name(f"{path.name}.tmp{os.getpid()}")
    written.write_bytes(data)
    written.replace(path)
    return str(path)


def assert_equal_graph_def(expected: object, actual: object) -> None:
    """AssertionError unless both GraphDefs have equal nodes (in any order)
    and libraries; versions are not compared.

    >>> graph = tf.Graph().as_graph_def()
    >>> tf.test.assert_equal_graph_def(graph, graph)
    """
    for message in (expected, actual):
        if not hasattr(message, "node") or not hasattr(message, "library"):
            raise TypeError(
                f"Expected a GraphDef, got {type(message).__name__}"
            )
    theirs = {node.name: node for node in expected.node}
    ours = {node.name: node for node in actual.node}
    missing = sorted(theirs.keys() - ours.keys())
    extra = sorted(ours.keys() - theirs.keys())
    if missing or extra:
        raise AssertionError(
            f"Graphs differ: missing nodes {missing}, additional {extra}"
        )
    for name, node in theirs.items():
        if node.SerializeToString(deterministic=True) != ours[
            name
        ].SerializeToString(deterministic=True):
            raise AssertionError(
                f"Node {name} differs:\n{node}\nagainst:\n{ours[name]}"
            )
    if _functions(expected) != _functions(actual):
        raise AssertionError("Function libraries differ")


def _functions(message: object) -> dict[str, bytes]:
    return {
        f.signature.name: f.SerializeToString(deterministic=True)
        for f in message.library.function
    }
