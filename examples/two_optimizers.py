"""Two optimizers and one traced function, as in TensorFlow's guide to functions.

An optimizer makes its variables the first time that it applies gradients, and a
`tf.function` makes variables in its first call only. So the second optimizer is
refused; the guide's cure is a function for each of them. Keras 3 knows another:
`build`, which makes the variables beforehand.

usage: two_optimizers.py [--steps N]
"""

import argparse

import graphkiln as tf

keras = tf.keras


def make_optimizers():
    return keras.optimizers.Adam(learning_rate=1e-2), keras.optimizers.Adam(
        learning_rate=1e-3
    )


def train_step(w, x, y, optimizer):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(w * x - y))
    gradients = tape.gradient(loss, [w])
    optimizer.apply_gradients(zip(gradients, [w], strict=True))
    return loss


def refused(x, y) -> str:
    """The error of the second optimizer in the function of the first."""
    w, (first, second) = tf.Variable(2.0), make_optimizers()
    step = tf.function(train_step)
    step(w, x, y, first)
    try:
        step(w, x, y, second)
    except ValueError as error:
        return str(error).strip().splitlines()[-1].strip()
    raise AssertionError("a function made variables in its second call")


def by_functions(x, y, steps: int) -> list[float]:
    """A function for each optimizer."""
    w, (first, second) = tf.Variable(2.0), make_optimizers()
    functions = [
        tf.function(train_step).get_concrete_function(w, x, y, optimizer)
        for optimizer in (first, second)
    ]
    # The optimizers are part of the functions, and no arguments any more.
    return [float(functions[i % 2](w, x, y)) for i in range(steps)]


def by_building(x, y, steps: int) -> tuple[list[float], int]:
    """One function, traced once for each optimizer."""
    w, optimizers = tf.Variable(2.0), make_optimizers()
    for optimizer in optimizers:
        optimizer.build([w])
    step = tf.function(train_step)
    losses = [float(step(w, x, y, optimizers[i % 2])) for i in range(steps)]
    return losses, step.experimental_get_tracing_count()


def main(steps: int) -> float:
    x, y = tf.constant([-1.0]), tf.constant([2.0])
    print("a second optimizer in one function:\n ", refused(x, y))
    losses = by_functions(x, y, steps)
    print(f"a function for each: loss {losses[0]:.3f} ... {losses[-1]:.3f}")
    built, traces = by_building(x, y, steps)
    same = "the same" if built == losses else "other"
    print(f"built beforehand: one function, {traces} traces, {same} losses")
    print(f"loss after {steps} steps: {losses[-1]:.4f} (first: {losses[0]:.4f})")
    return losses[-1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=1000)
    main(parser.parse_args().steps)
