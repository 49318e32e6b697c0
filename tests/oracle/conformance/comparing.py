"""Whether two answers agree."""

from __future__ import annotations

import re
from typing import Any

import cases
import numpy as np

from conformance import questions, variants
from conformance.answers import Answer
from conformance.questions import Question

# Said of an agreement.
KNOWS_MORE = "know more of a static shape than TensorFlow"
AGREE, DIFFER, UNASKED = "agree", "differ", "nothing to compare with"

# What TensorFlow cannot be asked: what its answer says, of which questions, and
# what that means.
DERIVATIVES = (questions.GRADIENT, questions.SECOND)
IN_FUNCTIONS = (questions.ERRORS[1], questions.SHAPES[2])
EVERYWHERE = questions.ASPECTS
# Classes of errors by which TensorFlow says that it has no answer.
NO_ANSWER = {
    "UnimplementedError": "TensorFlow has not implemented it",
    "InternalError": "TensorFlow fails by an internal error",
}
CANNOT_BE_ASKED: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "No OpKernel was registered|Could not find device for node|"
        "No registered '.*' OpKernel|Unsupported data type",
        EVERYWHERE,
        "TensorFlow has no kernel",
    ),
    (
        "could not create a|Input dims must be <= 5",
        EVERYWHERE,
        "oneDNN refuses, with a code of its own",
    ),
    (
        "gradient registry has no entry for|No gradient defined|"
        "Gradient for .* is not implemented",
        DERIVATIVES,
        "TensorFlow has no gradient",
    ),
    (
        r"takes \d+ positional arguments? but|Invalid dtype <dtype|tuple index out|"
        "cannot compute .*Grad as input|attr 'num_split' of 0|data.shape = .* does not",
        DERIVATIVES,
        "TensorFlow's gradient function fails",
    ),
    (
        "block_shape must have rank 1",
        IN_FUNCTIONS,
        "TensorFlow's shape function takes no unknown ranks",
    ),
)
# How many units in the last place two results of one dtype may be apart. An op
# whose record states a tolerance has that; sums and products of many numbers are
# measured by the largest one.
ULPS = {
    "float16": 2, "bfloat16": 2, "float32": 16, "float64": 64,
    "complex64": 32, "complex128": 128,
}  # fmt: skip
MANY_ULPS = {
    "float16": 16, "bfloat16": 8, "float32": 160, "float64": 50_000,
    "complex64": 160, "complex128": 50_000,
}  # fmt: skip
EPSILON = {
    "float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23,
    "float64": 2.0**-52, "complex64": 2.0**-23, "complex128": 2.0**-52,
}  # fmt: skip
# Ops whose float64 numbers TensorFlow's kernels compute as float32.
AS_FLOAT = "(ResizeBilinear|CropAndResize|CTCLoss$|ImageProjectiveTransform)"
# How far the two modules are from each other, where that is more than the
# units above: its series end early, or it computes in the type of the numbers.
INEXACT = {
    ("Fresnel", "float32"): 1e-4,
    ("Fresnel", "float64"): 2e-12,
    ("Igammac?$", "float32"): 2e-5,
    ("Igammac?$", "float64"): 5e-11,
    ("IgammaGradA", "float32"): 1e-4,
    ("IgammaGradA", "float64"): 2e-5,  # of a parameter of 10,000; else 5e-14
    ("RandomGammaGrad", "float32"): 1e-4,
    ("RandomGammaGrad", "float64"): 2e-5,
}
# Derivatives are made of several ops' results.
MORE = {questions.GRADIENT: 8, questions.SECOND: 64}


def relative_bound(question: Question, dtype: str) -> float:
    if dtype == "float64" and re.match(AS_FLOAT, question.op):
        dtype = "float32"
    # Derivatives come through what the op computes in.
    if question.aspect in DERIVATIVES:
        dtype = max(dtype, question.dtype, key=lambda t: EPSILON.get(t, 0))
    tolerance = cases.record(question.op)["test"]["tolerance"]
    exact = variants.is_elementwise(question.op)
    ulps = (ULPS if exact else MANY_ULPS)[dtype] * MORE.get(question.aspect, 1)
    if question.variant == "large" and not exact:
        ulps *= 16
    bound = ulps * EPSILON[dtype]
    for (ops, of_type), off in INEXACT.items():
        if of_type == dtype and re.match(ops, question.op):
            bound = max(bound, off)
    return max(bound, tolerance) if dtype in ("float32", "complex64") else bound


