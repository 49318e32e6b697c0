"""Forks with idle and with busy threads: python fuzz/forks.py

Every child process forks again and again while its threads compute; what was
forked must compute right and end. Locks that a thread held at the moment of
the fork are held for ever in the child, unless somebody thought of them.
"""

import itertools
import random
import sys
from collections.abc import Iterator

from campaign import Case, main

# One case forks so often.
FORKS = 10

PROGRAM = """
import faulthandler, os, signal, sys, threading, time, warnings
warnings.simplefilter("ignore")
import numpy as np
import graphkiln as tf
a = tf.ones([{n}, {n}])
f = tf.function(lambda x: tf.reduce_sum(tf.matmul(x, x) * 2.), autograph=False)
want = float(f(a))
v = tf.Variable(1.)
d = tf.data.Dataset.range(50).map(lambda i: i + 1, num_parallel_calls=2).prefetch(2)
def trace():
    g = tf.function(lambda x: tf.tanh(x) + x)
    return g(a)
def gradient():
    with tf.GradientTape() as t: y = v * v
    return t.gradient(y, v)
busy = {{
    "idle": lambda: time.sleep(.01),
    "calls": lambda: f(a),
    "eager": lambda: tf.matmul(a, a),
    "traces": trace,
    "datasets": lambda: list(d),
    "gradients": gradient,
    "strings": lambda: tf.strings.as_string(tf.range(1000)),
}}
def run():
    while True: {busy}
for _ in range({threads}): threading.Thread(target=run, daemon=True).start()
def child():
    signal.alarm(60)  # ends what hangs
    faulthandler.dump_traceback_later(50, exit=False)
    assert float(f(a)) == want, "function"
    assert float(tf.reduce_sum(tf.matmul(a, a) * 2.)) == want, "eager"
    trace(); assert float(gradient()) == 2., "gradient"
    assert [int(e) for e in d] == list(range(1, 51)), "dataset"
    big = tf.random.uniform([300_000])
    assert float(tf.reduce_min(tf.sort(big)[1:] - tf.sort(big)[:-1])) >= 0., "sort"
    w = tf.Variable(0.); w.assign_add(1.); assert float(w) == 1., "variable"
    x = tf.py_function(lambda y: y + 1., [v], tf.float32); assert float(x) == 2., "callback"
for i in range({forks}):
    time.sleep({pause})
    pid = os.fork()
    if pid == 0:
        try: child()
        except BaseException as e:
            print("WRONG in child", type(e).__name__, e, flush=True); os._exit(1)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    if status != 0: print("WRONG status of child", status, flush=True)
    if float(f(a)) != want: print("WRONG in parent", flush=True)
os._exit(0) if {leave} else None
"""


def cases(choose: random.Random) -> Iterator[Case]:
    for _ in itertools.count():
        for kind in ("idle", "calls", "eager", "traces", "datasets",
                     "gradients", "strings"):
            yield Case(
                f"{kind} ({FORKS} forks)",
                PROGRAM.format(
                    n=choose.choice([3, 100, 300]),
                    threads=choose.choice([1, 3]),
                    busy=f"busy[{kind!r}]()",
                    forks=FORKS,
                    pause=choose.choice([0, 0.001, 0.05]),
                    leave=choose.choice([True, False]),
                ),
                patience=300,
            )


if __name__ == "__main__":
    sys.exit(main(__doc__, 10, cases))
