"""Python functions that change the lists and mappings they are given.

While tracing they would change copies, so the caller would see nothing.
"""

import inspect
from collections.abc import Callable, Mapping

_MUTABLE = ("list", "dict", "attrs", "named_tuple", "tuple")


class Snapshot:
    """The contents of the containers among bound parameters."""

    def __init__(self, function_type, bound: list):
        self._kept = [
            (name, kind, value, _contents(value))
            for (_, _, _, type_), (name, kind, value) in zip(
                function_type._parameters, bound
            )
            if type_.kind in _MUTABLE
        ]

    def check(self, function: Callable) -> None:
        """Raises ValueError if some container has changed since."""
        changed = [
            (name, kind) for name, kind, value, contents in self._kept
            if not _same(contents, _contents(value))
        ]
        if not changed:
            return
        signature = _signature(function)
        names = dict.fromkeys(
            _parameter(name, kind, signature) for name, kind in changed
        )
        shown = getattr(function, "__qualname__", repr(function))
        raise ValueError(
            f"{shown}{signature} should not modify its Python input "
            "arguments. Modifying a copy is allowed. The following "
            f"parameter(s) were modified: {', '.join(names)}"
        )


def _contents(value: object) -> object:
    """Nested tuples of what `value` holds; itself if it is no container."""
    if isinstance(value, (list, tuple)):
        return (type(value), *map(_contents, value))
    if isinstance(value, Mapping):
        return (
            type(value), frozenset(value),
            *(_contents(value[key]) for key in sorted(value, key=repr)),
        )
    if hasattr(type(value), "__attrs_attrs__"):
        return (
            type(value),
            *(
                _contents(getattr(value, a.name))
                for a in type(value).__attrs_attrs__
            ),
        )
    return value


def _same(a: object, b: object) -> bool:
    if a is b:
        return True
    if type(a) is tuple and type(b) is tuple:
        return len(a) == len(b) and all(map(_same, a, b))
    # Equal numbers and strings may be other objects; tensors may not.
    return type(a) is type(b) and isinstance(
        a, (int, float, complex, str, bytes, frozenset)
    ) and a == b


def _signature(function: Callable) -> inspect.Signature:
    method = getattr(function, "__func__", None)
    if method is None:
        return inspect.signature(function, follow_wrapped=False)
    signature = inspect.signature(method, follow_wrapped=False)
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def _parameter(name: str, kind: int, signature: inspect.Signature) -> str:
    """The parameter of the Python function that took an argument."""
    variadic = {}
    for p in signature.parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            variadic[p.kind] = p.name
        elif p.name == name:
            return name
    keyword = kind == inspect.Parameter.KEYWORD_ONLY
    wanted = (
        inspect.Parameter.VAR_KEYWORD if keyword
        else inspect.Parameter.VAR_POSITIONAL
    )
    return variadic.get(wanted, name)
