"""What runs, in which order, and what is left out."""

from __future__ import annotations

import numpy as np

from outcomes import failure, phrase


def _graph_ops(concrete, *types):
    return [
        op for op in concrete.graph.get_operations() if op.type in types
    ]


def program_unused_stateless_ops_are_left_out(tf):
    @tf.function
    def f(x):
        tf.gather(x, [10])  # out of range
        tf.constant(1) // tf.size(x[3:])  # by zero
        return x

    return f(tf.constant([1, 2, 3]))


def program_unused_assertion_fails(tf):
    @tf.function
    def f(x):
        tf.debugging.assert_less(x, 1)
        return x

    return f(tf.constant(0)), failure(f, tf.constant(1))


def program_unused_py_function_runs(tf):
    seen = []

    @tf.function
    def f(x):
        tf.py_function(lambda a: seen.append(int(a)), [x], [])
        tf.numpy_function(lambda a: np.int32(seen.append(-int(a)) or 0), [x],
                          tf.int32)
        return x

    f(tf.constant(1)), f(tf.constant(2))
    return seen


def program_stateless_numpy_function_is_left_out(tf):
    seen = []

    @tf.function
    def f(x):
        tf.numpy_function(
            lambda a: np.int32(seen.append(int(a)) or 0), [x], tf.int32,
            stateful=False,
        )
        return x

    f(tf.constant(1))
    return seen


def program_order_of_effects(tf):
    seen = []
    v = tf.Variable(0)

    def note(x):
        seen.append(int(x))
        return x

    @tf.function
    def f():
        tf.py_function(note, [1], tf.int32)
        v.assign(5)
        tf.py_function(note, [v + 0], tf.int32)
        v.assign_add(1)
        tf.py_function(note, [v + 0], tf.int32)
        v.assign(v * 2)
        tf.py_function(note, [v + 0], tf.int32)
        return v.read_value()

    return f(), seen


def program_reads_and_writes(tf):
    v = tf.Variable(1.0)
    w = tf.Variable(10.0)

    @tf.function
    def f(x):
        a = v + 0.0
        v.assign(x)
        b = v + 0.0
        w.assign_sub(v)
        v.assign_add(w)
        c = v + 0.0
        return a, b, c, w.read_value()

    return f(tf.constant(3.0)), v, w


def program_two_stateful_ops_two_control_outputs(tf):
    v = tf.Variable(1)

    @tf.function
    def f():
        v.assign_add(1)
        v.assign_add(2)
        return tf.constant(0)

    concrete = f.get_concrete_function()
    return len(concrete.graph.control_outputs), [
        op.type for op in concrete.graph.control_outputs
    ]


def program_print_and_assert_are_control_outputs(tf):
    @tf.function
    def f(x):
        tf.print(x, output_stream="file:///dev/null")
        tf.debugging.assert_equal(x, 1)
        tf.random.uniform([])
        return x

    concrete = f.get_concrete_function(tf.constant(1))
    return len(concrete.graph.control_outputs)


def program_disable_acd(tf):
    v = tf.Variable(1)

    @tf.function(experimental_attributes={"_disable_acd": True})
    def f():
        v.assign_add(1)
        v.assign_add(2)
        return tf.constant(0)

    concrete = f.get_concrete_function()
    return len(concrete.graph.control_outputs)


def program_attribute_disable_acd_by_other_name(tf):
    v = tf.Variable(1)

    def f():
        v.assign_add(1)
        return tf.constant(0)

    return failure(
        lambda: len(
            tf.function(f, experimental_attributes={"disable_acd": True})
            .get_concrete_function().graph.control_outputs
        )
    )


def program_control_inputs_of_assignments(tf):
    v = tf.Variable(1)
    w = tf.Variable(1)

    @tf.function
    def f():
        v.assign(2)
        w.assign(3)
        v.assign_add(4)
        return v + w

    concrete = f.get_concrete_function()
    kinds = ("AssignVariableOp", "AssignAddVariableOp", "ReadVariableOp")
    names = {}
    found = []
    for op in _graph_ops(concrete, *kinds):
        names[op.name] = len(names)
        found.append([op.type, sorted(
            names[c.name] for c in op.control_inputs if c.name in names
        )])
    return found


