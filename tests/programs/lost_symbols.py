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

    def type_error_in_branch(x):
        if x > 0:
            y = x + 'a'
        else:
            y = x
        return y

    def type_error_in_loop(x):
        for i in tf.range(3):
            x = x + 'a'
        return x

    def branch_types(x):
        if x > 0:
            y = 'a'
        else:
            y = 1
        return y

    def branch_none_both(x):
        if x > 0:
            y = None
        else:
            y = None
        return x

    def branch_func_def_unused(x):
        if x > 0:
            def y(): return 1
            z = y()
        else:
            z = 3
        return z

    def branch_import(x):
        if x > 0:
            import os
        return x

    def branch_shape(x):
        if x > 0:
            y = tf.TensorShape([1])
        else:
            y = tf.TensorShape([2])
        return y

    def branch_variable(x):
        if x > 0:
            y = v
        else:
            y = x
        return y + 1

    def branch_variables(x):
        if x > 0:
            y = v
        else:
            y = w
        return y + 1

    def branch_list_mixed(x):
        if x > 0:
            y = [1, 'a']
        else:
            y = [1, 2]
        return y

    def loop_none(x):
        y = None
        for i in tf.range(3):
            y = x
        return y

    def loop_obj_only(x):
        for i in tf.range(3):
            y = object()
        return x

    def loop_obj_after(x):
        for i in tf.range(3):
            y = object()
        return y

    def loop_class_def(x):
        for i in tf.range(3):
            class A: pass
        return x

    def while_obj(x):
        y = object()
        while x > 0:
            x = x - 1
            y = object()
        return x

    def while_str(x):
        while tf.constant('a'):
            x = x + 1
        return x

    def return_mixed_str(x):
        if x > 0:
            return x
        return 'a'

    def cond_none(x):
        if tf.no_op():
            y = x
        return x

    def swap_undefined(x):
        for i in tf.range(3):
            a, b = x, x
        return a, b

    def star_undefined(x):
        if x > 0:
            a, *b = x, x, x
        return b

    def while_true_undefined(x):
        while True:
            if x > 2:
                break
            x = x + y
            y = x
        return x

    def loop_var_shadow(x):
        for x in tf.range(3):
            y = x
        return x, y

    def loop_var_undefined_in_branch(x):
        if x > 0:
            for i in tf.range(3):
                pass
        return i

    def lost_py_branch_in_loop(x):
        for i in tf.range(3):
            if not flag:
                y = x
        return y

    def lost_py_branch_in_while(x):
        while x > 0:
            x -= 1
            if not flag:
                y = x
        return y

    def lost_py_branch_in_if(x):
        if x > 0:
            if not flag:
                y = x
        return y

    def lost_in_loop_then_if(x):
        for i in tf.range(3):
            if not flag:
                y = x
        if x > 0:
            y = 1
        else:
            y = 2
        return y

    def retval_name_order_z(x):
        for i in tf.range(3):
            if x > 10:
                return x
            x = x + z
            z = x
        return x

    def retval_name_order_a(x):
        for i in tf.range(3):
            if x > 10:
                return x
            x = x + a
            a = x
        return x

    def user_value_error(x):
        for i in tf.range(3):
            y = x
            if flag:
                raise ValueError('mine')
        return y

    def user_key_error(x):
        d = {}
        for i in tf.range(3):
            y = x
            z = d['q']
        return y

    def user_runtime_error(x):
        for i in tf.range(3):
            y = x
            if flag:
                raise RuntimeError('mine')
        return y

    def user_value_error_local(x):
        for i in tf.range(3):
            y = x
            if flag:
                raise ValueError('mine')
        return x

    def user_error_defined(x):
        y = x
        for i in tf.range(3):
            y = x + 1
            if flag:
                raise ValueError('mine')
        return y

    def user_error_none_before(x):
        y = None
        for i in tf.range(3):
            y = x + 1
            if flag:
                raise ValueError('mine')
        return y

    def type_error_undef(x):
        for i in tf.range(3):
            y = x + 'a'
        return y

    def name_error_undef(x):
        for i in tf.range(3):
            y = nothing_there
        return y

    def tf_error2(x):
        for i in tf.range(3):
            y = tf.raw_ops.AddV2(x=x, y=1.5)
        return y

    def op_not_allowed(x):
        for i in tf.range(3):
            y = int(x)
        return y

    def break_main_else_int(x):
        y = 1
        for i in tf.range(3):
            if x > 0:
                break
            y = 1.5
        return y

    def break_main_else_none(x):
        y = None
        for i in tf.range(3):
            if x > 0:
                break
            y = x
        return y

    def continue_main_else(x):
        y = 1
        for i in tf.range(3):
            if x > 0:
                continue
            y = 1.5
        return y

    def break_else_branch(x):
        y = 1
        for i in tf.range(3):
            if x > 0:
                y = 1.5
            else:
                break
        return y

    def break_else_rest(x):
        y = 1
        for i in tf.range(3):
            if x > 0:
                x = x + 1
            else:
                break
            y = 1.5
        return y

    def break_else_rest_undef(x):
        for i in tf.range(3):
            if x > 0:
                x = x + 1
            else:
                break
            y = 1.5
        return y

    def ds_break_int(x):
        y = 1
        for i in tf.data.Dataset.range(3):
            if x > 0:
                break
            y = 1.5
        return y

    def ds_break_none(x):
        y = None
        for i in tf.data.Dataset.range(3):
            if x > 0:
                break
            y = x
        return y

    def ds_break_str(x):
        y = 'a'
        for i in tf.data.Dataset.range(3):
            if x > 0:
                break
            y = 1
        return y

    def ds_break_first(x):
        y = 1
        for i in tf.data.Dataset.range(3):
            y = 1.5
            if x > 0:
                break
        return y

    def ds_break_shape(x):
        y = tf.constant([1])
        for i in tf.data.Dataset.range(3):
            y = tf.concat([y, [1]], 0)
            if x > 0:
                break
        return tf.size(y)

    def ds_break_to_none(x):
        y = 1
        for i in tf.data.Dataset.range(3):
            if i > 0:
                break
            y = None
        return y

    def ds_break_to_none_first(x):
        y = 1
        for i in tf.data.Dataset.range(3):
            y = None
            if i > 0:
                break
        return y

    def ds_to_none(x):
        y = 1
        for i in tf.data.Dataset.range(3):
            y = None
        return y

    def ds_continue(x):
        y = 1
        for i in tf.data.Dataset.range(3):
            if x > 0:
                continue
            y = 1.5
        return y

    def it_break_int(x):
        y = 1
        for i in iter(tf.data.Dataset.range(3)):
            if x > 0:
                break
            y = 1.5
        return y

    def it_int(x):
        y = 1
        for i in iter(tf.data.Dataset.range(3)):
            y = 1.5
        return y

    def it_none(x):
        y = None
        for i in iter(tf.data.Dataset.range(3)):
            y = x
        return y

    def cond_str(x):
        if tf.constant('a'):
            y = x
        else:
            y = 1
        return y

    def cond_float(x):
        if tf.constant(1.5):
            y = x
        else:
            y = 1
        return y

    def while_undef_cond(x):
        while y:
            y = x > 0
        return x

    def exp_types(x):
        return 1 if x > 0 else 'a'

    def exp_undef(x):
        z = 1 if x > 0 else y
        y = 2
        return z

    def undef_inside(x):
        if x > 0:
            z = x
        if x > 1:
            y = (x, z)
        else:
            y = (x, x)
        return y

    def none_inside(x):
        if x > 1:
            y = (x, None)
        else:
            y = (x, x)
        return y

    def branch_list_append(x):
        l = []
        if x > 0:
            l.append(x)
        return l[0]

    def branch_list_append_both(x):
        l = []
        if x > 0:
            l.append(x)
        else:
            l.append(x + 1)
        return l[0]

    def loop_shape(x):
        s = tf.TensorShape([2, 3])
        for i in tf.range(3):
            s = tf.TensorShape([4, 5])
        return s

    def shape_unchanged(x):
        s = tf.zeros([2, 3]).shape
        if x > 0:
            s = tf.zeros([2, 3]).shape
        return s

    def branch_shape_elem(x):
        s = tf.zeros([2, 3]).shape
        if x > 0:
            n = s[0]
        else:
            n = s[1]
        return n

    def loop_dtype_change(x):
        y = 0
        for i in tf.range(3):
            y = y + 0.5
        return y

    def except_in_loop(x):
        for i in tf.range(3):
            try:
                y = x + undefined_thing
            except NameError:
                y = x
        return y

    def with_in_loop(x):
        for i in tf.range(3):
            with tf.name_scope('a') as s:
                y = x
        return y

    def del_attr_branch(x):
        class A: pass
        a = A()
        a.b = x
        if x > 0:
            del a.b
        return a.b

    def del_item_branch(x):
        d = {'k': x}
        if x > 0:
            del d['k']
        return d['k']

    def tuple_target_one(x):
        if x > 0:
            a, b = x, x
        else:
            a = x
        return a, b

    def import_in_loop(x):
        for i in tf.range(3):
            import math
        return x

    def func_in_loop_after(x):
        for i in tf.range(3):
            def g(): return 1
        return g()

    def func_in_loop(x):
        for i in tf.range(3):
            def g(): return x
            x = g() + 1
        return x

    def while_py_to_tensor(x):
        i = 0
        while i < x:
            y = i
            i = i + 1
        return y

    def while_py_undefined(x):
        i = 0
        while i < 2:
            if x > 0:
                y = i
            i = i + 1
        return y

    def for_py_list(x):
        for i in [1, 2]:
            if x > 0:
                y = i
        return y

    def for_py_break(x):
        for i in [1, 2]:
            if x > 0:
                y = i
                break
        return y

    def for_py_break_z(x):
        for i in [1, 2]:
            if x > 0:
                break
            y = i
        return y

    def inner_fn_loop(x):
        def g(a):
            for i in tf.range(a):
                r = i
            return r
        return g(3)

    def inner_fn_branch(x):
        def g(a):
            if a > 0:
                r = a
            return r
        return g(x)

    def inner_read_before(x):
        def g(a):
            for i in tf.range(a):
                r = r + i
            return r
        return g(3)

    def lambda_if(x):
        g = lambda a: b if a > 0 else a
        z = g(x)
        b = 1
        return z

    found = dict(locals())
    return {n: f for n, f in found.items() if callable(f) and n != "tf"}


def _program(name):
    def program(tf):
        function = _functions(tf)[name]
        return [_said(function, tf, tf.constant(n)) for n in (5, -5, 0)]

    program.__name__ = f"program_{name}"
    program.__module__ = __name__
    return program


for _name in _functions(graphkiln):
    globals()[f"program_{_name}"] = _program(_name)


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
