"""Calls of functions that both refuse, or accept with one result."""

from __future__ import annotations

import re
from typing import Any

import pytest
from test_functions import environment, plain, values

# Calls of functions that both refuse, or accept with one result. `f` and the
# traces of it are made by `refusing`.
CALLS = """
cf(V2, 3, c=F)
cf(a=V2, b=3, c=F)
cf(V2, c=F)
cf(aa=V2, c=F)
cf(V2, F)
cf(np.ones(2), 3, c=1.0)
cf([1, 2], 3, c=1)
cf(W, 3, c=F)
cf(V2, 3)
cf(V2, 4, c=F)
cf(V2, True, c=F)
cf(V2, 1.0)
cf(V2, 3, F, F)
cf(V2, 3, c=F, d=1)
cf(V2, 3, c=F, a=V2)
cf("s", 3, c=1.0)
cf(None, 3, c=F)
cf(I, 3, c=F)
cf(I, F)
cf(F, 3, c=F)
cf()
two(F)
two(F, F, F)
two(F, I)
two(x=F, y=I)
two(1, 2)
two(F, x=F)
two(F, z=F)
two(F, tf.constant(1.0, tf.float64))
several(F, F, z=F)
several(F, F)
several(F, F, F)
several(args_0=F, args_1=F, z=F)
several(args=F, args_1=F, z=F)
several(F, F, F, F)
several(F, F, w=F)
nested({"x": [F, 2]}, (F, F))
nested({"x": [F, 2]}, [F, F])
nested({"x": [F, 3]}, (F, F))
nested({"y": [F, 2]}, (F, F))
nested(F, F, F)
nested(d=F, e=F, e_1=F)
nested(d_x_0=F, e_0=F, e_1=F)
nested(3, (F, F))
nested({"x": [F, 2]}, 3)
signed(V2)
signed(V2, 2)
signed(V2, 3)
signed([1, 2])
signed(F)
signed(I)
signed("a")
signed(None)
signed(V2, z=3)
signed.get_concrete_function(F)
signed.get_concrete_function(tf.TensorSpec([3], tf.int32))
signed.get_concrete_function()(x=V2)
signed.get_concrete_function()(inp=V2)
signed.get_concrete_function()(V2, y=3)
signed.get_concrete_function()([1, 2])
signed.get_concrete_function()(I)
f(F)
f(F, F, F)
f(F, x=F)
f(F, F, z=1)
f({1}, F)
f.get_concrete_function(F)
f.get_concrete_function(F, F, F)
f(V2, V3)
f(F, I)
f(V2, S)
tf.function(lambda: {1, 2}, autograph=False)()
tf.function(lambda: tf.no_op(), autograph=False)()
tf.function(lambda x: x << 1, autograph=False)(I)
tf.function(lambda v: v.assign_add(1.0), autograph=False)(W)
tf.function(lambda x: tf.convert_to_tensor(x.op), autograph=False)(F)
tf.function(lambda x: x.numpy(), autograph=False)(F)
tf.function(lambda x: bool(x), autograph=False)(F)
tf.function(lambda x: list(x), autograph=False)(V2)
tf.function(lambda x: x.graph.get_tensor_by_name("q:0"), autograph=False)(F)
tf.function(lambda x: x.graph.get_operation_by_name(""), autograph=False)(F)
tf.function(lambda x: x.op.get_attr("none"), autograph=False)(F)
tf.function(lambda x: x.set_shape([3]), autograph=False)(V2)
tf.function(lambda x: tf.reshape(x, [3]), autograph=False)(V2)
tf.function(lambda x: tf.matmul(x, x), autograph=False)(F)
tf.function(lambda x: x + tf.ones([3]), autograph=False)(V2)
tf.function(lambda x: tf.concat([x, tf.ones([1, 1])], 0), autograph=False)(V2)
tf.function(3)
two.structured_outputs.numpy()
two.outputs[0] + 1.0
""".strip().splitlines()


def refusing(tf: Any) -> dict[str, Any]:
    def h(a, b=3, *, c=None):
        return {"s": a * float(b), "t": (c,)}

    env = environment(tf)
    number, vector = env["F"], tf.TensorSpec([None], name="aa")

    def made(function, *args, **kwargs):
        f = tf.function(function, autograph=False)
        return f.get_concrete_function(*args, **kwargs)

    env["cf"] = made(h, vector, 3, c=tf.TensorSpec([]))
    env["f"] = tf.function(lambda x, y: x + y, autograph=False)
    env["two"] = made(lambda x, y: x + y, number, number)
    env["several"] = made(
        lambda *args, **kw: args[0] + args[1] + kw["z"], number, number,
        z=number,
    )
    env["nested"] = made(
        lambda d, e: d["x"][0] + e[1], {"x": [number, 2]}, (number, number)
    )
    env["signed"] = tf.function(
        lambda x, y=2: x * float(y), autograph=False,
        input_signature=[tf.TensorSpec([None], name="inp")],
    )
    return env


def outcome(tf: Any, call: str) -> tuple[str, str]:
    """What a call gives: its value, or the error's class and text."""
    try:
        result = eval(call, refusing(tf))
    except Exception as error:
        text = plain(error)
        text = re.sub(r"<tf.Variable[^>]*>", "<variable>", text)
        text = re.sub(r"File .*?(?=\\n\\n|$)", "", text, flags=re.S)
        return type(error).__name__, text
    return "", str([v.tolist() for v in values(tf, result)])


# Ours say more: shapes are checked, lengths and positions are told.
OWN_TEXTS = {
    "signed.get_concrete_function()(F)",
    "f(F, I)", "f(V2, S)", "f(V2, V3)",
    "tf.function(lambda x: x + tf.ones([3]), autograph=False)(V2)",
    "tf.function(lambda v: v.assign_add(1.0), autograph=False)(W)",
    "tf.function(lambda x: tf.reshape(x, [3]), autograph=False)(V2)",
    "tf.function(lambda x: tf.concat([x, tf.ones([1, 1])], 0), "
    "autograph=False)(V2)",
}


@pytest.mark.parametrize("call", CALLS)
def test_outcomes(both, call):
    ours, theirs = outcome(both.ours, call), outcome(both.theirs, call)
    assert ours[0] == theirs[0], (ours, theirs)
    if call not in OWN_TEXTS:
        # What the op was called with is said at the end, and only here.
        text = re.sub(r"\n\tArguments of \w+: [^\n]*", "", str(ours[1]))
        assert text == str(theirs[1])
