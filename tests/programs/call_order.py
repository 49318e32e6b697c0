"""Calls keep their place: what is read, written and shown inside a called
function happens before what comes after the call, and after what comes before
it."""

from __future__ import annotations

import numpy as np
from outcomes import better


def _thrice(f):
    return [f() for _ in range(3)]


def program_read_in_call_before_write(tf):
    c = tf.Variable(0)
    read = tf.function(lambda: c + 0)

    @tf.function
    def counter():
        n = read()
        c.assign_add(1)
        return n

    return _thrice(counter), c


def program_read_in_call_after_write(tf):
    c = tf.Variable(0)
    read = tf.function(lambda: c + 0)

    @tf.function
    def counter():
        c.assign_add(1)
        n = read()
        c.assign_add(10)
        return n, read()

    return _thrice(counter), c


def program_explicit_dependency(tf):
    c = tf.Variable(0)
    d = tf.Variable(5)
    read = tf.function(lambda: c + d)

    @tf.function
    def counter():
        n = read()
        with tf.control_dependencies([n]):
            c.assign_add(1)
        with tf.control_dependencies([c.assign_add(1)]):
            m = read()
        d.assign(m)
        return n, m

    return _thrice(counter), c, d


def program_known_branches(tf):
    c = tf.Variable(0)
    read = tf.function(lambda: c + 0)

    @tf.function
    def counter():
        n = tf.cond(tf.constant(True), lambda: c + 0, lambda: c - 1)
        c.assign_add(1)
        m = tf.switch_case(tf.constant(1), [lambda: c - 1, lambda: read()])
        c.assign_add(1)
        if tf.constant(3) > tf.constant(2):
            k = read()
        else:
            k = c - 1
        c.assign_add(1)
        return n, m, k

    return _thrice(counter), c


def program_unknown_branches(tf):
    c = tf.Variable(0)
    read = tf.function(lambda: c + 0)

    @tf.function
    def counter(x):
        n = read() if x > 1 else c * 2
        c.assign_add(1)
        m = tf.switch_case(x, [read, lambda: read() * 10])
        c.assign_add(1)
        return n, m

    return [counter(tf.constant(i)) for i in (0, 1, 2)], c


def program_gather_then_scatter(tf):
    v = tf.Variable([1.0, 2.0, 3.0])
    look = tf.function(lambda i: tf.gather(v, i))

    @tf.function
    def step(i):
        old = look(i)
        v.scatter_nd_add([[0], [2]], [10.0, 20.0])
        new = look(i)
        v.scatter_nd_update([[1]], [-1.0])
        return old, new

    return [step(tf.constant([0, 1, 2])) for _ in range(2)], v


def program_loops(tf):
    c = tf.Variable(0)
    read = tf.function(lambda: c + 0)

    @tf.function
    def loop(turns):
        seen = tf.constant(0)
        for _ in tf.range(turns):
            n = read()
            c.assign_add(1)
            seen = seen * 10 + n
        n = read()
        c.assign(100)
        return seen, n

    @tf.function
    def fixed():
        seen = tf.constant(0)
        for _ in tf.range(3):
            n = read()
            c.assign_add(1)
            seen = seen * 10 + n
        return seen

    results = loop(tf.constant(3)), c.numpy()
    c.assign(0)
    return results, fixed(), fixed(), loop(tf.constant(0)), c


def program_loop_without_turns_between(tf):
    c = tf.Variable(1)

    @tf.function
    def f():
        n = c + 0
        for _ in tf.range(tf.constant(0)):
            c.assign_add(100)
        c.assign_add(1)
        m = c + 0
        i = tf.constant(7)
        while i < 5:
            i += c.assign_add(1000)
        c.assign_add(i)
        return n, m, c.read_value()

    return f(), f()


def program_calls_that_write(tf):
    c = tf.Variable(0)
    d = tf.Variable(0)

    @tf.function
    def turn():
        n = c + 0
        d.assign(n * 2)
        c.assign_add(1)
        return n

    @tf.function
    def f():
        first = turn()
        c.assign_add(10)
        second = turn()
        d.assign_add(c)
        return first, second, c + 0, d + 0

    return f(), f(), c, d