def program_control_inputs_of_reads(tf):
    v = tf.Variable(1)

    @tf.function
    def f():
        a = v.read_value()
        b = v.read_value()
        v.assign(a + b)
        c = v.read_value()
        d = v.read_value()
        return c + d

    concrete = f.get_concrete_function()
    kinds = ("AssignVariableOp", "ReadVariableOp")
    names = {}
    found = []
    for op in _graph_ops(concrete, *kinds):
        names[op.name] = len(names)
        found.append([op.type, sorted(
            names[c.name] for c in op.control_inputs if c.name in names
        )])
    return found


def program_order_across_nested_functions(tf):
    v = tf.Variable(0)

    @tf.function
    def add(n):
        v.assign_add(n)

    @tf.function
    def check(n):
        tf.debugging.assert_equal(v.read_value(), n)

    @tf.function
    def f():
        add(1)
        check(1)
        add(2)
        check(3)
        v.assign(0)
        check(0)
        return v.read_value()

    return f()


def program_nested_reads_are_not_writes(tf):
    v = tf.Variable(1)

    @tf.function
    def read():
        return v + 1

    @tf.function
    def f():
        return read() + read()

    concrete = f.get_concrete_function()
    calls = _graph_ops(concrete, "PartitionedCall", "StatefulPartitionedCall")
    return f(), [(op.type, len(op.control_inputs)) for op in calls]


def program_kind_of_nested_call(tf):
    v = tf.Variable(1)

    @tf.function
    def pure(x):
        return x + 1

    @tf.function
    def impure(x):
        v.assign_add(x)
        return x

    @tf.function
    def f(x):
        return pure(x) + impure(x)

    concrete = f.get_concrete_function(tf.constant(1))
    return [op.type for op in _graph_ops(
        concrete, "PartitionedCall", "StatefulPartitionedCall"
    )]


def program_random_ops_run_only_if_needed(tf):
    @tf.function
    def f(x):
        tf.random.uniform([2])
        return x

    return [
        op.type for op in
        f.get_concrete_function(tf.constant(1)).graph.control_outputs
    ]


def program_control_dependencies_in_a_function(tf):
    seen = []

    @tf.function
    def f(x):
        op = tf.py_function(lambda a: seen.append(int(a)), [x], [])
        with tf.control_dependencies([op, x]):
            y = tf.identity(x)
        with tf.control_dependencies([]):
            y = y + 1
        with tf.control_dependencies(None):
            return y

    return f(tf.constant(1)), seen


def program_control_inputs_of_operations(tf):
    found = {}

    @tf.function
    def f(x, y):
        with tf.control_dependencies([x]):
            a = tf.identity(y, name="a")
            with tf.control_dependencies([a]):
                b = tf.identity(y, name="b")
                with tf.control_dependencies(None):
                    c = tf.identity(y, name="c")
            d = tf.identity(x, name="d")
        for t in (a, b, c, d):
            found[t.op.name] = sorted(i.name for i in t.op.control_inputs)
        return a

    f(tf.constant(1), tf.constant(2))
    return found


def program_control_dependencies_on_others(tf):
    found = []

    @tf.function
    def f(x):
        for item in (None, 3, "x"):
            def use():
                with tf.control_dependencies([item]):
                    return tf.identity(x)

            found.append(failure(use)[0])
        return x

    f(tf.constant(1))
    return found


def program_control_dependencies_eager(tf):
    seen = []
    with tf.control_dependencies([tf.constant(1), lambda: seen.append(1)]):
        seen.append(2)
    with tf.control_dependencies(None):
        seen.append(3)
    return seen


def program_group_and_tuple(tf):
    seen = []

    @tf.function
    def f(x):
        op = tf.py_function(lambda a: seen.append(int(a)), [x], [])
        group = tf.group(x, [op, {"k": x}], name="g")
        a, b, none = tf.tuple([x, x + 1, None], control_inputs=[group])
        return a, b, none, group.name

    return f(tf.constant(1))[:3], seen, tf.group(1), tf.group()


def program_group_arguments(tf):
    found = []

    @tf.function
    def f(x):
        found.append(tf.group().type)
        found.append(tf.group(x).type)
        found.append(failure(tf.group, 3)[0])
        found.append(failure(tf.group, x, other=1))
        found.append(failure(tf.tuple, [None])[0])
        return x

    f(tf.constant(1))
    return found


