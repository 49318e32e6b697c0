"""Iterators: threads, locks, early ends, what is left behind."""

import gc
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import weakref

import graphkiln as tf
import numpy as np
import pytest
from child_program import dies_with_parent

D = tf.data.Dataset


def within(seconds: float, condition) -> bool:
    end = time.time() + seconds
    while not condition():
        if time.time() > end:
            return False
        time.sleep(0.01)
    return True


def run_apart(program: str, **options) -> subprocess.CompletedProcess:
    package = pathlib.Path(tf.__file__).parents[1]
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True,
        timeout=60, env={**os.environ, "PYTHONPATH": str(package)}, **options,
        **dies_with_parent(),
    )


def slow_numbers(n: int = 1000, pause: float = 0.0005):
    for i in range(n):
        time.sleep(pause)
        yield i


INT = tf.TensorSpec([], tf.int32)


# --- Python's lock.


def test_a_generator_read_ahead_gets_the_lock():
    d = D.from_generator(lambda: slow_numbers(50), output_signature=INT)
    assert [int(x) for x in d.prefetch(3)] == list(range(50))


@pytest.mark.parametrize("parallel", [None, 3])
def test_quick_functions_do_not_keep_the_lock(parallel):
    """A call that was quick is made without giving up the lock; one that may
    wait for a generator must not be."""

    @tf.function
    def step(it):
        return next(it)

    d = D.from_generator(lambda: slow_numbers(60), output_signature=INT)
    it = iter(d.map(lambda x: x + 1, num_parallel_calls=parallel).prefetch(2))
    quick = iter(D.range(10_000).map(lambda x: tf.cast(x, tf.int32)))
    for _ in range(200):
        step(quick)
    assert [int(step(it)) for _ in range(60)] == list(range(1, 61))


def test_loops_in_functions_over_generators_read_ahead():
    @tf.function
    def total(d):
        s = tf.constant(0)
        for x in d:
            s += x
        return s

    d = D.from_generator(lambda: slow_numbers(40), output_signature=INT)
    for _ in range(3):
        assert int(total(d.prefetch(4).batch(3).unbatch().prefetch(1))) == 780


def test_numpy_functions_on_several_threads():
    seen = set()

    def add(x):
        seen.add(threading.get_ident())
        time.sleep(0.002)
        return x + 1

    d = D.range(40).map(
        lambda x: tf.numpy_function(add, [x], tf.int64), num_parallel_calls=4
    )
    assert [int(x) for x in d] == list(range(1, 41))
    assert len(seen) > 1


# --- Ends before the end.


def test_dropping_an_iterator_in_the_middle():
    ended = []

    def numbers():
        try:
            yield from slow_numbers()
        finally:
            ended.append(True)

    for n in range(8):
        it = iter(D.from_generator(numbers, output_signature=INT).prefetch(5))
        for _ in range(n):
            next(it)
        started = time.time()
        del it
        assert time.time() - started < 5
    gc.collect()
    assert within(5, lambda: len(ended) == 7)  # the first was never begun


def test_datasets_and_iterators_are_freed():
    class Source:
        def __call__(self):
            return iter(range(10))

    source = Source()
    gone = weakref.ref(source)
    d = D.from_generator(source, output_signature=INT).map(lambda x: x + 1)
    it = iter(d.prefetch(2))
    f = tf.function(lambda it: next(it))
    assert int(f(it)) == 1 and int(next(it)) == 2
    del d, it, source, f
    assert within(5, lambda: (gc.collect(), gone() is None)[1])


def test_an_iterator_keeps_its_dataset():
    it = iter(
        D.from_generator(lambda: slow_numbers(5), output_signature=INT)
        .map(lambda x: tf.py_function(lambda v: v * 2, [x], tf.int32))
    )
    gc.collect()
    assert [int(x) for x in it] == [0, 2, 4, 6, 8]


