"""Loops and branches: the same values, errors and lines whether they are part
of the plan (byte code, nested plans) or functions that kernels call."""

import json
import os
import subprocess
import sys
import textwrap
import time

import pytest

PROGRAMS = textwrap.dedent(
    '''
    import json
    import numpy as np
    import graphkiln as tf


    def outcome(f, *args):
        try:
            out = tf.function(f)(*args)
        except tf.errors.OpError as e:
            return type(e).__name__ + ": " + str(e)
        flat = tf.nest.flatten(out)
        return [[t.dtype.name, t.shape.as_list(), t.numpy().tobytes().hex()]
                for t in flat]


    def while_if(n):
        i = tf.constant(0)
        s = tf.constant(0)
        while i < n:
            if i % 3 == 0:
                s = s + i
            else:
                s = s - 1
            i += 1
        return s


    def collatz(n):
        steps = tf.constant(0)
        highest = n
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            highest = tf.maximum(highest, n)
            steps += 1
        return steps, highest


    def newton(x):
        y = x
        for _ in tf.range(20):
            if tf.abs(y * y - x) < 1e-6:
                break
            y = 0.5 * (y + x / y)
        return y, tf.tanh(y), tf.exp(-y)


    def nested(n):
        total = tf.constant(0, tf.int64)
        i = tf.constant(0, tf.int64)
        while i < n:
            j = tf.constant(0, tf.int64)
            while True:
                if j >= i or j * i > 40:
                    break
                if (i + j) % 2 == 0:
                    j += 1
                    continue
                total += i * j
                j += 2
            i += 1
        return total, i


    def early(n):
        for i in tf.range(n):
            if i * i > 50:
                return i
        return -1


    def cases(n):
        x = tf.constant(1.0)
        for i in tf.range(n):
            x = tf.switch_case(i % 4, [lambda: x + 1.0, lambda: x * 1.5,
                                       lambda: -x, lambda: tf.sin(x)])
        return x


    def limited(n):
        return tf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, x * 1.01),
                             [0, 1.0], maximum_iterations=7)


    def divide(n):
        i = n
        s = tf.constant(0)
        while i > -5:
            s += 100 // i
            i -= 1
        return s


    def half_and_double(n):
        h = tf.constant(1, tf.float16)
        d = tf.constant(1, tf.float64)
        for i in tf.range(n):
            h = h * tf.constant(1.1, tf.float16)
            d = d / 3 + tf.cast(h, tf.float64)
        return h, d, tf.cast(d, tf.complex64)


    def rnn(x, w, u, h):
        ta = tf.TensorArray(tf.float32, size=6)
        for t in tf.range(6):
            h = tf.tanh(tf.matmul(x[t], w) + tf.matmul(h, u))
            ta = ta.write(t, h)
        return ta.stack()


    def rnn_gradients(x, w, u, h):
        with tf.GradientTape() as outer:
            outer.watch([w, u])
            with tf.GradientTape() as tape:
                tape.watch([w, u, h])
                loss = tf.reduce_sum(rnn(x, w, u, h) ** 2)
            first = tape.gradient(loss, [w, u, h])
            size = sum(tf.reduce_sum(g * g) for g in first)
        return first, outer.gradient(size, [w, u])


    def vector_branches(x):
        seen = tf.zeros([0, 3])
        for i in tf.range(7):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(seen, tf.TensorShape([None, 3]))])
            if tf.reduce_sum(x) > 2.0:
                x = x * 0.5
            elif i % 2 == 0:
                x = x + tf.cast(i, tf.float32)
            else:
                x = tf.sin(x) + 1.0
                continue
            seen = tf.concat([seen, x[tf.newaxis]], 0)
        return x, seen


    def nested_vectors(x):
        total = tf.zeros_like(x)
        for i in tf.range(4):
            y = x
            j = 0
            while j < i:
                y = tf.matmul(y, x) / tf.reduce_max(tf.abs(x))
                j += 1
            total += y
        return total


    counter = tf.Variable(tf.zeros([3]))
    other = tf.Variable(1.0)


    def variables(x):
        for i in tf.range(5):
            if i % 2 == 0:
                counter.assign_add(x)
                other.assign(other * 1.5)
            x = x + counter
        return x, counter.read_value(), other.read_value()


    def drawn(x):
        for _ in tf.range(4):
            x = x + tf.random.uniform([3], seed=7)
            if x[0] > 1.5:
                x = x + tf.random.normal([], seed=3)
        return x


    def bad_row(x):
        total = tf.zeros([3])
        for i in tf.range(5):
            total += tf.gather(x, i)
        return total


    def swapped(x):
        a, b, c = x, x * 2.0, x
        for _ in tf.range(6):
            a, b, c = b, a + b, c * 0.5 + a
        return a, b, c, x


    def arrays(x):
        forth = tf.TensorArray(tf.float32, size=9)
        across = tf.TensorArray(tf.float32, size=9, element_shape=[3])
        for i in tf.range(7):
            x = tf.sin(x) + 1.0
            forth = forth.write(i, x)
            across = across.write(i * 4 % 9, x * 2.0)
            if i == 4:
                kept = forth.stack()
                forth = forth.write(1, kept[0])
        rows = tf.TensorArray(tf.float32, size=9).unstack(across.stack())
        rows = rows.write(2, x)
        return forth.stack(), across.stack(), rows.stack(), rows.read(4)


    def updated(x):
        first = x
        kept = tf.zeros_like(x)
        for i in tf.range(3):
            old = x
            x = tf.tensor_scatter_nd_update(x, [[i]], [7.0])
            x = tf.tensor_scatter_nd_add(x, [[i]], [1.0])
            y = tf.reshape(x, [3, 1])
            x = tf.tensor_scatter_nd_max(x, [[0]], [9.0])
            kept += old + y[:, 0]
        return x, kept, first


    def filled(x):
        total = tf.zeros([40, 3])
        for i in tf.range(40):
            total = tf.tensor_scatter_nd_update(total, [[i]], [x])
            x = tf.sin(x) + 1.0
        return total, x


    def empty(x):
        for _ in tf.range(0):
            counter.assign_add(x)
            x = x + 1.0
        while tf.constant(2) < 1:
            x = x * counter
        while other > 1e9:
            x = x * counter
        return x, counter.read_value()


    def steady(x, w):
        for i in tf.range(5):
            x = tf.tanh(tf.matmul(x, w + w)) + tf.cast(i, tf.float32)
        return x


    def turning(x, w):
        for _ in tf.range(5):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None, None]))])
            x = tf.transpose(x) * 0.5 + tf.reduce_sum(w)
        return x


    def settling(x, w):
        for _ in tf.range(6):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None, None]))])
            x = tf.matmul(tf.concat([x, w], 0)[:3], w)
        return x


    results = {}
    rng = np.random.RandomState(1)
    sizes = [[6, 2, 3], [3, 4], [4, 4], [2, 4]]
    arguments = [tf.constant(rng.randn(*s).astype(np.float32)) for s in sizes]
    tf.random.set_seed(5)
    results["rnn"] = outcome(rnn, *arguments)
    results["rnn_gradients"] = outcome(rnn_gradients, *arguments)
    vector = tf.constant([0.5, 1.0, -0.25])
    matrix = tf.constant(rng.randn(3, 3).astype(np.float32))
    for f in (vector_branches, variables, drawn, swapped, arrays, empty, updated,
              filled):
        results[f.__name__] = outcome(f, vector)
    for f in (nested_vectors, bad_row):
        results[f.__name__] = outcome(f, matrix)
    unknown = tf.function(nested_vectors, input_signature=[
        tf.TensorSpec([None, None])])
    for n in (2, 2, 2, 3):
        results[f"unknown {n}"] = unknown(matrix[:n, :n]).numpy().tobytes().hex()
    for f in (steady, turning, settling):
        g = tf.function(f, input_signature=[tf.TensorSpec([None, None])] * 2)
        for n, m in ((1, 3), (1, 3), (3, 3), (1, 3), (2, 3), (2, 2)):
            results[f"{f.__name__} {n} {m} {len(results)}"] = outcome(
                lambda x, w: g(x, w), matrix[:n], matrix[:m, :3])
    for f, values in [(while_if, [0, 1, 10, 1000]), (collatz, [1, 27, 97]),
                      (newton, [2.0, 1e-3, 1e20]), (early, [0, 3, 20]),
                      (cases, [0, 1, 9, 30]), (limited, [0, 3, 100]),
                      (divide, [3, -9]), (half_and_double, [0, 12])]:
        for v in values:
            results[f"{f.__name__} {v}"] = outcome(f, tf.constant(v))
    results["nested"] = outcome(nested, tf.constant(12, tf.int64))
    print(json.dumps(results))
    '''
)


