"""Gradients by name, and ops that are declared to have none."""

from __future__ import annotations

from collections.abc import Callable

from graphkiln import _graphkiln

_without: set[str] = set()
_registered: set[str] = set()


def no_gradient(op_type: str) -> None:
    """Declares that an op has no gradient.

    Raises TypeError if `op_type` is no string, KeyError if the op has a
    gradient or was declared before.

    >>> tf.no_gradient("AnOpOfMine")
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    _check_new(op_type)
    _without.add(op_type)


def _check_new(op_type: str) -> None:
    if (
        op_type in _without
        or op_type in _registered
        or op_type in _graphkiln.op_names()
    ):
        raise KeyError(f"Registering two gradient with name '{op_type}'!")


class RegisterGradient:
    """Decorates a function that computes gradients under a name, which
    `tf.Graph.gradient_override_map` can ask for.

    The function is given the operation and the gradient of each of its
    outputs, and returns a gradient, or None, for each of its inputs.

    Raises TypeError if the name is no string, KeyError if there is such a
    gradient.

    >>> @tf.RegisterGradient("NoGradientAtAll")
    ... def nothing(op, grad):
    ...     return tf.zeros_like(grad)
    """

    __slots__ = ("_op_type",)

    def __init__(self, op_type: str):
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: Callable) -> Callable:
        _check_new(self._op_type)
        _registered.add(self._op_type)
        _graphkiln.register_gradient(self._op_type, f)
        return f
