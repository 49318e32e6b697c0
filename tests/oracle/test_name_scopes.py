"""Names that tf.name_scope takes, and those that it refuses."""

import pytest


@pytest.mark.parametrize("name", ["a", "\ud800", "a\0b", 3, None, b"x"])
@pytest.mark.parametrize("graph", [False, True])
def test_names(both, name, graph):
    def enter(tf):
        with tf.name_scope(name) as scope:
            return scope

    def program(tf):
        try:
            if not graph:
                return enter(tf)
            with tf.Graph().as_default():
                return enter(tf)
        except Exception as e:
            return type(e).__name__

    assert program(both.ours) == program(both.theirs)