def test_a_function_keeps_the_dataset_it_captured():
    def make():
        d = D.from_generator(lambda: slow_numbers(5), output_signature=INT)

        @tf.function
        def f():
            return d.reduce(0, lambda a, x: a + x)

        return f.get_concrete_function()

    f = make()
    gc.collect()
    assert int(f()) == 10


def test_the_program_ends_while_something_is_read_ahead():
    done = run_apart(
        "import time, graphkiln as tf\n"
        "def g():\n"
        "    for i in range(100000):\n"
        "        time.sleep(0.001)\n"
        "        yield i\n"
        "it = iter(tf.data.Dataset.from_generator(g, tf.int32)"
        ".map(lambda x: x, num_parallel_calls=3).prefetch(50))\n"
        "print(int(next(it)), int(next(it)))\n"
    )
    assert done.stdout == "0 1\n" and done.returncode == 0, done.stderr


def test_a_forked_process_has_iterators_of_its_own():
    done = run_apart(
        "import os, graphkiln as tf\n"
        "d = tf.data.Dataset.range(100).map(lambda x: x + 1).prefetch(4)\n"
        "it = iter(d)\n"
        "assert int(next(it)) == 1\n"
        "if os.fork() == 0:\n"
        "    assert [int(x) for x in d] == list(range(1, 101))\n"
        "    try:\n"
        "        next(it)\n"
        "    except tf.errors.FailedPreconditionError as e:\n"
        "        assert 'forked' in str(e)\n"
        "        os._exit(7)\n"
        "    os._exit(1)\n"
        "_, status = os.wait()\n"
        "assert [int(x) for x in it] == list(range(2, 101))\n"
        "print(os.waitstatus_to_exitcode(status))\n"
    )
    assert done.stdout == "7\n", done.stderr


ENDLESS = [
    "tf.data.Dataset.range(1).repeat().reduce(0, lambda a, x: a)",
    "list(tf.data.Dataset.range(1).repeat().filter(lambda x: x > 3))",
    "list(tf.data.Dataset.range(1).repeat().skip(2**60))",
    "f(tf.data.Dataset.range(1).repeat())",
    "list(tf.data.Dataset.range(1).repeat().filter(lambda x: x > 3)"
    ".prefetch(1))",
    "list(tf.data.Dataset.range(1).repeat().filter(lambda x: x > 3)"
    ".map(lambda x: x, num_parallel_calls=2))",
]


@pytest.mark.parametrize("program", ENDLESS)
def test_an_endless_iteration_can_be_interrupted(program, tmp_path):
    # A file, because AutoGraph reads the source.
    path = tmp_path / "program.py"
    path.write_text(
        "import signal\n"
        "import graphkiln as tf\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "@tf.function\n"
        "def f(d):\n"
        "    s = tf.constant(0, tf.int64)\n"
        "    for x in d:\n"
        "        s += x\n"
        "    return s\n"
        "print('begin', flush=True)\n"
        "try:\n"
        f"    {program}\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    child = subprocess.Popen(
        [sys.executable, str(path)], stdout=subprocess.PIPE, text=True,
        env={
            **os.environ,
            "PYTHONPATH": str(pathlib.Path(tf.__file__).parents[1]),
        },
        **dies_with_parent(),
    )
    assert child.stdout.readline() == "begin\n"
    time.sleep(0.7)
    child.send_signal(signal.SIGINT)
    try:
        out, _ = child.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        child.kill()
        raise
    assert out == "interrupted\n"


# --- Several threads.


def test_threads_share_an_iterator():
    it = iter(D.range(2000).map(lambda x: x * 2).prefetch(4))
    step = tf.function(lambda it: it.get_next())
    seen: list[int] = []

    def work():
        while True:
            try:
                seen.append(int(step(it)))
            except tf.errors.OutOfRangeError:
                return

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    assert sorted(seen) == list(range(0, 4000, 2))


def test_threads_share_a_dataset():
    d = D.range(200).map(lambda x: x * x, num_parallel_calls=2).batch(7)
    wanted = [x.numpy().tolist() for x in d]
    same = []

    def work():
        same.append([x.numpy().tolist() for x in d] == wanted)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    assert same == [True] * 6


