"""Every construct of the language gives in a graph what it gives in Python.

Each function of the table is run eagerly, traced with the shapes known, and
traced with as little known as its arguments allow.
"""

from __future__ import annotations

import contextlib
import functools
import logging

import numpy as np
import pytest

import graphkiln as tf

I = functools.partial(tf.constant, dtype=tf.int32)
F = functools.partial(tf.constant, dtype=tf.float32)

TABLE: list = []


def program(*calls, shapes=True):
    """Adds a function and the arguments of its calls to the table. With
    `shapes` the static shapes of vectors do not matter to it."""

    def add(f):
        TABLE.extend((f, call, shapes) for call in calls)
        return f

    return add


# Loops.


@program((I(0),), (I(3),), (I(50),))
def while_with_break_and_continue(n):
    total = n * 0
    i = n * 0
    while i < n:
        i += 1
        if i % 2 == 0:
            continue
        if total > 30:
            break
        total += i
    return total, i


@program((I(5),), (I(30),))
def return_in_a_staged_while(n):
    i = tf.constant(0)
    while i < n:
        if i * i > 50:
            return i
        i += 1
    return -i


@program((I([1, 5, 20, 7]),), (I([1]),))
def return_in_a_staged_for(values):
    for value in values:
        if value > 10:
            return value
    return tf.constant(-1)


@program((I([1, 5, 20, 7]),), (I([1]),))
def return_of_structures_in_loops(values):
    for value in values:
        if value > 10:
            return {"found": value, "rest": (value * 2, 1)}
    return {"found": tf.constant(0), "rest": (tf.constant(-1), 0)}


@program((I([1, 5, 20, 7]),), (I([0, 2]),))
def return_from_nested_loops(values):
    for a in values:
        for b in values:
            if a * b == 35:
                return a, b
            if a * b > 90:
                break
    return tf.constant(0), tf.constant(0)


