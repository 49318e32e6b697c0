"""An LSTM that tells who wrote 80 letters: Shakespeare or Lewis Carroll.

The texts ship in texts/. The last fifth of each is held out. Letters become numbers
in `TextVectorization`, which is a layer of the model: what is saved and exported
takes strings.

usage: lstm.py [--epochs N]
"""

import argparse

import texts

import graphkiln as tf

layers = tf.keras.layers
AUTHORS = ["sonnets", "alice"]
NAMES = ["Shakespeare", "Carroll"]
LENGTH = 80


def make_datasets():
    """(to learn from, held out): batches of pieces and who wrote them."""
    parts = [], []
    for author, name in enumerate(AUTHORS):
        text = texts.read(name)
        cut = len(text) * 4 // 5
        for part, piece, step in (parts[0], text[:cut], 5), (parts[1], text[cut:], 20):
            part += [(p, author) for p in texts.pieces(piece, LENGTH, step)]
    train, test = (
        tf.data.Dataset.from_tensor_slices(
            ([text for text, _ in part], [author for _, author in part])
        )
        for part in parts
    )
    train = train.shuffle(len(parts[0]), seed=3).batch(32)
    return train.prefetch(2), test.batch(64)


def make_model(train):
    letters = layers.TextVectorization(
        standardize=None, split="character", output_sequence_length=LENGTH
    )
    letters.adapt(train.map(lambda text, author: text))
    return tf.keras.Sequential(
        [
            layers.Input((), dtype="string"),
            letters,
            layers.Embedding(letters.vocabulary_size(), 16),
            layers.Bidirectional(layers.LSTM(32, return_sequences=True)),
            layers.GlobalMaxPooling1D(),
            layers.Dropout(0.3),
            layers.Dense(1, activation="sigmoid"),
        ]
    )


def main(epochs: int) -> float:
    tf.keras.utils.set_random_seed(1)
    train, test = make_datasets()
    model = make_model(train)
    model.compile(
        tf.keras.optimizers.Adam(2e-3), "binary_crossentropy", metrics=["accuracy"]
    )
    # The dataset shuffles already.
    model.fit(train, epochs=epochs, validation_data=test, verbose=2, shuffle=False)
    _, accuracy = model.evaluate(test, verbose=0)

    lines = tf.constant(
        [
            "so long as men can breathe, or eyes can see, so long lives this, and this",
            "'curiouser and curiouser!' cried alice (she was so much surprised, that for",
            "for thou art not so fair as thou wast once; thy summer is gone into the night",
            "the queen said 'off with his head!' and the rabbit took out a watch, and ran",
        ]
    )
    shares = model.predict(lines, verbose=0)[:, 0]
    for line, share in zip(lines.numpy(), shares, strict=True):
        author = int(share > 0.5)
        sure = share if author else 1 - share
        print(f"  {line.decode()!r}: {NAMES[author]}, {sure:.0%} sure")
    print(f"accuracy on pieces that it never saw: {accuracy:.1%}")
    return accuracy


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=3)
    main(parser.parse_args().epochs)
