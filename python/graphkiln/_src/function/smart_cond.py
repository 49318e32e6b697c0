"""A condition that is decided while tracing where it is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphkiln import _graphkiln


def smart_cond(
    pred: Any,
    true_fn: Callable | None = None,
    false_fn: Callable | None = None,
    name: str | None = None,
) -> Any:
    """What `true_fn()` gives if `pred`, else what `false_fn()` does.

    Args:
      pred: a bool, 0, 1, a variable or a bool scalar. One whose value is known
        decides at once, and only that function is called; otherwise both become
        branches of a `tf.cond`.
      true_fn, false_fn: callables without arguments.
      name: of the op.

    Raises:
      TypeError: one of them is not callable, or `pred` is nothing of the above.

    >>> tf.__internal__.smart_cond.smart_cond(True, lambda: 1, lambda: 2)
    1
    """
    for which, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"`{which}` must be callable.")
    if isinstance(pred, _graphkiln.Variable):
        return _graphkiln.cond(pred, true_fn, false_fn, name=name)
    known = constant_condition(pred)
    if known is None:
        return _graphkiln.cond(pred, true_fn, false_fn, name=name)
    return true_fn() if known else false_fn()


def constant_condition(pred: Any) -> bool | None:
    """The value of a condition, None if it is known only when it is run.

    Raises:
      TypeError: it is no bool, 0, 1, or tensor.
    """
    if isinstance(pred, bool) or (isinstance(pred, int) and pred in (0, 1)):
        return bool(pred)
    if _graphkiln.is_tensor(pred):
        value = _graphkiln.known_value(pred)
        return None if value is None else bool(value)
    raise TypeError(
        "`pred` must be a Tensor, or a Python bool, or 1 or 0. Received: "
        f"{pred!r} of type {type(pred)}"
    )
