"""Layers of texts, sequences and images. Each gives numbers. Run by
test_keras_fits.py on either module.

usage: keras_layers.py [BEGINNING-OF-A-NAME...]
"""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras_named import (
    IMAGES,
    L,
    MASK,
    SERIES,
    TEXTS,
    TOKENS,
    X,
    Y,
    fitted,
    main,
    program,
    variants,
)

# Text and other features.


@variants(
    int={"output_mode": "int", "output_sequence_length": 5},
    ragged={"output_mode": "int", "ragged": True},
    multi_hot={"output_mode": "multi_hot"},
    count={"output_mode": "count", "pad_to_max_tokens": True, "max_tokens": 12},
    tf_idf={"output_mode": "tf_idf"},
    ngrams={"ngrams": 2},
    character={"split": "character"},
    kept={"standardize": None},
)
def text_vectorization(options: Any) -> Any:
    layer = L.TextVectorization(**options)
    layer.adapt(TEXTS)
    made = layer(tf.constant(TEXTS))
    mapped = next(iter(tf.data.Dataset.from_tensor_slices(TEXTS).batch(4).map(layer)))
    return [layer.get_vocabulary(), *(_plain(t) for t in (made, mapped))]


def _plain(t: Any) -> Any:
    return t.to_list() if isinstance(t, tf.RaggedTensor) else t


