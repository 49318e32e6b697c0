"""Statements on tensors: values, and that they are staged."""

from __future__ import annotations

import numpy as np
import pytest

import graphkiln as tf


def ops(f, *args) -> set[str]:
    graph = f.get_concrete_function(*args).graph.as_graph_def()
    found = {n.op for n in graph.node}
    for function in graph.library.function:
        found |= {n.op for n in function.node_def}
    return found


def value(result):
    return tf.nest.map_structure(lambda t: t.numpy().tolist(), result)


def check(f, *cases):
    """One trace serves all cases, each (arguments..., result)."""
    staged = tf.function(f)
    for *args, want in cases:
        got = value(staged(*(tf.constant(a) for a in args)))
        assert got == want, (args, got)
    assert staged.experimental_get_tracing_count() == 1
    return staged


def test_if_elif_else():
    def f(x):
        if x > 10:
            y = 1
        elif x > 5:
            y = 2
        else:
            y = 3
        return y

    staged = check(f, (11, 1), (6, 2), (0, 3))
    assert "StatelessIf" in ops(staged, tf.constant(1))


def test_return_in_branches_and_behind():
    def f(x):
        if x > 10:
            return x
        if x > 5:
            if x > 7:
                return x * 2
            x = x + 1
        return -x

    check(f, (11, 11), (8, 16), (6, -7), (1, -1))


def test_return_in_staged_loops():
    def f(n):
        for i in tf.range(n):
            for j in tf.range(i):
                if i * j > 5:
                    return i * 10 + j
        return -1

    check(f, (10, 32), (3, -1), (0, -1))


def test_return_in_while_true():
    def f(x):
        while True:
            x = x * 2
            if x > 50:
                return x

    check(f, (3, 96), (60, 120))


def test_while_true_with_break():
    def f(x):
        n = 0
        while True:
            if x > 100:
                break
            x *= 3
            n += 1
        return n, x

    staged = check(f, (1, (5, 243)), (200, (0, 200)))
    assert "StatelessWhile" in ops(staged, tf.constant(1))


def test_python_for_with_tensor_break_and_return():
    def f(x):
        total = 0
        for i in [1, 2, 3, 4]:
            if x == i:
                break
            if x > 10:
                return -i
            total += i
        return total

    staged = check(f, (3, 3), (9, 10), (11, -1), (1, 0))
    assert "StatelessWhile" not in ops(staged, tf.constant(1))


def test_loop_else():
    def f(x):
        for i in tf.range(5):
            if i == x:
                break
        else:
            x = x * 100
        n = 0
        while n < x:
            n += 1
            if n == 3:
                break
        else:
            n = -n
        return x, n

    check(f, (2, (2, -2)), (7, (700, 3)), (4, (4, 3)))


def test_continue_and_nested_break():
    def f(n):
        total = 0
        for i in tf.range(n):
            if i % 2 == 0:
                continue
            j = 0
            while j < i:
                j += 1
                if j == 3:
                    break
                total += j
            total += 100
        return total

    check(f, (6, 307), (0, 0))


def test_for_over_rows_and_unpacking():
    def f(xs):
        total = 0
        for a, b in xs:
            total += a * b
        return total

    check(f, ([[1, 2], [3, 4]], 14))


def test_nested_and_starred_unpacking():
    def f(x):
        (a, b), c = tf.stack([x, x + 1]), x
        first, *rest = tf.range(3)
        total = 0
        for i, (p, q) in zip([1, 2], [tf.stack([x, x]), tf.stack([c, c])]):
            total += i * (p + q)
        return a, b, c, first, rest, total

    check(f, (1, (1, 2, 1, 0, [1, 2], 6)))


def test_for_over_unknown_length():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(xs):
        total = 0.0
        for x in xs:
            if x > 0.0:
                total += x
        return total

    assert float(f(tf.constant([1.0, -2.0, 3.0]))) == 4.0
    assert float(f(tf.constant([], tf.float32))) == 0.0


