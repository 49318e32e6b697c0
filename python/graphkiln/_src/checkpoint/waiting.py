"""Objects that wait for values of a checkpoint's that are not there yet."""

from __future__ import annotations

# Nothing is imported for annotations: a program that loads a small model would
# wait for `typing` longer than for the model.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Of an object: who waits for which of its children, by name. Each is called with
# the object, the name and the child, and says whether that was it.
WAITING = "_self_unconditional_deferred_dependencies"


def facts_of(value: object) -> dict[str, Any]:
    """The attributes that an object itself has: a wrapper may give those of what
    is in it. It may be unable to have any."""
    try:
        return object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}


def child_came(owner: Any, name: Any, child: Any) -> None:
    """Tells those who wait for it, if anybody does."""
    waiting = facts_of(owner).get(WAITING)
    if not waiting or name not in waiting:
        return
    left = [waiter for waiter in waiting.pop(name) if not waiter(owner, name, child)]
    if left:
        waiting[name] = left
