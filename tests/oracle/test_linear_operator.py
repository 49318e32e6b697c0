"""tf.linalg.LinearOperator and its kinds on both: values, static shapes, hints,
kinds of results, gradients, errors."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from linear_operators import (
    DIFFERENTIABLE,
    MEMBERS,
    OPERATORS,
    OTHERS,
    Parameters,
    arguments_of,
    names_of,
    told,
    told_error,
)

_TOLERANCE = {
    "float16": 2e-2, "float32": 3e-4, "float64": 1e-9, "complex64": 3e-4,
    "complex128": 1e-9,
}
# Members that are traced for each kind: one of so many, others for the next kind.
# LINEAR_OPERATORS=all traces them all, which takes half an hour.
_ONE_OF = 1 if os.environ.get("LINEAR_OPERATORS") == "all" else 6
_DTYPES = ("float32", "float64", "complex64", "complex128")

# Where what they say differs, and why.
_ENDLESS = "TensorFlow's calls itself without end"
_BATCH = "TensorFlow's multiplies columns by what belongs to a batch"
_DIFFERENT: dict[tuple[str, str], str] = {
    ("low_rank", "op.assert_self_adjoint()"): _ENDLESS,
    ("low_rank_spd", "op.assert_self_adjoint()"): _ENDLESS,
    ("kronecker_wide", "op.cond()"): "singular: all of it is rounding",
    ("diag_batch", "tril @ op"): _BATCH,
    ("scaled_batch", "op @ diag"): _BATCH,
    ("scaled_batch", "diag @ op"): _BATCH,
    ("scaled_batch", "op.solve(diag)"): _BATCH,
    ("scaled_batch", "diag.solve(op)"): _BATCH,
    ("composition_llt", "op.assert_self_adjoint()"): "the two triangles of a product of "
    "complex matrices are rounded apart here",
}


def _same(ours: Any, theirs: Any, tolerance: float) -> bool:
    if isinstance(theirs, str) and "Value for attr 'T' of complex" in theirs:
        return True  # what TensorFlow cannot do of complex numbers
    if isinstance(theirs, str) or isinstance(ours, str):
        return type(ours) is type(theirs) and ours == theirs
    if isinstance(theirs, list):
        return (
            isinstance(ours, list)
            and len(ours) == len(theirs)
            and all(_same(a, b, tolerance) for a, b in zip(ours, theirs))
        )
    a, b = np.asarray(ours), np.asarray(theirs)
    return (
        a.dtype == b.dtype
        and a.shape == b.shape
        and np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)
    )


def _arrays(value: Any) -> Any:
    if isinstance(value, list):
        return [_arrays(v) for v in value]
    return value if isinstance(value, str) else np.asarray(value)


def _static(value: Any) -> Any:
    if isinstance(value, list):
        return [_static(v) for v in value]
    return value if isinstance(value, str) else f"{value.dtype.name}{value.shape}"


def _eager(tf: Any, kind: str, dtype: str) -> dict[str, Any]:
    names = names_of(tf, Parameters(tf, dtype))
    op = eval(OPERATORS[kind], names)
    names["op"] = op
    rows, columns = op.shape[-2], op.shape[-1]
    names.update(arguments_of(tf, rows, columns, dtype))
    outcomes = {}
    for member in MEMBERS.strip().splitlines():
        try:
            outcomes[member] = _arrays(told(tf, eval(member, names)))
        except Exception as error:  # noqa: BLE001
            outcomes[member] = told_error(error)
    return outcomes


def _traced(
    tf: Any, kind: str, dtype: str, known_rank: bool, members: list[str]
) -> dict[str, Any]:
    """Static facts in a function that knows of no shape, or of ranks alone."""
    first = Parameters(tf, dtype)
    op = eval(OPERATORS[kind], names_of(tf, first))
    rows, columns = op.shape[-2], op.shape[-1]
    outcomes = {}
    signature = [
        tf.TensorSpec([None] * a.ndim if known_rank else None, a.dtype)
        for a in first.arrays
    ]
    for member in members:
        static = {}

        def f(*given):
            given = list(given)
            with_op = names_of(tf, Parameters(tf, dtype, given))
            with_op.update(arguments_of(tf, rows, columns, dtype))
            with_op["op"] = eval(OPERATORS[kind], with_op)
            value = told(tf, eval(member, with_op))
            static["is"] = _static(value)
            return [v for v in tf.nest.flatten(value) if not isinstance(v, str)]

        try:
            function = tf.function(
                f, input_signature=signature, autograph=False
            )
            values = function(*first.arrays)
            outcomes[member] = [static["is"], [np.asarray(v) for v in values]]
        except Exception as error:  # noqa: BLE001
            # What happens while it runs is told in words of their own.
            outcomes[member] = type(error).__name__
    return outcomes


def _differences(ours, theirs, kind, tolerance):
    return [
        f"{member}\n   ours:   {ours[member]}\n   theirs: {theirs[member]}"
        for member in theirs
        if not _same(ours[member], theirs[member], tolerance)
        and (kind, member) not in _DIFFERENT
        and ("*", member) not in _DIFFERENT
    ]


@pytest.mark.parametrize("dtype", _DTYPES)
@pytest.mark.parametrize("kind", OPERATORS)
def test_members(both, kind, dtype):
    ours = _eager(both.ours, kind, dtype)
    theirs = _eager(both.theirs, kind, dtype)
    wrong = _differences(ours, theirs, kind, _TOLERANCE[dtype])
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("known_rank", [False, True])
@pytest.mark.parametrize("kind", OPERATORS)
def test_members_in_functions(both, kind, known_rank):
    first = (2 * list(OPERATORS).index(kind) + known_rank) % _ONE_OF
    members = MEMBERS.strip().splitlines()[first::_ONE_OF]
    ours = _traced(both.ours, kind, "float64", known_rank, members)
    theirs = _traced(both.theirs, kind, "float64", known_rank, members)
    if kind == "tridiag":
        # TensorFlow's shape function refuses matrices of unknown size.
        theirs = {k: v for k, v in theirs.items() if v != "ValueError"}
    wrong = _differences(ours, theirs, kind, 1e-9)
    assert not wrong, "\n".join(wrong)


def _gradients(tf: Any, kind: str, dtype: str) -> dict[str, Any]:
    outcomes = {}
    for member in DIFFERENTIABLE.strip().splitlines():
        try:
            with tf.GradientTape(persistent=True) as tape:
                parameters = Parameters(tf, dtype)
                arrays = Parameters(tf, dtype)
                eval(OPERATORS[kind], names_of(tf, arrays))
                given = [tf.constant(a) for a in arrays.arrays]
                for x in given:
                    tape.watch(x)
                parameters = Parameters(tf, dtype, given)
                names = names_of(tf, parameters)
                op = names["op"] = eval(OPERATORS[kind], names)
                names.update(
                    arguments_of(tf, op.shape[-2], op.shape[-1], dtype)
                )
                y = tf.reduce_sum(tf.abs(eval(member, names)) ** 2)
            gradients = tape.gradient(y, given)
            outcomes[member] = [
                "none" if g is None else np.asarray(g) for g in gradients
            ]
        except Exception as error:  # noqa: BLE001
            outcomes[member] = told_error(error)
    return outcomes


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("kind", OPERATORS)
def test_gradients(both, kind, dtype):
    ours = _gradients(both.ours, kind, dtype)
    theirs = _gradients(both.theirs, kind, dtype)
    if dtype == "complex128" and kind.startswith("tridiag"):
        # TensorFlow's do not agree with those of solving the whole matrices.
        theirs = {
            k: v for k, v in theirs.items() if "solve" not in k and "inverse" not in k
        }
    wrong = _differences(ours, theirs, kind, 1e-7)
    assert not wrong, "\n".join(wrong)


def _outcome(tf: Any, expression: str) -> Any:
    try:
        names = names_of(tf, Parameters(tf, "float32"))
        return _arrays(told(tf, eval(expression, names)))
    except Exception as error:  # noqa: BLE001
        return told_error(error)


@pytest.mark.parametrize("expression", OTHERS.strip().splitlines())
def test_others(both, expression):
    ours = _outcome(both.ours, expression)
    theirs = _outcome(both.theirs, expression)
    assert _same(ours, theirs, 1e-5), (
        f"\n   ours:   {ours}\n   theirs: {theirs}"
    )
