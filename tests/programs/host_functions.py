"""tf.py_function and tf.numpy_function, and checks of every op's numbers."""

from __future__ import annotations

import numpy as np

from outcomes import failure, phrase


def _both_ways(tf, program, *arguments):
    """The results of a function when eager and when traced."""
    return program(*arguments), tf.function(program)(*arguments)


def program_py_function(tf):
    def f(x):
        return tf.py_function(lambda a: a * 2 + len(a.shape), [x], tf.float32)

    return _both_ways(tf, f, tf.constant([1.0, 2.0]))


def program_py_function_several_results(tf):
    def f(x, y):
        return tf.py_function(
            lambda a, b: (a + b, tf.cast(a > b, tf.int64), "text"), [x, y],
            [tf.float32, tf.int64, tf.string],
        )

    return _both_ways(tf, f, tf.constant([1.0, 2.0]), tf.constant(1.5))


def program_py_function_converts(tf):
    def f(x):
        return tf.py_function(lambda a: 3, [x], tf.float32), tf.py_function(
            lambda a: [[1, 2], [3, 4]], [x], [tf.int64, tf.int64]
        )

    return _both_ways(tf, f, tf.constant(1.0))


def program_py_function_no_results(tf):
    seen = []

    def f(x):
        result = tf.py_function(lambda a: seen.append(int(a)), [x], [])
        return type(result).__name__ if tf.executing_eagerly() else x

    return _both_ways(tf, f, tf.constant(1)), seen


def program_py_function_shapes_are_unknown(tf):
    shapes = []

    @tf.function
    def f(x):
        y = tf.py_function(lambda a: a, [x], tf.int32)
        shapes.append(str(y.shape))
        y.set_shape(x.shape)
        shapes.append(str(y.shape))
        return y

    return f(tf.constant([1, 2])), shapes


def program_py_function_sees_eager_tensors(tf):
    seen = []

    def note(a):
        seen.append([tf.executing_eagerly(), tf.inside_function(), a.numpy()])
        return a

    @tf.function
    def f(x):
        return tf.py_function(note, [x], tf.int32)

    f(tf.constant(3))
    return seen


def program_py_function_gradients(tf):
    def f(x, y):
        return tf.py_function(
            lambda a, b: (a * a * b, b * 2.0), [x, y], [tf.float32] * 2
        )

    results = []
    for g in (f, tf.function(f)):
        x, y = tf.constant(3.0), tf.constant(4.0)
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            a, b = g(x, y)
            loss = a + b
        results.append(tape.gradient(loss, [x, y]))
    return results


