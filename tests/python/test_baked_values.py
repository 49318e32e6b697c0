"""Python values that traces froze."""

import dataclasses
import enum
import logging
import types

import numpy as np
import pytest

import graphkiln as tf

RATE = 0.5
TABLE = [1, 2]
ARRAY = np.arange(3)
CONFIG = types.SimpleNamespace(model=types.SimpleNamespace(width=4))
FRACTION = types.ModuleType("user_settings")
FRACTION.value = 0.25


def baked(f, *args):
    """{name: value} of the trace for `args`."""
    values = f.get_concrete_function(*args).baked_values()
    return {b.name: b.value for b in values}


def test_globals_and_attributes():
    @tf.function
    def f(x):
        return x * RATE + TABLE[0] + CONFIG.model.width + FRACTION.value

    assert baked(f, 1.0) == {
        "RATE": 0.5, "TABLE": [1, 2], "CONFIG.model.width": 4,
        "FRACTION.value": 0.25,
    }


def test_where_it_was_read():
    @tf.function
    def f(x):
        return x * RATE

    [value] = f.get_concrete_function(1.0).baked_values()
    assert (value.kind, value.file, value.function) == ("global", __file__, "f")
    assert value.line == test_where_it_was_read.__code__.co_firstlineno + 3
    assert repr(value).startswith("BakedValue(RATE = 0.5, global, File ")


def test_closure_cells_nested_functions_and_comprehensions():
    factor, unused, items = 3, 4, (1, 2)
    del unused

    def helper(x):
        return x * factor

    @tf.function
    def f(x):
        return sum([helper(x) * i for i in items]) + (lambda: RATE)()

    kinds = {
        b.name: b.kind for b in f.get_concrete_function(1.0).baked_values()
    }
    assert kinds == {"factor": "closure", "items": "closure", "RATE": "global"}


def test_self_and_what_it_calls():
    class Layer:
        def __init__(self, units):
            self.units = units

        def __call__(self, x):
            return x * self.units

    class Model:
        kind = "linear"

        def __init__(self):
            self.scale = 2
            self.layers = [Layer(5), Layer(6)]
            self.head = Layer(7)

        @property
        def doubled(self):
            return self.scale * 2

        def helper(self, x):
            return x if self.kind == "linear" else -x

        @tf.function
        def run(self, x):
            for layer in self.layers:
                x = layer(x)
            return self.helper(self.head(x)) * self.doubled

    m = Model()
    values = m.run.get_concrete_function(1.0).baked_values()
    assert sorted((b.name, b.value) for b in values) == [
        ("self.kind", "linear"), ("self.scale", 2), ("self.units", 5),
        ("self.units", 6), ("self.units", 7),
    ]
    assert all(b.kind == "attribute" for b in values)


def test_objects_given_as_arguments():
    @dataclasses.dataclass(frozen=True)
    class Options:
        depth: int

    options = Options(3)

    @tf.function
    def f(x, o):
        return x * o.depth

    assert baked(f, 1.0, options) == {"o.depth": 3}


def test_tensors_variables_modules_and_arguments_are_none_of_them():
    t, v = tf.constant(1.0), tf.Variable(1.0)

    @tf.function
    def f(x, n=2):
        y = x * n
        return tf.reduce_sum(y * t + v + np.pi)

    assert baked(f, 1.0) == {}


def test_nested_functions_of_tf():
    @tf.function
    def inner(x):
        return x * RATE

    @tf.function
    def outer(x):
        return inner(x)

    assert baked(outer, 1.0) == {"RATE": 0.5}


def test_values_are_those_of_the_trace():
    array = np.zeros(2)
    items = [1]

    @tf.function
    def f(x):
        return x + array + items[0]

    values = f.get_concrete_function(1.0).baked_values()
    array[0] = 5
    items.append(2)
    by_name = {b.name: b for b in values}
    assert by_name["array"].value.tolist() == [0, 0]
    assert by_name["array"].current().tolist() == [5, 0]
    assert by_name["items"].value == [1]
    assert by_name["items"].current() == [1, 2]


def test_nothing_of_the_user_runs():
    class Hostile:
        __slots__ = ("x", "__weakref__")

        def __getattr__(self, name):
            raise AssertionError("ran")

        @property
        def p(self):
            raise AssertionError("ran")

    hostile = Hostile()
    hostile.x = 3

    @tf.function
    def f(x):
        if x is None:
            return hostile.p + hostile.missing
        return x + hostile.x

    assert baked(f, 1.0) == {"hostile.x": 3}