# --- What cannot go wrong.


def test_absurd_sizes():
    huge = 2**62
    r = D.range(3)
    assert [int(x) for x in r.repeat(huge).take(4)] == [0, 1, 2, 0]
    assert int(r.repeat(huge).cardinality()) > 0
    assert len(list(r.batch(huge))) == 1
    assert sorted(int(x) for x in r.shuffle(huge)) == [0, 1, 2]
    assert [int(x) for x in r.prefetch(huge)] == [0, 1, 2]
    assert [int(x) for x in r.map(lambda x: x, num_parallel_calls=2**40)] == [
        0, 1, 2,
    ]
    assert len(list(r.interleave(lambda x: r, cycle_length=huge))) == 9
    assert [int(x) for x in D.range(-(2**63), 2**63 - 1, 2**62)] == [
        -(2**63), -(2**62), 0, 2**62,
    ][:4]
    most = D.range(-(2**63), 2**63 - 1)
    assert int(most.cardinality()) == 2**63 - 1
    assert [int(x) for x in most.take(1)] == [-(2**63)]


def test_a_chain_of_many_transformations():
    d = D.range(3)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="5000"):
        for _ in range(5010):
            d = d.skip(0)
    assert [int(x) for x in d] == [0, 1, 2]
    del d


def test_variants_that_are_no_datasets():
    raw = tf.raw_ops
    signature = dict(output_types=[tf.int64], output_shapes=[[]])
    none = raw.OptionalNone()
    for call in (
        lambda: raw.TakeDataset(input_dataset=none, count=1, **signature),
        lambda: raw.DatasetCardinality(input_dataset=none),
        lambda: raw.MakeIterator(
            dataset=none, iterator=raw.AnonymousIteratorV3(**signature)
        ),
        lambda: raw.IteratorGetNext(
            iterator=tf.Variable(1).handle, **signature
        ),
        lambda: raw.OptionalHasValue(
            optional=D.range(1)._variant_tensor
        ),
        lambda: raw.IteratorGetNext(
            iterator=raw.AnonymousIteratorV3(**signature), **signature
        ),
    ):
        with pytest.raises(
            (tf.errors.InvalidArgumentError, tf.errors.FailedPreconditionError)
        ):
            call()


def test_elements_that_are_not_what_the_dataset_says():
    raw = tf.raw_ops
    lies = raw.RangeDataset(
        start=np.int64(0), stop=np.int64(3), step=np.int64(1),
        output_types=[tf.int64], output_shapes=[[2]],
    )
    d = tf.data.experimental.from_variant(lies, tf.TensorSpec([2], tf.int64))
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes"):
        next(iter(d))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(lambda d: d.map(lambda x: x[1]).reduce(
            np.int64(0), lambda a, x: a + x
        ))(d)


def test_an_iterator_inside_its_own_dataset():
    holder = []

    def again(x):
        return np.int64(int(next(holder[0])))

    d = D.range(3).map(lambda x: tf.numpy_function(again, [x], tf.int64))
    holder.append(iter(d))
    with pytest.raises(tf.errors.OpError, match="while making one"):
        next(holder[0])
    holder.clear()


def test_python_iteration_while_tracing_ends():
    @tf.function(autograph=False)
    def f(d):
        return [x for x in d]

    with pytest.raises(
        tf.errors.OperatorNotAllowedInGraphError, match="AutoGraph"
    ):
        f(D.range(3))


def test_seeded_streams_begin_anew_with_each_iterator():
    tf.random.set_seed(1)
    d = D.range(3).map(lambda x: tf.random.uniform([], seed=4)).repeat(2)
    first, second = ([float(x) for x in d] for _ in range(2))
    assert first == second and len(set(first)) == 6


def test_a_spec_that_contains_itself_is_an_error():
    spec = tf.data.DatasetSpec(tf.TensorSpec([]))
    spec._element_spec = spec
    with pytest.raises(RecursionError):
        tf.experimental.Optional.empty(spec).get_value()
