"""Objects that say, or are told, what is in them: their graphs of objects, here and
in TensorFlow."""

from __future__ import annotations

import collections
from typing import Any

import pytest
import tensorflow as original

import graphkiln as own


class Bag(list):
    """A class of list of the user's."""


def told(tf: Any) -> Any:
    class Pair(tf.__internal__.tracking.Trackable):
        def __init__(self) -> None:
            self.hidden = tf.Variable(0.0)
            self._track_trackable(tf.Variable(1.0), "first")
            self._track_trackable(tf.Variable(2.0), "second")
            self._track_trackable(tf.Variable(3.0), "second", overwrite=True)

    return Pair()


def attributes(tf: Any) -> Any:
    class Owner(tf.__internal__.tracking.AutoTrackable):
        def __init__(self) -> None:
            self.v = tf.Variable(1.0)
            self.items = [tf.Variable(2.0), {"a": tf.Variable(3.0)}]
            self.ordered = collections.OrderedDict(b=tf.Variable(4.0))
            self.bag = Bag([tf.Variable(5.0)])
            self.number = 3
            self.gone = tf.Variable(6.0)
            del self.gone

    return Owner()


def untracked(tf: Any) -> Any:
    class Owner(tf.__internal__.tracking.AutoTrackable):
        @tf.__internal__.tracking.no_automatic_dependency_tracking
        def __init__(self) -> None:
            self.helper = tf.Variable(1.0)
            self.other = tf.Variable(2.0)
            self.adopt()

        def adopt(self) -> None:
            self.late = tf.Variable(3.0)

    made = Owner()
    made.other = tf.Variable(4.0)
    return made


def own_children(tf: Any) -> Any:
    class Owner(tf.__internal__.tracking.AutoTrackable):
        def __init__(self) -> None:
            self.v = tf.Variable(1.0)

        def _trackable_children(self, save_type="checkpoint", **kwargs):
            children = super()._trackable_children(save_type, **kwargs)
            children["again"] = self.v
            return children

    return Owner()


def values_of_its_own(tf: Any) -> Any:
    class Number(tf.__internal__.tracking.Trackable):
        def __init__(self) -> None:
            self.n = tf.constant(5.0)

        def _serialize_to_tensors(self):
            return {"n": self.n}

        def _restore_from_tensors(self, restored_tensors):
            self.n = restored_tensors["n"]

    module = tf.Module()
    module.number = Number()
    return module


MAKERS = [told, attributes, untracked, own_children, values_of_its_own]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_names_of_what_is_saved(make: Any, tmp_path: Any) -> None:
    names = []
    for tf in (original, own):
        path = tf.train.Checkpoint(make(tf)).write(str(tmp_path / tf.__name__))
        names.append(
            sorted(n for n, _ in tf.train.list_variables(path) if "GRAPH" not in n)
        )
        view = tf.train.CheckpointView(path)
        names[-1].append(len(view.descendants()))
    assert names[0] == names[1]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_each_reads_the_others(make: Any, tmp_path: Any) -> None:
    for writer, reader in ((original, own), (own, original)):
        path = writer.train.Checkpoint(make(writer)).write(
            str(tmp_path / writer.__name__)
        )
        reader.train.Checkpoint(make(reader)).read(path).assert_consumed()


def test_errors() -> None:
    told_of = []
    for tf in (original, own):
        thing = tf.__internal__.tracking.Trackable()
        texts = []
        for second, error in ((tf.Variable(1.0), ValueError), (3, TypeError)):
            thing._track_trackable(tf.Variable(0.0), "x", overwrite=True)
            with pytest.raises(error) as raised:
                thing._track_trackable(second, "x")
            texts.append(str(raised.value))
        told_of.append(texts)
    assert told_of[0] == told_of[1]


def one() -> int:
    return 1


def two() -> int:
    return 2


def test_conditions_decided_early() -> None:
    for tf in (original, own):
        smart_cond = tf.__internal__.smart_cond.smart_cond
        assert smart_cond(True, lambda: "yes", lambda: "no") == "yes"
        assert smart_cond(tf.constant(False), lambda: "yes", lambda: "no") == "no"
        traced = tf.function(smart_cond)(tf.constant(False), one, two)
        assert int(traced) == 2
        with pytest.raises(TypeError, match="must be a Tensor, or a Python bool"):
            smart_cond("x", lambda: 1, lambda: 2)
        with pytest.raises(TypeError, match="`false_fn` must be callable"):
            smart_cond(True, lambda: 1, 2)
