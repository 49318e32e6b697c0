"""tf.function: where code runs, eagerly or in which graph, and the names of ops."""

from __future__ import annotations

import functools
import warnings

import numpy as np
from outcomes import failure, phrase


def _count(f):
    return f.experimental_get_tracing_count()


def program_run_functions_eagerly(tf):
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def f(x):
        seen.append([tf.executing_eagerly(), type(x).__name__ == "str"])
        return x

    states = [tf.config.functions_run_eagerly()]
    tf.config.run_functions_eagerly(True)
    try:
        states.append(tf.config.functions_run_eagerly())
        results = [f(tf.constant(1.0)), f("text"), f(2)]
        counts = _count(f)
        concrete = f.get_concrete_function()
        results.append(concrete(tf.constant(3.0)))
    finally:
        tf.config.run_functions_eagerly(False)
    states.append(tf.config.functions_run_eagerly())
    return states, results, counts, seen


def program_run_eagerly_creates_variables_each_time(tf):
    tf.config.run_functions_eagerly(True)
    try:
        @tf.function
        def f():
            return tf.Variable(1) + 1

        return f(), f()
    finally:
        tf.config.run_functions_eagerly(False)


def program_where_code_runs(tf):
    seen = []

    def look():
        seen.append([tf.executing_eagerly(), tf.inside_function()])

    @tf.function
    def f(x):
        look()
        with tf.init_scope():
            look()
            tf.constant(1).numpy()
        look()
        return x

    look()
    f(tf.constant(1))
    with tf.Graph().as_default():
        look()
        with tf.init_scope():
            look()
    return seen


def program_init_scope_nested(tf):
    seen = []

    @tf.function
    def inner(x):
        with tf.init_scope():
            seen.append(tf.constant(2).numpy())
        return x

    @tf.function
    def outer(x):
        return inner(x)

    outer(tf.constant(1))
    return seen


@phrase("is out of scope")
def program_init_scope_and_symbolic_tensors(tf):
    @tf.function(autograph=False)
    def f(x):
        with tf.init_scope():
            return x + 1

    f(tf.constant(1))


def program_init_scope_creates_variables(tf):
    made = []

    @tf.function
    def f(x):
        with tf.init_scope():
            if not made:
                made.append(tf.Variable(5))
        return x + made[0]

    return f(tf.constant(1)), f(tf.constant(2)), _count(f)


def program_no_gradient(tf):
    return [
        failure(tf.no_gradient, "MyOwnOp")[0],
        failure(tf.no_gradient, 3),
    ]


def program_generators(tf):
    def f():
        yield 1

    # The original fails in its own way; a Function of one is refused.
    return failure(lambda: tf.function(f)())[0]


def program_coroutine(tf):
    async def f():
        return 1

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return failure(lambda: tf.function(f)())[0]


def program_defaults_and_keywords(tf):
    @tf.function
    def f(a, b=2, *args, c=3, **kwargs):
        return a + b + sum(args) + c + sum(kwargs.values())

    return [
        f(1), f(1, 2), f(a=1), f(1, c=3), f(1, 2, 3, 4, c=5, d=6), _count(f),
    ]


def program_closure_values_are_frozen(tf):
    n = 1

    @tf.function
    def f(x):
        return x + n

    results = [f(tf.constant(1))]
    n = 10
    results.append(f(tf.constant(1)))
    results.append(f(tf.constant(1.0)))
    return results


def program_recursion(tf):
    @tf.function
    def factorial(n):
        return 1 if n == 0 else n * factorial(n - 1)

    return factorial(4), _count(factorial)


def program_returns(tf):
    @tf.function
    def f(what):
        return {
            "none": None, "number": 3, "float": 1.5, "text": "x",
            "array": np.ones(2), "tuple": (1, [2, {"k": 3}]),
            "bool": True, "empty": (), "list": [],
        }[what]

    return [f(what) for what in (
        "none", "number", "float", "text", "array", "tuple", "bool", "empty",
        "list",
    )]


@phrase(
    "To be compatible with tf.function, Python functions must return zero or "
    "more Tensors or ExtensionTypes or None values; in compilation of",
    "found return value of type set, which is not a Tensor or ExtensionType.",
)
def program_returns_a_set(tf):
    tf.function(lambda: {1})()


def program_name_scopes(tf):
    names = []

    @tf.function
    def f(x):
        with tf.name_scope("a") as scope:
            names.append(scope)
            names.append((x + 1).name)
            with tf.name_scope("b"):
                names.append(tf.add(x, 1, name="mine").name)
                names.append(tf.compat.v1.get_default_graph().get_name_scope())
            with tf.name_scope("b"):
                names.append((x * 2).name)
        with tf.name_scope("a"):
            names.append((x + 1).name)
        with tf.name_scope("a/"):
            names.append((x + 1).name)
        with tf.name_scope("") as top:
            names.append(top)
        return x

    f(tf.constant(1))
    names.append(failure(tf.name_scope, None))
    names.append(failure(tf.name_scope, 3))
    return names


