"""A variational autoencoder of digits (Kingma and Welling, 2014).

A model with a `train_step` of its own: `fit` does the rest, and runs it as one
graph. Two numbers for each digit, so that all of them lie on a plane, which is
drawn in letters at the end.

usage: vae.py [--epochs N]
"""

import argparse

import numpy as np
from digits import load_digits

import graphkiln as tf

keras = tf.keras
layers = keras.layers


class Autoencoder(tf.keras.Model):
    """Digits to means and variances on a plane, and points of it to digits."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.encoder = keras.Sequential(
            [
                layers.Input((8, 8, 1)),
                layers.Conv2D(32, 3, padding="same", activation="gelu"),
                layers.Conv2D(64, 3, strides=2, padding="same", activation="gelu"),
                layers.Flatten(),
                layers.Dense(64, activation="gelu"),
                layers.Dense(4),
            ]
        )
        self.decoder = keras.Sequential(
            [
                layers.Input((2,)),
                layers.Dense(64, activation="gelu"),
                layers.Dense(4 * 4 * 32, activation="gelu"),
                layers.Reshape((4, 4, 32)),
                layers.Conv2DTranspose(
                    32, 3, strides=2, padding="same", activation="gelu"
                ),
                layers.Conv2D(1, 3, padding="same"),
            ]
        )
        self.of_pictures = keras.metrics.Mean("of_pictures")
        self.of_points = keras.metrics.Mean("of_points")

    @property
    def metrics(self):
        return [self.of_pictures, self.of_points]

    def losses_of(self, images):
        """Nats a digit: what the picture costs, and what its point does."""
        mean, log_variance = tf.split(self.encoder(images), 2, axis=-1)
        noise = tf.random.normal(tf.shape(mean))
        logits = self.decoder(mean + noise * tf.exp(0.5 * log_variance))
        pictures = tf.nn.sigmoid_cross_entropy_with_logits(labels=images, logits=logits)
        points = 0.5 * (tf.square(mean) + tf.exp(log_variance) - 1 - log_variance)
        return (
            tf.reduce_mean(tf.reduce_sum(pictures, axis=[1, 2, 3])),
            tf.reduce_mean(tf.reduce_sum(points, axis=-1)),
        )

    def update(self, pictures, points):
        self.of_pictures.update_state(pictures)
        self.of_points.update_state(points)
        results = {metric.name: metric.result() for metric in self.metrics}
        return results | {"loss": results["of_pictures"] + results["of_points"]}

    def train_step(self, images):
        with tf.GradientTape() as tape:
            pictures, points = self.losses_of(images)
            loss = pictures + points
        weights = self.trainable_variables
        self.optimizer.apply(tape.gradient(loss, weights), weights)
        return self.update(pictures, points)

    def test_step(self, images):
        return self.update(*self.losses_of(images))


def picture(model, side: int = 7) -> str:
    """What the decoder makes of points of the plane, from -2 to 2."""
    line = np.linspace(-2, 2, side, dtype=np.float32)
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    images = tf.sigmoid(model.decoder(points)).numpy().reshape(side, side, 8, 8)
    rows = images.transpose(0, 2, 1, 3).reshape(side * 8, side * 8)
    return "\n".join(
        "  " + "".join(" .:-=+*#@"[int(8 * value)] for value in row) for row in rows
    )


def main(epochs: int) -> float:
    keras.utils.set_random_seed(1)
    (train, _), (test, _) = load_digits()
    model = Autoencoder()
    model.compile(keras.optimizers.Adam(3e-3))
    before = model.evaluate(test, verbose=0, return_dict=True)["loss"]
    model.fit(train, batch_size=64, epochs=epochs, verbose=2)
    after = model.evaluate(test, verbose=0, return_dict=True)["loss"]
    print("the plane of digits:")
    print(picture(model))
    print(f"nats a digit that it never saw: {after:.1f} (untrained: {before:.1f})")
    return after


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=40)
    main(parser.parse_args().epochs)
