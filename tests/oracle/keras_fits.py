"""How models are trained, measured and saved. Each gives numbers. Run by
test_keras_fits.py on either module.

usage: keras_fits.py [BEGINNING-OF-A-NAME...]
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import optimizers
from keras_named import (
    L,
    LABELS,
    RANDOM,
    SERIES,
    TOKENS,
    WEIGHTS,
    X,
    Y,
    classes,
    fitted,
    main,
    mlp,
    plain,
    program,
    variants,
)

# How `fit` is called.


@variants(
    class_weight={"class_weight": {0: 1.0, 1: 3.0, 2: 0.5}},
    sample_weight={"sample_weight": WEIGHTS},
    validation_split={"validation_split": 0.3},
    no_shuffle={"shuffle": False},
    validation_data={"validation_data": (X[:20], LABELS[:20], WEIGHTS[:20])},
    batch_of_one={"batch_size": 1, "epochs": 1},
    initial_epoch={"initial_epoch": 1, "epochs": 3},
    validation_freq={"validation_split": 0.2, "validation_freq": 2, "epochs": 4},
)
def fit_with(options: Any) -> Any:
    return fitted(classes(weighted_metrics=["accuracy"]), X, LABELS, **options)


@variants(
    several_steps={"steps_per_execution": 3},
    auto={"jit_compile": "auto"},
    not_compiled={"jit_compile": False},
    eagerly={"run_eagerly": True},
    scaled={"auto_scale_loss": True},
)
def compiled_with(options: Any) -> Any:
    model = classes(**options)
    history = fitted(model, X, LABELS)
    return [history, model.evaluate(X, LABELS, verbose=0), model.predict(X, verbose=0)]


@program
def fit_of_a_dataset() -> Any:
    data = tf.data.Dataset.from_tensor_slices((X, Y, WEIGHTS)).shuffle(50, seed=4)
    model = mlp()
    model.compile("sgd", "mae")
    return fitted(model, data.batch(9).repeat(), batch_size=None, steps_per_epoch=5)


@program
def fit_of_a_generator() -> Any:
    def rows() -> Any:
        while True:
            yield X[:16], Y[:16]
            yield X[16:27], Y[16:27]

    model = mlp()
    model.compile("sgd", "mae")
    return fitted(model, rows(), batch_size=None, steps_per_epoch=4)


@program
def fit_of_a_sequence() -> Any:
    class Rows(keras.utils.PyDataset):
        def __len__(self) -> int:
            return 4

        def __getitem__(self, i: int) -> Any:
            return X[i * 8 : i * 8 + 8], Y[i * 8 : i * 8 + 8]

    model = mlp()
    model.compile("sgd", "mae")
    return fitted(model, Rows(), batch_size=None, shuffle=False)


@program
def one_batch_at_a_time() -> Any:
    model = classes()
    told = [model.train_on_batch(X[i : i + 9], LABELS[i : i + 9]) for i in range(5)]
    weighted = model.train_on_batch(X[:9], LABELS[:9], class_weight={0: 2, 1: 1, 2: 1})
    return [
        told,
        weighted,
        model.test_on_batch(X, LABELS, return_dict=True),
        model.predict_on_batch(X[:3]),
    ]


@program
def callbacks() -> Any:
    rates = []
    model = classes()
    told = [
        keras.callbacks.EarlyStopping(
            "val_loss", patience=2, restore_best_weights=True
        ),
        keras.callbacks.ReduceLROnPlateau("loss", patience=1, min_delta=1.0),
        keras.callbacks.LambdaCallback(
            on_epoch_end=lambda epoch, logs: rates.append(
                float(model.optimizer.learning_rate)
            )
        ),
        keras.callbacks.TerminateOnNaN(),
    ]
    history = fitted(model, X, LABELS, epochs=6, validation_split=0.3, callbacks=told)
    return [history, rates]


@program
def best_checkpoint() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "best.weights.h5")
        best = keras.callbacks.ModelCheckpoint(
            path, "val_loss", save_best_only=True, save_weights_only=True
        )
        model = classes()
        fitted(model, X, LABELS, epochs=4, validation_split=0.3, callbacks=[best])
        model.load_weights(path)
    return model.predict(X[:4], verbose=0)


@program
def backup() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        keep = keras.callbacks.BackupAndRestore(folder, delete_checkpoint=False)
        model = classes()
        fitted(model, X, LABELS, epochs=2, callbacks=[keep])
        again = classes()
        keep = keras.callbacks.BackupAndRestore(folder, delete_checkpoint=False)
        return fitted(again, X, LABELS, epochs=4, callbacks=[keep])


# Optimizers and their options.


@program
def optimizer_in_a_compiled_step() -> Any:
    # Without dropout, whose numbers XLA draws in another way.
    model = plain()
    model.compile("adam", "mse", jit_compile=True)
    return fitted(model, X, Y)


@variants(
    sgd=lambda: optimizers.SGD(0.05, momentum=0.9, nesterov=True, weight_decay=0.01),
    rmsprop=lambda: optimizers.RMSprop(0.01, momentum=0.5, centered=True),
    adam=lambda: optimizers.Adam(0.01, amsgrad=True),
    adamw=lambda: optimizers.AdamW(0.01, weight_decay=0.1),
    adamax=lambda: optimizers.Adamax(0.01),
    nadam=lambda: optimizers.Nadam(0.01),
    adagrad=lambda: optimizers.Adagrad(0.1),
    adadelta=lambda: optimizers.Adadelta(1.0),
    ftrl=lambda: optimizers.Ftrl(0.1, l1_regularization_strength=0.01, beta=0.1),
    lion=lambda: optimizers.Lion(0.001),
    lamb=lambda: optimizers.Lamb(0.01),
    adafactor=lambda: optimizers.Adafactor(0.05),
    muon=lambda: optimizers.Muon(0.01),
    loss_scale=lambda: optimizers.LossScaleOptimizer(
        optimizers.Adam(0.01), dynamic_growth_steps=3
    ),
    accumulated=lambda: optimizers.Adam(0.01, gradient_accumulation_steps=3),
    clipnorm=lambda: optimizers.SGD(0.1, clipnorm=0.1),
    global_clipnorm=lambda: optimizers.SGD(0.1, global_clipnorm=0.1),
    clipvalue=lambda: optimizers.SGD(0.1, clipvalue=0.01),
    ema=lambda: optimizers.SGD(0.1, use_ema=True, ema_overwrite_frequency=3),
    cosine=lambda: optimizers.SGD(
        optimizers.schedules.CosineDecay(0.1, 8, warmup_steps=3)
    ),
    restarts=lambda: optimizers.SGD(optimizers.schedules.CosineDecayRestarts(0.1, 3)),
    exponential=lambda: optimizers.SGD(
        optimizers.schedules.ExponentialDecay(0.1, 3, 0.5, True)
    ),
    polynomial=lambda: optimizers.SGD(
        optimizers.schedules.PolynomialDecay(0.1, 5, power=2.0)
    ),
    inverse=lambda: optimizers.SGD(optimizers.schedules.InverseTimeDecay(0.1, 3, 0.5)),
    piecewise=lambda: optimizers.SGD(
        optimizers.schedules.PiecewiseConstantDecay([3, 6], [0.1, 0.05, 0.01])
    ),
)
def optimizer(make: Any) -> Any:
    model = plain()
    model.compile(make(), "mse")
    history = fitted(model, X, Y, epochs=3)
    return [history, model.predict(X[:4], verbose=0)]


@program
def embeddings_get_sparse_gradients() -> Any:
    answers = []
    for make in (
        optimizers.Adam,
        optimizers.SGD,
        optimizers.Adagrad,
        optimizers.RMSprop,
        optimizers.Ftrl,
        optimizers.Lion,
    ):
        keras.utils.set_random_seed(5)
        model = keras.Sequential(
            [L.Input((8,)), L.Embedding(20, 4), L.Flatten(), L.Dense(1)]
        )
        model.compile(make(0.01), "mse")
        answers.append(fitted(model, TOKENS, Y[:40]))
    return answers


@program
def two_optimizers() -> Any:
    class Pair(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.maker, self.judge = plain(6), plain(1)
            self.first, self.second = optimizers.Adam(0.01), optimizers.RMSprop(0.01)
            self.seeds = keras.random.SeedGenerator(1)

        def train_step(self, data: Any) -> Any:
            noise = keras.random.normal(keras.ops.shape(data), seed=self.seeds)
            with tf.GradientTape() as tape:
                made = self.judge(self.maker(noise))
                told = keras.ops.mean(keras.ops.softplus(self.judge(data)) - made)
            weights = self.judge.trainable_variables
            self.first.apply(tape.gradient(told, weights), weights)
            with tf.GradientTape() as tape:
                fooled = keras.ops.mean(self.judge(self.maker(noise)))
            weights = self.maker.trainable_variables
            self.second.apply(tape.gradient(fooled, weights), weights)
            return {"judge": told, "maker": fooled}

    model = Pair()
    model.compile()
    return fitted(model, X)


# Precision, LoRA, quantization.


@variants(half="mixed_float16", bfloat16="mixed_bfloat16")
def policy(name: str) -> Any:
    keras.config.set_dtype_policy(name)
    try:
        model = plain()
        model.compile("adam", "mse")
        return fitted(model, X, Y)
    finally:
        keras.config.set_dtype_policy("float32")


@program
def lora() -> Any:
    model = keras.Sequential(
        [L.Input((8,)), L.Embedding(20, 6), L.Dense(5, "relu"), L.Flatten(), L.Dense(1)]
    )
    model.compile("adam", "mse")
    for layer in (model.layers[0], model.layers[1]):
        layer.enable_lora(2)
    model.compile(optimizers.Adam(0.05), "mse")
    history = fitted(model, TOKENS, Y[:40])
    return [history, len(model.trainable_weights), model.predict(TOKENS[:3], verbose=0)]


@variants(int8="int8", int4="int4", float8="float8")
def quantized(mode: str) -> Any:
    model = keras.Sequential(
        [
            L.Input((8,)),
            L.Embedding(20, 16),
            L.Dense(32, "relu"),
            L.EinsumDense("abc,cd->abd", (8, 16), activation="relu"),
            L.Flatten(),
            L.Dense(1),
        ]
    )
    before = model.predict(TOKENS[:5], verbose=0)
    model.quantize(mode)
    return [before, model.predict(TOKENS[:5], verbose=0)]


@program
def lora_of_quantized() -> Any:
    model = keras.Sequential([L.Input((6,)), L.Dense(16, "relu"), L.Dense(2)])
    model.quantize("int8")
    model.layers[0].enable_lora(2)
    model.compile(optimizers.Adam(0.05), "mse")
    return fitted(model, X, np.concatenate([Y, -Y], 1))


# Layers that say more than their outputs.


@program
def losses_of_layers() -> Any:
    class Told(L.Layer):
        def call(self, x: Any) -> Any:
            self.add_loss(0.1 * keras.ops.mean(x**2))
            return x

    model = keras.Sequential(
        [
            L.Input((6,)),
            L.Dense(
                4,
                kernel_regularizer="l2",
                kernel_constraint=keras.constraints.MaxNorm(0.5),
                activity_regularizer="l1",
            ),
            Told(),
            L.Dense(1, kernel_regularizer=keras.regularizers.OrthogonalRegularizer()),
        ]
    )
    model.compile("sgd", "mse")
    history = fitted(model, X, Y)
    model(X)
    return [history, [keras.ops.convert_to_numpy(t) for t in model.losses]]


@program
def frozen_layers() -> Any:
    model = mlp()
    model.layers[0].trainable = False
    model.layers[1].trainable = False
    model.compile("sgd", "mse")
    before = model.layers[0].kernel.numpy()
    history = fitted(model, X, Y)
    return [history, np.abs(before - model.layers[0].kernel.numpy()).max()]


@program
def metrics() -> Any:
    M = keras.metrics
    model = keras.Sequential([L.Input((6,)), L.Dense(1, "sigmoid")])
    told = [
        M.AUC(),
        M.AUC(curve="PR"),
        M.Precision(),
        M.Recall(),
        M.F1Score(threshold=0.5),
        M.PrecisionAtRecall(0.5),
        M.SpecificityAtSensitivity(0.5),
        M.TruePositives(),
        M.BinaryIoU(),
        M.MeanSquaredLogarithmicError(),
        M.R2Score(),
        M.CosineSimilarity(),
        M.Hinge(),
        M.LogCoshError(),
        M.Poisson(),
    ]
    model.compile("adam", "binary_crossentropy", metrics=told)
    return fitted(model, X, (Y > 0).astype("float32"))


@variants(
    huber=lambda: keras.losses.Huber(0.5),
    focal=lambda: keras.losses.BinaryFocalCrossentropy(from_logits=True),
    tversky=lambda: keras.losses.Tversky(),
    dice=lambda: keras.losses.Dice(),
    kl=lambda: keras.losses.KLDivergence(),
    circle=lambda: keras.losses.Circle(),
    hinge=lambda: keras.losses.SquaredHinge(),
    mape=lambda: keras.losses.MeanAbsolutePercentageError(),
)
def loss(make: Any) -> Any:
    model = keras.Sequential([L.Input((6,)), L.Dense(4), L.Dense(3, "softmax")])
    wanted = LABELS if "Circle" in str(make().name).title() else np.eye(3)[LABELS]
    model.compile("adam", make())
    return fitted(model, X, wanted)


@program
def ctc() -> Any:
    model = keras.Sequential([L.Input((9, 4)), L.Dense(6)])
    model.compile("adam", keras.losses.CTC())
    return fitted(model, SERIES, RANDOM.integers(1, 5, (40, 3)))


@program
def random_numbers() -> Any:
    K = keras.random
    seed = K.SeedGenerator(11)
    return [
        K.normal((3,), seed=seed),
        K.uniform((3,), seed=seed),
        K.truncated_normal((3,), seed=seed),
        K.randint((3,), 0, 9, seed=seed),
        K.categorical(X[:2], 3, seed=seed),
        K.shuffle(X[:3], seed=seed),
        K.gamma((3,), 2.0, seed=seed),
        K.beta((3,), 2.0, 3.0, seed=seed),
        K.binomial((3,), 5.0, 0.4, seed=seed),
        K.dropout(X[:2], 0.5, seed=seed),
    ]


@variants(keras=".keras", h5=".h5")
def saved_as(suffix: str) -> Any:
    model = classes()
    fitted(model, X, LABELS)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model" + suffix)
        model.save(path)
        again = keras.models.load_model(path)
    # Of an .h5 file Keras' optimizer knows no variables.
    more = fitted(again, X, LABELS) if suffix == ".keras" else None
    return [again.predict(X[:3], verbose=0), str(more is None), more or 0]


if __name__ == "__main__":
    main()
