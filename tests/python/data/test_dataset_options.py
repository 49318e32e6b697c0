"""Options of datasets that change how they are run: threads, order, what is
made in advance, rewritings; never what the elements are."""

import threading
import time

import numpy as np
import pytest

import graphkiln as tf

D = tf.data.Dataset


def with_options(dataset, **told):
    options = tf.data.Options()
    for name, value in told.items():
        at = options
        *groups, last = name.split("__")
        for group in groups:
            at = getattr(at, group)
        setattr(at, last, value)
    return dataset.with_options(options)


def most_at_once(dataset_of) -> int:
    """How many calls of a slow function overlap."""
    now, most, lock = 0, 0, threading.Lock()

    def slow(x):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.01)
        with lock:
            now -= 1
        return x

    def wait(x):
        return tf.numpy_function(slow, [x], tf.int64)

    assert [int(x) for x in dataset_of(wait)] == list(range(24))
    return most


def test_a_private_pool_bounds_what_works_at_a_time():
    def made(wait, **told):
        return with_options(D.range(24).map(wait, num_parallel_calls=8), **told)

    free = most_at_once(made)
    # Whoever asks works, too.
    bound = most_at_once(lambda w: made(w, threading__private_threadpool_size=1))
    assert bound <= 2 < free


def test_a_budget_of_cpus_bounds_what_is_tuned():
    def made(wait):
        d = D.range(24).map(wait, num_parallel_calls=tf.data.AUTOTUNE)
        return with_options(d, autotune__cpu_budget=1)

    assert most_at_once(made) <= 2


def made_in_advance(pause: float, cost: float, **told) -> int:
    """The most elements that a tuned prefetch had made and nobody had yet."""
    given, most = 0, 0

    def numbers():
        nonlocal most
        for i in range(60):
            most = max(most, i - given)
            time.sleep(cost)
            yield np.zeros(1000, np.int64)

    d = D.from_generator(
        numbers, output_signature=tf.TensorSpec([1000], tf.int64)
    ).prefetch(tf.data.AUTOTUNE)
    for _ in with_options(d, **told):
        given += 1
        time.sleep(pause)
    return most


def test_what_is_made_in_advance_follows_the_consumer():
    # Four small ones in any case; where other work has the machine, a wait of the
    # consumer doubles them.
    assert made_in_advance(pause=0.004, cost=0.0) <= 8


def test_a_budget_of_memory_bounds_what_is_made_in_advance():
    assert made_in_advance(0.0, 0.001, autotune__ram_budget=8000) <= 3


def unhurried(dataset) -> list[int]:
    """Read so slowly that what need not wait has come first."""
    found = []
    for x in dataset:
        found.append(int(x))
        time.sleep(0.01)
    return found


def test_elements_may_change_places_where_they_may():
    def number(x, y):
        time.sleep(0.1 * (x == 0))
        return 10 * x + y

    def parts(x):
        return D.range(3).map(lambda y: tf.numpy_function(number, [x, y], tf.int64))

    d = D.range(3).interleave(parts, cycle_length=3, num_parallel_calls=3)
    kept = unhurried(with_options(d, deterministic=True))
    assert kept == [0, 10, 20, 1, 11, 21, 2, 12, 22]
    free = unhurried(with_options(d, deterministic=False))
    assert sorted(free) == sorted(kept) and free != kept


def numbers_noted(n: int, noted: list):
    def numbers():
        for i in range(n):
            noted.append(time.monotonic())
            yield i

    return D.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int64))


AHEAD = {
    "prefetch": lambda d: d.prefetch(3),
    "tuned": lambda d: d.prefetch(tf.data.AUTOTUNE),
    "map": lambda d: d.map(lambda x: x, num_parallel_calls=3),
    "interleave": lambda d: d.interleave(
        lambda x: D.from_tensors(x), cycle_length=2, num_parallel_calls=2
    ),
    "below": lambda d: d.prefetch(2).batch(1).unbatch(),
}


