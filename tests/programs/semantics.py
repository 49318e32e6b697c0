"""What concrete functions, variables in functions, side effects, failures
and the Function object mean, point by point where no other module has it."""

from __future__ import annotations

import collections
import enum
import functools

import numpy as np

from outcomes import better, failure, phrase


# Keys of traces.


def _traces(f, *values):
    """How many traces there are after a call with each of the values."""
    counts = []
    for value in values:
        f(value)
        counts.append(f.experimental_get_tracing_count())
    return counts


@better([[1, 2], [3, 2], 1])  # Each array is another type there.
def program_keys_of_tensor_arrays(tf):
    f = tf.function(lambda a: a.stack(), autograph=False)
    a, b = (
        tf.TensorArray(tf.int32, 2).unstack(tf.constant([n, 2]))
        for n in (1, 3)
    )
    results = [f(x).numpy().tolist() for x in (a, b)]
    return results + [f.experimental_get_tracing_count()]


def program_keys_of_objects(tf):
    class Text(str):
        pass

    class Color(enum.Enum):
        RED = 1
        BLUE = 2

    text = Text("a")
    part = functools.partial(len)
    sets = frozenset([1]), frozenset([2, 3])
    f = tf.function(lambda x: None, autograph=False)
    return _traces(
        f, text, text, "a", Color.RED, Color.RED, Color.BLUE, tf.int32,
        tf.int32, tf.float32, part, part, *sets, sets[0],
    )


def program_unhashable_arguments(tf):
    class Unhashable:
        __hash__ = None

    f = tf.function(lambda x: None, autograph=False)
    return [
        failure(f, {1}), failure(f, slice(1, 2))[0],
        failure(f, Unhashable())[0], failure(f, [{1}])[0],
    ]


def program_general_traces_serve(tf):
    f = tf.function(lambda x: x + 1)
    general = f.get_concrete_function(tf.TensorSpec([None], tf.int32))
    three = f.get_concrete_function(tf.TensorSpec([3], tf.int32))
    return [general is three, _traces(f, tf.ones([3], tf.int32), 1)]


def program_binding_errors(tf):
    @tf.function
    def f(a, b=2):
        return a

    def only_text(args, kwargs):
        text = failure(f, *args, **kwargs)[1]
        return text.partition("Received")[0]

    return [
        only_text((), {}), only_text((1, 2, 3), {}), only_text((1,), {"a": 2}),
        only_text((1,), {"c": 2}),
    ]


# Concrete functions.


def program_structured_calls_fill_no_defaults(tf):
    @tf.function
    def f(a, b=3, *, c):
        return a * b + c

    a, c = tf.constant(2), tf.constant(1)
    cf = f.get_concrete_function(a, c=c)
    return [
        cf(a, 3, c=c), cf(a, b=3, c=c), cf(2, 3, c=1), cf(np.int32(2), 3, c=c),
        cf(a=a, c=c), failure(cf, a, 4, c=c)[0], failure(cf, a)[0],
        failure(cf, "x", 3, c=c)[0], failure(cf, object(), 3, c=c)[0],
    ]


@phrase(
    "Binding inputs to tf.function failed due to",
    "Fallback to flat signature also failed due to: f(aa, c)",
    "missing required arguments: c.",
)
def program_both_forms_of_call_fail(tf):
    @tf.function
    def f(a, b, c):
        return a + b + c

    scalar = tf.TensorSpec([], tf.int32)
    cf = f.get_concrete_function(
        tf.TensorSpec([], tf.int32, name="aa"), 3, scalar
    )
    cf(tf.constant(1))


def program_flat_calls(tf):
    @tf.function
    def f(x, y):
        return x["b"] - x["a"] * y[1]

    one, two, five = tf.constant(1), tf.constant(2), tf.constant(5)
    cf = f.get_concrete_function({"a": one, "b": two}, [7, five])
    names = [t.name for t in cf.structured_input_signature[0][1][1:]]
    return [
        names, cf(one, two, five), cf({"a": one, "b": two}, [7, five]),
        failure(cf, one, two)[0], failure(cf, one, two, five, five)[0],
        failure(cf, one, two, 3)[0],
    ]


