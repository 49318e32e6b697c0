"""tf.data: loops over datasets in functions."""

from __future__ import annotations

import numpy as np
from outcomes import better, failure, phrase


def _function(tf, body, *arguments):
    return tf.function(body)(*arguments)


def _ops(tf, f, *args) -> list:
    nodes = f.get_concrete_function(*args).graph.as_graph_def().node
    return [n.op for n in nodes if n.op != "Const"]


# --- Loops in functions.


def program_loop(tf):
    @tf.function
    def train(d):
        loss = tf.constant(0)
        for x, y in d:
            loss += tf.abs(y - x)
        return loss

    d = tf.data.Dataset.from_tensor_slices(([1, 2, 3], [4, 0, 3]))
    return [train(d), _ops(tf, train, d)]


def program_loop_with_break_and_continue(tf):
    @tf.function
    def f(d):
        s, n = tf.constant(0, tf.int64), 0
        for x in d:
            if x % 2 == 1:
                continue
            if x > 6:
                break
            s += x
            n += 1
        return s, n

    d = tf.data.Dataset.range(100)
    return [f(d), f(d.take(3)), f(d.take(0)), _ops(tf, f, d)]


@better([3, -1])
def program_loop_with_return(tf):
    @tf.function
    def find(d, wanted):
        for i, x in enumerate(d):
            if x == wanted:
                return i
        return tf.constant(-1, tf.int64)

    d = tf.data.Dataset.range(5, 10)
    return [int(find(d, np.int64(8))), int(find(d, np.int64(80)))]


def program_loop_with_effects(tf):
    v = tf.Variable(0)

    @tf.function
    def f(d):
        v.assign(100)
        tf.print("before")
        for x in d:
            v.assign_add(x)
            tf.print("x =", x, "v =", v)
        v.assign_add(v)
        tf.print("after", v)
        return v.read_value()

    d = tf.data.Dataset.from_tensor_slices([1, 2, 3])
    return [f(d), v.numpy(), f(d.take(1))]


def program_effects_of_the_dataset(tf):
    v = tf.Variable(0)

    @tf.function
    def f():
        v.assign(10)
        d = tf.data.Dataset.range(3).map(lambda x: v.assign_add(1))
        v.assign(20)
        total = tf.constant(0)
        for x in d:
            total += x
        return total, v.read_value()

    return [f(), f()]


def program_nested_loops(tf):
    @tf.function
    def f(d, n):
        s = tf.constant(0, tf.int64)
        for x in d:
            for y in d:
                if y > x:
                    break
                for i in tf.range(n):
                    s += x * y + tf.cast(i, tf.int64)
        while s > 100:
            for x in d.take(2):
                s -= 50 + x
        return s

    return f(tf.data.Dataset.range(5), 2)


def program_loop_state_structures(tf):
    @tf.function
    def f(d):
        state = {"a": tf.constant(0, tf.int64), "b": (tf.constant(1.0), 2)}
        for x in d:
            state["a"] += x
            state = {"a": state["a"], "b": (state["b"][0] * 2, state["b"][1] + 1)}
        return state

    return f(tf.data.Dataset.range(3))


def program_loop_shapes_may_change(tf):
    @tf.function
    def f(d):
        seen = tf.zeros([0], tf.int64)
        for x in d:
            seen = tf.concat([seen, [x]], 0)
        return seen

    return f(tf.data.Dataset.range(4))


def program_loop_tensor_array(tf):
    @tf.function
    def f(d):
        ta = tf.TensorArray(tf.int64, 0, dynamic_size=True)
        i = 0
        for x in d:
            ta = ta.write(i, x * x)
            i += 1
        return ta.stack()

    return f(tf.data.Dataset.range(4))


@better([6, "InvalidArgumentError"])
def program_loop_defines_a_symbol(tf):
    @tf.function
    def f(d):
        for x in d:
            y = x * 2
        return y

    return [
        int(f(tf.data.Dataset.range(4))),
        failure(f, tf.data.Dataset.range(0))[0],
    ]


@better(3)
def program_iterate_behind_the_loop(tf):
    @tf.function
    def f(d):
        for x in d:
            pass
        return x

    return int(f(tf.data.Dataset.range(4)))


