"""tf.autodiff.ForwardAccumulator: products, nesting, functions, errors."""

from __future__ import annotations

from outcomes import failure, phrase


def _accumulator(tf, *arguments):
    return tf.autodiff.ForwardAccumulator(*arguments)


def program_products(tf):
    x, one = tf.constant(2.0), tf.constant(1.0)
    with _accumulator(tf, x, one) as acc:
        y = x * x
        inside = acc.jvp(y)
    return (
        inside, acc.jvp(y), acc.jvp(x), acc.jvp(tf.constant(1.0)),
        acc.jvp(y) is acc.jvp(y), acc.jvp({"y": y, "x": [x]}),
    )


def program_unconnected(tf):
    x, one = tf.constant(2.0), tf.constant(1.0)
    acc = _accumulator(tf, x, one)
    other = tf.ones([2])
    zero = tf.UnconnectedGradients.ZERO
    return (
        acc.jvp(other), acc.jvp(other, unconnected_gradients=zero),
        acc.jvp(other, unconnected_gradients="zero"),
        acc.jvp([x, [other]], "none"),
        failure(acc.jvp, x, unconnected_gradients="foo"),
    )


def program_structures_of_primals(tf):
    x, y = tf.constant(2.0), tf.constant([1.0, 3.0])
    with _accumulator(
        tf, {"a": x, "b": [y]}, {"a": 1.0, "b": [tf.constant([1.0, 2.0])]}
    ) as acc:
        z = x * y
    return acc.jvp(z)


def program_bad_arguments(tf):
    x, one = tf.constant(2.0), tf.constant(1.0)
    return [
        failure(_accumulator, tf, 1.0, 1.0),
        failure(_accumulator, tf, x, tf.constant(1.0, tf.float64)),
        failure(_accumulator, tf, {"a": x}, {"a": None})[0],
        failure(_accumulator, tf, [x, one], [one])[0],
        failure(_accumulator, tf, [x, one], one)[0],
        failure(_accumulator, tf, [x, x], [one, one])[0],
        failure(_accumulator(tf, x, one).jvp, "a")[0],
    ]


@phrase("was specified as a primal multiple times")
def program_primal_twice(tf):
    x = tf.constant(2.0)
    _accumulator(tf, [x, x], [x, x])


def program_reentering(tf):
    x, one = tf.constant(2.0), tf.constant(1.0)
    acc = _accumulator(tf, x, one)
    with acc:
        y = x * x
        within = failure(acc.__enter__)
    outside = x * y
    with acc:
        z = x * y
    return acc.jvp(y), acc.jvp(z), acc.jvp(outside), within


def program_integers(tf):
    x, one = tf.constant(2.0), tf.constant(1.0)
    with _accumulator(tf, x, one) as acc:
        y = tf.cast(x, tf.int32)
        z = tf.argmax([x, x])
    return acc.jvp(y), acc.jvp(z)


def program_variables(tf):
    v = tf.Variable(3.0)
    with _accumulator(tf, v, tf.constant(1.0)) as acc:
        y = v * v
        z = v.read_value() * 2.0
        v.assign(10.0)
        w = v * v
    table = tf.Variable(tf.ones([4, 2]))
    with _accumulator(tf, table, tf.ones([4, 2]) * 2.0) as rows:
        taken = tf.gather(table, [0, 1])
    return [acc.jvp(t) for t in (y, z, v, w)], rows.jvp(taken)


def program_stop_gradient(tf):
    x = tf.constant(2.0)
    with _accumulator(tf, x, tf.constant(1.0)) as acc:
        y = tf.stop_gradient(x) * x
        z = tf.stop_gradient(x)
    return acc.jvp(y), acc.jvp(z)


def program_custom_gradient(tf):
    """Forward mode follows what the function does."""
    @tf.custom_gradient
    def f(x):
        y = x * x
        return y * x, lambda u: u * 10.0 * x

    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with _accumulator(tf, x, tf.constant(1.0)) as acc:
            y = f(x)
    product = acc.jvp(y)
    return product, tape.gradient(product, x), tape.gradient(y, x)


def program_nested(tf):
    x, one = tf.constant(1.5), tf.constant(1.0)
    with _accumulator(tf, x, one) as outer:
        with _accumulator(tf, x, one) as inner:
            y = x * x * x
    first = inner.jvp(y)
    return (
        first, outer.jvp(first), outer.jvp(y), inner.jvp(outer.jvp(y)),
    )


