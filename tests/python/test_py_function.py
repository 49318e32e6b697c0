"""Python called back from graphs; how functions show their signatures."""

import gc
import inspect
import weakref

import numpy as np
import pytest

import graphkiln as tf


def test_function_has_one_object_under_all_names():
    assert tf.compat.v1.function is tf.function
    assert tf.compat.v2.function is tf.function


def test_parameters_of_a_function_type():
    f = tf.function(lambda x, *rest, k=3: x + 1)
    concrete = f.get_concrete_function(tf.constant(1.0), k=4)
    parameters = concrete.function_type.parameters
    assert list(parameters) == ["x", "k"]
    assert parameters["x"].type_constraint.dtype == tf.float32
    assert parameters["k"].kind is inspect.Parameter.KEYWORD_ONLY
    assert not parameters["k"].optional
    of_python = f.function_type.parameters
    assert [p.kind.name for p in of_python.values()] == [
        "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY",
    ]
    assert of_python["k"].optional
    assert repr(of_python["x"]) == (
        "Parameter(name=x, kind=POSITIONAL_OR_KEYWORD, optional=False, "
        "type_constraint=None)"
    )


def test_signatures_of_all_traces():
    f = tf.function(lambda x: x)
    f(tf.constant(1.0))
    f(2)
    text = f.pretty_printed_concrete_signatures()
    assert text.count("Input Parameters:") == 2
    assert "ConcreteFunction" not in text
    assert str(f.get_concrete_function(2)).startswith(
        "ConcreteFunction Input Parameters:\n"
    )


def test_py_function_runs_at_each_call():
    seen = []

    def record(x):
        assert tf.executing_eagerly()
        seen.append(x)
        return x * 2

    @tf.function
    def f(x):
        y = x + 1.0
        z = tf.py_function(record, [y], tf.float32)
        return z + y

    assert f(tf.constant([1.0, 2.0])).numpy().tolist() == [6.0, 9.0]
    assert f(tf.constant([5.0, 6.0])).numpy().tolist() == [18.0, 21.0]
    # What the function keeps is not overwritten by later runs.
    assert [x.numpy().tolist() for x in seen] == [[2.0, 3.0], [6.0, 7.0]]
    assert f.experimental_get_tracing_count() == 1


def test_py_function_whose_result_is_not_used_runs():
    seen = []

    @tf.function
    def f(x):
        tf.py_function(lambda x: seen.append(x.numpy().item()), [x], [])
        return x

    f(tf.constant(1))
    f(tf.constant(2))
    assert seen == [1, 2]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_gradient_of_py_function(wrap):
    def cube_or_square(x, n):
        return x ** 3 if n.numpy() == 3 else x * x

    @wrap
    def f(x, n):
        y = tf.py_function(cube_or_square, [x, n], tf.float32)
        return y * tf.py_function(cube_or_square, [x + 1.0, n], tf.float32)

    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x, tf.constant(2))
        z = f(x, tf.constant(3))
    assert y.numpy() == 36.0
    for _ in range(2):  # persistent tapes ask again
        assert tape.gradient(y, x).numpy() == 60.0
        assert tape.gradient(z, x).numpy() == 540.0


def test_gradient_of_one_of_several_results():
    @tf.function
    def f(x):
        return tf.py_function(
            lambda x: (x * 2.0, tf.constant([1, 2]), tf.reduce_sum(x)), [x],
            [tf.float32, tf.int32, tf.float32],
        )

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y[0], x).numpy().tolist() == [2.0, 2.0]
    assert tape.gradient(y[2], x).numpy().tolist() == [1.0, 1.0]


def test_gradient_inside_the_function():
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(lambda x: [x * x, 3.0], [x], [tf.float32] * 2)
        return tape.gradient(y[0], x)

    assert f(tf.constant(3.0)).numpy() == 6.0


