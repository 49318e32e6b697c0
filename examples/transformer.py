"""A small transformer that learns to write sonnets, letter by letter.

Layers of one's own (a block of causal attention, an embedding of positions), a
schedule of learning rates, and `tf.function` for what Keras has not: writing. The
text ships in texts/; the last tenth of it is held out.

usage: transformer.py [--epochs N]
"""

import argparse
import math

import texts

import graphkiln as tf

keras = tf.keras
layers = keras.layers
LENGTH, WIDTH, BATCH = 64, 96, 32


class Positions(tf.keras.layers.Layer):
    """Letters and where they stand, as vectors."""

    def __init__(self, letters: int, **kwargs):
        super().__init__(**kwargs)
        self.letters = layers.Embedding(letters, WIDTH)
        self.places = layers.Embedding(LENGTH, WIDTH)

    def call(self, ids):
        return self.letters(ids) + self.places(tf.range(tf.shape(ids)[-1]))


class Block(tf.keras.layers.Layer):
    """Attention to the letters before, then a layer for each letter."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.attention = layers.MultiHeadAttention(4, WIDTH // 4, dropout=0.2)
        self.wide = layers.Dense(4 * WIDTH, activation="gelu")
        self.narrow = layers.Dense(WIDTH)
        self.norms = [layers.LayerNormalization() for _ in range(2)]
        self.dropout = layers.Dropout(0.2)

    def call(self, x, training=None):
        y = self.norms[0](x)
        x += self.attention(y, y, use_causal_mask=True, training=training)
        y = self.narrow(self.wide(self.norms[1](x)))
        return x + self.dropout(y, training=training)


def make_model(letters: int):
    return keras.Sequential(
        [
            layers.Input((LENGTH,), dtype="int32"),
            Positions(letters),
            Block(),
            Block(),
            layers.LayerNormalization(),
            layers.Dense(letters),
        ]
    )


def windows(ids):
    """Batches of (letters, the letters that follow each)."""
    data = tf.data.Dataset.from_tensor_slices(ids)
    data = data.window(LENGTH + 1, shift=4, drop_remainder=True)
    data = data.flat_map(lambda window: window.batch(LENGTH + 1))
    data = data.map(lambda row: (row[:-1], row[1:])).cache()
    count = (len(ids) - LENGTH - 1) // 4 + 1
    # Keras asks how many there are, and `flat_map` cannot know.
    data = data.apply(tf.data.experimental.assert_cardinality(count))
    return data.shuffle(count, seed=3).batch(BATCH)


@tf.function
def written(model, begin, count):
    """`begin` and `count` letters more: a loop in one graph."""
    ids = begin
    for _ in tf.range(count):
        tf.autograph.experimental.set_loop_options(
            shape_invariants=[(ids, tf.TensorShape([None]))]
        )
        seen = ids[-LENGTH:]
        size = tf.size(seen)
        padded = tf.pad(seen, [[0, LENGTH - size]])
        logits = model(padded[tf.newaxis], training=False)[0, size - 1]
        chosen = tf.random.categorical(logits[tf.newaxis] / 0.7, 1, dtype=tf.int32)
        ids = tf.concat([ids, chosen[0]], 0)
    return ids


def main(epochs: int) -> float:
    keras.utils.set_random_seed(1)
    text = texts.read("sonnets")
    letters = sorted(set(text))
    number = keras.layers.StringLookup(vocabulary=letters, num_oov_indices=0)
    letter = keras.layers.StringLookup(
        vocabulary=letters, num_oov_indices=0, invert=True
    )

    def to_ids(text):
        return tf.cast(number(tf.strings.unicode_split(text, "UTF-8")), tf.int32)

    ids = to_ids(text)
    cut = len(text) * 9 // 10
    train, test = windows(ids[:cut]), windows(ids[cut:])

    model = make_model(len(letters))
    steps = epochs * len(train)
    rates = keras.optimizers.schedules.CosineDecay(
        1e-5, steps, warmup_target=3e-3, warmup_steps=steps // 10
    )
    model.compile(
        keras.optimizers.AdamW(rates),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    model.fit(train, epochs=epochs, validation_data=test, verbose=2, shuffle=False)
    loss = model.evaluate(test, verbose=0)

    new = written(model, to_ids("shall i "), tf.constant(240))
    print("it writes:")
    for line in tf.strings.reduce_join(letter(new)).numpy().decode().splitlines():
        print("  " + line)
    # What it would be if only how common each letter is were known.
    counts = tf.cast(tf.math.bincount(ids[:cut], minlength=len(letters)), tf.float32)
    shares = counts / tf.reduce_sum(counts)
    common = -tf.reduce_mean(tf.math.log(tf.gather(shares + 1e-6, ids[cut:])))
    print(
        f"bits a letter that it never saw: {loss / math.log(2):.2f}"
        f" (by how common letters are: {float(common) / math.log(2):.2f})"
    )
    return loss


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=5)
    main(parser.parse_args().epochs)
