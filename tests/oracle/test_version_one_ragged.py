"""Functions of the first version that take ragged tensors."""

from __future__ import annotations

import pytest
import tensorflow

import graphkiln


def _calls(tf):
    v1, ragged = tf.compat.v1, tf.ragged.constant
    letters = ragged([["a", "b", "c"], ["d"], [], ["e"]])
    x, y = ragged([["A", "B"], ["C"]]), ragged([["a", "b"], ["c"]])
    return {
        "batch_gather": lambda: v1.batch_gather(
            letters, ragged([[1, 2, 0], [], [], [0, 0]])
        ),
        "of dense": lambda: v1.batch_gather(
            tf.constant([[1, 2], [3, 4]]), ragged([[0], [1, 0]])
        ),
        "by dense": lambda: v1.batch_gather(letters, tf.constant([0, 0, 3, 1])),
        "where": lambda: v1.where(ragged([[True, False], [True]]), x, y),
        "where, rows": lambda: v1.where(tf.constant([True, False]), x, y),
        "where, dense": lambda: v1.where(
            ragged([[True, False], [True]]), tf.constant([["A", "B"], ["C", "D"]]), y
        ),
        "where, a matrix": lambda: v1.where(tf.constant([[True, False]]), x, y),
    }


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", list(_calls(graphkiln)))
def test_is_the_same(name, traced):
    found = []
    for tf in (tensorflow, graphkiln):
        call = _calls(tf)[name]
        try:
            value = (tf.function(call) if traced else call)()
            found.append(value.to_list())
        except Exception as error:  # noqa: BLE001 - its class is compared
            found.append(type(error).__name__)
    assert found[0] == found[1]


def test_what_does_not_fit_is_an_error():
    # TensorFlow gives an element of the next row for the first.
    v1, ragged = graphkiln.compat.v1, graphkiln.ragged.constant
    x = ragged([["A", "B"], ["C"]])
    for call in (
        lambda: v1.batch_gather(x, ragged([[2], []])),
        lambda: v1.where(ragged([[True], [True]]), x, x),
    ):
        with pytest.raises((ValueError, graphkiln.errors.InvalidArgumentError)):
            call()
