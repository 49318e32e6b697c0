"""The comparison itself works: agreement passes, disagreement is noticed."""

from __future__ import annotations

import pytest


def test_the_peer_is_the_version_we_name(both):
    assert both.theirs.__version__.startswith("2.21.")
    assert both.ours.__name__ == "graphkiln"


def test_add_agrees(both):
    both.agree(lambda tf: tf.add(tf.constant([1.5, -2.0]), 3.0))


def test_disagreement_is_noticed(both):
    def differs(tf):
        return tf.constant(1.0 if tf is both.ours else 2.0)

    with pytest.raises(AssertionError):
        both.agree(differs)


def test_same_error_class(both):
    both.agree_on_error(
        lambda tf: tf.add(tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0]))
    )
