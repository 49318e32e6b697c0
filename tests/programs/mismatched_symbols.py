"""Symbols whose values do not match: what a staged branch or loop says of them,
and of errors inside it."""

from __future__ import annotations

from lost_symbols import programs_of

# ruff: noqa: F821, F841


def _functions(tf):
    v, w, flag = tf.Variable(1), tf.Variable(2), True

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

    found = dict(locals())
    return {n: f for n, f in found.items() if callable(f) and n != "tf"}


globals().update(programs_of(_functions, __name__))
