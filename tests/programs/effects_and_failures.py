"""What variables in functions, side effects, failures and the Function object
mean, point by point where no other module has it."""

from __future__ import annotations

import functools

from outcomes import failure, phrase


# Variables in functions.


def program_first_call_traces_twice(tf):
    ran = []
    keep = []

    @tf.function
    def f(x):
        ran.append(1)
        if not keep:
            keep.append(tf.Variable(2.0))
        return keep[0] * x

    def counts():
        return len(ran), f.experimental_get_tracing_count()

    results = [f(tf.constant(3.0)), counts()]
    f(tf.constant(4.0))
    return [*results, counts()]


@phrase("tf.function only supports singleton tf.Variables")
def program_later_trace_that_creates(tf):
    keep = {}

    @tf.function(autograph=False)
    def f(n):
        if n not in keep:
            keep[n] = tf.Variable(n)
        return keep[n] + 0

    f(1)
    f(2)


def program_creation_in_a_staged_branch(tf):
    keep = []

    @tf.function
    def f(x):
        if x > 0:
            if not keep:
                keep.append(tf.Variable(5))
            y = keep[0] + x
        else:
            y = x
        return y

    return f(tf.constant(1)), f(tf.constant(-1)), f(tf.constant(2))


@phrase("tf.function only supports singleton tf.Variables")
def program_creation_in_a_staged_loop(tf):
    @tf.function
    def f(n):
        total = n
        while total < 10:
            total += tf.Variable(5)
        return total

    f(tf.constant(1))


def program_creating_method_by_get_concrete_function(tf):
    class Model:
        v = None

        @tf.function
        def f(self, x):
            if self.v is None:
                self.v = tf.Variable(4.0)
            return self.v * x

    model = Model()
    cf = model.f.get_concrete_function(tf.constant(1.0))
    return cf(tf.constant(2.0)), model.v.numpy()


def program_methods_of_temporary_objects(tf):
    class Model:
        @tf.function
        def f(self, x):
            return x + 1

        @tf.function
        def g(self, x):
            return x + self.n

    return Model().f(tf.constant(1)), failure(Model().g, 1)[0] != "ok"


def program_variable_returned_is_its_value(tf):
    v = tf.Variable(1)
    result = tf.function(lambda: [v, v])()
    v.assign(2)
    return result


# Side effects.


def program_effects_are_gathered(tf):
    v = tf.Variable(1)

    @tf.function
    def f(x):
        v.assign(x)
        return x + 1, x

    cf = f.get_concrete_function(tf.constant(1))
    nodes = cf.graph.as_graph_def().node
    return [
        [list(n.input) for n in nodes if n.op == "NoOp"],
        [list(n.input) for n in nodes if n.op == "Identity"],
        sorted(cf.function_def.control_ret),
        [o.name for o in cf.graph.control_outputs],
        list(cf.function_def.signature.control_output),
    ]


def program_effects_without_resources_are_chained(tf):
    @tf.function
    def f(x):
        tf.print("a", x)
        tf.debugging.assert_positive(x)
        tf.print("b", x)
        tf.print("c", x)

    f(tf.constant(1))


def program_read_value_adds_an_identity(tf):
    v = tf.Variable(1)

    @tf.function
    def f():
        return v.read_value() + v.value() + v

    operations = f.get_concrete_function().graph.get_operations()
    return [(o.name, o.type) for o in operations if o.type != "NoOp"]


def program_names_of_reads_in_scopes(tf):
    v = tf.Variable(1, name="v")

    @tf.function
    def f():
        with tf.name_scope("s"):
            a = v.read_value()
            return a + v.read_value()

    operations = f.get_concrete_function().graph.get_operations()
    return [(o.name, o.type) for o in operations if o.type != "NoOp"]


def program_read_only_resource_inputs(tf):
    v, w = tf.Variable(1), tf.Variable(2)

    @tf.function
    def inner(x):
        v.assign(w + x)
        return w + x

    @tf.function
    def outer(x):
        return inner(x)

    graph = outer.get_concrete_function(tf.constant(1)).graph
    return [
        list(o.get_attr("_read_only_resource_inputs"))
        for o in graph.get_operations() if "PartitionedCall" in o.type
    ]


def program_static_asserts_fail_while_tracing(tf):
    ran = []

    @tf.function(autograph=False)
    def f():
        ran.append(1)
        tf.debugging.assert_equal(tf.constant(1), tf.constant(2))
        ran.append(2)

    return failure(f)[0], ran


def program_errors_of_unused_ops_do_not_appear(tf):
    @tf.function
    def f(x, i):
        tf.gather(x, i)
        x // 0
        return x

    return f(tf.constant([1, 2]), tf.constant([9]))


# Failures.


class _TwoArguments(Exception):
    def __init__(self, a, b):
        super().__init__(f"{a} {b}")


class _Own(Exception):
    pass


