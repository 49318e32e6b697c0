"""Functions, names and statements around staged ones give in a graph what they
give in Python."""

from __future__ import annotations

import contextlib
import functools

from language import F, I, Table, compare

import graphkiln as tf

program = Table()

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


@program((I(3),), (I(-12),), (I(0),))
def return_in_finally(n):
    try:
        return n - 2
    finally:
        if n > 0:
            return n * 5  # noqa: B012
        elif n < 0:
            return n * 7  # noqa: B012


@program((I(3),), (I(-12),))
def branch_in_finally_is_read_behind(n):
    m = n
    try:
        n += 1
    finally:
        if n > 0:
            m = n * 2
    return m


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


@program.parametrize
def test_program(f, call, shapes, known, caplog):
    compare(f, call, shapes, known, caplog)