def run(program, path, **settings):
    path.write_text(program)
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True,
        timeout=120, env={**os.environ, **settings})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    path = tmp_path_factory.mktemp("scalar_loops") / "programs.py"
    return [json.loads(run(PROGRAMS, path, GK_LOWER_CONTROL_FLOW=on)) for on in "10"]


def test_same_bits_and_errors(both):
    fast, general = both
    assert fast == general
    assert len(fast) == 57


def test_division_by_zero_names_the_line(both):
    error = both[0]["divide 3"]
    assert error.startswith("InvalidArgumentError: Graph execution error:")
    assert "Integer division by zero" in error
    line = PROGRAMS.splitlines().index("        s += 100 // i") + 1
    assert f"line {line}, in divide" in error
    assert isinstance(both[0]["divide -9"], list)


def test_bad_index_names_the_line(both):
    error = both[0]["bad_row"]
    assert error.startswith("InvalidArgumentError: Graph execution error:")
    line = PROGRAMS.splitlines().index("        total += tf.gather(x, i)") + 1
    assert f"line {line}, in bad_row" in error


def test_values():
    import graphkiln as tf

    @tf.function
    def count(n):
        i = tf.constant(0)
        s = tf.constant(0)
        while i < n:
            if i % 3 == 0:
                s = s + i
            else:
                s = s - 1
            i += 1
        return s

    for n in (0, 1, 2, 50):
        expected = sum(i if i % 3 == 0 else -1 for i in range(n))
        assert int(count(tf.constant(n))) == expected


