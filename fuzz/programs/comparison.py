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
# Gradients are summed in any order, and second gradients amplify what that
# makes of the last digits.
NEAR = Tolerance(1e-2, 1e-3)
DOUBLE = Tolerance(1e-6, 1e-7)


# What tracing says of programs that only plain Python can run: names that
# not all ways define, and, where shapes are unknown, loops that change them.
UNSTAGED = (
    "must be defined before the loop", "must also be initialized",
    "must iterate at least once", "cannot access local variable",
    "used before assignment", "must be defined", "may be undefined",
    # A check of constants in a branch that is not taken.
    "did not hold element-wise",
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
        if x.dtype.kind not in "biufc":
            x, y = x.astype(np.float32), y.astype(np.float32)
        if tolerance == EXACT or x.dtype.kind in "biu":
            same = bool(np.array_equal(x, y, equal_nan=x.dtype.kind in "fc"))
        else:
            same = _near(x, y, tolerance)
    if same:
        return None
    return f"{_shown(a.array)} became {_shown(b.array)}"


def _shown(array: np.ndarray) -> str:
    text = np.array2string(array, threshold=12, separator=", ")
    return " ".join(text.split())


def _near(x: np.ndarray, y: np.ndarray, tolerance: Tolerance) -> bool:
    """As far apart as the largest element allows, for sums of large numbers
    may be small."""
    wide = np.complex128 if x.dtype.kind == "c" else np.float64
    x, y = x.astype(wide), y.astype(wide)
    finite = np.abs(x[np.isfinite(x)])
    largest = float(finite.max()) if finite.size else 1.0
    return bool(np.allclose(
        x, y, 0, tolerance.absolute + tolerance.relative * largest,
        equal_nan=True))
