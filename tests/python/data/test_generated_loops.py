"""Random nests of branches and loops over datasets and iterators: a function
gives what plain Python gives."""

import linecache
import pathlib
import random
import re
import sys

import graphkiln as tf
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "autograph"))

from generated_programs import Program  # noqa: E402

SEEDS = range(120)


def source_of(seed: int) -> str:
    """A program whose loops over tensors are over datasets, and some over
    iterators."""
    r = random.Random(seed)

    def elements(match: re.Match) -> str:
        made = f"rows(v)" if match[1] is None else f"numbers({match[1]})"
        return f"in iter({made}):" if r.random() < 0.3 else f"in {made}:"

    return re.sub(
        r"in (?:tf\.range\((.*)\)|v):$", elements, Program(seed).source,
        flags=re.MULTILINE,
    )


def numbers(n):
    d = tf.data.Dataset.range(tf.cast(n, tf.int64))
    return d.map(lambda i: tf.cast(i, tf.int32))


def rows(v):
    return tf.data.Dataset.from_tensor_slices(v)


def function_of(seed: int):
    text, name = source_of(seed), f"<dataset loops {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"tf": tf, "numbers": numbers, "rows": rows}
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


@pytest.mark.parametrize("first", range(0, len(SEEDS), 10))
def test_loops(first: int):
    for seed in SEEDS[first : first + 10]:
        f = function_of(seed)
        staged = tf.function(f)
        for x in (3, -2):
            x, v = tf.constant(x), tf.constant([x, 2, 5])
            assert int(staged(x, v, 1)) == int(f(x, v, 1)), (
                f"seed {seed}\n{source_of(seed)}"
            )
