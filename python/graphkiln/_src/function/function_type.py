"""FunctionType.parameters: a signature as an ordered mapping."""

import collections
import inspect

from graphkiln._graphkiln import FunctionType


class _CapturedDefault:
    """Stands for a default value, which the function knows."""

    def __repr__(self) -> str:
        return "<captured_default_value>"


_DEFAULT = _CapturedDefault()


class Parameter(inspect.Parameter):
    """One parameter of a FunctionType.

    Attributes:
      optional: it has a default, which may be left to the function.
      type_constraint: its trace type, or None if any will do.
    """

    __slots__ = ("optional", "type_constraint")

    def __init__(self, name, kind, optional, type_constraint):
        empty = inspect.Parameter.empty
        super().__init__(
            name, kind, default=_DEFAULT if optional else empty,
            annotation=empty if type_constraint is None else type_constraint,
        )
        self.optional = optional
        self.type_constraint = type_constraint

    def __repr__(self) -> str:
        return (
            f"Parameter(name={self.name}, kind={self.kind.name}, "
            f"optional={self.optional}, "
            f"type_constraint={self.type_constraint!r})"
        )


def _parameters(
    function_type: FunctionType,
) -> "collections.OrderedDict[str, Parameter]":
    """The parameters by name, in order."""
    return collections.OrderedDict(
        (name, Parameter(name, inspect._ParameterKind(kind), optional, type_))
        for name, kind, optional, type_ in function_type._parameters
    )


FunctionType.parameters = property(_parameters)
