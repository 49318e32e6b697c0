"""Other threads of Python go on while a large op runs."""

import sys
import threading
import time

import numpy as np
import pytest

import graphkiln as tf

# Made once: what is timed is its conversion.
LARGE = np.ones(60_000_000, np.float32)
X = tf.ones([3000, 3000])
WORK = {
    "fill": lambda: tf.fill([50_000_000], 1.5),
    "zeros": lambda: tf.zeros([100_000_000]),
    "ones": lambda: tf.ones([50_000_000]),
    "range": lambda: tf.range(50_000_000),
    "linspace": lambda: tf.linspace(0.0, 1.0, 20_000_000),
    "tile": lambda: tf.tile([1.0, 2.0], [30_000_000]),
    "repeat": lambda: tf.repeat([1.0, 2.0], 20_000_000),
    "broadcast_to": lambda: tf.broadcast_to(1.0, [50_000_000]),
    "one_hot": lambda: tf.one_hot([1] * 100, 500_000),
    "eye": lambda: tf.eye(6000),
    "normal": lambda: tf.random.normal([5_000_000]),
    "stateless": lambda: tf.random.stateless_uniform([20_000_000], [1, 2]),
    "pad": lambda: tf.pad([1.0], [[0, 50_000_000]]),
    "strings": lambda: tf.fill([2_000_000], "a"),
    "outer": lambda: tf.range(6000.0)[:, None] * tf.range(6000.0),
    "constant": lambda: tf.constant(LARGE),
    "numpy": lambda x=tf.constant(LARGE): x.numpy(),
    "gradient": lambda: _gradient(),
}


def _gradient():
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.reduce_sum(tf.tanh(X) * tf.exp(X))
    return tape.gradient(y, X)


@pytest.mark.parametrize("name", WORK)
def test_other_threads_run_meanwhile(name):
    work, stop, ticks = WORK[name], False, 0

    def tick():
        nonlocal ticks
        while not stop:
            ticks += 1
            time.sleep(0)

    interval = sys.getswitchinterval()
    thread = threading.Thread(target=tick)
    try:
        # Nobody is made to give the lock up: it is given up by who works.
        sys.setswitchinterval(1000)
        thread.start()
        work()
        for _ in range(20):
            before = ticks
            work()
            meanwhile = ticks - before
            if meanwhile > 0:
                break
    finally:
        stop = True
        sys.setswitchinterval(interval)
        thread.join()
    assert meanwhile > 0
