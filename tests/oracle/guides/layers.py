"""Three layers of Keras that guides on gradients use, as modules.

What such a guide shows is how tapes and functions treat a layer's variables; with
these it runs whole before Keras does, the same layers on both modules.
"""

from __future__ import annotations

import types


def _made(tf):
    class Layer(tf.Module):
        def __init__(self, activation=None):
            super().__init__()
            named = getattr(tf.nn, activation) if isinstance(activation, str) else None
            self.activation = named or activation or tf.identity
            self.kernel = None

        def start(self, shape):
            if self.kernel is None:
                with tf.init_scope():
                    scale = tf.cast(tf.reduce_prod(shape[:-1]), tf.float32) ** -0.5
                    values = tf.random.normal(shape) * scale
                    self.kernel = tf.Variable(values, name="kernel")
                    self.bias = tf.Variable(tf.zeros(shape[-1:]), name="bias")

    class Dense(Layer):
        def __init__(self, units, activation=None):
            super().__init__(activation)
            self.units = units

        def __call__(self, x):
            self.start([x.shape[-1], self.units])
            return self.activation(x @ self.kernel + self.bias)

    class Conv2D(Layer):
        def __init__(self, filters, size, activation=None):
            super().__init__(activation)
            self.filters, self.size = filters, size

        def __call__(self, x):
            self.start([self.size, self.size, x.shape[-1], self.filters])
            y = tf.nn.conv2d(x, self.kernel, 1, "VALID")
            return self.activation(y + self.bias)

    class BatchNormalization(tf.Module):
        def __call__(self, x, training=False):
            mean, variance = tf.nn.moments(x, [0])
            return tf.nn.batch_normalization(x, mean, variance, None, None, 1e-3)

    return Dense, BatchNormalization, Conv2D


def stand_in(tf) -> None:
    layers = {kind.__name__: kind for kind in _made(tf)}
    tf.keras = types.SimpleNamespace(layers=types.SimpleNamespace(**layers))
