"""Rewritings of datasets that their options ask for: elements, their order and
errors are the same with and without, and TensorFlow's; iterators that are saved
go on in the same way."""

from __future__ import annotations

import numpy as np
import pytest

REWRITINGS = (
    "noop_elimination", "map_parallelization", "filter_parallelization",
    "map_fusion", "filter_fusion", "map_and_filter_fusion",
    "map_and_batch_fusion", "parallel_batch", "shuffle_and_repeat_fusion",
    "seq_interleave_prefetch", "inject_prefetch",
)  # fmt: skip
END = "end"


def third(tf):
    """An error for one of the elements."""

    def f(x):
        tf.debugging.assert_none_equal(x, tf.constant(3, tf.int64), message="three")
        return x + 1

    return f


def odd(x):
    return x % 2 == 1


def not_four(tf):
    def f(x):
        tf.debugging.assert_none_equal(x, tf.constant(4, tf.int64), message="four")
        return x > 1

    return f


def counted(tf):
    """Functions whose calls leave something behind, in the order of the calls."""
    sum_ = tf.Variable(0, dtype=tf.int64)

    def f(x):
        return sum_.assign_add(x)

    def g(x):
        return x * 100 + sum_.assign_add(1)

    return f, g


def rows_of(tf):
    return lambda x: tf.fill([tf.where(x == 2, 2, 1)], x)


def pipelines(tf):
    d = tf.data.Dataset
    n = d.range(7)

    def captured(value):
        value = tf.constant(value, tf.int64)
        return lambda x: x * value

    two = d.zip((d.range(6), d.range(10, 16)))
    f, g = counted(tf)
    return {
        "maps": lambda: n.map(lambda x: x * 2).map(lambda x: x - 1).map(captured(3)),
        "maps in parallel": lambda: n.map(captured(2), 2).map(captured(3), 3),
        "maps of two kinds": lambda: n.map(captured(2), 2).map(captured(3)),
        "maps of other components": lambda: two.map(lambda a, b: {"s": a + b, "d": b - a})
        .map(lambda e: (e["s"], e["d"], tf.zeros([2])))
        .map(lambda s, d, z: (s * d, z)),
        "maps that fail": lambda: n.map(third(tf)).map(
            lambda x: tf.debugging.check_numerics(
                1 / tf.cast(x - 6, tf.float32), "six"
            )
        ),
        "maps in parallel that fail": lambda: n.map(third(tf), 2).map(third(tf), 2),
        "maps that act": lambda: n.map(f).map(g),
        "maps that draw": lambda: n.map(lambda x: x + tf.random.uniform([], 0, 9, tf.int64, 3))
        .map(lambda x: (x, tf.random.uniform([], seed=4))),
        "filters": lambda: n.filter(odd).filter(lambda x: x > 1).filter(lambda x: x < 5),
        "filters that fail": lambda: n.filter(not_four(tf)).filter(not_four(tf)),
        "filters that act": lambda: n.filter(lambda x: f(x) > 2).filter(lambda x: odd(g(x))),
        "filter behind map": lambda: n.map(captured(3)).filter(odd),
        "filters behind maps": lambda: n.map(captured(3)).map(third(tf)).filter(odd)
        .filter(lambda x: x > 4),
        "filter behind map in parallel": lambda: n.map(third(tf), 2).filter(not_four(tf)),
        "filter behind map that fails": lambda: n.map(third(tf)).filter(not_four(tf)),
        "map behind filter": lambda: n.filter(odd).map(captured(2)).map(captured(2)),
        "batch": lambda: n.map(captured(2)).batch(3),
        "batch without the rest": lambda: n.map(captured(2)).batch(3, drop_remainder=True),
        "batches of texts": lambda: n.map(tf.strings.as_string).batch(2),
        "batches of pairs": lambda: two.map(lambda a, b: (a * b, tf.fill([2], a)), 2).batch(4),
        "batch that fails": lambda: n.map(third(tf)).batch(3),
        "batch of other shapes": lambda: n.map(rows_of(tf)).batch(2),
        "batch of other shapes that fails": lambda: n.map(third(tf)).map(rows_of(tf)).batch(7),
        "large batch": lambda: n.map(captured(2)).batch(2**20),
        "batch of nothing": lambda: n.take(0).map(captured(2)).batch(2),
        "batches of batches": lambda: n.map(captured(2)).batch(2).map(
            lambda x: x + 1).batch(2),
        "shuffled": lambda: n.map(captured(2)).map(captured(3)).shuffle(3, seed=1)
        .map(captured(5)).batch(2),
        "repeated": lambda: n.shuffle(3, seed=1).repeat(3),
        "repeated for ever": lambda: n.shuffle(9, seed=1).repeat().take(20),
        "repeated once": lambda: n.shuffle(2, seed=1).repeat(1),
        "repeated never": lambda: n.shuffle(2, seed=1).repeat(0),
        "repeated in one order": lambda: n.shuffle(4, seed=2, reshuffle_each_iteration=False)
        .repeat(2),
        "repeated nothing": lambda: n.take(0).shuffle(2, seed=1).repeat(),
        "repeated error": lambda: n.map(third(tf)).shuffle(3, seed=3).repeat(2),
        "repeated first error": lambda: n.skip(3).map(third(tf)).shuffle(2, seed=3).repeat(3),
        "shuffled twice": lambda: n.shuffle(3, seed=1).repeat(2).shuffle(4, seed=2).repeat(2),
        "shuffled at once": lambda: n.shuffle(3, seed=1).shuffle(2, seed=5).repeat(2),
        "nested": lambda: n.take(4).flat_map(
            lambda x: d.range(x).map(captured(2)).map(captured(3)).batch(2)
        ),
        "interleaved": lambda: n.interleave(
            lambda x: d.range(x).map(captured(2)), cycle_length=3, block_length=2
        ),
        "interleaved that fails": lambda: n.interleave(
            lambda x: d.range(x).map(third(tf)), cycle_length=2
        ),
        "interleaved one by one": lambda: n.interleave(d.range, cycle_length=1).batch(4),
        "zipped": lambda: d.zip((n.map(captured(2)).map(captured(2)), n.filter(odd).batch(2)
                         .map(lambda x: tf.reduce_sum(x)))),
        "cached": lambda: n.map(captured(2)).map(captured(2)).cache().repeat(2),
        "noops": lambda: n.take(-1).skip(0).repeat(1).map(captured(2)).prefetch(0),
    }  # fmt: skip


