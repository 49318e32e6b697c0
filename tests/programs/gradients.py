"""Gradient tapes: what they watch, sum, return and refuse."""

from __future__ import annotations

from outcomes import failure, phrase


def program_only_trainable_variables_are_watched(tf):
    v, w = tf.Variable(3.0), tf.Variable(2.0, trainable=False)
    c = tf.constant(5.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * w * c
    with tf.GradientTape(watch_accessed_variables=False) as blind:
        z = v * v
    return (
        tape.gradient(y, [v, w, c]), blind.gradient(z, v),
        [x.name for x in tape.watched_variables()],
    )


def program_watching_what_has_no_gradient(tf):
    x = tf.constant(3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x), failure(tf.GradientTape().watch, [1.0])


def program_targets_are_summed(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * x, x * 3.0
    return (
        tape.gradient(y, x), tape.gradient({"a": y, "b": z}, x),
        tape.gradient(y, x, output_gradients=tf.constant([1.0, 10.0])),
        tape.gradient(y, {"k": [x]}),
    )


def program_unconnected(tf):
    x, other = tf.constant(1.0), tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, other])
        y = x * x
    return (
        tape.gradient(y, other),
        tape.gradient(y, other, unconnected_gradients="zero"),
        failure(tape.gradient, y, other, unconnected_gradients="foo"),
    )


def program_dtypes_without_gradient(tf):
    x = tf.constant(2.5)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        through_int = tf.cast(tf.cast(x, tf.int32), tf.float32)
        text = tf.strings.as_string(x)
        truth = x > 1.0
    return [tape.gradient(y, x) for y in (through_int, text, truth)]


def program_stopping_and_forgetting(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = x * x
        tape.reset()
        tape.watch(x)
        w = x * x * x
    return [tape.gradient(t, x) for t in (y, z, w)]


def program_used_twice(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        inside = tape.gradient(y, x)
    return inside, failure(tape.gradient, y, x)


def program_slices_of_variables(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape(persistent=True) as tape:
        once = tf.gather(v, [0, 2])
        twice = tf.reduce_sum(once) + tf.reduce_sum(tf.gather(v, [0]))
        mixed = twice + tf.reduce_sum(v)
    g, h, dense = (tape.gradient(t, v) for t in (once, twice, mixed))
    return (
        type(g).__name__, g.values, g.indices, type(h).__name__,
        sorted(h.indices.numpy().tolist()), dense,
    )


def program_assignments_behind_a_read(tf):
    v = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
        v.assign(10.0)
        z = v * v
    return tape.gradient(y, v), tape.gradient(z, v)


def program_orders_inside_and_outside_of_functions(tf):
    @tf.function(autograph=False)
    def square(x):
        return x * x * x

    @tf.function(autograph=False)
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = square(x)
        return tape.gradient(y, x)

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = square(x)
        first = inner.gradient(y, x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        g = slope(x)
    return first, outer.gradient(first, x), g, tape.gradient(g, x)


def program_fourth_order_through_a_loop(tf):
    @tf.function
    def cube(x):
        y, i = x, 0
        while i < tf.constant(2):
            y *= x
            i += 1
        return y

    x = tf.constant(3.0)

    def derivative(order):
        if order == 0:
            return cube(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = derivative(order - 1)
        return tape.gradient(y, x, unconnected_gradients="zero")

    return [derivative(order) for order in range(5)]


def program_gradients_of_ones_own(tf):
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def scaled(x):
        def grad(upstream, variables=None):
            return upstream * 10.0, [upstream * 100.0 for _ in variables]

        return x * v, grad

    @tf.custom_gradient
    def too_many(x):
        return x, lambda upstream: (upstream, upstream)

    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = scaled(x)
        z = too_many(x)
    return tape.gradient(y, [x, v]), failure(tape.gradient, z, x)


@phrase("tf.gradients is not supported when eager execution is enabled")
def program_symbolic_gradients_need_a_graph(tf):
    tf.gradients(tf.constant(1.0), tf.constant(1.0))


def program_batches_need_two_dimensions(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    kind, text = failure(tape.batch_jacobian, y, x)
    return kind, "must have rank at least 2" in text


def program_second_gradient_through_what_a_gradient_captures(tf):
    @tf.custom_gradient
    def own(x):
        y = tf.tanh(x)
        return y, lambda upstream: upstream * (1.5 - y * y)

    def slopes(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.square(own(x))
            first = inner.gradient(y, x)
        return first, outer.gradient(first, x)

    return slopes(tf.constant([0.5, -1.0])), tf.function(slopes)(
        tf.constant([0.5, -1.0])
    )
