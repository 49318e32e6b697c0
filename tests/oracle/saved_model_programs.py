"""Models that either framework builds, and calls of what is in them."""

import numpy as np


class Model:
    """A model: makes its objects with `tf`, and says what is called in them.

    `build(tf)` gives the object; `calls` are (attribute, arguments): arrays become
    tensors; `trained`: the variables whose gradients are compared, by attribute.
    """

    def __init__(self, build, calls, signatures=None, trained=(), exact=False):
        self.build = build
        self.calls = calls
        self.signatures = signatures
        self.trained = trained
        self.exact = exact


MODELS = {}


def model(calls, signatures=None, trained=(), exact=False):
    def add(build):
        MODELS[build.__name__] = Model(build, calls, signatures, trained, exact)
        return build

    return add


def rows(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def weights(tf, *shape, seed=1, name=None):
    return tf.Variable(rows(*shape, seed=seed) * 0.3, name=name)


X = rows(4, 3)


@model([("f", [X])], trained=["w", "b"])
def dense(tf):
    m = tf.Module()
    m.w, m.b = weights(tf, 3, 2, name="w"), tf.Variable([0.5, -0.5], name="b")
    spec = tf.TensorSpec([None, 3], tf.float32)
    m.f = tf.function(lambda x: tf.nn.relu(x @ m.w + m.b), input_signature=[spec])
    return m


@model([("__call__", [X])], trained=["layers.0.w"])
def mlp(tf):
    class Dense(tf.Module):
        def __init__(self, n, k, seed):
            super().__init__()
            self.w = weights(tf, n, k, seed=seed, name="w")
            self.b = tf.Variable(tf.zeros(k), name="b")

        def __call__(self, x):
            return tf.tanh(tf.matmul(x, self.w) + self.b)

    class MLP(tf.Module):
        def __init__(self):
            super().__init__()
            self.layers = [Dense(3, 5, 1), Dense(5, 4, 2), Dense(4, 1, 3)]

        @tf.function
        def __call__(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    m = MLP()
    m(tf.constant(X))
    return m


@model([("f", [rows(2, 8, 8, 3)])], trained=["k1", "k2"])
def cnn(tf):
    m = tf.Module()
    m.k1, m.k2 = weights(tf, 3, 3, 3, 4), weights(tf, 3, 3, 4, 2, seed=2)
    m.d = weights(tf, 2 * 4 * 4, 5, seed=3)

    def f(x):
        x = tf.nn.relu(tf.nn.conv2d(x, m.k1, 1, "SAME"))
        x = tf.nn.max_pool2d(x, 2, 2, "VALID")
        x = tf.nn.relu(tf.nn.conv2d(x, m.k2, 1, "SAME"))
        return tf.nn.softmax(tf.reshape(x, [-1, 32]) @ m.d)

    spec = tf.TensorSpec([None, 8, 8, 3], tf.float32, name="image")
    m.f = tf.function(f, input_signature=[spec])
    return m


@model([("f", [rows(2, 5, 3)])], trained=["w", "u"])
def lstm(tf):
    m = tf.Module()
    m.w, m.u = weights(tf, 3, 16), weights(tf, 4, 16, seed=2)
    m.b = tf.Variable(tf.zeros(16))

    def f(x):
        h = c = tf.zeros([tf.shape(x)[0], 4])
        for t in tf.range(tf.shape(x)[1]):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[
                    (h, tf.TensorShape([None, 4])),
                    (c, tf.TensorShape([None, 4])),
                ]
            )
            i, g, o, k = tf.split(x[:, t] @ m.w + h @ m.u + m.b, 4, axis=1)
            c = tf.sigmoid(k) * c + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
        return h

    spec = tf.TensorSpec([None, None, 3], tf.float32)
    m.f = tf.function(f, input_signature=[spec])
    return m


@model([("f", [rows(2, 6, 3)])], trained=["w"])
def gru(tf):
    m = tf.Module()
    m.w, m.u = weights(tf, 3, 12), weights(tf, 4, 12, seed=2)

    def step(h, x):
        r, z, n = tf.split(x @ m.w, 3, axis=1)
        a, b, c = tf.split(h @ m.u, 3, axis=1)
        z = tf.sigmoid(z + b)
        return (1 - z) * tf.tanh(n + tf.sigmoid(r + a) * c) + z * h

    def f(x):
        x = tf.transpose(x, [1, 0, 2])
        return tf.scan(step, x, initializer=tf.zeros([tf.shape(x)[1], 4]))

    spec = tf.TensorSpec([None, None, 3], tf.float32)
    m.f = tf.function(f, input_signature=[spec])
    return m


@model([("f", [rows(2, 5, 8)])], trained=["q", "o"])
def transformer(tf):
    m = tf.Module()
    for i, name in enumerate("qkvo"):
        setattr(m, name, weights(tf, 8, 8, seed=i, name=name))
    m.f1, m.f2 = weights(tf, 8, 16, seed=7), weights(tf, 16, 8, seed=8)
    m.g = tf.Variable(tf.ones(8))

    def norm(x):
        mean, var = tf.nn.moments(x, [-1], keepdims=True)
        return (x - mean) * tf.math.rsqrt(var + 1e-6) * m.g

    def heads(x):
        return tf.transpose(tf.reshape(x, [tf.shape(x)[0], -1, 2, 4]), [0, 2, 1, 3])

    def f(x):
        y = norm(x)
        q, k, v = (heads(tf.einsum("btd,de->bte", y, w)) for w in (m.q, m.k, m.v))
        a = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 2.0)
        y = tf.reshape(tf.transpose(a @ v, [0, 2, 1, 3]), tf.shape(x))
        x = x + tf.einsum("btd,de->bte", y, m.o)
        return x + tf.einsum(
            "bth,hd->btd", tf.nn.gelu(tf.einsum("btd,dh->bth", norm(x), m.f1)), m.f2
        )

    spec = tf.TensorSpec([None, None, 8], tf.float32)
    m.f = tf.function(f, input_signature=[spec])
    return m


