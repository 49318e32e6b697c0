"""Loops, operators and built-in functions of the language give in a graph what they
give in Python."""

from __future__ import annotations

from language import F, I, Table, compare

import graphkiln as tf

program = Table()

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


@program.parametrize
def test_program(f, call, shapes, known, caplog):
    compare(f, call, shapes, known, caplog)
