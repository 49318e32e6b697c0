#!/usr/bin/env python3
"""Writes the corpus of saved models.

usage: make_corpus.py FOLDER tensorflow|graphkiln      (fuzz/corpus/saved_models)

Small models of every kind of object, written by one of the two.
"""

from __future__ import annotations

import importlib
import struct
import sys
import tempfile
from pathlib import Path

tf = importlib.import_module(sys.argv[2])
FILES = (
    "saved_model.pb",
    "variables/variables.index",
    "variables/variables.data-00000-of-00001",
)
ROW = tf.TensorSpec([None, 2], tf.float32)


def dense():
    m = tf.Module()
    m.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
    m.parts = [tf.Variable(1.0), {"a": tf.Variable([1, 2])}]
    m.f = tf.function(
        lambda x: {"y": x @ m.w + m.parts[0]}, input_signature=[ROW]
    )
    return m


def control_flow():
    m = tf.Module()
    m.w = tf.Variable([0.5, 1.5])

    def f(x):
        y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * m.w), (0, x))
        return tf.cond(tf.reduce_sum(x) > 0, lambda: y[1], lambda: -y[1])

    m.f = tf.function(f, input_signature=[ROW])
    return m


def gradients():
    m = tf.Module()
    m.w = tf.Variable([0.5, 1.5])

    @tf.custom_gradient
    def own(x):
        y = tf.exp(x)
        return y, lambda dy: dy * y * 2.0

    m.f = tf.function(lambda x: own(x * m.w), input_signature=[ROW])
    m.g = tf.function(
        lambda x: tf.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, own(v)), (0, x)),
        input_signature=[ROW],
    )
    return m


def tables():
    m = tf.Module()
    m.table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1
    )
    m.counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    m.counts.insert(["x"], [5])
    m.f = tf.function(
        lambda x: (m.table.lookup(x), m.counts.lookup(x)),
        input_signature=[tf.TensorSpec([None], tf.string)],
    )
    return m


def structures():
    m = tf.Module()
    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    m.f = tf.function(
        lambda x, flag=True: (x * 2 if flag else x, [tf.constant(1)]),
    )
    m.f.get_concrete_function(spec)
    m.f.get_concrete_function(spec, False)
    return m


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for make in (dense, control_flow, gradients, tables, structures):
        with tempfile.TemporaryDirectory() as saved:
            tf.saved_model.save(make(), saved)
            parts = [(Path(saved) / name).read_bytes() for name in FILES]
        data = b"".join(struct.pack("<I", len(part)) + part for part in parts)
        (folder / f"{make.__name__}.{sys.argv[2]}.bin").write_bytes(data)


main()
