"""Models of single ops and dtypes, beside those of saved_model_programs."""

import numpy as np
from saved_model_programs import X, model, rows, weights

for _dtype in (
    "float16 bfloat16 float64 int8 int16 int64 uint8 uint16 uint32 uint64 bool "
    "complex64 complex128"
).split():

    def _of_dtype(tf, dtype=_dtype):
        m = tf.Module()
        kind = getattr(tf, dtype)
        m.v = tf.Variable(tf.cast([1, 0, 3], kind))
        c = tf.cast([1, 1, 0], kind)
        shape = tf.TensorSpec([3], kind)
        if dtype == "bool":
            body = lambda x: tf.math.logical_xor(tf.logical_or(x, m.v), c)  # noqa: E731
        else:
            body = lambda x: x * m.v + c  # noqa: E731
        m.f = tf.function(body, input_signature=[shape])
        return m

    _of_dtype.__name__ = f"of_{_dtype}"
    model([("f", [(_dtype, [2, 5, 7])])], exact=True)(_of_dtype)


@model([("f", [])], exact=True)
def strings(tf):
    m = tf.Module()
    m.v = tf.Variable(["x", "yy", ""])
    m.f = tf.function(lambda: tf.strings.join([m.v, m.v], "-"), input_signature=[])
    return m


@model([("f", [X])])
def einsum_and_linalg(tf):
    m = tf.Module()
    m.w = weights(tf, 3, 3)

    def f(x):
        a = tf.einsum("ij,kj->ik", m.w, m.w) + tf.eye(3)
        return x @ tf.linalg.inv(a), tf.linalg.cholesky(a), tf.linalg.det(a)

    m.f = tf.function(f, input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    return m


@model([("f", [np.array([[1, 2], [0, 3]], np.int32)])], trained=["table"])
def embedding(tf):
    m = tf.Module()
    m.table = weights(tf, 5, 4)
    spec = tf.TensorSpec([None, None], tf.int32)
    m.f = tf.function(
        lambda i: tf.reduce_mean(tf.gather(m.table, i), 1), input_signature=[spec]
    )
    return m


@model([("f", [rows(2, 16)])])
def signal(tf):
    m = tf.Module()

    def f(x):
        s = tf.signal.stft(x, 8, 4)
        return tf.abs(s), tf.signal.rfft(x)

    m.f = tf.function(f, input_signature=[tf.TensorSpec([None, 16], tf.float32)])
    return m


@model([("f", [rows(1, 6, 6, 3)])])
def image(tf):
    m = tf.Module()

    def f(x):
        y = tf.image.resize(x, [4, 5])
        return tf.image.flip_left_right(y), tf.image.rgb_to_grayscale(x)

    m.f = tf.function(f, input_signature=[tf.TensorSpec([None, 6, 6, 3], tf.float32)])
    return m


@model([("train", [X, rows(4, 2, seed=5)])] * 2 + [("predict", [X])])
def training_step(tf):
    m = tf.Module()
    m.w = weights(tf, 3, 2)

    def train(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ m.w - y) ** 2)
        m.w.assign_sub(0.1 * tape.gradient(loss, m.w))
        return loss

    spec, target = (tf.TensorSpec([None, n], tf.float32) for n in (3, 2))
    m.train = tf.function(train, input_signature=[spec, target])
    m.predict = tf.function(lambda x: x @ m.w, input_signature=[spec])
    return m


@model([("f", [X])])
def custom_gradient(tf):
    m = tf.Module()
    m.w = weights(tf, 3, 3)

    @tf.custom_gradient
    def clipped(x):
        return x * 2.0, lambda dy: tf.clip_by_value(dy * x * 1.0, -0.1, 0.1)

    spec = tf.TensorSpec([None, 3], tf.float32)
    m.f = tf.function(lambda x: clipped(x @ m.w), input_signature=[spec])
    return m


@model([("f", [X, np.int32(2)])])
def dynamic_shapes(tf):
    m = tf.Module()

    def f(x, k):
        y = tf.tile(x, [k, 1])
        return y, tf.shape(y), tf.concat([y, y[:1]], 0)

    specs = [tf.TensorSpec(None, tf.float32), tf.TensorSpec([], tf.int32)]
    m.f = tf.function(f, input_signature=specs)
    return m


@model([("f", [X]), ("f", [X, np.float32(3.0)])])
def optional_argument(tf):
    m = tf.Module()

    @tf.function
    def f(x, *, scale=None):
        return x if scale is None else x * scale

    m.f = tf.function(lambda x, s=1.0: x * s)
    m.f(tf.constant(X)), m.f(tf.constant(X), tf.constant(2.0))
    m.g = f
    f(tf.constant(X))
    return m


@model([("f", [X])])
def variables_of_kinds(tf):
    m = tf.Module()
    m.a = tf.Variable(1.0, trainable=False, name="a/b")
    m.unknown = tf.Variable([1.0, 2.0, 3.0], shape=tf.TensorShape([None]))
    m.scalars = {"x": tf.Variable(2.0), "y": (tf.Variable(3.0), tf.Variable(4.0))}
    spec = tf.TensorSpec([None, 3], tf.float32)
    m.f = tf.function(
        lambda x: x * m.unknown + m.a + m.scalars["x"] * m.scalars["y"][1],
        input_signature=[spec],
    )
    return m


@model([("f", [np.array([3.0, 1.0, 2.0], np.float32)])])
def sorting(tf):
    m = tf.Module()
    spec = tf.TensorSpec([None], tf.float32)
    m.f = tf.function(
        lambda x: (
            tf.sort(x),
            tf.argsort(x),
            tf.nn.top_k(x, 2).values,
            tf.unique(x)[0],
        ),
        input_signature=[spec],
    )
    return m


@model([("f", [np.array([1, 2], np.int64)])], exact=True)
def stateless_random(tf):
    m = tf.Module()
    spec = tf.TensorSpec([2], tf.int64)
    m.f = tf.function(
        lambda s: tf.random.stateless_uniform([3], s), input_signature=[spec]
    )
    return m


@model([("f", [X])])
def assertions(tf):
    m = tf.Module()

    def f(x):
        tf.debugging.assert_equal(tf.shape(x)[1], 3)
        with tf.control_dependencies([tf.debugging.assert_rank(x, 2)]):
            return tf.identity(x)

    m.f = tf.function(f, input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    return m


@model([("f", [np.array([b"1,2", b"3,4"], object)])], exact=True)
def decoding(tf):
    m = tf.Module()
    spec = tf.TensorSpec([None], tf.string)

    def f(x):
        a, b = tf.io.decode_csv(x, [[0], [0.0]])
        return a, b, tf.strings.to_hash_bucket_fast(x, 10)

    m.f = tf.function(f, input_signature=[spec])
    return m


@model([("f", [X])], trained=["w"])
def segments(tf):
    m = tf.Module()
    m.w = weights(tf, 3, 2)
    spec = tf.TensorSpec([None, 3], tf.float32)
    m.f = tf.function(
        lambda x: tf.math.segment_sum(x @ m.w, [0, 0, 1, 1]), input_signature=[spec]
    )
    return m