@phrase(
    "was expected to be a int32 tensor but is a float tensor",
    "as input #0(zero-based)",
)
def program_concrete_function_with_another_dtype(tf):
    @tf.function
    def h(x):
        return x + 1

    h.get_concrete_function(tf.constant(1))(tf.constant(1.0))


def program_variables_are_read_for_tensor_arguments(tf):
    cf = tf.function(lambda x: x + 1).get_concrete_function(
        tf.TensorSpec([], tf.float32)
    )
    return cf(tf.Variable(2.0))


def program_concrete_functions_of_values_and_specs(tf):
    f = tf.function(lambda x, y, z=1: x + y + z)
    spec = tf.TensorSpec([None], tf.int32)
    first = f.get_concrete_function(spec, tf.constant(2))
    again = f.get_concrete_function(x=spec, y=tf.constant(5), z=1)
    closer = f.get_concrete_function(tf.constant([1]), 2)
    return [
        first is again, first is closer, f.experimental_get_tracing_count(),
        first(tf.constant([1, 2]), tf.constant(3), 1),
    ]


def program_function_names_and_gradient_pair(tf):
    @tf.function
    def f(x):
        return x * x

    cf = f.get_concrete_function(tf.constant(2.0))
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = cf(x)
    named = cf.name.startswith(b"__inference_f_")
    lambda_ = tf.function(lambda x: x, autograph=False)
    name = lambda_.get_concrete_function(x).name
    return [
        type(cf.name).__name__, named, tape.gradient(y, x),
        name.startswith(b"__inference_<lambda>_"),
        cf.function_def.signature.name == cf.name.decode(),
    ]


def program_structured_input_signature(tf):
    @tf.function
    def f(d, *args, k=1, **kw):
        return d["x"][0]

    one = tf.constant(1)
    cf = f.get_concrete_function(
        {"x": [one, 5]}, one, [one, "s"], k=one, other=one
    )
    return [
        repr(cf.structured_input_signature), [t.name for t in cf.inputs],
        [t.op.type for t in cf.inputs],
    ]


def program_structured_outputs(tf):
    @tf.function
    def f(x):
        return {"same": x, "twice": (x, x), "none": None, "const": 3}

    cf = f.get_concrete_function(tf.constant(1.0))
    outputs = cf.structured_outputs
    return [
        outputs["same"].name, [t.name for t in outputs["twice"]],
        outputs["none"], outputs["const"].name,
        [t.op.type for t in cf.outputs], cf.output_dtypes,
        str(cf.output_shapes),
        f(tf.constant(1.0)),
    ]


def program_parts_of_a_concrete_function(tf):
    v = tf.Variable(1.0)
    fixed = tf.Variable(2.0, trainable=False)
    eager = tf.constant(3.0)

    @tf.function
    def f(x):
        return x * v + fixed + eager

    cf = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    return [
        len(cf.inputs), [t.dtype for t in cf.inputs],
        [t is eager for t in cf.captured_inputs],
        type(cf.variables).__name__, [x is v for x in cf.variables],
        [x is v for x in cf.trainable_variables],
        cf.graph is cf.outputs[0].graph, str(cf.function_type),
        cf.function_def.signature.name == cf.name.decode(),
        [list(s.shape) for s in cf.inputs],
    ]


def program_printed_signatures(tf):
    @tf.function
    def f(a, b=3, *, c):
        return {"s": a, "t": (c, None, c)}

    empty = f.pretty_printed_concrete_signatures()
    cf = f.get_concrete_function(
        tf.TensorSpec([None], tf.float32, name="aa"), c=tf.constant(1.0)
    )
    text = cf.pretty_printed_signature()
    f.get_concrete_function(tf.constant(1), c=tf.constant(2))
    return [
        empty, text, str(cf) == text,
        cf.pretty_printed_signature(verbose=False),
        repr(cf).partition(" at 0x")[0], f.pretty_printed_concrete_signatures(),
    ]


