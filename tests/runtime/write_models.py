"""Writes the models that a small library is measured and compared with.

usage: write_models.py FOLDER [NAME...]

Each is saved as FOLDER/NAME: mlp, cnn, lstm, gru, transformer, unet, other. Weights are
drawn from seeds, so that two runs write the same values. FOLDER/graph is a file, the
graph of an mlp by itself, with its weights as constants.
"""

import sys
from pathlib import Path

import numpy as np

import graphkiln as tf


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self._random = np.random.default_rng(len(type(self).__name__))

    def weights(self, *shape):
        scale = 1 / np.sqrt(np.prod(shape[:-1]) or 1)
        drawn = self._random.normal(0, scale, shape).astype(np.float32)
        return tf.Variable(drawn, name=f"w{len(self.variables)}")


class MLP(Model):
    def __init__(self):
        super().__init__()
        self.w = [self.weights(12, 32), self.weights(32, 32), self.weights(32, 5)]
        self.b = [self.weights(32), self.weights(32), self.weights(5)]

    @tf.function(input_signature=[tf.TensorSpec([None, 12], tf.float32, "x")])
    def __call__(self, x):
        for w, b in zip(self.w[:-1], self.b[:-1], strict=True):
            x = tf.nn.relu(tf.nn.bias_add(x @ w, b))
        logits = tf.nn.bias_add(x @ self.w[-1], self.b[-1])
        return {"scores": tf.nn.softmax(logits)}


class CNN(Model):
    def __init__(self):
        super().__init__()
        self.filters = [self.weights(3, 3, 3, 8), self.weights(3, 3, 8, 16)]
        self.depth = self.weights(3, 3, 16, 1)
        self.point = self.weights(1, 1, 16, 16)
        self.scale = [self.weights(8), self.weights(16)]
        self.mean = [self.weights(8), self.weights(16)]
        self.w, self.b = self.weights(16, 10), self.weights(10)

    @tf.function(input_signature=[tf.TensorSpec([None, 32, 32, 3], tf.float32, "x")])
    def __call__(self, x):
        for f, s, m in zip(self.filters, self.scale, self.mean, strict=True):
            x = tf.nn.conv2d(x, f, 1, "SAME")
            x, *_ = tf.raw_ops.FusedBatchNormV3(
                x=x, scale=s, offset=m, mean=m, variance=s * s + 1.0, is_training=False
            )
            x = tf.nn.max_pool2d(tf.nn.relu6(x), 2, 2, "SAME")
        x = tf.nn.depthwise_conv2d(x, self.depth, [1, 1, 1, 1], "SAME")
        x = tf.nn.avg_pool2d(
            tf.nn.relu(tf.nn.conv2d(x, self.point, 1, "SAME")), 2, 2, "VALID"
        )
        x = tf.reduce_mean(x, [1, 2])
        scores = tf.nn.softmax(tf.nn.bias_add(tf.reshape(x, [-1, 16]) @ self.w, self.b))
        return {"scores": scores, "best": tf.argmax(scores, axis=-1)}


class LSTM(Model):
    def __init__(self):
        super().__init__()
        self.w, self.u, self.b = (
            self.weights(6, 32),
            self.weights(8, 32),
            self.weights(32),
        )
        self.out = self.weights(8, 3)

    @tf.function(input_signature=[tf.TensorSpec([None, None, 6], tf.float32, "x")])
    def __call__(self, x):
        steps, rows = tf.shape(x)[1], tf.shape(x)[0]
        rows_first = tf.transpose(x, [1, 0, 2])
        inputs = tf.TensorArray(tf.float32, size=steps).unstack(rows_first)
        outputs = tf.TensorArray(tf.float32, size=steps, element_shape=[None, 8])
        h = c = tf.zeros([rows, 8])
        for t in tf.range(steps):
            z = tf.nn.bias_add(inputs.read(t) @ self.w + h @ self.u, self.b)
            i, f, g, o = tf.split(z, 4, axis=1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
            outputs = outputs.write(t, h)
        return {"all": tf.transpose(outputs.stack(), [1, 0, 2]), "last": h @ self.out}


class GRU(Model):
    def __init__(self):
        super().__init__()
        self.w, self.u = self.weights(6, 24), self.weights(8, 24)
        self.b = self.weights(2, 24)

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, None, 6], tf.float32, "x"),
            tf.TensorSpec([None], tf.int32, "lengths"),
        ]
    )
    def __call__(self, x, lengths):
        h = tf.zeros([tf.shape(x)[0], 8])
        b, c = tf.unstack(self.b)
        for t in tf.range(tf.shape(x)[1]):
            given = tf.split(tf.nn.bias_add(x[:, t] @ self.w, b), 3, axis=-1)
            kept = tf.split(tf.nn.bias_add(h @ self.u, c), 3, axis=-1)
            z = tf.sigmoid(given[0] + kept[0])
            r = tf.sigmoid(given[1] + kept[1])
            new = z * h + (1 - z) * tf.tanh(given[2] + r * kept[2])
            h = tf.where(tf.expand_dims(t < lengths, -1), new, h)
        return {"state": h}


