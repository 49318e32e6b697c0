"""Small data sets of the names and forms that Keras and TensorFlow Datasets have."""

from __future__ import annotations

import sys
import types

import numpy as np

_TRAIN, _TEST = 320, 96


def _images(shape: tuple[int, ...], classes: int, count: int, seed: int):
    """A blot for each class at its place, in noise."""
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, classes, count)
    height, width = shape[:2]
    y, x = np.mgrid[0:height, 0:width]
    at_y = height * (0.2 + 0.6 * labels / classes)[:, None, None]
    at_x = width * (0.2 + 0.6 * ((labels * 3) % classes) / classes)[:, None, None]
    spread = (max(height, width) / 6) ** 2
    blots = np.exp(-((y - at_y) ** 2 + (x - at_x) ** 2) / spread)
    blots = blots.reshape(blots.shape + (1,) * (len(shape) - 2))
    noise = draw.integers(0, 40, (count, *shape))
    return np.clip(200 * blots + noise, 0, 255).astype(np.uint8), labels


def _pairs(shape: tuple[int, ...], classes: int, label_dtype, column: bool):
    def load_data(*_, **__):
        out = []
        for count, seed in ((_TRAIN, 1), (_TEST, 2)):
            images, labels = _images(shape, classes, count, seed)
            labels = labels.astype(label_dtype)
            out.append((images, labels[:, None] if column else labels))
        return tuple(out)

    return load_data


def _texts(path=None, num_words=None, **_):
    draw = np.random.default_rng(5)
    limit = num_words or 5000

    def part(count):
        rows = np.empty(count, object)
        labels = draw.integers(0, 2, count)
        for i in range(count):
            words = draw.integers(4, limit, draw.integers(20, 60))
            rows[i] = [1, *(int(w) // 2 * 2 + int(labels[i]) for w in words[:-1])]
        return rows, labels

    return part(_TRAIN), part(_TEST)


def _houses(columns: int):
    def load_data(*_, **__):
        draw = np.random.default_rng(6)

        def part(count):
            x = draw.normal(size=(count, columns))
            return x, 20 + x[:, 0] * 4 + draw.normal(size=count)

        return part(_TRAIN), part(_TEST)

    return load_data


_KERAS = {
    "mnist": _pairs((28, 28), 10, np.uint8, False),
    "fashion_mnist": _pairs((28, 28), 10, np.uint8, False),
    "cifar10": _pairs((32, 32, 3), 10, np.uint8, True),
    "cifar100": _pairs((32, 32, 3), 100, np.int64, True),
    "imdb": _texts,
    "reuters": _texts,
    "boston_housing": _houses(13),
    "california_housing": _houses(8),
}


def stand_in_for_keras(datasets: types.ModuleType) -> None:
    for name, load_data in _KERAS.items():
        getattr(datasets, name).load_data = load_data


class _Label:
    def __init__(self, names: list[str]):
        self.names = names
        self.num_classes = len(names)

    def int2str(self, number) -> str:
        return self.names[int(number)]


_TFDS = {
    "mnist": ((28, 28, 1), 10),
    "fashion_mnist": ((28, 28, 1), 10),
    "cats_vs_dogs": ((64, 64, 3), 2),
    "tf_flowers": ((96, 112, 3), 5),
    "iris": ((4,), 3),
    "penguins": ((4,), 3),
    "imdb_reviews": (None, 2),
}
_PHRASES = [
    ["a dull film", "I left before the end", "the plot makes no sense", "boring"],
    ["a fine film", "I would see it again", "the plot is clever", "wonderful"],
]


def _examples(name: str, part: str):
    shape, classes = _TFDS[name]
    count, seed = (_TEST, 4) if part == "test" else (_TRAIN, 3)
    if shape is None:
        draw = np.random.default_rng(seed)
        labels = draw.integers(0, classes, count)
        texts = [
            ". ".join(draw.choice(_PHRASES[k], draw.integers(2, 9))) for k in labels
        ]
        return "text", np.array(texts, object), labels
    if len(shape) == 1:
        draw = np.random.default_rng(seed)
        labels = draw.integers(0, classes, count)
        values = labels[:, None] + draw.normal(size=(count, *shape))
        return "features", values.astype(np.float32), labels
    images, labels = _images(shape, classes, count, seed)
    return "image", images, labels


def _one_split(tf, name: str, split: str, supervised: bool, batch: int | None):
    part, _, bounds = split.partition("[")
    key, values, labels = _examples(name, part)
    low, _, high = bounds.rstrip("]").partition(":")

    def place(text: str, default: int) -> int:
        if text.endswith("%"):
            return int(text[:-1]) * len(labels) // 100
        return int(text) if text else default

    chosen = slice(place(low, 0), place(high, len(labels)))
    values, labels = values[chosen], labels[chosen]
    pair = (values, labels) if supervised else {key: values, "label": labels}
    if batch == -1:
        return tf.nest.map_structure(tf.constant, pair)
    dataset = tf.data.Dataset.from_tensor_slices(pair)
    return dataset if batch is None else dataset.batch(batch)


def stand_in_for_tfds(tf) -> None:
    module = types.ModuleType("tensorflow_datasets")

    def load(
        name, split=None, with_info=False, as_supervised=False, batch_size=None, **_
    ):
        name = name.partition("/")[0].partition(":")[0]
        counts = {"train": _TRAIN, "test": _TEST}
        splits = list(counts) if split is None else split

        def one(text):
            return _one_split(tf, name, text, as_supervised, batch_size)

        if isinstance(splits, str):
            loaded = one(splits)
        else:
            loaded = [one(text) for text in splits]
            if split is None:
                loaded = dict(zip(splits, loaded, strict=True))
        sizes = {k: types.SimpleNamespace(num_examples=n) for k, n in counts.items()}
        label = _Label([f"kind {i}" for i in range(_TFDS[name][1])])
        info = types.SimpleNamespace(
            splits=sizes, features={"label": label}
        )
        return (loaded, info) if with_info else loaded

    module.load = load
    module.as_numpy = lambda dataset: dataset.as_numpy_iterator()
    module.disable_progress_bar = lambda: None
    sys.modules["tensorflow_datasets"] = module
