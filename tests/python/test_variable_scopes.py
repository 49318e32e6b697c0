"""Scopes of tf.compat.v1.variable_scope."""

import graphkiln as tf


def test_names_do_not_depend_on_graphs_that_are_gone():
    names = set()
    for _ in range(30):
        with tf.Graph().as_default(), tf.compat.v1.variable_scope(None, "layer") as one:
            names.add(one.name)
            with tf.compat.v1.variable_scope("layer"):  # opens it once more
                pass
    assert names == {"layer"}
