"""Parallel interleave and batch: order, speed, errors, early ends."""

from __future__ import annotations

import collections
import gc
import threading
import time

import pytest
from test_iterators import run_apart, within

import graphkiln as tf

D = tf.data.Dataset
INT = tf.TensorSpec([], tf.int64)


def waits(seconds: float):
    """A function of an element that takes so long, and what is seen of it."""
    seen = collections.Counter()
    lock = threading.Lock()

    def wait(x):
        with lock:
            seen["now"] += 1
            seen["most"] = max(seen["most"], seen["now"])
            seen["all"] += 1
        time.sleep(seconds)
        with lock:
            seen["now"] -= 1
        return x

    def element(x):
        made = tf.numpy_function(wait, [x], tf.int64)
        made.set_shape(())
        return made

    return element, seen


@pytest.mark.parametrize("cycle", [1, 2, 3, 7])
@pytest.mark.parametrize("block", [1, 2, 5])
@pytest.mark.parametrize("parallel", [1, 2, 4, tf.data.AUTOTUNE])
def test_interleave_keeps_the_order(cycle, block, parallel):
    def part(x):
        return D.range(x * 10, x * 10 + (x * 3) % 5)

    def of(n):
        return [
            int(x)
            for x in D.range(11).interleave(
                part, cycle_length=cycle, block_length=block,
                num_parallel_calls=n,
            )
        ]

    assert of(parallel) == of(None)


