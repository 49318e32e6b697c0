"""Lists, dictionaries and tuples that are attributes: what TensorFlow finds in them
is found here, or both refuse to save."""

from __future__ import annotations

from collections import namedtuple

import pytest
import tensorflow as tf

import graphkiln as gk

LIBRARIES = [gk, tf]
Pair = namedtuple("Pair", "left right")

# What becomes of an attribute; `v` makes a variable.
SAME_KEYS = {
    "appended": ([], lambda a, v: a.append(v())),
    "nested": ([[], {}], lambda a, v: (a[0].append(v()), a[1].update(b=v()))),
    "extended": ([], lambda a, v: a.extend([v(), 1, v()])),
    "overwritten": ({}, lambda a, v: (a.update(a=v()), a.update(a=v()))),
    "mixed keys": ({1: 2, 2: None, 3: (4, 5)}, lambda a, v: a.update(a=v())),
    "in a tuple": ((1, []), lambda a, v: a[1].append(v())),
    "in a named tuple": (Pair(1, []), lambda a, v: a.right.append(v())),
}
REFUSED = {
    "a variable": lambda t: {1: t.Variable(1.0)},
    "a module": lambda t: {("a", 1): t.Module()},
    "a list": lambda t: {1.5: []},
    "a tuple with a variable": lambda t: {1: (2, t.Variable(1.0))},
    "deeper": lambda t: [{"a": {1: {}}}],
}


def keys(t, path):
    return sorted(
        (key, shape)
        for key, shape in gk.train.list_variables(str(path))
        if not key.startswith("_CHECKPOINTABLE")
    )


def keys_of(t, root, folder):
    """In a checkpoint, and in a saved model."""
    path = t.train.Checkpoint(root=root).write(str(folder / "c"))
    t.saved_model.save(root, str(folder / "m"))
    return keys(t, path), keys(t, folder / "m" / "variables" / "variables")


@pytest.mark.parametrize("name", SAME_KEYS)
def test_what_is_found(name, tmp_path):
    found = []
    for t in LIBRARIES:
        root = t.Module()
        root.v = t.Variable(1.0)
        start, change = SAME_KEYS[name]
        root.a = eval(repr(start))
        change(root.a, lambda t=t: t.Variable([1.0]))
        found.append(keys_of(t, root, tmp_path / t.__name__))
        assert isinstance(root.a, type(start))
    assert found[0] == found[1]
    assert len(found[0][0]) > 1


@pytest.mark.parametrize("t", LIBRARIES)
@pytest.mark.parametrize("name", REFUSED)
def test_what_would_be_lost_is_refused(t, name, tmp_path):
    root = t.Module()
    root.a = REFUSED[name](t)
    for save in (
        lambda: t.train.Checkpoint(root=root).write(str(tmp_path / "c")),
        lambda: t.saved_model.save(root, str(tmp_path / "m")),
    ):
        with pytest.raises(ValueError, match=r"(?s)Unable to save.*non-string key"):
            save()


@pytest.mark.parametrize("writer", LIBRARIES)
@pytest.mark.parametrize("reader", LIBRARIES)
def test_named_tuples_in_both_directions(writer, reader, tmp_path):
    def root(t, value):
        made = t.Module()
        made.pair = Pair(t.Variable(value), {"x": t.Variable(value + 1.0)})
        return made

    path = writer.train.Checkpoint(root=root(writer, 5.0)).write(str(tmp_path / "c"))
    other = root(reader, 0.0)
    reader.train.Checkpoint(root=other).read(path).assert_consumed()
    assert other.pair.left.numpy() == 5.0
    assert other.pair.right["x"].numpy() == 6.0
    writer.saved_model.save(root(writer, 7.0), str(tmp_path / "m"))
    pair = reader.saved_model.load(str(tmp_path / "m")).pair
    assert pair[0].numpy() == 7.0
    assert pair[1]["x"].numpy() == 8.0