def test_updates_in_place_are_seen_by_nobody_else():
    import numpy as np

    import graphkiln as tf

    @tf.function
    def fill(x, y):
        old = x
        for i in tf.range(3):
            x = tf.tensor_scatter_nd_update(x, [[i]], [7.0])
            x = tf.tensor_scatter_nd_add(x, [[i]], [y[i]])
        return old, x

    x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 2.0, 3.0])
    for _ in range(2):
        old, new = fill(x, y)
        np.testing.assert_array_equal(x, [1, 2, 3])
        np.testing.assert_array_equal(old, [1, 2, 3])
        np.testing.assert_array_equal(new, [8, 9, 10])


MANY_STATES = """
import graphkiln as tf

def loop(x):
    arrays = [
        tf.TensorArray(tf.float32, size=2, element_shape=[],
                       clear_after_read=False).unstack([x + k, x])
        for k in range(70)
    ]
    numbers = [tf.sin(x * float(k)) for k in range(70)]
    after = tf.while_loop(
        lambda i, *rest: i < 3,
        lambda i, numbers, arrays: (
            i + 1, [n + 1.0 for n in numbers],
            [a.write(0, a.read(1) + a.read(0)) for a in arrays]),
        (0, numbers, arrays))
    return (tf.stack(after[1]), tf.stack([a.stack() for a in after[2]]),
            tf.stack([a.stack() for a in arrays]))

x = tf.constant(0.5)
for t in tf.function(loop, autograph=False)(x):
    print(t.numpy().tolist())
"""


def test_states_that_are_read_behind_a_loop_of_many(tmp_path):
    fast, general = (
        run(MANY_STATES, tmp_path / "many.py", GK_LOWER_CONTROL_FLOW=on)
        for on in "10"
    )
    assert fast == general
    assert eval(fast.splitlines()[2])[69] == [69.5, 0.5]


