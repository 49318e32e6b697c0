"""tf.function: binding, traces, errors, warnings."""

import collections
import functools
import inspect
import logging

import numpy as np
import pytest

import graphkiln as tf

X = tf.constant(1.0)


def traces(f, *calls):
    """How many traces each of the calls made."""
    counts = []
    for args in calls:
        before = f.experimental_get_tracing_count()
        f(*args)
        counts.append(f.experimental_get_tracing_count() - before)
    return counts


# Binding


@pytest.mark.parametrize(
    "args, kwargs, reason",
    [
        ((), {}, "missing a required argument: 'a'"),
        ((1, 2), {"a": 3}, "multiple values for argument 'a'"),
        ((1, 2, 3), {}, "too many positional arguments"),
        ((1, 2), {"c": 3}, "got an unexpected keyword argument 'c'"),
    ],
)
def test_binding_errors(args, kwargs, reason):
    @tf.function
    def f(a, b):
        return a

    with pytest.raises(TypeError) as error:
        f(*args, **kwargs)
    assert str(error.value) == (
        f"Binding inputs to tf.function failed due to `{reason}`. Received "
        f"args: {args} and kwargs: {kwargs} for signature: (a, b)."
    )


def test_defaults_share_a_trace():
    @tf.function
    def f(a, b=2, c=3):
        return a

    f(X)
    f(X, 2)
    f(c=3, a=X, b=2)
    assert f.experimental_get_tracing_count() == 1
    f(X, 3)
    assert f.experimental_get_tracing_count() == 2


def test_order_of_keywords_does_not_matter():
    @tf.function
    def f(**kwargs):
        return kwargs["a"] - kwargs["b"]

    assert f(a=X, b=2.0 * X).numpy() == -1.0
    assert f(b=2.0 * X, a=X).numpy() == -1.0
    assert f.experimental_get_tracing_count() == 1


def test_function_type_text():
    @tf.function
    def f(a, b=1, *args, c=2, **kw):
        return a

    assert str(f.function_type) == (
        "(a, b=<captured_default_value>, *args, c=<captured_default_value>, "
        "**kw)"
    )


# What makes a new trace


def test_tensors_by_type():
    f = tf.function(lambda x: x)
    assert traces(
        f,
        [tf.constant(1)], [tf.constant(2)], [np.int32(3)], [tf.constant([1])],
        [np.ones(2)], [tf.constant([1.0, 2.0], tf.float64)],
    ) == [1, 0, 0, 1, 1, 0]


def test_python_values_by_type_and_value():
    f = tf.function(lambda x: tf.constant(0))
    nan = float("nan")
    assert traces(
        f,
        [1], [1], [True], [1.0], [2], [0.0], [-0.0], ["a"], [b"a"], ["a"],
        [None], [None], [nan], [float("inf") - float("inf")], [...],
        [range(3)], [range(3)], [1j], [2**80], [2**80],
    ) == [1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0]


def test_containers():
    f = tf.function(lambda x: tf.constant(0))
    pair = collections.namedtuple("pair", "a b")
    assert traces(
        f,
        [[X, X]], [(X, X)], [[X]], [{"a": X, "b": 1}], [{"b": 1, "a": X}],
        [collections.OrderedDict(a=X, b=1)], [pair(X, 1)], [pair(X, 1)],
        [pair(X, 2)],
    ) == [1, 1, 1, 1, 0, 0, 1, 0, 1]


def test_variables_by_type_and_alias():
    f = tf.function(lambda a, b: a + b)
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    assert traces(f, [v, v], [v, w], [w, v], [w, w]) == [1, 1, 0, 0]
    assert f(v, w).numpy() == 3.0
    assert f(w, w).numpy() == 4.0


def test_objects_by_their_equality():
    class Key:
        def __init__(self, n):
            self.n = n

        def __eq__(self, other):
            return isinstance(other, Key) and self.n == other.n

        def __hash__(self):
            return hash(self.n)

    f = tf.function(lambda k: tf.constant(k.n))
    one, again, two = Key(1), Key(1), Key(2)
    assert traces(f, [one], [again], [two], [one]) == [1, 0, 1, 0]


def test_unhashable_argument():
    f = tf.function(lambda x: X)
    with pytest.raises(TypeError) as error:
        f({1})
    assert str(error.value) == (
        "Could not generate a generic TraceType for {1}.Please verify that it "
        "is immutable/hashable. Otherwise, consider implementing the Tracing "
        "Protocol for it."
    )


def test_errors_of_user_comparisons_come_out():
    class Bad:
        def __eq__(self, other):
            raise RuntimeError("no comparison")

        def __hash__(self):
            return 1

    class BadHash:
        def __hash__(self):
            raise RuntimeError("no hash")

    f = tf.function(lambda x: X)
    first, second = Bad(), Bad()
    f(first)
    with pytest.raises(RuntimeError, match="no comparison"):
        f(second)
    f(first)
    f(1)
    with pytest.raises(RuntimeError, match="no hash"):
        f(BadHash())


