"""Queues, locks and tables used by several threads at once."""

from __future__ import annotations

import _thread
import signal
import threading
import time

import pytest

import graphkiln as tf


def run_all(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()


def test_a_full_queue_makes_producers_wait():
    q = tf.queue.FIFOQueue(2, tf.int32)
    taken = []

    def produce():
        for i in range(50):
            q.enqueue(i)
        q.close()

    def consume():
        try:
            while True:
                taken.append(q.dequeue().numpy().item())
        except tf.errors.OutOfRangeError:
            pass

    run_all(produce, consume)
    assert taken == list(range(50))


def test_several_threads_lose_nothing():
    q = tf.queue.FIFOQueue(3, tf.int32, shapes=[()])
    taken, lock = [], threading.Lock()

    def produce(first):
        q.enqueue_many([list(range(first, first + 40))])

    def consume():
        for _ in range(10):
            found = q.dequeue_many(8).numpy().tolist()
            with lock:
                taken.extend(found)

    run_all(
        lambda: produce(0), lambda: produce(40), lambda: produce(80),
        lambda: produce(120), consume, consume,
    )
    assert sorted(taken) == list(range(160))


def test_several_at_once_may_be_more_than_fit():
    q = tf.queue.FIFOQueue(2, tf.int32, shapes=[()])
    out = []
    run_all(
        lambda: q.enqueue_many([list(range(10))]),
        lambda: out.extend(q.dequeue_many(10).numpy().tolist()),
    )
    assert out == list(range(10))


def test_closing_sends_those_away_who_wait():
    q = tf.queue.FIFOQueue(1, tf.int32)
    q.enqueue(1)
    errors = []

    def wait():
        try:
            q.enqueue(2)
        except tf.errors.CancelledError as error:
            errors.append(error)

    def close():
        time.sleep(0.2)
        q.close(cancel_pending_enqueues=True)

    run_all(wait, close)
    assert len(errors) == 1
    assert q.dequeue().numpy() == 1


def test_closing_lets_those_finish_who_wait():
    q = tf.queue.FIFOQueue(1, tf.int32)
    q.enqueue(1)

    def close_and_take():
        time.sleep(0.2)
        q.close()
        assert q.dequeue().numpy() == 1

    run_all(lambda: q.enqueue(2), close_and_take)
    assert q.dequeue().numpy() == 2
    with pytest.raises(tf.errors.OutOfRangeError):
        q.dequeue()


@pytest.fixture
def interruptible():
    """Whoever started this process may have told it to ignore interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("traced", [False, True])
def test_waiting_ends_when_the_program_is_interrupted(interruptible, traced):
    q = tf.queue.FIFOQueue(1, tf.int32)
    take = tf.function(q.dequeue, autograph=False) if traced else q.dequeue
    if traced:
        take.get_concrete_function()
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        take()
    q.enqueue(5)
    assert take().numpy() == 5


def test_functions_take_turns_with_a_queue():
    q = tf.queue.FIFOQueue(1, tf.int32)
    put = tf.function(lambda x: (q.enqueue(x), x)[1], autograph=False)
    take = tf.function(lambda: q.dequeue() + 1, autograph=False)
    taken = []
    run_all(
        lambda: [put(tf.constant(i)) for i in range(20)],
        lambda: taken.extend(take().numpy().item() for _ in range(20)),
    )
    assert taken == list(range(1, 21))


@pytest.mark.parametrize("traced", [False, True])
def test_sections_run_one_after_the_other(traced):
    v = tf.Variable(0)
    section = tf.CriticalSection()

    def add():
        now = v.read_value()
        time.sleep(0.001)
        return v.assign(now + 1)

    def count():
        return section.execute(add)

    call = tf.function(count, autograph=False) if traced else count
    if traced:
        call.get_concrete_function()
    run_all(*[lambda: [call() for _ in range(10)] for _ in range(4)])
    assert v.numpy() == 40


def test_a_section_is_free_after_an_error():
    section = tf.CriticalSection()
    with pytest.raises(ZeroDivisionError):
        section.execute(lambda: 1 // 0)
    assert section.execute(lambda: tf.constant(1)).numpy() == 1


def test_tables_are_read_while_they_change():
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)
    keys = tf.range(1000, dtype=tf.int64)
    table.insert(keys, keys)

    def write(k):
        for i in range(50):
            table.insert(keys, keys)
            table.remove(keys[k::7])
            table.insert(keys[k::7], keys[k::7])

    def read():
        for _ in range(200):
            found = table.lookup(keys).numpy()
            assert ((found == keys.numpy()) | (found == -1)).all()

    run_all(lambda: write(0), lambda: write(3), read, read)
    assert (table.lookup(keys).numpy() == keys.numpy()).all()


def test_a_table_of_no_file_names_it():
    with pytest.raises(tf.errors.NotFoundError, match="no-such-file"):
        tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer(
                "/no-such-file", tf.string, -2, tf.int64, -1
            ),
            -1,
        )
