"""tf.function: lifetimes, threads and copies."""

import copy
import gc
import pickle
import threading
import weakref

from child_program import check_child

import graphkiln as tf

X = tf.constant(1.0)


# Lifetime


def test_functions_and_captures_are_collected():
    class M:
        @tf.function
        def f(self, x):
            return x + self.w

    m = M()
    m.w = tf.constant([5.0])
    v = tf.Variable(1.0)
    g = tf.function(lambda x: x * v + m.w)
    assert m.f(X).numpy() == 6.0 and g(X).numpy() == 6.0
    alive = [weakref.ref(o) for o in (m, m.f, m.w, g, v)]
    alive.append(weakref.ref(g.get_concrete_function(X)))
    del m, g, v
    gc.collect()
    assert [ref() for ref in alive] == [None] * len(alive)


def test_what_traces_tell_is_collected_with_them():
    v = tf.constant(2.0)
    f = tf.function(lambda x: x * v, jit_compile=True)
    concrete = f.get_concrete_function(tf.TensorSpec([]))
    inner = concrete.inference_fn
    assert isinstance(inner, tf.types.experimental.AtomicFunction)
    assert inner.cached_definition is inner.cached_definition
    f.kept = f.experimental_get_compiler_ir(tf.TensorSpec([])), f.function_spec
    concrete.set_external_captures([lambda: v + 1.0])
    assert concrete(X).numpy() == 3.0
    alive = [weakref.ref(o) for o in (v, f, concrete)]
    del v, f, concrete, inner
    gc.collect()
    assert [ref() for ref in alive] == [None] * len(alive)


def test_functions_of_objects_go_with_them():
    class M:
        @tf.function
        def f(self, x):
            return x + 1.0

    made = [M() for _ in range(3)]
    assert [m.f(X).numpy() for m in made] == [2.0] * 3
    alive = [weakref.ref(m.f) for m in made]
    assert [ref() is m.f for ref, m in zip(alive, made)] == [True] * 3
    del made
    gc.collect()
    assert [ref() for ref in alive] == [None] * 3


def test_argument_object_is_held_weakly():
    class Config:
        pass

    f = tf.function(lambda c: X)
    config = Config()
    alive = weakref.ref(config)
    f(config)
    del config
    gc.collect()
    assert alive() is None
    f(Config())
    assert f.experimental_get_tracing_count() == 2


def test_memory_stays_flat():
    # In a process of its own: in a large heap Python touches other pages of it
    # without having more in use.
    check_child("""
        import gc
        import resource

        import graphkiln as tf

        X = tf.constant([1.0] * 64)

        def cycle(n):
            for i in range(n):
                w = tf.constant([float(i)] * 64)
                f = tf.function(lambda x: x * w + 1.0)
                f(X)
            gc.collect()

        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * resource.getpagesize()

        cycle(2000)
        before = resident()
        cycle(8000)
        assert resident() - before < 4 << 20
    """)


# Threads


def test_threads_share_one_trace_a_type():
    traced = []

    @tf.function
    def f(x):
        traced.append(x.shape.as_list())
        return tf.reduce_sum(x * 2.0)

    errors = []
    start = threading.Barrier(8)

    def work():
        try:
            start.wait()
            for n in list(range(1, 21)) * 5:
                if f(tf.ones([n])).numpy() != 2.0 * n:
                    raise AssertionError(n)
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert sorted(traced) == [[n] for n in range(1, 21)]
    assert f.experimental_get_tracing_count() == 20


def test_threads_take_gradients():
    @tf.custom_gradient
    def steep(x):
        return x * 2.0, lambda dy: dy * 7.0

    @tf.function
    def f(x):
        return steep(x) * x

    errors = []
    start = threading.Barrier(8)

    def work():
        try:
            start.wait()
            for n in list(range(1, 11)) * 2:
                x = tf.ones([n])
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = f(x)
                if tape.gradient(y, x).numpy().tolist() != [9.0] * n:
                    raise AssertionError(n)
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


# Copies


def module_level(x):
    return x + 1.0


module_function = tf.function(module_level, reduce_retracing=True)


def test_copies_have_their_own_traces():
    f = tf.function(module_level)
    f(X)
    for g in (copy.copy(f), copy.deepcopy(f)):
        assert g is not f
        assert g.experimental_get_tracing_count() == 0
        assert g(X).numpy() == 2.0
        assert g.python_function is module_level


def test_pickle():
    f = tf.function(
        module_level, input_signature=[tf.TensorSpec([None], tf.float32)]
    )
    g = pickle.loads(pickle.dumps(f))
    assert g.python_function is module_level
    assert g.input_signature == f.input_signature
    assert g([1, 2]).numpy().tolist() == [2.0, 3.0]
