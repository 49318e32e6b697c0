"""Models of the real Keras, by name: what is exported, how, and what it is asked."""

import functools

import keras
import numpy as np
import tensorflow as tf

L = keras.layers
RANDOM = np.random.RandomState(0)
ROWS = RANDOM.randn(4, 8).astype(np.float32)
IMAGES = RANDOM.rand(2, 32, 32, 3).astype(np.float32)
SERIES = RANDOM.randn(2, 7, 5).astype(np.float32)
TOKENS = RANDOM.randint(0, 20, (2, 6)).astype(np.int32)

EXPORTS = {}


class Export:
    """A model: `build()` gives it, `inputs` are the arguments of its call, `how` it
    is written ("export" or "save"), `ulps` how far values may be apart, `trained`
    whether gradients are compared."""

    def __init__(self, build, inputs, how, ulps, trained):
        self.build, self.inputs, self.how = build, inputs, how
        self.ulps, self.trained = ulps, trained

    def write(self, folder):
        keras.utils.set_random_seed(1)
        model = self.build()
        if self.how == "export":
            model.export(folder, verbose=False)
        else:
            tf.saved_model.save(model, folder)


def export(*inputs, how="export", ulps=16, trained=True):
    def add(build):
        EXPORTS[build.__name__] = Export(build, inputs, how, ulps, trained)
        return build

    return add


@export(ROWS)
def sequential():
    return keras.Sequential(
        [
            keras.Input((8,)),
            L.Dense(16, "relu"),
            L.BatchNormalization(),
            L.Dropout(0.5),
            L.Dense(3, "softmax"),
        ]
    )


@export([ROWS, ROWS + 1])
def functional_of_two_inputs():
    a, b = keras.Input((8,), name="a"), keras.Input((8,), name="b")
    joined = L.concatenate([L.Dense(4, "tanh")(a), b])
    return keras.Model([a, b], [L.Dense(2)(joined), L.Dense(1)(joined)])


@export(ROWS)
def subclassed():
    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.first, self.second = L.Dense(5, "gelu"), L.Dense(1)

        def call(self, x):
            return self.second(self.first(x))

    model = Model()
    model(ROWS)
    return model


@export(ROWS, how="save", trained=False)
def saved_by_tensorflow():
    return keras.Sequential([keras.Input((8,)), L.Dense(3)])


@export(ROWS, how="save", trained=False)
def trained():
    model = keras.Sequential([keras.Input((8,)), L.Dense(3)])
    model.compile("adam", "mse")
    model.fit(ROWS, np.zeros((4, 3)), verbose=0)
    return model


@export(IMAGES, ulps=32)
def separable_convolutions():
    return keras.Sequential(
        [
            keras.Input((32, 32, 3)),
            L.Conv2D(8, 3, activation="relu", padding="same"),
            L.MaxPooling2D(),
            L.SeparableConv2D(8, 3),
            L.GlobalAveragePooling2D(),
            L.Dense(2),
        ]
    )


@export(IMAGES, ulps=64)
def unet():
    x = keras.Input((32, 32, 3))
    down = L.Conv2D(8, 3, activation="relu", padding="same")(x)
    low = L.Conv2D(16, 3, strides=2, activation="relu", padding="same")(down)
    up = L.Conv2DTranspose(8, 3, strides=2, padding="same")(low)
    resized = L.UpSampling2D(2, interpolation="bilinear")(low)
    return keras.Model(x, L.Conv2D(1, 1)(L.Concatenate()([down, up, resized])))


@export(SERIES, ulps=32)
def bidirectional_lstm():
    return keras.Sequential(
        [
            keras.Input((None, 5)),
            L.Bidirectional(L.LSTM(4, return_sequences=True)),
            L.GRU(3),
            L.Dense(1),
        ]
    )


@export(SERIES, ulps=32)
def causal_convolution_of_series():
    return keras.Sequential(
        [
            keras.Input((7, 5)),
            L.Conv1D(6, 3, padding="causal", dilation_rate=2),
            L.LayerNormalization(),
            L.GlobalMaxPooling1D(),
        ]
    )


@export(TOKENS, ulps=32)
def transformer():
    tokens = keras.Input((6,), dtype="int32")
    h = L.Embedding(20, 8)(tokens)
    h = L.LayerNormalization()(h + L.MultiHeadAttention(2, 4)(h, h))
    h = L.LayerNormalization()(h + L.Dense(8)(L.Dense(16, "gelu")(h)))
    return keras.Model(tokens, L.Dense(3)(L.Flatten()(h)))


@export(np.array([b"the dog", b"zebra"]))
def text():
    words = L.TextVectorization(max_tokens=20, output_sequence_length=5)
    words.adapt(["the cat sat", "a dog ran"])
    return keras.Sequential(
        [
            keras.Input((), dtype="string"),
            words,
            L.Embedding(20, 4),
            L.GlobalAveragePooling1D(),
            L.Dense(1),
        ]
    )


@export(ROWS)
def normalization_and_buckets():
    normal = L.Normalization()
    normal.adapt(ROWS)
    x = keras.Input((8,))
    buckets = L.Discretization(bin_boundaries=[-1.0, 0.0, 1.0])(x)
    return keras.Model(x, [L.Dense(1)(normal(x)), buckets])


@export(np.array([[b"a", b"z"], [b"b", b"b"]]), trained=False)
def strings_looked_up():
    return keras.Sequential(
        [
            keras.Input((2,), dtype="string"),
            L.StringLookup(vocabulary=["a", "b"]),
            L.CategoryEncoding(num_tokens=3, output_mode="multi_hot"),
        ]
    )


@export(np.array([[3, 9], [12, 3]]), trained=False)
def integers_looked_up_and_hashed():
    x = keras.Input((2,), dtype="int64")
    known = L.IntegerLookup(vocabulary=[3, 12], output_mode="count")(x)
    return keras.Model(x, [known, L.Hashing(num_bins=7)(x)])


# Two of bfloat16: some processors' TensorFlow does not round products to the nearest.
@export(ROWS, ulps=2**17)
def mixed_precision():
    policy = keras.dtype_policies.DTypePolicy("mixed_bfloat16")
    return keras.Sequential(
        [
            keras.Input((8,)),
            L.Dense(4, "relu", dtype=policy),
            L.Dense(1, dtype="float32"),
        ]
    )


@export(IMAGES, ulps=4096)
def mobile_net():
    return keras.applications.MobileNetV2(
        input_shape=(32, 32, 3), weights=None, classes=10
    )


@export(IMAGES, ulps=4096)
def efficient_net():
    return keras.applications.EfficientNetB0(
        input_shape=(32, 32, 3), weights=None, classes=10
    )


@functools.cache
def written(name, root):
    """The folder of an export, made once."""
    folder = f"{root}/{name}"
    EXPORTS[name].write(folder)
    return folder