@pytest.mark.parametrize(
    "args", [(5,), (2, 9), (2, 9, 3), (9, 2, -2), (3, 3), (5, 1)]
)
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_ranges(args, dtype):
    @tf.function
    def f(*args):
        last, total, n = tf.constant(-99, dtype), tf.constant(0, dtype), 0
        for i in tf.range(*args):
            total = total * 3 + i
            last = i
            n += 1
        return last, total, n

    wanted = [-99, 0, 0]
    for i in range(*args):
        wanted = [i, wanted[1] * 3 + i, wanted[2] + 1]
    assert list(value(f(*(tf.constant(a, dtype) for a in args)))) == wanted


def test_float_range():
    @tf.function
    def f(step):
        n, x = 0, 0.0
        for x in tf.range(0.0, 1.0, step):
            n += 1
        return n, x

    n, x = f(tf.constant(0.25))
    assert int(n) == 4 and float(x) == 0.75


def test_iterate_behind_the_loop():
    def f(n):
        for i in tf.range(n):
            pass
        return i

    check(f, (3, 2), (0, 0))


def test_state_in_items_and_attributes():
    class Box:
        pass

    def f(x):
        box, d, numbers = Box(), {"k": 0}, [0, 1]
        box.v = x
        while box.v < 10:
            box.v += 3
            d["k"] += 1
            numbers[0] += box.v
        if x > 3:
            d["new"] = x
        else:
            d["new"] = -x
        return box.v, d, numbers

    check(f, (1, (10, {"k": 3, "new": -1}, [21, 1])))


def test_nonlocal_global_and_closures():
    def f(x):
        count = 0

        def bump(by=2):
            nonlocal count
            if x > 0:
                count = count + by
            return count

        bump()
        while count < 9:
            bump(3)
        return count

    staged = tf.function(f)
    assert int(staged(tf.constant(1))) == 11


def test_walrus():
    def f(x):
        n = 0
        while (y := x * n) < 10:
            n += 1
        if (z := y + 1) > 5 and (w := z * 2) > 3:
            n += z
        return n, y, z

    check(f, (3, (17, 12, 13)))


def test_try_with_match_del():
    def f(x):
        try:
            if x > 0:
                y = 1
            else:
                y = 2
        finally:
            z = 3
        with tf.name_scope("scope"):
            if x > 3:
                return y
        match z:
            case 3:
                z = y + 10
        w = z
        del w
        return z

    check(f, (4, 1), (1, 11), (-1, 12))


def test_undefined_and_deleted():
    @tf.function
    def f(x):
        y = x
        del y
        return y

    with pytest.raises(UnboundLocalError, match="'y' is used before assign"):
        f(tf.constant(1))


def test_logic_and_comparisons():
    def f(x):
        a = x > 0 and x < 10 or x == 20
        b = 0 < x < 10
        c = not a
        d = x in [1, 20]
        e = x not in (1, 2)
        g = 0 < abs(x) < max(x, 5)
        return a, b, c, d, e, g

    check(
        f, (1, (True, True, False, True, False, True)),
        (20, (True, False, False, True, True, False)),
        (-3, (False, False, True, False, True, True)),
    )


def test_lazy_logic():
    def f(x, i):
        if i < 3 and x[i] > 1:
            return x[i]
        return -1

    check(f, ([1, 2, 3], 7, -1), ([1, 2, 3], 2, 3), ([1, 2, 3], 0, -1))


def test_assert_is_staged():
    @tf.function
    def f(x):
        assert x > 0, "must be positive"
        return x

    assert int(f(tf.constant(1))) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive"):
        f(tf.constant(-1))


def test_loop_options():
    @tf.function
    def f(x):
        for i in tf.range(4):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))],
                maximum_iterations=2,
            )
            x = tf.concat([x, x], 0)
        return x

    assert f(tf.constant([1])).shape == (4,)


def test_gradient_through_loops():
    @tf.function
    def f(x):
        y = x
        while y < 50.0:
            if y > 3.0:
                y = y * x
            else:
                y = y * y
        return y

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    # y = x * x, then times x until 64.
    assert float(y) == 64.0
    assert float(tape.gradient(y, x)) == 6 * 2.0**5