def test_gradient_through_a_scalar_loop():
    import graphkiln as tf

    @tf.function
    def power(x, n):
        y = tf.constant(1.0)
        for i in tf.range(n):
            if i % 2 == 0:
                y = y * x
            else:
                y = y * x + 1.0
        return y

    @tf.function
    def slopes(x, n):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = power(x, n)
            dy = inner.gradient(y, x)
        return y, dy, outer.gradient(dy, x)

    # ((x * x + 1) * x) * x + 1 = x**4 + x**2 + 1
    y, dy, d2y = slopes(tf.constant(2.0), tf.constant(4))
    assert float(y) == 21.0
    assert float(dy) == 4 * 8 + 2 * 2
    assert float(d2y) == 12 * 4 + 2


ENDLESS = textwrap.dedent(
    '''
    import os, signal, sys, threading, time
    import graphkiln as tf

    kind = sys.argv[1]


    @tf.function
    def scalars(x):
        while x >= 0:
            if x > 1000:
                x = x - 1000
            x += 1
        return x


    @tf.function
    def vectors(x):
        i = tf.constant(0)
        while i < 1:
            x = tf.tanh(x + 1.0)
        return x


    def interrupt():
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)


    signal.signal(signal.SIGINT, signal.default_int_handler)  # nohup
    threading.Thread(target=interrupt).start()
    start = time.perf_counter()
    try:
        if kind == "scalars":
            scalars(tf.constant(1))
        else:
            vectors(tf.ones([3]))
    except KeyboardInterrupt:
        print("interrupted", time.perf_counter() - start)
    # What was interrupted can be called again.
    print(int(scalars(tf.constant(-5))))
    '''
)


@pytest.mark.parametrize("kind", ["scalars", "vectors"])
@pytest.mark.parametrize("code", ["1", "0"])
def test_ctrl_c_ends_an_endless_loop(kind, code, tmp_path):
    path = tmp_path / "endless.py"
    path.write_text(ENDLESS)
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, str(path), kind], capture_output=True, text=True,
        timeout=60, env={**os.environ, "GK_LOWER_CONTROL_FLOW": code})
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    assert words[0] == "interrupted" and words[2] == "-5", done.stdout
    assert float(words[1]) < 5 and time.perf_counter() - start < 50


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
def test_squares_and_first_powers_are_exact(dtype):
    import numpy as np

    import graphkiln as tf

    # Odd numbers whose squares lie halfway between floats, and a spread where
    # the C library's power is one bit off now and then.
    ties = np.arange(1.0, 200.0, 2.0) * (1.0 if dtype == "int32" else 41.0)
    spread = np.linspace(-9, 9, 20001) * 1.1
    x = tf.cast(tf.constant(np.concatenate([spread, ties])), dtype)
    for power, same in ((2, tf.square(x)), (1, x)):
        expected = same.numpy().tobytes()
        assert (x**power).numpy().tobytes() == expected
        traced = tf.function(lambda v, p=power: v**p)
        assert traced(x).numpy().tobytes() == expected
        open_power = tf.function(lambda v, p: v**p)
        exponent = tf.cast(tf.constant(power), dtype)
        assert open_power(x, exponent).numpy().tobytes() == expected


def test_rows_of_a_tensor_in_a_loop():
    import numpy as np

    import graphkiln as tf

    values = np.arange(24, dtype=np.int64).reshape(4, 3, 2)

    @tf.function
    def rows(x, first, step):
        out = tf.zeros_like(x)
        for i in tf.range(4):
            row = x[first + step * i]
            out = tf.tensor_scatter_nd_update(out, [[i]], [row])
        return out

    x = tf.constant(values)
    assert (rows(x, tf.constant(0), tf.constant(1)).numpy() == values).all()
    assert (rows(x, tf.constant(-1), tf.constant(-1)).numpy()
            == values[::-1]).all()
    with pytest.raises(tf.errors.InvalidArgumentError,
                       match="slice index 4 of dimension 0 out of bounds"):
        rows(x, tf.constant(1), tf.constant(1))
    with pytest.raises(tf.errors.InvalidArgumentError,
                       match="slice index -1 of dimension 0 out of bounds"):
        rows(x, tf.constant(-2), tf.constant(-1))