def _derivative(f, order):
    def of(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return f if order == 0 else _derivative(of, order - 1)


def test_second_gradient_of_py_function():
    calls = []

    def cube(x):
        calls.append(1)
        return tf.sin(x) * x ** 2

    def f(x):
        return tf.py_function(cube, [x * 1.0], tf.float32) * x

    x = tf.constant(2.0)
    second = tf.function(_derivative(f, 2))
    want = _derivative(lambda x: tf.sin(x) * x ** 3, 2)(x)
    assert second(x).numpy() == pytest.approx(want.numpy(), rel=1e-5)
    assert len(calls) == 1
    with tf.GradientTape() as outer:
        outer.watch(x)
        y = tf.function(_derivative(f, 1))(x)
    assert outer.gradient(y, x).numpy() == pytest.approx(want.numpy(), rel=1e-5)


def test_third_gradient_of_py_function_is_refused():
    def f(x):
        return tf.py_function(lambda x: x ** 3, [x], tf.float32)

    with pytest.raises(LookupError, match="cannot be differentiated again"):
        tf.function(_derivative(f, 3))(tf.constant(2.0))


def test_forward_mode_through_py_function():
    @tf.function
    def product(x, v):
        with tf.autodiff.ForwardAccumulator(x, v) as acc:
            y = tf.py_function(lambda x: x * x, [x], tf.float32)
        return acc.jvp(y)

    x, v = tf.constant([1.0, 3.0]), tf.constant([1.0, 0.5])
    assert product(x, v).numpy().tolist() == [2.0, 3.0]


def test_exceptions_become_errors():
    class Own(Exception):
        pass

    def fail(x):
        raise Own("boo")

    f = tf.function(lambda x: tf.py_function(fail, [x], tf.int32))
    g = tf.function(lambda x: tf.numpy_function(fail, [x], tf.int32))
    for h in (f, g, f):
        with pytest.raises(tf.errors.UnknownError, match="Own: boo"):
            h(tf.constant(1))


def test_number_of_results():
    few = tf.function(
        lambda: tf.py_function(lambda: (1,), [], [tf.int32, tf.int32])
    )
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="returns 1 values, but expects to see 2 values",
    ):
        few()


def test_numpy_function():
    kinds = []

    def double(x, s):
        kinds.append((type(x), x.dtype, s))
        return x * 2, np.array(s + b"!", dtype=object)

    @tf.function
    def f(x):
        return tf.numpy_function(double, [x, "a"], [tf.float32, tf.string])

    x, s = f(tf.constant([1.0]))
    assert x.numpy().tolist() == [2.0] and s.numpy() == b"a!"
    assert kinds == [(np.ndarray, np.float32, b"a")]
    wrong = tf.function(
        lambda: tf.numpy_function(lambda: np.float64(1), [], tf.float32)
    )
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="0-th value returned by pyfunc_[0-9]+ is double, but expects "
        "float",
    ):
        wrong()
    assert tf.numpy_function(lambda x: x + 1, [1], tf.int32).numpy() == 2


def test_decorator_and_bad_arguments():
    @tf.py_function(Tout=tf.int32)
    def triple(x):
        return x * 3

    assert tf.function(triple)(tf.constant(2)).numpy() == 6
    with pytest.raises(TypeError, match="Missing required argument: 'Tout'"):
        tf.py_function(lambda: 1, [])
    with pytest.raises(ValueError, match="Expected func to be callable"):
        tf.py_function(3, [], tf.int32)


def test_the_callback_goes_with_its_function():
    class Body:
        def __call__(self, x):
            return x

    body = Body()
    gone = weakref.ref(body)
    f = tf.function(lambda x, body=body: tf.py_function(body, [x], tf.float32))
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).numpy() == 1.0
    del f, body, tape, y
    gc.collect()
    assert gone() is None


def test_inner_functions_may_go_before_the_outer_one():
    def make():
        inner = tf.function(lambda x: tf.py_function(lambda x: -x, [x], "int32"))
        return tf.function(lambda x: inner(x)).get_concrete_function(
            tf.constant(1)
        )

    f = make()
    gc.collect()
    assert f(tf.constant(3)).numpy() == -3