def program_printed_captures(tf):
    v = tf.Variable(1.0)
    text = str(tf.function(lambda: v + 1).get_concrete_function())
    return text.partition("Captures:")[2].partition(": ")[2]


_Pair = collections.namedtuple("_Pair", "first second")


def program_what_may_be_returned(tf):
    v = tf.Variable([1.0])

    def f():
        return [
            3, "s", b"s", None, 2.5, True, np.ones(2), np.int8(4), v,
            _Pair(1, {"k": [2]}), (), {}, 1j, range(3),
            tf.TensorShape([2, 3]), {"a": 1}.keys(), {1: 2.0}.items(),
        ]

    return tf.function(f, autograph=False)()


def program_what_may_not_be_returned(tf):
    op = tf.function(lambda x: (x + 1).op)
    return [
        failure(tf.function(lambda: value, autograph=False))
        for value in (
            {1}, frozenset([1]), print, tf.int32, tf.TensorShape([None]),
            object, tf.function,
        )
    ] + [failure(op, tf.constant(1))[0]]


def program_captured_tensors_in_graph_defs(tf):
    small = tf.zeros([128])
    large = tf.zeros([129])
    text = tf.constant(["a", "b"])

    @tf.function
    def f():
        return small + 1.0, large + 1.0, tf.identity(text), np.ones(300) + 1

    cf = f.get_concrete_function()
    kinds = sorted(
        (n.name, n.op) for n in cf.graph.as_graph_def().node
        if n.op in ("Const", "Placeholder")
    )
    args = [a.name for a in cf.function_def.signature.input_arg]
    return kinds, args, len(cf.captured_inputs)


def program_arrays_and_numbers_are_constants(tf):
    array = np.arange(3)

    @tf.function
    def f(x):
        return x + array + 2

    cf = f.get_concrete_function(tf.TensorSpec([3], tf.int64))
    return [
        [(o.name, o.type) for o in cf.graph.get_operations()],
        len(cf.captured_inputs),
    ]


def program_captured_variables(tf):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f():
        return v + v.read_value()

    cf = f.get_concrete_function()
    handle = cf.inputs[0]
    return [
        handle.op.name, handle.op.type, handle.dtype, handle.shape.as_list(),
        [
            (o.name, o.type) for o in cf.graph.get_operations()
            if o.type != "NoOp"
        ],
    ]


def program_nested_captures_and_shared_traces(tf):
    eager = tf.constant(2.0)
    v = tf.Variable(3.0)

    @tf.function
    def inner(x):
        return x * eager

    @tf.function
    def writing(x):
        v.assign_add(x)
        return v.read_value()

    @tf.function
    def outer(x):
        return inner(x) + inner(x + 1) + writing(x)

    cf = outer.get_concrete_function(tf.constant(1.0))
    graph_def = cf.graph.as_graph_def()
    calls = [n.op for n in graph_def.node if "PartitionedCall" in n.op]
    names = [
        f.signature.name.rpartition("_")[0]
        for f in graph_def.library.function
    ]
    return [
        calls, sorted(names), len(cf.captured_inputs),
        outer(tf.constant(1.0)), inner.experimental_get_tracing_count(),
    ]


@phrase(
    "out of scope and cannot be used here", "was defined here:",
    "cannot be accessed from FuncGraph(name=f, id=",
    "because it was defined in FuncGraph(name=while_body",
)
def program_tensor_of_a_loop_body(tf):
    @tf.function
    def f(n):
        kept = []
        for i in tf.range(n):
            kept.append(i + 1)
        return kept[0] + 1

    f(tf.constant(2))


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
    "in user code:\n\n    File \"semantics.py\", line", ", in f  *\n        "
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
