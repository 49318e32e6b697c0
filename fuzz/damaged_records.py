"""Damaged records and Examples: python fuzz/damaged_records.py --count 25

Each case reads 200 record files that were cut off or had bits flipped, and parses 200
damaged Examples and SequenceExamples, in every kind of feature: values, DataLossError
or InvalidArgumentError, never another error, never a crash.
"""

import random
import sys
from collections.abc import Iterator

from campaign import Case, main

PROGRAM = r"""
import os, random, tempfile, warnings
warnings.simplefilter("ignore")
import graphkiln as tf
choose = random.Random({seed})
folder = tempfile.mkdtemp()
compression = choose.choice(["", "", "GZIP", "ZLIB"])
counts = dict(values=0, DataLossError=0, InvalidArgumentError=0)

def damaged(data):
    data = bytearray(data)
    if choose.random() < 0.4: del data[choose.randrange(len(data) + 1):]
    for _ in range(choose.choice([0, 1, 1, 2, 8])):
        if data: data[choose.randrange(len(data))] ^= 1 << choose.randrange(8)
    if choose.random() < 0.1:
        at = choose.randrange(len(data) + 1)
        data[at:at] = choose.randbytes(choose.randrange(1, 12))
    return bytes(data)

def tried(what, call):
    try:
        call()
        counts["values"] += 1
    except (tf.errors.DataLossError, tf.errors.InvalidArgumentError) as error:
        counts[type(error).__name__] += 1
    except Exception as error:
        print("WRONG:", what, type(error).__name__, str(error)[:300])

def feature():
    made = tf.train.Feature()
    kind = choose.randrange(4)
    n = choose.randrange(4)
    if kind == 0: made.int64_list.value.extend(choose.randrange(-9, 1 << 40) for _ in range(n))
    if kind == 1: made.float_list.value.extend(choose.random() for _ in range(n))
    if kind == 2: made.bytes_list.value.extend(choose.randbytes(choose.randrange(30)) for _ in range(n))
    return made

def example():
    made = tf.train.Example()
    for key in "abcdef":
        made.features.feature[key].CopyFrom(feature())
    return made.SerializeToString()

def sequence():
    made = tf.train.SequenceExample()
    for key in "abc":
        made.context.feature[key].CopyFrom(feature())
        for _ in range(choose.randrange(3)):
            made.feature_lists.feature_list[key].feature.append(feature())
    return made.SerializeToString()

io = tf.io
FEATURES = dict(
    a=io.FixedLenFeature([2], tf.int64, [1, 2]), b=io.VarLenFeature(tf.float32),
    c=io.RaggedFeature(tf.string), d=io.FixedLenSequenceFeature([], tf.int64, True),
    e=io.RaggedFeature(tf.int64, partitions=[io.RaggedFeature.UniformRowLength(2)]),
    f=io.FixedLenFeature([], tf.string, ""))
CONTEXT = dict(a=io.FixedLenFeature([1], tf.int64, [1]), b=io.VarLenFeature(tf.float32),
               c=io.RaggedFeature(tf.string))
LISTS = dict(a=io.FixedLenSequenceFeature([], tf.int64, True), b=io.VarLenFeature(tf.float32),
             c=io.RaggedFeature(tf.string))
whole = [example() for _ in range(20)]
path = os.path.join(folder, "r")
with io.TFRecordWriter(path, compression) as writer:
    for e in whole: writer.write(e)
data = open(path, "rb").read()
for _ in range(200):
    open(path, "wb").write(damaged(data))
    def read():
        found = [x.numpy() for b in tf.data.TFRecordDataset(path, compression).batch(3) for x in b]
        if not compression and any(x not in whole for x in found): print("WRONG: a record that was not written")
    tried("records", read)
    texts = [damaged(choose.choice(whole)) for _ in range(choose.randrange(1, 4))]
    tried("examples", lambda: io.parse_example(texts, FEATURES))
    tried("example", lambda: io.parse_single_example(texts[0], FEATURES))
    texts = [damaged(sequence()) for _ in range(choose.randrange(1, 4))]
    tried("sequences", lambda: io.parse_sequence_example(texts, CONTEXT, LISTS))
    for sanitize in (False, True):
        tried("message", lambda: io.decode_proto(
            texts, "tensorflow.SequenceExample", ["context", "feature_lists"],
            [tf.string] * 2, sanitize=sanitize))
print(compression or "plain", counts)
import shutil
shutil.rmtree(folder)
"""


def cases(choose: random.Random) -> Iterator[Case]:
    while True:
        seed = choose.randrange(1 << 30)
        yield Case(f"seed {seed}", PROGRAM.replace("{seed}", str(seed)), patience=120)


if __name__ == "__main__":
    sys.exit(main(__doc__, 25, cases))