def program_capture_by_call_time_value(tf):
    value = [1]
    graph_value = tf.Variable(5)

    @tf.function
    def f(x):
        graph = tf.compat.v1.get_default_graph()
        captured = graph.capture_call_time_value(
            lambda: tf.constant(value[0]), tf.TensorSpec([], tf.int32)
        )
        return x + captured + graph_value

    results = [f(tf.constant(1))]
    value[0] = 10
    results.append(f(tf.constant(1)))
    return results, f.experimental_get_tracing_count()


def program_call_time_value_of_a_python_number(tf):
    value = [1.5]

    @tf.function
    def f():
        graph = tf.compat.v1.get_default_graph()
        return graph.capture_call_time_value(
            lambda: value[0], tf.TensorSpec([], tf.float32)
        )

    results = [f()]
    value[0] = 2.5
    return results + [f()]


def program_call_time_value_by_key(tf):
    values = [tf.constant(1), tf.constant(2)]

    @tf.function
    def f():
        graph = tf.compat.v1.get_default_graph()
        spec = tf.TensorSpec([], tf.int32)
        a = graph.capture_call_time_value(lambda: values[0], spec, key="k")
        b = graph.capture_call_time_value(lambda: values[1], spec, key="k")
        c = graph.capture_call_time_value(lambda: values[1], spec, key="l")
        return a, b, c

    return f()


def program_call_time_value_in_a_nested_function(tf):
    value = [tf.constant(1)]

    @tf.function
    def inner():
        graph = tf.compat.v1.get_default_graph()
        return graph.capture_call_time_value(
            lambda: value[0], tf.TensorSpec([], tf.int32)
        )

    @tf.function
    def f():
        return inner() * 10

    results = [f()]
    value[0] = tf.constant(2)
    return results + [f()]


def program_call_time_value_of_another_type(tf):
    value = [tf.constant(1)]

    @tf.function
    def f():
        graph = tf.compat.v1.get_default_graph()
        return graph.capture_call_time_value(
            lambda: value[0], tf.TensorSpec([], tf.int32)
        )

    f()
    value[0] = tf.constant(1.5)
    return failure(f)[0]


def program_side_effects_of_python_run_once(tf):
    seen = []

    @tf.function
    def f(x):
        seen.append("traced")
        return x

    f(1), f(1), f(2), f(tf.constant(1)), f(tf.constant(2))
    return seen


def program_exception_in_the_body_leaves_no_trace(tf):
    state = [True]

    @tf.function(autograph=False)
    def f(x):
        if state[0]:
            raise KeyError("my key")
        return x

    results = [failure(f, tf.constant(1)), f.experimental_get_tracing_count()]
    state[0] = False
    results += [f(tf.constant(1)), f.experimental_get_tracing_count()]
    return results


@phrase("Shape must be rank 2 but is rank 0 for '{{node MatMul}}")
def program_shape_error_of_rank(tf):
    @tf.function(autograph=False)
    def f(x):
        return tf.matmul(x, x)

    f(tf.constant(1.0))


@phrase("Dimensions must be equal, but are 2 and 3 for '{{node mul}}")
def program_shape_error_of_dimensions(tf):
    @tf.function(autograph=False)
    def f(x, y):
        return x * y

    f(tf.ones([2]), tf.ones([3]))


@phrase(
    "Graph execution error", "Detected at node GatherV2 defined at", "in bad",
    "indices[0] = 5 is not in [0, 3)", "[[{{node GatherV2}}]]",
    "[Op:__inference_bad_N]",
)
def program_run_time_error(tf):
    @tf.function
    def bad(x, i):
        return tf.gather(x, i)

    bad(tf.constant([1, 2, 3]), tf.constant([5]))


@phrase("is out of scope")
def program_leaked_tensor_in_another_function(tf):
    leaked = []

    @tf.function
    def f(x):
        leaked.append(x + 1)
        return x

    @tf.function(autograph=False)
    def g():
        return leaked[0] + 1

    f(tf.constant(1))
    return g()


def program_no_numpy_while_tracing(tf):
    found = []

    @tf.function(autograph=False)
    def f(x):
        found.append(failure(lambda: x.numpy()))
        found.append(failure(lambda: bool(x > 0))[0])
        found.append(failure(lambda: int(x))[0])
        found.append(failure(lambda: float(x))[0])
        found.append(failure(lambda: [y for y in x])[0])
        found.append(failure(lambda: np.asarray(x))[0])
        found.append(failure(lambda: len(x))[0])
        return x

    f(tf.constant(1))
    return found
