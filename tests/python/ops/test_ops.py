"""Every op of the registry: values, dtypes, graphs, shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphkiln as tf

import cases
import known_gaps
from case_table import VALUE_SHAPED

OPS = cases.called_ops()
CLEAR_ERRORS = (tf.errors.OpError, TypeError, ValueError, NotImplementedError)


def is_random(op: str) -> bool:
    return "random" in cases.record(op)["traits"]


def test_table_names_only_ops():
    known = set(OPS) | set(cases.NOT_CALLED)
    # Ops may be listed before they are there, never twice.
    assert not set(cases.TABLE) & set(cases.NOT_CALLED)
    for name, table in vars(known_gaps).items():
        if name.isupper() and isinstance(table, dict):
            assert set(table) <= known, name


@pytest.mark.parametrize("op", OPS)
def test_value(op: str):
    case = cases.make(op)
    out = case.run(tf)
    expected = cases.reference(case)
    outputs = cases.record(op)["outputs"]
    assert len(out) >= len(outputs) or any(
        a["number_attr"] or a["type_list_attr"] for a in outputs
    )
    if expected is None:
        return
    with known_gaps.gaps(known_gaps.REFERENCE, op):
        rtol = cases.record(op)["test"]["tolerance"] or cases.tolerance(
            str(out[0].dtype)
        )
        cases.assert_close(out[0], expected, rtol)


@pytest.mark.parametrize("op", OPS)
def test_every_dtype_runs_or_says_why_not(op: str):
    ran = []
    for dtype in cases.dtypes(op):
        case = cases.make(op, dtype)
        try:
            out = case.run(tf)
        except CLEAR_ERRORS as error:
            assert str(error), dtype
            continue
        ran.append(dtype)
        expected = None if is_random(op) else cases.reference(case)
        if expected is None or dtype != "float64":
            continue
        with known_gaps.gaps(known_gaps.REFERENCE, op):
            cases.assert_close(out[0], expected, 1e-6)
    assert ran


def traced(case: cases.Case, specs: dict[str, Any]) -> Any:
    """The case's call as a function of its inputs with these specs."""

    def call(arguments: dict[str, Any]) -> Any:
        return cases.flatten(case.call(tf, arguments))

    return tf.function(call, autograph=False).get_concrete_function(specs)


def specs(case: cases.Case, how: str) -> dict[str, Any]:
    def spec(value: Any) -> Any:
        if isinstance(value, list):
            return [spec(v) for v in value]
        shape: Any = value.shape
        if how == "partial":
            shape = [None] * len(shape)
        elif how == "unknown":
            shape = None
        dtype = tf.string if value.dtype == object else value.dtype
        return tf.TensorSpec(shape, dtype)

    return {name: spec(v) for name, v in case.inputs.items()}


@pytest.mark.parametrize("op", OPS)
def test_graph_agrees_with_eager(op: str):
    case = cases.make(op)
    eager = case.run(tf)
    variables: list[Any] = []
    arguments = case.arguments(tf, variables)
    with known_gaps.gaps(known_gaps.GRAPH, op):

        def call() -> Any:
            return cases.flatten(case.call(tf, arguments))

        out = tf.function(call, autograph=False)()
        mine = [np.asarray(t) for t in out] + [v.numpy() for v in variables]
        assert len(mine) == len(eager)
        for a, b in zip(mine, eager, strict=True):
            assert a.dtype == b.dtype
            if is_random(op) or op == "Timestamp":
                assert a.shape == b.shape
            else:
                cases.assert_close(a, b, cases.tolerance(str(b.dtype)))


@pytest.mark.parametrize("how", ["known", "partial", "unknown"])
@pytest.mark.parametrize("op", OPS)
def test_shape_function(op: str, how: str):
    case = cases.make(op)
    if case.has_variables or not case.inputs:
        pytest.skip("no tensor inputs of their own shape")
    eager = case.run(tf)
    with known_gaps.gaps(known_gaps.SHAPES, op):
        function = traced(case, specs(case, how))
        out = cases.flatten(function.structured_outputs)
        shapes = [t.shape for t in out]
        assert len(shapes) == len(eager)
        for shape, value in zip(shapes, eager, strict=True):
            assert shape.is_compatible_with(value.shape), (shape, value.shape)
        got = function(case.arguments(tf))
        for a, b in zip(cases.flatten(got), eager, strict=True):
            if is_random(op) or op == "Timestamp":
                continue
            cases.assert_close(
                np.asarray(a), b, cases.tolerance(str(b.dtype))
            )


@pytest.mark.parametrize("op", OPS)
def test_shapes_of_constants_are_exact(op: str):
    case = cases.make(op)
    if case.has_variables or not case.inputs:
        pytest.skip("no tensor inputs of their own shape")
    if op in VALUE_SHAPED:
        pytest.skip("the shape depends on values")
    eager = case.run(tf)
    with known_gaps.gaps(known_gaps.SHAPES, op):

        def call() -> Any:
            return cases.flatten(case.call(tf, case.arguments(tf)))

        function = tf.function(call, autograph=False).get_concrete_function()
        out = cases.flatten(function.structured_outputs)
        assert [t.shape.as_list() for t in out] == [
            list(value.shape) for value in eager
        ]


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (2, 0, 3)], ids=str)
@pytest.mark.parametrize(
    "op",
    [o for o in OPS if "elementwise" in cases.record(o)["traits"]],
)
def test_elementwise_of_scalars_and_of_nothing(op: str, shape: tuple[int, ...]):
    case = cases.make(op)
    for name, value in case.inputs.items():
        if isinstance(value, list):
            case.inputs[name] = [np.resize(v, shape) for v in value]
        else:
            case.inputs[name] = np.resize(value, shape)
    if "shape" in case.attrs:
        case.attrs["shape"] = list(shape)
    for out in case.run(tf):
        assert out.shape == shape
