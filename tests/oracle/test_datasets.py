"""Datasets on both modules: random pipelines, orders, and graphs of datasets
that each reads from the other."""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_graph_def import assert_same, run_by_tensorflow, values

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python" / "data"))

import pipelines  # noqa: E402


def listed(dataset: Any) -> list:
    return [x.tolist() for x in dataset.as_numpy_iterator()]


@pytest.mark.parametrize("first", range(0, 100, 20))
def test_random_pipelines(both, first):
    for seed in range(first, first + 20):
        make = pipelines.program(1000 + seed)
        mine, theirs = (
            make(pipelines.Source(tf)).dataset for tf in (both.ours, both.theirs)
        )
        assert listed(mine) == listed(theirs), seed
        assert str(mine.element_spec) == str(theirs.element_spec), seed
        assert int(mine.cardinality()) == int(theirs.cardinality()), seed


@pytest.mark.parametrize("seed", range(12))
def test_shuffled_orders(both, seed):
    def program(tf):
        r = np.random.default_rng(seed)
        if seed % 2:
            tf.random.set_seed(seed)
        d = tf.data.Dataset.range(int(r.integers(1, 40)))
        d = d.shuffle(
            int(r.integers(1, 50)), seed=int(r.integers(0, 2**31)),
            reshuffle_each_iteration=bool(seed % 3),
        ).repeat(2)
        return [listed(d), listed(d.batch(3)), listed(d.take(4))]

    assert program(both.ours) == program(both.theirs)


# --- Graphs.


def pipeline(tf):
    @tf.function
    def f(x):
        d = tf.data.Dataset.from_tensor_slices(x).map(lambda v: v * 2)
        d = d.filter(lambda v: v > 2).batch(2).prefetch(1).enumerate()
        total = tf.constant(0, tf.int64)
        for i, b in d:
            total += i * tf.reduce_sum(b)
        return total

    return f, [np.array([1, 2, 3, 4, 5], np.int64)], []


def breaking(tf):
    @tf.function
    def f(limit):
        s, n = tf.constant(0, tf.int64), 0
        for x in tf.data.Dataset.range(100).shuffle(10, seed=3):
            if s > limit:
                break
            if x % 2 == 0:
                continue
            s += x
            n += 1
        return s, n

    return f, [np.int64(40)], []


def with_variable(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        for row in tf.data.Dataset.from_tensor_slices(x):
            v.assign_add(row * v)
        return v.read_value()

    return f, [np.array([1.0, 2.0, 0.5], np.float32)], [v]


def many_kinds(tf):
    @tf.function
    def f(n):
        D = tf.data.Dataset
        a = D.range(n).take(9).skip(1).repeat(2).cache().shard(2, 1)
        b = D.range(3).flat_map(lambda x: D.range(x + n)).interleave(
            lambda x: D.from_tensors(x).repeat(2), cycle_length=2
        )
        c = D.zip((a, b)).concatenate(
            D.from_tensors((np.int64(7), np.int64(8)))
        )
        c = c.scan(np.int64(1), lambda s, xy: (s + xy[0], s * xy[1]))
        c = c.take_while(lambda x: x < 1000).map(
            lambda x: x + 1, num_parallel_calls=2
        )
        return c.reduce(np.int64(0), lambda s, x: s * 3 + x), c.batch(100)\
            .get_single_element(), a.cardinality()

    return f, [np.int64(6)], []


def iterators(tf):
    @tf.function
    def f(n):
        it = iter(tf.data.Dataset.range(n))
        first = next(it)
        s = tf.constant(0, tf.int64)
        for x in it:
            if x > 3:
                break
            s += x
        last = it.get_next_as_optional()
        return first, s, next(it), last.has_value(), last.get_value()

    return f, [np.int64(9)], []


MAKERS: list[Callable] = [pipeline, breaking, with_variable, many_kinds, iterators]


def traced_for(tf: Any, make: Callable) -> tuple:
    f, args, variables = make(tf)
    return f.get_concrete_function(*map(tf.constant, args)), args, variables


@pytest.mark.parametrize("make", MAKERS)
def test_tensorflow_runs_our_graph(both, make):
    tf = both.theirs
    f, args, state = make(tf)
    expected = values(tf, f(*map(tf.constant, args)))
    traced, args, _ = traced_for(both.ours, make)
    graph_def = tf.compat.v1.GraphDef.FromString(
        traced.graph.as_graph_def().SerializeToString()
    )
    variables = make(tf)[2]
    feeds = dict(
        zip(
            [t.name for t in traced.inputs],
            [*map(tf.constant, args), *(v.handle for v in variables)],
            strict=True,
        )
    )
    result = run_by_tensorflow(
        tf, graph_def, feeds, [t.name for t in traced.outputs]
    )
    assert_same(values(tf, result), expected)
    assert_same(values(tf, variables), values(tf, state))


@pytest.mark.parametrize("make", MAKERS)
def test_we_run_the_graph_of_tensorflow(both, make):
    f, args, state = make(both.theirs)
    expected = values(both.theirs, f(*map(both.theirs.constant, args)))
    traced, args, _ = traced_for(both.theirs, make)
    tf = both.ours
    graph_def = traced.graph.as_graph_def()
    variables = make(tf)[2]
    feeds = dict(
        zip(
            [t.name for t in traced.inputs],
            [*map(tf.constant, args), *(v.handle for v in variables)],
            strict=True,
        )
    )
    names = [t.name for t in traced.outputs]

    @tf.function
    def run():
        return tf.graph_util.import_graph_def(
            graph_def, input_map=feeds, return_elements=names, name=""
        )

    assert_same(values(tf, run()), expected)
    assert_same(values(tf, variables), values(both.theirs, state))


@pytest.mark.parametrize("make", MAKERS)
def test_the_graphs_have_the_same_nodes(both, make):
    def ops(tf):
        graph_def = traced_for(tf, make)[0].graph.as_graph_def()
        return sorted(
            n.op for n in graph_def.node if n.op not in ("Const", "Identity")
        )

    mine, theirs = ops(both.ours), ops(both.theirs)
    # TensorFlow computes the seed in the graph.
    seeds = {"Equal", "LogicalAnd", "SelectV2"}
    assert mine == [op for op in theirs if op not in seeds]
