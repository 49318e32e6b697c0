"""Variables of a meta graph that is imported while a function is wrapped: they
outlive its graph, which captures them."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln, _proto, raw_ops
from graphkiln._graphkiln import TensorShape, Variable
from graphkiln._src.function.variable_holder import VariableHolder


def lifted_variables(
    message: Any, keys: tuple[str, ...], scope: str | None
) -> tuple[dict[str, Any], dict[bytes, Variable]]:
    """Makes the variables that the collections of a meta graph have, without values
    until a program assigns or restores these.

    Args:
      message: the MetaGraphDef.
      keys: of the collections that have variables.
      scope: that the graph is imported below.

    Returns:
      What stands for the nodes of the variables, as an `input_map`, and the
      variables by their definitions; both are empty if no function is wrapped.
    """
    inputs: dict[str, Any] = {}
    made: dict[bytes, Variable] = {}
    holder = VariableHolder.current()
    graph = _graphkiln.get_default_graph()
    if holder is None or holder.graph is not graph:
        return inputs, made
    nodes = {node.name: node for node in message.graph_def.node}
    by_node: dict[str, Variable] = {}
    for key in keys:
        if key not in message.collection_def:
            continue
        for value in message.collection_def[key].bytes_list.value:
            definition = _proto.VariableDef.FromString(value)
            node = nodes.get(definition.variable_name.split(":")[0])
            if node is None or not definition.is_resource:
                continue
            if node.name not in by_node:
                name = f"{scope}/{node.name}" if scope else node.name
                variable = _without_value(node, definition.trainable, name, holder)
                by_node[node.name] = variable
                inputs[f"{node.name}:0"] = graph._capture(variable.handle)
            made[value] = by_node[node.name]
    return inputs, made


def _without_value(
    node: Any, trainable: bool, name: str, holder: VariableHolder
) -> Variable:
    message = node.attr["shape"].shape
    dims = [None if dim.size < 0 else dim.size for dim in message.dim]
    shape = TensorShape(None if message.unknown_rank else dims)
    dtype = _graphkiln.as_dtype(node.attr["dtype"].type)
    sizes = [size or 0 for size in shape] if shape.rank is not None else []
    with _graphkiln.init_scope(), holder.lifting():
        variable = Variable(
            raw_ops.Empty(shape=sizes, dtype=dtype, init=True),
            trainable=trainable,
            name=name,
            dtype=dtype,
            shape=shape,
        )
        _graphkiln._drop_value(variable.handle)
    holder.variables[name] = variable
    return variable
