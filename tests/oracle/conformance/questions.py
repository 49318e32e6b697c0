"""What is asked of every op: the same questions of both modules."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

import bad_inputs
import cases

from conformance import variants

# What is asked, in the words of the page.
VALUE = "value"
SHAPES = ("shape of constants", "shape of partly known", "shape of unknown")
GRADIENT = "gradient"
SECOND = "second gradient"
ERRORS = ("bad call", "bad call in a function")
ASPECTS = (VALUE, *SHAPES, GRADIENT, SECOND, *ERRORS)

INEXACT = (
    "float32", "float64", "complex64", "complex128", "float16", "bfloat16",
)  # fmt: skip
# Ops that no two modules can answer alike, and why nobody is asked.
NOT_ASKED = {
    "Timestamp": "no two calls agree",
    "AccumulateNV2": "TensorFlow runs it in graphs only",
    "StatefulRandomBinomial": "the constant that TensorFlow's variable began "
    "with shows through; test_special_and_quantize.py compares draws",
    **dict.fromkeys(
        ("Eig", "Svd"),
        "vectors are unique but for their phases; test_linalg.py compares",
    ),
}


@dataclass(frozen=True)
class Question:
    op: str
    dtype: str
    variant: str  # or what is bad about the call
    aspect: str

    def __str__(self) -> str:
        parts = (self.op, self.dtype, f"{self.variant}:", self.aspect)
        return " ".join(p for p in parts if p)


def asked_ops(pattern: str = "") -> list[str]:
    return [
        op
        for op in cases.called_ops()
        if op not in NOT_ASKED and re.search(pattern, op)
    ]


def _main_dtypes(dtypes: list[str]) -> list[str]:
    """One of each kind."""
    first = dtypes[:1]
    return first + [t for t in ("int32", "complex64") if t in dtypes and t not in first]


def _dtypes_of(variant: str, op: str, dtypes: list[str]) -> list[str]:
    if variant == variants.PLAIN:
        return dtypes
    if variant in variants.shapes_of(op) or variant in ("strided", "transposed"):
        if variant == "large":
            return _main_dtypes(dtypes)
        return dtypes if variants.is_elementwise(op) else _main_dtypes(dtypes)
    if variant == "edges":
        return [t for t in dtypes if t != "bool" and t[:7] != "complex"]
    return _main_dtypes(dtypes)


# Variants whose gradients are asked for as well, beside those of attributes.
_DIFFERENTIATED = (
    "scalar", "empty", "batch", "odd", "broadcast", "batch of the first",
)  # fmt: skip


def _good(op: str) -> Iterator[Question]:
    dtypes = cases.dtypes(op)
    inexact = [t for t in INEXACT if t in dtypes]
    # Values of a fixed type are differentiated too.
    main_inexact = inexact[:1] or dtypes[:1]
    attributes = variants.attributes_of(op)
    for variant in variants.names_of(op):
        for dtype in _dtypes_of(variant, op, dtypes):
            yield Question(op, dtype, variant, VALUE)
        is_plain = variant == variants.PLAIN
        if is_plain or variant in attributes:
            for how in SHAPES:
                yield Question(op, dtypes[0], variant, how)
        if is_plain or variant in attributes or variant in _DIFFERENTIATED:
            for dtype in (inexact or main_inexact) if is_plain else main_inexact:
                yield Question(op, dtype, variant, GRADIENT)
                yield Question(op, dtype, variant, SECOND)


@functools.lru_cache(maxsize=4)
def bad_calls(op: str) -> dict[str, cases.Case]:
    return dict(bad_inputs.bad_cases(op))


def of_op(op: str) -> list[Question]:
    if not cases.dtypes(op):
        return []
    found = list(_good(op))
    first = cases.dtypes(op)[0]
    for label in bad_calls(op):
        found += [Question(op, first, label, how) for how in ERRORS]
    return found
