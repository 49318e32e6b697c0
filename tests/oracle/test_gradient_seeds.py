"""What gradients of targets come to, given by the caller in other shapes than theirs."""

from __future__ import annotations

import pytest

_FUNCTIONS = {
    "mul": lambda tf, x: x * x,
    "mul_by_constant": lambda tf, x: x * 2.0,
    "add_constant": lambda tf, x: x + 1.0,
    "sub_constant": lambda tf, x: x - 1.0,
    "div_by_constant": lambda tf, x: x / 2.0,
    "minimum": lambda tf, x: tf.minimum(1.5, x),
    "constant_mul": lambda tf, x: 2.0 * x,
    "div": lambda tf, x: x / (x + 1.0),
    "sub": lambda tf, x: 1.0 - x,
    "maximum": lambda tf, x: tf.maximum(x, 1.5),
    "pow": lambda tf, x: x**3.0,
    "squared_difference": lambda tf, x: tf.math.squared_difference(x, 1.0),
    "where": lambda tf, x: tf.where(x > 1.5, x, -x),
    "exp": lambda tf, x: tf.exp(x) * x,
    "sum": lambda tf, x: tf.reduce_sum(x),
    "stack": lambda tf, x: tf.stack([x, x]),
    "reshape": lambda tf, x: tf.reshape(x, [-1]),
}
_SHAPES = {
    "vector_of_scalar": (3.0, [1.0, 2.0]),
    "scalar_of_vector": ([1.0, 2.0], 1.0),
    "more": ([1.0, 2.0], [1.0, 2.0, 3.0]),
    "matrix_of_vector": ([1.0, 2.0], [[1.0, 2.0], [3.0, 4.0]]),
    "one_of_two": ([1.0, 2.0], [1.0]),
}


@pytest.mark.parametrize("shapes", _SHAPES)
@pytest.mark.parametrize("name", _FUNCTIONS)
def test_seed_of_another_shape(both, name, shapes):
    value, seed = _SHAPES[shapes]

    def program(tf):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = _FUNCTIONS[name](tf, x)
        return tape.gradient(y, x, output_gradients=tf.constant(seed))

    try:
        program(both.theirs)
    except Exception:
        both.agree_on_error(program)
    else:
        both.agree(program, rtol=1e-6)
