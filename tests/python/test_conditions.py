"""Conditions of branches and loops that are no bool scalar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphkiln as tf

InvalidArgument = tf.errors.InvalidArgumentError
SHAPES = ([None], None, [2])


def traced(f: Callable[..., Any], shape: object, dtype: tf.DType = tf.bool) -> Any:
    spec = tf.TensorSpec(shape, dtype)
    return tf.function(f, input_signature=[spec], autograph=False)


def loop(v: tf.Tensor, **options: Any) -> tf.Tensor:
    return tf.while_loop(
        lambda i: tf.logical_and(v, i < 5), lambda i: i + 1, [0], **options
    )[0]


def branch(v: tf.Tensor) -> tf.Tensor:
    return tf.cond(v, lambda: 1, lambda: 2)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("value", [[True, True], [False, False]])
def test_a_vector_is_no_condition(shape: object, value: list[bool]) -> None:
    v = tf.constant(value)
    for f in (loop, branch, lambda v: loop(v, maximum_iterations=3)):
        with pytest.raises(InvalidArgument, match="must be a scalar"):
            traced(f, shape)(v)


def test_a_vector_without_elements_is_no_condition() -> None:
    for f in (loop, branch):
        with pytest.raises(InvalidArgument, match="must be a scalar"):
            traced(f, None)(tf.zeros([0], tf.bool))


def test_a_loop_over_a_stacked_condition_ends() -> None:
    @tf.function(autograph=False)
    def f(n: tf.Tensor) -> tf.Tensor:
        return tf.while_loop(
            lambda i: tf.stack([i < n, i < n]), lambda i: i + 1, [0]
        )[0]

    with pytest.raises(InvalidArgument, match="must be a scalar"):
        f(tf.constant(3))


@pytest.mark.parametrize("shape", ([None], None, [1]))
def test_one_element_is_enough(shape: object) -> None:
    yes, no = tf.constant([True]), tf.constant([False])
    assert int(traced(loop, shape)(yes)) == 5
    assert int(traced(loop, shape)(no)) == 0
    assert int(traced(branch, shape)(yes)) == 1
    assert int(traced(branch, shape)(no)) == 2


def test_eager_conditions() -> None:
    for value in (tf.constant([True, True]), [True, False], np.array([True, False])):
        with pytest.raises(ValueError, match="ambiguous"):
            branch(value)


def test_known_conditions_are_not_folded_away() -> None:
    f = tf.function(lambda: branch(tf.constant([False, False])), autograph=False)
    with pytest.raises(InvalidArgument, match="must be a scalar"):
        f()
    g = tf.function(lambda: loop(tf.constant([False, False])), autograph=False)
    with pytest.raises(InvalidArgument, match="must be a scalar"):
        g()


def converted_if(v: tf.Tensor) -> tf.Tensor:
    if v:
        return tf.constant(1)
    return tf.constant(2)


def converted_while(v: tf.Tensor) -> tf.Tensor:
    i = tf.constant(0)
    while tf.logical_and(v, i < 5):
        i += 1
    return i


@pytest.mark.parametrize("f", [converted_if, converted_while])
def test_converted_statements(f: Callable[[tf.Tensor], tf.Tensor]) -> None:
    def run(shape: object, value: list[bool]) -> int:
        spec = tf.TensorSpec(shape, tf.bool)
        return int(tf.function(f, input_signature=[spec])(tf.constant(value)))

    with pytest.raises(ValueError, match="expected to be `tf.bool` scalar"):
        run([2], [True, True])
    with pytest.raises((InvalidArgument, ValueError)):
        run(None, [True, True])
    with pytest.raises((InvalidArgument, ValueError)):
        run([None], [True, True])
    for shape in ([1], [None], None):
        assert run(shape, [True]) == (1 if f is converted_if else 5)


def test_one_element_is_enough_for_and() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.bool)])
    def f(v: tf.Tensor) -> tf.Tensor:
        return v and True

    assert bool(f(tf.constant([True])))
    assert not bool(f(tf.constant([False])))
    with pytest.raises(InvalidArgument):
        f(tf.constant([True, True]))


def concrete(f: Callable[[tf.Tensor], tf.Tensor]) -> Any:
    return tf.function(f, autograph=False).get_concrete_function(
        tf.TensorSpec(None, tf.float32)
    )


@pytest.mark.parametrize("op", ["If", "StatelessIf"])
@pytest.mark.parametrize("how", ["eager", "known", "unknown"])
def test_raw_if_asks_numbers_and_elements(op: str, how: str) -> None:
    double, same = concrete(lambda x: x * 2.0), concrete(lambda x: x + 0.0)

    def f(c: tf.Tensor) -> tf.Tensor:
        return getattr(tf.raw_ops, op)(
            cond=c, input=[tf.constant(1.0)], Tout=[tf.float32],
            then_branch=double, else_branch=same,
        )[0]

    values = [
        (True, 2.0), (1, 2.0), (0, 1.0), (0.0, 1.0), (-0.5, 2.0), ("a", 2.0),
        ("", 1.0), (float("nan"), 2.0), ([False, False], 2.0), ([0, 0], 2.0),
        ([[False]], 2.0), (["", ""], 2.0), (np.zeros([0], bool), 1.0),
        (np.zeros([0, 3], np.float32), 1.0),
    ]  # fmt: skip
    for value, expected in values:
        c = tf.constant(value)
        run: Callable[..., Any] = f
        if how == "known":
            run = tf.function(f, autograph=False)
        elif how == "unknown":
            run = traced(f, None, c.dtype)
        assert float(run(c)) == expected, value


@pytest.mark.parametrize("op", ["Case", "StatelessCase"])
def test_raw_case_takes_a_scalar(op: str) -> None:
    functions = [concrete(lambda x: x * 2.0), concrete(lambda x: x + 0.0)]

    def f(i: tf.Tensor) -> tf.Tensor:
        return getattr(tf.raw_ops, op)(
            branch_index=i, input=[tf.constant(1.0)], Tout=[tf.float32],
            branches=functions,
        )[0]

    for index in ([1, 1], [1], np.zeros([0], np.int32)):
        for run in (f, tf.function(f, autograph=False), traced(f, None, tf.int32)):
            with pytest.raises(InvalidArgument, match="branch_index must be scalar"):
                run(tf.constant(index))