@program
def text_classifier() -> Any:
    layer = L.TextVectorization(20, output_sequence_length=6)
    layer.adapt(TEXTS)
    model = keras.Sequential(
        [
            L.Input((1,), dtype="string"),
            layer,
            L.Embedding(20, 4, mask_zero=True),
            L.LSTM(3),
            L.Dense(1, "sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    words = tf.constant(TEXTS * 4)[:, None]
    return fitted(model, words, np.arange(16) % 2)


@program
def features() -> Any:
    normal = L.Normalization()
    normal.adapt(X)
    bins = L.Discretization(num_bins=4)
    bins.adapt(X)
    words = L.StringLookup(num_oov_indices=2)
    words.adapt(tf.constant(["a", "b", "a", "c"]))
    numbers = L.IntegerLookup(output_mode="one_hot")
    numbers.adapt(np.array([5, 7, 5, 9]))
    crossed = L.HashedCrossing(7)((tf.constant(["a", "b"]), tf.constant([3, 4])))
    return [
        normal(X[:3]),
        bins(X[:3]),
        words(tf.constant(["a", "z", "c", "y"])),
        L.StringLookup(vocabulary=["u", "v"], invert=True)(tf.constant([0, 1, 2]))
        .numpy()
        .astype(str)
        .tolist(),
        numbers(np.array([5, 1, 9])),
        L.CategoryEncoding(5, output_mode="count")(np.array([[0, 3, 3], [1, 1, 4]])),
        L.Hashing(11)(tf.constant(["a", "b", "c"])),
        L.Hashing(11, salt=[3, 4])(tf.constant([1, 2, 3])),
        crossed,
    ]


@program
def feature_space() -> Any:
    rows = {"age": np.arange(20.0), "city": np.array(["x", "y", "z", "x"] * 5)}
    space = keras.utils.FeatureSpace(
        {
            "age": keras.utils.FeatureSpace.float_discretized(num_bins=4),
            "city": keras.utils.FeatureSpace.string_categorical(),
        },
        crosses=[keras.utils.FeatureSpace.cross(("age", "city"), crossing_dim=8)],
    )
    data = tf.data.Dataset.from_tensor_slices(rows)
    space.adapt(data.batch(5))
    return space({"age": np.array([1.0, 17.0]), "city": np.array(["x", "q"])})


# Sequences.


@variants(
    simple=lambda: L.SimpleRNN(5),
    lstm_sequences=lambda: L.LSTM(5, return_sequences=True),
    lstm_dropout=lambda: L.LSTM(5, dropout=0.3, recurrent_dropout=0.2),
    gru=lambda: L.GRU(5),
    gru_before=lambda: L.GRU(5, reset_after=False),
    backwards=lambda: L.GRU(5, go_backwards=True),
    unrolled=lambda: L.LSTM(5, unroll=True),
    bidirectional=lambda: L.Bidirectional(L.LSTM(4, return_sequences=True), "sum"),
    stacked=lambda: L.RNN([L.LSTMCell(4), L.GRUCell(3)]),
    time_distributed=lambda: L.TimeDistributed(L.Dense(3)),
    convolution=lambda: L.Conv1D(4, 3, padding="causal", dilation_rate=2),
)
def sequence(make: Any) -> Any:
    inputs = L.Input((9, 4))
    made = make()(L.Masking(-9.0)(inputs))
    if len(made.shape) == 3:
        made = L.GlobalAveragePooling1D()(made)
    model = keras.Model(inputs, L.Dense(1)(made))
    model.compile("adam", "mse")
    data = np.where(MASK[..., None], SERIES, -9.0).astype("float32")
    history = fitted(model, data, Y[:40])
    return [history, model.predict(data[:3], verbose=0)]


@program
def stateful() -> Any:
    model = keras.Sequential(
        [L.Input(batch_shape=(10, 9, 4)), L.GRU(4, stateful=True), L.Dense(1)]
    )
    model.compile("adam", "mse")
    history = fitted(model, SERIES, Y[:40], batch_size=10, shuffle=False)
    one = model.predict(SERIES[:10], batch_size=10, verbose=0)
    two = model.predict(SERIES[:10], batch_size=10, verbose=0)
    model.layers[0].reset_states()
    return [history, one, two, model.predict(SERIES[:10], batch_size=10, verbose=0)]


@program
def convolutional_lstm() -> Any:
    films = IMAGES.reshape(6, 4, 12, 12, 3)
    model = keras.Sequential([L.Input((4, 12, 12, 3)), L.ConvLSTM2D(2, 3), L.Flatten()])
    model.compile("sgd", "mse")
    return fitted(model, films, np.zeros((6, 200)), batch_size=2)


@variants(
    causal=lambda x: L.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True),
    dropout=lambda x: L.MultiHeadAttention(2, 4, dropout=0.2)(x, x),
    grouped=lambda x: L.GroupQueryAttention(4, 4, 2)(x, x),
    additive=lambda x: L.AdditiveAttention()([x, x]),
    scaled=lambda x: L.Attention(use_scale=True, score_mode="concat")([x, x]),
)
def attention(attend: Any) -> Any:
    inputs = L.Input((8,), dtype="int32")
    x = L.Embedding(20, 8, mask_zero=True)(inputs)
    x = L.LayerNormalization()(L.Add()([x, attend(x)]))
    model = keras.Model(inputs, L.Dense(1)(L.GlobalMaxPooling1D()(x)))
    model.compile("adam", "mse")
    return fitted(model, TOKENS, Y[:40])


# Images.


@variants(
    depthwise=lambda: L.DepthwiseConv2D(3, depth_multiplier=2),
    separable=lambda: L.SeparableConv2D(4, 3, strides=2, padding="same"),
    transposed=lambda: L.Conv2DTranspose(4, 3, strides=2, output_padding=1),
    dilated=lambda: L.Conv2D(4, 3, dilation_rate=2),
    grouped=lambda: L.Conv2D(6, 3, groups=3),
    average=lambda: L.AveragePooling2D(3, padding="same"),
    group_norm=lambda: L.GroupNormalization(3),
    unit_norm=lambda: L.UnitNormalization(),
    spectral=lambda: L.SpectralNormalization(L.Conv2D(4, 3)),
    resized=lambda: L.Resizing(7, 9, "bicubic"),
    upsampled=lambda: L.UpSampling2D(2, interpolation="bilinear"),
)
def picture(make: Any) -> Any:
    model = keras.Sequential([L.Input((12, 12, 3)), make(), L.Flatten(), L.Dense(1)])
    model.compile("adam", "mse")
    return fitted(model, IMAGES, Y[:24])


@variants(
    flip=lambda: L.RandomFlip(seed=1),
    rotation=lambda: L.RandomRotation(0.3, seed=1),
    zoom=lambda: L.RandomZoom(0.3, seed=1),
    shift=lambda: L.RandomTranslation(0.2, 0.2, seed=1),
    crop=lambda: L.RandomCrop(8, 8, seed=1),
    contrast=lambda: L.RandomContrast(0.4, seed=1),
    brightness=lambda: L.RandomBrightness(0.4, value_range=(0, 1), seed=1),
    hue=lambda: L.RandomHue(0.4, value_range=(0, 1), seed=1),
    erasing=lambda: L.RandomErasing(1.0, value_range=(0, 1), seed=1),
    mixed=lambda: L.RandAugment(value_range=(0, 1), seed=1),
    noise=lambda: L.GaussianNoise(0.2, seed=1),
)
def augmented(make: Any) -> Any:
    layer = make()
    data = tf.data.Dataset.from_tensor_slices(IMAGES).batch(6).map(make())
    return [layer(IMAGES[:6], training=True), [t.numpy() for t in data.take(2)]]


if __name__ == "__main__":
    main()
