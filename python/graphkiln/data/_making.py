"""How the methods of tf.data.Dataset make datasets."""

import graphkiln as tf
from graphkiln import _graphkiln
from graphkiln._src.types import batchable
from graphkiln.data import _specs as specs
from graphkiln.data import _structure as structure

_classes: dict[str, type] = {}


def make(kind: str, variant, spec: object, *parts) -> "specs.Dataset":
    """A dataset of the class that TensorFlow calls `kind`. It keeps what it
    was made of."""
    cls = _classes.get(kind)
    if cls is None:
        cls = _classes[kind] = type(
            kind, (specs.Dataset,), {"__module__": specs.Dataset.__module__}
        )
    made = cls(variant)
    made._element_spec = spec
    made._parts = parts
    return made


def int64(value, name: str):
    """`value` as an int64 tensor."""
    if isinstance(value, _graphkiln.Tensor) and value.dtype != tf.int64:
        return tf.cast(value, tf.int64)
    return tf.convert_to_tensor(value, dtype=tf.int64, name=name)


def deterministic(value) -> str:
    """The attribute that says so."""
    if value is None:
        return "default"
    return "true" if value else "false"


def not_empty(spec: object) -> None:
    """Raises ValueError for elements without components."""
    if not structure.flat_specs(spec):
        raise ValueError("Invalid `element`. `element` should not be empty.")


def leaves(spec: object) -> list:
    """The specs of the tensors, ragged and sparse ones and datasets inside."""
    return [
        leaf for part in structure.flatten(spec)
        for leaf in batchable.leaves(part)
    ]


def same_length(spec: object, message: str) -> None:
    """Raises ValueError with both in the message if leaves are known to have
    different lengths."""
    length = None
    for leaf in leaves(spec):
        shape = getattr(leaf, "shape", None)
        n = None if shape is None or not shape.rank else shape[0]
        if length is not None and n is not None and n != length:
            raise ValueError(message.format(length, n))
        length = n if length is None else length
