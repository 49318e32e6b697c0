"""Gradients of every op against central differences, of both orders."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest

import graphkiln as tf

import cases
import known_gaps
from gradient_orders import FIRST_ORDER_ONLY

STEP = 1e-6


# As in TensorFlow, no gradient flows to these inputs, though one exists.
HELD = {
    "PadV2": ("constant_values",),
    "MatrixDiagV2": ("padding_value",),
    "MatrixDiagV3": ("padding_value",),
    "Zeta": ("x",),
    "Polygamma": ("a",),
    "Betainc": ("a", "b"),
    "MatrixSolveLs": ("l2_regularizer",),
    # Maxima that are compared with what they are the maxima of.
    "MaxPoolGradGrad": ("orig_input", "orig_output"),
    "MaxPoolGradGradV2": ("orig_input", "orig_output"),
}
# Outputs that are gradients themselves and count only for further orders.
ONLY_OUTPUT = {"SoftmaxCrossEntropyWithLogits": 0}
NEVER = {
    "PreventGradient": "it refuses, which is what it is for",
    "MaxPool3DGradGrad": "its gradient op takes no float64",
}


def differentiable(op: str) -> bool:
    record = cases.record(op)
    return (
        record["has_gradient"]
        and "no_gradient" not in record["traits"]
        and "random" not in record["traits"]
        and not record["test"]["skip_gradient"]
        and "float64" in cases.dtypes(op)
        and op not in NEVER
    )


OPS = [op for op in cases.called_ops() if differentiable(op)]


class Scalar:
    """sum(weights * op(inputs)) as a function of its float64 inputs."""

    def __init__(self, case: cases.Case):
        self.case = case
        self.rng = np.random.default_rng(zlib.crc32(case.op.encode()))
        self.weights: dict[int, np.ndarray] = {}
        self.points: list[np.ndarray] = []
        held = HELD.get(case.op, ())
        self.moves: list[bool] = []
        for name, value in case.inputs.items():
            for v in value if isinstance(value, list) else [value]:
                if v.dtype == np.float64:
                    self.points.append(v)
                    self.moves.append(name not in held)
        self.directions = self.random_directions()

    def random_directions(self) -> list[np.ndarray]:
        return [
            self.rng.normal(size=p.shape) * moves
            for p, moves in zip(self.points, self.moves, strict=True)
        ]

    def arguments(self, tensors: list[Any]) -> dict[str, Any]:
        queue = list(tensors)

        def place(value: Any) -> Any:
            if isinstance(value, list):
                return [place(v) for v in value]
            return queue.pop(0) if value.dtype == np.float64 else tf.constant(value)

        return {name: place(v) for name, v in self.case.inputs.items()}

    def __call__(self, tensors: list[Any]) -> Any:
        out = cases.flatten(self.case.call(tf, self.arguments(tensors)))
        total = tf.constant(0.0, tf.float64)
        for i, t in enumerate(out):
            if t.dtype.is_complex:
                t = tf.math.real(t) + 2 * tf.math.imag(t)
            if t.dtype != tf.float64 or i != ONLY_OUTPUT.get(self.case.op, i):
                continue
            if i not in self.weights:
                self.weights[i] = self.rng.normal(size=t.shape.as_list())
            total += tf.reduce_sum(t * self.weights[i])
        return total

    def directional_gradient(self, tensors: list[Any]) -> Any:
        """The gradient at `tensors` along the fixed direction, as a tensor."""
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            y = self(tensors)
        gradients = tape.gradient(y, tensors)
        total = tf.constant(0.0, tf.float64)
        for g, d in zip(gradients, self.directions, strict=True):
            if g is not None:
                total += tf.reduce_sum(tf.convert_to_tensor(g) * d)
        return total

    def moved(self, directions: list[np.ndarray], step: float) -> list[Any]:
        return [
            tf.constant(p + step * d)
            for p, d in zip(self.points, directions, strict=True)
        ]


def slope(function: Any, scalar: Scalar, directions: list[np.ndarray]) -> float:
    up = float(function(scalar.moved(directions, STEP)))
    down = float(function(scalar.moved(directions, -STEP)))
    return (up - down) / (2 * STEP)


def test_there_are_many():
    assert len(OPS) > 100


@pytest.mark.parametrize("op", OPS)
def test_first_order(op: str):
    scalar = Scalar(cases.make(op, "float64"))
    if cases.make(op, "float64").has_variables or not scalar.points:
        pytest.skip("gradients of variables have tests of their own")
    with known_gaps.gaps(known_gaps.GRADIENT, op):
        expected = slope(scalar, scalar, scalar.directions)
        tensors = scalar.moved(scalar.directions, 0.0)
        got = float(scalar.directional_gradient(tensors))
        assert got == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("op", OPS)
def test_first_order_in_a_graph(op: str):
    scalar = Scalar(cases.make(op, "float64"))
    tensors = scalar.moved(scalar.directions, 0.0)
    with known_gaps.gaps(known_gaps.GRADIENT_IN_GRAPH, op):
        expected = float(scalar.directional_gradient(tensors))
        unknown = [tf.TensorSpec(None, tf.float64) for _ in tensors]
        function = tf.function(
            scalar.directional_gradient, [unknown], autograph=False
        )
        got = float(function(tensors))
        assert got == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("op", [op for op in OPS if op not in FIRST_ORDER_ONLY])
def test_second_order(op: str):
    scalar = Scalar(cases.make(op, "float64"))
    with known_gaps.gaps(known_gaps.SECOND_ORDER, op):
        second = scalar.random_directions()
        expected = slope(scalar.directional_gradient, scalar, second)
        tensors = scalar.moved(second, 0.0)
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            y = scalar.directional_gradient(tensors)
        gradients = tape.gradient(y, tensors)
        got = sum(
            float(np.sum(tf.convert_to_tensor(g).numpy() * d))
            for g, d in zip(gradients, second, strict=True)
            if g is not None
        )
        assert got == pytest.approx(expected, rel=1e-5, abs=1e-5)


# The gradient of these gives what no gradient leads back to.
NO_FORWARD_MODE: dict[str, str] = {
    "Dilation2D": "the ops of its gradient have none",
}


@pytest.mark.parametrize("op", [op for op in OPS if op not in NO_FORWARD_MODE])
def test_forward_mode(op: str):
    """The product with tangents is the gradient in their direction."""
    scalar = Scalar(cases.make(op, "float64"))
    with known_gaps.gaps(known_gaps.GRADIENT, op):
        tensors = scalar.moved(scalar.directions, 0.0)
        expected = float(scalar.directional_gradient(tensors))
        tangents = [tf.constant(d) for d in scalar.directions]
        with tf.autodiff.ForwardAccumulator(tensors, tangents) as acc:
            y = scalar(tensors)
        got = acc.jvp(y, unconnected_gradients="zero")
        assert float(got) == pytest.approx(expected, rel=1e-9, abs=1e-9)
