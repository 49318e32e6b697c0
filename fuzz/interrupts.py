"""Ctrl-C at random moments: WITHIN=0.3 python fuzz/interrupts.py

Every child runs one kind of long work again and again and sends itself SIGINT
after a random time. KeyboardInterrupt must come soon, variables must hold what
they held before or what they hold after, and the same call must work again.

A machine that does other things as well takes its time for anything: WITHIN
counts seconds of the processor, which the child measures beside each interrupt.
"""

import itertools
import os
import random
import sys
from collections.abc import Iterator

from campaign import Case, main

INTERRUPTS = 5  # in one case
WITHIN = float(os.environ.get("WITHIN", "0.3"))

HEAD = """
import os, signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # nohup ignores it
import numpy as np
import graphkiln as tf
v = tf.Variable(tf.zeros([1000]))
w = tf.Variable(tf.zeros([3_000_000]))
def plain(**kw): return tf.function(autograph=False, **kw)
"""

# Each defines work(), which lasts for seconds.
WORK = {
    "products in a graph": """
a = tf.random.normal([1200, 1200]) / 35.
@plain()
def work(x=a):
    for _ in range(300): x = tf.matmul(x, a)
    return x
""",
    "small ops in a graph": """
a = tf.random.normal([20_000])
@plain()
def work(x=a):
    for _ in range(3000): x = tf.cumsum(tf.sort(x)) * 1e-3
    return x
""",
    "eager ops": """
a = tf.random.normal([1000, 1000])
def work():
    for _ in range(10**6): tf.matmul(a, a)
""",
    "one large product": """
a = tf.ones([6000, 6000])
def work(): return tf.matmul(a, a)
""",
    "sort": "x = tf.random.uniform([20_000_000])\ndef work(): return tf.sort(x)\n",
    "argsort": "x = tf.random.uniform([10_000_000])\ndef work(): return tf.argsort(x)\n",
    "sort of rows": "x = tf.random.uniform([4, 5_000_000])\ndef work(): return tf.sort(x)\n",
    "top k": "x = tf.random.uniform([20_000_000])\ndef work(): return tf.math.top_k(x, 5_000_000)\n",
    "unique": "x = tf.random.uniform([20_000_000], 0, 10**9, tf.int32)\ndef work(): return tf.unique(x)\n",
    "shuffle": "x = tf.range(50_000_000)\ndef work(): return [tf.random.shuffle(x) for _ in range(10)]\n",
    "strings": "x = tf.random.uniform([3_000_000])\ndef work(): return tf.strings.as_string(x)\n",
    "convolution": """
x = tf.ones([32, 128, 128, 32]); k = tf.ones([5, 5, 32, 64])
def work(): return [tf.nn.conv2d(x, k, 1, 'SAME') for _ in range(5)]
""",
    "elementwise": "x = tf.ones([100_000_000])\ndef work(): return [tf.tanh(tf.exp(x)) for _ in range(10)]\n",
    "random numbers": "def work(): return [tf.random.normal([100_000_000]) for _ in range(10)]\n",
    "loop": """
@tf.function
def work():
    i = 0.
    while i < 1e12: i += 1.
    return i
""",
    "loop with products": """
a = tf.random.normal([500, 500]) / 25.
@tf.function
def work():
    x = a
    for _ in tf.range(10**7): x = tf.tanh(tf.matmul(x, a))
    return x
""",
    "map_fn": """
x = tf.ones([10**7])
@tf.function
def work(): return tf.map_fn(lambda e: e * 2., x)
""",
    "loop that writes": """
@tf.function
def work():
    for _ in tf.range(10**8): v.assign_add(tf.ones([1000]))
""",
    "large writes": """
@tf.function
def work():
    for _ in tf.range(10**8): w.assign_add(tf.ones([3_000_000]))
""",
    "gradient": """
a = tf.random.normal([800, 800]) / 28.
@plain()
def work():
    with tf.GradientTape() as t:
        t.watch(a); y = a
        for _ in range(150): y = tf.matmul(tf.tanh(y), a)
    return t.gradient(y, a)
""",
    "tape": """
a = tf.random.normal([800, 800]) / 28.
def work():
    with tf.GradientTape() as t:
        t.watch(a); y = a
        for _ in range(150): y = tf.matmul(tf.tanh(y), a)
    return t.gradient(y, a)
""",
    "callbacks": """
@tf.function
def work():
    x = 0.
    for _ in tf.range(10**8):
        x = tf.ensure_shape(tf.py_function(lambda y: y + 1., [x], tf.float32), [])
    return x
""",
    "dataset": """
d = tf.data.Dataset.range(10**12).map(lambda i: i * 2).filter(lambda i: i < 0)
def work(): return next(iter(d))
""",
    "parallel dataset": """
d = tf.data.Dataset.range(10**12).map(lambda i: i * 2, num_parallel_calls=4).shuffle(1000).batch(10).prefetch(2)
def work():
    for e in d: pass
""",
    "slow generator": """
def gen():
    while True:
        time.sleep(.05); yield 1
d = tf.data.Dataset.from_generator(gen, output_signature=tf.TensorSpec([], tf.int32)).prefetch(2)
def work():
    for e in d: pass
""",
    "trace": """
def body(x):
    for i in range(10**6): x = tf.tanh(x) + 1.
    return x
def work(): return tf.function(body, autograph=False)(tf.ones([3]))
""",
    "wait for another trace": """
go = threading.Event()
@plain()
def traced(x):
    if threading.current_thread() is not threading.main_thread():
        go.set(); time.sleep(6)
    return x + 1.
def work():
    global traced
    traced = plain()(traced.python_function); go.clear()
    threading.Thread(target=traced, args=(tf.constant(1.),), daemon=True).start()
    go.wait(); return traced(tf.constant(1.))
""",
    "shuffle with a large buffer": """
d = tf.data.Dataset.range(10**12).shuffle(10**9)
def work(): return next(iter(d))
""",
    "reduction of a dataset": """
d = tf.data.Dataset.range(10**12)
def work(): return d.reduce(np.int64(0), lambda a, x: a + x)
""",
    "windows": """
d = tf.data.Dataset.range(10**12).window(10, shift=1).flat_map(lambda w: w.batch(10)).filter(lambda x: x[0] < 0)
def work(): return next(iter(d))
""",
    "large batches": """
d = tf.data.Dataset.range(10**12).batch(10**7)
def work(): return next(iter(d))
""",
    "where": """
x = tf.random.uniform([50_000_000]) > .5
def work(): return tf.where(x)
""",
    "gather": """
x = tf.random.uniform([20_000_000]); i = tf.random.uniform([20_000_000], 0, 20_000_000, tf.int32)
def work(): return tf.gather(x, i), tf.gather_nd(x, i[:, None])
""",
    "scatter": """
x = tf.random.uniform([20_000_000]); i = tf.random.uniform([20_000_000, 1], 0, 20_000_000, tf.int32)
def work(): return tf.scatter_nd(i, x, [20_000_000])
""",
    "sums of segments": """
x = tf.random.uniform([50_000_000]); i = tf.random.uniform([50_000_000], 0, 1000, tf.int32)
def work(): return tf.math.unsorted_segment_sum(x, i, 1000)
""",
    "counts": """
i = tf.random.uniform([50_000_000], 0, 1000, tf.int32)
def work(): return tf.math.bincount(i)
""",
    "counts of rows": """
i = tf.RaggedTensor.from_row_lengths(tf.random.uniform([20_000_000], 0, 1000, tf.int32), tf.fill([200_000], tf.constant(100, tf.int64)))
j = tf.random.uniform([5_000_000], 0, 10**9, tf.int32)
def work(): return tf.math.bincount(i.values[:10_000_000]), tf.math.bincount(i, axis=-1), tf.sparse.bincount(j)
""",
    "partitions": """
x = tf.random.uniform([30_000_000]); i = tf.random.uniform([30_000_000], 0, 3, tf.int32)
def work(): return tf.dynamic_partition(x, i, 3)
""",
    "scans": """
x = tf.random.uniform([50_000_000])
def work(): return tf.cumsum(x), tf.math.cumprod(x)
""",
    "gradient of a large graph": """
def body(x):
    y = x
    for _ in range(6000): y = tf.tanh(y) + 1.
    return tf.gradients(y, x)
def work(): return tf.function(body, autograph=False).get_concrete_function(tf.TensorSpec([3]))
""",
    "first call of a large graph": """
def body(x):
    for _ in range(3000): x = tf.tanh(x) + tf.cast(tf.shape(x)[0], tf.float32)
    return x
traces = [tf.function(body, autograph=False).get_concrete_function(tf.TensorSpec([None])) for _ in range(3)]
def work():
    for t in traces: t(tf.ones([3]))
    traces[:] = [tf.function(body, autograph=False).get_concrete_function(tf.TensorSpec([None]))]
""",
    "passes": """
def body(x):
    for _ in range(10_000): x = tf.tanh(x) + tf.cast(tf.shape(x)[0], tf.float32)
    return x
def trace(): return tf.function(body, autograph=False).get_concrete_function(tf.TensorSpec([None]))
good = trace()(tf.ones([3])).numpy()
current = []
def work():
    if not current: current.append(trace())
    for _ in range(3):
        if not np.array_equal(current[0](tf.ones([3])).numpy(), good): print("WRONG after an interrupt")
    current.clear()
""",
    "jacobian": """
x = tf.ones([3000])
def work():
    with tf.GradientTape() as t:
        t.watch(x); y = tf.cumsum(tf.tanh(x))
    return t.jacobian(y, x)
""",
    "conversions": """
x = np.ones(200_000_000, np.float32)
def work():
    for _ in range(20): tf.constant(x).numpy()
""",
}

