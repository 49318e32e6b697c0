"""What branches and loops share: which values are staged, and how the values
of symbols become tensors and back."""

from graphkiln import _graphkiln, nest
from graphkiln.autograph import symbols

_STAGED = (_graphkiln.Tensor, _graphkiln.BaseVariable)


def is_staged(value: object) -> bool:
    """Does control flow that depends on `value` become part of a graph?"""
    return isinstance(value, _STAGED) and not _graphkiln.executing_eagerly()


def is_symbolic(value: object) -> bool:
    return isinstance(value, _graphkiln.SymbolicTensor)


def taken_apart(value: object):
    """(structure of tensors, its leaves) of a symbol's value; True: it is a
    list that does not know yet what its elements are; None: no tensor can
    hold it. New nodes go to the current graph."""
    if getattr(value, "is_open", False):
        return True
    try:
        structure = nest.map_structure(_leaf, value)
        return structure, nest.flatten(structure, expand_composites=True)
    except (TypeError, ValueError):
        return None


def _leaf(value: object) -> object:
    if symbols.is_undefined(value):
        raise TypeError("undefined")
    if callable(value) and not isinstance(value, _STAGED):
        raise TypeError("a function is not a tensor")
    if isinstance(value, _graphkiln.DType):
        raise TypeError("a type is not a tensor")
    return _graphkiln._as_leaf(value)


def difference(name: str, first, second) -> str:
    """How two structures differ, and where; nothing if they do not."""
    try:
        nest.assert_same_structure(first, second, expand_composites=True)
        return ""
    except (TypeError, ValueError) as raised:
        error = raised

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


_graphkiln.provide(difference, taken_apart)
