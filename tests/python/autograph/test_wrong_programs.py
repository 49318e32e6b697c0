"""Wrong programs, and what a user is told: the own lines, the symbol, what did
not agree, where, and the cure. Never generated code or the library's.
"""

from __future__ import annotations

import math
import os
import re

import pytest

import graphkiln as tf

TABLE: list = []


def wrong(*args, raises, says):
    """Adds a program to the table. `N` in `says` is any line's number."""

    def add(f):
        TABLE.append((f, args, raises, says))
        return f

    return add


@wrong(tf.constant(1), raises=TypeError, says=[
    "'y' has dtype int32 in the main branch, but dtype float32 in the else branch",
    'main branch, line N: y = 1',
    'else branch, line N: y = 2.0',
    'tf.cast',
    'if x > 0:',
])
def dtype_branches(x):
    if x > 0:
        y = 1
    else:
        y = 2.0
    return y


@wrong(tf.constant(1), raises=ValueError, says=[
    "'y' must also be initialized in the else branch",
    'main branch, line N: y = 1',
    "Assign 'y' in both branches",
])
def one_branch(x):
    if x > 0:
        y = 1
    return y


@wrong(tf.constant(1), raises=ValueError, says=[
    "'y' has shape (1,) before the loop, but shape (2,) after one iteration",
    'before the loop, line N: y = tf.ones([1])',
    'in the loop, line N: y = tf.concat([y, y], 0)',
    'set_loop_options(shape_invariants=[(y, [None])])',
    'for _ in tf.range(3):',
])
def shape_loop(x):
    y = tf.ones([1])
    for _ in tf.range(3):
        y = tf.concat([y, y], 0)
    return y


@wrong(tf.constant(1), raises=TypeError, says=[
    'total = total + tf.cast(i, tf.float32)',
    'does not match type int32',
])
def dtype_loop(x):
    total = 0
    for i in tf.range(3):
        total = total + tf.cast(i, tf.float32)
    return total


@wrong(tf.constant(1), raises=TypeError, says=[
    "'pair' does not have the same nested structure after one iteration",
    'before the loop, line N: pair = (x, x)',
    'in the loop, line N: pair = (x, x, x)',
    'tf.TensorArray',
])
def structure_loop(x):
    pair = (x, x)
    while x < 5:
        x += 1
        pair = (x, x, x)
    return pair


@wrong(tf.constant(1), raises=ValueError, says=[
    "'best' is None at the end of the iteration",
    'in the loop, line N: best = None',
    'before the loop, line N: best = x',
])
def none_loop(x):
    best = x
    while x < 5:
        x += 1
        best = None
    return best


@wrong(tf.constant(1), raises=ValueError, says=[
    'is out of scope and cannot be used here',
    'was defined here:',
    'return kept[-1] + 1',
    'set_element_type',
    'name=while_body',
])
def leak_from_loop(x):
    kept = []
    for i in tf.range(3):
        kept.append(i * 2)
    return kept[-1] + 1


@wrong(tf.constant(1), raises=ValueError, says=[
    'is out of scope',
    'was defined here:',
    'name=cond_true',
    'It is returned by',
    'through a local variable only',
])
def leak_from_branch(x):
    box = {}

    def put(v):
        box["v"] = v

    if x > 0:
        put(x * 2)
    return box["v"]


@wrong(tf.constant(1), raises=ValueError, says=[
    'condition of if statement expected to be `tf.bool` scalar',
    'use `tf.cast`',
    'if x:',
])
def condition_not_bool(x):
    if x:
        return 1
    return 2


@wrong(tf.constant([1,2]), raises=ValueError, says=[
    'condition of while loop expected to be `tf.bool` scalar',
    'tf.reduce_all and tf.reduce_any',
    'while x > 0:',
])
def condition_vector(x):
    while x > 0:
        x -= 1
    return x


@wrong(tf.constant(1), raises=NameError, says=[
    "name 'zz' is not defined",
    'return x + zz',
])
def undefined(x):
    return x + zz


@wrong(tf.constant(1), raises=UnboundLocalError, says=[
    "'q' is used before assignment",
    'return x + q',
])
def unbound(x):
    if False:
        q = 1
    return x + q


@wrong(tf.constant(1), raises=tf.errors.InvalidArgumentError, says=[
    'loop must iterate at least once to initialize z',
    'in loop_not_entered',
])
def loop_not_entered(x):
    for i in tf.range(0):
        z = i
    return z