@model([("f", [rows(1, 8, 8, 2)])], trained=["a"])
def u_net(tf):
    m = tf.Module()
    m.a, m.b = weights(tf, 3, 3, 2, 4), weights(tf, 3, 3, 4, 4, seed=2)
    m.c, m.d = weights(tf, 2, 2, 4, 4, seed=3), weights(tf, 1, 1, 8, 2, seed=4)

    def f(x):
        down = tf.nn.relu(tf.nn.conv2d(x, m.a, 1, "SAME"))
        low = tf.nn.avg_pool2d(down, 2, 2, "SAME")
        low = tf.nn.relu(tf.nn.conv2d(low, m.b, 1, "SAME"))
        shape = tf.shape(down)
        up = tf.nn.conv2d_transpose(low, m.c, shape, 2, "SAME")
        return tf.nn.conv2d(tf.concat([up, down], -1), m.d, 1, "SAME")

    m.f = tf.function(f, input_signature=[tf.TensorSpec([1, 8, 8, 2], tf.float32)])
    return m


@model([("f", [rows(4, 3)])], trained=["gamma"])
def batch_norm(tf):
    m = tf.Module()
    m.gamma, m.beta = tf.Variable(tf.ones(3)), tf.Variable(tf.zeros(3))
    m.mean = tf.Variable([0.1, 0.2, 0.3], trainable=False)
    m.var = tf.Variable([1.0, 2.0, 3.0], trainable=False)
    spec = tf.TensorSpec([None, 3], tf.float32)
    m.f = tf.function(
        lambda x: tf.nn.batch_normalization(x, m.mean, m.var, m.beta, m.gamma, 1e-3),
        input_signature=[spec],
    )
    return m


