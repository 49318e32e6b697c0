#!/usr/bin/env python3
"""Workloads of compare.py: input pipelines.

usage: data.py MODULE [--only=ROW,ROW] [--files=FOLDER] [--cpu]

Files are made once, in FOLDER (tfrecords, JPEGs of 500x375, a CSV file of 1M
rows, lines, 10,000 empty files), and are in the page cache; each row runs in a
process of its own. Rows: seconds an element of the pipelines whose names say
what they do (of `csv`: a row, of `text`: a line); what one element of a
Python generator costs above the generator itself; from iter() to the first of
10,000 files' names; `_ratio`: what a full shuffle buffer adds to the process's
memory, in sizes of its elements; `_share`: of a training loop's time that it
waits for input, where computing takes longer. --cpu counts the time of all of
the process's threads instead: for busy machines.

Example, on a busy machine:
    compare.py --workloads data.py --cpu \\
        --peer tensorflow=.venv-oracle/bin/python
"""

from __future__ import annotations

import importlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

RECORDS = (4, 10_000)  # files and records of each
PICTURES = 64
CSV_ROWS = 1_000_000
LINES = 100_000
WORDS = 5_000
NAMES = 10_000


def picture(i: int) -> np.ndarray:
    """Smooth colours with some grain: about 60 KB as a JPEG."""
    rng = np.random.default_rng(i)
    y, x = np.mgrid[0:375, 0:500]
    waves = [np.sin(x / rng.uniform(9, 50) + y / rng.uniform(9, 50)) for _ in "rgb"]
    return np.clip(
        128 + 90 * np.stack(waves, -1) + rng.normal(0, 12, (375, 500, 3)), 0, 255
    ).astype(np.uint8)


def example(tf, rng: random.Random, i: int) -> bytes:
    feature, f = tf.train.Feature, tf.train
    values = {
        "x": feature(float_list=f.FloatList(value=[rng.random() for _ in range(32)])),
        "label": feature(int64_list=f.Int64List(value=[i % 10])),
        "tokens": feature(
            int64_list=f.Int64List(
                value=[rng.randrange(30_000) for _ in range(rng.randrange(4, 24))]
            )
        ),
        "name": feature(bytes_list=f.BytesList(value=[b"record %d" % i])),
    }
    return f.Example(features=f.Features(feature=values)).SerializeToString()


def make_files(tf, folder: Path) -> None:
    if folder.exists():
        return
    made = Path(tempfile.mkdtemp(dir=folder.parent))
    rng = random.Random(0)
    for i in range(RECORDS[0]):
        with tf.io.TFRecordWriter(str(made / f"{i}.tfrecord")) as file:
            for k in range(RECORDS[1]):
                file.write(example(tf, rng, k))
    for i in range(PICTURES):
        jpeg = tf.io.encode_jpeg(picture(i), quality=90)
        (made / f"{i}.jpg").write_bytes(jpeg.numpy())
    with open(made / "rows.csv", "w") as file:
        file.write("a,b,c,d,e\n")
        for i in range(CSV_ROWS):
            file.write(f"{rng.random():.6f},{i},word{i % 100},{rng.random()},{i % 7}\n")
    words = [f"w{rng.randrange(10**6)}" for _ in range(WORDS)]
    (made / "words.txt").write_text("\n".join(dict.fromkeys(words)) + "\n")
    with open(made / "lines.txt", "w") as file:
        for _ in range(LINES):
            file.write(" ".join(rng.choices(words, k=rng.randrange(5, 20))) + "\n")
    (made / "names").mkdir()
    for i in range(NAMES):
        (made / "names" / f"{i:05d}").touch()
    made.rename(folder)


def clock() -> float:
    return time.process_time() if "--cpu" in sys.argv else time.perf_counter()


def pass_over(dataset: Iterable) -> float:
    begin = clock()
    for _ in dataset:
        pass
    return clock() - begin


def passes(dataset: Iterable, elements: int, count: int = 3) -> float:
    pass_over(dataset)
    return min(pass_over(dataset) for _ in range(count)) / elements


