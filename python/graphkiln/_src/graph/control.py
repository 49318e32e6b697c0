"""Order and static values: tf.group, tf.tuple, tf.get_static_value."""

from graphkiln import _graphkiln, nest
from graphkiln import raw_ops as ops
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops as _ops
from graphkiln._src.graph import graph_scopes, name_scope
from graphkiln._src.variables.variable import Variable


def get_static_value(tensor, partial=False):
    """The value of a tensor as an array if it is known while tracing.

    Args:
      tensor: a tensor.
      partial: accepted for compatibility; a value is known as a whole.

    >>> tf.get_static_value(tf.constant([1, 2])).tolist()
    [1, 2]
    """
    if not isinstance(tensor, Tensor):
        return None
    return _graphkiln.known_value(tensor)


def is_symbolic_tensor(tensor):
    """Is it a tensor of a graph, without a value yet?

    >>> tf.is_symbolic_tensor(tf.constant(1))
    False
    """
    return isinstance(tensor, Tensor) and not hasattr(tensor, "numpy")


def group(*inputs, **kwargs):
    """An op that runs after all inputs; None when eager.

    >>> tf.group(tf.constant(1))
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unknown keyword arguments: {', '.join(kwargs)}")
    if _graphkiln.executing_eagerly():
        return None
    gate = [x for x in nest.flatten(inputs) if x is not None]
    for x in gate:
        if not isinstance(x, (Tensor, _graphkiln.Operation, Variable)):
            raise TypeError(
                "'inputs' should be zero or more (nested) Tensors. Received "
                f"'{x}' with type '{type(x)}'."
            )
    with graph_scopes.control_dependencies(gate):
        return ops.NoOp(name=name or "group_deps")


def tuple(tensors, control_inputs=None, name=None):
    """The tensors, each available only when all are computed.

    >>> [t.numpy().item() for t in tf.tuple([tf.constant(1)])]
    [1]
    """
    if _graphkiln.executing_eagerly():
        return tensors
    with name_scope.name_scope(name or "tuple"):
        gate = [t for t in tensors if t is not None]
        gate += list(control_inputs or [])
        if not gate:
            raise ValueError(
                "'tensors' must have at least one Tensor. Received: "
                f"{tensors}."
            )
        with graph_scopes.control_dependencies(gate):
            return [t if t is None else _ops.identity(t) for t in tensors]
