"""What the backward pass of a loop keeps: the values it needs, and little
besides. Measured in processes of their own, as others leave memory behind."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

import graphkiln as tf

pytestmark = pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK)
    or "san" in os.environ.get("LD_PRELOAD", ""),
    reason="the peak of a process's memory cannot be had",
)

PROGRAM = """
import graphkiln as tf

def peak():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024

def measure(body, *initial, order=1, extra=()):
    @tf.function(autograph=False)
    def run(count, *x):
        def loop(*x):
            return tf.while_loop(
                lambda i, *s: i < count,
                lambda i, *s: (i + 1, *body(i, *s)),
                (tf.constant(0), *x),
            )[1]

        def gradient(f):
            def g(*x):
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = tf.reduce_sum(f(*x))
                return tape.gradient(y, x[0])
            return g

        f = loop
        for _ in range(order):
            f = gradient(f)
        return f(*x)

    run(tf.constant(3), *initial)
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")
    before = peak()
    run(tf.constant(STEPS), *initial)
    print(peak() - before)
"""


def _peak(steps: int, call: str) -> int:
    program = PROGRAM.replace("STEPS", str(steps)) + f"\nmeasure({call})\n"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True,
        env=os.environ | {
            "PYTHONPATH": str(pathlib.Path(tf.__file__).parent.parent)
        },
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


VECTORS = 10_000 * 4 * 1000
# What a process takes for other things meanwhile.
SLACK = 4 << 20


@pytest.mark.parametrize(
    ("kept", "body"),
    (
        # The state before each step.
        (1, "lambda i, x: (tf.sin(x),)"),
        # The state after it, which is the next one's before.
        (1, "lambda i, x: (tf.tanh(x * 0.9 + 0.1),)"),
        # Sums and products come of the state again.
        (1, "lambda i, x: (tf.sin(x * 0.9) * tf.cast(i, tf.float32),)"),
        (2, "lambda i, x: (tf.sin(x) * x,)"),
        # Nothing but how many steps there were.
        (0, "lambda i, x: (x * tf.cast(i, tf.float32) * 1e-4,)"),
    ),
)
def test_vectors(kept, body):
    peak = _peak(10_000, f"{body}, tf.fill([1000], 0.5)")
    assert peak <= 1.2 * kept * VECTORS + SLACK
    if kept:
        assert peak >= 0.8 * VECTORS


def test_scalars():
    body = "lambda i, x: (tf.sin(x) * x,)"
    peak = _peak(200_000, f"{body}, tf.constant(0.5)")
    # 1.6 MB are needed; a tensor for each value would take 120.
    assert peak <= 1.2 * 2 * 4 * 200_000 + SLACK


def test_what_no_step_changes_is_not_kept():
    body = "lambda i, x, w: (x * tf.reduce_sum(w) * 1e-6, w)"
    peak = _peak(
        2_000, f"{body}, tf.constant(0.5), tf.fill([1000 * 1000], 1.0)"
    )
    # 4 MB each: the gradient of w, the sum so far and some in between.
    assert peak <= 10 * 4_000_000 + SLACK


def test_a_loop_within_a_loop():
    body = (
        "lambda i, x: (tf.while_loop(lambda j, y: j < 10,"
        " lambda j, y: (j + 1, tf.sin(y)), (tf.constant(0), x))[1],)"
    )
    peak = _peak(1_000, f"{body}, tf.fill([1000], 0.5)")
    assert peak <= 1.2 * 1.1 * VECTORS + SLACK


def test_lists_are_freed_as_they_are_used():
    body = "lambda i, x: (tf.tanh(x * 0.9 + 0.1),)"
    peak = _peak(10_000, f"{body}, tf.fill([1000], 0.5), order=2")
    assert peak <= 1.2 * 2 * VECTORS + SLACK


@pytest.mark.parametrize(
    ("kept", "body"),
    (
        # The state, the gradient there, and the state's share in the second.
        (3, "lambda i, x: (tf.sin(x),)"),
        (2, "lambda i, x: (x * x * 0.5,)"),
    ),
)
def test_second_order(kept, body):
    peak = _peak(10_000, f"{body}, tf.fill([1000], 0.5), order=2")
    assert peak <= 1.2 * kept * VECTORS + SLACK
