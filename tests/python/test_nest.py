"""tf.nest: what no program of tests/programs can show of both modules."""

import collections

import pytest

import graphkiln as tf
from graphkiln import _graphkiln

Point = collections.namedtuple("Point", "x y")


class Proxy:
    """As the wrappers of wrapt: acts as what it wraps."""

    def __init__(self, wrapped):
        self._wrapped = wrapped

    @property
    def __class__(self):
        return type(self._wrapped)

    @property
    def __wrapped__(self):
        return self._wrapped

    def __getitem__(self, key):
        return self._wrapped[key]


@pytest.mark.parametrize(
    "wrapped", [[1, [2]], (1, 2), {"b": 1, "a": 2}], ids=["list", "tuple", "dict"]
)
def test_proxies_count_as_what_they_wrap(wrapped):
    proxy = Proxy(wrapped)
    assert tf.nest.flatten(proxy) == tf.nest.flatten(wrapped)
    made = tf.nest.map_structure(lambda x: x + 1, proxy)
    assert type(made) is Proxy
    assert made.__wrapped__ == tf.nest.map_structure(lambda x: x + 1, wrapped)


def test_records_come_out_of_their_proxies():
    made = tf.nest.map_structure(lambda x: x + 1, Proxy(Point(1, 2)))
    assert made == Point(2, 3) and type(made) is Point


def test_proxies_of_leaves_are_leaves():
    proxy = Proxy(3)
    assert tf.nest.flatten([proxy]) == [proxy]


def test_arguments_in_proxies():
    f = tf.function(lambda x: x["b"] - x["a"])
    value = {"b": tf.constant(5), "a": tf.constant(3)}
    assert f(Proxy(value)).numpy() == 2


def test_structures_too_deep():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(RecursionError):
        tf.nest.flatten(deep)
    with pytest.raises(RecursionError):
        tf.nest.map_structure(lambda x: x, deep)
    with pytest.raises(RecursionError):
        tf.nest.assert_same_structure(deep, deep)


def test_structures_that_change_while_they_are_mapped():
    values = [1, 2]

    def grow(x):
        values.append(x)
        return x

    with pytest.raises(ValueError, match="changed meanwhile"):
        tf.nest.map_structure(grow, values)


def test_what_functions_take_and_give():
    @tf.function
    def f(a, *, b):
        return {"y": a["x"] + b, "n": None, "p": Point(b, [b])}

    trace = f.get_concrete_function(
        {"x": tf.TensorSpec([2]), "k": 3}, b=tf.TensorSpec([])
    )
    assert trace.structured_input_signature == (
        ({"x": tf.TensorSpec([2], name="a_x"), "k": 3},),
        {"b": tf.TensorSpec([], name="b")},
    )
    assert trace.output_shapes == {
        "y": tf.TensorShape([2]), "n": tf.TensorShape(None),
        "p": Point(tf.TensorShape([]), [tf.TensorShape([])]),
    }
    assert trace.structured_outputs["p"].y[0] is not None


def test_graphs_that_nothing_was_traced_into():
    graph = _graphkiln.FuncGraph("empty")
    assert not hasattr(graph, "structured_outputs")
    assert not hasattr(graph, "structured_input_signature")