@model([("f", [np.int32(7)]), ("f", [np.int32(0)])], exact=True)
def loop_with_branch(tf):
    m = tf.Module()
    m.v = tf.Variable(10)

    def f(n):
        s = tf.constant(0)
        for i in tf.range(n):
            if i % 2 == 0:
                s += i * m.v
        return s

    m.f = tf.function(f, input_signature=[tf.TensorSpec([], tf.int32)])
    return m


@model([("f", [np.float32(1.0), np.float32(30.0)])])
def nested_control_flow(tf):
    m = tf.Module()

    def f(x, limit):
        while x < limit:
            if x > 10.0:
                while x < 20.0:
                    x = x + 3.0
                x = x * 1.5
            else:
                x = x * 2.0 + 1.0
        return x

    spec = tf.TensorSpec([], tf.float32)
    m.f = tf.function(f, input_signature=[spec, spec])
    return m


@model([("f", [np.int32(i), np.float32(2.0)]) for i in range(4)])
def switch_case(tf):
    m = tf.Module()
    m.v = tf.Variable(3.0)

    def f(i, x):
        cases = [lambda: x * m.v, lambda: x + m.v, lambda: x - m.v]
        return tf.switch_case(i, cases, default=lambda: x)

    specs = [tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32)]
    m.f = tf.function(f, input_signature=specs)
    return m


@model([("f", [X]), ("f", [X, 3]), ("f", [X, 3, np.float32(2.0)])])
def several_traces(tf):
    m = tf.Module()

    @tf.function
    def f(x, k=2, scale=None):
        y = x * float(k)
        return y if scale is None else y * scale

    m.f = f
    f(tf.constant(X)), f(tf.constant(X), 3)
    f(tf.constant(X), 3, tf.constant(1.0))
    return m


@model([("f", [[X, {"b": X, "a": X}]])])
def structured(tf):
    m = tf.Module()

    @tf.function
    def f(parts):
        x, named = parts
        return {"sum": x + named["a"], "all": [named["b"], (x, None)]}

    m.f = f
    f([tf.constant(X), {"a": tf.constant(X), "b": tf.constant(X)}])
    return m


@model([("f", [X]), ("g", [X])], signatures=["f", "g"])
def several_signatures(tf):
    m = tf.Module()
    m.v = tf.Variable(2.0)
    spec = tf.TensorSpec([None, 3], tf.float32, name="x")
    m.f = tf.function(lambda x: {"y": x * m.v, "z": x}, input_signature=[spec])
    m.g = tf.function(lambda x: [x + m.v, x - m.v], input_signature=[spec])
    return m


@model([("f", [X, X])], signatures=["f"])
def signature_of_two(tf):
    m = tf.Module()
    spec = tf.TensorSpec([None, 3], tf.float32)
    m.f = tf.function(lambda a, b: a - 2.0 * b, input_signature=[spec, spec])
    return m


@model([("f", [X, 2 * X, X + 1])], signatures=["f"])
def signature_of_unsorted_names(tf):
    m = tf.Module()
    specs = [tf.TensorSpec([None, 3], tf.float32, name=name) for name in "xab"]
    m.f = tf.function(
        lambda x, a, b: {"z": x - 2.0 * a, "c": b / (x + 9.0)}, input_signature=specs
    )
    return m


@model([("f", [np.float32(1.5)])] * 3, exact=True)
def counter(tf):
    m = tf.Module()
    m.total = tf.Variable(0.0)
    spec = tf.TensorSpec([], tf.float32)
    m.f = tf.function(lambda x: m.total.assign_add(x) * 1.0, input_signature=[spec])
    return m


@model([("f", [X])])
def captured_constant(tf):
    m = tf.Module()
    c = tf.constant(rows(3, 2, seed=9))
    m.f = tf.function(
        lambda x: x @ c, input_signature=[tf.TensorSpec([None, 3], tf.float32)]
    )
    return m


TEXTS = np.array([b"a", b"b", b"zz"], object)


