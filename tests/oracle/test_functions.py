"""One table of functions, traced and called on both libraries: values,
gradients, number of traces, printed signatures, structures, graphs."""

from __future__ import annotations

import collections
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Point = collections.namedtuple("Point", "a b")

# What is traced, then what it is called with.
LINES = """
lambda x: x + 1.0 | F
lambda x: x * x - x / 3.0 | V
lambda x, y: x @ y | M, M
lambda x, y=2.0: x * y | V
lambda x, y=2.0: x * y | V, 3.0
lambda x, y=2.0: x * y | V, y=F
lambda x, *, k: x + k | V, k=F
lambda x, *, k=3: x * k | I
lambda *args: args[0] + args[1] | F, F
lambda *args: args[1][0] * args[0] | F, [F, 1.0]
lambda **kw: kw["b"] - kw["a"] | b=F, a=V
lambda a, *args, k=1.0, **kw: a + args[0] + k + kw["z"] | F, F, z=F
lambda d: d["x"][0] + d["y"] | {"y": F, "x": [V, 5]}
lambda d: d["b"] - d["a"] | collections.OrderedDict([("b", F), ("a", V)])
lambda p: p.a * p.b | Point(F, V)
lambda p: Point(p.b, [p.a]) | Point(F, V)
lambda t: (t[0] + t[1][0], t[1][1]) | (F, (F, V))
lambda t: [t[0] * 2.0, None, t[1]] | [F, "text"]
lambda x: x | F
lambda x: (x, x) | V
lambda x: None | F
lambda x: {"b": x, "a": x * 2.0} | F
lambda x: collections.OrderedDict(z=x, a=(x, None)) | F
lambda x: 3 | F
lambda x: [1.5, "s", b"t", True, np.ones(2)] | F
lambda: tf.constant([1, 2]) |
lambda x, n: x * float(n) | F, 4
lambda x, n: x | F, None
lambda x, n: x | F, "name"
lambda x, n: x | F, b"bytes"
lambda x, n: x | F, (1, 2.5, "a")
lambda x, n: x | F, {"k": 1, "a": [2]}
lambda x, n: x | F, range(3)
lambda x: tf.reduce_sum(x, axis=0) | M
lambda x: tf.nn.softmax(x) | M
lambda x: tf.nn.relu(x) + tf.sigmoid(x) * tf.tanh(x) | V
lambda x: tf.exp(tf.math.log(x)) | P
lambda x: tf.concat([x, x], 1) | M
lambda x: tf.split(x, 3, axis=1) | M
lambda x: tf.stack(tf.unstack(x)) | M
lambda x: x[0, ::-1] + x[:, 1] | M
lambda x: x[1:, ..., None] | M
lambda x: tf.gather(x, [0, 0, 1]) | V
lambda x: tf.where(x > 1.0, x, -x) | V
lambda x: tf.cast(x, tf.int32) // 2 | V
lambda x: tf.reshape(tf.transpose(x), [-1]) | M
lambda x: tf.shape(x)[0] + tf.size(x) | M
lambda x: tf.reduce_mean(x) + tf.reduce_max(x) - tf.reduce_prod(x) | M
lambda x: tf.matmul(x, x, transpose_b=True) | M
lambda x: tf.linalg.matvec(x, x[0]) | M
lambda x: tf.square(x) ** 2.0 | V
lambda x: tf.clip_by_value(x, 0.0, 1.0) | V
lambda x: -abs(x) % 2.0 | V
lambda x: tf.maximum(x, 0.0) + tf.minimum(x, 1.0) | V
lambda x: tf.one_hot(x, 4) | I
lambda x: x + x[::-1] | S
lambda x: tf.strings.join([x, x]) | S
lambda x: tf.strings.length(x) | S
lambda x: tf.zeros_like(x) + tf.ones_like(x) | V
lambda x: tf.tile(x, [2]) + tf.pad(x, [[1, 1]])[:4] * 0.0 | V2
lambda x: tf.stop_gradient(x) * x | V
lambda x: tf.identity(x, name="renamed") | F
lambda x: tf.add(x, x, name="sum") * 2.0 | F
lambda x: tf.nn.bias_add(tf.matmul(x, x), x[0]) | M
lambda x: tf.nn.moments(x, [0]) | M
lambda x: tf.einsum("ij,jk->ik", x, x) | M
lambda x: tf.add_n([x, x, x]) | V
lambda x: tf.cumsum(x) | V
lambda x: tf.nn.top_k(x, 2) | V
lambda x: tf.argmax(x, 1) | M
lambda x: tf.complex(x, x) | V
lambda x: tf.logical_not(x) | B
lambda x: ~x & (x | True) | B
lambda x: x | 1 | I
lambda x: tf.numpy_function(lambda a: a * 2, [x], tf.float32) | V
lambda v: v + 1.0 | W
lambda v, w: v * w | W, W
lambda v: v.assign_add([1.0, 2.0]) | W
lambda x, v: x * v.read_value() | F, W
lambda x: tf.ensure_shape(x, [2]) | V2
lambda x: tf.raw_ops.AddV2(x=x, y=x) | F
lambda x: inner(x) + inner(x * 2.0) | F
lambda x: inner(x, 3.0) | F
lambda x: const * x + big | V3
lambda x: variable * x | F
lambda x: variable.assign(x) + variable | F
lambda x: (variable.assign_add(x), variable.assign_sub(1.0))[0] | F
lambda x: uses_variable(x) + variable | F
lambda x: gradient_of(tf.square, x) | F
"""
CASES = [
    tuple(part.strip() for part in line.rsplit(" | ", 1))
    if " | " in line
    else (line.rstrip(" |"), "")
    for line in LINES.strip().splitlines()
]