NAMES = tuple(pipelines(__import__("graphkiln")))


def with_options(tf, dataset, names, on):
    options = tf.data.Options()
    for name in names:
        setattr(options.experimental_optimization, name, on)
    options.experimental_external_state_policy = (
        tf.data.experimental.ExternalStatePolicy.IGNORE
    )
    options.experimental_warm_start = False
    return dataset.with_options(options)


def plain(tf, element):
    return repr(tf.nest.map_structure(lambda x: np.asarray(x).tolist(), element))


def step(tf, iterator, texts=False):
    try:
        return plain(tf, next(iterator))
    except StopIteration:
        return END
    except tf.errors.OpError as error:
        name = type(error).__name__
        return f"{name}: {error.message}" if texts else name


def rest(tf, iterator, texts=False):
    found = []
    while not found or found[-1] != END:
        found.append(step(tf, iterator, texts))
        assert len(found) < 60
    return found


def made(tf, name, rewritings, on):
    tf.random.set_seed(7)
    return with_options(tf, pipelines(tf)[name](), rewritings, on)


SETS = [(r,) for r in REWRITINGS] + [REWRITINGS, REWRITINGS[:-1]]
# How often functions are run, and what they draw, is not TensorFlow's.
ACTS = {"maps that act", "maps that draw", "filters that act"}


@pytest.mark.parametrize("rewritings", SETS, ids=lambda r: "+".join(r)[:30])
@pytest.mark.parametrize("name", NAMES)
def test_with_and_without(both, name, rewritings):
    gk = both.ours
    # Two at once share what draws seeds and what acts; where one is made in
    # advance, it may draw before or behind the other.
    places = 0 if "inject_prefetch" in rewritings else 3
    passes = []
    for on in (False, True):
        dataset = made(gk, name, rewritings, on)
        first = iter(dataset) if places else iter(())
        begun = [step(gk, first, True) for _ in range(places)]
        second = rest(gk, iter(dataset), True)
        passes.append([begun, second, rest(gk, first, True)])
    assert passes[0] == passes[1]


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ACTS])
def test_beside_tensorflow(both, name):
    gk, tf = both.ours, both.theirs
    theirs = made(tf, name, (), True)
    if any(word in name for word in ("fail", "error", "never")):
        # What TensorFlow makes of batches and repetitions by itself loses elements
        # behind an error, and refuses to repeat nothing.
        theirs = with_options(tf, theirs, ["apply_default_optimizations"], False)
    assert rest(gk, iter(made(gk, name, REWRITINGS, True))) == rest(tf, iter(theirs))


@pytest.mark.parametrize("name", NAMES)
def test_saved_iterators(both, name, tmp_path):
    """Saved at every place, with the rewritings and without."""
    gk = both.ours
    if name in ACTS:
        pytest.skip("what it makes hangs on how often it is run")
    wanted = rest(gk, iter(made(gk, name, REWRITINGS, False)))
    for on, place in [(on, p) for on in (False, True) for p in range(len(wanted))]:
        iterator = iter(made(gk, name, REWRITINGS, on))
        for _ in range(place):
            step(gk, iterator)
        path = gk.train.Checkpoint(it=iterator).save(tmp_path / "c")
        again = iter(made(gk, name, REWRITINGS, on))
        gk.train.Checkpoint(it=again).restore(path)
        assert rest(gk, again) == wanted[place:], (on, place)
