"""Values that the large calls of ops are written with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class F:
    """Values inside the record's domain, in the input's dtype."""

    shape: tuple[int, ...]

    def __init__(self, *shape: int):
        object.__setattr__(self, "shape", shape)


class V(F):
    """A variable that holds such values."""


@dataclass(frozen=True)
class I:  # noqa: E742
    """Whole numbers from 0 to high - 1."""

    high: int
    shape: tuple[int, ...]

    def __init__(self, high: int, *shape: int):
        object.__setattr__(self, "high", high)
        object.__setattr__(self, "shape", shape)


@dataclass(frozen=True)
class Rising:
    """Such numbers in order."""

    high: int
    n: int


@dataclass(frozen=True)
class Made:
    """The array that a function makes."""

    make: Callable[[np.random.Generator], Any]


@dataclass(frozen=True)
class File:
    """The bytes of a 1080p picture in a file: png, jpeg, gif, bmp or webp."""

    kind: str


def picture(rng: np.random.Generator) -> np.ndarray:
    """1080p with soft edges and a little noise, as photographs have."""
    y, x = np.mgrid[0:1080, 0:1920] / 100.0
    waves = [np.sin(x * k) * np.cos(y * (4 - k)) for k in (1, 2, 3)]
    noise = rng.normal(0, 4, (1080, 1920, 3))
    return np.clip(127 + 90 * np.stack(waves, -1) + noise, 0, 255).astype(np.uint8)
