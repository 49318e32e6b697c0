"""The same seeds give the same numbers in both languages: the table that
src/api/random_test.cc draws, too."""

from __future__ import annotations

import pathlib
import re

import numpy as np
import pytest

import graphkiln as tf

TABLE = (
    pathlib.Path(__file__).parents[2] / "src/api/random_numbers_for_test.inc"
)
ROWS = re.findall(r'ROW\("(\w+)", (-?\d+),\s*"([^"]*)"\)', TABLE.read_text())


def twice(draw) -> list:
    return [draw(), draw()]


def traced(draw) -> list:
    return twice(tf.function(draw))


def generator(seed: int) -> list:
    g = tf.random.Generator.from_seed(seed)
    drawn = [g.uniform([2]), g.normal([2]), g.uniform([2], -5, 5, tf.int32)]
    g.skip(7)
    drawn += [g.truncated_normal([2]), g.make_seeds(2), g.state.value()]
    return [*drawn, *(part.uniform([1]) for part in g.split(2))]


def initial(seed: int) -> list:
    i = tf.initializers
    return [
        make([2, 3])
        for make in (
            i.RandomUniform(seed=seed), i.RandomNormal(2.0, 3.0, seed=seed),
            i.TruncatedNormal(seed=seed), i.GlorotUniform(seed=seed),
            i.GlorotNormal(seed=seed), i.HeUniform(seed=seed),
            i.HeNormal(seed=seed), i.LecunUniform(seed=seed),
            i.LecunNormal(seed=seed),
            i.VarianceScaling(0.5, "fan_out", "untruncated_normal", seed=seed),
        )
    ]


# Each after set_seed(seed).
PROGRAMS = {
    "uniform": lambda seed: twice(lambda: tf.random.uniform([2])),
    "limits": lambda seed: [tf.random.uniform([3], -2.0, 5.0)],
    "integers": lambda seed: [
        tf.random.uniform([3], -9, 9, tf.int32),
        tf.random.uniform([2], 0, 2**40, tf.int64),
    ],
    "normal": lambda seed: [
        tf.random.normal([3]), tf.random.normal([2], 1.0, 2.0)
    ],
    "truncated": lambda seed: [tf.random.truncated_normal([3])],
    "own_seed": lambda seed: twice(lambda: tf.random.uniform([2], seed=7)),
    "shuffle": lambda seed: [tf.random.shuffle(tf.range(6))],
    "categorical": lambda seed: [tf.random.categorical([[0.0, 1.0, 2.0]], 5)],
    "gamma": lambda seed: [tf.random.gamma([2], [0.5, 3.0], 2.0)],
    "poisson": lambda seed: [tf.random.poisson([3], [1.0, 20.0])],
    "traced": lambda seed: traced(lambda: tf.random.uniform([2])),
    "traced_parts": lambda seed: traced(
        lambda: tf.concat(
            [tf.random.uniform([1]), tf.random.normal([1]),
             tf.random.uniform([1], seed=3)], 0
        )
    ),
    "stateless": lambda seed: [
        tf.random.stateless_uniform([2], [seed, 1]),
        tf.random.stateless_normal([2], [seed, 2], 3.0, 0.5),
        tf.random.split([seed, 4]),
        tf.random.fold_in([seed, 5], 6),
    ],
    "generator": generator,
    "initializers": initial,
}


def numbers(name: str, seed: int) -> list[float]:
    tf.random.set_seed(seed)
    drawn = [np.asarray(t).reshape(-1) for t in PROGRAMS[name](seed)]
    return [float(x) for x in np.concatenate(drawn).astype(np.float64)]


@pytest.mark.parametrize(("name", "seed", "expected"), ROWS)
def test_numbers(name: str, seed: str, expected: str):
    assert numbers(name, int(seed)) == [float(x) for x in expected.split()]


def test_each_program_is_in_the_table():
    assert {name for name, _, _ in ROWS} == set(PROGRAMS)


@pytest.mark.parametrize("seed", [2**64 + 3, -(2**70), 2**63])
def test_seeds_beyond_64_bits(seed: int):
    tf.random.set_seed(seed)
    first = tf.random.uniform([2]).numpy().tolist()
    assert tf.random.uniform([2]).numpy().tolist() != first
    tf.random.set_seed(seed)
    assert tf.random.uniform([2], seed=None).numpy().tolist() == first
    tf.random.uniform([2], seed=seed)