def program_py_function_gradient_in_a_function(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(lambda a: tf.reduce_sum(a**3), [x], tf.float32)
        return tape.gradient(y, x)

    return f(tf.constant([1.0, 2.0]))


def program_py_function_variable(tf):
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        return tf.py_function(lambda a, b: a * b, [x, v], tf.float32)

    with tf.GradientTape() as tape:
        y = f(tf.constant(3.0))
    return y, tape.gradient(y, v)


def program_py_function_assigns(tf):
    v = tf.Variable(1)

    def change(a):
        v.assign_add(a)
        return v.read_value()

    @tf.function
    def f(x):
        return tf.py_function(change, [x], tf.int32)

    return f(tf.constant(2)), f(tf.constant(3)), v


def program_py_function_wrong_dtype(tf):
    @tf.function
    def f(x):
        return tf.py_function(lambda a: a, [x], tf.float32)

    return failure(f, tf.constant(1))[0]


def program_py_function_wrong_count(tf):
    @tf.function
    def f(x):
        return tf.py_function(lambda a: (a, a), [x], [tf.int32])

    @tf.function
    def g(x):
        return tf.py_function(lambda a: a, [x], [tf.int32, tf.int32])

    return [failure(h, tf.constant(1))[0] for h in (f, g)]


def program_py_function_returns_none(tf):
    @tf.function
    def f(x):
        return tf.py_function(lambda a: None, [x], tf.int32)

    return failure(f, tf.constant(1))[0]


def program_exceptions(tf):
    def thrower(error):
        def throw(a):
            raise error

        return throw

    kinds = []
    for error in (
        ValueError("text v"), TypeError("text t"), StopIteration("text s"),
        NotImplementedError("text n"), KeyError("text k"),
        RuntimeError("text r"), MemoryError("text m"), IndexError("text i"),
        ZeroDivisionError("text z"), tf.errors.NotFoundError(None, None, "nf"),
    ):
        @tf.function
        def f(x):
            return tf.py_function(thrower(error), [x], tf.int32)

        @tf.function
        def g(x):
            return tf.numpy_function(thrower(error), [x], tf.int32)

        for h in (f, g):
            name, text = failure(h, tf.constant(1))
            kinds.append([name, str(error).strip("'") in text])
    return kinds


def program_decorator_form(tf):
    @tf.py_function(Tout=tf.int32)
    def double(x):
        return x * 2

    @tf.numpy_function(Tout=tf.int32)
    def triple(x):
        return x * 3

    @tf.function
    def f(x):
        return double(x) + triple(x)

    return f(tf.constant(2)), double(tf.constant(2)), double.__name__


def program_wrong_arguments(tf):
    return [
        failure(tf.py_function, 3, [1], tf.int32),
        failure(tf.py_function, lambda x: x, [1])[0],
        failure(tf.numpy_function, 3, [1], tf.int32),
        failure(lambda: tf.py_function(inp=[1], Tout=tf.int32))[0],
        failure(tf.py_function, lambda x: x, 3, tf.int32)[0],
    ]


def program_numpy_function(tf):
    def f(x, s):
        return tf.numpy_function(
            lambda a, b: (a + 1, b, a.shape[0] * np.ones(2, np.int64)), [x, s],
            [tf.float32, tf.string, tf.int64],
        )

    return _both_ways(tf, f, tf.constant([1.0, 2.0]), tf.constant("text"))


def program_numpy_function_sees_arrays(tf):
    kinds = []

    def note(*values):
        kinds.append([
            (type(v).__name__, str(getattr(v, "dtype", ""))) for v in values
        ])
        return np.int32(1)

    @tf.function
    def f(*args):
        return tf.numpy_function(note, args, tf.int32)

    f(
        tf.constant(1), tf.constant([1.5]), tf.constant("s"),
        tf.constant(["a", "b"]), tf.constant(True), tf.constant(1.5),
    )
    return kinds


def program_numpy_function_wrong_dtype(tf):
    @tf.function
    def f(x):
        return tf.numpy_function(lambda a: a * 1.0, [x], tf.float32)

    name, text = failure(f, tf.constant(1))
    return name, "double" in text, "float" in text


def program_numpy_function_has_no_gradient(tf):
    @tf.function
    def f(x):
        return tf.numpy_function(lambda a: a * 2, [x], tf.float32)

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return failure(tape.gradient, y, x)[0]


def program_numpy_function_strings(tf):
    @tf.function
    def f(x):
        return tf.numpy_function(
            lambda a: np.array([s.upper() for s in a], object), [x], tf.string
        )

    return f(tf.constant(["a", "b"]))


def program_nested_tensors_are_refused(tf):
    @tf.function
    def f(x):
        return tf.py_function(lambda a: {"k": a}, [x], tf.int32)

    return failure(f, tf.constant(1))[0]


def program_name(tf):
    names = []

    @tf.function
    def f(x):
        y = tf.py_function(lambda a: a, [x], tf.int32, name="mine")
        z = tf.numpy_function(lambda a: a, [x], tf.int32, name="other")
        names.extend([y.op.name, y.op.type, z.op.name, z.op.type])
        return y

    f(tf.constant(1))
    return names


def _checked(tf, function, *args):
    tf.debugging.enable_check_numerics()
    try:
        # The op that the text ends with is the one that made the numbers.
        return [
            str(part).partition(" [Op:")[0]
            for part in failure(function, *args)
        ]
    finally:
        tf.debugging.disable_check_numerics()


def program_numpy_function_sees_arrays_when_eager(tf):
    kinds = []
    tf.numpy_function(
        lambda *values: kinds.append([type(v).__name__ for v in values])
        or np.int32(1),
        [tf.constant(1), tf.constant("s"), tf.constant(["s"])], tf.int32,
    )
    return kinds


def program_errors_when_eager(tf):
    def fail(x):
        raise KeyError("k")

    return [
        failure(tf.numpy_function, fail, [1], tf.int32),
        failure(tf.py_function, fail, [1], tf.int32)[0],
        failure(tf.py_function, lambda x: x, [1], tf.float32)[0],
        failure(tf.py_function, lambda x: None, [1], tf.float32)[0],
        failure(tf.py_function, lambda x: {"k": x}, [1], tf.float32)[0],
        failure(tf.numpy_function, lambda x: [1, 2], [1], tf.float32),
    ]


@phrase(
    "Graph execution error", "Detected at node EagerPyFunc", "in my_function",
    "ValueError: my text", "in fail", "[Op:__inference_my_function_N]",
)
def program_error_text(tf):
    def fail(x):
        raise ValueError("my text")

    @tf.function(autograph=False)
    def my_function(x):
        return tf.py_function(fail, [x], tf.int32)

    my_function(tf.constant(1))


def program_check_numerics_eager(tf):
    def bad(x):
        return tf.math.log(x) + 1.0

    bad_text = _checked(tf, bad, tf.constant([1.0, -1.0]))
    return bad_text, _checked(tf, bad, tf.constant([1.0]))


def program_check_numerics_several_inputs(tf):
    return _checked(
        tf, lambda x: 1.0 / x, tf.constant([[0.0, 1.0], [-0.0, 2.0]])
    )


@phrase(
    "Detected at node Log/CheckNumericsV2 defined at", "in bad",
    'Infinity or NaN in output 0 of graph op "Log" (# of outputs: 1)',
    "dtype: <dtype: 'float32'>", "shape: (2,)",
    'Input tensor: Tensor("sub:0", shape=(2,), dtype=float32)',
    'Graph name: "bad"', "Tensor had -Inf values",
    "[[{{node Log/CheckNumericsV2}}]] [Op:__inference_bad_N]",
)
def program_check_numerics_traced(tf):
    @tf.function
    def bad(x):
        y = x - 1.0
        return tf.math.log(y)

    tf.debugging.enable_check_numerics()
    try:
        bad(tf.constant([1.0, 2.0]))
    finally:
        tf.debugging.disable_check_numerics()


def program_check_numerics_infinities(tf):
    kind, text = _checked(
        tf, lambda x: 1.0 / x, tf.constant([[0.0, 1.0], [-0.0, 2.0]])
    )
    return [
        kind, "# of -Inf elements: 1" in text, "# of +Inf elements: 1" in text,
        "RealDiv" in text,
    ]


def program_check_numerics_is_idempotent(tf):
    tf.debugging.enable_check_numerics()
    tf.debugging.enable_check_numerics()
    tf.debugging.disable_check_numerics()
    result = failure(lambda: tf.math.log(-1.0))
    tf.debugging.disable_check_numerics()
    return result


def program_check_numerics_leaves_other_ops_alone(tf):
    return [
        _checked(tf, lambda: tf.constant([1, 2]) + 1),
        _checked(tf, lambda: tf.constant(["a"])),
        _checked(tf, lambda: tf.zeros([0])),
        _checked(tf, lambda: tf.Variable(1.0)),
    ]


def program_check_numerics_gradients(tf):
    def f():
        x = tf.constant(0.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sqrt(x)
        return tape.gradient(y, x)

    return _checked(tf, f)[0]


def _listed(tf, value):
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value


def program_composite_values(tf):
    ragged = tf.ragged.constant([[1, 2], [3]])
    spec = tf.RaggedTensorSpec([None, None], tf.int32)

    def step(x):
        return tf.py_function(lambda x: x * 2, [x], spec)

    @tf.function
    def shape():
        y = tf.py_function(
            lambda: tf.constant([1.0]), [], tf.TensorSpec([1], tf.float32)
        )
        return y

    def both(x):
        return tf.py_function(
            lambda x: (x.flat_values, x[:1]), [x], [tf.int32, spec]
        )

    return [
        _listed(tf, step(ragged)), _listed(tf, tf.function(step)(ragged)),
        shape(), [_listed(tf, part) for part in both(ragged)],
        tf.py_function(lambda x: x.nrows(), [ragged], tf.int64),
    ]


def program_composite_values_that_do_not_fit(tf):
    ragged = tf.ragged.constant([[1, 2], [3]])
    spec = tf.RaggedTensorSpec([None, None], tf.float32)
    return [
        failure(tf.py_function, lambda x: x, [ragged], spec)[0],
        failure(tf.py_function, lambda x: x, [ragged], tf.int32)[0],
    ]