@pytest.mark.parametrize("name", AHEAD)
def test_a_warm_start_begins_before_the_first_element_is_asked_for(name: str):
    for warm in (False, True):
        noted: list[float] = []
        dataset = AHEAD[name](numbers_noted(5, noted))
        iterator = iter(with_options(dataset, experimental_warm_start=warm))
        end = time.monotonic() + (10 if warm else 0.05)
        while not noted and time.monotonic() < end:
            time.sleep(0.001)
        assert bool(noted) == warm
        assert [int(x) for x in iterator] == [0, 1, 2, 3, 4]


def test_a_warm_start_does_not_begin_where_elements_are_passed_over(tmp_path):
    noted: list[float] = []
    dataset = with_options(
        numbers_noted(6, noted).prefetch(2),
        experimental_warm_start=True,
        experimental_symbolic_checkpoint=True,
    )
    iterator = iter(dataset)
    for _ in range(3):
        next(iterator)
    path = tf.train.Checkpoint(it=iterator).save(tmp_path / "c")
    again = iter(dataset)
    tf.train.Checkpoint(it=again).restore(path)
    assert [int(x) for x in again] == [3, 4, 5]


def pauses(slack: bool, devices: int) -> list[float]:
    """How long after each element was taken the next one is begun."""
    noted: list[float] = []
    taken = []
    dataset = with_options(
        numbers_noted(12, noted).prefetch(1).take(-1),
        experimental_slack=slack,
        experimental_distribute__num_devices=devices,
    )
    iterator = iter(dataset)
    for i in range(12):
        assert int(next(iterator)) == i
        taken.append(time.monotonic())
        time.sleep(0.1)
    # The element behind the one that was taken, and the one that was ready.
    return [noted[i + 1] - taken[i] for i in range(4, 11)]


def test_slack_leaves_the_processor_to_the_consumer():
    without = sorted(pauses(False, 1))
    with_it = sorted(pauses(True, 1))
    assert without[3] < 0.01 < 0.015 < with_it[3] < 0.09
    # Once for as many elements as there are devices.
    some = pauses(True, 2)
    assert sum(p > 0.015 for p in some) <= 4 and max(some) > 0.015


REWRITINGS = ["noop_elimination", "map_parallelization", "filter_parallelization",
              "map_fusion", "filter_fusion", "map_and_filter_fusion",
              "map_and_batch_fusion", "parallel_batch",
              "shuffle_and_repeat_fusion", "inject_prefetch"]  # fmt: skip
PIPELINES = {
    "noops": lambda: D.range(5).take(-1).skip(0).repeat(1).shard(1, 0).prefetch(0),
    "maps": lambda: D.range(9).map(lambda x: x * 2).map(lambda x: x + 1).take(7),
    "batches": lambda: D.range(9).map(lambda x: x * 2).batch(2).skip(0).batch(2),
    "errors": lambda: D.range(7).map(
        lambda x: tf.debugging.check_numerics(3.0 / tf.cast(x - 3, tf.float32), "no")
    ),
    "shuffled": lambda: D.range(9).skip(0).shuffle(9, seed=3).take(-1).batch(2),
    "zipped": lambda: D.zip((D.range(3).take(-1), D.range(4).map(lambda x: -x))),
    "random": lambda: D.range(5).map(lambda x: tf.random.uniform([], seed=4)),
    "nested": lambda: D.range(3).flat_map(lambda x: D.range(x).skip(0)),
    "scanned": lambda: D.range(5).scan(
        tf.constant(0, tf.int64), lambda s, x: (s + x, s)
    ),
}


def listed(dataset) -> list:
    found: list = []
    iterator = iter(dataset)
    while len(found) < 40:
        try:
            found.append(
                str(tf.nest.map_structure(lambda x: x.numpy(), next(iterator)))
            )
        except StopIteration:
            break
        except tf.errors.OpError as error:
            found.append(type(error).__name__)
    return found


@pytest.mark.parametrize("rewriting", REWRITINGS)
@pytest.mark.parametrize("name", PIPELINES)
def test_rewritings_change_no_element(name: str, rewriting: str):
    found = []
    for on in (False, True):
        tf.random.set_seed(2)
        told = {f"experimental_optimization__{rewriting}": on}
        found.append(listed(with_options(PIPELINES[name](), **told)))
    assert found[0] == found[1]