def test_general_trace_serves_specific_calls():
    f = tf.function(lambda x: x * 2.0)
    general = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    assert f(tf.ones([3])).numpy().tolist() == [2.0] * 3
    specific = f.get_concrete_function(tf.TensorSpec([3], tf.float32))
    assert specific is general
    assert f.experimental_get_tracing_count() == 1


def test_reduce_retracing():
    f = tf.function(lambda x: x, reduce_retracing=True)
    shapes = [[1], [2], [3], [1]]
    assert traces(f, *[[tf.ones(s)] for s in shapes]) == [1, 1, 0, 0]
    f = tf.function(lambda x: x, reduce_retracing=True)
    shapes = [[1, 5], [2, 5], [2, 6], [7, 8]]
    assert traces(f, *[[tf.ones(s)] for s in shapes]) == [1, 1, 1, 0]
    f = tf.function(lambda x: x, experimental_relax_shapes=True)
    assert traces(f, [1], [2], [3]) == [1, 1, 1]


def test_method_descriptor():
    class M:
        def __init__(self, k):
            self.k = k

        @tf.function
        def scaled(self, x):
            return x * self.k

        @classmethod
        @tf.function
        def of_class(cls, x):
            return x + 1.0

        @staticmethod
        @tf.function
        def static(x):
            return x + 2.0

        @property
        @tf.function
        def three(self):
            return tf.constant(3.0)

    m, n = M(2.0), M(3.0)
    assert m.scaled is m.scaled
    assert m.scaled(X).numpy() == 2.0
    assert n.scaled(X).numpy() == 3.0
    assert m.scaled.experimental_get_tracing_count() == 1
    assert M.scaled.experimental_get_tracing_count() == 0
    assert M.of_class(X).numpy() == 2.0
    assert M.static(X).numpy() == m.static(X).numpy() == 3.0
    assert m.three.numpy() == 3.0


def test_callables():
    class Adder:
        def __call__(self, x):
            return x + 1.0

    assert tf.function(Adder())(X).numpy() == 2.0
    doubled = tf.function(functools.partial(lambda a, b: a * b, b=2.0))
    assert doubled(X).numpy() == 2.0
    assert tf.function(tf.negative)(X).numpy() == -1.0
    with pytest.raises(AttributeError):
        tf.function(Adder()).__name__
    with pytest.raises(TypeError, match="^3 is not a callable object$"):
        tf.function(3)
    with pytest.raises(
        ValueError,
        match="`a is not supported by tf.function as an attribute.",
    ):
        tf.function(lambda: 0, experimental_attributes={"a": 1})
    for name in ("my.negative", b"my.negative", "my.\0negative"):
        negative = tf.function(lambda x: -x, experimental_implements=name)
        assert negative(X).numpy() == -1.0


def test_wraps():
    def f(a, b: int = 3):
        """Says something."""
        return a

    g = tf.function(f)
    assert g.__wrapped__ is f and g.python_function is f
    assert (g.__name__, g.__doc__) == ("f", "Says something.")
    assert inspect.signature(g) == inspect.signature(f)


def test_nested_functions_are_shared():
    inner = tf.function(lambda x: x + 1.0)
    outer = tf.function(lambda x: inner(x) * inner(x + 1.0))
    assert outer(X).numpy() == 6.0
    assert inner.experimental_get_tracing_count() == 1
    graph = outer.get_concrete_function(X).graph
    types = [op.type for op in graph.get_operations()]
    assert types.count("PartitionedCall") == 2


def test_recursion_with_python_argument():
    @tf.function
    def power(x, n):
        return x if n == 1 else x * power(x, n - 1)

    assert power(tf.constant(2.0), 4).numpy() == 16.0
    assert power.experimental_get_tracing_count() == 4


def test_run_functions_eagerly():
    seen = []

    @tf.function
    def f(x):
        seen.append(tf.executing_eagerly())
        return x

    f(X)
    tf.config.run_functions_eagerly(True)
    try:
        assert tf.config.functions_run_eagerly()
        f(X)
        f(X)
        f.get_concrete_function(tf.constant([1]))
    finally:
        tf.config.run_functions_eagerly(False)
    assert seen == [False, True, True, False]
    assert f.experimental_get_tracing_count() == 2


def test_inside_function_and_init_scope():
    seen = []

    @tf.function
    def f(x):
        seen.append((tf.executing_eagerly(), tf.inside_function()))
        with tf.init_scope():
            seen.append((tf.executing_eagerly(), tf.inside_function()))
            with pytest.raises(TypeError, match="is out of scope"):
                x + 1.0
        return x

    f(X)
    assert seen == [(False, True), (True, True)]
    assert not tf.inside_function()


# Failures


def test_error_in_the_body_leaves_no_trace():
    fail = [True]

    @tf.function
    def f(x):
        if fail[0]:
            raise ValueError("not now")
        return x

    with pytest.raises(ValueError, match="not now"):
        f(X)
    assert tf.executing_eagerly()
    assert f.experimental_get_tracing_count() == 0
    fail[0] = False
    assert f(X).numpy() == 1.0
    assert f.experimental_get_tracing_count() == 1


