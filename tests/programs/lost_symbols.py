"""Symbols without a value: what a staged branch or loop says of them.

Each function is traced with an int scalar. Ours may add lines to the texts
that say where the symbol is assigned and what to do. One long table of small
functions on purpose: they share their variables and are compared in one way.
"""

from __future__ import annotations

import re

import graphkiln
from outcomes import failure

# ruff: noqa: F821, F841

# Lines that only ours has.
_ADDED = re.compile(
    r"        (?:main branch|else branch|before the loop|in the loop).*, line"
    r"|    (?:Assign|Both branches must|A loop carries|A graph chooses|Start "
    r"with|Let both|Add one|For example|Give both|Note: the else|Note: '\w+' (?:is|must))"
)


def _said(function, tf, *args):
    """What a call gives, or the class and what is said about the symbol."""
    found = failure(tf.function(function), *args)
    if found[0] == "ok":
        return found
    text = found[1]
    if text.startswith("in user code"):
        text = re.split(r"\n    (?=\w+: )", text, maxsplit=1)[1]
    lines = [s for s in text.splitlines() if not _ADDED.match(s)]
    text = "\n".join(lines).strip()
    if "allowed to be None" in text:
        text = text.partition("\n")[0]
    # How a value of a wrong type is described is each module's own.
    return [found[0], re.sub(r"a TypeError: .*", "a TypeError", text)]


def programs_of(functions, module: str) -> dict:
    """Programs of the module that compare what is said of each function, by
    name; `functions` makes them."""

    def program_of(name):
        def program(tf):
            function = functions(tf)[name]
            return [_said(function, tf, tf.constant(n)) for n in (5, -5, 0)]

        program.__name__ = f"program_{name}"
        program.__module__ = module
        return program

    programs = map(program_of, functions(graphkiln))
    return {program.__name__: program for program in programs}


