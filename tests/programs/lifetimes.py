"""When tensors, variables, functions and their traces are freed: True where
the object has gone."""

from __future__ import annotations

import gc
import weakref


def _gone(make):
    refs = make()
    gc.collect()
    return [ref() is None for ref in refs]


def program_tensors_are_freed(tf):
    def make():
        x = tf.constant([1.0])
        y = x + 1
        return [weakref.ref(x), weakref.ref(y)]

    return _gone(make)


def program_variables_are_freed(tf):
    def make():
        v = tf.Variable(1.0)
        v.assign_add(1.0)
        return [weakref.ref(v)]

    return _gone(make)


def program_functions_are_freed(tf):
    def make():
        f = tf.function(lambda x: x + 1, autograph=False)
        cf = f.get_concrete_function(tf.constant(1))
        f(tf.constant(1)), f(tf.constant(1.0))
        return [weakref.ref(o) for o in (f, cf, cf.graph, f.python_function)]

    return _gone(make)


def program_concrete_functions_outlive_functions(tf):
    def make():
        f = tf.function(lambda x: x + 1, autograph=False)
        kept.append(f.get_concrete_function(tf.constant(1)))
        return [weakref.ref(f)]

    kept = []
    return _gone(make), kept[0](tf.constant(4))


def program_bound_methods_are_freed(tf):
    class Model:
        @tf.function
        def f(self, x):
            return x + 1

    def make():
        m = Model()
        m.f(tf.constant(1))
        cf = m.f.get_concrete_function(tf.constant(1))
        return [weakref.ref(o) for o in (m, m.f, cf)]

    return _gone(make)


def program_captures_are_freed_with_the_function(tf):
    def make():
        x, v = tf.constant([1.0]), tf.Variable(1.0)
        f = tf.function(lambda: x + v, autograph=False)
        f()
        return [weakref.ref(o) for o in (x, v, f)]

    return _gone(make)


def program_gradients_keep_nothing(tf):
    def make():
        v = tf.Variable(1.0)
        f = tf.function(lambda x: x * v, autograph=False)
        with tf.GradientTape() as tape:
            y = f(tf.constant(2.0))
        g = tape.gradient(y, v)
        return [weakref.ref(o) for o in (v, f, y, g)]

    return _gone(make)


def program_arguments_are_held_weakly(tf):
    class Thing:
        n = 2

    f = tf.function(lambda thing, x: x * thing.n, autograph=False)

    def make():
        thing = Thing()
        f(thing, tf.constant(3))
        return [weakref.ref(thing)]

    gone = _gone(make)
    f(Thing(), tf.constant(3))
    return gone, f.experimental_get_tracing_count()