def test_run_time_error_shows_the_definition():
    @tf.function
    def look_up(x, i):
        doubled = x * 2
        return tf.gather(doubled, i)

    outer = tf.function(lambda x, i: look_up(x, i))
    line = look_up.python_function.__code__.co_firstlineno + 3
    for f, name in ((look_up, "look_up"), (outer, "<lambda>")):
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            f(tf.constant([1, 2]), tf.constant(7))
        text = str(error.value)
        assert text.startswith("Graph execution error:\n\nDetected at node ")
        assert "GatherV2 defined at (most recent call last):\n" in text
        assert f'  File "{__file__}", line {line}, in look_up\n\n' in text
        assert "indices = 7 is not in [0, 2)\n\t [[{{node " in text
        assert f"[Op:__inference_{name}_" in text
        assert "graphkiln/_" not in text
    assert look_up(tf.constant([1, 2]), tf.constant(1)).numpy() == 4


def test_leaked_tensor():
    leaked = []

    @tf.function
    def leak(a):
        leaked.append(a + 1.0)
        return a

    leak(X)
    text = (
        r"<tf.Tensor 'add:0' shape=\(\) dtype=float32> is out of scope and "
        r"cannot be used here. Use return values, explicit Python locals or "
        r"TensorFlow collections to access it.\n"
    )
    for use in (lambda: leaked[0] + 1.0, tf.function(lambda: leaked[0] + 1.0)):
        with pytest.raises(TypeError, match=text) as error:
            use()
        assert "was defined here:\n" in str(error.value)
        assert ", in leak" in str(error.value)


def test_tensor_of_an_inner_function():
    @tf.function
    def outer(a):
        kept = []

        @tf.function
        def inner(b):
            kept.append(b * 2.0)
            return b

        inner(a)
        return kept[0] + 1.0

    with pytest.raises(tf.errors.InaccessibleTensorError) as error:
        outer(X)
    assert isinstance(error.value, ValueError)
    assert "cannot be accessed from FuncGraph(name=outer, id=" in str(
        error.value
    )


# The retracing warning


def retraced(caplog):
    return [
        r.getMessage() for r in caplog.records
        if "triggered tf.function retracing" in r.getMessage()
    ]


def test_retracing_warning(caplog):
    f = tf.function(lambda x: x)
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        for i in range(4):
            f(i)
        assert retraced(caplog) == []
        for i in range(4, 8):
            f(i)
    texts = retraced(caplog)
    assert len(texts) == 2
    assert texts[0].startswith(
        f"5 out of the last 5 calls to {f.python_function!r} triggered "
        "tf.function retracing. Tracing is expensive and the excessive number "
        "of tracings could be due to (1) creating @tf.function repeatedly in "
        "a loop, (2) passing tensors with different shapes, (3) passing "
        "Python objects instead of tensors."
    )
    assert texts[1].startswith("6 out of the last 6 calls to ")


def test_retracing_warning_counts_one_place(caplog):
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        for _ in range(6):
            tf.function(lambda x: x)(X)
    assert len(retraced(caplog)) == 2


def test_no_retracing_warning_for_rare_traces(caplog):
    f = tf.function(lambda x: x)
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        for i in range(8):
            for _ in range(5):
                f(i)
        for i in range(20, 40):
            f.get_concrete_function(i)
    assert retraced(caplog) == []


# tf.Graph and the types


def test_graph_as_default():
    graph = tf.Graph()
    with graph.as_default():
        a = tf.constant(1.0)
        b = a + 2.0
        with tf.control_dependencies([b]):
            c = tf.identity(a)
        assert not tf.executing_eagerly() and not tf.inside_function()
    assert tf.executing_eagerly()
    assert a.graph is graph and isinstance(graph, tf.Graph)
    assert [op.name for op in graph.get_operations()] == [
        "Const", "add/y", "add", "Identity"
    ]
    assert [op.name for op in c.op.control_inputs] == ["add"]
    assert graph.as_graph_element("add:0") is b


def test_control_dependencies_in_a_function():
    @tf.function
    def f(x):
        with tf.control_dependencies([x + 1.0]):
            with tf.control_dependencies(None):
                y = tf.identity(x)
            return tf.identity(y)

    operations = f.get_concrete_function(X).graph.get_operations()
    control = {
        op.name: [c.name for c in op.control_inputs] for op in operations
    }
    assert control["Identity"] == []
    assert control["Identity_1"] == ["add"]


def test_types():
    types = tf.types.experimental
    f = tf.function(lambda x: x)
    concrete = f.get_concrete_function(X)
    assert isinstance(f, types.PolymorphicFunction)
    assert isinstance(f, types.GenericFunction)
    assert not isinstance(f, types.ConcreteFunction)
    assert isinstance(concrete, types.ConcreteFunction)
    assert not isinstance(concrete, types.PolymorphicFunction)
    assert isinstance(f, types.Callable)
    assert isinstance(concrete, types.Callable)
    assert isinstance(concrete.function_type, types.FunctionType)
    assert isinstance(tf.TensorSpec([]), types.TraceType)
    assert isinstance(X, types.TensorLike)
    assert isinstance([1.0], types.TensorLike)
    assert isinstance(concrete.graph, tf.Graph)