def name_scopes(tf, env):
    def f(x):
        with tf.name_scope("outer"):
            y = x + 1.0
            with tf.name_scope("inner") as scope:
                z = tf.multiply(y, 2.0, name="product")
                assert scope == "outer/inner/"
            with tf.name_scope("inner"):
                z = z * y
        with tf.name_scope("outer"):
            z = z - 1.0
        with tf.name_scope("outer/"):
            z = z - 2.0
        return tf.identity(z, name="end")

    return f, [env["V"]]


def controlled(tf, env):
    def f(x):
        a = x * 2.0
        with tf.control_dependencies([a]):
            b = x + 1.0
            with tf.control_dependencies([b]):
                c = tf.identity(x)
            with tf.control_dependencies(None):
                d = x - 1.0
        return b + c + d

    return f, [env["F"]]


def gradients(tf, env):
    def f(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = tf.reduce_sum(tf.matmul(x, y) * tf.sin(x))
        return tape.gradient(z, {"x": x, "y": y})

    return f, [env["M"], env["M"]]


def variable_gradients(tf, env):
    w = env["weights"]

    def f(x):
        with tf.GradientTape() as tape:
            z = tf.reduce_mean((tf.matmul(x, w) - 1.0) ** 2)
        (g,) = tape.gradient(z, [w])
        w.assign_sub(0.1 * g)
        return z

    return f, [env["M"]]


def second_order(tf, env):
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(x * x * x)
            g = tape.gradient(y, x)
        return outer.gradient(g, x)

    return f, [env["V"]]


def nested_gradient(tf, env):
    @tf.function(autograph=False)
    def cube(a):
        return a * a * a

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = cube(x)
        return tape.gradient(y, x)

    return f, [env["F"]]


def custom_gradient(tf, env):
    @tf.custom_gradient
    def g(x):
        return tf.exp(x), lambda dy: dy * 10.0

    return (lambda x: g(x) + x), [env["F"]]


def created_variable(tf, env):
    kept = []

    def f(x):
        if not kept:
            kept.append(tf.Variable(2.0, name="made"))
        return kept[0].assign_add(x)

    return f, [env["F"]]


def asserted(tf, env):
    def f(x):
        with tf.control_dependencies([tf.no_op(name="before")]):
            y = x + 1.0
        return y

    return f, [env["F"]]


def unused_ops(tf, env):
    def f(x):
        x / 0.0
        variable = env["variable"]
        variable.assign(x)
        return x + 1.0

    return f, [env["F"]]


def random_in_function(tf, env):
    def f(shape_of):
        a = tf.random.uniform([2], seed=4)
        b = tf.random.normal([2], seed=5)
        c = tf.random.stateless_uniform([2], [1, 2])
        return a + b + c + 0.0 * shape_of

    return f, [env["F"]]


def deep_structure(tf, env):
    def f(a, b=(1, {"k": 2.0}), *rest, flag=True, **more):
        return {"r": [a, more["q"]], "s": (rest[0]["u"], None)}

    return f, [env["F"], (env["F"], {"k": env["V"]}), {"u": env["I"]}], {
        "q": env["F"]
    }


LONGER = [
    name_scopes, controlled, gradients, variable_gradients, second_order,
    nested_gradient, custom_gradient, created_variable, asserted, unused_ops,
    random_in_function, deep_structure,
]


def environment(tf: Any) -> dict[str, Any]:
    tf.random.set_seed(1)

    @tf.function(autograph=False)
    def inner(a, scale=2.0):
        return a * scale

    variable = tf.Variable(4.0, name="v")

    @tf.function(autograph=False)
    def uses_variable(a):
        return variable + a

    def gradient_of(g, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = g(x)
        return tape.gradient(y, x)

    return {
        "tf": tf, "np": np, "collections": collections, "Point": Point,
        "F": tf.constant(1.5), "V": tf.constant([1.5, 2.0, 0.5, -1.0]),
        "P": tf.constant([1.5, 2.0]), "V2": tf.constant([1.0, 2.0]),
        "V3": tf.constant([1.0, 2.0, 3.0]), "I": tf.constant([1, 2, 3]),
        "M": tf.reshape(tf.range(9.0), [3, 3]), "B": tf.constant([True, False]),
        "S": tf.constant(["a", "bc"]), "W": tf.Variable([1.0, 2.0]),
        "inner": inner, "const": tf.constant([4.0, 5.0, 6.0]),
        "big": tf.ones([200, 3]), "variable": variable,
        "uses_variable": uses_variable, "gradient_of": gradient_of,
        "weights": tf.Variable(tf.ones([3, 3])),
    }


def split(*args: Any, **kwargs: Any) -> tuple[tuple, dict]:
    return args, kwargs


def make(tf: Any, case: Any) -> tuple[Callable, tuple, dict, dict]:
    env = environment(tf)
    if callable(case):
        function, args, *kwargs = case(tf, env)
        return function, tuple(args), dict(*kwargs), env
    source, call = case
    function = eval(source, env)
    args, kwargs = eval(f"split({call})", {**env, "split": split})
    return function, args, kwargs, env


_NUMBERED = re.compile(r"__(inference|forward|backward)_(\w+|<lambda>)_\d+")


def plain(text: object) -> str:
    """Without addresses and the numbers of functions."""
    text = re.sub(r"0x[0-9a-fA-F]+", "0x", str(text))
    text = re.sub(r"^  \d{5,}: ", "  <id>: ", text, flags=re.M)
    while True:
        shorter = _NUMBERED.sub(r"<\1 \2>", text)
        if shorter == text:
            return text
        text = shorter


def shown(value: object) -> object:
    """A structure with texts for leaves."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value).__name__, [shown(v) for v in value]
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [shown(v) for v in value]
    if isinstance(value, dict):
        return {k: shown(v) for k, v in value.items()}
    if hasattr(value, "as_list") and not hasattr(value, "name"):
        return plain(value)
    if hasattr(value, "op"):
        return value.name, plain(value.shape), value.dtype.name
    return plain(value)


def values(tf: Any, result: object) -> list:
    return [
        None if t is None else np.asarray(tf.convert_to_tensor(t))
        for t in tf.nest.flatten(result)
    ]


def called(tf: Any, case: Any) -> dict[str, Any]:
    function, args, kwargs, env = make(tf, case)
    f = tf.function(function, autograph=False)
    watched = [
        a
        for a in tf.nest.flatten([args, kwargs])
        if isinstance(a, tf.Tensor) and a.dtype.is_floating
    ]
    seen: dict[str, Any] = {}
    seen["first"] = values(tf, f(*args, **kwargs))
    seen["second"] = values(tf, f(*args, **kwargs))
    with tf.GradientTape() as tape:
        tape.watch(watched)
        results = [
            t
            for t in tf.nest.flatten(f(*args, **kwargs))
            if isinstance(t, tf.Tensor) and t.dtype.is_floating
        ]
    sources = [*watched, env["variable"], env["W"]]
    seen["gradients"] = (
        values(tf, tape.gradient(results, sources)) if results else []
    )
    seen["count"] = f.experimental_get_tracing_count()
    return seen


def traced(tf: Any, case: Any) -> dict[str, Any]:
    function, args, kwargs, env = make(tf, case)
    f = tf.function(function, autograph=False)
    concrete = f.get_concrete_function(*args, **kwargs)
    assert f.get_concrete_function(*args, **kwargs) is concrete
    graph = concrete.graph
    definition = concrete.function_def
    captured = {inner.op.name for _, inner in graph.captures}
    # A capture that TensorFlow shows by value is a placeholder of ours.
    operations = graph.get_operations()

    def node(op: Any) -> tuple:
        return (
            op.name, "Placeholder" if op.name in captured else op.type,
            [t.name for t in op.inputs],
            sorted(c.name for c in op.control_inputs),
            op.device, [str(t.shape) for t in op.outputs],
        )

    return {
        "str": plain(concrete),
        "short": plain(concrete.pretty_printed_signature(verbose=False)),
        "repr": plain(repr(concrete)),
        "all": plain(f.pretty_printed_concrete_signatures()),
        "function type": plain(f.function_type),
        "name": plain(concrete.name.decode()),
        "signature": shown(concrete.structured_input_signature),
        "outputs": shown(concrete.structured_outputs),
        "output shapes": shown(concrete.output_shapes),
        "output dtypes": shown(concrete.output_dtypes),
        "inputs": shown(list(concrete.inputs)),
        "flat outputs": shown(list(concrete.outputs)),
        "captures": [t.dtype.name for t in concrete.captured_inputs],
        "variables": [v.name for v in concrete.variables],
        "trainable": [v.name for v in concrete.trainable_variables],
        "nodes": sorted(map(node, operations)),
        "arguments": [
            (a.name, a.type, list(map(str, a.handle_data)))
            for a in definition.signature.input_arg
        ],
        "results": [
            (a.name, a.type) for a in definition.signature.output_arg
        ],
        "ret": dict(definition.ret),
        "control_ret": dict(definition.control_ret),
        "definition": sorted(
            (n.name, n.op, list(n.input)) for n in definition.node_def
        ),
        "control outputs": sorted(op.name for op in graph.control_outputs),
        "graph": (graph.name, graph.building_function, graph.seed),
        "library": sorted(
            plain(g.signature.name)
            for g in graph.as_graph_def().library.function
        ),
    }


def identity(case: Any) -> str:
    return case.__name__ if callable(case) else " | ".join(case)


ALL = CASES + LONGER

# What is not the same, and why.
GRAPH = "nodes, definition"
EXCEPTED = {
    # TensorFlow cannot show a value of bytes and puts an UnknownArgument in
    # its place, and makes a list of a range; ours are the values.
    'lambda x, n: x | F, b"bytes"': "signature",
    "lambda x, n: x | F, range(3)": "signature",
    # The trace that made the variables, which no call uses, is listed by
    # TensorFlow.
    "created_variable": "all",
    # TensorFlow names the placeholder by a number that counts all tensors.
    "lambda x: uses_variable(x) + variable | F":
        "inputs, nodes, arguments, definition",
    # tf.pad's node is called Pad, PadV2 or MirrorPad; its constant knows that
    # name in TensorFlow ("Pad/paddings"), not here ("paddings").
    "lambda x: tf.tile(x, [2]) + tf.pad(x, [[1, 1]])[:4] * 0.0 | V2": GRAPH,
    # TensorFlow adds a control input that another one implies: the read
    # waits for both writes, of which one waits for the other.
    "lambda x: (variable.assign_add(x), variable.assign_sub(1.0))[0] | F":
        GRAPH,
    # Gradients are in the scopes that TensorFlow has them in
    # (test_gradient_scopes), computed with fewer and other ops: BroadcastTo
    # for Tile, AddV2 for AddN of two (it fuses), no control inputs between
    # them, constants without scopes of their own.
    "lambda x: gradient_of(tf.square, x) | F": GRAPH,
    "gradients": GRAPH,
    "variable_gradients": GRAPH,
    "second_order": GRAPH,
    # A backward function takes what it needs of the arguments themselves, not
    # as results of the forward function; the plain variant is not written
    # along with it.
    "nested_gradient": GRAPH + ", library",
}


def assert_close(ours: list, theirs: list) -> None:
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        if b is None or a is None:
            assert a is None and b is None
            continue
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        if b.dtype.kind in "OS":
            assert a.tolist() == b.tolist()
        else:
            np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("case", ALL, ids=identity)
def test_calls(both, case):
    ours, theirs = called(both.ours, case), called(both.theirs, case)
    assert ours["count"] == theirs["count"]
    for what in ("first", "second", "gradients"):
        assert_close(ours[what], theirs[what])


@pytest.mark.parametrize("case", ALL, ids=identity)
def test_traces(both, case):
    ours, theirs = traced(both.ours, case), traced(both.theirs, case)
    excepted = EXCEPTED.get(identity(case), "").split(", ")
    different = {
        what: (ours[what], theirs[what])
        for what in theirs
        if ours[what] != theirs[what] and what not in excepted
    }
    assert not different, "\n".join(
        f"{what}:\n  {o}\n  {t}" for what, (o, t) in different.items()
    )


def in_scopes(tf: Any, case: Any) -> set:
    """The scopes in which a graph's gradients are computed."""
    function, args, kwargs, _ = make(tf, case)
    f = tf.function(function, autograph=False)
    graph = f.get_concrete_function(*args, **kwargs).graph
    names = [op.name.rpartition("/")[0] for op in graph.get_operations()]
    return {name for name in names if name.startswith("gradient_tape")} | {
        op.name for op in graph.get_operations() if op.name.startswith("ones")
    }


def scoped_gradient(tf, env):
    def f(x):
        with tf.name_scope("model"), tf.GradientTape() as tape:
            tape.watch(x)
            with tf.name_scope("layer"):
                y = tf.nn.relu(x) * 2.0
            z = tf.matmul(y, x) - tf.abs(tf.square(y, name="named"))
        return tape.gradient(z, x)

    return f, [env["M"]]


@pytest.mark.parametrize(
    "case",
    [
        "lambda x: gradient_of(tf.square, x) | F", variable_gradients,
        second_order, nested_gradient, scoped_gradient,
        "lambda x: gradient_of(lambda t: t * t + tf.exp(t), x) | V",
        "lambda x: gradient_of(lambda t: tf.reduce_sum(t @ t), x) | M",
        "lambda x: gradient_of(lambda t: tf.add(t, t, name='sum'), x) | V",
    ],
    ids=lambda c: c if isinstance(c, str) else c.__name__,
)
def test_gradient_scopes(both, case):
    if isinstance(case, str):
        case = tuple(part.strip() for part in case.rsplit(" | ", 1))
    ours, theirs = in_scopes(both.ours, case), in_scopes(both.theirs, case)
    # Constants have scopes of their own there.
    shared = {
        s for s in theirs if not s.endswith(("/Reshape", "/pow/sub"))
    }
    assert ours == shared
