"""Transfer learning: a network that knows the digits learns which are even.

A network learns to tell ten digits apart, and what is below its last layer is saved
twice: as a `.keras` file, which is the model with the configuration of its layers,
and as a SavedModel, which is its graph and needs no Keras to run. Each is loaded,
frozen and given a new last layer, which learns from 40 pictures what is even and
what is odd. For comparison the same network learns it from the 40 pictures alone.

usage: transfer.py [--epochs N]
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
from digits import load_digits

import graphkiln as tf

keras = tf.keras
layers = keras.layers


def make_features():
    return keras.Sequential(
        [
            layers.Input((8, 8, 1)),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.Conv2D(64, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(64, activation="relu"),
        ],
        name="features",
    )


def with_head(features, classes: int, name: str):
    """What tells classes apart by features; only what is not frozen learns."""
    model = keras.Sequential(
        [layers.Input((8, 8, 1)), features, layers.Dense(classes)], name=name
    )
    model.compile(
        keras.optimizers.Adam(2e-3 if features.trainable else 1e-2),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model


def first_of_each(images, labels, count: int):
    """The first pictures of each digit."""
    rows = np.concatenate(
        [np.flatnonzero(labels == digit)[:count] for digit in range(10)]
    )
    return images[rows], labels[rows]


def learnt(features, name: str, train, test, epochs: int) -> float:
    """Accuracy in telling even from odd, on pictures that nobody saw."""
    images, labels = train
    before = [weight.numpy() for weight in features.weights]
    model = with_head(features, 2, name)
    model.fit(images, labels % 2, batch_size=10, epochs=epochs, verbose=0)
    moved = max(
        float(np.abs(weight.numpy() - old).max())
        for weight, old in zip(features.weights, before, strict=True)
    )
    _, accuracy = model.evaluate(test[0], test[1] % 2, verbose=0)
    print(
        f"even or odd, {name}: {accuracy:.1%}"
        f" ({len(model.trainable_weights)} weights trained,"
        f" features moved by {moved:.2g})"
    )
    return accuracy


def main(epochs: int) -> tuple[float, float, float]:
    keras.utils.set_random_seed(1)
    train, test = load_digits()
    base = with_head(make_features(), 10, "ten_digits")
    base.fit(*train, batch_size=32, epochs=epochs, verbose=2)
    _, accuracy = base.evaluate(*test, verbose=0)
    print(f"ten digits, from {len(train[1]):,} pictures: {accuracy:.1%}")

    with tempfile.TemporaryDirectory() as folder:
        file, graph = Path(folder) / "features.keras", Path(folder) / "features"
        base.get_layer("features").save(file)
        base.get_layer("features").export(graph, verbose=False)
        from_file = keras.models.load_model(file)
        from_graph = layers.TFSMLayer(graph, call_endpoint="serve")
    from_file.trainable = from_graph.trainable = False

    few = first_of_each(train[0], train[1], 4)
    results = (
        learnt(from_file, "from_keras_file", few, test, 6 * epochs),
        learnt(from_graph, "from_saved_model", few, test, 6 * epochs),
        learnt(make_features(), "alone", few, test, 6 * epochs),
    )
    gained = 100 * (results[0] - results[2])
    print(f"gained by what was learnt before: {gained:.1f} points")
    return results


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=8)
    main(parser.parse_args().epochs)
