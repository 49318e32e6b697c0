"""tf.Operation: messages, attributes, where it was made; and making one."""

from __future__ import annotations

import traceback as _traceback
from collections.abc import Iterable, Mapping, Sequence

from graphkiln import _graphkiln, _proto, errors
from graphkiln._graphkiln import Graph, Operation


def message(kind: str, data: bytes) -> object:
    """A protocol buffer message from its bytes."""
    return getattr(_proto, kind).FromString(data)


def _node_def(self: Operation) -> object:
    """The operation as a NodeDef."""
    return message("NodeDef", _graphkiln.node_def(self))


def _op_def(self: Operation) -> object:
    """The signature of the operation's op as an OpDef."""
    return message("OpDef", _graphkiln.op_def(self.type))


def _get_attr(self: Operation, name: str) -> object:
    """The value of an attribute: a Python value, or a message for shapes,
    tensors and functions. ValueError if there is no such attribute."""
    data = _graphkiln.attr_message(self, name)
    if data is None:
        return _graphkiln.plain_attr(self, name)
    value = message("AttrValue", data)
    kind = value.WhichOneof("value")
    if kind != "list":
        return getattr(value, kind)
    for field in ("shape", "tensor", "func"):
        items = list(getattr(value.list, field))
        if items:
            return items
    return []


def _traceback_of(self: Operation) -> _traceback.StackSummary:
    """Where the operation was made: the user's frames, outermost first."""
    return _traceback.StackSummary.from_list(
        [
            _traceback.FrameSummary(file, line, name, lookup_line=False)
            for file, line, name in _graphkiln.source_lines(self._source)
        ]
    )


def _control_outputs(self: Operation) -> list[Operation]:
    """The operations that run after this one because they were told to."""
    return [
        op for op in self.graph.get_operations() if self in op.control_inputs
    ]


def _colocation_groups(self: Operation) -> list[bytes]:
    """The groups of operations that are to run on one device."""
    try:
        groups = _graphkiln.plain_attr(self, "_class")
    except ValueError:
        groups = []
    found = [g.encode() if isinstance(g, str) else g for g in groups]
    return [g for g in found if g.startswith(b"loc:@")] or [
        b"loc:@" + self.name.encode()
    ]


def _run(self: Operation, feed_dict=None, session=None) -> None:
    """ValueError: there are no sessions. Call a tf.function instead."""
    del self, feed_dict, session
    raise ValueError(
        "Cannot execute operation using `run()`: No default session is "
        "registered. Use `with sess.as_default():` or pass an explicit "
        "session to `run(session=sess)`"
    )


def _text(self: Operation) -> str:
    return str(_node_def(self))


def _no_tensor(value: Operation, dtype=None, name=None, as_ref=False):
    del dtype, name, as_ref
    raise TypeError(f"can't convert Operation '{value.name}' to Tensor")


Operation.node_def = property(_node_def)
Operation.op_def = property(_op_def)
Operation.get_attr = _get_attr
Operation.traceback = property(_traceback_of)
Operation._control_outputs = property(_control_outputs)
Operation.colocation_groups = _colocation_groups
Operation.run = _run
Operation.__str__ = _text
_graphkiln.register_tensor_conversion_function(Operation, _no_tensor)


def create_op(
    self: Graph,
    op_type: str,
    inputs: Sequence,
    dtypes: Iterable | None = None,
    input_types: Iterable | None = None,
    name: str | None = None,
    attrs: Mapping[str, object] | None = None,
    op_def: object = None,
    compute_shapes: bool = True,
    compute_device: bool = True,
) -> Operation:
    """Adds an operation to this graph.

    Args:
      op_type: the op's name ("MatMul").
      inputs: its input tensors, flat.
      dtypes, input_types: follow from the op and its inputs.
      name: of the operation, below the current name scope; `op_type` unless
        given.
      attrs: AttrValue messages by name; those that the inputs tell may be
        left out.
      op_def, compute_shapes, compute_device: accepted for compatibility.

    Raises TypeError for an input that is no tensor, RuntimeError for an
    unknown op or a finalized graph, ValueError for what the op refuses.

    >>> g = tf.Graph()
    >>> with g.as_default():
    ...     a = tf.constant(1.0)
    >>> g.create_op("Neg", [a], name="minus").outputs[0].name
    'minus:0'
    """
    del dtypes, input_types, op_def, compute_shapes, compute_device
    for i, value in enumerate(inputs):
        if not isinstance(value, _graphkiln.Tensor):
            raise TypeError(f"Input #{i} is not a tensor: {value}")
    node = _proto.NodeDef(name=name or op_type, op=op_type)
    for key, value in (attrs or {}).items():
        node.attr[key].CopyFrom(value)
    return _made(self, node, inputs)


def _made(graph: Graph, node: object, inputs: Sequence) -> Operation:
    try:
        with graph.as_default():
            return _graphkiln.create_op(
                graph, node.SerializeToString(), list(inputs)
            )
    except errors.NotFoundError as error:
        raise RuntimeError(error.message) from None
    except errors.InvalidArgumentError as error:
        raise ValueError(error.message) from None


def _from_node_def(
    node_def: object,
    g: Graph,
    inputs: Sequence | None = None,
    output_types: Iterable | None = None,
    control_inputs: Iterable | None = None,
    input_types: Iterable | None = None,
    original_op: Operation | None = None,
    op_def: object = None,
) -> Operation:
    """Adds the operation that a NodeDef describes to the graph `g`; its
    inputs are given as tensors."""
    del output_types, input_types, original_op, op_def
    if not isinstance(g, Graph):
        raise TypeError(
            "Argument g must be a Graph. Received an instance of type "
            f"{type(g)}"
        )
    node = _proto.NodeDef.FromString(node_def.SerializeToString())
    del node.input[:]
    with g.as_default(), g.control_dependencies(list(control_inputs or [])):
        return _made(g, node, inputs or [])


Graph.create_op = create_op
Operation.from_node_def = staticmethod(_from_node_def)
