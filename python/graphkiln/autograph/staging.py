"""What branches and loops share: which values are staged, and how the values
of symbols become tensors and back."""

import graphkiln as tf
from graphkiln import _composite
from graphkiln import _control_flow
from graphkiln import _graphkiln
from graphkiln import nest
from graphkiln.autograph import symbols

_STAGED = (_graphkiln.Tensor, _graphkiln.BaseVariable)


def is_staged(value: object) -> bool:
    """Does control flow that depends on `value` become part of a graph?"""
    return isinstance(value, _STAGED) and not tf.executing_eagerly()


def is_symbolic(value: object) -> bool:
    return isinstance(value, _graphkiln.SymbolicTensor)


class Missing:
    """A symbol without a value: not assigned yet, None, or a list that does
    not know yet what its elements are."""

    def __init__(self, value: object):
        self.value = value

    @property
    def is_none(self) -> bool:
        return self.value is None


class Fixed:
    """A value that no tensor can hold. It may pass unchanged."""

    def __init__(self, value: object):
        self.value = value


class Staged:
    """A structure of tensors."""

    def __init__(self, structure: object):
        self.structure = structure
        self.flat = _control_flow.flatten(structure)

    @property
    def tensors(self) -> list:
        return [t for t in self.flat if t is not None]

    def packed(self, tensors) -> object:
        """The same structure with other tensors, taken in turn."""
        taken = iter(tensors)
        flat = [None if t is None else next(taken) for t in self.flat]
        return nest.pack_sequence_as(
            self.structure, flat, expand_composites=True
        )


def staged_value(value: object):
    """`value` as Missing, Fixed or Staged; new nodes go to the current
    graph."""
    if value is None or symbols.is_undefined(value) or (
        getattr(value, "is_open", False)
    ):
        return Missing(value)
    try:
        return Staged(nest.map_structure(_leaf, value))
    except (TypeError, ValueError):
        return Fixed(value)


def _leaf(value: object) -> object:
    if symbols.is_undefined(value):
        raise TypeError("undefined")
    if callable(value) and not isinstance(value, _STAGED):
        raise TypeError("a function is not a tensor")
    if isinstance(value, _graphkiln.DType):
        raise TypeError("a type is not a tensor")
    return _control_flow.as_tensor(value)


def not_a_tensor(name: str, value: object, where: str) -> TypeError:
    """The error for a value that a graph cannot choose or carry."""
    return TypeError(
        "To be compatible with tf.function, Python functions must return zero "
        f"or more Tensors or ExtensionTypes or None values; in {where}, found "
        f"{name!r} of type {type(value).__name__}, which is not a Tensor or "
        "ExtensionType."
    )


def different(name: str, first, second, error: Exception) -> str:
    """How two structures differ, and where."""
    def shown(value):
        return f"type={type(value).__name__} str={value}"

    return (
        "The two structures don't have the same nested structure.\n\n"
        f"First structure: {shown(first)}\n\n"
        f"Second structure: {shown(second)}\n\n"
        f"More specifically: {_first_difference(name, first, second)}"
        f"{_reason(error)}"
    )


def _reason(error: Exception) -> str:
    """The sentence of an error about structures that says most."""
    text = str(error).partition("\nEntire first structure")[0]
    return text.rpartition("More specifically: ")[2].partition("\n\n")[0]


def _first_difference(path: str, a, b) -> str:
    """The innermost part that differs, as `t[1]: `."""
    if type(a) is type(b) and isinstance(a, (list, tuple)):
        if len(a) == len(b):
            for i, (x, y) in enumerate(zip(a, b)):
                found = _first_difference(f"{path}[{i}]", x, y)
                if found:
                    return found
            return ""
    elif isinstance(a, dict) and isinstance(b, dict):
        if a.keys() == b.keys():
            for key in a:
                found = _first_difference(f"{path}[{key!r}]", a[key], b[key])
                if found:
                    return found
            return ""
    elif not isinstance(a, (list, tuple, dict)) and not isinstance(
        b, (list, tuple, dict)
    ):
        return "" if (a is None) == (b is None) else f"{path}: "
    return f"{path}: "


def zeros(tensor) -> object:
    """Zeros as `tensor` is: 0 where a dimension is unknown, a scalar where
    the rank is."""
    if tensor.dtype == tf.variant:
        return tf.raw_ops.TensorListReserve(
            element_shape=tf.constant(-1), num_elements=tf.constant(0),
            element_dtype=tf.float32,
        )
    shape = tensor.shape
    sizes = [] if shape.rank is None else [n or 0 for n in shape.as_list()]
    return tf.zeros(sizes, tensor.dtype)