def test_check_numerics_of_eager_ops_and_traces():
    one, zero = tf.constant(1.0), tf.constant(0.0)
    tf.debugging.enable_check_numerics()
    try:
        f = tf.function(lambda x: tf.math.log(x) + 1.0)
        assert f(one).numpy() == 1.0
        with pytest.raises(
            tf.errors.InvalidArgumentError, match='of graph op "Log"'
        ):
            f(zero)
        with pytest.raises(
            tf.errors.InvalidArgumentError,
            match='of eagerly-executing op "RealDiv"',
        ):
            one / zero
    finally:
        tf.debugging.disable_check_numerics()
    assert (one / zero).numpy() == np.inf


def test_specs_of_results_give_their_shapes():
    @tf.function
    def f(x):
        y, z = tf.py_function(
            lambda x: (tf.constant([1.0]), x), [x],
            [tf.TensorSpec([1], tf.float32), tf.RaggedTensorSpec([2, None])],
        )
        assert y.shape == [1] and z.shape.as_list() == [2, None]
        return y + z.flat_values[:1]

    x = tf.ragged.constant([[1.0], [2.0, 3.0]])
    assert f(x).numpy().tolist() == [2.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="did not match"):
        f(tf.ragged.constant([[1.0], [2.0], [3.0]]))


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_composite_arguments_and_results(wrap):
    rows = tf.ragged.constant([[1.0], [2.0, 3.0]])
    spec = tf.RaggedTensorSpec([None, None])

    @wrap
    def beside_a_list():
        return tf.py_function(
            lambda x, y: (x * 2.0, y), [rows, [1, 2]], [spec, tf.int32]
        )

    doubled, pair = beside_a_list()
    assert doubled.to_list() == [[2.0], [4.0, 6.0]]
    assert pair.numpy().tolist() == [1, 2]
    for result, text in (
        (None, "None is not compatible with RaggedTensorSpec"),
        (tf.constant([1.0]), "is not compatible with RaggedTensorSpec"),
        ({1}, "TypeError: Could not build a TypeSpec for {1}"),
    ):
        def give(x, result=result):
            return result

        with pytest.raises(tf.errors.InvalidArgumentError) as e:
            wrap(lambda give=give: tf.py_function(give, [rows], spec))()
        assert text in str(e.value)
        assert "functools.partial" not in str(e.value)
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not a Tensor"):
        wrap(lambda: tf.py_function(lambda x: x, [rows], tf.float32))()


def test_eager_results_may_have_other_shapes_than_their_specs():
    found = tf.py_function(lambda x: x, [[1.0]], tf.TensorSpec([], tf.float32))
    assert found.numpy().tolist() == [1.0]


def test_reads_see_what_the_host_wrote():
    v = tf.Variable(0.0)

    def add():
        return v.assign_add(1.0).numpy()

    @tf.function
    def called():
        tf.py_function(add, [], tf.float32)

    @tf.function
    def f(call):
        before = v + 0.0
        if call:
            called()
        else:
            tf.py_function(add, [], tf.float32)
        between = v + 0.0
        tf.numpy_function(add, [], tf.float32)
        return before, between, v.read_value()

    @tf.function
    def loop(n):
        total = 0.0
        for _ in tf.range(n):
            called()
            total += v
        return total

    for call in (True, False):
        for _ in range(3):
            v.assign(0.0)
            assert [x.numpy() for x in f(call)] == [0.0, 1.0, 2.0]
    v.assign(0.0)
    assert loop(tf.constant(4)).numpy() == 10.0


@pytest.mark.parametrize("call", [tf.py_function, tf.numpy_function])
def test_only_the_call_itself_is_on_the_host(call):
    @tf.function(autograph=False)
    def f(x):
        return call(lambda a: a * 2, [x], tf.float32) + 1.0

    nodes = f.get_concrete_function(tf.TensorSpec([4])).graph.as_graph_def().node
    placed = {n.op: n.device for n in nodes if n.device}
    assert list(placed.values()) == ["/job:localhost/replica:0/task:0"]
    assert placed.keys() <= {"PyFunc", "EagerPyFunc"}