def features(tf) -> dict:
    return {
        "x": tf.io.FixedLenFeature([32], tf.float32),
        "label": tf.io.FixedLenFeature([], tf.int64),
        "tokens": tf.io.VarLenFeature(tf.int64),
        "name": tf.io.FixedLenFeature([], tf.string),
    }


def records(tf, folder: Path):
    return tf.data.TFRecordDataset(
        [str(folder / f"{i}.tfrecord") for i in range(RECORDS[0])]
    )


def tfrecord_batch_parse(tf, folder: Path) -> float:
    wanted = features(tf)
    data = records(tf, folder).shuffle(10_000).batch(128)
    data = data.map(
        lambda x: tf.io.parse_example(x, wanted), tf.data.AUTOTUNE
    ).prefetch(2)
    return passes(data, RECORDS[0] * RECORDS[1])


def tfrecord_parse_single_batch(tf, folder: Path) -> float:
    wanted = features(tf)
    del wanted["tokens"]
    data = records(tf, folder).map(
        lambda x: tf.io.parse_single_example(x, wanted), tf.data.AUTOTUNE
    )
    return passes(
        data.shuffle(10_000).batch(128).prefetch(2), RECORDS[0] * RECORDS[1], 1
    )


def jpeg_224(tf, folder: Path) -> float:
    mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]

    def load(path):
        image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
        image = tf.image.random_crop(image, [224, 224, 3])
        image = tf.image.random_flip_left_right(image)
        return (tf.cast(image, tf.float32) / 255.0 - mean) / std

    data = tf.data.Dataset.from_tensor_slices(
        [str(folder / f"{i}.jpg") for i in range(PICTURES)]
    )
    data = data.repeat(4).shuffle(PICTURES).map(load, tf.data.AUTOTUNE)
    return passes(data.batch(32).prefetch(2), 4 * PICTURES)


def csv(tf, folder: Path) -> float:
    data = tf.data.experimental.CsvDataset(
        str(folder / "rows.csv"),
        [tf.float32, tf.int64, tf.string, tf.float64, tf.int32],
        header=True,
    )
    return pass_over(data.batch(1024)) / CSV_ROWS


def csv_make_dataset(tf, folder: Path) -> float:
    data = tf.data.experimental.make_csv_dataset(
        str(folder / "rows.csv"),
        1024,
        label_name="e",
        num_epochs=1,
        shuffle=False,
    )
    return pass_over(data) / CSV_ROWS


def numbers_of_words(tf, folder: Path):
    return tf.lookup.StaticHashTable(
        tf.lookup.TextFileInitializer(
            str(folder / "words.txt"),
            tf.string,
            tf.lookup.TextFileIndex.WHOLE_LINE,
            tf.int64,
            tf.lookup.TextFileIndex.LINE_NUMBER,
        ),
        -1,
    )


def text(tf, folder: Path) -> float:
    table = numbers_of_words(tf, folder)
    data = tf.data.TextLineDataset(str(folder / "lines.txt"))
    data = data.map(lambda line: table.lookup(tf.strings.split(line)))
    return passes(data.padded_batch(64), LINES, 1)


def text_batched(tf, folder: Path) -> float:
    table = numbers_of_words(tf, folder)
    data = tf.data.TextLineDataset(str(folder / "lines.txt")).batch(64)

    def ids(lines):
        words = tf.strings.split(lines)
        return words.with_values(table.lookup(words.values)).to_tensor()

    return passes(data.map(ids), LINES, 1)


def range_map_filter_batch(tf, folder: Path) -> float:
    n = 50_000
    data = tf.data.Dataset.range(n).map(lambda x: x * 2)
    data = data.filter(lambda x: x % 3 == 0).batch(256)
    return passes(data, n, 1)


def generator_element(tf, folder: Path) -> float:
    n = 20_000

    def numbers():
        yield from range(n)

    data = tf.data.Dataset.from_generator(
        numbers, output_signature=tf.TensorSpec([], tf.int64)
    )
    return passes(data.batch(500), n) - passes(numbers(), n)


