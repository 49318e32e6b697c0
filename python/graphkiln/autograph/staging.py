"""Which values are staged: control flow that depends on them becomes part of a
graph."""

from graphkiln import _graphkiln

_STAGED = (_graphkiln.Tensor, _graphkiln.BaseVariable)


def is_staged(value: object) -> bool:
    """Does control flow that depends on `value` become part of a graph?"""
    return isinstance(value, _STAGED) and not _graphkiln.executing_eagerly()


def is_symbolic(value: object) -> bool:
    return isinstance(value, _graphkiln.SymbolicTensor)
