"""Models with gradients of their own, beside those of saved_model_programs."""

from saved_model_programs import model, rows

X = rows(2, 3)


def traced(tf, f):
    return tf.function(f, input_signature=[tf.TensorSpec([None, 3], tf.float32)])


@model([("f", [X])], trained=["w"])
def gradient_of_what_was_computed(tf):
    @tf.custom_gradient
    def f(x):
        y = tf.exp(x)
        return y, lambda dy: dy * y * [1.0, 10.0, 100.0]

    m = tf.Module()
    m.w = tf.Variable([0.5, 1.0, -0.25])
    m.f = traced(tf, lambda x: f(x * m.w))
    return m


@model([("f", [X])], trained=["w"])
def gradient_for_variables(tf):
    m = tf.Module()
    m.w = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        def gradient(dy, variables=None):
            return dy * m.w * 10.0, [tf.reduce_sum(dy) * 100.0]

        return x * m.w, gradient

    m.f = traced(tf, lambda x: f(x) * 2.0)
    return m


@model([("f", [X])], trained=["w"])
def gradient_in_a_called_function(tf):
    @tf.custom_gradient
    def clip(x):
        return tf.identity(x), lambda dy: tf.clip_by_value(dy, -0.1, 0.1)

    m = tf.Module()
    m.w = tf.Variable([0.5, 1.0, -0.25])
    inner = traced(tf, lambda x: clip(tf.sin(x)) * 2.0)
    m.f = traced(tf, lambda x: inner(inner(x) * m.w))
    return m


@model([("f", [X])], trained=["w"])
def gradients_of_several_results(tf):
    @tf.custom_gradient
    def f(x, y):
        def gradient(da, db):
            return da * y + db, da * x * 2.0 - db

        return (x * y, x + y), gradient

    m = tf.Module()
    m.w = tf.Variable([0.5, 1.0, -0.25])

    def call(x):
        a, b = f(x, m.w * x)
        return a * 3.0 + tf.sin(b)

    m.f = traced(tf, call)
    return m


@model([("f", [X])], trained=["w"])
def swish_of_swish(tf):
    m = tf.Module()
    m.w = tf.Variable([0.5, 1.0, -0.25])
    m.f = traced(tf, lambda x: tf.nn.silu(tf.nn.silu(x * m.w)))
    return m


@model([("f", [X])], trained=["w"])
def computed_again_for_gradients(tf):
    m = tf.Module()
    m.w = tf.Variable([0.5, 1.0, -0.25])
    again = tf.recompute_grad(lambda x: tf.tanh(x * 2.0))
    m.f = traced(tf, lambda x: again(x * m.w))
    return m
