"""Do two ways of running a program come to the same?"""

from __future__ import annotations

import dataclasses

import numpy as np

from .running import Outcome, Value


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """Zero: equal to the bit."""

    relative: float = 0.0
    absolute: float = 0.0


EXACT = Tolerance()
# Sums of gradients may be taken in another order.
GRADIENTS = Tolerance(2e-4, 2e-5)
# Another library's kernels.
OTHER = Tolerance(2e-3, 2e-4)


# What tracing says of programs that only plain Python can run: names that
# not all ways define, and, where shapes are unknown, loops that change them.
UNSTAGED = (
    "must be defined before the loop", "must also be initialized",
    "must iterate at least once", "cannot access local variable",
    "used before assignment", "must be defined", "may be undefined",
)
UNSHAPED = (
    "shape invariant", "has shape", "unknown rank", "statically known",
    "incompatible", "Cannot iterate over", "rank is unknown", "must have rank",
)


def refused(outcomes: list[Outcome], unknown: bool) -> bool:
    """Did tracing find that the program cannot be staged?"""
    last = outcomes[-1]
    words = UNSTAGED + (UNSHAPED if unknown else ())
    return last.error is not None and any(w in last.message for w in words)


# An assert statement, and the op that it becomes.
SAME = {"AssertionError": "InvalidArgumentError"}


def difference(
    wanted: list[Outcome], found: list[Outcome], tolerance: Tolerance = EXACT,
    unknown: bool = False,
) -> str | None:
    """What differs first, in words; None if nothing does."""
    for number, want in enumerate(wanted):
        if number >= len(found):
            return f"call {number}: missing"
        got = found[number]
        where = f"call {number}"
        if want.error or got.error:
            if SAME.get(want.error, want.error) == SAME.get(
                got.error, got.error
            ):
                return None
            if want.error is None and refused(found, unknown):
                return None
            return (f"{where}: {want.error or 'no error'} became "
                    f"{got.error or 'no error'}: "
                    f"{(got.message or want.message).strip()}")
        for name, a, b in (
            ("value", want.values, got.values),
            ("variable", want.variables, got.variables),
        ):
            if len(a) != len(b):
                return f"{where}: {len(a)} {name}s became {len(b)}"
            for i, (x, y) in enumerate(zip(a, b, strict=True)):
                said = _differ(x, y, tolerance)
                if said:
                    return f"{where}, {name} {i}: {said}"
        if want.printed != got.printed:
            return (f"{where}, printed: {want.printed!r} became "
                    f"{got.printed!r}")
    return None


def _differ(a: Value, b: Value, tolerance: Tolerance) -> str | None:
    if a.dtype != b.dtype:
        return f"{a.dtype} became {b.dtype}"
    if a.array.shape != b.array.shape:
        return f"shape {a.array.shape} became {b.array.shape}"
    x, y = a.array, b.array
    if x.dtype.kind in "OSU":
        same = bool(np.all(x == y))
    elif x.tobytes() == y.tobytes():
        same = True
    else:
        relative, absolute = tolerance.relative, tolerance.absolute
        if x.dtype.kind not in "biufc":
            x, y = x.astype(np.float32), y.astype(np.float32)
        if relative and a.dtype in ("bfloat16", "float16"):
            relative, absolute = 0.05, 0.05
        with np.errstate(all="ignore"):
            if relative:
                wide = np.complex128 if x.dtype.kind == "c" else np.float64
                same = bool(np.allclose(
                    x.astype(wide), y.astype(wide), relative, absolute,
                    equal_nan=True))
            else:
                same = bool(np.array_equal(x, y, equal_nan=True)
                            if x.dtype.kind in "fc" else np.array_equal(x, y))
    if same:
        return None
    return f"{_shown(a.array)} became {_shown(b.array)}"


def _shown(array: np.ndarray) -> str:
    text = np.array2string(array, threshold=12, separator=", ")
    return " ".join(text.split())
