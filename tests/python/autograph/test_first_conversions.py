"""The first function that a process converts, whoever asks for it."""

from __future__ import annotations

import pytest
from child_program import check_child

ASKED = {
    "update": "tf.distribute.get_strategy().extended.update(tf.Variable(1), plus)",
    "run": "tf.distribute.get_strategy().run(plus, (tf.constant(1),))",
    "to_graph": "tf.autograph.to_graph(plus)(tf.constant(1))",
    "function": "tf.function(plus)(tf.constant(1))",
}


@pytest.mark.parametrize("asked", ASKED)
def test_first_conversions(asked) -> None:
    check_child(
        f"""
        import graphkiln as tf

        def plus(x):
            if x > 0:
                x = x + 2
            return x + 3

        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            y = {ASKED[asked]}
            session.run(tf.compat.v1.global_variables_initializer())
            assert session.run(y) == 6
        """
    )
