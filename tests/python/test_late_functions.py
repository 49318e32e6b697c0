"""Functions of loaded models are made when they are asked for first."""

from __future__ import annotations

import copy
import threading
from pathlib import Path

import pytest

import graphkiln as tf

SPEC = [tf.TensorSpec([], tf.float32)]


class Model(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = tf.Variable(3.0)
        self.inner = tf.Module()
        self.inner.g = tf.function(lambda x: x - self.w, input_signature=SPEC)
        self.listed = [tf.function(lambda x: x / 2.0, input_signature=SPEC)]
        self.table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, -1.0)

    @tf.function(input_signature=SPEC)
    def __call__(self, x):
        return x * self.w

    @tf.function(input_signature=SPEC)
    def f(self, x):
        return x + self.w


@pytest.fixture
def loaded(tmp_path: Path):
    model = Model()
    tf.saved_model.save(model, str(tmp_path / "m"), {"one": model.f})
    return tf.saved_model.load(str(tmp_path / "m"))


@pytest.fixture
def count(monkeypatch):
    """How many functions were made."""
    from graphkiln._src.saved_model import load

    made = []
    original = load.Loader._make

    def counted(self, number, node):
        if node.kind in load._FUNCTIONS:
            made.append(number)
        return original(self, number, node)

    monkeypatch.setattr(load.Loader, "_make", counted)
    return lambda: len(made)


def test_only_those_that_are_asked_for(tmp_path: Path, count) -> None:
    model = tf.Module()
    for i in range(20):
        f = tf.function(lambda x, i=i: x + float(i), input_signature=SPEC)
        setattr(model, f"f{i}", f)
    tf.saved_model.save(model, str(tmp_path), {"a": model.f3, "b": model.f4})
    loaded = tf.saved_model.load(str(tmp_path))
    assert count() == 0
    assert sorted(loaded.signatures) == ["a", "b"]
    assert "a" in loaded.signatures and len(loaded.signatures) == 2
    assert {f"f{i}" for i in range(20)} <= set(dir(loaded))
    assert loaded.f7(1.0).numpy() == 8.0
    assert loaded.f7 is loaded.f7
    assert count() == 1
    assert loaded.signatures["b"](x=tf.constant(1.0))["output_0"].numpy() == 5.0
    assert loaded.signatures["b"] is loaded.signatures["b"]
    assert count() == 2


def test_they_are_attributes(loaded) -> None:
    assert hasattr(loaded, "f") and not hasattr(loaded, "nothing")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = loaded.nothing
    assert loaded(2.0).numpy() == 6.0
    concrete = loaded.__call__.get_concrete_function()
    assert concrete(tf.constant(2.0)).numpy() == 6.0
    assert loaded.inner.g(2.0).numpy() == -1.0
    assert loaded.listed[0](2.0).numpy() == 1.0
    loaded.f = None
    assert loaded.f is None
    del loaded.inner.g
    assert not hasattr(loaded.inner, "g")
    assert "g" not in dir(loaded.inner)


def test_first_asked_for_while_another_is_traced(loaded) -> None:
    @tf.function
    def outer(x):
        return loaded.f(x) + loaded(x) + loaded.signatures["one"](x=x)["output_0"]

    assert outer(tf.constant(2.0)).numpy() == 16.0
    assert loaded.f(1.0).numpy() == 4.0
    with tf.GradientTape() as tape:
        y = loaded.f(2.0) * loaded.w
    assert tape.gradient(y, loaded.w).numpy() == 8.0


def test_many_threads_ask_for_one(loaded) -> None:
    found, threads = [], []
    for _ in range(8):
        threads.append(threading.Thread(target=lambda: found.append(loaded.f(1.0))))
        threads[-1].start()
    for thread in threads:
        thread.join(60)
    assert [f.numpy() for f in found] == [4.0] * 8


def test_nobody_asked_before_it_is_saved_again(loaded, tmp_path: Path) -> None:
    tf.saved_model.save(loaded, str(tmp_path / "again"))
    again = tf.saved_model.load(str(tmp_path / "again"))
    assert again.f(1.0).numpy() == 4.0
    assert again(1.0).numpy() == 3.0
    assert again.inner.g(1.0).numpy() == -2.0


def test_copies_ask_for_their_own(loaded) -> None:
    twin = copy.copy(loaded)
    assert twin.f(1.0).numpy() == 4.0
    del twin.f
    assert not hasattr(twin, "f")
    assert loaded.f(1.0).numpy() == 4.0
    assert copy.deepcopy(loaded.inner).g(1.0).numpy() == -2.0
