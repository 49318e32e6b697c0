"""A convolutional classifier of handwritten digits, trained step by step.

Works on any module with TensorFlow's names, so that the demo can time
graphkiln beside TensorFlow. The data are the 1,797 real 8x8 digits that ship
inside scikit-learn (Alpaydin and Kaynak, 1998).
"""

from __future__ import annotations

import sys
import time

import numpy as np


def load_digits(seed: int = 0):
    """Images [n, 8, 8, 1] in [0, 1] and labels, shuffled; 360 are held out."""
    from sklearn.datasets import load_digits as load

    data = load()
    images = (data.images / 16.0).astype(np.float32)[..., None]
    labels = data.target.astype(np.int64)
    order = np.random.default_rng(seed).permutation(len(labels))
    images, labels = images[order], labels[order]
    return (images[360:], labels[360:]), (images[:360], labels[:360])


class Classifier:
    """Two convolutions, a pool, two dense layers; variables are its weights."""

    def __init__(self, tf, seed: int = 1):
        rng = np.random.default_rng(seed)

        def weight(*shape):
            fan_in = int(np.prod(shape[:-1]))
            values = rng.standard_normal(shape) * np.sqrt(2.0 / fan_in)
            return tf.Variable(values.astype(np.float32))

        def bias(n):
            return tf.Variable(np.zeros(n, np.float32))

        self.tf = tf
        self.k1, self.c1 = weight(3, 3, 1, 32), bias(32)
        self.k2, self.c2 = weight(3, 3, 32, 64), bias(64)
        self.w1, self.b1 = weight(4 * 4 * 64, 128), bias(128)
        self.w2, self.b2 = weight(128, 10), bias(10)
        self.weights = [self.k1, self.c1, self.k2, self.c2,
                        self.w1, self.b1, self.w2, self.b2]

    def __call__(self, x):
        nn, tf = self.tf.nn, self.tf
        h = nn.relu(nn.conv2d(x, self.k1, 1, "SAME") + self.c1)
        h = nn.relu(nn.conv2d(h, self.k2, 1, "SAME") + self.c2)
        h = nn.max_pool2d(h, 2, 2, "SAME")
        h = tf.reshape(h, [-1, 4 * 4 * 64])
        h = nn.relu(tf.matmul(h, self.w1) + self.b1)
        return tf.matmul(h, self.w2) + self.b2


class Adam:
    """Adam (Kingma and Ba, 2015) written with variables."""

    def __init__(self, tf, weights, rate=1e-3, beta1=0.9, beta2=0.999):
        self.tf, self.weights = tf, weights
        self.rate, self.beta1, self.beta2 = rate, beta1, beta2
        self.steps = tf.Variable(0.0)
        self.means = [tf.Variable(tf.zeros_like(w)) for w in weights]
        self.squares = [tf.Variable(tf.zeros_like(w)) for w in weights]

    def apply(self, gradients):
        tf = self.tf
        self.steps.assign_add(1.0)
        step = self.rate * tf.sqrt(1.0 - self.beta2**self.steps) / (
            1.0 - self.beta1**self.steps
        )
        for w, g, m, s in zip(self.weights, gradients, self.means, self.squares):
            m.assign(self.beta1 * m + (1.0 - self.beta1) * g)
            s.assign(self.beta2 * s + (1.0 - self.beta2) * g * g)
            w.assign_sub(step * m / (tf.sqrt(s) + 1e-7))


def make_training(tf):
    """The model and a plain Python function that does one training step."""
    model = Classifier(tf)
    adam = Adam(tf, model.weights)

    def train_step(images, labels):
        with tf.GradientTape() as tape:
            logits = model(images)
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels=labels, logits=logits
                )
            )
        adam.apply(tape.gradient(loss, model.weights))
        return loss

    return model, train_step


def make_loop(tf, train_step):
    """A training loop as a plain Python function. Traced, it is one graph with
    the steps as iterations of a loop in it, however many there are."""

    def train_steps(images, labels, batches):
        loss = tf.constant(0.0)
        for rows in batches:
            loss = train_step(tf.gather(images, rows), tf.gather(labels, rows))
        return loss

    return train_steps


def accuracy(tf, model, images, labels) -> float:
    predicted = tf.argmax(model(tf.constant(images)), axis=1)
    return float(np.mean(predicted.numpy() == labels))


def progress(done: int, total: int, text: str) -> None:
    """A bar that redraws itself on a terminal and is one line elsewhere."""
    if sys.stdout.isatty():
        filled = 30 * done // total
        bar = "#" * filled + "." * (30 - filled)
        end = "\n" if done == total else ""
        print(f"\r  [{bar}] {done}/{total}  {text}", end=end, flush=True)
    elif done == total:
        print(f"  {done}/{total}  {text}", flush=True)


def batches_of(count: int, batch: int, rng) -> np.ndarray:
    """The rows of each batch of an epoch."""
    steps = count // batch
    return rng.permutation(count)[: steps * batch].reshape(steps, batch)


def train(tf, train_steps, model, epochs: int = 12, batch: int = 64) -> float:
    """Trains an epoch a call, with a progress bar; returns accuracy on the
    held-out digits."""
    (images, labels), (test_images, test_labels) = load_digits()
    images, labels = tf.constant(images), tf.constant(labels)
    rng = np.random.default_rng(2)
    for epoch in range(1, epochs + 1):
        rows = batches_of(len(labels), batch, rng)
        loss = train_steps(images, labels, tf.constant(rows))
        progress(epoch, epochs, f"loss {float(loss):.4f}")
    return accuracy(tf, model, test_images, test_labels)


def seconds_per_step(tf, step, batch: int = 64, rounds: int = 30) -> float:
    """Median seconds of one training step."""
    (images, labels), _ = load_digits()
    x, y = tf.constant(images[:batch]), tf.constant(labels[:batch])
    for _ in range(3):
        step(x, y)
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        float(step(x, y))
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def seconds_per_loop(tf, train_steps, batch: int = 64, rounds: int = 5) -> float:
    """Median seconds of one epoch's call."""
    (images, labels), _ = load_digits()
    images, labels = tf.constant(images), tf.constant(labels)
    rows = tf.constant(batches_of(len(labels), batch, np.random.default_rng(2)))
    times = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        float(train_steps(images, labels, rows))
        times.append(time.perf_counter() - start)
    return float(np.median(times[1:]))