def program_nested_three_times(tf):
    x, one = tf.constant(1.5), tf.constant(1.0)
    with _accumulator(tf, x, one) as a:
        with _accumulator(tf, x, one) as b:
            with _accumulator(tf, x, one) as c:
                y = x ** 4.0
    return [
        a.jvp(b.jvp(c.jvp(y))), a.jvp(c.jvp(y)), b.jvp(c.jvp(y)), c.jvp(y),
        c.jvp(b.jvp(y)),
    ]


def program_forward_over_backward(tf):
    v = tf.Variable([1.0, 2.0, 3.0])
    with _accumulator(tf, v, tf.constant([1.0, 0.0, 0.5])) as acc:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v * v * v) * v[0]
        gradient = tape.gradient(y, v)
    return gradient, acc.jvp(gradient)


def program_backward_over_forward(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with _accumulator(tf, x, tf.constant(1.0)) as acc:
            y = x * x * x
    product = acc.jvp(y)
    return product, tape.gradient(product, x)


def program_tapes_opened_later_see_nothing(tf):
    x = tf.constant(2.0)
    with _accumulator(tf, x, tf.constant(1.0)) as acc:
        y = x * x * x
    with tf.GradientTape() as tape:
        tape.watch(x)
        product = acc.jvp(y)
    return product, tape.gradient(product, x)


def program_inner_tapes_ignore_products(tf):
    x = tf.constant(2.0)
    with _accumulator(tf, x, tf.constant(1.0)) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
            product = acc.jvp(y)
    return product, tape.gradient(product, x)


def program_of_functions(tf):
    x, one = tf.constant(2.0), tf.constant(1.0)
    cube = tf.function(lambda x: x * x * x, autograph=False)
    with _accumulator(tf, x, one) as acc:
        y = cube(x)
        again = cube(y)

    @tf.function(autograph=False)
    def inside(x, tangent):
        with _accumulator(tf, x, tangent) as acc:
            y = x * x * x
        return y, acc.jvp(y), acc.jvp(x)

    return acc.jvp(y), acc.jvp(again), inside(x, one)


def program_accumulator_outside_tensor_inside(tf):
    x = tf.constant(2.0)
    with _accumulator(tf, x, tf.constant(1.0)) as acc:
        found = []

        @tf.function(autograph=False)
        def f(z):
            y = z * z
            found.append((acc.jvp(y), acc.jvp(z)))
            return y

        y = f(x)
    return acc.jvp(y), found


def program_control_flow(tf):
    x, one = tf.constant(2.0), tf.constant(1.0)

    def power(x):
        _, y = tf.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, y * x),
            (tf.constant(0), x),
        )
        return y

    def choose(x):
        return tf.cond(x > 0.0, lambda: x * x, lambda: -x)

    def product(f, x):
        with _accumulator(tf, x, one) as acc:
            y = f(x)
        return acc.jvp(y)

    results = []
    for f in (power, choose):
        staged = tf.function(f, autograph=False)
        results += [product(f, x), product(staged, x), product(staged, -x)]
        results.append(
            tf.function(lambda x: product(f, x), autograph=False)(x)
        )
    return results


def program_inside_a_loop(tf):
    def f(x):
        def body(i, total):
            with _accumulator(tf, x, tf.constant(1.0)) as acc:
                y = x * x * tf.cast(i, tf.float32)
            return i + 1, total + acc.jvp(y)

        return tf.while_loop(
            lambda i, _: i < 3, body, (tf.constant(0), tf.constant(0.0))
        )[1]

    return tf.function(f, autograph=False)(tf.constant(2.0))


def program_through_a_while_in_a_nested_function(tf):
    @tf.function(autograph=False)
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.while_loop(
                lambda i, y: i < 3, lambda i, y: (i + 1, y * x),
                (tf.constant(0), tf.constant(1.0)),
            )[1]
        return tape.gradient(y, x)

    x = tf.constant(2.0)
    with _accumulator(tf, x, tf.constant(1.0)) as acc:
        g = gradient(x)
    return [[g.numpy().item(), acc.jvp(g).numpy().item()]]


def program_inside_a_traced_function(tf):
    """What a function captures has its tangent, what it is given has none."""
    x, w = tf.constant(2.0), tf.Variable(3.0)
    seen = []
    with _accumulator(
        tf, (x, w), (tf.constant(1.0), tf.constant(10.0))
    ) as acc:
        @tf.function
        def f(t):
            y = x * x * w
            seen.append((acc.jvp(t), acc.jvp(t * 2.0), acc.jvp(x)))
            return y, acc.jvp(y), acc.jvp(
                t, unconnected_gradients=tf.UnconnectedGradients.ZERO
            )

        results = f(x)
        return results, seen, [acc.jvp(t) for t in results]