def program_errors_of_user_code_keep_their_class(tf):
    def value_error(x):
        raise ValueError("message")

    def key_error(x):
        return {}["missing"]

    def name_error(x):
        return undefined_name  # noqa: F821

    def own(x):
        raise _Own("message")

    def two_arguments(x):
        raise _TwoArguments(1, 2)

    def stop(x):
        return next(iter([]))

    def catch(raising):
        @tf.function
        def f(x):
            return raising(x)

        try:
            f(tf.constant(1))
        except Exception as error:
            return [
                isinstance(error, (ValueError, KeyError, NameError, _Own)),
                isinstance(error, StopIteration), "in user code:" in str(error),
            ]

    raisers = (value_error, key_error, name_error, own, two_arguments, stop)
    return [catch(r) for r in raisers]


@phrase(
    "in user code:\n\n    File \"effects_and_failures.py\", line", ", in f  *\n        "
    "return inner(x)\n", ", in inner  *\n        raise ValueError(\"boo\")\n",
    "\n\n    ValueError: boo\n",
)
def program_text_of_errors_in_user_code(tf):
    def inner(x):
        raise ValueError("boo")

    @tf.function
    def f(x):
        return inner(x)

    f(tf.constant(1))


@phrase(
    "assertion failed: [boo] [Condition x == y did not hold element-wise:]",
    "[1] [y (", ") = ] [5]",
)
def program_text_of_failed_assertions(tf):
    @tf.function
    def f(x, i):
        tf.debugging.assert_equal(x[i], 5, message="boo")

    f(tf.constant([1, 2]), tf.constant(0))


def program_failed_traces_are_not_kept(tf):
    good = [False]
    v = tf.Variable(0)

    @tf.function
    def f(x):
        v.assign_add(1)
        if not good[0]:
            raise _Own("not yet")
        return x + 1

    kind = failure(f, tf.constant(1))[0]
    good[0] = True
    return [
        kind, v.numpy(), f(tf.constant(1)), v.numpy(),
        f.experimental_get_tracing_count(),
    ]


# The Function object.


def program_public_names_of_functions(tf):
    f = tf.function(lambda x: x)
    return [hasattr(f, name) for name in (
        "experimental_get_compiler_ir", "experimental_get_tracing_count",
        "function_spec", "function_type", "get_concrete_function",
        "get_initialization_function", "input_signature", "name",
        "pretty_printed_concrete_signatures", "python_function", "__wrapped__",
        "__name__", "__doc__",
    )]


def program_initialization_function(tf):
    keep = []

    @tf.function
    def f(x):
        if not keep:
            keep.append(tf.Variable(tf.constant(7.0)))
        return keep[0] * x

    made = f.get_initialization_function(tf.constant(1.0))
    made()
    return keep[0].numpy(), f(tf.constant(2.0))


def program_callables_without_a_name(tf):
    class Callable:
        def __call__(self, x):
            return x + 1

    f = tf.function(Callable())
    return f(tf.constant(1)), failure(lambda: f.__name__)[0]


def program_unknown_experimental_attribute(tf):
    return failure(lambda: tf.function(
        lambda: 1, experimental_attributes={"a": 1}
    )())


def program_implements_is_an_attribute(tf):
    f = tf.function(lambda x: x + 1, experimental_implements="foo.bar")
    definition = f.get_concrete_function(tf.constant(1)).function_def
    return definition.attr["_implements"].s


def program_one_function_an_instance(tf):
    class Model:
        @tf.function
        def f(self, x):
            return x + 1

    a, b = Model(), Model()
    a.f(1), a.f(2), b.f(1)
    return [
        a.f is a.f, a.f is b.f, a.f.experimental_get_tracing_count(),
        b.f.experimental_get_tracing_count(),
        Model.f.experimental_get_tracing_count(),
    ]


def program_recursion_with_a_python_number(tf):
    @tf.function
    def f(n, x):
        return x if n == 0 else x * f(n - 1, x)

    return f(3, tf.constant(2)), f.experimental_get_tracing_count()


def program_layers_made_on_the_first_call(tf):
    class Dense(tf.Module):
        w = None

        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(tf.ones([x.shape[-1], 2]))
            return x @ self.w

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.layers = [Dense(), Dense()]

        @tf.function
        def __call__(self, x, training=False):
            for layer in self.layers:
                x = layer(x)
            return x * 2.0 if training else x

    model = Model()
    x = tf.ones([1, 3])
    results = [model(x), model(x, training=True), model(x, training=False)]
    return results + [
        model.__call__.experimental_get_tracing_count(), len(model.variables)
    ]


def program_eager_functions_check_nothing(tf):
    ran = []

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def f(x):
        ran.append(type(x).__name__)
        return x

    tf.config.run_functions_eagerly(True)
    try:
        results = [f("text"), f([1]), f.experimental_get_tracing_count()]
        cf = f.get_concrete_function()
        results += [cf(1.0), f.experimental_get_tracing_count()]
    finally:
        tf.config.run_functions_eagerly(False)
    return results, ran


def program_partials(tf):
    def f(x, y, z=3):
        return x * y + z

    g = tf.function(functools.partial(f, y=2))
    return g(tf.constant(1)), g(tf.constant(1), y=5), g(tf.constant(1), z=0)
