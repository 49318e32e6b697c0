"""The ops that optimizers' steps are: two steps of each, in each way to call it,
leave the variables that TensorFlow's leave."""

import inspect
import itertools
import re

import numpy as np
import pytest
import tensorflow as tf

import graphkiln as gk

NUMBERS = {
    "lr": 0.1, "alpha": 0.1, "rho": 0.9, "epsilon": 1e-3, "momentum": 0.8,
    "l2": 0.03, "beta1": 0.9, "beta2": 0.95, "beta1_power": 0.81,
    "beta2_power": 0.9025, "sign_decay": 0.7, "logbase": 1.0, "beta": 0.9,
    "l2_shrinkage": 0.01,
}  # fmt: skip
# Numbers of which there are two kinds.
CHOICES = {"l1": [0.02, 0.0], "lr_power": [-0.5, -0.7]}
FLAGS = ["use_nesterov", "update_slots", "multiply_linear_by_lr"]
# Slots that are not negative.
SQUARES = {"ms", "v", "vhat", "accum", "accum_update", "gradient_squared_accumulator"}
# TensorFlow computes half numbers with each operation rounded.
TOLERANCES = {"float64": 1e-12, "float32": 1e-5, "float16": 1e-2, "complex64": 1e-5}

OPS = [name for name in dir(tf.raw_ops) if re.match("Resource(Sparse)?Apply", name)]


def drawn(random, shape, dtype):
    value = random.uniform(-1, 1, shape)
    if dtype.startswith("complex"):
        value = value + 1j * random.uniform(-1, 1, shape)
    return value.astype(dtype)


def left_by(t, op, dtype, said, function):
    """The values of all variables after two steps, or the class of an error."""
    random = np.random.RandomState(0)
    rows = "Sparse" in op
    shape = (4, 3) if rows else (5, 7)
    variables, arguments = [], {}
    for name in inspect.signature(getattr(tf.raw_ops, op)).parameters:
        if name in ("name", "use_locking"):
            continue
        if name in said:
            value = said[name]
            arguments[name] = value if name in FLAGS else np.asarray(value, dtype)
        elif name in NUMBERS:
            arguments[name] = np.asarray(NUMBERS[name], dtype)
        elif name == "global_step":
            arguments[name] = np.int64(7)
        elif name == "indices":
            arguments[name] = np.array([2, 0, 2])  # one row twice
        elif name in ("grad", "delta"):
            arguments[name] = drawn(random, (3, 3) if rows else shape, dtype)
        else:
            value = drawn(random, shape, dtype)
            if name in SQUARES:
                value = np.abs(value) + 0.5
            if name == "mg":
                value = value * 0.1
            variables.append(t.Variable(value.astype(dtype)))
            arguments[name] = variables[-1].handle
    step = getattr(t.raw_ops, op)

    def call():
        step(**arguments)

    if function:
        call = t.function(call)
    try:
        for _ in range(2):
            call()
    except (t.errors.OpError, TypeError, ValueError) as error:
        return type(error).__name__
    return [v.numpy() for v in variables]


def ways(op):
    parameters = inspect.signature(getattr(tf.raw_ops, op)).parameters
    choices = {
        **{name: values for name, values in CHOICES.items() if name in parameters},
        **{name: [False, True] for name in FLAGS if name in parameters},
    }
    for values in itertools.product(*choices.values()):
        yield dict(zip(choices, values, strict=True))


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dtype", TOLERANCES)
def test_steps_are_tensorflows(op, dtype):
    compared = 0
    for said in ways(op):
        want = left_by(tf, op, dtype, said, function=False)
        if isinstance(want, str):
            continue  # there is no kernel
        for function in (False, True):
            have = left_by(gk, op, dtype, said, function)
            assert not isinstance(have, str), (said, have)
            for a, b in zip(have, want, strict=True):
                assert a.dtype == b.dtype
                np.testing.assert_allclose(
                    a, b, rtol=TOLERANCES[dtype], atol=TOLERANCES[dtype]
                )
        compared += 1
    assert compared or dtype in ("float16", "complex64")


def test_there_are_as_many():
    assert len(OPS) == 30
    assert set(OPS) <= set(dir(gk.raw_ops))
