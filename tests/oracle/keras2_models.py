"""SavedModels of Keras' second version, the package tf_keras.

usage: keras2_models.py MODULE save|load FOLDER

MODULE is graphkiln or tensorflow. Saves models in the folder, or loads those that are
there. Prints one JSON object a model: its name, and the numbers that it gives and learns
by.
"""

from __future__ import annotations

import json
import os
import sys

if sys.argv[1] == "graphkiln":
    import graphkiln

    graphkiln.as_tensorflow()
import numpy as np
import tensorflow as tf
import tf_keras as keras

layers = keras.layers
X = np.random.default_rng(0).normal(size=(16, 8)).astype("float32")
WORDS = tf.constant([["a b"], ["b c"], ["c c"], ["d a"]] * 4)


class Several(keras.Model):
    """Its class is not there when it is loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.first = layers.Dense(3, activation="relu")
        self.rest = [layers.Dense(2), layers.Dense(1)]
        self.named = {"dropout": layers.Dropout(0.5)}

    def call(self, x, training=False):
        x = self.named["dropout"](self.first(x), training=training)
        for layer in self.rest:
            x = layer(x)
        return x


class Product(layers.Layer):
    """So is this one's."""

    def build(self, shape):
        self.kernel = self.add_weight("kernel", (shape[-1], 2))
        self.turns = self.add_weight("turns", (), trainable=False)

    def call(self, x):
        self.add_loss(tf.reduce_sum(self.kernel**2))
        return tf.matmul(x, self.kernel)


def functional() -> keras.Model:
    inputs = keras.Input((8,))
    hidden = tf.nn.relu(layers.Dense(3)(inputs)) * 2.0 + inputs[:, :3]
    inner = keras.Sequential([layers.Dense(2), layers.BatchNormalization()])
    return keras.Model(inputs, layers.Dense(1)(inner(hidden)))


def words() -> keras.Model:
    vectors = layers.TextVectorization(output_sequence_length=2)
    vectors.adapt(WORDS)
    return keras.Sequential(
        [
            keras.Input((1,), dtype=tf.string),
            vectors,
            layers.Embedding(6, 2),
            layers.Flatten(),
            layers.Dense(1),
        ]
    )


def recurrent() -> keras.Model:
    return keras.Sequential(
        [
            keras.Input((None, 2)),
            layers.LSTM(3, return_sequences=True),
            layers.Bidirectional(layers.GRU(2)),
            layers.Dense(1),
        ]
    )


MODELS = {
    "several": (Several, X),
    "product": (lambda: keras.Sequential([keras.Input((8,)), Product()]), X),
    "functional": (functional, X),
    "words": (words, WORDS),
    "recurrent": (recurrent, X.reshape(16, 4, 2)),
}


def main() -> None:
    how, folder = sys.argv[2:]
    for name, (make, inputs) in MODELS.items():
        path = os.path.join(folder, name)
        if how == "save":
            keras.utils.set_random_seed(3)
            model = make()
            model.compile("adam", "mse", metrics=["mae"])
            model.fit(inputs, X[:, :1], shuffle=False, verbose=0)
            model.save(path, save_format="tf")
        else:
            model = keras.models.load_model(path)
        found = [*np.ravel(model.predict(inputs[:3], verbose=0))]
        found += model.evaluate(inputs, X[:, :1], verbose=0)
        found += [len(model.weights), len(model.trainable_weights)]
        if name != "several":  # which draws
            history = model.fit(inputs, X[:, :1], shuffle=False, verbose=0).history
            found += history["loss"]
            found += [*np.ravel(model.predict(inputs[:3], verbose=0))]
        print(json.dumps({"program": name, "numbers": [float(v) for v in found]}))


if __name__ == "__main__":
    main()