def test_classes_and_large_arrays():
    class Settings:
        rate = 2

        @staticmethod
        def half(x):
            return x / Settings.rate

        @classmethod
        def times(cls, x):
            return x * cls.rate

    class Color(enum.Enum):
        RED = 1

    large = np.zeros(1 << 17)

    @tf.function(on_baked_change="error")
    def f(x):
        if Color.RED is None:
            return x
        return Settings.half(x) + Settings.times(x) + large[0]

    values = f.get_concrete_function(1.0).baked_values()
    assert {b.name: repr(b.value) for b in values} == {
        "Settings.rate": "2", "cls.rate": "2",
        "large": "<array of shape (131072,), float64>",
    }
    f(1.0)
    large[0] = 1.0
    with pytest.raises(tf.errors.FailedPreconditionError, match="^large was"):
        f(1.0)


def test_gone_values():
    holder = types.SimpleNamespace(a=1)

    @tf.function
    def f(x):
        return x + holder.a

    [value] = f.get_concrete_function(1.0).baked_values()
    del holder.a
    with pytest.raises(LookupError, match="holder.a is gone"):
        value.current()


# on_baked_change


def scaled(mode):
    holder = types.SimpleNamespace(scale=2.0)

    @tf.function(on_baked_change=mode)
    def f(x):
        return x * holder.scale

    return f, holder


def test_off_by_default():
    f, holder = scaled(None)
    f(1.0)
    holder.scale = 3.0
    assert f(1.0).numpy() == 2


def test_retrace():
    f, holder = scaled("retrace")
    x = tf.constant(1.0)
    assert f(x).numpy() == 2 and f(x).numpy() == 2
    holder.scale = 3.0
    assert f(x).numpy() == 3 and f(x).numpy() == 3
    assert f.experimental_get_tracing_count() == 2
    assert f.cache_info()[:2] == (2, 2)
    [reason] = f.explain_retraces()[0].reasons
    assert reason.argument == "holder.scale"
    assert (reason.cause, reason.old_type, reason.new_type) == (
        "frozen value", "2.0", "3.0"
    )
    assert "tf.Variable" in reason.advice
    holder.scale = 4.0
    assert f.get_concrete_function(x)(x).numpy() == 4


def test_retrace_reaches_functions_on_the_way():
    class Model:
        def __init__(self):
            self.scale = 2.0

        @tf.function
        def inner(self, x):
            return x * self.scale

        @tf.function
        def middle(self, x):
            return self.inner(x) + 1.0

    m = Model()

    @tf.function(on_baked_change="retrace")
    def outer(x):
        return m.middle(x)

    x = tf.constant(1.0)
    assert outer(x).numpy() == 3
    m.scale = 5.0
    assert outer(x).numpy() == 6 and m.middle(x).numpy() == 6
    assert outer.experimental_get_tracing_count() == 2


def test_warn(caplog):
    f, holder = scaled("warn")
    f(1.0)
    holder.scale = 3.0
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        assert f(1.0).numpy() == 2 and f(1.0).numpy() == 2
    [record] = caplog.records
    assert record.getMessage().startswith(
        "holder.scale was 2.0 when f was traced and is 3.0 now; "
    )
    assert f'File "{__file__}", line ' in record.getMessage()


def test_error():
    f, holder = scaled("error")
    f(1.0)
    holder.scale = 3.0
    for _ in range(2):
        with pytest.raises(
            tf.errors.FailedPreconditionError, match="holder.scale was 2.0"
        ):
            f(1.0)
    holder.scale = 2.0
    assert f(1.0).numpy() == 2


def test_type_changes_count():
    f, holder = scaled("retrace")
    f(1.0)
    holder.scale = 2
    f(1.0)
    assert f.experimental_get_tracing_count() == 2


def test_what_tracing_changes_is_no_reason():
    class Counter:
        def __init__(self):
            self.traces = 0
            self.v = None

        @tf.function(on_baked_change="retrace")
        def f(self, x):
            self.traces += 1
            if self.v is None:
                self.v = tf.Variable(1.0)
            return x + self.v

    c = Counter()
    for _ in range(3):
        assert c.f(1.0).numpy() == 2
    assert c.traces == 2


def test_modes_are_checked():
    with pytest.raises(ValueError, match="on_baked_change must be None or one"):
        tf.function(lambda x: x, on_baked_change="always")


def test_guarded_functions_keep_their_objects_weakly():
    import gc
    import weakref

    class Model:
        def __init__(self):
            self.scale = 2

        @tf.function(on_baked_change="warn")
        def f(self, x):
            return x * self.scale

    m = Model()
    m.f(1.0)
    gone = weakref.ref(m)
    del m
    gc.collect()
    assert gone() is None