TAIL = """
import random
choose = random.Random({seed})
late = []
def measured(work, after):
    # Seconds from the signal to the answer, and of the processor.
    sent = []
    def interrupt():
        time.sleep(after)
        sent.extend([time.time(), time.process_time()])
        os.kill(os.getpid(), signal.SIGINT)
    thread = threading.Thread(target=interrupt, daemon=True)
    try:
        thread.start()
        while True: work()
    except KeyboardInterrupt:
        return time.time() - sent[0], time.process_time() - sent[1]
for turn in range({interrupts}):
    late.append(measured(work, choose.uniform(.05, 1.)))
    values = set(v.numpy().tolist()) | set(w.numpy().tolist())
    if len(set(v.numpy().tolist())) != 1 or len(set(w.numpy().tolist())) != 1:
        print("WRONG a variable was left half-way", list(values)[:5])
    if float(tf.function(lambda x: x + 1.)(tf.constant(1.))) != 2.: print("WRONG function")
    with tf.GradientTape() as t:
        t.watch(v.value()); y = v * 2.
    if len(t.watched_variables()) != 1: print("WRONG tape")
    if not tf.executing_eagerly(): print("WRONG context")
print("answered after", " ".join("%.3f (%.3f)" % s for s in late))
# Waiting takes no processor, but must end, too.
crowd = max(1., os.getloadavg()[0] / os.cpu_count())
if any(min(s) > {within} or s[0] > (3 * {within} + 1.) * crowd for s in late):
    print("WRONG late")
import sys; sys.stdout.flush(); os._exit(0)
"""


def cases(choose: random.Random) -> Iterator[Case]:
    for _ in itertools.count():
        for name, work in WORK.items():
            tail = TAIL.format(seed=choose.randrange(2**31),
                               interrupts=INTERRUPTS, within=WITHIN)
            yield Case(f"{name} ({INTERRUPTS} interrupts)",
                       HEAD + work + tail, patience=200)


if __name__ == "__main__":
    sys.exit(main(__doc__, 25, cases))
