"""Programs of the real Keras: each shows numbers. Run by test_keras.py on either
module.

usage: keras_programs.py NAME FOLDER
"""

from __future__ import annotations

import json
import sys

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(7)
rng = np.random.default_rng(7)
X = rng.standard_normal((96, 6)).astype("float32")
Y = (X[:, :1] * 2 - X[:, 1:2] + 0.5).astype("float32")
LABELS = (X[:, 0] > 0).astype("int32")


def mlp() -> keras.Model:
    return keras.Sequential(
        [
            keras.layers.Input((6,)),
            keras.layers.Dense(12, activation="relu"),
            keras.layers.BatchNormalization(),
            keras.layers.Dropout(0.2),
            keras.layers.Dense(1),
        ]
    )


def sequential(folder: str) -> list:
    model = mlp()
    model.compile("adam", "mse", metrics=["mae"])
    history = model.fit(X, Y, epochs=3, batch_size=16, verbose=0)
    return [
        history.history["loss"],
        history.history["mae"],
        model.evaluate(X, Y, verbose=0),
        model.predict(X[:5], verbose=0).ravel().tolist(),
    ]


def several_steps(folder: str) -> list:
    model = mlp()
    model.compile(
        keras.optimizers.SGD(0.05, momentum=0.9), "mse", steps_per_execution=4
    )
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)
    return [model.fit(data, epochs=2, verbose=0).history["loss"]]


def functional(folder: str) -> list:
    inputs = keras.Input((6,), name="x")
    hidden = keras.layers.Dense(8, activation="gelu")(inputs)
    wide = keras.layers.Concatenate()([hidden, inputs])
    classes = keras.layers.Dense(2, activation="softmax", name="classes")(wide)
    value = keras.layers.Dense(1, name="value")(wide)
    model = keras.Model(inputs, {"classes": classes, "value": value})
    model.compile(
        "rmsprop",
        {"classes": "sparse_categorical_crossentropy", "value": "mse"},
        metrics={"classes": "accuracy"},
    )
    targets = {"classes": LABELS, "value": Y}
    history = model.fit(X, targets, epochs=2, batch_size=32, verbose=0)
    path = f"{folder}/model.keras"
    model.save(path)
    again = keras.models.load_model(path)
    return [
        history.history["loss"],
        again.predict(X[:3], verbose=0)["classes"].ravel().tolist(),
    ]


def recurrent(folder: str) -> list:
    sequences = rng.standard_normal((32, 9, 4)).astype("float32")
    model = keras.Sequential(
        [keras.layers.Input((9, 4)), keras.layers.LSTM(5), keras.layers.Dense(1)]
    )
    model.compile("adam", "mse")
    targets = sequences.sum((1, 2))[:, None]
    return [model.fit(sequences, targets, epochs=2, verbose=0).history["loss"]]


def convolutional(folder: str) -> list:
    pictures = rng.random((24, 8, 8, 1)).astype("float32")
    model = keras.Sequential(
        [
            keras.layers.Input((8, 8, 1)),
            keras.layers.Conv2D(4, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
            keras.layers.Dense(3),
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adamw", loss)
    targets = rng.integers(0, 3, 24)
    return [model.fit(pictures, targets, epochs=2, verbose=0).history["loss"]]


def own_step(folder: str) -> list:
    class Own(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = keras.layers.Dense(1)
            self.told = keras.metrics.Mean(name="loss")

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
            gradients = tape.gradient(loss, self.trainable_weights)
            self.optimizer.apply(gradients, self.trainable_weights)
            self.told.update_state(loss)
            return {"loss": self.told.result()}

    model = Own()
    model.compile("adam")
    return [model.fit(X, Y, epochs=2, verbose=0).history["loss"]]


def exported(folder: str) -> list:
    """What the other module loads in turn."""
    model = mlp()
    path = f"{folder}/exported"
    model.export(path, verbose=False)
    loaded = tf.saved_model.load(path)
    theirs, own = loaded.serve(X[:4]).numpy(), model.predict(X[:4], verbose=0)
    return [np.abs(theirs - own).max().item()]


def load(folder: str) -> list:
    loaded = tf.saved_model.load(f"{folder}/exported")
    return [loaded.serve(X[:4]).numpy().tolist()]


def checkpointed(folder: str) -> list:
    model = mlp()
    model.compile("adam", "mse")
    model.fit(X, Y, epochs=1, verbose=0)
    path = tf.train.Checkpoint(model=model).write(f"{folder}/checkpoint")
    before = model.predict(X[:3], verbose=0).tolist()
    other = mlp()
    other.compile("adam", "mse")
    other.fit(X, Y, epochs=1, verbose=0)
    tf.train.Checkpoint(model=other).read(path).expect_partial()
    after = other.predict(X[:3], verbose=0).tolist()
    names = sorted(
        name for name, _ in tf.train.list_variables(path) if "optimizer" not in name
    )
    return [before == after, names]


if __name__ == "__main__":
    name, folder = sys.argv[1:]
    print(json.dumps(globals()[name](folder)))
