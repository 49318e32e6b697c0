"""What a value of a program is: an element type and a shape."""

from __future__ import annotations

import dataclasses
import random

WIDE_FLOATS = ("float32", "float64")
NARROW_FLOATS = ("bfloat16", "half")
FLOATS = (*WIDE_FLOATS, *NARROW_FLOATS)
INTEGERS = ("int32", "int64")


@dataclasses.dataclass(frozen=True)
class Kind:
    dtype: str
    shape: tuple[int, ...] = ()

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def is_float(self) -> bool:
        return self.dtype in FLOATS

    @property
    def is_wide(self) -> bool:
        return self.dtype in WIDE_FLOATS

    @property
    def is_integer(self) -> bool:
        return self.dtype in INTEGERS

    @property
    def size(self) -> int:
        count = 1
        for dim in self.shape:
            count *= dim
        return count

    def with_shape(self, *shape: int) -> Kind:
        return Kind(self.dtype, shape)

    def with_dtype(self, dtype: str) -> Kind:
        return Kind(dtype, self.shape)

    @property
    def spec(self) -> str:
        return f"tf.TensorSpec({list(self.shape)}, tf.{self.dtype})"


BOOL = Kind("bool")
INT = Kind("int32")


def _number(r: random.Random, dtype: str) -> str:
    if dtype in FLOATS:
        return f"{r.uniform(-2, 2):.2f}"
    if dtype in INTEGERS:
        return str(r.randrange(-5, 9))
    if dtype == "bool":
        return r.choice(("True", "False"))
    if dtype == "complex64":
        return f"({r.uniform(-1, 1):.2f}{r.uniform(-1, 1):+.2f}j)"
    return repr(r.choice(("", "a", "kiln", "xyz")))


def _nested(r: random.Random, dtype: str, shape: tuple[int, ...]) -> str:
    if not shape:
        return _number(r, dtype)
    return "[" + ", ".join(
        _nested(r, dtype, shape[1:]) for _ in range(shape[0])
    ) + "]"


def constant(r: random.Random, kind: Kind) -> str:
    """A tensor of that kind, as a literal; large ones are computed."""
    if kind.size > 12:
        if kind.dtype == "bool":
            return (
                f"tf.reshape(tf.range({kind.size}) % {r.randrange(2, 5)} < "
                f"{r.randrange(1, 3)}, {list(kind.shape)})"
            )
        text = f"tf.cast(tf.range({kind.size}) * {r.randrange(1, 30)} % " \
            f"{r.randrange(3, 20)}, tf.{kind.dtype})"
        if kind.dtype not in INTEGERS:
            text = f"({text} * {r.uniform(0.02, 0.2):.2f} - 0.7)"
        if kind.rank != 1:
            text = f"tf.reshape({text}, {list(kind.shape)})"
        return text
    return f"tf.constant({_nested(r, kind.dtype, kind.shape)}, tf.{kind.dtype})"


def literal(r: random.Random, kind: Kind) -> str:
    """A Python number that may stand beside a tensor of that dtype."""
    return _number(r, kind.dtype)