@wrong(tf.constant(1), raises=ValueError, says=[
    'Shape must be rank 2 but is rank 0',
    'x = tf.matmul(x, x)',
])
def bad_op(x):
    for i in tf.range(3):
        x = tf.matmul(x, x)
    return x


@wrong(tf.constant([1.,2.]), raises=ValueError, says=[
    'Dimensions must be equal, but are 2 and 3',
    'y = x + y',
])
def bad_shapes(x):
    y = tf.ones([3])
    if tf.reduce_sum(x) > 0:
        y = x + y
    return y


def helper(a):
    return tf.matmul(a, a)


def middle(a):
    return helper(a)


@wrong(tf.constant([1.,2.]), raises=ValueError, says=[
    'return middle(x)',
    'return helper(a)',
    'return tf.matmul(a, a)',
])
def deep_error(x):
    return middle(x)


@wrong(tf.constant([1.,2.]), raises=ValueError, says=[
    'f = lambda v: tf.matmul(v, v)',
])
def lambda_error(x):
    f = lambda v: tf.matmul(v, v)  # noqa: E731
    return f(x)


class M:
    def go(self, x):
        if x[0] > 0:
            return self.inner(x)
        return x

    def inner(self, x):
        raise RuntimeError("user's own")


@wrong(tf.constant([1.,2.]), raises=RuntimeError, says=[
    'return M().go(x)',
    'return self.inner(x)',
    "user's own",
])
def method_error(x):
    return M().go(x)


@wrong(tf.constant(3), raises=ValueError, says=[
    'a scalar cannot be iterated over',
    'for i in x:',
])
def iterate_scalar(x):
    for i in x:
        pass
    return x


@wrong(tf.constant(3), raises=ValueError, says=[
    'cannot unpack 2 rows of',
    'into 3 targets',
])
def unpack_wrong(x):
    a, b, cc = tf.stack([x, x])
    return a


@wrong(tf.constant(3), raises=TypeError, says=[
    'must be real number',
    'has no value while the function is traced',
    'return math.sqrt(x)',
])
def to_float_of_tensor(x):
    return math.sqrt(x)


@wrong(tf.constant(3), raises=AttributeError, says=[
    "no attribute 'numpy'",
    'tf.print in place of .numpy()',
])
def numpy_of_tensor(x):
    return x.numpy()


@wrong(tf.constant(3), raises=TypeError, says=[
    "'SymbolicTensor' object does not support item assignment",
    'tf.tensor_scatter_nd_update',
    't[0] = 5',
])
def item_assign(x):
    t = tf.stack([x, x])
    t[0] = 5
    return t


@wrong(tf.constant(3), raises=TypeError, says=[
    'To be compatible with tf.function',
    "found 'o' of type object",
    'else branch, line N: o = object()',
    'keep the object outside',
])
def object_in_branch(x):
    if x > 0:
        o = object()
    else:
        o = object()
    y = o
    return y


@wrong(tf.constant(3), raises=ValueError, says=[
    'expected to be `tf.bool` scalar',
    'dtype=string',
])
def string_cond(x):
    if tf.constant("a"):
        return 1
    return 0


@wrong(tf.constant(3), raises=NotImplementedError, says=[
    'a return statement cannot be placed inside this TensorFlow loop',
    'the else branch must also have a return statement',
    'main branch, line N: return i',
    'return it at the end',
])
def missing_return(x):
    for i in tf.range(x):
        if i > 1:
            return i


@wrong(tf.constant(3), raises=TypeError, says=[
    "'retval_' must have the same nested structure in the main and else branches",
    'main branch, line N: return x, x',
    'else branch, line N: return x',
])
def return_structs(x):
    if x > 0:
        return x, x
    return x


@wrong(tf.constant(3), raises=TypeError, says=[
    "'retval_' has dtype float32 in the main branch, but dtype int32 in the else branch",
    'line N: return 0.5',
    'line N: return i',
])
def return_dtypes(x):
    for i in tf.range(x):
        if i > 1:
            return i
    return 0.5


@wrong(tf.constant(3), raises=ValueError, says=[
    'negative',
    'raise ValueError("negative")',
])
def raise_in_branch(x):
    if x > 0:
        raise ValueError("negative")
    return x


@wrong(tf.constant(3), raises=TypeError, says=[
    "'d' must have the same nested structure",
    'main branch, line N: d = {"b": x}',
    'else branch (from before), line N: d = {"a": x}',
])
def dict_change(x):
    d = {"a": x}
    if x > 0:
        d = {"b": x}
    return d