def _plain(value: np.ndarray) -> np.ndarray:
    return value if value.dtype.kind in "biufcOSU" else value.astype(np.float32)


def _apart(mine: np.ndarray, theirs: np.ndarray, bound: float, exact: bool) -> str:
    """How far two arrays are apart; "" if within the bound."""
    with np.errstate(all="ignore"):
        same = (mine == theirs) | ((mine != mine) & (theirs != theirs))
        if same.all():
            return ""
        sizes = np.abs(theirs)
        finite = sizes[np.isfinite(sizes)]
        floor = min(1.0, float(finite.max())) if finite.size else 1.0
        if not exact:
            floor = float(finite.max()) if finite.size else 1.0
        distance = np.abs(mine - theirs) / np.maximum(sizes, max(floor, 1e-30))
        far = ~same & ~(distance <= bound)
        if not far.any():
            return ""
        worst = int(np.argmax(np.where(far, np.nan_to_num(distance, nan=np.inf), -1)))
    return (
        f"{mine.reshape(-1)[worst]!r} against {theirs.reshape(-1)[worst]!r}, "
        f"{int(far.sum())} of {far.size}"
    )


def _values(question: Question, mine: Any, theirs: Any) -> str:
    if mine is None or theirs is None:
        if mine is theirs:
            return ""
        return f"{mine if mine is None else 'values'} against " + (
            "None" if theirs is None else "values"
        )
    if mine.dtype != theirs.dtype:
        return f"dtype {mine.dtype} against {theirs.dtype}"
    if mine.shape != theirs.shape:
        return f"shape {mine.shape} against {theirs.shape}"
    random = "random" in cases.record(question.op)["traits"]
    if random and "Stateless" not in question.op:
        return ""
    name = mine.dtype.name
    exact = variants.is_elementwise(question.op) and question.aspect == "value"
    bound = relative_bound(question, name) if name in EPSILON else 0.0
    if mine.dtype == object:
        return "" if np.array_equal(mine, theirs) else "other strings"
    return _apart(_plain(mine), _plain(theirs), bound, exact)


def _refines(mine: Answer, theirs: Answer) -> bool:
    """Does each of our shapes say what theirs says, and more? That it is right,
    tests/python/ops/test_ops.py tells."""

    def refines(a: Any, b: Any) -> bool:
        if a is None or b is None:
            return b is None
        return len(a) == len(b) and all(y in (None, x) for x, y in zip(a, b))

    return len(mine.shapes) == len(theirs.shapes) and all(
        s == t and refines(a, b)
        for (s, a), (t, b) in zip(mine.shapes, theirs.shapes, strict=True)
    )


def cannot_be_asked(question: Question, says: str) -> str:
    """Why what TensorFlow says is no answer; "" if it is one."""
    for pattern, aspects, means in CANNOT_BE_ASKED:
        if question.aspect in aspects and re.search(pattern, says):
            return means
    return ""


def compare(question: Question, mine: Answer, theirs: Answer) -> tuple[str, str]:
    """AGREE, DIFFER or UNASKED, and what is otherwise."""
    if why := cannot_be_asked(question, theirs.text):
        return UNASKED, why
    if mine.error != theirs.error and theirs.error in NO_ANSWER:
        return UNASKED, NO_ANSWER[theirs.error]
    if question.aspect in DERIVATIVES and not theirs.error and not mine.error:
        if all(v is None for v in theirs.values):
            if all(v is None for v in mine.values):
                return AGREE, ""
            return UNASKED, "TensorFlow has no gradient"
    if mine.error != theirs.error:
        return DIFFER, (
            f"{mine.error or 'succeeds'} {mine.text[:160]!r} against "
            f"{theirs.error or 'success'} {theirs.text[:160]!r}"
        )
    if mine.error:
        return AGREE, ""
    if question.aspect in questions.SHAPES:
        if mine.shapes == theirs.shapes:
            return AGREE, ""
        if _refines(mine, theirs):
            return AGREE, KNOWS_MORE
        return DIFFER, f"{mine.shapes} against {theirs.shapes}"
    if len(mine.values) != len(theirs.values):
        return DIFFER, f"{len(mine.values)} outputs against {len(theirs.values)}"
    for i, (a, b) in enumerate(zip(mine.values, theirs.values, strict=True)):
        if apart := _values(question, a, b):
            return DIFFER, f"output {i}: {apart}"
    return AGREE, ""
