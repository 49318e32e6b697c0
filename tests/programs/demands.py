"""What programs demand of variables, side effects and gradients, by number;
`effects` and `variables` have more of 24 to 29."""

from __future__ import annotations

import numpy as np

from outcomes import failure, phrase


@phrase("tf.function only supports singleton tf.Variables")
def program_24_creation_on_every_call(tf):
    tf.function(lambda: tf.Variable(1))()


@phrase("tf.function only supports singleton tf.Variables")
def program_24_creation_on_every_call_by_get_concrete_function(tf):
    tf.function(lambda: tf.Variable(1) + 0).get_concrete_function()


def program_24_creation_on_the_first_call(tf):
    keep = []

    @tf.function
    def f(x):
        if not keep:
            keep.append(tf.Variable(2))
        return keep[0] + x

    concrete = f.get_concrete_function(tf.constant(1))
    return concrete(tf.constant(1)), f(tf.constant(3)), len(keep)


def program_25_initial_values(tf):
    def creating(initial_value):
        keep = []

        @tf.function
        def f(x):
            if not keep:
                keep.append(tf.Variable(initial_value(x)))
            return keep[0] * x

        results = [f(tf.constant(2.0)), f(tf.constant(3.0))]
        keep[0].assign(10.0)
        return [*results, f(tf.constant(2.0)), keep[0].numpy()]

    return [creating(make) for make in (
        lambda x: lambda: 5.0, lambda x: x * 2.0, lambda x: lambda: x * x,
    )]


def program_25_initialiser_runs_under_a_condition(tf):
    keep = []

    @tf.function
    def f(x):
        if not keep:
            keep.append(tf.Variable(tf.reduce_sum(x)))
        return keep[0] + 0

    return f(tf.constant([1, 2])), f(tf.constant([5, 6])), keep[0].numpy()


def program_26_names_of_variables(tf):
    with tf.name_scope("outside"), tf.device("CPU:0"):
        v = tf.Variable(1, name="v")
    return v.name, v.device


def program_27_assign_before_assert(tf):
    v = tf.Variable(0)

    @tf.function
    def check():
        tf.debugging.assert_equal(v.read_value(), 1)

    @tf.function
    def f():
        v.assign(1)
        check()
        return v.read_value()

    return f()


def program_28_control_outputs(tf):
    def count(attributes):
        @tf.function(experimental_attributes=attributes)
        def f(x):
            v.assign(x)
            tf.print(x)

        graph = f.get_concrete_function(tf.constant(1)).graph
        return len(graph.control_outputs)

    v = tf.Variable(0)
    return count(None), count({"_disable_acd": True})


def program_29_call_time_values(tf):
    value = [tf.constant(1)]

    @tf.function
    def f(x):
        graph = tf.compat.v1.get_default_graph()
        return x + graph.capture_call_time_value(
            lambda: value[0], tf.TensorSpec([], tf.int32)
        )

    results = [f(tf.constant(1))]
    value[0] = tf.constant(10)
    return results + [f(tf.constant(1)), f.experimental_get_tracing_count()]


@phrase("is out of scope", "was defined here:", 'File "demands.py", line')
def program_30_graph_tensor_in_eager_code(tf):
    leaked = []

    @tf.function
    def f(x):
        leaked.append(x + 1)
        return x

    f(tf.constant(1))
    return leaked[0] + 1


@phrase("is out of scope")
def program_30_tensor_of_a_loop(tf):
    leaked = []

    @tf.function
    def f(n):
        for i in tf.range(n):
            leaked.append(i + 1)
        return leaked[0] + n

    f(tf.constant(2))


@phrase("Graph execution error", "[Op:__inference_named_N]")
def program_31_failure_names_the_function(tf):
    @tf.function(autograph=False)
    def named(x):
        return tf.gather(x, [7])

    named(tf.constant([1]))


@phrase(
    'Function f has "_implements=some.name" attribute and thus can not depend '
    "on any tensors outside of its signature or modify variables.",
)
def program_32_implementations_capture_no_tensors(tf):
    outside = tf.constant(2.0)

    @tf.function(experimental_implements="some.name")
    def f(x):
        return x * outside

    f(tf.constant(1.0))


def program_32_implementations_and_variables(tf):
    v = tf.Variable(2.0)

    @tf.function(experimental_implements="some.name")
    def reads(x):
        return x * v

    @tf.function(experimental_implements="some.name")
    def alone(x):
        return x * 2.0

    return failure(reads, tf.constant(1.0))[0], alone(tf.constant(1.0))


def program_49_watching_is_per_tape(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x
    results = [inner.gradient(y, x), outer.gradient(y, x)]
    with tf.GradientTape() as tape:
        tape.watch(x)
        tape.reset()
        y = x * x
    results.append(tape.gradient(y, x))
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tape.stop_recording():
            y = x * x
    return results + [tape.gradient(y, x)]


def program_50_second_use_and_unconnected(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.jacobian(y, x)
    with tf.GradientTape() as other:
        other.watch(x)
        z = x * x
    return [
        failure(tape.jacobian, y, x)[0],
        failure(other.gradient, z, x, unconnected_gradients="nonsense"),
    ]


def program_51_one_object_as_two_arguments(tf):
    @tf.function
    def f(a, b):
        return a * a * b

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, x)
    return tape.gradient(y, [x, x])


def program_52_watching_an_array(tf):
    kind, text = failure(tf.GradientTape().watch, np.ones(2))
    return kind, "ndarray" in text


def program_53_conversions_of_numbers(tf):
    return [
        failure(tf.convert_to_tensor, 1.0, tf.int32)[0],
        failure(tf.convert_to_tensor, [1.5], tf.int64)[0],
    ]


def program_53_integers_wrap(tf):
    return [
        tf.convert_to_tensor(123456789, tf.uint8), tf.constant(-1, tf.uint8),
        tf.constant([300, -129], tf.int8), tf.constant([123456789], tf.uint16),
        failure(tf.constant, 2**64, tf.int64)[0],
        tf.function(lambda: tf.constant(123456789, tf.uint8))(),
    ]


def program_54_floats_and_ragged_lists(tf):
    kind, text = failure(tf.constant, [[1], [1, 2]])
    return tf.constant(1.5).dtype, kind, "non-rectangular" in text


def program_module_tree(tf):
    class Inner(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(1.0, name="w")
            self.fixed = tf.Variable(2.0, trainable=False, name="fixed")

    class OuterModule(tf.Module):
        def __init__(self, name=None):
            super().__init__(name=name)
            with self.name_scope:
                self.b = tf.Variable(3.0, name="b")
            self.parts = [Inner(), {"k": Inner()}]
            self.again = self.parts[0]

        @tf.Module.with_name_scope
        def make(self):
            return tf.Variable(4.0, name="made").name

    m = OuterModule()
    return [
        m.name, m.make(), [v.name for v in m.variables],
        [v.name for v in m.trainable_variables],
        [v.name for v in m.non_trainable_variables],
        [type(s).__name__ for s in m.submodules], m.name_scope.name,
        OuterModule(name="own").name,
        failure(OuterModule, name="not valid"),
        [str(path) for path, _ in m._flatten(
            predicate=lambda x: isinstance(x, tf.Variable), with_path=True
        )],
        len(list(m._flatten(recursive=False))) > 0,
    ]
