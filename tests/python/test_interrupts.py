"""Ctrl-C reaches whatever lasts, and leaves what it found."""

import pytest
from child_program import check_child

WORK = {
    "a graph without loops": """
a = tf.random.normal([1500, 1500]) / 38.
@tf.function(autograph=False)
def work(x=a):
    for _ in range(400): x = tf.matmul(x, a)
    return x
""",
    "sort": "x = tf.random.uniform([30_000_000])\n"
    "def work(): return tf.sort(x)\n",
    "argsort": "x = tf.random.uniform([20_000_000])\n"
    "def work(): return tf.argsort(x)\n",
    "sort of rows": "x = tf.random.uniform([2, 15_000_000])\n"
    "def work(): return tf.sort(x)\n",
    "unique": "x = tf.range(40_000_000)\ndef work(): return tf.unique(x)\n",
    # Making room for strings, and giving it back, is not interrupted: 32 bytes
    # each, which takes a second for 20 million where pages are slow to come.
    "strings": "x = tf.random.uniform([8_000_000])\n"
    "def work(): return tf.strings.as_string(x)\n",
    "one large product": "x = tf.ones([9000, 9000])\n"
    "def work(): return tf.matmul(x, x)\n",
    "counts of what occurs": "x = tf.random.uniform([15_000_000], 0, 10**9, "
    "tf.int32)\ndef work(): return tf.sparse.bincount(x)\n",
    "tape": """
a = tf.random.normal([1200, 1200]) / 35.
def work():
    with tf.GradientTape() as t:
        t.watch(a); y = a
        for _ in range(200): y = tf.matmul(y, a)
    return t.gradient(y, a)
""",
    "writes": """
@tf.function
def work():
    for _ in tf.range(10**9): v.assign_add(tf.ones([3_000_000]))
""",
    "another thread's trace": """
begun = threading.Event()
@tf.function(autograph=False)
def f(x):
    begun.set(); time.sleep(20)
    return x
threading.Thread(target=f, args=(tf.constant(1.),), daemon=True).start()
begun.wait()
def work(): return f(tf.constant(1.))
""",
}


@pytest.mark.parametrize("name", WORK)
def test_long_work_is_interrupted(name):
    out = check_child(
        """
import os, signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import graphkiln as tf
v = tf.Variable(tf.zeros([3_000_000]))
"""
        + WORK[name]
        + """
sent = []
def interrupt():
    time.sleep(.7)
    sent.extend([time.time(), time.process_time()])
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    while True: work()
except KeyboardInterrupt:
    late = time.time() - sent[0], time.process_time() - sent[1]
assert len(set(v.numpy().tolist())) == 1
assert float(tf.function(lambda x: x + 1.)(1.)) == 2.
print(*late)
import sys; sys.stdout.flush(); os._exit(0)
"""
    )
    # 0.1 s on an idle machine; a busy one takes its time for anything, but
    # the processor's is counted, too.
    late, busy = map(float, out.splitlines()[-1].split())
    assert min(late, busy) < 1.5 and late < 30.0


def test_a_function_can_be_used_after_its_first_call_was_interrupted():
    """Passes and plans of large graphs are made anew by the next call."""
    out = check_child(
        """
import os, signal, threading, time
os.environ["GK_CHECK_PLANS"] = "0"  # takes minutes
signal.signal(signal.SIGINT, signal.default_int_handler)
import graphkiln as tf
v = tf.Variable(0.)
@tf.function(autograph=False, input_signature=[tf.TensorSpec([None])])
def f(x):
    for _ in range(30_000):
        x = tf.tanh(x) + tf.cast(tf.shape(x)[0], tf.float32)
    v.assign_add(1.)
    return x
f.get_concrete_function()
x = tf.constant([1., 2., 3.])
late = []
for after in (.02, .2, .5, .02, .3):  # two calls make passes
    sent = []
    def interrupt():
        time.sleep(after)
        sent.extend([time.time(), time.process_time()])
        os.kill(os.getpid(), signal.SIGINT)
    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    try:
        while True: f(x)
    except KeyboardInterrupt:
        late.append(min(time.time() - sent[0], time.process_time() - sent[1]))
    thread.join()
    assert tf.executing_eagerly()
before = float(v)
start = time.process_time()
y = f(x)
whole = time.process_time() - start
for _ in range(3): assert f(x).numpy().tolist() == y.numpy().tolist()
assert abs(float(y[0]) - 3.9993284) < 1e-5, y
assert float(v) == before + 4, v
print(whole, *late)
"""
    )
    # A sixth of the whole, which takes seconds: what was made is given back.
    whole, *late = map(float, out.splitlines()[-1].split())
    assert max(late) < 0.5 * whole, out


def test_what_a_handler_does_leaves_the_interrupted_op_as_it_is():
    """An op that runs keeps its attributes whatever ops the handler calls."""
    check_child(
        """
        import signal
        import graphkiln as tf
        calls = 0
        def handler(*_):
            global calls
            calls += 1
            for i in range(600):
                tf.strings.join(["x", "y"], separator=f"another one, number {i}")
        signal.signal(signal.SIGALRM, handler)
        x = tf.fill([2_000_000], "a")
        turns = 0
        while calls < 3:
            signal.setitimer(signal.ITIMER_REAL, .03, .03)
            y = tf.strings.join([x, x], separator="as it was given")
            signal.setitimer(signal.ITIMER_REAL, 0)
            turns += 1
            assert set(y.numpy().tolist()) == {b"aas it was givena"}
            assert turns < 100
        """
    )


def test_threads_of_our_own_get_no_signals():
    """They go to Python's, whose handlers they are for."""
    check_child(
        """
        import os, pathlib, signal, threading, time
        os.environ["OPENBLAS_NUM_THREADS"] = "1"  # NumPy's threads are its own
        import graphkiln as tf
        a = tf.random.normal([600, 600])
        tf.matmul(a, a); tf.sort(tf.random.uniform([3_000_000]))
        d = tf.data.Dataset.range(100).map(
            lambda i: i + 1, num_parallel_calls=2).prefetch(2)
        it = iter(d); next(it)
        own = {t.native_id for t in threading.enumerate()}
        others = 0
        for task in pathlib.Path("/proc/self/task").iterdir():
            if int(task.name) in own: continue
            for _ in range(100):
                status = (task / "status").read_text()
                blocked = int(status.partition("SigBlk:")[2].split()[0], 16)
                if not blocked >> (signal.SIGSEGV - 1) & 1: break
                time.sleep(.05)  # a thread that starts has all blocked
            for s in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
                assert blocked >> (s - 1) & 1, (task.name, hex(blocked))
            assert not blocked >> (signal.SIGSEGV - 1) & 1, hex(blocked)
            others += 1
        assert others > 0
        assert not signal.pthread_sigmask(signal.SIG_BLOCK, [])
        """
    )
