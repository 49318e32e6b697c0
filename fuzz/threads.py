"""Threads that do everything at once: python fuzz/threads.py

Every child runs threads that make, trace, call, differentiate, drop and share
functions, variables, datasets, tapes and callbacks in random order, while the
garbage collector runs often and signal handlers now and then. Values must be
right, and all threads must come to their end.
"""

import itertools
import random
import sys
from collections.abc import Iterator

from campaign import Case, main

PROGRAM = """
import collections, faulthandler, gc, os, random, signal, sys, threading, time, traceback
faulthandler.dump_traceback_later({seconds} + 90, exit=True)
import numpy as np
import graphkiln as tf
tf.get_logger().setLevel("ERROR")
gc.set_threshold({threshold})
sys.setswitchinterval({interval})
a = tf.ones([{n}, {n}])
want = float(tf.reduce_sum(tf.matmul(a, a)))
shared = {{
    "functions": collections.deque(maxlen=8),
    "variables": collections.deque(maxlen=8),
    "datasets": collections.deque(maxlen=4),
    "iterators": collections.deque(maxlen=4),
    "tapes": collections.deque(maxlen=4),
    "concrete": collections.deque(maxlen=4),
}}
common = tf.function(lambda x, k: tf.reduce_sum(tf.matmul(x, x)) + float(k) * 0., autograph=False)
total = tf.Variable(0., dtype=tf.float64)
adds = collections.Counter()

class Node:  # garbage that computes when it is collected
    busy = threading.local()
    def __init__(self, do):
        self.me, self.do = self, do
    def __del__(self):
        if getattr(Node.busy, "now", False): return
        Node.busy.now = True
        try:
            with tf.init_scope(): self.do()  # a trace may be under way
        except Exception as e:
            if not sys.is_finalizing(): print("WRONG in finaliser", repr(e), flush=True)
        finally: Node.busy.now = False

def pick(kind, choose):
    try: return choose.choice(list(shared[kind]))
    except (IndexError, RuntimeError): return None

def make_function(choose):
    k = choose.randrange(5)
    v = pick("variables", choose)
    if choose.random() < .3 or v is None:
        f = tf.function(lambda x: tf.reduce_sum(tf.matmul(x, x)) + 0. * k)
    else:
        f = tf.function(lambda x: tf.reduce_sum(tf.matmul(x, x)) + 0. * v, autograph=False,
                        reduce_retracing=choose.random() < .5)
    shared["functions"].append(f)
    assert abs(float(f(a)) - want) < 1e-3 * want
def call_shared(choose):
    f = pick("functions", choose)
    if f is not None:
        n = choose.choice([1, 2, 3])
        x = a if choose.random() < .7 else tf.ones([n, n])
        w = want if x is a else float(n ** 3)
        assert abs(float(f(x)) - w) < 1e-3 * max(w, 1.), (float(f(x)), w)
def call_common(choose):
    assert float(common(a, choose.randrange(12))) == want
def make_variable(choose):
    shared["variables"].append(tf.Variable(choose.random()))
def write(choose):
    v = pick("variables", choose)
    if v is not None: v.assign_add(1.); v.assign(float(v))
def count(choose):
    total.assign_add(1.); adds[threading.get_ident()] += 1
def gradient(choose):
    f = pick("functions", choose) or (lambda x: tf.reduce_sum(x))
    with tf.GradientTape(persistent=choose.random() < .5) as t:
        t.watch(a); y = f(a)
    assert t.gradient(y, a).shape == a.shape
    shared["tapes"].append(t)
def open_tape(choose):
    t = tf.GradientTape(); t.__enter__(); t.watch(a); tf.exp(a)
    if choose.random() < .5: t.__exit__(None, None, None)
    else: shared["tapes"].append(t)  # whoever drops it ends it
def dataset(choose):
    n = choose.randrange(1, 30)
    d = tf.data.Dataset.range(n).map(lambda i: i + 1, num_parallel_calls=choose.choice([None, 2]))
    if choose.random() < .5: d = d.shuffle(5)
    if choose.random() < .5: d = d.prefetch(2)
    if choose.random() < .3: d = d.cache()
    shared["datasets"].append((n, d))
    assert sum(int(e) for e in d) == n * (n + 1) // 2
def iterate(choose):
    pair = pick("datasets", choose)
    if pair is not None:
        n, d = pair
        assert sum(int(e) for e in d) == n * (n + 1) // 2
        it = iter(d); next(it, None); shared["iterators"].append(it)
def advance(choose):
    it = pick("iterators", choose)
    if it is not None: next(it, None)
def generator(choose):
    def gen():
        for i in range(20): yield i
    d = tf.data.Dataset.from_generator(gen, output_signature=tf.TensorSpec([], tf.int32)).prefetch(2)
    it = iter(d); next(it); shared["iterators"].append(it)
def callback(choose):
    g = tf.function(lambda x: tf.py_function(lambda y: y * 2., [x], tf.float32), autograph=False)
    assert float(g(3.)) == 6.
def nested(choose):
    @tf.function
    def g(x):
        if tf.reduce_sum(x) > 0.:
            for _ in tf.range(3): x = x + 1.
        return x
    assert float(g(tf.ones([2]))[0]) == 4.
def concrete(choose):
    f = tf.function(lambda x: x * 2., autograph=False)
    c = f.get_concrete_function(tf.TensorSpec([None]))
    shared["concrete"].append(c)
    c.graph.as_graph_def().SerializeToString()
def call_concrete(choose):
    c = pick("concrete", choose)
    if c is not None: assert float(c(tf.ones([3]))[0]) == 2.
def fails(choose):
    try: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
    except tf.errors.InvalidArgumentError: pass
    try: tf.function(lambda x: tf.reshape(x, [7]))(tf.ones([8]))
    except (tf.errors.InvalidArgumentError, ValueError): pass
def garbage(choose):
    Node(lambda: (call_common(choose), make_function(random.Random(1))))
def cycle(choose):
    n = Node(lambda: None)
    n.held = [pick(kind, choose) for kind in shared]
def random_numbers(choose):
    x = tf.random.normal([100]); assert tf.reduce_all(tf.math.is_finite(x))
def big(choose):
    x = tf.random.uniform([200_000])
    assert float(tf.reduce_min(tf.sort(x)[1:] - tf.sort(x)[:-1])) >= 0.

ALL = [make_function, call_shared, call_shared, call_common, call_common, make_variable, write, count,
       gradient, open_tape, dataset, iterate, advance, generator, callback, nested, concrete,
       call_concrete, fails, garbage, cycle, random_numbers, big]
end = time.monotonic() + {seconds}
errors = []
def run(seed):
    choose = random.Random(seed)
    try:
        while time.monotonic() < end: choose.choice(ALL)(choose)
    except BaseException:
        errors.append(traceback.format_exc())
seen = []
signal.signal(signal.SIGUSR1, lambda *_: seen.append(float(common(a, 1))))
threads = [threading.Thread(target=run, args=({seed} + i,)) for i in range({threads})]
for t in threads: t.start()
while any(t.is_alive() for t in threads):
    time.sleep(.05)
    if {signals}: os.kill(os.getpid(), signal.SIGUSR1)
for t in threads: t.join()
for e in errors: print("WRONG", e)
if float(total) != sum(adds.values()): print("WRONG total", float(total), sum(adds.values()))
if any(s != want for s in seen): print("WRONG in handler")
print("done", sum(adds.values()), len(seen))
"""


def cases(choose: random.Random) -> Iterator[Case]:
    for _ in itertools.count():
        threads = choose.choice([2, 4, 8, 16])
        signals = choose.choice([True, False])
        yield Case(
            f"{threads} threads" + (", signals" if signals else ""),
            PROGRAM.format(
                n=choose.choice([2, 30, 200]),
                seconds=choose.choice([3, 8]),
                threshold=choose.choice([1, 50, 700]),
                interval=choose.choice([1e-6, 1e-4, 5e-3]),
                seed=choose.randrange(2**31),
                threads=threads,
                signals=signals,
            ),
            patience=240,
        )


if __name__ == "__main__":
    sys.exit(main(__doc__, 20, cases))