@model([("f", [TEXTS])], exact=True)
def static_table(tf):
    m = tf.Module()
    m.t = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], [5, 6]), -1
    )
    spec = tf.TensorSpec([None], tf.string)
    m.f = tf.function(lambda x: m.t.lookup(x), input_signature=[spec])
    return m


@model([("f", [TEXTS])], exact=True)
def mutable_table(tf):
    m = tf.Module()
    m.t = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    m.t.insert(tf.constant(["zz"]), tf.constant([9], tf.int64))
    spec = tf.TensorSpec([None], tf.string)
    m.f = tf.function(lambda x: m.t.lookup(x), input_signature=[spec])
    return m


@model([("f", [TEXTS])], exact=True)
def dense_table(tf):
    m = tf.Module()
    m.t = tf.lookup.experimental.DenseHashTable(
        tf.string, tf.int64, -1, empty_key="", deleted_key="$"
    )
    m.t.insert(tf.constant(["zz", "a"]), tf.constant([9, 8], tf.int64))
    spec = tf.TensorSpec([None], tf.string)
    m.f = tf.function(lambda x: m.t.lookup(x), input_signature=[spec])
    return m


@model([("f", [TEXTS])], exact=True)
def vocabulary(tf):
    m = tf.Module()
    m.t = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64)),
        3,
    )
    spec = tf.TensorSpec([None], tf.string)
    m.f = tf.function(lambda x: m.t.lookup(x), input_signature=[spec])
    return m


@model([("f", [np.array([b"The cat", b"a b c"], object)])], exact=True)
def text_preprocessing(tf):
    m = tf.Module()
    m.t = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["the", "cat", "a"], [1, 2, 3]), 0
    )

    def f(x):
        words = tf.strings.split(tf.strings.lower(x))
        return tf.ragged.map_flat_values(m.t.lookup, words).to_tensor()

    m.f = tf.function(f, input_signature=[tf.TensorSpec([None], tf.string)])
    return m


@model([("f", [X])])
def shared_variable(tf):
    m = tf.Module()
    m.v = tf.Variable(2.0, name="v")
    m.inner = tf.Module()
    m.inner.same = m.v
    spec = tf.TensorSpec([None, 3], tf.float32)
    m.f = tf.function(lambda x: x * m.inner.same, input_signature=[spec])
    return m


@model([("deep.parts.0.f", [X]), ("deep.named.b.f", [X])])
def nested_modules(tf):
    def part(k):
        m = tf.Module()
        m.v = tf.Variable(float(k))
        m.f = tf.function(
            lambda x: x * m.v, input_signature=[tf.TensorSpec([None, 3], tf.float32)]
        )
        return m

    m = tf.Module()
    m.deep = tf.Module()
    m.deep.parts = [part(1), part(2)]
    m.deep.named = {"a": part(3), "b": part(4)}
    return m


@model([("f", [X])])
def function_in_function(tf):
    m = tf.Module()
    m.v = tf.Variable(2.0)

    @tf.function
    def inner(x):
        return x * m.v

    spec = tf.TensorSpec([None, 3], tf.float32)
    m.f = tf.function(lambda x: inner(inner(x)) + inner(x), input_signature=[spec])
    return m


@model([("f", [X])])
def map_and_fold(tf):
    m = tf.Module()
    m.v = tf.Variable(2.0)

    def f(x):
        y = tf.map_fn(lambda r: tf.reduce_sum(r) * m.v, x)
        return tf.foldl(lambda a, b: a * 0.5 + b, y)

    m.f = tf.function(f, input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    return m


@model([("f", [rows(3, 4, seed=3)])])
def tensor_array(tf):
    m = tf.Module()

    def f(x):
        n = tf.shape(x)[0]
        a = tf.TensorArray(tf.float32, size=n, element_shape=[4])
        for i in tf.range(n):
            a = a.write(i, x[i] * tf.cast(i, tf.float32))
        return a.stack()

    m.f = tf.function(f, input_signature=[tf.TensorSpec([None, 4], tf.float32)])
    return m
