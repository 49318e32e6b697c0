"""Variables that code finds again by their names: in functions, whose traces share
them, and those that moving averages keep for themselves."""

from __future__ import annotations

import pytest

_INPUTS = ([1.0, 3.0], [2.0, -1.0], [4.0, 0.5])


@pytest.mark.parametrize("autograph", [True, False])
def test_traces_share_variables(both, autograph):
    def program(tf):
        v1 = tf.compat.v1

        def make():
            @tf.function(autograph=autograph)
            def f(x):
                with v1.variable_scope(f"s{autograph}", reuse=v1.AUTO_REUSE):
                    zeros = v1.zeros_initializer()
                    v = v1.get_variable("v", [2], initializer=zeros)
                    return v.assign_add(tf.cast(x, tf.float32))

            return f

        first, second = make(), make()
        # Two traces, and those of the second function.
        return [
            *(first(tf.constant(x)) for x in _INPUTS),
            first(tf.constant([1, 2])),
            *(second(tf.constant(x)) for x in _INPUTS),
        ]

    both.agree(program)


def test_wrapped_functions_have_their_own(both):
    def program(tf):
        v1 = tf.compat.v1

        def build(x):
            v = v1.get_variable("of_wrapped", [], initializer=v1.ones_initializer())
            return v + x

        spec = [tf.TensorSpec([], tf.float32)]
        return [v1.wrap_function(build, spec)(tf.constant(1.0)) for _ in range(2)]

    both.agree(program)


def _moving_average(tf):
    if tf.__name__ == "tensorflow":
        from tensorflow.python.training import moving_averages

        return moving_averages.assign_moving_average
    return tf.__internal__.train.assign_moving_average


@pytest.mark.parametrize("zero_debias", [True, False])
def test_moving_averages_of_eager_variables(both, zero_debias):
    def program(tf):
        v = tf.Variable([0.0, 0.0])
        move, told = _moving_average(tf), []
        for x in _INPUTS:
            move(v, tf.constant(x), 0.9, zero_debias=zero_debias)
            told.append(v.value())
        return told

    both.agree(program)


@pytest.mark.parametrize("reuse", ["none", "auto"])
@pytest.mark.parametrize("zero_debias", [True, False])
def test_two_moving_averages_of_a_variable(both, reuse, zero_debias):
    def program(tf):
        v1 = tf.compat.v1
        with tf.Graph().as_default():
            how = v1.AUTO_REUSE if reuse == "auto" else None
            with v1.variable_scope("s", reuse=how):
                zeros = v1.zeros_initializer()
                v = v1.get_variable("v", [2], initializer=zeros, use_resource=True)
                moves = [
                    _moving_average(tf)(v, tf.constant(x), d, zero_debias=zero_debias)
                    for x, d in zip(_INPUTS, (0.9, 0.5, 0.75), strict=True)
                ]
            names = sorted(x.op.name for x in v1.global_variables())
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                told = []
                for move in moves * 2:
                    session.run(move)
                    told += session.run(v).tolist()
        return [*names, *told]

    both.agree(program)