def generator_arrays(tf, folder: Path) -> float:
    n = 20_000
    array = np.zeros(100, np.float32)

    def pairs():
        for i in range(n):
            yield array, i

    data = tf.data.Dataset.from_generator(
        pairs,
        output_signature=(
            tf.TensorSpec([100], tf.float32),
            tf.TensorSpec([], tf.int32),
        ),
    )
    return passes(data.batch(500), n) - passes(pairs(), n)


def memory() -> int:
    """Of the process, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def buffer_memory(tf, size: int, count: int) -> float:
    """Of `count` elements of `size` bytes in a shuffle buffer."""

    def first(n: int):
        data = tf.data.Dataset.range(2 * n)
        data = data.map(lambda i: tf.fill([size // 8], i)).shuffle(n)
        iterator = iter(data)
        next(iterator)
        return iterator

    first(2)
    before = memory()
    kept = first(count)
    grown = memory() - before
    del kept
    return grown / (size * count)


def first_of_files(tf, folder: Path) -> float:
    data = tf.data.Dataset.list_files(str(folder / "names" / "*"))

    def once() -> float:
        begin = time.perf_counter()
        next(iter(data))
        return time.perf_counter() - begin

    return statistics.median(once() for _ in range(5))


def waiting_share(tf, folder: Path) -> float:
    x = tf.random.normal([400, 400])

    @tf.function
    def compute(images):
        y = x + tf.reduce_mean(images)
        for _ in tf.range(12):
            y = tf.nn.tanh(y @ x)
        return y

    wanted = features(tf)
    data = records(tf, folder).repeat().shuffle(10_000).batch(32)
    data = data.map(
        lambda r: tf.io.parse_example(r, wanted)["x"], tf.data.AUTOTUNE
    ).prefetch(tf.data.AUTOTUNE)
    iterator = iter(data)
    waited, begin = 0.0, 0.0
    for i in range(250):
        if i == 50:
            waited, begin = 0.0, time.perf_counter()
        asked = time.perf_counter()
        batch = next(iterator)
        waited += time.perf_counter() - asked
        compute(batch).numpy()
    return waited / (time.perf_counter() - begin)


ROWS: dict[str, Callable[..., float]] = {
    "tfrecord_batch_parse": tfrecord_batch_parse,
    "tfrecord_parse_single_batch": tfrecord_parse_single_batch,
    "jpeg_224": jpeg_224,
    "csv": csv,
    "csv_make_dataset": csv_make_dataset,
    "text": text,
    "text_batched": text_batched,
    "range_map_filter_batch": range_map_filter_batch,
    "generator_element": generator_element,
    "generator_arrays": generator_arrays,
    "shuffle_buffer_4k_ratio": lambda tf, folder: buffer_memory(tf, 4096, 20_000),
    "shuffle_buffer_1k_ratio": lambda tf, folder: buffer_memory(tf, 1024, 50_000),
    "first_of_10000_files": first_of_files,
    "waiting_share": waiting_share,
}


def main() -> None:
    module = next((a for a in sys.argv[1:] if a[0] != "-"), "graphkiln")
    options = [a for a in sys.argv[1:] if a != module]
    only: list[str] = list(ROWS)
    folder, row = Path(tempfile.gettempdir()) / "data_benchmark", ""
    for option in options:
        name, _, value = option.partition("=")
        if name == "--only":
            only = value.split(",")
        elif name == "--files":
            folder = Path(value)
        elif name == "--row":
            row = value
        elif name != "--cpu":
            sys.exit(__doc__)
    if row:
        tf = importlib.import_module(module)
        make_files(tf, folder)
        print(json.dumps({"name": row, "s": ROWS[row](tf, folder)}), flush=True)
        return
    given = [module, *(o for o in options if o == "--cpu")]
    for name in only:
        done = subprocess.run(
            [sys.executable, __file__, f"--row={name}", f"--files={folder}", *given],
            capture_output=True,
            text=True,
        )
        if done.returncode == 0:
            print(done.stdout, end="", flush=True)
        else:
            lines = done.stderr.strip().splitlines() or [f"ends {done.returncode}"]
            print(json.dumps({"name": name, "error": lines[-1]}), flush=True)


if __name__ == "__main__":
    main()