@pytest.mark.parametrize("deterministic", [True, False])
def test_interleave_works_on_several_at_a_time(deterministic):
    element, seen = waits(0.01)
    dataset = D.range(4).interleave(
        lambda x: D.range(5).map(lambda y: element(x * 10 + y)),
        cycle_length=4, num_parallel_calls=4, deterministic=deterministic,
    )
    made = [int(x) for x in dataset]
    assert sorted(made) == [x * 10 + y for x in range(4) for y in range(5)]
    assert seen["most"] >= 2
    for first in range(4):
        own = [x for x in made if x // 10 == first]
        assert own == sorted(own)


def test_what_is_ready_goes_first():
    """A part that takes for ever does not hold up the others."""
    go = threading.Event()

    def wait(x):
        if x == 0:
            go.wait(10)
        return x

    def part(x):
        made = tf.numpy_function(wait, [x], tf.int64)
        made.set_shape(())
        return D.from_tensors(made)

    dataset = D.range(6).interleave(
        part, cycle_length=3, num_parallel_calls=3, deterministic=False
    ).prefetch(1)
    it = iter(dataset)
    others = []
    timer = threading.Timer(5, go.set)
    timer.start()
    for _ in range(6):
        x = int(next(it))
        others.append(x)
        if len(others) == 5:
            go.set()
    timer.cancel()
    assert sorted(others) == list(range(6))


def test_batches_are_stacked_in_order():
    for parallel in (1, 3, tf.data.AUTOTUNE):
        made = D.range(101).batch(4, num_parallel_calls=parallel)
        assert [x.numpy().tolist() for x in made] == [
            list(range(i, min(i + 4, 101))) for i in range(0, 101, 4)
        ]
        made = D.range(10).batch(
            4, drop_remainder=True, num_parallel_calls=parallel,
            deterministic=False,
        )
        assert len(list(made)) == len(made) == 2


def test_a_batch_of_unequal_shapes_fails_and_the_next_comes():
    dataset = D.from_generator(
        lambda: ([0] * n for n in (1, 1, 1, 2, 3, 3)),
        output_signature=tf.TensorSpec([None], tf.int64),
    ).batch(2, num_parallel_calls=2)
    it = iter(dataset)
    assert next(it).shape == (2, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="different shape"):
        next(it)
    assert next(it).shape == (2, 3)
    assert next(it, None) is None


@pytest.mark.parametrize("deterministic", [True, False])
@pytest.mark.parametrize("parallel", [None, 2])
def test_errors_of_parts_wait_for_their_turn(parallel, deterministic):
    def part(x):
        return D.range(1, 3).map(lambda y: y // (x - 1))

    it = iter(
        D.range(3).interleave(
            part, cycle_length=1, num_parallel_calls=parallel,
            deterministic=deterministic if parallel else None,
        )
    )
    outcomes = []
    while True:
        try:
            outcomes.append(int(next(it)))
        except StopIteration:
            break
        except tf.errors.InvalidArgumentError as error:
            assert "Integer division by zero" in str(error)
            outcomes.append("error")
    assert outcomes == [-1, -2, "error", "error", 1, 2]


@pytest.mark.parametrize("parallel", [None, 2])
def test_a_part_that_cannot_be_made_is_left_out(parallel):
    it = iter(
        D.range(4).interleave(
            lambda x: D.range(x, x + 1, 1 // (x - 2) // 9 + x - x + 1),
            cycle_length=2, num_parallel_calls=parallel,
        )
    )
    outcomes = []
    for _ in range(5):
        try:
            outcomes.append(int(next(it)))
        except StopIteration:
            outcomes.append("end")
        except tf.errors.InvalidArgumentError:
            outcomes.append("error")
    assert outcomes.count("error") >= 1 and outcomes[-1] == "end"


@pytest.mark.parametrize("deterministic", [True, False])
def test_an_iterator_dropped_early_leaves_nothing(deterministic):
    alive = collections.Counter()

    class Held:
        def __init__(self):
            alive["now"] += 1

        def __del__(self):
            alive["now"] -= 1

    def numbers(n):
        held = Held()
        i = 0
        while True:
            yield i
            i += 1
        del held

    def part(x):
        return D.from_generator(numbers, args=(x,), output_signature=INT)

    for _ in range(5):
        it = iter(
            D.range(100).interleave(
                part, cycle_length=4, num_parallel_calls=4,
                deterministic=deterministic,
            )
        )
        next(it), next(it)
        del it
        gc.collect()
    assert within(10, lambda: gc.collect() is not None and alive["now"] == 0)


def test_infinite_cycle_of_empty_parts_can_be_interrupted():
    done = run_apart(
        """
import os, signal, threading, time
import graphkiln as tf
D = tf.data.Dataset
d = D.range(1).repeat().interleave(
    lambda x: D.range(0), cycle_length=3, num_parallel_calls=2)
signal.signal(signal.SIGINT, signal.default_int_handler)  # nohup
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
begin = time.time()
try:
    next(iter(d))
except KeyboardInterrupt:
    print("interrupted", time.time() - begin < 20)
"""
    )
    assert done.stdout.strip() == "interrupted True", done.stderr


def test_waiting_for_a_part_can_be_interrupted():
    done = run_apart(
        """
import os, signal, threading, time
import graphkiln as tf
D = tf.data.Dataset
def forever(x):
    while True:
        time.sleep(0.01)
def part(x):
    return D.range(2).map(
        lambda y: tf.numpy_function(forever, [y], tf.int64))
d = D.range(3).interleave(part, cycle_length=2, num_parallel_calls=2)
signal.signal(signal.SIGINT, signal.default_int_handler)  # nohup
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    next(iter(d.prefetch(1)))
except KeyboardInterrupt:
    print("interrupted", flush=True)
    os._exit(0)
"""
    )
    assert done.stdout.strip().startswith("interrupted"), done.stderr


def test_a_forked_child_is_told():
    done = run_apart(
        """
import os
import graphkiln as tf
D = tf.data.Dataset
def made():
    return iter(D.range(50).interleave(
        lambda x: D.range(x, x + 9), cycle_length=4, num_parallel_calls=4))
it = made()
next(it)
pid = os.fork()
if pid == 0:
    try:
        next(it)
    except tf.errors.FailedPreconditionError as e:
        print("told", flush=True)
    del it
    print(int(next(made())), flush=True)
    os._exit(0)
os.waitpid(pid, 0)
print(sum(1 for _ in it))
"""
    )
    assert done.stdout.split() == ["told", "0", "449"], done.stderr


def test_nested_parallel_pipelines_come_to_an_end():
    def inner(x):
        return D.range(x * 100, x * 100 + 20).map(
            lambda y: y + 1, num_parallel_calls=3
        ).interleave(
            lambda y: D.from_tensors(y).repeat(2), cycle_length=3,
            num_parallel_calls=3, deterministic=False,
        ).prefetch(2)

    dataset = D.range(12).interleave(
        inner, cycle_length=6, num_parallel_calls=6
    ).batch(7, num_parallel_calls=3).prefetch(2)
    total = sum(int(tf.reduce_sum(b)) for b in dataset)
    assert total == 2 * sum(
        x * 100 + y + 1 for x in range(12) for y in range(20)
    )


def test_bad_numbers_are_refused():
    for f in (
        lambda: D.range(2).batch(2, num_parallel_calls=0),
        lambda: D.range(2).interleave(D.range, 2, num_parallel_calls=0),
        lambda: D.range(2).interleave(D.range, 0, num_parallel_calls=2),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="greater"):
            f()
