"""What gradients are taken of: variables, what is its own source, Jacobians of
what does not depend on the source, methods with gradients of their own."""

from __future__ import annotations


def _both(tf, body):
    """The outcome of `body` as it is and traced."""
    return body(), tf.function(body)()


def program_a_variable_is_a_target(tf):
    u, w = tf.Variable([1.0, 2.0]), tf.Variable(3.0)

    def body():
        with tf.GradientTape(persistent=True) as tape:
            y = u * w
        return (
            tape.gradient(u, u), tape.gradient([y, u], [u, w]),
            tape.gradient([u, u], u),
            tape.gradient(u, w, unconnected_gradients="zero"),
            tape.gradient(w, [w], output_gradients=[tf.constant(5.0)]),
        )

    return _both(tf, body)


def program_a_variable_among_structures(tf):
    u, w = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        pass
    made = tape.gradient({"a": u, "b": [w]}, {"a": u, "b": [w]})
    return made["a"], made["b"]


def program_the_largest_of_variables(tf):
    v1, v2 = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        largest = max([v1, v2])
    return tape.gradient(largest, [v1, v2])


def program_what_is_its_own_source(tf):
    x, n = tf.constant(2.0), tf.constant(3)

    def body():
        with tf.GradientTape(persistent=True) as tape:
            y = x * 2.0
        return (
            tape.gradient(x, x), tape.gradient([y, x], x), tape.gradient(y, x),
            tape.gradient(n, n),
        )

    return _both(tf, body)


def program_slices_and_the_variable_itself(tf):
    u = tf.Variable([1.0, 2.0])

    def body():
        with tf.GradientTape() as tape:
            y = tf.gather(u, [0])
        return tape.gradient([y, u], u)

    return _both(tf, body)


def program_a_variable_that_is_not_trained(tf):
    u, n = tf.Variable(1.0, trainable=False), tf.Variable(1)
    with tf.GradientTape(persistent=True) as tape:
        pass
    return tape.gradient(u, u), tape.gradient(n, n)


def program_jacobians_of_variables(tf):
    u, w = tf.Variable([1.0, 2.0]), tf.Variable(3.0)

    def body():
        with tf.GradientTape(persistent=True) as tape:
            y = u * u
        return tape.jacobian(u, u), tape.jacobian(y, [u, w])[0]

    return _both(tf, body)


def program_batch_jacobian_of_what_does_not_depend(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])

    def body():
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            other = tf.ones([2, 3])
            y = x * x
        return (
            tape.batch_jacobian(other, x),
            tape.batch_jacobian(other, x, experimental_use_pfor=False),
            tape.batch_jacobian(y, tf.ones([2, 4])),
            tape.batch_jacobian(other, x, unconnected_gradients="zero"),
        )

    return _both(tf, body)


def program_jacobian_of_what_is_empty(tf):
    x = tf.zeros([0])

    def body():
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
        return tape.jacobian(y, x)

    return _both(tf, body)


def program_batch_jacobian_of_what_is_empty(tf):
    wide, none = tf.ones([2, 3]), tf.zeros([2, 0])

    def body():
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([wide, none])
            y, z = wide[:, :0], none * none
        return tape.batch_jacobian(y, wide), tape.batch_jacobian(z, none)

    return _both(tf, body)


class _Layer:
    def __init__(self, tf):
        self.scale = tf.Variable(3.0)


def _methods(tf):
    class Layer(_Layer):
        @tf.custom_gradient
        def method(self, x):
            return x * x, lambda dy: dy * 10.0

        @tf.custom_gradient
        def __call__(self, x):
            return x * x, lambda dy: dy * 20.0

        @staticmethod
        @tf.custom_gradient
        def static(x):
            return x * 1.0, lambda dy: dy * 30.0

        @classmethod
        @tf.custom_gradient
        def of_class(cls, x):
            return x * 1.0, lambda dy: dy * 40.0

        @tf.custom_gradient
        def scaled(self, x):
            def grad(dy, variables=None):
                return dy * 7.0, [dy * 8.0 for _ in variables]

            return x * self.scale, grad

    return Layer(tf)


def program_methods_with_gradients_of_their_own(tf):
    layer, x = _methods(tf), tf.constant(2.0)

    def body():
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            ys = [
                layer.method(x), layer(x), layer.static(x), layer.of_class(x),
                layer.scaled(x), type(layer).static(x),
            ]
        return (
            [tape.gradient(y, x) for y in ys],
            tape.gradient(ys[4], layer.scale),
        )

    return _both(tf, body)


def program_grad_pass_through_with_variables(tf):
    w, x = tf.Variable(3.0), tf.constant(2.4)
    stored = tf.Variable(0.0)

    def body():
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.grad_pass_through(lambda z: tf.round(z * w))(x)
            z = tf.grad_pass_through(stored.assign)(w)
        return (
            y, tape.gradient(y, [x, w]), tape.gradient(z, w), stored + 0.0
        )

    return _both(tf, body)


def program_an_argument_that_is_captured_too(tf):
    w = tf.Variable(3.0)

    @tf.function
    def of_argument(a):
        with tf.GradientTape() as tape:
            y = a * w
        return tape.gradient(y, a)

    @tf.function
    def of_both(a):
        with tf.GradientTape() as tape:
            y = a * w * a
        return tape.gradient(y, [a, w])

    @tf.function
    def symbolic(a):
        return tf.gradients(w * 2.0, [a])

    @tf.function
    def times(b):
        return b * w

    @tf.function
    def nested(a):
        with tf.GradientTape() as tape:
            y = times(a)
        return tape.gradient(y, [a, w])

    @tf.function
    def looped(a):
        with tf.GradientTape() as tape:
            y = tf.constant(0.0)
            for _ in tf.range(3):
                y += a * w
        return tape.gradient(y, a)

    @tf.function
    def branched(a, p):
        with tf.GradientTape() as tape:
            y = tf.cond(p, lambda: a * w, lambda: a + w)
        return tape.gradient(y, a)

    @tf.function
    def inside(a, p):
        def taken():
            with tf.GradientTape() as tape:
                y = a * w
            return tape.gradient(y, a)

        return tf.cond(p, taken, lambda: a + w)

    yes, no = tf.constant(True), tf.constant(False)
    with tf.GradientTape() as tape:
        y = times(w)
    return (
        of_argument(w), of_both(w), symbolic(w), nested(w), looped(w),
        branched(w, yes), branched(w, no), inside(w, yes), inside(w, no),
        tape.gradient(y, w), of_argument(w),
    )


def program_a_variable_passed_twice(tf):
    w = tf.Variable(3.0)

    @tf.function
    def product(a, b):
        with tf.GradientTape() as tape:
            y = a * b
        return tape.gradient(y, [a, b])

    @tf.function
    def moved(a, b):
        a.assign_add(1.0)
        return b + 0.0

    return product(w, w), moved(w, w), w + 0.0


def program_batch_jacobians_of_other_dtypes(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])

    def run(f):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.batch_jacobian(y, x)

    return [
        run(f) for f in (
            lambda x: tf.cast(x, tf.int32),
            lambda x: tf.zeros([2, 3], tf.float64),
            lambda x: tf.ones([2, 1, 2], tf.int64),
        )
    ]
