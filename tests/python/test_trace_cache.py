"""cache_info, bounded caches, clear_traces, and what they free."""

import gc
import threading
import weakref

import numpy as np
import pytest
from child_program import check_child

import graphkiln as tf


def test_info_counts_like_functools():
    f = tf.function(lambda x: x + 1)
    assert f.cache_info() == (0, 0, None, 0, 0)
    for n in (1, 2, 1, 1):
        f(n)
    f.get_concrete_function(1)
    info = f.cache_info()
    assert (info.hits, info.misses, info.currsize) == (3, 2, 2)
    assert str(info) == (
        "CacheInfo(hits=3, misses=2, maxsize=None, currsize=2, evictions=0)"
    )


def test_calls_without_words_count():
    f = tf.function(lambda x: 1)
    for _ in range(3):
        f(range(3))  # found by type every time
    assert f.cache_info()[:2] == (2, 1)


def test_failed_traces_are_misses():
    @tf.function
    def f(x):
        raise ValueError("no")

    for _ in range(2):
        with pytest.raises(ValueError):
            f(1)
    assert f.cache_info() == (0, 2, None, 0, 0)


def test_least_recently_used_goes():
    traced = []

    @tf.function(max_traces=2)
    def f(x):
        traced.append(x)
        return x

    f(1), f(2), f(1), f(3), f(1)
    assert traced == [1, 2, 3]
    f(2)
    assert traced == [1, 2, 3, 2]
    assert f.cache_info() == (2, 4, 2, 2, 2)
    assert f.experimental_get_tracing_count() == 4
    reason = f.explain_retraces()[-1].reasons[0]
    assert reason.cause == "evicted"
    assert reason.advice == "Allow more traces than max_traces=2."


def test_use_by_type_counts_as_use():
    f = tf.function(lambda x: x, max_traces=2)
    one = f.get_concrete_function(range(1))
    f.get_concrete_function(range(2))
    f(range(1))
    f.get_concrete_function(range(3))
    assert f.get_concrete_function(range(1)) is one


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "2"])
def test_limits_are_checked(limit):
    with pytest.raises(ValueError, match="max_traces must be a positive"):
        tf.function(lambda x: x, max_traces=limit)


def test_limit_of_methods_is_of_each_object():
    class Model:
        @tf.function(max_traces=1)
        def f(self, x):
            return x

    a, b = Model(), Model()
    a.f(1), a.f(2), b.f(1)
    assert a.f.cache_info().evictions == 1
    assert b.f.cache_info() == (0, 1, 1, 1, 0)


def watched_tensor():
    """A tensor, and a weak reference to its memory."""
    array = np.zeros(1000, np.float32)
    return tf.experimental.dlpack.from_dlpack(array.__dlpack__()), weakref.ref(
        array
    )


class Watched:
    """Weak references to what a trace holds."""

    def __init__(self, f, args, memory):
        concrete = f.get_concrete_function(*args)
        self.references = [
            weakref.ref(concrete), weakref.ref(concrete.graph), memory
        ]

    def gone(self):
        gc.collect()
        return [r() is None for r in self.references]


def test_clear_frees_graphs_and_captures():
    class Model:
        def __init__(self):
            self.big, self.memory = watched_tensor()

        @tf.function
        def f(self, x):
            return self.big + x

    m = Model()
    m.f(1.0)
    watched = Watched(m.f, [1.0], m.memory)
    del m.big
    assert watched.gone() == [False, False, False]
    m.f.clear_traces()
    assert watched.gone() == [True, True, True]
    assert m.f.cache_info() == (0, 0, None, 0, 0)
    assert m.f.explain_retraces().num_traces == 0


def test_a_cleared_function_traces_anew():
    v = []

    @tf.function
    def f(x):
        if not v:
            v.append(tf.Variable(2.0))
        return v[0] * x

    assert f(3.0).numpy() == 6
    f.clear_traces()
    assert f(3.0).numpy() == 6
    assert f.cache_info()[:2] == (0, 1)
    assert f.experimental_get_tracing_count() == 3


def test_eviction_frees_graphs_and_captures():
    tensor, memory = watched_tensor()
    values = {1: tensor}
    del tensor
    f = tf.function(lambda n: values.get(n, 0) + 0, max_traces=1)
    f(1)
    watched = Watched(f, [1], memory)
    values.clear()
    assert not any(watched.gone())
    f(2)
    assert all(watched.gone()) and len(watched.references) == 3


def test_traces_of_dead_objects_are_dropped():
    class Config:
        pass

    f = tf.function(lambda c: tf.constant(1))
    for _ in range(50):
        f(Config())
    info = f.cache_info()
    assert info.misses == 50 and info.currsize <= 2 and info.evictions >= 48


def test_a_trace_in_use_outlives_its_eviction():
    f = tf.function(lambda n: tf.constant(n), max_traces=1)
    one = f.get_concrete_function(1)
    f(2)
    assert one().numpy() == 1

    @tf.function
    def outer(x):
        y = f(1) + x
        f.clear_traces()
        return y

    assert outer(tf.constant(5)).numpy() == 6
    assert outer(tf.constant(6)).numpy() == 7


def test_threads_share_a_bounded_cache():
    f = tf.function(lambda x, n: x * n, max_traces=3)
    wrong = []

    def work(seed):
        for i in range(150):
            n = (seed + i * 7) % 6
            if f(tf.constant(2), n).numpy() != 2 * n:
                wrong.append(n)
            if i % 50 == 0:
                f.clear_traces()

    threads = [threading.Thread(target=work, args=(s,)) for s in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and f.cache_info().currsize <= 3


@pytest.mark.parametrize("cycle", ["BOUNDED", "clear"])
def test_memory_is_flat(cycle):
    # In a process of its own: in a large heap Python touches other pages of it
    # without having more in use.
    check_child("""
        import gc
        import resource
        import sys

        import graphkiln as tf

        tf.get_logger().setLevel("ERROR")

        def resident():
            with open("/proc/self/statm") as f:
                return int(f.read().split()[1]) * resource.getpagesize()

        BOUNDED = tf.function(lambda x: tf.constant(1.0) + x, max_traces=4)
        CLEARED = tf.function(lambda x: tf.constant(1.0) + x)

        def clear(n):
            CLEARED(n)
            if n % 10 == 0:
                CLEARED.clear_traces()

        cycle = {"BOUNDED": BOUNDED, "clear": clear}[sys.argv[1]]

        def run(first, last):
            for n in range(first, last):
                cycle(n)
            gc.collect()
            return resident()

        before = run(0, 3000)
        after = run(3000, 10000)
        # Each trace is some 10 KB: 7000 of them would be 70 MB.
        assert after - before < 4 << 20
    """, cycle)
