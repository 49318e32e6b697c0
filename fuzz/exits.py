"""Programs that end while their threads are busy: python fuzz/exits.py

Every child starts daemon threads that call, trace, iterate, differentiate or
convert without end, and leaves in one of the ways in which programs end. None
may abort, crash or stay.
"""

import itertools
import random
import sys
from collections.abc import Iterator

from campaign import Case, main

HEAD = """
import sys, threading, time
import numpy as np
import graphkiln as tf
a = tf.random.normal([{n}, {n}])
def forever(body):
    def run():
        while True: body()
    for _ in range({threads}): threading.Thread(target=run, daemon=True).start()
"""

BUSY = {
    "calls": """
f = tf.function(lambda x: tf.tanh(tf.matmul(x, x)), autograph=False)
forever(lambda: f(a))
""",
    "small calls": """
f = tf.function(lambda x: x + 1., autograph=False)
one = tf.constant(1.)
forever(lambda: f(one))
""",
    "eager ops": """
forever(lambda: tf.reduce_sum(tf.exp(a) * 2.))
""",
    "traces": """
def body(x):
    if tf.reduce_sum(x) > 0.: x = x + 1.
    return tf.tanh(x)
forever(lambda: tf.function(body)(a))
""",
    "loops": """
@tf.function
def f(x):
    for i in tf.range(100000): x = tf.tanh(x) + tf.cast(i, tf.float32)
    return x
forever(lambda: f(a))
""",
    "gradients": """
v = tf.Variable(a)
@tf.function
def f(x):
    with tf.GradientTape() as t: y = tf.reduce_sum(tf.matmul(x, v))
    return t.gradient(y, v)
def body():
    with tf.GradientTape() as t: y = tf.reduce_sum(tf.tanh(a * v))
    v.assign_sub(1e-3 * t.gradient(y, v)); f(a)
forever(body)
""",
    "callbacks": """
@tf.function(autograph=False)
def f(x): return tf.py_function(lambda y: y + float(np.sum(y.numpy())), [x], tf.float32)
forever(lambda: f(a))
""",
    "datasets": """
d = tf.data.Dataset.range(10**9).map(lambda i: i * 2, num_parallel_calls=4).shuffle(100).batch(8).prefetch(4)
def body():
    for e in d.take(1000): pass
forever(body)
""",
    "generators": """
def gen():
    while True: yield np.ones(10, np.float32)
d = tf.data.Dataset.from_generator(gen, output_signature=tf.TensorSpec([10], tf.float32)).prefetch(4)
def body():
    for e in d.take(1000): pass
forever(body)
""",
    "interleaved files": """
d = tf.data.Dataset.range(1000).interleave(lambda i: tf.data.Dataset.range(i), cycle_length=8, num_parallel_calls=4)
def body():
    for e in d: pass
forever(body)
""",
    "conversions": """
forever(lambda: tf.constant(a.numpy() + 1.))
""",
    "kept iterators": """
its = [iter(tf.data.Dataset.range(10**9).map(lambda i: tf.py_function(lambda x: x + 1, [i], tf.int64), num_parallel_calls=4).prefetch(8)) for _ in range(4)]
forever(lambda: [next(i) for i in its])
""",
    "tracing callbacks": """
@tf.function(autograph=False)
def f(x): return tf.py_function(lambda y: tf.function(lambda z: z + 1.)(y), [x], tf.float32)
forever(lambda: f(a))
""",
    "reference cycles": """
class Node: pass
d = tf.data.Dataset.range(100).map(lambda i: i + 1, num_parallel_calls=2)
def body():
    n = Node(); n.me = n; n.it = iter(d); next(n.it); n.f = tf.function(lambda x: x * 2.); n.f(a)
forever(body)
""",
}

LEAVE = {
    "end": ("time.sleep({wait})", 0),
    "sys.exit": ("time.sleep({wait}); sys.exit(3)", 3),
    "error": ("time.sleep({wait}); raise ValueError('bye')", 1),
    "busy end": (
        "end = time.time() + {wait}\nwhile time.time() < end: tf.matmul(a, a)",
        0,
    ),
}


def cases(choose: random.Random) -> Iterator[Case]:
    for round_ in itertools.count():
        for name, busy in BUSY.items():
            way, (leave, status) = choose.choice(list(LEAVE.items()))
            program = (
                HEAD.format(n=choose.choice([2, 30, 300]),
                            threads=choose.choice([1, 4]))
                + busy
                + (choose.choice(list(BUSY.values())) if round_ % 2 else "")
                + leave.format(wait=choose.choice([0, 0.01, 0.3, 1]))
            )
            yield Case(f"{name}, {way}", program, expected_status=status)


if __name__ == "__main__":
    sys.exit(main(__doc__, 30, cases))
