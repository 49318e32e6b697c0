"""What programs demand of tracing and signatures: one test each, by the
number of the demand."""

import functools
import gc
import logging
import threading
import weakref

import pytest

import graphkiln as tf
from tracing_support import Masked, chosen, counting

Spec = tf.TensorSpec


@pytest.fixture
def warnings(caplog):
    caplog.set_level(logging.WARNING, logger="tensorflow")
    return lambda: [
        r.getMessage() for r in caplog.records if "retracing" in r.getMessage()
    ]


# --- Tracing and cache.


def test_demand_1_the_warning_comes_on_the_fifth_trace(warnings):
    f = tf.function(lambda x: x)
    for n in range(4):
        f(n)
    assert not warnings()
    f(4)
    assert len(warnings()) == 1
    for n in range(5, 10):
        f(n)
    assert len(warnings()) == 2


def test_demand_2_calls_through_outer_functions_count(warnings):
    inner = tf.function(lambda x: tf.constant(x))

    for n in range(5):
        tf.function(lambda n=n: inner(n))()
    assert any("inner" in w or "lambda" in w for w in warnings())


def test_demand_3_numbers_of_values_are_not_in_the_key():
    f = counting()
    assert chosen(
        f, (tf.ragged.constant([[1], [2, 3]]),),
        (tf.ragged.constant([[4, 5, 6], []]),),
        (tf.SparseTensor([[0, 0]], [1.0], [2, 2]),),
        (tf.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], [2, 2]),),
    ) == [1, 1, 2, 2]
    shapes = []
    tf.function(lambda x, y: shapes.extend([x.values.shape, y.values.shape]))(
        tf.ragged.constant([[1]]), tf.SparseTensor([[0]], [1.0], [2])
    )
    assert [s.as_list() for s in shapes] == [[None], [None]]


def test_demand_4_variables_by_dtype_and_shape():
    f = counting()
    v, w, other = tf.Variable(1.0), tf.Variable(2.0), tf.Variable([1.0])
    assert chosen(f, (v,), (w,), (other,)) == [1, 1, 2]
    assert chosen(f, (v, v), (v, w), (w, v), (w, w)) == [3, 4, 4, 3]


def test_demand_5_reduce_retracing_everywhere():
    f = counting(reduce_retracing=True)

    class Owner:
        @tf.function(reduce_retracing=True)
        def method(self, x):
            return x

    owner = Owner()
    outer = tf.function(lambda x: f(x), reduce_retracing=True)
    for n in range(1, 6):
        owner.method(tf.ones([n]))
        outer(tf.ones([n]))
        f(tf.ragged.constant([[1]] * n))
    assert owner.method.experimental_get_tracing_count() == 2
    assert outer.experimental_get_tracing_count() == 2
    assert f.experimental_get_tracing_count() == 4


def test_demand_6_weakrefs_and_unhashables_are_refused():
    f = counting()
    thing = functools.partial(int)
    with pytest.raises(TypeError, match="weakref input"):
        f(weakref.ref(thing))
    with pytest.raises(
        TypeError, match="Could not generate a generic TraceType for {1}"
    ):
        f({1})


def test_demand_7_ranges():
    f = tf.function(lambda r: tf.constant(sum(r)))
    assert f(range(4)).numpy() == 6
    assert f(range(4)).numpy() == 6
    assert f(range(3)).numpy() == 3
    assert f.experimental_get_tracing_count() == 2


def test_demand_8_methods_make_no_cycles():
    class Owner:
        @tf.function
        def method(self):
            return 1

    owner = Owner()
    owner.method()
    bound = weakref.ref(owner.method)
    gone = weakref.ref(owner)
    gc.disable()
    try:
        del owner
        assert gone() is None
        assert bound() is None
    finally:
        gc.enable()


def test_demand_9_a_graph_outlives_its_function():
    f = tf.function(lambda x: x + 1)
    graph = f.get_concrete_function(Spec([])).graph
    del f
    gc.collect()
    assert [op.type for op in graph.get_operations()][0] == "Placeholder"


def test_demand_10_threads():
    f = counting()
    found, start = [], threading.Barrier(8)

    def work(n):
        start.wait()
        found.append((n % 2, int(f(n % 2))))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert f.experimental_get_tracing_count() == 2
    assert len(set(found)) == 2


def test_demand_11_a_runtime_error_does_not_stick():
    @tf.function
    def f(x):
        tf.debugging.assert_positive(x)
        return x

    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant(-1))
    assert f(tf.constant(2)).numpy() == 2
    assert f.experimental_get_tracing_count() == 1


def test_demand_12_python_recursion():
    @tf.function
    def power(x, n):
        return tf.ones_like(x) if n == 0 else x * power(x, n - 1)

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x, 3)
    assert (y.numpy(), tape.gradient(y, x).numpy()) == (8.0, 12.0)


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.append(1), lambda x: x.__setitem__(0, 9),
        lambda x: x.pop(),
    ],
)
def test_demand_13_arguments_are_not_modified(change):
    def f(x, more=0):
        change(x)

    with pytest.raises(ValueError) as e:
        tf.function(f)([tf.constant(1)])
    assert (
        "f(x, more=0) should not modify its Python input arguments. "
        "Modifying a copy is allowed. The following parameter(s) were "
        "modified: x"
    ) in str(e.value)


def test_demand_13_mappings_and_variable_arguments():
    def f(*args, **kwargs):
        args[0]["a"] = 1
        kwargs["q"].clear()

    with pytest.raises(ValueError, match="were modified: args, kwargs"):
        tf.function(f)({}, q=[1])
    same = tf.function(lambda x: x.sort())
    same([1, 2])  # nothing changes


