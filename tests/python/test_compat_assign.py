"""tf.compat.v1.assign and its like."""

import pytest

import graphkiln as tf


def test_they_change_and_return_the_variable():
    v = tf.Variable(1.0)
    assert float(tf.compat.v1.assign(v, 5.0)) == 5.0
    assert float(tf.compat.v1.assign_add(v, 2.0, name="more")) == 7.0
    assert float(tf.compat.v1.assign_sub(v, 3.0, use_locking=True)) == 4.0
    assert float(v) == 4.0


def test_in_a_loop():
    v = tf.Variable(0)
    seen = []

    @tf.function
    def f(values):
        for value in values:
            tf.compat.v1.assign_add(v, value)
            tf.compat.v1.py_func(
                lambda x: seen.append(int(x)), [v.read_value()], []
            )
        return tf.compat.v1.py_func(lambda x: x + 1, [v], tf.int32)

    assert int(f(tf.constant([1, 2, 3]))) == 7
    assert seen == [1, 3, 6]


@pytest.mark.parametrize("name", ["assign", "assign_add", "assign_sub"])
def test_only_variables_change(name):
    change = getattr(tf.compat.v1, name)
    with pytest.raises(AttributeError, match=f"'{name}'.*only variables"):
        change(tf.constant(1.0), 2.0)
    with pytest.raises(
        (ValueError, tf.errors.InvalidArgumentError), match="shape"
    ):
        change(tf.Variable(1.0), [1.0, 2.0])


def test_names_of_results_in_branches_and_loops():
    @tf.function
    def f(x):
        while x < 10:
            x = x * 2
        if x > 12:
            x = x + 1
        return x

    definition = f.get_concrete_function(tf.constant(1)).graph.as_graph_def()
    for function in definition.library.function:
        scope = function.signature.name.split("_")[0]
        assert all(
            value.startswith(f"{scope}/Identity")
            for key, value in list(dict(function.ret).items())[:2]
        ), function.ret
