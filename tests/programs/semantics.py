"""What keys of traces and concrete functions mean, point by point where no other
module has it."""

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