@program((I(7),), (I(1),))
def while_true_with_a_tensor_break(n):
    steps = 0
    while True:
        if n == 1:
            break
        n = tf.where(n % 2 == 0, n // 2, 3 * n + 1)
        steps += 1
    return steps, n


@program((I(3),))
def while_true_with_a_python_break(n):
    count = 0
    while True:
        count += 1
        n += count
        if count == 3:
            break
    return n


@program((I(9),))
def while_true_with_return(n):
    while True:
        n -= 2
        if n < 0:
            return n


@program((I([3, 4]),), (I([3, 8]),))
def for_else(values):
    for value in values:
        if value > 5:
            found = value
            break
    else:
        found = tf.constant(-1)
    return found


@program((I([3, 4]),), (I([3, 8]),))
def for_else_that_returns(values):
    for value in values:
        if value > 5:
            found = value + 1
            break
    else:
        return tf.constant(-1)
    return found * 2


@program((I(3),), (I(20),))
def while_else(n):
    i = tf.constant(0)
    while i < n:
        i += 1
        if i == 10:
            break
    else:
        i = -i
    return i


@program((I([4, 6]),), (I([4, 7]),))
def for_else_with_return_and_continue(values):
    for value in values:
        if value % 2 == 0:
            continue
        return value
    else:
        values = values + 1
    return tf.reduce_sum(values)


@program((I(4),), (I(0),))
def range_of_tensors(n):
    total = 0
    for i in range(n):
        total += i
    for i in range(1, n):
        total += i * 10
    for i in range(n, -n, -2):
        total += i * 100
    return total


@program((I([[1, 2], [3, 4]]),))
def unpacking_rows(pairs):
    total = 0
    for a, b in pairs:
        total += a * b
    for i, (a, b) in enumerate(pairs):
        total += i * (a - b)
    return total


@program((I([[1, 2, 3], [4, 5, 6]]),), shapes=False)
def starred_targets(rows):
    first, *rest = rows[0]
    total = first
    for r in rest:
        total = total * 10 + r
    for head, *tail in rows:
        total += head * len(tail)
    return total


@program((I([1, 2, 3]), I([4, 5, 6])))
def zip_and_enumerate(a, b):
    total = 0
    for i, (x, y) in enumerate(zip(a, b), start=1):
        total += i * x * y
    for x, y in zip(a, b, strict=True):
        total -= x * y
    return total


@program((I([1, 2, 3, 4]),))
def map_and_filter(a):
    total = 0
    for x in map(lambda v: v * 2, a):
        total += x
    for x in filter(lambda v: v % 2 == 0, a):
        total += 100 * x
    return total


@program((I([3, 1, 2]),), (I([5]),))
def reductions(a):
    return (
        sum(a), sum(a, 10), max(a), min(a), max(a[0], 2), min(a[0], 7, a[-1]),
        any(x > 2 for x in a), all(x > 0 for x in a), sorted(a)[0],
        sorted(a, reverse=True)[0], len(a),
        max(a, key=lambda v: -v), sorted(a, key=lambda v: -v)[0],
    )


@program((I([3, 1, 2]),), (I([5]),))
def lists_and_tuples(a):
    pairs = list(zip(a, a[::-1]))
    total = 0
    for x, y in pairs:
        total += x * y
    return sum(list(a)), len(tuple(a)), total, len(list(enumerate(a)))


@program((F(-2.5),), (F(7.0),))
def numbers(x):
    return abs(x), int(x), float(int(x)), bool(x), -x, round(float(3.7))


@program((I([2, 7, 1]),))
def comprehension_of_a_tensor(a):
    return sum([x * x for x in a]), [v + 1 for v in range(3)]


@program((I([2, 7, 1, 8]),), (I([]),), (I([9, 9]),))
def filtered_comprehension(a):
    doubled = [x * 2 for x in a if x % 2 == 0 if x > 1]
    return sum(doubled), len(doubled)


@program((I([2, 7, 1]), I([5, 6])))
def comprehension_of_two(a, b):
    products = [x * y for x in a for y in b]
    return sum(products), len(products)


@program((I([2, 7, 1]), I([5, 6])))
def filtered_comprehension_of_two(a, b):
    products = [x + y for x in a if x > 1 for y in b if y < x]
    return sum(products), len(products)


@program((I([2, 7, 1]),))
def nested_comprehension(a):
    rows = [[x * y for y in a] for x in a]
    return sum([sum(row) for row in rows])


@program((I([2, 7, 1]),))
def generator_expressions(a):
    largest = max(x * x for x in a)
    total = sum(x for x in a if x > 1)
    any_big = any(x > 6 for x in a)
    for y in (x + 1 for x in a):
        total += y
    return largest, total, any_big


@program((I([2, 7, 1]),))
def comprehension_of_pairs(a):
    pairs = [(i, x) for i, x in enumerate(a)]
    total = 0
    for i, x in pairs:
        total += i * x
    return total, len(pairs)


@program((I([2, 7, 1]),), shapes=False)
def sets_and_dicts_of_python_keys(a):
    squares = {i: x * x for i, x in enumerate(a) if i != 1}
    names = {f"k{i % 2}" for i, _ in enumerate(a)}
    total = 0
    for name, x in {n: x for n, x in zip(("a", "b", "c"), a)}.items():
        total += len(name) * x
    return squares[0], len(squares), len(names), total


@program((I(4),), (I(-3),))
def walrus(n):
    if (m := n * 2) > 4:
        m += 1
    while (k := m - 3) > 0:
        m = k
    return m, k


@program((I([1, 2, 3]),))
def walrus_in_a_comprehension(a):
    last = 0
    values = [last := x * 2 for x in a]
    return sum(values), last


@program((I(4),), (I(-4),))
def conditional_expressions(n):
    sign = 1 if n > 0 else -1
    size = "big" if 3 > 2 else "small"
    return sign * n, len(size), (n if n % 2 == 0 else n + 1)


@program((I(4),), (I(12),), (I(0),))
def logic(n):
    a = 0 < n < 10 and not n == 4
    b = n > 10 or n < 1
    c = not a and (b or n == 4)
    d = n in [4, 5] or n not in (0, 12)
    return a, b, c, d


@program((I(4),), (I(12),))
def next_with_default(n):
    it = iter([n, n + 1])
    a = next(it)
    b = next(it, -1)
    c = next(it, -5)
    return a + b * 10 + c * 100


@program((I(3),), (I(12),))
def asserts(n):
    assert n > 0, "n must be positive"
    assert n < 100
    return n


# Functions and names.


def _recursive(n, k):
    if k == 0:
        return n
    if n > 3:
        return _recursive(n - 1, k - 1)
    return _recursive(n + 2, k - 1)


@program((I(3),), (I(12),))
def recursion(n):
    return _recursive(n, 4)


@program((I(3),), (I(-12),))
def two_lambdas_on_a_line(n):
    f, g = (lambda x: x if x > 0 else -x), (lambda x: x * 2 if x > 0 else x)
    return f(n) + 100 * g(n)


@program((I([2, 7, 1]),), (I([9]),))
def comprehensions_in_lambdas(a):
    k = 1
    big = lambda values, least=k + 1: sum([v for v in values if v > least])  # noqa: E731
    return big(a), big(a, 3), (lambda: max(v * v for v in a))()


@program((I(3),), (I(-12),))
def lambdas_with_defaults(n):
    fs = [lambda x, k=k: x + k if x > k else x - k for k in range(3)]
    return [f(n) for f in fs]


class Base:
    scale = 2

    def __init__(self, start):
        self.start = start

    def step(self, x):
        if x > self.start:
            return x - self.start
        return x

    @property
    def doubled(self):
        return self.start * 2

    @classmethod
    def made(cls, start):
        return cls(start)

    @staticmethod
    def sign(x):
        return 1 if x > 0 else -1


class Derived(Base):
    def step(self, x):
        x = super().step(x)
        if x < 0:
            x = super(Derived, self).step(x + 1)
        return x * self.__secret(x)

    def __secret(self, x):
        return 3 if x > 2 else self.scale

    def __call__(self, x):
        while x < 10:
            x = x + self.doubled + 1
        return x


@program((I(3),), (I(-12),))
def methods_and_super(n):
    thing = Derived.made(2)
    return thing.step(n) + thing(n) * Base.sign(n)


@program((I(3),), (I(-12),))
def class_in_a_function(n):
    class Counter:
        total = 0
        step = 5 if 2 > 1 else 6

        def add(self, x):
            if x > 0:
                self.total = self.total + x * self.step
            else:
                self.total = self.total - 1

    counter = Counter()
    for _ in range(2):
        counter.add(n)
    return counter.total


def _plain(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs) + 1

    return wrapper


def _with_argument(k):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(x):
            return f(x) if x > k else f(-x)

        return wrapper

    return decorate


@_plain
@_with_argument(2)
def _decorated(x):
    while x < 20:
        x = x * 2 + 1
    return x


@program((I(3),), (I(-12),))
def decorators_and_wraps(n):
    @_plain
    def inner(x):
        return x if x > 0 else x * 3

    return _decorated(n) + inner(n)


@program((I(3),), (I(-12),))
def partials(n):
    def f(a, b, *, c=1):
        return a - b if a > b else c

    g = functools.partial(f, n)
    h = functools.partial(functools.partial(f, b=2), c=7)
    return g(1) + g(20, c=5) * 10 + h(n) * 100


@program((I(3),), (I(-12),))
def default_arguments(n):
    def f(a, b=n * 2, *rest, c=n + 1, **more):
        if a > b:
            return a + c + len(rest) + len(more)
        return b

    return f(n) + f(n, 1, 5, 6, c=2, d=3)


@program((I(3),), (I(-12),))
def nonlocal_names(n):
    count = 0
    total = n * 0

    def add(x):
        nonlocal count, total
        count += 1
        if x > 0:
            total += x
        return total

    for i in range(3):
        add(n + i)
    i = tf.constant(0)
    while i < 2:
        add(n)
        i += 1
    return total


_counter = 0


@program((I(3),), (I(-12),))
def global_names(n):
    global _counter
    _counter = n * 0
    if n > 0:
        _counter = _counter + 1
    for _ in tf.range(2):
        _counter = _counter + n
    result = _counter
    _counter = 0
    return result


@program((I(3),), (I(-12),))
def deleted_names(n):
    a = n + 1
    b = {"x": a, "y": n}
    c = [n, a, n]
    if n > 0:
        d = a
    else:
        d = -a
    del a
    del b["x"], c[0]
    a = d * 2
    return a + b["y"] + len(c)


@program((I(3),), (I(-12),))
def closures_called_later(n):
    fs = []
    for k in range(3):
        def f(x, k=k):
            if x > k:
                return x * k
            return x + k
        fs.append(f)
    return [f(n) for f in fs]


# Statements around staged ones.


@program((I(3),), (I(-12),))
def try_except_else_finally(n):
    log = []
    try:
        if n > 0:
            m = n + 1
        else:
            m = n - 1
        log.append("body")
    except ValueError:
        m = n
        log.append("handler")
    else:
        m = m * 2
        log.append("else")
    finally:
        log.append("finally")
    return m, len(log)


@program((I(3),), (I(-12),))
def try_raising(n):
    try:
        if n > 0:
            n += 1
        {}["missing"]
        n = n * 100
    except KeyError as error:
        n = n * len(error.args)
        for _ in tf.range(2):
            n += 1
    return n


@program((I(3),), (I(-12),))
def try_with_return(n):
    for k in range(3):
        try:
            if k == 1:
                return n + k
            if k == 0:
                continue
        finally:
            n = n + 10
    return n


@contextlib.contextmanager
def _logged(log, name):
    log.append(name)
    yield name
    log.append("/" + name)


@program((I(3),), (I(-12),))
def with_statements(n):
    log = []
    with _logged(log, "a") as a, _logged(log, "b"):
        if n > 0:
            n = n + len(a)
        else:
            n = n - 1
        while n < 10:
            n += 3
    with tf.name_scope("scope"), (_logged(log, "c")):
        n = n * 2
    return n, len(log)


@program((I(3),), (I(-12),))
def with_and_return(n):
    log = []
    with _logged(log, "a"):
        for i in tf.range(10):
            if i > n:
                return i
    return n


@program((I(3),), (I(-12),))
def match_statements(n):
    total = n * 0
    for case in (1, "two", [3, 4], {"k": 5}, None, (6, 7, 8)):
        match case:
            case 1:
                total += n
            case str() as word if len(word) > 2:
                if n > 0:
                    total += len(word)
                else:
                    total -= 1
            case [a, b]:
                total += a * b
            case {"k": k, **rest}:
                total += k + len(rest)
            case [a, *others]:
                for other in others:
                    total += other
            case _:
                total = total * 2
    return total


@program((I(3),), (I(-12),))
def match_with_break_and_return(n):
    for k in range(4):
        match k:
            case 0:
                continue
            case 1 | 2:
                if n > 0:
                    return n * k
            case _:
                break
    return n


@program((I(3),), (I(-12),))
def literals_and_slices(n):
    a = tf.stack([n, n + 1, n + 2, n + 3])
    text = f"{len([1, 2])}"
    items = [n, *[1, 2], {"k": n}["k"]]
    d = {**{"a": n}, "b": 1}
    return a[1:3], a[::-1][0], items[-1] + d["a"] + int(text), (*items,)[0]


@program((I(3),), (I(-12),))
def augmented_assignments(n):
    d = {"k": [n, n]}
    d["k"][1] += 5
    a = b = n
    a -= 1
    b **= 2
    b //= 2
    b %= 7
    x, (y, z) = n, (a, b)
    x, y = y, x
    return d["k"][1] + x * 2 + y * 3 + z


@program((I(3),), (I(-12),))
def annotations(n):
    m: tf.Tensor = n + 1
    k: int
    if n > 0:
        k = 3
    else:
        k = 4
    return m * k


@program((I(3),), (I(-12),))
def lists_of_fixed_length(n):
    items = [n, n * 2]
    for _ in tf.range(3):
        items[0] += 1
        if items[0] > 3:
            items[1] = items[0]
    items.append(n)
    return items[0] + items[1] + items.pop()


@program((I(3),), (I(12),))
def lists_that_grow_in_loops(n):
    items = []
    tf.autograph.experimental.set_element_type(items, tf.int32, shape=[])
    for i in tf.range(n):
        items.append(i * i)
    last = items.pop()
    return sum(items), last, len(items)


@program((I(3),), (I(12),))
def lists_that_grow_by_one_or_two(n):
    items = []
    tf.autograph.experimental.set_element_type(items, tf.int32)
    i = tf.constant(0)
    while i < n:
        items.append(i * 2)
        if i % 2 == 0:
            items.append(i)
        i += 1
    return sum(items), len(items), items[0]


@program((F([1.0, 2.0, 3.0]),), (F([4.0]),))
def comprehensions_are_stacked_and_joined(x):
    doubled = [v * 2.0 for v in x]
    pairs = [[v, v + 0.5] for v in x]
    return (
        tf.stack(doubled), tf.add_n(doubled), tf.stack(pairs, axis=1),
        tf.stack(doubled, axis=-1), tf.concat(pairs, 0),
        tf.concat([[[v, v]] for v in x], axis=1),
        tf.concat([[[v, v]] for v in x], axis=-2),
    )


@program(
    (F(2.5), F(1.0), F(3.2), F(0.5)), (F(3.0), F(3.0), F(1.0), F(-0.7)),
    (F(0.1), F(0.0), F(0.3), F(0.1)), (F(0.0), F(1.0), F(1.0), F(1.0)),
)
def ranges_of_fractions(end, a, b, step):
    count = 0
    for _ in tf.range(end):
        count += 1
    total = tf.constant(0.0)
    for x in tf.range(a, b, step):
        total = total * 10.0 + x
    return count, total


@program((I(3),), (I(12),))
def lists_of_parts_are_joined(n):
    parts = []
    tf.autograph.experimental.set_element_type(parts, tf.int32, shape=[None])
    for i in tf.range(n):
        parts.append(tf.range(i))
    return tf.concat(parts, 0)


@program((I(3),), (I(-12),))
def objects_and_dicts(n):
    state = {"count": 0, "sum": n * 0}
    for i in tf.range(4):
        state["count"] += 1
        if i > 1:
            state["sum"] += n
    return state


def _run(f, call):
    result = f(*call)
    return tf.nest.map_structure(
        lambda x: np.asarray(x.numpy() if hasattr(x, "numpy") else x), result
    )


def _unknown(argument):
    return tf.TensorSpec(
        [None, *argument.shape[1:]] if argument.shape.rank else [],
        argument.dtype,
    )


@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
@pytest.mark.parametrize(
    "f, call, shapes", TABLE,
    ids=[f"{f.__name__}-{i}" for i, (f, _, _) in enumerate(TABLE)],
)
def test_program(f, call, shapes, known, caplog):
    if not known and not shapes:
        pytest.skip("it needs to know the shapes")
    expected = _run(f, call)
    signature = None if known else [_unknown(a) for a in call]
    with caplog.at_level(logging.WARNING):
        got = _run(tf.function(f, signature), call)
    assert "could not transform" not in caplog.text
    tf.nest.assert_same_structure(expected, got)
    for e, g in zip(tf.nest.flatten(expected), tf.nest.flatten(got)):
        assert e.tolist() == g.tolist()


def test_gradient_through_lists_that_grow():
    def f(x):
        kept = [v * v for v in x if v > 0.0]
        more = []
        tf.autograph.experimental.set_element_type(more, tf.float32, [])
        for v in x:
            if v < 2.5:
                more.append(v * 3.0)
        return sum(kept) + sum(more)

    x = F([1.0, -2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(f, [tf.TensorSpec([None], tf.float32)])(x)
    assert float(y) == 7.0
    assert tape.gradient(y, x).numpy().tolist() == [5.0, 3.0, 6.0]


def test_lists_that_grow_come_out_stacked():
    @tf.function
    def f(n):
        pairs = [(i, tf.cast([i, i], tf.float32)) for i in tf.range(n)]
        del pairs[1:0]
        pairs.insert(0, (n, tf.zeros([2])))
        first = pairs.pop(0)
        pairs[0] = first
        pairs.extend([(n, tf.ones([2]))])
        return pairs[1:], pairs[-1], first

    numbers, vectors = f(tf.constant(3))[0]
    assert numbers.numpy().tolist() == [1, 2, 3]
    assert vectors.numpy().tolist() == [[1, 1], [2, 2], [1, 1]]
    last, first = f(tf.constant(3))[1:]
    assert int(last[0]) == int(first[0]) == 3


def test_elements_of_a_list_are_alike():
    def f(n, dtype, shape, *elements):
        found = []
        tf.autograph.experimental.set_element_type(found, dtype, shape)
        for _ in tf.range(n):
            for element in elements:
                found.append(element)
        return found[0]

    staged = tf.function(f)
    with pytest.raises(TypeError, match="element has dtype float32, but the "
                                        "list's others have dtype int32"):
        staged(tf.constant(3), tf.int32, [], 1.5)
    with pytest.raises(ValueError, match="shape \\(3,\\), but the list's "
                                         "others have shape \\(2,\\).*"
                                         "set_element_type"):
        staged(tf.constant(3), tf.float32, [2], tf.ones([3]))
    two = tf.ones([2]), tf.ones([3])
    assert staged(tf.constant(3), tf.float32, [None], *two).shape == (2,)


def test_lists_that_nobody_told_of_hold_what_a_body_leaks():
    @tf.function
    def f(n):
        found = []
        for i in tf.range(n):
            found.append(i)
        return found[0] + 1

    with pytest.raises(ValueError, match="out of scope"):
        f(tf.constant(3))


def test_lists_of_what_no_tensor_holds_are_filled_while_tracing():
    seen = []

    @tf.function
    def f(n):
        names = []
        for i in tf.range(n):
            names.append("body")
            if i > 1:
                names.append(object())
        seen.append(names)
        return n

    f(tf.constant(3))
    assert len(seen[0]) == 2 and seen[0][0] == "body"


def test_bodies_with_lists_are_traced_once():
    count = []

    @tf.function
    def f(n):
        found = [count.append(1) or i for i in tf.range(n)]
        return found

    assert f(tf.constant(3)).numpy().tolist() == [0, 1, 2]
    assert len(count) == 1


def test_comprehensions_stay_lazy_and_pythons_where_nothing_is_staged():
    import itertools

    @tf.function
    def f(x):
        first = next(n for n in itertools.count() if n * n > 10)
        names = [w for w in ("a", "bb") if len(w) > 1]
        pick = (lambda values: [v + 1 for v in values if v > 1])([1, 2])
        assert any(w == "bb" for w in names)
        assert type(names) is list and pick == [3]
        return x + first

    assert int(f(tf.constant(1))) == 5


def test_any_and_all_stop_where_pythons_values_decide():
    seen = []

    def tell(value):
        seen.append(value)
        return value

    @tf.function
    def f(x):
        found = any(tell(k) for k in (0, 3, 4)), all(tell(k) for k in (0, 1))
        return *found, any(k > x for k in [1, 2]), all(k > x for k in [5, x])

    assert [bool(v) for v in f(tf.constant(1))] == [True, False, True, False]
    assert seen == [0, 3, 0]


def test_async_functions_are_left_alone(caplog):
    async def later(x):
        return x

    @tf.function
    def f(x):
        coroutine = later(x)
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return stop.value + 1

    with caplog.at_level(logging.WARNING):
        assert int(f(tf.constant(1))) == 2
    assert "async functions are not supported" in caplog.text


def test_a_decorated_generator_is_refused():
    def f(x):
        yield x

    traced = tf.function(f)
    with pytest.raises(TypeError, match="is a generator function"):
        traced(1)
