"""Tracebacks of errors in traces show the program's frames."""

import os
import traceback

import pytest

import graphkiln as tf

PACKAGE = os.path.dirname(tf.__file__)


def helper(x):
    return tf.matmul(x, tf.ones([5, 5]))


@tf.function
def looped(x):
    for _ in tf.range(3):
        x = helper(x)
    return x


@tf.function
def nested(x):
    return looped(x) + 1.0


@tf.function
def branched(x):
    if tf.reduce_sum(x) > 0.0:
        x = helper(x)
    return x


@tf.function(input_signature=[tf.TensorSpec([2])])
def signed(x):
    return x


X = [tf.ones([2, 2])]
CALLS = {
    "loop": (lambda: looped(*X), ["looped", "looped", "helper"]),
    "nested": (
        lambda: nested(*X), ["nested", "looped", "looped", "helper"]
    ),
    "concrete": (
        lambda: looped.get_concrete_function(*X),
        ["looped", "looped", "helper"],
    ),
    "branch": (lambda: branched(*X), ["branched", "branched", "helper"]),
    "signature": (lambda: signed(*X), []),
}


def frames(call) -> list:
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    return traceback.extract_tb(caught.value.__traceback__)


def own(found: list) -> list:
    return [f for f in found if f.filename.startswith(PACKAGE)]


@pytest.mark.parametrize("name", CALLS)
def test_own_frames_are_left_out(name):
    call, expected = CALLS[name]
    assert tf.debugging.is_traceback_filtering_enabled()
    for _ in range(2):
        found = frames(call)
        assert own(found) == []
        names = [f.name.removeprefix("tf__") for f in found]
        assert names[names.index("<lambda>") + 1 :] == expected


@pytest.mark.parametrize("name", CALLS)
def test_or_shown(name):
    tf.debugging.disable_traceback_filtering()
    try:
        assert not tf.debugging.is_traceback_filtering_enabled()
        # No Python code of ours binds a call.
        assert bool(own(frames(CALLS[name][0]))) == (name != "signature")
    finally:
        tf.debugging.enable_traceback_filtering()


def test_causes_stay():
    @tf.function(autograph=False)
    def f():
        try:
            raise KeyError("first")
        except KeyError as e:
            raise RuntimeError("second") from e

    with pytest.raises(RuntimeError, match="second") as caught:
        f()
    assert isinstance(caught.value.__cause__, KeyError)
    assert own(traceback.extract_tb(caught.value.__traceback__)) == []
