"""The classes of operators by their names.

Kinds make one another: a product is a composition, the inverse of a diagonal is
one. Each class enters itself when it is defined, and all are defined together
(operators.py), so none needs to import those that it makes.
"""

from graphkiln._src.linalg import operator_spec

_kinds: dict[str, type] = {}

def kind(cls: type) -> type:
    """Decorates an operator's class: gives it a TypeSpec and enters it."""
    operator_spec.make_composite(cls)
    _kinds[cls.__name__] = cls
    return cls


def make(name: str, /, *args, **kwargs):
    """An operator of that kind."""
    return _kinds[name](*args, **kwargs)


def is_a(operator, *names: str) -> bool:
    """Is it of one of these kinds?"""
    return isinstance(operator, tuple(_kinds[n] for n in names))