def program_eager_name_scopes(tf):
    names = []
    with tf.name_scope("a") as scope:
        names.append(scope)
        names.append(tf.Variable(1, name="v").name)
        with tf.name_scope("b") as scope:
            names.append(scope)
            names.append(tf.Variable(1).name)
    with tf.name_scope("a") as scope:
        names.append(scope)
    with tf.name_scope("x/") as scope:
        names.append(scope)
        with tf.name_scope("y/") as scope:
            names.append(scope)
    names.append(tf.name_scope("n").name)
    return names


def program_name_scope_is_kept_in_functions(tf):
    names = []

    @tf.function
    def f(x):
        names.append((x + 1).name)
        return x

    with tf.name_scope("outside"):
        f(tf.constant(1))
    return names


def program_graph_building(tf):
    g = tf.Graph()
    v1 = tf.compat.v1
    with g.as_default():
        a = tf.constant(2.0, name="a")
        p = v1.placeholder(tf.float32, [None, 2], name="p")
        b = tf.reduce_sum(p) * a
        inside = [
            v1.get_default_graph() is g, a.graph is g, b.op.graph is g,
            tf.executing_eagerly(), tf.inside_function(),
        ]
        with g.name_scope("scope"):
            c = tf.add(a, 1.0, name="c")
        with g.control_dependencies([c]):
            d = tf.identity(b, name="d")
        with tf.control_dependencies(None):
            e = tf.identity(b)
    return [
        inside, a.name, p.name, str(p.shape), c.name, d.name,
        [i.name for i in d.op.control_inputs], len(e.op.control_inputs),
        [op.name for op in g.get_operations()],
        g.get_tensor_by_name("a:0") is not None,
        g.get_operation_by_name("scope/c").type,
        g.as_graph_element("a").name, g.as_graph_element("a:0").name,
        tf.executing_eagerly(), [i.name for i in b.op.inputs],
        [op.name for op in a.consumers()],
    ]


def program_graph_errors(tf):
    g = tf.Graph()
    with g.as_default():
        a = tf.constant(1, name="a")
    return [
        failure(g.get_tensor_by_name, "a"),
        failure(g.get_tensor_by_name, "b:0"),
        failure(g.get_tensor_by_name, "a:7")[0],
        failure(g.get_operation_by_name, "b"),
        failure(g.get_operation_by_name, 3),
        failure(g.get_tensor_by_name, 3),
        failure(g.as_graph_element, 3),
        failure(g.as_graph_element, tf.Graph())[0],
        failure(g.as_graph_element, "a:0", allow_tensor=False)[0],
        failure(g.as_graph_element, "a", allow_operation=False)[0],
        failure(lambda: a + 1)[0],
        failure(lambda: bool(a == a)),
        failure(lambda: a.numpy()),
        failure(tf.compat.v1.placeholder, tf.float32),
    ]


def program_graph_mixing(tf):
    g, h = tf.Graph(), tf.Graph()
    with g.as_default():
        a = tf.constant(1, name="a")
    with h.as_default():
        return failure(lambda: a + tf.constant(2))[0]


def program_graph_does_not_order_effects(tf):
    with tf.Graph().as_default() as g:
        tf.print("x")
        tf.print("y")
        return [len(op.control_inputs) for op in g.get_operations()
                if op.type == "PrintV2"]


def program_graph_versions(tf):
    g = tf.Graph()
    with g.as_default():
        tf.constant(1)
        g.add_to_collection("c", 1)
        g.add_to_collections(["c", "d"], 2)
    results = [
        g.building_function, g.seed, g.finalized, g.get_collection("c"),
        g.get_collection("none"), sorted(g.get_all_collection_keys()),
        g.get_collection_ref("d"), sorted(g.collections),
    ]
    g.clear_collection("c")
    g.finalize()
    results += [g.get_collection("c"), g.finalized]
    with g.as_default():
        results.append(failure(tf.constant, 1))
    return results


def program_implements_restrictions(tf):
    y = tf.constant(2.0)
    v = tf.Variable(1.0)
    make = functools.partial(
        tf.function, autograph=False, experimental_implements="a.b"
    )
    x = tf.constant(1.0)
    results = []
    for f in (
        make(lambda x: x + 1.0), make(lambda x: x + y), make(lambda x: x + v),
        make(lambda x: v.assign(x)),
    ):
        kind, what = failure(f, x)
        text = str(what)
        results.append([kind, what if kind == "ok" else
                        '"_implements=a.b" attribute' in text])
    attr = make(lambda x: x).get_concrete_function(x).function_def.attr
    return results, attr["_implements"].s
