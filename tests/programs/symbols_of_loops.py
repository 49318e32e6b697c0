"""Symbols of staged loops, of break and continue, and of datasets and iterators
looped over: what is said of those that have no value or another one."""

from __future__ import annotations

from lost_symbols import programs_of

# ruff: noqa: F821, F841


def _functions(tf):
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


globals().update(programs_of(_functions, __name__))
