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
    # A loop carries, or a branch gives, slices here and a tensor there.
    "type=IndexedSlices",
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


# So many times what a change of last digits makes of a value is what another
# order of sums may make of it.
MARGIN = 16.0


class Sensitivity:
    """What a program comes to, and to what else where only the last digits of
    what it starts with, and of gradients, differ."""

    def __init__(self, outcomes: list[Outcome],
                 shaken: list[list[Outcome]]):
        self._outcomes = outcomes
        self._shaken = shaken

    def settles(self, call: int, part: str) -> bool:
        """Is `error` or `printed` the same in all of them?"""
        if call >= len(self._outcomes):
            return False
        return all(
            call < len(other)
            and getattr(other[call], part) == getattr(
                self._outcomes[call], part)
            for other in self._shaken
        )

    def spread(self, call: int, part: str, number: int) -> np.ndarray | None:
        """By how much the elements of `values` or `variables` change; None if
        anything may become of them."""
        value = _part(self._outcomes, call, part, number)
        if value is None:
            return None
        largest = np.zeros(value.array.shape)
        for other in self._shaken:
            changed = _part(other, call, part, number)
            if (changed is None or changed.dtype != value.dtype
                    or changed.array.shape != value.array.shape):
                return None
            x, y = value.array, changed.array
            if x.tobytes() == y.tobytes():
                continue
            if x.dtype.kind in "OSU":
                return None
            x, y = _wide(x), _wide(y)
            with np.errstate(all="ignore"):
                distance = np.where(
                    (x == y) | np.isnan(x) & np.isnan(y), 0.0, np.abs(x - y))
            largest = np.fmax(
                largest, np.where(np.isnan(distance), np.inf, distance))
        return largest


def _part(outcomes: list[Outcome], call: int, part: str,
          number: int) -> Value | None:
    values = getattr(outcomes[call], part) if call < len(outcomes) else None
    return values[number] if values and number < len(values) else None


def difference(
    wanted: list[Outcome], found: list[Outcome], tolerance: Tolerance = EXACT,
    unknown: bool = False, sensitivity: Sensitivity | None = None,
) -> str | None:
    """What differs first, in words; None if nothing does. With `sensitivity`,
    what a change of last digits explains is no difference."""
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
            if sensitivity and not sensitivity.settles(number, "error"):
                return None
            return (f"{where}: {want.error or 'no error'} became "
                    f"{got.error or 'no error'}: "
                    f"{(got.message or want.message).strip()}")
        for part in ("values", "variables"):
            a, b = getattr(want, part), getattr(got, part)
            if len(a) != len(b):
                return f"{where}: {len(a)} {part} became {len(b)}"
            for i, (x, y) in enumerate(zip(a, b, strict=True)):
                said = _differ(x, y, tolerance)
                if said and sensitivity:
                    spread = sensitivity.spread(number, part, i)
                    if spread is None or _explained(x, y, spread):
                        continue
                if said:
                    return f"{where}, {part[:-1]} {i}: {said}"
        if want.printed != got.printed and (
            sensitivity is None or sensitivity.settles(number, "printed")
        ):
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


def _explained(a: Value, b: Value, spread: np.ndarray) -> bool:
    """Are elements no further apart than a change of last digits takes them?"""
    if a.dtype != b.dtype or a.array.shape != b.array.shape:
        return False
    x, y = _wide(a.array), _wide(b.array)
    with np.errstate(all="ignore"):
        near = (x == y) | np.isnan(x) & np.isnan(y) | np.isinf(spread) | (
            np.abs(x - y) <= MARGIN * spread)
    return bool(np.all(near))


def _wide(array: np.ndarray) -> np.ndarray:
    return array.astype(
        np.complex128 if array.dtype.kind == "c" else np.float64)


def _shown(array: np.ndarray) -> str:
    text = np.array2string(array, threshold=12, separator=", ")
    return " ".join(text.split())


def _near(x: np.ndarray, y: np.ndarray, tolerance: Tolerance) -> bool:
    """As far apart as the largest element allows, for sums of large numbers
    may be small."""
    x, y = _wide(x), _wide(y)
    finite = np.abs(x[np.isfinite(x)])
    largest = float(finite.max()) if finite.size else 1.0
    return bool(np.allclose(
        x, y, 0, tolerance.absolute + tolerance.relative * largest,
        equal_nan=True))
