"""Strings count as memory: ops that make more text than there is say so."""

import subprocess
import sys

import pytest

import graphkiln as tf

LONG = "a" * 10**6

MAKERS = {
    "fill": lambda x: tf.fill([10**7], x),
    "tile": lambda x: tf.tile([x], [10**7]),
    "broadcast_to": lambda x: tf.broadcast_to(x, [10**7]),
    "as_string": lambda x: tf.strings.as_string(
        tf.zeros([10**8]), width=2**16
    ),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("traced", [False, True])
def test_refused_before_it_is_made(name, traced):
    make = MAKERS[name]
    if traced:
        make = tf.function(make, autograph=False)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="text|OOM"):
        make(tf.constant(LONG))
    assert tf.fill([2], "x").numpy().tolist() == [b"x", b"x"]


UNDER_A_LIMIT = """
import graphkiln as tf
long = tf.constant("a" * 10**6)
many = tf.fill([100], long)
makers = {
    "repeat": lambda: tf.repeat(long, 10**5),
    "gather": lambda: tf.gather([long], tf.zeros([10**5], tf.int32)),
    "join": lambda: tf.strings.join([many] * 50),
    "join of long ones": lambda: tf.strings.join([tf.constant("a" * 10**8)] * 90),
    "where": lambda: tf.where(tf.fill([10**5], True), long, "b"),
    "pad": lambda: tf.pad(["b"], [[0, 10**5]], constant_values=long),
    "format": lambda: tf.strings.format("{}" * 9000, [long] * 9000),
    "stack": lambda: tf.stack([long] * 10**4),
    "concat": lambda: tf.concat([many] * 100, 0),
    "as_string": lambda: tf.strings.as_string(tf.zeros([10**5]), width=2**16),
    "batch": lambda: next(iter(
        tf.data.Dataset.from_tensors(long).repeat().batch(10**5))),
}
for name, make in makers.items():
    for call in (make, tf.function(make, autograph=False)):
        try:
            call()
            print(name, "was made")
        except tf.errors.ResourceExhaustedError:
            pass
        assert tf.fill([2], "x").numpy().tolist() == [b"x", b"x"]
print("all done")
"""


def test_under_a_limit():
    child = subprocess.run(
        ["bash", "-c", f"ulimit -v 1200000; exec {sys.executable} -"],
        input=UNDER_A_LIMIT, capture_output=True, text=True, timeout=600,
    )
    assert child.stdout == "all done\n", child.stdout + child.stderr[-2000:]