# --- Signatures and calling.


def two(a, b=2, *, c=3):
    return a


@pytest.mark.parametrize(
    "args, kwargs, reason",
    [
        ((), {}, "missing a required argument: 'a'"),
        ((1, 2, 3), {}, "too many positional arguments"),
        ((1,), {"a": 2}, "multiple values for argument 'a'"),
        ((1,), {"d": 2}, "got an unexpected keyword argument 'd'"),
    ],
)
def test_demand_14_binding_errors(args, kwargs, reason):
    with pytest.raises(TypeError) as e:
        tf.function(two)(*args, **kwargs)
    assert str(e.value) == (
        f"Binding inputs to tf.function failed due to `{reason}`. Received "
        f"args: {args} and kwargs: {kwargs} for signature: (a, "
        "b=<captured_default_value>, *, c=<captured_default_value>)."
    )


def test_demand_15_spec_mismatch():
    f = tf.function(lambda x: x, input_signature=[Spec([None])])
    with pytest.raises(TypeError) as e:
        f(tf.ones([2, 2]))
    assert (
        "Can not cast TensorSpec(shape=(2, 2), dtype=tf.float32, name=None) "
        "to TensorSpec(shape=(None,), dtype=tf.float32, name=None)"
    ) in str(e.value)


def test_demand_16_omitted_defaults_and_partials():
    f = tf.function(
        lambda x, y=2: x * y, input_signature=[Spec([])]
    )
    assert f(3.0).numpy() == 6.0
    part = tf.function(functools.partial(lambda x, y: x - y, y=2.0))
    assert part(5.0).numpy() == 3.0
    assert part(5.0, y=1.0).numpy() == 4.0
    first = tf.function(functools.partial(lambda x, y: x - y, 9.0))
    assert first(1.0).numpy() == 8.0


def test_demand_17_bound_python_values_again():
    cf = tf.function(lambda x, n: x * n).get_concrete_function(Spec([]), 3)
    x = tf.constant(2.0)
    assert cf(x).numpy() == cf(x, 3).numpy() == cf(x, n=3).numpy() == 6.0
    with pytest.raises(TypeError, match=r"Can not cast 4 to Literal\[3\]"):
        cf(x, 4)


def test_demand_18_flat_names():
    cf = tf.function(lambda x: x[0] + x[1] - x[2]).get_concrete_function(
        [Spec([])] * 3
    )
    one = tf.constant(1.0)
    assert cf(x=one, x_1=one, x_2=one).numpy() == 1.0
    assert [t.op.name for t in cf.inputs] == ["x", "x_1", "x_2"]
    cf = tf.function(lambda *args: args[1]).get_concrete_function(
        Spec([]), Spec([])
    )
    assert [t.op.name for t in cf.inputs] == ["args_0", "args_1"]
    cf = tf.function(lambda x: x).get_concrete_function(Spec([], name="own"))
    assert cf(own=one).numpy() == 1.0


def test_demand_19_user_specified_names():
    cf = tf.function(lambda x, y: x["k"] + y).get_concrete_function(
        {"k": Spec([])}, Spec([], name="own")
    )
    assert [t.op.get_attr("_user_specified_name") for t in cf.inputs] == [
        b"x", b"own",
    ]


def test_demand_20_keyword_arguments_by_sorted_name():
    cf = tf.function(lambda **k: k["b"] - k["a"]).get_concrete_function(
        b=Spec([]), a=Spec([])
    )
    assert [t.op.name for t in cf.inputs] == ["a", "b"]
    assert cf(tf.constant(1.0), tf.constant(3.0)).numpy() == 2.0


def test_demand_21_colliding_names():
    with pytest.raises(ValueError) as e:
        tf.function(lambda **k: 1)(**{"a b": 1, "a_b": 2})
    assert str(e.value) == (
        "Name collision after sanitization. Please rename tf.function input "
        "parameters. Original: ['a b', 'a_b'], Sanitized: ['a_b']"
    )
    cf = tf.function(lambda **k: k["a_b"]).get_concrete_function(
        **{"a-b": Spec([])}
    )
    assert cf(**{"a-b": tf.constant(1.0)}).numpy() == 1.0


def test_demand_22_printed_signatures():
    f = tf.function(lambda x, n=7: x + n)
    cf = f.get_concrete_function(Spec([None], name="own"))
    text = (
        "Input Parameters:\n"
        "  x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(None,), "
        "dtype=tf.float32, name='own')\n"
        "  n (POSITIONAL_OR_KEYWORD): Literal[7]\n"
        "Output Type:\n"
        "  TensorSpec(shape=(None,), dtype=tf.float32, name=None)\n"
        "Captures:\n"
        "  None"
    )
    assert cf.pretty_printed_signature() == text
    assert str(cf) == f"ConcreteFunction {text}"
    assert f.pretty_printed_concrete_signatures() == text
    assert repr(cf).startswith(
        "<ConcreteFunction (x: TensorSpec(shape=(None,), dtype=tf.float32, "
        "name='own'), n: Literal[7]) -> TensorSpec(shape=(None,), "
        "dtype=tf.float32, name=None) at 0x"
    )


@pytest.mark.parametrize(
    "value",
    [
        tf.constant(1), tf.ragged.constant([[1], []]),
        tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0])),
        tf.SparseTensor([[0]], [1.0], [2]), Masked("m", tf.constant(1)),
    ],
    ids=lambda v: type(v).__name__,
)
def test_demand_23_in_and_out_with_its_type(value):
    out = tf.function(lambda x: x)(value)
    assert type(out) is type(value)
    nested = tf.function(lambda x: {"a": [x]})(value)
    assert type(nested["a"][0]) is type(value)
