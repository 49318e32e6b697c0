"""A program as its users write them, with the types that checkers see.

`tests/python/test_stubs.py` has mypy --strict and pyright read it, and runs it.
"""

from collections.abc import Callable
from typing import Any, assert_type

import graphkiln as tf

# --- Tensors, operators, ops.

x = tf.constant([1.0, 2.0])
assert_type(x, tf.Tensor)
assert_type(x + 1, tf.Tensor)
assert_type(2.0 * x, tf.Tensor)
assert_type(x[0], tf.Tensor)
assert_type(x.shape, tf.TensorShape)
assert_type(x.dtype, tf.DType)
assert_type(tf.matmul([[1.0]], [[2.0]]), tf.Tensor)
assert_type(tf.reduce_sum(x, axis=0), tf.Tensor)
assert_type(tf.split(x, 2), list[tf.Tensor])
assert_type(tf.math.top_k(x, k=1).indices, tf.Tensor)
assert_type(tf.einsum("i,i->", x, x), tf.Tensor)
assert_type(tf.nest.flatten({"a": x}), list[Any])
assert_type(float(x[0]), float)

# --- Random numbers.

assert_type(tf.random.normal([2, 3]), tf.Tensor)
assert_type(tf.random.normal(shape=(2,), mean=1.0, dtype=tf.float64), tf.Tensor)
assert_type(tf.random.uniform([2], maxval=3, dtype=tf.int32), tf.Tensor)
tf.random.set_seed(1)

# --- Variables.

w = tf.Variable(3.0, trainable=True, name="w")
assert_type(w, tf.Variable)
tf.Variable(lambda: tf.zeros([2]), dtype=tf.float32, shape=[2])
assert_type(w * x, tf.Tensor)
assert_type(w.read_value(), tf.Tensor)
w.assign_add(1.0)
w.assign(w * 0.5)
same: tf.Variable = w

# --- Tapes.

with tf.GradientTape(persistent=True) as tape:
    assert_type(tape, tf.GradientTape)
    tape.watch(x)
    loss = tf.reduce_sum(w * w * x)

# A tensor, but where a source is unconnected or was gathered from.
by_w = tape.gradient(loss, w)
assert_type(by_w, tf.Tensor | Any)
w.assign_sub(0.1 * by_w)
by_both = tape.gradient(loss, [w, x])
assert_type(by_both, list[tf.Tensor | Any])
assert_type(tape.gradient(loss, {"w": w}), dict[str, tf.Tensor | Any])
for variable, gradient in zip([w], by_both):
    variable.assign_sub(0.1 * gradient)
assert_type(tape.jacobian(loss, x), tf.Tensor | Any)

# --- Functions.


@tf.function
def power(base: tf.Tensor, n: int = 2) -> tf.Tensor:
    """Shows what a traced function keeps of its types."""
    result = tf.ones_like(base)
    for _ in range(n):
        result = result * base
    return result


assert_type(power(x), tf.Tensor)
assert_type(power(x, n=3), tf.Tensor)
concrete = power.get_concrete_function(tf.TensorSpec([None], tf.float32), 2)
assert_type(concrete.pretty_printed_signature(), str)
assert_type(power.experimental_get_tracing_count(), int)


@tf.function(reduce_retracing=True, jit_compile=False)
def halves(a: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """A decorator with options."""
    return a[:1], a[1:]


first, second = halves(x)
assert_type(first, tf.Tensor)

anonymous = tf.function(lambda a: a)
anonymous(x)


class Dense(tf.Module):
    """A layer, of which a method is traced."""

    def __init__(self, size: int) -> None:
        super().__init__(name="dense")
        self.kernel = tf.Variable(tf.random.normal([size, size]))

    @tf.function
    def __call__(self, inputs: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(tf.matmul(inputs, self.kernel))

    @tf.function(autograph=False)
    def norm(self) -> tf.Tensor:
        """A method with options."""
        return tf.norm(self.kernel)


dense = Dense(2)
assert_type(dense(tf.ones([1, 2])), tf.Tensor)
assert_type(dense.norm(), tf.Tensor)
dense.variables


@tf.custom_gradient
def clipped(a: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
    """A gradient of one's own."""
    return a, lambda dy: tf.clip_by_value(dy, -1.0, 1.0)


clipped(x)
tf.map_fn(lambda row: row * 2.0, x)


class Pair(tf.experimental.ExtensionType):
    """Fields become the constructor's arguments."""

    left: tf.Tensor
    right: tf.Tensor


assert_type(Pair(x, right=x).left, tf.Tensor)

# --- Datasets.

numbers = tf.data.Dataset.range(10)
assert_type(numbers, tf.data.Dataset[tf.Tensor])


def square(n: tf.Tensor) -> tf.Tensor:
    """For Dataset.map."""
    return n * n


def with_half(n: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """An element of two parts."""
    return n, n // 2


assert_type(numbers.map(square), tf.data.Dataset[tf.Tensor])
pairs = numbers.map(with_half, num_parallel_calls=tf.data.AUTOTUNE)
assert_type(pairs, tf.data.Dataset[tuple[tf.Tensor, tf.Tensor]])
pairs.map(lambda n, half: n + half).filter(lambda n: n > 3)
batches = numbers.map(square).shuffle(10, seed=1).batch(2).prefetch(1)
for batch in batches:
    assert_type(batch, tf.Tensor)
for index, batch in batches.enumerate().take(2):
    assert_type(index, tf.Tensor)
assert_type(tf.data.Dataset.from_tensor_slices([1, 2]), tf.data.Dataset[tf.Tensor])
for row in tf.data.Dataset.zip(numbers, numbers):
    assert_type(row, tuple[tf.Tensor, tf.Tensor])
total = numbers.reduce(tf.constant(0, tf.int64), lambda state, n: state + n)
assert_type(total, tf.Tensor)
assert_type(next(iter(numbers)), tf.Tensor)
