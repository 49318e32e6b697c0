"""Random ops in functions: whose seeds they use, and where each stands."""

from __future__ import annotations

import numpy as np
import pytest

import graphkiln as tf


def numbers(*tensors):
    return [t.numpy().tolist() for t in tensors]


def draw():
    return tf.function(lambda: tf.random.uniform([2]))


def test_each_trace_has_its_own_place():
    tf.random.set_seed(3)
    f, g = draw(), draw()
    first = numbers(f(), f())
    assert numbers(g(), g()) == first
    assert first[0] != first[1]


def test_a_call_inside_is_another_place():
    tf.random.set_seed(3)
    inner = draw()
    outer = tf.function(lambda: inner())
    assert numbers(outer(), outer()) == numbers(inner(), inner())


def test_places_do_not_depend_on_shapes():
    tf.random.set_seed(3)
    f = tf.function(
        lambda n: tf.random.uniform(n),
        input_signature=[tf.TensorSpec([1], tf.int32)],
    )
    drawn = [f([n]).numpy() for n in (4, 4, 2, 4, 4, 1, 4)]
    flat = {tuple(values[:1].tolist()) for values in drawn}
    assert len(flat) == len(drawn)


def test_setting_the_seed_begins_anew():
    tf.random.set_seed(21)
    f = draw()
    first = numbers(f(), f())
    tf.random.set_seed(21)
    assert numbers(f(), f()) == first


def test_graphs_keep_their_seed():
    tf.random.set_seed(5)

    @tf.function
    def f():
        inside = tf.random.uniform([1])
        before = inside.graph.seed
        tf.random.set_seed(9)
        return inside, tf.random.uniform([1]), before, inside.graph.seed

    _, _, before, after = f()
    assert (before.numpy(), after.numpy()) == (5, 9)
    # Outside nothing changed.
    assert draw().get_concrete_function().graph.seed == 5
    graph = tf.Graph()
    assert graph.seed is None
    with graph.as_default():
        tf.random.set_seed(2)
        op = tf.random.uniform([1], seed=7).op
    assert graph.seed == 2
    assert (op.get_attr("seed"), op.get_attr("seed2")) == (2, 7)


def test_unseeded_ops_differ():
    tf.random.set_seed(None)
    f, g = draw(), draw()
    drawn = [f().numpy(), f().numpy(), g().numpy(), g().numpy()]
    assert len({tuple(d) for d in drawn}) == 4


def test_make_seeds():
    seeds = tf.random.Generator.from_seed(1).make_seeds(3).numpy()
    assert seeds.shape == (2, 3)
    assert np.all(seeds[1] == 0) and len(set(seeds[0])) == 3


@pytest.mark.parametrize("threads", [4])
def test_many_threads_draw_each_number_once(threads):
    from concurrent.futures import ThreadPoolExecutor

    tf.random.set_seed(30)
    f = draw()
    f()
    with ThreadPoolExecutor(threads) as pool:
        drawn = list(pool.map(lambda _: tuple(f().numpy()), range(200)))
    assert len(set(drawn)) == 200
