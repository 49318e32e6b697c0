"""Programs of users of Keras' second version, the package tf_keras.

usage: keras2_programs.py MODULE [NAME...]

MODULE is graphkiln or tensorflow. Prints one JSON object a program: its name, and the
numbers that it gives or its error.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import traceback

if sys.argv[1] == "graphkiln":
    import graphkiln

    graphkiln.as_tensorflow()
import numpy as np
import tensorflow as tf
import tf_keras as keras

layers = keras.layers
RNG = np.random.default_rng(0)
X = RNG.normal(size=(64, 8)).astype("float32")
Y = (X[:, :1] * 2 - X[:, 1:2] + 0.5).astype("float32")
CLASSES = (X.sum(1) > 0).astype("int64")
PICTURES = RNG.normal(size=(32, 8, 8, 3)).astype("float32")
TOKENS = RNG.integers(1, 20, (32, 6))


def seeded() -> None:
    keras.utils.set_random_seed(3)


def losses(history) -> list[float]:
    return [v for _, values in sorted(history.history.items()) for v in values]


def fit_sequential() -> list[float]:
    seeded()
    model = keras.Sequential([layers.Dense(16, activation="relu"), layers.Dense(1)])
    model.compile("adam", "mse", metrics=["mae"])
    history = model.fit(X, Y, batch_size=16, epochs=3, verbose=0)
    return losses(history) + model.evaluate(X, Y, verbose=0)


def fit_functional() -> list[float]:
    seeded()
    inputs = keras.Input((8,))
    hidden = layers.Dense(8, activation="tanh")(inputs)
    hidden = layers.BatchNormalization()(hidden)
    hidden = layers.Dropout(0.1)(hidden)
    joined = layers.Concatenate()([hidden, inputs])
    outputs = layers.Dense(2, activation="softmax")(joined)
    model = keras.Model(inputs, outputs)
    model.compile(
        keras.optimizers.SGD(0.1, momentum=0.9),
        "sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    history = model.fit(
        X,
        CLASSES,
        batch_size=16,
        epochs=3,
        shuffle=False,
        verbose=0,
        validation_data=(X, CLASSES),
    )
    return losses(history)


def ops_on_keras_tensors() -> list[float]:
    seeded()
    inputs = keras.Input((8,))
    x = tf.reshape(inputs, [-1, 4, 2]) * 2.0
    x = tf.reduce_sum(x, axis=-1) + tf.math.exp(-inputs[:, :4])
    x = tf.concat([x, tf.square(inputs)], 1)
    x = tf.where(x > 0, x, 0.1 * x)
    model = keras.Model(inputs, layers.Dense(3)(x))
    again = keras.Model.from_config(model.get_config())
    again.set_weights(model.get_weights())
    return [*model(X[:4]).numpy().ravel(), *again.predict(X[:4], verbose=0).ravel()]


class Block(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.first = layers.Dense(8, activation="relu")
        self.rest = [layers.Dense(8), layers.Dense(1)]

    def call(self, x, training=False):
        x = self.first(x)
        if training:
            x = x * 1.1
        for layer in self.rest:
            x = layer(x)
        return x


def fit_subclassed() -> list[float]:
    seeded()
    model = Block()
    model.compile("rmsprop", keras.losses.Huber())
    return losses(model.fit(X, Y, epochs=2, batch_size=32, shuffle=False, verbose=0))


class Custom(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.dense = layers.Dense(1)
        self.told = keras.metrics.Mean(name="told")

    def call(self, x):
        return self.dense(x)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.abs(y - self(x, training=True)))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(
            zip(grads, self.trainable_variables, strict=True)
        )
        self.told.update_state(loss)
        return {"told": self.told.result()}


def custom_train_step() -> list[float]:
    seeded()
    model = Custom()
    model.compile(keras.optimizers.Adam(0.01))
    return losses(model.fit(X, Y, epochs=3, batch_size=16, shuffle=False, verbose=0))


def convolutional() -> list[float]:
    seeded()
    model = keras.Sequential(
        [
            layers.Conv2D(4, 3, activation="relu", input_shape=(8, 8, 3)),
            layers.MaxPooling2D(),
            layers.SeparableConv2D(4, 2),
            layers.GlobalAveragePooling2D(),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy")
    labels = CLASSES[:32]
    history = model.fit(
        PICTURES, labels, epochs=2, batch_size=8, shuffle=False, verbose=0
    )
    return losses(history)


def recurrent() -> list[float]:
    seeded()
    model = keras.Sequential(
        [
            layers.Embedding(20, 4, mask_zero=True),
            layers.Bidirectional(layers.RNN(layers.LSTMCell(4), return_sequences=True)),
            layers.RNN(layers.GRUCell(3)),
            layers.Dense(1),
        ]
    )
    model.compile("adam", "mse")
    history = model.fit(
        TOKENS, Y[:32], epochs=2, batch_size=8, shuffle=False, verbose=0
    )
    return losses(history)


def recurrent_layers() -> list[float]:
    """Of which functions trace another implementation, for GPUs."""
    found = []
    sequences = PICTURES.reshape(32, 16, 12)
    for layer in (
        layers.LSTM(4),
        layers.GRU(3, go_backwards=True),
        layers.GRU(3, reset_after=False),
        layers.Bidirectional(layers.LSTM(2)),
        keras.Sequential([layers.Masking(), layers.LSTM(3), layers.Flatten()]),
        layers.LSTM(3, unroll=True),
    ):
        seeded()
        model = keras.Sequential([layer, layers.Dense(1)])
        model.compile("adam", "mse")
        history = model.fit(sequences, Y[:32], batch_size=16, shuffle=False, verbose=0)
        found += losses(history) + [*np.ravel(model.predict(sequences[:2], verbose=0))]

    seeded()
    lstm = layers.LSTM(3, return_sequences=True, return_state=True)

    @tf.function
    def gradients(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            every, last, cells = lstm(x)
            loss = tf.reduce_sum(every**2) + tf.reduce_sum(last * cells)
        return tape.gradient(loss, [x, *lstm.trainable_variables])

    for gradient in gradients(tf.constant(sequences[:4])):
        found += [*np.ravel(gradient)[:5]]
    return found


def ragged() -> list[float]:
    seeded()
    inputs = keras.Input((None, 3), ragged=True)
    model = keras.Model(inputs, layers.LSTM(2)(inputs))
    rows = tf.RaggedTensor.from_row_lengths(PICTURES.reshape(-1, 3)[:9], [2, 4, 3])
    return [*np.ravel(model.predict(rows, verbose=0))]


def attention() -> list[float]:
    seeded()
    inputs = keras.Input((6,), dtype="int64")
    x = layers.Embedding(20, 8)(inputs)
    x = layers.MultiHeadAttention(2, 4)(x, x) + x
    x = layers.LayerNormalization()(x)
    model = keras.Model(inputs, layers.Dense(1)(layers.Flatten()(x)))
    model.compile("adam", "mse")
    history = model.fit(
        TOKENS, Y[:32], epochs=2, batch_size=8, shuffle=False, verbose=0
    )
    return losses(history)


def datasets() -> list[float]:
    seeded()
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(16).repeat()
    model = keras.Sequential([layers.Dense(1, kernel_regularizer="l2")])
    model.compile(
        keras.optimizers.Adam(keras.optimizers.schedules.ExponentialDecay(0.1, 4, 0.5)),
        "mse",
    )
    history = model.fit(data, steps_per_epoch=4, epochs=2, verbose=0)
    return losses(history) + [model.evaluate(data, steps=3, verbose=0)]


def callbacks() -> list[float]:
    seeded()
    with tempfile.TemporaryDirectory() as folder:
        model = keras.Sequential([layers.Dense(4), layers.Dense(1)])
        model.compile("sgd", "mse")
        path = os.path.join(folder, "best.weights.h5")
        history = model.fit(
            X,
            Y,
            epochs=4,
            shuffle=False,
            verbose=0,
            validation_split=0.25,
            callbacks=[
                keras.callbacks.ModelCheckpoint(
                    path, save_best_only=True, save_weights_only=True
                ),
                keras.callbacks.EarlyStopping(patience=1),
                keras.callbacks.ReduceLROnPlateau(patience=1),
                keras.callbacks.TensorBoard(os.path.join(folder, "logs")),
            ],
        )
        model.load_weights(path)
        return losses(history) + [model.evaluate(X, Y, verbose=0)]


def saved() -> list[float]:
    seeded()
    model = keras.Sequential(
        [layers.Input((8,)), layers.Dense(4, "relu"), layers.Dense(1)]
    )
    model.compile("adam", "mse")
    model.fit(X, Y, epochs=1, verbose=0, shuffle=False)
    found = list(model.predict(X[:3], verbose=0).ravel())
    with tempfile.TemporaryDirectory() as folder:
        for name in ("m.keras", "m.h5"):
            path = os.path.join(folder, name)
            model.save(path)
            again = keras.models.load_model(path)
            found += list(again.predict(X[:3], verbose=0).ravel())
            found += losses(again.fit(X, Y, epochs=1, verbose=0, shuffle=False))
        path = os.path.join(folder, "checkpoint", "c")
        model.save_weights(path)
        other = keras.models.clone_model(model)
        other.load_weights(path).expect_partial()
        found += list(other.predict(X[:3], verbose=0).ravel())
        path = os.path.join(folder, "exported")
        model.export(path)
        loaded = tf.saved_model.load(path)
        found += list(loaded.serve(X[:3]).numpy().ravel())
    return found


def several_outputs() -> list[float]:
    seeded()
    inputs = {"a": keras.Input((8,), name="a"), "b": keras.Input((8,), name="b")}
    x = layers.Add()([inputs["a"], inputs["b"]])
    outputs = {"p": layers.Dense(1, name="p")(x), "q": layers.Dense(1, name="q")(x)}
    model = keras.Model(inputs, outputs)
    model.compile(
        "adam",
        {"p": "mse", "q": "mae"},
        loss_weights={"p": 1.0, "q": 0.5},
        metrics={"p": ["mse"]},
    )
    history = model.fit(
        {"a": X, "b": X}, {"p": Y, "q": -Y}, epochs=2, shuffle=False, verbose=0
    )
    return losses(history)


def mixed_precision() -> list[float]:
    seeded()
    policy = keras.mixed_precision.Policy("mixed_float16")
    model = keras.Sequential(
        [
            layers.Dense(8, activation="relu", dtype=policy),
            layers.Dense(1, dtype="float32"),
        ]
    )
    optimizer = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.Adam(0.01))
    model.compile(optimizer, "mse")
    history = model.fit(X, Y, epochs=2, batch_size=16, shuffle=False, verbose=0)
    return losses(history)


def loop_of_ones_own() -> list[float]:
    seeded()
    model = keras.Sequential([layers.Dense(4, "relu"), layers.Dense(1)])
    optimizer = keras.optimizers.legacy.Adam(0.01)
    loss = keras.losses.MeanSquaredError()
    metric = keras.metrics.RootMeanSquaredError()
    found = []

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            predicted = model(x, training=True)
            value = loss(y, predicted)
        variables = model.trainable_variables
        optimizer.apply_gradients(
            zip(tape.gradient(value, variables), variables, strict=True)
        )
        metric.update_state(y, predicted)
        return value

    for i in range(0, 64, 16):
        found.append(float(step(X[i : i + 16], Y[i : i + 16])))
    return [*found, float(metric.result())]


def metrics() -> list[float]:
    found = []
    y, p = CLASSES[:, None].astype("float32"), 1 / (1 + np.exp(-Y))
    for metric in (
        keras.metrics.AUC(),
        keras.metrics.Precision(),
        keras.metrics.Recall(),
        keras.metrics.BinaryAccuracy(),
        keras.metrics.F1Score(threshold=0.5),
        keras.metrics.MeanSquaredError(),
        keras.metrics.CosineSimilarity(),
        keras.metrics.KLDivergence(),
        keras.metrics.PrecisionAtRecall(0.5),
    ):
        metric.update_state(y, p)
        found += list(np.ravel(metric.result().numpy()))
    return found


def preprocessing() -> list[float]:
    seeded()
    words = tf.constant([["a b c"], ["b c d"], ["c c a"]])
    vectors = layers.TextVectorization(output_sequence_length=4)
    vectors.adapt(words)
    numbers = layers.Normalization()
    numbers.adapt(X)
    lookup = layers.StringLookup(vocabulary=["x", "y"], output_mode="one_hot")
    found = list(np.ravel(vectors(words).numpy()))
    found += list(np.ravel(numbers(X[:2]).numpy()))
    found += list(np.ravel(lookup(tf.constant(["y", "z"])).numpy()))
    found += list(np.ravel(layers.Discretization([0.0, 1.0])(X[:2]).numpy()))
    return found


def pictures() -> list[float]:
    seeded()
    found = []
    for layer in (
        layers.Resizing(4, 4),
        layers.CenterCrop(4, 4),
        layers.Rescaling(0.5),
        layers.ZeroPadding2D(1),
        layers.UpSampling2D(2),
        layers.AveragePooling2D(),
        layers.Conv2DTranspose(2, 3, strides=2),
        layers.DepthwiseConv2D(3),
        layers.GroupNormalization(3),
    ):
        found += list(np.ravel(layer(PICTURES[:2]).numpy())[:7])
    return found


def fit_in_graphs() -> list[float]:
    """With placeholders, a phase of learning and a session, as of old."""
    with tf.Graph().as_default(), tf.compat.v1.Session().as_default():
        tf.compat.v1.set_random_seed(3)
        model = keras.Sequential(
            [
                layers.Dense(8, activation="tanh", input_shape=(8,)),
                layers.Activation("linear"),
                layers.BatchNormalization(),
                layers.Dense(1),
            ]
        )
        weights = np.linspace(-1, 1, 8 * 8).reshape(8, 8), np.zeros(8)
        model.layers[0].set_weights(weights)
        model.layers[-1].set_weights((np.ones((8, 1)), np.zeros(1)))
        model.compile("rmsprop", "mse", metrics=["mae"])
        history = model.fit(X, Y, batch_size=16, epochs=2, shuffle=False, verbose=0)
        told = losses(history) + model.evaluate(X, Y, verbose=0)
        told += model.predict(X[:4]).ravel().tolist()
        told.append(model.train_on_batch(X, Y, sample_weight=np.arange(64.0))[0])
        backend = keras.backend
        both = backend.function([model.inputs[0]], [model.outputs[0], model.losses])
        return told + both([X[:3]])[0].ravel().tolist()


def old_optimizers_in_graphs() -> list[float]:
    told = []
    for make in (keras.optimizers.legacy.Adam, keras.optimizers.legacy.SGD):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
            pairs = [(tf.constant([0.1, 0.2]), a), (tf.constant([0.01, 3.0]), b)]
            step = make(0.1).apply_gradients(pairs)
            session.run(tf.compat.v1.global_variables_initializer())
            for _ in range(3):
                session.run(step)
                told += np.ravel(session.run([a, b])).tolist()
    return told


def layers_of_version_one():
    """Under their names inside of TensorFlow, with a regularizer each."""
    from tensorflow.python.keras.engine import input_spec
    from tensorflow.python.layers import base, core

    layers = tf.compat.v1.layers
    assert issubclass(core.Dense, base.Layer)
    with tf.Graph().as_default():
        x = tf.constant([[1.0, 2.0]])
        layer = core.Dense(
            3,
            kernel_initializer=tf.compat.v1.ones_initializer(),
            kernel_regularizer=lambda w: 0.5 * tf.reduce_sum(w * w),
        )
        y = layer.apply(x)
        z = layers.dense(
            y, 1, kernel_initializer=tf.compat.v1.ones_initializer(),
            kernel_regularizer=tf.nn.l2_loss, name="last",
        )
        losses = tf.compat.v1.get_collection(
            tf.compat.v1.GraphKeys.REGULARIZATION_LOSSES
        )
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            found = session.run([tf.reduce_sum(z), *losses])
    return [*found, len(losses), input_spec.InputSpec(min_ndim=3).min_ndim]


def evaluation_of_version_one():
    """By what tf_slim is built on; metrics with a dimension too many."""
    from tensorflow.python.ops import metrics_impl
    from tensorflow.python.training import evaluation

    one_rank = metrics_impl._remove_squeezable_dimensions
    a, b, w = one_rank(tf.ones([2, 1]), tf.ones([2]), tf.ones([2, 1]))
    found = [a.shape.rank, b.shape.rank, w.shape.rank]
    for given in ("none", "one", "a dictionary"):
        with tf.Graph().as_default():
            total = tf.compat.v1.get_variable(
                "total", [], initializer=tf.compat.v1.zeros_initializer()
            )
            add = tf.compat.v1.assign_add(total, 2.0)
            ops = {"none": None, "one": add}.get(given, {"d": add})
            hooks = [evaluation._StopAfterNEvalsHook(25)] if given != "none" else []
            found.append(
                evaluation._evaluate_once(
                    None,
                    eval_ops=ops,
                    final_ops=tf.identity(total),
                    hooks=hooks,
                )
            )
    return found


PROGRAMS = [
    fit_in_graphs,
    old_optimizers_in_graphs,
    fit_sequential,
    fit_functional,
    ops_on_keras_tensors,
    fit_subclassed,
    custom_train_step,
    convolutional,
    recurrent,
    recurrent_layers,
    ragged,
    attention,
    datasets,
    callbacks,
    saved,
    several_outputs,
    mixed_precision,
    loop_of_ones_own,
    metrics,
    preprocessing,
    pictures,
    layers_of_version_one,
    evaluation_of_version_one,
]


def main() -> None:
    wanted = sys.argv[2:]
    for program in PROGRAMS:
        if wanted and program.__name__ not in wanted:
            continue
        told: dict = {"program": program.__name__}
        try:
            told["numbers"] = [float(v) for v in program()]
        except Exception as error:  # noqa: BLE001
            told["error"] = f"{type(error).__name__}: {error}"[-600:]
            if "-v" in os.environ.get("KERAS2", ""):
                traceback.print_exc()
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