# The original's prints of the caller and the called overtake one another.
@better(
    [[0, 1], [2, 3]],
    "first 0\nin 0\nbetween 1\nin 1\nlast 2\n"
    "first 2\nin 2\nbetween 3\nin 3\nlast 4\n",
)
def program_calls_that_print(tf):
    c = tf.Variable(0)

    @tf.function
    def show():
        n = c + 0
        tf.print("in", n)
        return n

    @tf.function
    def f():
        tf.print("first", c)
        n = show()
        c.assign_add(1)
        tf.print("between", c)
        m = show()
        c.assign_add(1)
        tf.print("last", c)
        return n, m

    return [[int(n) for n in f()] for _ in range(2)]


def program_nested_calls(tf):
    c = tf.Variable(1)
    d = tf.Variable(10)
    inner = tf.function(lambda: c + d)

    @tf.function
    def middle():
        n = inner()
        d.assign_add(1)
        return n, inner()

    @tf.function
    def outer():
        a, b = middle()
        c.assign_add(100)
        e, f = middle()
        c.assign(e)
        return a, b, e, f, inner()

    return outer(), outer(), c, d


def program_unused_results(tf):
    c = tf.Variable(1)
    d = tf.Variable(1)

    @tf.function
    def both():
        return c + 0, tf.constant(5)

    @tf.function
    def f():
        _, five = both()
        c.assign(five)
        both()
        c.assign_add(1)
        n, _ = both()
        d.assign(n)
        c.assign_add(1)
        return n

    return f(), f(), c, d


def program_constant_result_of_a_call_that_writes(tf):
    v = tf.Variable(1.0)

    @tf.function
    def write():
        v.assign_add(1.0)
        return 10.0

    @tf.function
    def read():
        return v + 0.0, tf.constant(3.0)

    @tf.function
    def f():
        v.assign(write())
        old, three = read()
        v.assign(three)
        return old, v + 0.0

    return f(), f(), v


def program_value_read_before_the_call_that_writes(tf):
    v = tf.Variable(1.0)

    @tf.function
    def write(x):
        v.assign_add(1.0)
        return x

    @tf.function
    def write_and_read(x):
        v.assign_add(1.0)
        return x, v + 0.0

    @tf.function
    def f():
        a = write(v.value())
        b, c = write_and_read(v.read_value())
        d = write(v)
        return a, b, c, d, v + 0.0

    return f(), f(), v


@better([[2, 4, 6], [6, 4, 10]])
def program_shape_read_before_a_write(tf):
    v = tf.Variable([1.0, 2.0], shape=tf.TensorShape(None))
    size = tf.function(lambda: tf.size(v))

    @tf.function
    def f():
        n = size()
        v.assign(tf.ones([4]))
        m = size()
        v.assign(tf.zeros([m + n]))
        return n, m, size()

    return [[int(n) for n in f()] for _ in range(2)]


def program_generators(tf):
    g = tf.random.Generator.from_seed(7)
    draw = tf.function(lambda: g.uniform([2], maxval=100, dtype=tf.int32))

    @tf.function
    def f():
        a = draw()
        g.skip(3)
        b = draw()
        state = g.state + 0
        c = draw()
        g.reset_from_seed(7)
        return a, b, state, c, draw()

    return f(), f()


@better([1, 12, -1, 23, 21, 32, -1, 43])
def program_py_functions(tf):
    seen = []
    c = tf.Variable(0)

    def note(x):
        seen.append(int(x))
        return x

    @tf.function
    def call(x):
        return tf.py_function(note, [x + c], tf.int32)

    @tf.function
    def f():
        a = call(1)
        c.assign_add(10)
        b = call(2)
        tf.py_function(note, [tf.constant(-1)], tf.int32)
        c.assign_add(10)
        call(3)
        return a, b

    f(), f()
    return seen


@better([112, 112])
def program_py_functions_write_variables(tf):
    c = tf.Variable(0)

    @tf.function
    def write():
        tf.py_function(lambda: c.assign_add(1) and None, [], [])

    @tf.function
    def f():
        write()
        with tf.control_dependencies([c.assign_add(10)]):
            write()
        return c.assign_add(100)

    return [int(f()), int(c)]


def program_iterators(tf):
    it = iter(tf.data.Dataset.range(20))
    take = tf.function(lambda: next(it))

    @tf.function
    def f():
        a = next(it)
        b = take()
        c = next(it) * 100
        d = take()
        take()
        return a, b, c, d, next(it)

    return f(), f()


