"""The digits as files: written once, read, parsed, augmented and trained on.

    list_files -> interleave(TFRecordDataset) -> shuffle -> map(parse, shift)
               -> batch -> prefetch -> one graph that trains an epoch

Each digit is a `tf.train.Example` of a PNG picture and a label, in TFRecord
files of a quarter each. Loss, accuracy, pictures and the graph go to a folder
that TensorBoard shows. Works on any module with TensorFlow's names.

usage: digit_records.py [--records FOLDER] [--logs FOLDER] [--epochs N]
       [--module NAME]
"""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import digits  # noqa: E402

SHARDS = 4
BATCH = 64


def write_records(tf, folder: Path) -> None:
    """Writes the digits that are trained on, unless they are there. The folder
    appears as a whole: who ends half-way leaves nothing behind its name."""
    if folder.is_dir():
        return
    (images, labels), _ = digits.load_digits()
    folder.parent.mkdir(parents=True, exist_ok=True)
    half = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        for shard in range(SHARDS):
            path = half / f"digits-{shard:05d}-of-{SHARDS:05d}.tfrecord"
            with tf.io.TFRecordWriter(str(path)) as writer:
                for image, label in zip(images[shard::SHARDS], labels[shard::SHARDS]):
                    writer.write(example_of(tf, image, label).SerializeToString())
        half.chmod(0o755)
        os.replace(half, folder)
    finally:
        shutil.rmtree(half, ignore_errors=True)


def example_of(tf, image: np.ndarray, label: int):
    picture = tf.io.encode_png(tf.cast(image * 255.0, tf.uint8)).numpy()
    return tf.train.Example(features=tf.train.Features(feature={
        "picture": tf.train.Feature(bytes_list=tf.train.BytesList(value=[picture])),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[int(label)])),
    }))


def read_records(tf, folder: Path, seed: int = 3):
    """Batches of (images [64, 8, 8, 1], labels [64]), in another order and
    with other shifts in each pass."""

    def parse(record):
        features = tf.io.parse_single_example(record, {
            "picture": tf.io.FixedLenFeature([], tf.string),
            "label": tf.io.FixedLenFeature([], tf.int64),
        })
        image = tf.io.decode_png(features["picture"], channels=1)
        image = tf.cast(tf.reshape(image, [8, 8, 1]), tf.float32) / 255.0
        # By a row or a column, to any side.
        image = tf.image.random_crop(tf.pad(image, [[1, 1], [1, 1], [0, 0]]), [8, 8, 1])
        return image, features["label"]

    files = tf.data.Dataset.list_files(str(folder / "*.tfrecord"), seed=seed)
    records = files.interleave(
        tf.data.TFRecordDataset, cycle_length=SHARDS,
        num_parallel_calls=tf.data.AUTOTUNE,
    )
    return (
        records.shuffle(2048, seed=seed)
        .map(parse, num_parallel_calls=tf.data.AUTOTUNE)
        .batch(BATCH, drop_remainder=True)
        .prefetch(tf.data.AUTOTUNE)
    )


def make_epoch(tf, train_step, data):
    """A pass over `data` as a plain Python function: traced, it is one graph,
    with the loop over the batches and the writing of the losses in it."""

    def epoch(step):
        loss = tf.constant(0.0)
        for images, labels in data:
            loss = train_step(images, labels)
            tf.summary.scalar("loss", loss, step=step)
            step += 1
        return loss, step

    return epoch


def sheet(tf, images):
    """The first 32 of a batch beside one another, each pixel 6 wide: one
    picture [1, 216, 432, 1]."""
    framed = tf.pad(images[:32], [[0, 0], [0, 1], [0, 1], [0, 0]], constant_values=0.5)
    rows = tf.transpose(tf.reshape(framed, [4, 8, 9, 9]), [0, 2, 1, 3])
    picture = tf.reshape(rows, [1, 36, 72, 1])
    return tf.repeat(tf.repeat(picture, 6, axis=1), 6, axis=2)


def show_graph(tf, model) -> None:
    """The graph of the model, for TensorBoard."""

    @tf.function
    def classify(images):
        return tf.nn.softmax(model(images))

    concrete = classify.get_concrete_function(tf.TensorSpec([None, 8, 8, 1], tf.float32))
    tf.summary.graph(concrete.graph)


def train(tf, records: Path, logs: Path, epochs: int) -> float:
    """Returns the accuracy on the held-out digits. Each run has its own folder
    in `logs`."""
    write_records(tf, records)
    data = read_records(tf, records)
    model, train_step = digits.make_training(tf)
    epoch = tf.function(make_epoch(tf, train_step, data))
    _, (test_images, test_labels) = digits.load_digits()
    step, reached = tf.constant(0, tf.int64), 0.0
    writer = tf.summary.create_file_writer(
        str(logs / time.strftime("%Y%m%d-%H%M%S"))
    )
    with writer.as_default():
        show_graph(tf, model)
        for images, _ in data.take(1):
            tf.summary.image("digits as they are trained on", sheet(tf, images), step=0)
        for number in range(1, epochs + 1):
            loss, step = epoch(step)
            reached = digits.accuracy(tf, model, test_images, test_labels)
            tf.summary.scalar("accuracy on held-out digits", reached, step=step)
            digits.progress(number, epochs, f"loss {float(loss):.4f}")
        tf.summary.histogram("weights of the first layer", model.k1, step=step)
    writer.close()
    return reached


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--records", type=Path, default=Path("build/digits"))
    parser.add_argument("--logs", type=Path, default=Path("build/demo_logs"))
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--module", default="graphkiln", help="or tensorflow")
    options = parser.parse_args()
    tf = importlib.import_module(options.module)
    tf.random.set_seed(1)
    start = time.perf_counter()
    reached = train(tf, options.records, options.logs, options.epochs)
    print(f"accuracy on held-out digits: {reached:.1%}, "
          f"{time.perf_counter() - start:.1f} s")
    print(f"losses, pictures, the graph: tensorboard --logdir {options.logs}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