def test_variables_in_loops():
    v = tf.Variable(1.0)

    @tf.function
    def f(n):
        for i in tf.range(n):
            if v < 5.0:
                v.assign(v * 2.0)
            else:
                v.assign_add(1.0)
        return v

    assert float(f(tf.constant(4))) == 9.0
    assert float(v) == 9.0


def test_python_values_stay_python():
    seen = []

    def f(x, flag):
        if flag:
            x = x + 1
        for i in range(3):
            seen.append(i)
            x = x + i
        return x

    staged = tf.function(f)
    assert int(staged(tf.constant(1), True)) == 5
    assert seen == [0, 1, 2]
    assert "StatelessIf" not in ops(staged, tf.constant(1), True)


def test_plain_numpy_stays():
    @tf.function
    def f(x):
        total = np.float32(0)
        for row in np.eye(3, dtype=np.float32):
            total += row.sum()
        return x + total

    assert float(f(tf.constant(1.0))) == 4.0


def test_objects_with_an_attribute_of_lists_are_objects():
    class Door:
        is_open = True

    @tf.function
    def f(x):
        door = Door()
        while x < 3:
            x = x + 1
            door = door
        return x

    assert int(f(tf.constant(0))) == 3


def test_bodies_do_not_know_the_shape_that_an_invariant_lets_vary():
    shapes = []

    def body(i, s):
        shapes.append(s.shape)
        return i + 1, tf.SparseTensor(s.indices, s.values, s.dense_shape * 2)

    @tf.function
    def f(n):
        s = tf.SparseTensor([[0]], [1], [3])
        return tf.while_loop(
            lambda i, s: i < n, body, (0, s),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
        )[1]

    assert f(tf.constant(2)).dense_shape.numpy().tolist() == [12]
    assert [s.is_fully_defined() for s in shapes] == [False]


def test_invariants_of_values_that_nest():
    @tf.function
    def f(n):
        d = {"a": tf.ragged.constant([[1, 2], [3]]), "b": [n]}
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[
                    (d, {"a": tf.TensorShape([None, None]), "b": [tf.TensorShape([])]})
                ]
            )
            d = {"a": tf.concat([d["a"], d["a"]], 0), "b": [d["b"][0] + 1]}
        return d

    got = f(tf.constant(2))
    assert got["a"].nrows() == 8
    assert int(got["b"][0]) == 4


def test_sparse_and_ragged_loops():
    @tf.function
    def grow(s):
        for _ in tf.range(3):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(s, tf.TensorShape([None]))]
            )
            s = tf.SparseTensor(
                tf.concat([s.indices, s.indices + 1], 0),
                tf.concat([s.values, s.values], 0),
                s.dense_shape * 2,
            )
        return s

    got = grow(tf.SparseTensor([[0]], [1], [3]))
    assert got.dense_shape.numpy().tolist() == [24]
    assert got.values.shape == (8,)

    @tf.function
    def total(rows):
        result = 0
        for row in rows:
            result = result * 10 + tf.reduce_sum(row)
        return result

    assert int(total(tf.ragged.constant([[1, 2], [3], []]))) == 330


def test_late_symbols_of_unknown_shape():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def f(x):
        for i in tf.range(3):
            y = x + i
        return y

    assert f(tf.constant([1, 2])).numpy().tolist() == [3, 4]

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def g(x):
        for i in tf.range(3):
            if i == x[0]:
                return x
        return x * 0

    assert g(tf.constant([1, 2])).numpy().tolist() == [1, 2]
    assert g(tf.constant([7])).numpy().tolist() == [0]


def test_tensor_arrays_in_branches_and_loops():
    @tf.function
    def f(n):
        written = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            if i % 2 == 0:
                written = written.write(written.size(), i)
            else:
                written = written.write(written.size(), i * 10)
            if i > 5:
                break
        return written.stack()

    assert f(tf.constant(10)).numpy().tolist() == [0, 10, 2, 30, 4, 50, 6]
