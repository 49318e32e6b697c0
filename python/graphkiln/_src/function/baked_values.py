"""Python values that a trace froze: globals, closure cells and attributes
that the traced function reads.

They are looked up just before tracing; on request, calls compare them with
what they are then.
"""

from collections.abc import Callable, Mapping
from types import FunctionType

from graphkiln import _graphkiln, errors
from graphkiln._graphkiln import ConcreteFunction
from graphkiln._src.function.read_walker import BakedValue, Walker, short
from graphkiln._src.host import logging as _logging

MODES = ("warn", "retrace", "error")


def snapshot(
    function: Callable, instance: object, arguments: Mapping[str, object]
) -> tuple[BakedValue, ...]:
    """What tracing `function` now would freeze. `arguments`: the objects
    among its arguments, by name."""
    module = getattr(function, "__module__", None)
    walker = Walker(str(module).partition(".")[0])
    if instance is not None:
        walker.method(function, instance, -1)
    elif isinstance(function, FunctionType):
        walker.function(function, arguments, 0)
    else:
        walker.callable(function, 0)
    return tuple(walker.values.values())


def settle(values: tuple[BakedValue, ...]) -> tuple[BakedValue, ...]:
    """Called when the trace is made: what tracing itself changed is left
    out of later comparisons."""
    for baked in values:
        if baked.has_changed():
            baked._guarded = False
    return values


def _changes(concrete: ConcreteFunction) -> list[tuple[BakedValue, object]]:
    changed = []
    for baked in vars(concrete).get("_baked", ()):
        if baked._guarded:
            value = _graphkiln.comparable(baked._look_up())
            if not _graphkiln.same(value, baked._expected):
                changed.append((baked, value))
    return changed


def _sentence(name: str, baked: BakedValue, value: object) -> str:
    return (
        f"{baked.name} was {short(baked.value)} when {name} was traced and is "
        f"{short(value)} now; the trace goes on with the earlier value. It is "
        f'read at File "{baked.file}", line {baked.line}, in {baked.function}. '
        "Make it a tf.Variable or an argument to let it change."
    )


def changes_to_retrace(function, concrete) -> list[tuple[str, str, str]]:
    """Frozen values that changed, where that is a reason to trace again:
    (name, before, now). Warns or raises where that was asked for instead."""
    changed = _changes(concrete)
    if not changed:
        return []
    mode = function._options["on_baked_change"]
    name = function.name
    if mode == "retrace":
        for baked, _ in changed:
            _drop_stale(baked)
        return [
            (b.name, short(b.value), short(v)) for b, v in changed
        ]
    sentences = [_sentence(name, baked, value) for baked, value in changed]
    if mode == "error":
        raise errors.FailedPreconditionError(None, None, "\n".join(sentences))
    for baked, value in changed:
        baked._expected = _graphkiln.copied(value)  # each change once
    _logging.get_logger().warning("%s", "\n".join(sentences))
    return []


def _drop_stale(baked: BakedValue) -> None:
    """Functions called on the way to the value keep no trace with it."""
    for find in baked._functions:
        inner = find()
        if inner is not None:
            for concrete in inner._traces():
                if _changes(concrete):
                    inner._drop(concrete)


def still_holds(function, concrete) -> bool:
    """May a cached call run this trace?"""
    return not changes_to_retrace(function, concrete)


_graphkiln.provide(changes_to_retrace, still_holds)
