"""Options of datasets are written, read and merged as TensorFlow does it."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

ENUMERATIONS = (
    "AutoShardPolicy", "AutotuneAlgorithm", "ExternalStatePolicy",
)


def options(tf: Any, value: Any) -> Iterator[Any]:
    """Options of which one is set to `value`, one after the other."""
    for path in paths(importlib.import_module("graphkiln")):
        made = tf.data.Options()
        at = made
        for name in path[:-1]:
            at = getattr(at, name)
        if isinstance(value, bool) and takes(at, path[-1], 7):
            continue
        if takes(at, path[-1], value):
            yield made


def takes(options: Any, name: str, value: Any) -> bool:
    try:
        setattr(options, name, value)
    except TypeError:
        return False
    return True


def paths(tf: Any) -> list[list[str]]:
    whole = tf.data.Options()
    found = []
    for name in sorted(vars(type(whole))):
        if name.startswith("_") or name == "merge":
            continue
        inner = getattr(whole, name)
        names = [
            n for n in vars(type(inner)) if not n.startswith("_")
        ] if type(inner).__name__.endswith("Options") else []
        found += [[name, n] for n in sorted(names)] or [[name]]
    return found


def written(tf: Any, said: Any) -> bytes:
    dataset = tf.data.Dataset.range(2)
    for one in said:
        dataset = dataset.with_options(one)
    return tf.raw_ops.GetOptions(
        input_dataset=tf.data.experimental.to_variant(dataset)
    ).numpy()


def values(tf: Any) -> list[Any]:
    found: list[Any] = [True, False, 0, 7, 2**31 - 1, "name", ["a", "b"]]
    for name in ENUMERATIONS:
        found += list(getattr(tf.data.experimental, name))
    return found


def test_names(both):
    gk, tf = both.ours, both.theirs
    assert paths(gk) == paths(tf)
    assert len(paths(gk)) == 33


@pytest.mark.parametrize("k", range(20))
def test_each_option(both, k):
    gk, tf = both.ours, both.theirs
    ours = [written(gk, [o]) for o in options(gk, values(gk)[k])]
    theirs = [written(tf, [o]) for o in options(tf, values(tf)[k])]
    assert ours == theirs


def test_all_values(both):
    gk, tf = both.ours, both.theirs
    assert len(values(gk)) == len(values(tf)) == 20


def test_several(both):
    def said(tf: Any) -> bytes:
        kinds = [True, 7, "n", ["a"], False, 8, ["b"]]
        return written(tf, [o for v in kinds for o in options(tf, v)])

    gk, tf = both.ours, both.theirs
    assert said(gk) == said(tf)


@pytest.mark.parametrize(
    "serialized",
    [b"", b"\x08\x02", b"xx", b"P\x01", b"\x12\x00", b"\x12\x02\x08\x03",
     b"\x12\x04\x08\x01\x08\x02", b"\x5a\x01a\x08\x01\x5a\x01b", b"\x08",
     b"\x12\x05", b"\xff\xff", b"\x00", b"\x0d\x01\x00\x00\x00"],
)
def test_foreign_options(both, serialized):
    def read(tf: Any) -> Any:
        try:
            dataset = tf.raw_ops.OptionsDataset(
                input_dataset=tf.data.experimental.to_variant(
                    tf.data.Dataset.range(2)
                ),
                serialized_options=serialized,
                output_types=[tf.int64],
                output_shapes=[[]],
            )
            return tf.raw_ops.GetOptions(input_dataset=dataset).numpy()
        except tf.errors.InvalidArgumentError as error:
            text = str(error).partition(" [Op:")[0]
            return text[text.find("Could not"):].partition("\n")[0]

    gk, tf = both.ours, both.theirs
    assert read(gk) == read(tf)