class Transformer(Model):
    def __init__(self):
        super().__init__()
        self.embedding, self.place = self.weights(50, 16), self.weights(20, 16)
        self.q, self.k, self.v = (self.weights(16, 2, 8) for _ in range(3))
        self.o = self.weights(2, 8, 16)
        self.up, self.down = self.weights(16, 64), self.weights(64, 16)
        self.gain, self.bias = self.weights(16), self.weights(16)

    def norm(self, x):
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, self.bias, self.gain, 1e-5)

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32, "ids")])
    def __call__(self, ids):
        ids = tf.math.floormod(ids, 50)
        n = tf.shape(ids)[1]
        x = tf.gather(self.embedding, ids) + self.place[:n]
        y = self.norm(x)
        q, k, v = (tf.einsum("btd,dhe->bthe", y, w) for w in (self.q, self.k, self.v))
        scores = tf.einsum("bqhe,bkhe->bhqk", q, k) / 8**0.5
        seen = tf.linalg.band_part(tf.ones([n, n]), -1, 0)
        scores = tf.nn.softmax(scores + (1 - seen) * -1e9)
        x += tf.einsum("bqhe,hed->bqd", tf.einsum("bhqk,bkhe->bqhe", scores, v), self.o)
        y = self.norm(x)
        x += tf.einsum(
            "btf,fd->btd", tf.nn.gelu(tf.einsum("btd,df->btf", y, self.up)), self.down
        )
        logits = tf.matmul(x, self.embedding, transpose_b=True)
        return {"logits": logits, "next": tf.argmax(logits[:, -1], -1, tf.int32)}


class UNet(Model):
    def __init__(self):
        super().__init__()
        self.down = [self.weights(3, 3, 1, 4), self.weights(3, 3, 4, 8)]
        self.middle = self.weights(3, 3, 8, 8)
        self.up = [self.weights(2, 2, 8, 8), self.weights(3, 3, 16, 4)]
        self.last = self.weights(1, 1, 8, 1)

    @tf.function(
        input_signature=[tf.TensorSpec([None, 16, 16, 1], tf.float32, "image")]
    )
    def __call__(self, image):
        a = tf.nn.leaky_relu(tf.nn.conv2d(image, self.down[0], 1, "SAME"))
        b = tf.nn.elu(
            tf.nn.conv2d(tf.nn.max_pool2d(a, 2, 2, "VALID"), self.down[1], 1, "SAME")
        )
        c = tf.nn.relu(
            tf.nn.conv2d(tf.nn.max_pool2d(b, 2, 2, "VALID"), self.middle, 1, "SAME")
        )
        size = tf.concat([tf.shape(b)[:3], [8]], 0)
        d = tf.concat([tf.nn.conv2d_transpose(c, self.up[0], size, 2), b], -1)
        d = tf.nn.relu(
            tf.nn.conv2d(
                tf.pad(d, [[0, 0], [1, 1], [1, 1], [0, 0]]), self.up[1], 1, "VALID"
            )
        )
        e = tf.concat([tf.image.resize(d, [16, 16]), a], -1)
        return {"mask": tf.sigmoid(tf.nn.conv2d(e, self.last, 1, "SAME"))}


class Other(Model):
    """Of an op that none of the others has."""

    def __init__(self):
        super().__init__()
        self.w = self.weights(3)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, "x")])
    def __call__(self, x):
        return {"y": tf.math.lgamma(x) * self.w[0]}


MODELS = (MLP, CNN, LSTM, GRU, Transformer, UNet, Other)


def write_graph(path):
    draw = np.random.default_rng(7).normal
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 12], name="x")
        hidden = tf.nn.relu(x @ draw(0, 0.3, (12, 32)).astype(np.float32))
        logits = tf.nn.bias_add(
            hidden @ draw(0, 0.2, (32, 5)).astype(np.float32),
            draw(0, 1, 5).astype(np.float32),
        )
        tf.nn.softmax(logits, name="scores")
    path.write_bytes(graph.as_graph_def().SerializeToString())


def main():
    folder, *names = sys.argv[1:]
    for model in MODELS:
        name = model.__name__.lower()
        if not names or name in names:
            tf.saved_model.save(model(), str(Path(folder, name)))
    if not names or "graph" in names:
        write_graph(Path(folder, "graph"))


if __name__ == "__main__":
    main()
