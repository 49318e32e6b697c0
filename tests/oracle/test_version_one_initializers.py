"""Initializers of tf.compat.v1: dtypes, shapes, settings and classes of errors."""

import pytest

NAMES = [
    "constant",
    "zeros",
    "ones",
    "random_normal",
    "random_uniform",
    "truncated_normal",
    "uniform_unit_scaling",
    "variance_scaling",
    "orthogonal",
    "glorot_uniform",
    "glorot_normal",
    "identity",
]


def outcome(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [None, "float64", "float16", "int32", "string"])
def test_dtypes(both, name, dtype):
    def answer(tf):
        make = getattr(tf.compat.v1.initializers, name)
        made = make() if dtype is None else make(dtype=tf.as_dtype(dtype))
        value = made([2, 2])
        other = made([2, 2], dtype=tf.float64)
        return value.dtype.name, value.shape.as_list(), other.dtype.name

    ours = outcome(lambda: answer(both.ours))
    theirs = outcome(lambda: answer(both.theirs))
    assert ours == theirs


@pytest.mark.parametrize("name", NAMES)
def test_settings(both, name):
    settings = [
        getattr(tf.compat.v1.initializers, name)().get_config()
        for tf in (both.ours, both.theirs)
    ]
    assert settings[0] == settings[1]


@pytest.mark.parametrize(
    "name", ["he_normal", "he_uniform", "lecun_normal", "lecun_uniform"]
)
def test_scalings(both, name):
    settings = [
        getattr(tf.compat.v1.initializers, name)(seed=1).get_config()
        for tf in (both.ours, both.theirs)
    ]
    assert settings[0] == settings[1]


@pytest.mark.parametrize(
    "name",
    [
        "random_normal",
        "random_uniform",
        "truncated_normal",
        "variance_scaling",
        "uniform_unit_scaling",
        "glorot_uniform",
        "orthogonal",
    ],
)
def test_the_same_numbers(both, name):
    def draw(tf):
        tf.random.set_seed(5)
        make = getattr(tf.compat.v1.initializers, name)(seed=3)
        return [make([3, 2]), make([2, 3])]

    both.agree(draw, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "call",
    [
        lambda v: v.initializers.variance_scaling(scale=-1.0),
        lambda v: v.initializers.variance_scaling(mode="x"),
        lambda v: v.initializers.variance_scaling(distribution="x"),
        lambda v: v.initializers.orthogonal()([2]),
        lambda v: v.initializers.identity()([2]),
        lambda v: v.constant_initializer([1, 2], verify_shape=True)([3]),
        lambda v: v.constant_initializer([1, 2, 3])([2]),
    ],
)
def test_refused(both, call):
    both.agree_on_error(lambda tf: call(tf.compat.v1))