@phrase("'s' has dtype int32 before the loop, but dtype int64 after one iteration")
def program_loop_changes_a_dtype(tf):
    @tf.function
    def f(d):
        s = 0
        for x in d:
            s = x
        return s

    return f(tf.data.Dataset.range(4))


def program_builtins_of_datasets(tf):
    @tf.function
    def f(d):
        s = tf.constant(0, tf.int64)
        for i, x in enumerate(d):
            s += i * x
        for i, x in enumerate(d, 5):
            s += i
        for a, b in zip(d, d.skip(1)):
            s += a * b
        for a in map(lambda x: x + 1, d):
            s += a
        for a in filter(lambda x: x > 2, d):
            s += a
        return s, len(d)

    @tf.function
    def g(d):
        big = d.map(lambda x: x > 3)
        return any(big), all(big), any(big.take(1)), all(big.skip(4))

    d = tf.data.Dataset.range(5)
    return [f(d), g(d)]


@phrase("len requires dataset with definitive cardinality, got")
def program_len_of_unknown(tf):
    return _function(tf, lambda d: len(d), tf.data.Dataset.range(3).filter(lambda x: x > 0))


def program_datasets_and_iterators_as_state(tf):
    D = tf.data.Dataset

    @tf.function
    def skipped(d, n):
        i = 0
        while i < n:
            d = d.skip(1)
            i += 1
        return d.reduce(np.int64(0), lambda a, x: a + x)

    @tf.function
    def chosen(it, flag):
        if flag:
            x = next(it)
        else:
            x = next(it) + 100
        return x

    @tf.function
    def drained(it):
        element = it.get_next_as_optional()
        s = tf.constant(0, tf.int64)
        while element.has_value():
            s += element.get_value()
            element = it.get_next_as_optional()
        return s

    @tf.function
    def three(d):
        it = iter(d)
        s = tf.constant(0, tf.int64)
        for _ in tf.range(3):
            s = s * 10 + next(it)
        return s

    @tf.function
    def inner(d):
        s = tf.constant(0, tf.int64)
        for x in d.map(lambda x: x + 1):
            for y in d.filter(lambda y: y < x):
                s += x * y
        return s

    r = D.range(5)
    it = iter(r)
    return [
        skipped(r, tf.constant(2)), chosen(it, tf.constant(True)),
        chosen(it, tf.constant(False)), drained(iter(r)), drained(it),
        three(r), three(r), inner(r),
    ]


def program_dataset_signature(tf):
    spec = tf.data.DatasetSpec(tf.TensorSpec([None], tf.int64))

    @tf.function(input_signature=[spec])
    def f(d):
        s = tf.constant(0, tf.int64)
        for x in d:
            s += tf.reduce_sum(x)
        return s

    D = tf.data.Dataset
    return [
        f(D.range(5).batch(2)), f(D.from_tensors(np.array([1, 2]))),
        failure(f, D.range(3))[0],
        failure(tf.function(lambda d: len(d), autograph=False), D.range(2)),
    ]


def program_training_loop(tf):
    x = np.linspace(-1, 1, 16).astype(np.float32)
    d = tf.data.Dataset.from_tensor_slices((x, 3 * x + 1)).batch(4).repeat(5)
    w, b = tf.Variable(0.0), tf.Variable(0.0)

    @tf.function
    def train(d):
        loss = tf.constant(0.0)
        for x, y in d:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((w * x + b - y) ** 2)
            dw, db = tape.gradient(loss, [w, b])
            w.assign_sub(0.5 * dw)
            b.assign_sub(0.5 * db)
        return loss

    loss = train(d)
    return [np.round(v, 5) for v in (loss.numpy(), w.numpy(), b.numpy())]


def program_loop_over_python_iteration(tf):
    d = tf.data.Dataset.range(3).map(lambda x: x * x)
    return [[int(x) for x in d], [int(x) for _, x in zip(range(2), d)]]


def program_loop_in_graph_of_batches(tf):
    d = tf.data.Dataset.range(10).map(lambda x: x * x).batch(4).prefetch(2)

    @tf.function
    def f(d):
        n, s = tf.constant(0, tf.int64), tf.constant(0, tf.int64)
        for b in d:
            n += tf.size(b, tf.int64)
            s += tf.reduce_sum(b)
        return n, s

    return [f(d), f(d)]