def _functions(tf):
    v, w, flag = tf.Variable(1), tf.Variable(2), True

    def if_then_only(x):
        if x > 0:
            y = x
        return y

    def if_else_only(x):
        if x > 0:
            pass
        else:
            y = x
        return y

    def if_used_inside_later(x):
        if x > 0:
            y = x
        if x > 1:
            z = y
        else:
            z = x
        return z

    def for_body_only(x):
        for i in tf.range(3):
            y = x
        return y

    def for_target_after(x):
        for i in tf.range(3):
            pass
        return i

    def while_body_only(x):
        i = 0
        while x > 0:
            y = x
            x = x - 1
        return y

    def while_cond_undefined(x):
        while y > 0:
            y = x
        return x

    def while_cond_undef2(x):
        while x > 0 and y > 0:
            y = x
            x -= 1
        return x

    def for_read_before(x):
        for i in tf.range(3):
            x = x + y
            y = x
        return x

    def while_read_before(x):
        while x > 0:
            x = x - y
            y = x
        return x

    def aug_undefined_if(x):
        if x > 0:
            y += 1
        return x

    def aug_undefined_loop(x):
        for i in tf.range(3):
            y += 1
        return x

    def plain_read(x):
        z = y + 1
        y = 2
        return z

    def del_then_read(x):
        y = x
        del y
        return y

    def del_in_branch(x):
        y = x
        if x > 0:
            del y
        return y

    def del_in_both(x):
        y = x
        if x > 0:
            del y
        else:
            del y
        return y

    def del_in_loop_redefine(x):
        y = x
        for i in tf.range(3):
            del y
            y = x + 1
        return y

    def del_before_if(x):
        y = x
        del y
        if x > 0:
            y = x
        return y

    def after_break(x):
        for i in tf.range(3):
            if x > 0:
                break
            y = x
        return y

    def after_break_in_loop(x):
        for i in tf.range(3):
            if x > 10:
                break
            y = x
            x = x + y
        return x

    def after_continue(x):
        for i in tf.range(3):
            if x > 10:
                continue
            y = x
            x = x + y
        return x

    def break_defines(x):
        for i in tf.range(3):
            if x > 0:
                y = x
                break
        return y

    def while_break_defines(x):
        while True:
            if x > 0:
                y = x
                break
            x += 1
        return y

    def nested_if(x):
        if x > 0:
            if x > 1:
                y = x
        return y

    def nested_if2(x):
        if x > 0:
            if x > 1:
                y = x
            z = y
        else:
            z = x
        return z

    def nested_loop(x):
        for i in tf.range(3):
            for j in tf.range(2):
                y = x
            x = x + y
        return x

    def py_if_in_loop(x):
        for i in tf.range(3):
            if flag:
                y = x
            x = x + y
        return x

    def py_if_in_loop_not(x):
        for i in tf.range(3):
            if not flag:
                y = x
            x = x + y
        return x

    def py_if_not(x):
        if not flag:
            y = x
        return y

    def py_for_target_empty(x):
        for i in []:
            pass
        return i

    def py_while_not(x):
        while not flag:
            y = x
        return y

    def nested_function_read(x):
        def g():
            return y
        if x > 0:
            y = x
        return g()

    def nested_function_read_before(x):
        def g():
            return y
        z = g()
        y = x
        return z

    def nested_own(x):
        def g():
            if x > 0:
                y = x
            return y
        return g()

    def lambda_read(x):
        if x > 0:
            y = x
        return (lambda: y + 1)()

    def try_in_branch(x):
        if x > 0:
            try:
                y = x
            finally:
                pass
        return y

    def with_in_branch(x):
        if x > 0:
            with tf.name_scope('a') as s:
                y = x
        return y

    def with_target(x):
        if x > 0:
            with tf.name_scope('a') as s:
                pass
        return s

    def call_arg(x):
        if x > 0:
            y = x
        return tf.identity(y)

    def attr(x):
        if x > 0:
            y = x
        return y.shape

    def subscript(x):
        if x > 0:
            y = x
        return y[0]

    def in_list(x):
        if x > 0:
            y = x
        return [y, x]

    def in_tuple(x):
        if x > 0:
            y = x
        return y, x

    def as_cond(x):
        if x > 0:
            y = x
        if y > 0:
            x = x + 1
        return x

    def as_py_cond(x):
        if x > 0:
            y = x
        return 1 if y else 0

    def python_number(x):
        if x > 0:
            y = 1
        return y

    def object_in_one(x):
        if x > 0:
            y = object()
        return x

    def composite_undefined(x):
        class A: pass
        a = A()
        if x > 0:
            a.b = x
        return a.b

    def composite_undef_loop(x):
        class A: pass
        a = A()
        for i in tf.range(3):
            a.b = x
        return a.b

    def dict_undefined(x):
        d = {}
        if x > 0:
            d['k'] = x
        return d['k']

    def dict_undefined_loop(x):
        d = {}
        for i in tf.range(3):
            d['k'] = x
        return d['k']

    def attr_of_undefined(x):
        if x > 0:
            a.b = x
        a = 1
        return x

    def subscript_of_undefined(x):
        if x > 0:
            a['b'] = x
        a = 1
        return x

    def subscript_undef_branch(x):
        if x > 0:
            z = a[0]
        else:
            z = x
            a = [x]
        return z

    def return_after_loop(x):
        for i in tf.range(3):
            if x > 0:
                y = x
                return y
        return y

    def elif_chain(x):
        if x > 2:
            y = x
        elif x > 1:
            pass
        else:
            y = x + 1
        return y

    def elif_chain_all_but_else(x):
        if x > 2:
            y = x
        elif x > 1:
            y = x + 1
        return y

    def dataset_loop_break_type(x):
        y = 1
        for i in tf.data.Dataset.range(3):
            if i > 1:
                y = 'a'
                break
        return y

    def dataset_loop_break_dtype(x):
        y = 1
        for i in tf.data.Dataset.range(3):
            if i > 1:
                y = 1.5
                break
        return y

    def dataset_loop_break_shape(x):
        y = tf.constant([1])
        for i in tf.data.Dataset.range(3):
            if i > 1:
                y = tf.constant([1, 2])
                break
        return y

    def dataset_loop_dtype(x):
        y = 1
        for i in tf.data.Dataset.range(3):
            y = 1.5
        return y

    def tensor_loop(x):
        for i in tf.stack([x, x]):
            y = i
        return y

    def cond_expr(x):
        z = y if x > 0 else x
        y = 1
        return z

    def cond_expr_ok(x):
        z = x if x > 0 else y
        y = 1
        return z

    def and_undef(x):
        z = x > 0 and y
        y = 1
        return z

    def listcomp(x):
        z = [y for _ in range(2)]
        y = 1
        return z

    found = dict(locals())
    return {n: f for n, f in found.items() if callable(f) and n != "tf"}


globals().update(programs_of(_functions, __name__))


def program_names_of_functions_around(tf):
    def written(x):
        def change():
            nonlocal m
            m = m + 1

        if x > 0:
            change()
        m = 1
        return m

    def read(x):
        def change():
            return m + 1

        if x > 0:
            found = change()
        else:
            found = x
        m = 1
        return found + m

    def doubly(x):
        def outer():
            def inner():
                nonlocal m
                m += 1
            inner()

        while x > 0:
            outer()
            x -= 1
        m = 1
        return m

    def own(x):
        if x > 100:
            y = x
        return y

    return [
        failure(tf.function(f), tf.constant(3))[0]
        for f in (written, read, doubly, own)
    ]
