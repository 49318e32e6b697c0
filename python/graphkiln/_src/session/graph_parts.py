"""tf.compat.v1.graph_util: parts of GraphDefs and constants for variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._graphkiln import Graph, Operation, TensorShape
from graphkiln._src.graph.tensor_message import make_tensor_proto

# Operations, the attribute that is the type of their elements, and the types that
# are kept in main memory.
_ON_CPU = (
    "Const dtype DT_STRING DT_INT32",
    "DynamicStitch T DT_INT32",
    "ParallelDynamicStitch T DT_INT32",
    "Cast SrcT DT_INT32",
)
_VARIABLES = frozenset(
    "Assign AssignAdd AssignSub Queue ScatterAdd ScatterSub ScatterUpdate "
    "TruncatedNormal Variable VariableV2".split()
)


def _graph_def(message: bytes) -> Any:
    return _proto.GraphDef.FromString(message)


def extract_sub_graph(graph_def: Any, dest_nodes: Sequence[str]) -> Any:
    """The nodes of a GraphDef that some of its nodes need, and these.

    Args:
      graph_def: the GraphDef.
      dest_nodes: their names.

    Returns:
      A GraphDef with the same library and versions.

    Raises:
      TypeError: `graph_def` is no GraphDef, or `dest_nodes` a text.
      AssertionError: a name is missing.

    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.constant(1, name="x") + 1
    >>> part = tf.compat.v1.graph_util.extract_sub_graph(
    ...     graph.as_graph_def(), ["x"])
    >>> [node.name for node in part.node]
    ['x']
    """
    if not hasattr(graph_def, "library"):
        raise TypeError(
            f"graph_def must be a graph_pb2.GraphDef proto, but got type "
            f"{type(graph_def)}."
        )
    if isinstance(dest_nodes, str):
        raise TypeError(
            f"dest_nodes must be an iterable of strings, but got type "
            f"{type(dest_nodes)}"
        )
    there = {node.name for node in graph_def.node}
    for name in dest_nodes:
        if name not in there:
            raise AssertionError(f"{name} is not in graph")
    return _graph_def(
        _graphkiln._extract_sub_graph(graph_def.SerializeToString(), list(dest_nodes))
    )


def remove_training_nodes(
    input_graph: Any, protected_nodes: Sequence[str] | None = None
) -> Any:
    """A GraphDef without identities and checks of numbers, which a graph that
    only predicts does not need.

    Args:
      input_graph: the GraphDef.
      protected_nodes: names of nodes that stay, as those that are fetched must.

    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.identity(tf.constant(1, name="x"), name="y") + 1
    >>> rest = tf.compat.v1.graph_util.remove_training_nodes(graph.as_graph_def())
    >>> "y" in [node.name for node in rest.node]
    False
    """
    return _graph_def(
        _graphkiln._remove_training_nodes(
            input_graph.SerializeToString(), list(protected_nodes or ())
        )
    )


def _read_name(graph: Graph, variable: str) -> str:
    """The tensor of a session's graph that is a variable's value."""
    usual = f"{variable}/Read/ReadVariableOp:0"
    handle = graph.get_tensor_by_name(f"{variable}:0")
    try:
        return graph.get_tensor_by_name(usual).name
    except KeyError:
        for reader in handle.consumers():
            if _graphkiln._reads_variable(reader.type):
                return reader.outputs[0].name
    raise ValueError(f"The graph of the session reads the variable {variable} nowhere.")


def convert_variables_to_constants(
    sess: Any,
    input_graph_def: Any,
    output_node_names: Sequence[str],
    variable_names_whitelist: Sequence[str] | None = None,
    variable_names_blacklist: Sequence[str] | None = None,
) -> Any:
    """A GraphDef of what some nodes need, with constants in the place of variables:
    their values in a session.

    Args:
      sess: the session, which has given the variables values.
      input_graph_def: the GraphDef.
      output_node_names: the nodes, which keep their names.
      variable_names_whitelist: only these variables become constants, if given.
      variable_names_blacklist: these stay variables.

    Raises:
      AssertionError: an output is missing.
      FailedPreconditionError: a variable has no value.
      ValueError: more than reading is done to a variable on the way.

    >>> with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
    ...     v = tf.Variable(2.0, name="v")
    ...     y = tf.add(v, 1.0, name="y")
    ...     session.run(v.initializer)
    ...     frozen = tf.compat.v1.graph_util.convert_variables_to_constants(
    ...         session, graph.as_graph_def(), ["y"])
    >>> sorted({node.op for node in frozen.node})
    ['AddV2', 'Const']
    """
    outputs = list(output_node_names)
    part = extract_sub_graph(input_graph_def, outputs)
    names = [
        name
        for name in _graphkiln._variable_handles(part.SerializeToString())
        if (variable_names_whitelist is None or name in variable_names_whitelist)
        and name not in (variable_names_blacklist or ())
    ]
    values = sess.run([_read_name(sess.graph, name) for name in names])
    tensors = {
        name: make_tensor_proto(value).SerializeToString()
        for name, value in zip(names, values, strict=True)
    }
    return _graph_def(
        _graphkiln._freeze_graph_def(part.SerializeToString(), outputs, tensors)
    )


def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Must an operation run on a CPU, whatever else there is?

    Args:
      node: the tf.Operation or its NodeDef.
      pin_variables_on_cpu: must the operations of variables?

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.graph_util.must_run_on_cpu(tf.constant("a").op)
    True
    """
    message = node.node_def if isinstance(node, Operation) else node
    if pin_variables_on_cpu and message.op in _VARIABLES:
        return True
    for op, attr, *types in map(str.split, _ON_CPU):
        if message.op == op:
            return message.attr[attr].type in [getattr(_proto, t) for t in types]
    return False


def tensor_shape_from_node_def_name(graph: Graph, input_name: str) -> TensorShape:
    """The shape of a tensor of a graph by its name; ":0" may be left out.

    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.constant([1, 2], name="x")
    >>> tf.compat.v1.graph_util.tensor_shape_from_node_def_name(graph, "x")
    TensorShape([2])
    """
    name = input_name if ":" in input_name else input_name + ":0"
    return graph.get_tensor_by_name(name).get_shape()