@wrong(tf.constant(3), raises=TypeError, says=[
    "'o.v' has dtype float32 in the main branch, but dtype int32",
    'main branch, line N: o.v = 1.5',
    '(from before), line N: o.v = x',
])
def attr_mismatch(x):
    class O:
        pass

    o = O()
    o.v = x
    if x > 0:
        o.v = 1.5
    return o.v


@wrong(tf.constant(3), raises=NotImplementedError, says=[
    'condition of while loop started as non-Tensor',
    "'n', line N: n = n + x",
    'tf.constant',
])
def while_python_then_tensor(x):
    n = 0
    while n < 10:
        n = n + x
    return n


@wrong(tf.constant(3), raises=ValueError, says=[
    'does not conform with the shape invariant (2,)',
])
def shape_invariant_bad(x):
    r = tf.ones([1])
    for _ in tf.range(3):
        tf.autograph.experimental.set_loop_options(
            shape_invariants=[(r, [2])]
        )
        r = r + 1
    return r


@wrong(tf.constant(3), raises=tf.errors.InvalidArgumentError, says=[
    'too small',
    'in assert_false',
])
def assert_false(x):
    assert x > 5, "too small"
    return x


@wrong(tf.constant(0), raises=tf.errors.InvalidArgumentError, says=[
    'in runtime_div',
    'by zero',
])
def runtime_div(x):
    y = x + 1
    z = y // x
    return z


@wrong(tf.constant([1,2,3]), raises=tf.errors.InvalidArgumentError, says=[
    'indices = 3 is not in [0, 3)',
    'in runtime_gather',
])
def runtime_gather(x):
    i = tf.constant(0)
    while i < 10:
        y = tf.gather(x, i)
        i += 1
    return y


@wrong(tf.constant(3), raises=TypeError, says=[
    'true_fn and false_fn arguments to tf.cond',
    'true_fn output',
    'return tf.cond(',
])
def cond_fn_wrong(x):
    return tf.cond(x > 0, lambda: x, lambda: 1.0)


@wrong(tf.constant(3), raises=ValueError, says=[
    'the same number of elements',
    'return tf.while_loop(',
])
def while_loop_wrong(x):
    return tf.while_loop(lambda i: i < 5, lambda i: (i, i), [x])


@wrong(tf.constant(3), raises=TypeError, says=[
    'operand 1 of `and`',
    'of dtype int32',
    'return x and x',
])
def int_and(x):
    return x and x


@wrong(tf.constant(3), raises=TypeError, says=[
    "'x > 0' has dtype int32 in the main branch, but dtype float32 in the else branch",
    'tf.cast',
])
def ternary(x):
    return 1 if x > 0 else 2.0


@wrong(tf.constant(3), raises=IndexError, says=[
    'list index out of range',
    'return items[3]',
])
def index_error(x):
    items = [x]
    return items[3]


@wrong(tf.constant(3), raises=KeyError, says=[
    "'b'",
    'return {"a": x}["b"]',
])
def key_error(x):
    return {"a": x}["b"]


@wrong(tf.constant(3), raises=TypeError, says=[
    "call_args.<locals>.f() missing 1 required positional argument: 'b'",
    'return f(x)',
])
def call_args(x):
    def f(a, b):
        return a

    return f(x)


@wrong(tf.constant(3), raises=AttributeError, says=[
    "no attribute 'nothing'",
    'return x.nothing',
])
def attribute_error(x):
    return x.nothing


@wrong(tf.constant(3), raises=UnboundLocalError, says=[
    "'y' is used before assignment",
])
def use_after_del(x):
    y = x
    del y
    return y


@wrong(tf.constant(3), raises=TypeError, says=[
    'has type string that does not match type int32',
    'return x + "a"',
])
def sum_of_strings(x):
    return x + "a"


@wrong(tf.constant(3), raises=RecursionError, says=[
    'return f(n + 1)',
    '[the line above ',
])
def recursion_forever(x):
    def f(n):
        return f(n + 1)

    return f(x)


@pytest.mark.parametrize(
    "f, args, raises, says", TABLE, ids=[f.__name__ for f, *_ in TABLE]
)
def test_what_is_said(f, args, raises, says):
    with pytest.raises(raises) as error:
        tf.function(f)(*args)
    text = str(error.value)
    numberless = re.sub(r", line \d+:", ", line N:", text)
    for part in says:
        assert part in numberless, text
    for hidden in ("ag__", "tf__", "if_body", "loop_body"):
        assert hidden not in text
    library = os.path.dirname(tf.__file__)
    for file in re.findall(r'File "([^"]*)", line', text):
        assert not file.startswith(library)


def test_there_are_forty():
    assert len(TABLE) >= 40
