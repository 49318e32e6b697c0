"""A convolutional network of Keras on handwritten digits.

The 1,797 real digits of digits.py: 1,437 to learn from, 360 held out. What one
sees here is what any Keras program does: layers, `compile`, `fit`, callbacks,
a file.

usage: cnn.py [--epochs N]
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
from digits import load_digits

import graphkiln as tf

layers = tf.keras.layers


def make_model():
    """Slightly turned and moved digits are digits still: two layers see to that
    while the model trains, and do nothing afterwards."""
    return tf.keras.Sequential(
        [
            layers.Input((8, 8, 1)),
            layers.RandomTranslation(0.1, 0.1, fill_mode="constant"),
            layers.RandomRotation(0.03, fill_mode="constant"),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.Conv2D(64, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.BatchNormalization(),
            layers.Flatten(),
            layers.Dropout(0.3),
            layers.Dense(10),
        ],
        name="digits",
    )


def shown(image) -> str:
    """A digit in letters."""
    return "\n".join(
        "  " + "".join(" .:-=+*#@"[int(8 * value)] * 2 for value in row)
        for row in image[..., 0]
    )


def main(epochs: int) -> float:
    tf.keras.utils.set_random_seed(1)
    train, (images, labels) = load_digits()
    model = make_model()
    model.summary()
    model.compile(
        optimizer=tf.keras.optimizers.Adam(2e-3),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(
        *train,
        batch_size=32,
        epochs=epochs,
        validation_split=0.1,
        verbose=2,
        callbacks=[
            tf.keras.callbacks.ReduceLROnPlateau(patience=2),
            tf.keras.callbacks.EarlyStopping(patience=6, restore_best_weights=True),
        ],
    )

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "digits.keras"
        model.save(path)
        print(f"saved in {path.stat().st_size:,} bytes, and loaded again")
        model = tf.keras.models.load_model(path)
    predicted = model.predict(images, verbose=0).argmax(axis=-1)
    for i in np.flatnonzero(predicted != labels)[:2]:
        print(f"a {labels[i]} that it takes for a {predicted[i]}:")
        print(shown(images[i]))
    accuracy = float(np.mean(predicted == labels))
    print(f"accuracy on 360 digits that it never saw: {accuracy:.1%}")
    return accuracy


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=15)
    main(parser.parse_args().epochs)