@better([0, 11, 2, 33])
def program_datasets_that_read_variables(tf):
    v = tf.Variable(1, dtype=tf.int64)
    it = iter(tf.data.Dataset.range(20).map(lambda x: x * v))
    take = tf.function(lambda: next(it))

    @tf.function
    def f():
        a = take()
        v.assign_add(10)
        b = take()
        v.assign(1)
        return a, b

    return [int(x) for _ in range(2) for x in f()]


def program_tensor_arrays(tf):
    c = tf.Variable(1.0)

    @tf.function
    def advance():
        n = c + 0.0
        c.assign_add(1.0)
        return n

    def put(ta, i):
        return ta.write(i, advance())

    @tf.function
    def f():
        ta = tf.TensorArray(tf.float32, 4)
        ta = put(ta, 0)
        c.assign_add(10.0)
        ta = put(ta, 1)
        for i in tf.range(2, 4):
            ta = put(ta, i)
            c.assign(c * 2.0)
        return ta.stack()

    return f(), f(), c


def program_variables_as_arguments(tf):
    a = tf.Variable(1.0)
    b = tf.Variable(10.0)

    @tf.function
    def move(x, y):
        old = x + 0.0
        x.assign(y)
        return old

    @tf.function
    def f(x, y):
        one = move(x, y)
        y.assign_add(5.0)
        two = move(y, x)
        x.assign_add(one + two)
        return one, two, x + 0.0, y + 0.0

    return f(a, b), f(b, a), a, b


def program_one_variable_as_two_arguments(tf):
    v = tf.Variable(1.0)

    @tf.function
    def turn(x, y):
        n = y + 0.0
        x.assign_add(1.0)
        m = y + 0.0
        return n, m

    @tf.function
    def f(x):
        n, m = turn(x, v)
        v.assign_add(10.0)
        k, _ = turn(v, x)
        return n, m, k

    return turn(v, v), f(v), f(v), v


def program_large_variables(tf):
    v = tf.Variable(tf.ones([4096]))
    w = tf.Variable(tf.ones([4096]) * 2.0)
    read = tf.function(lambda: v * 2.0)

    @tf.function
    def update(x):
        v.assign_add(x)
        w.assign_sub(x)
        return v + w

    @tf.function
    def f():
        a = read()
        v.assign_add(a)
        b = read()
        c = update(b)
        w.assign(c)
        d = read()
        v.assign_sub(w)
        return [tf.reduce_max(x) for x in (a, b, c, d, read(), v + 0.0)]

    return f(), f(), tf.reduce_sum(v), tf.reduce_sum(w)


def program_many_variables(tf):
    variables = [tf.Variable(float(i)) for i in range(40)]

    @tf.function
    def total():
        return tf.add_n([v + 0.0 for v in variables])

    @tf.function
    def double():
        for v in variables:
            v.assign(v * 2.0)

    @tf.function
    def f():
        a = total()
        double()
        b = total()
        for v in variables:
            v.assign_add(1.0)
        double()
        return a, b, total()

    return f(), f(), variables[::13]


def program_gradients(tf):
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def model(x):
        return tf.reduce_sum(w * w * x)

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = model(x)
        g = tape.gradient(loss, w)
        w.assign_sub(0.1 * g)
        with tf.GradientTape() as tape:
            after = model(x)
            w.assign_add([1.0, 1.0])
        return loss, after, tape.gradient(after, w)

    x = tf.constant([1.0, 3.0])
    return step(x), step(x), w


def program_assertions_in_calls(tf):
    v = tf.Variable(1)

    @tf.function
    def check(x):
        tf.debugging.assert_less(x, 10)
        return x

    @tf.function
    def f(x):
        v.assign_add(1)
        y = check(x)
        v.assign_add(y)
        return v + 0

    def outcome(x):
        try:
            return f(tf.constant(x))
        except tf.errors.InvalidArgumentError:
            return "failed"

    return outcome(3), v.numpy(), outcome(30), v.numpy()


def program_signatures_and_concrete_functions(tf):
    c = tf.Variable(np.int32(2))
    read = tf.function(lambda x: c * x).get_concrete_function(
        tf.TensorSpec([], tf.int32)
    )

    @tf.function
    def f(x):
        a = read(x)
        c.assign_add(1)
        b = read(a)
        c.assign(b)
        return a, b

    return f(tf.constant(2)), f(tf.constant(3)), c
