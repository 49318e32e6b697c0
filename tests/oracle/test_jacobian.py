"""tf.GradientTape.jacobian and batch_jacobian: values, structures, errors."""

from __future__ import annotations

from typing import Any

import pytest

# Of tape `t`, with x [3], m [2, 3] watched, and y, z, s computed of them.
VALUES = """
t.jacobian(y, x)
t.jacobian(y, m)
t.jacobian(y, [x, m])
t.jacobian(y, {"a": x, "b": [m]})
t.jacobian(s, x)
t.jacobian(s, m)
t.jacobian(z, x)
t.jacobian(z, m)
t.jacobian(y, x, experimental_use_pfor=False)
t.jacobian(y, x, parallel_iterations=1, experimental_use_pfor=False)
t.jacobian(y, other)
t.jacobian(y, other, unconnected_gradients=tf.UnconnectedGradients.ZERO)
t.jacobian(y, [x, other], unconnected_gradients="zero")
t.jacobian(tf.zeros([0]), x)
t.batch_jacobian(z, m)
t.batch_jacobian(z, m, experimental_use_pfor=False)
t.batch_jacobian(z, other2, unconnected_gradients="zero")
t.jacobian(y, v)
t.jacobian(y, [v, x])
""".strip().splitlines()

ERRORS = """
t.batch_jacobian(z, x)
t.batch_jacobian(y, m)
t.batch_jacobian(z, tf.ones([5, 2]))
t.batch_jacobian(z, s)
[once.jacobian(y1, x), once.jacobian(y1, x)]
[once.batch_jacobian(z1, m), once.batch_jacobian(z1, m)]
[once.gradient(y1, x), once.jacobian(y1, x)]
t.batch_jacobian([z], m)
""".strip().splitlines()


def environment(tf: Any) -> dict[str, Any]:
    x, m = tf.constant([1.0, 2.0, 3.0]), tf.reshape(tf.range(6.0), [2, 3])
    v = tf.Variable([0.5, 1.5, 2.5])
    once = tf.GradientTape()
    with tf.GradientTape(persistent=True) as t, once:
        for tape in (t, once):
            tape.watch([x, m])
        y = tf.sin(x) * x[::-1] * v + tf.reduce_sum(m) ** 2
        z = m * m * x
        s = tf.reduce_sum(y)
    return {
        "tf": tf, "t": t, "once": once, "x": x, "m": m, "v": v, "y": y, "z": z,
        "s": s, "y1": y, "z1": z, "other": tf.ones([2]),
        "other2": tf.ones([2, 4]),
    }


@pytest.mark.parametrize("call", VALUES)
def test_values(both, call):
    both.agree(lambda tf: eval(call, environment(tf)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("call", VALUES)
def test_values_in_a_function(both, call):
    def run(tf: Any) -> Any:
        env = environment(tf)

        @tf.function(autograph=False)
        def f(x, m):
            v, other, other2 = env["v"], env["other"], env["other2"]
            with tf.GradientTape(persistent=True) as t:
                t.watch([x, m])
                y = tf.sin(x) * x[::-1] * v + tf.reduce_sum(m) ** 2
                z = m * m * x
                s = tf.reduce_sum(y)
            return eval(call, {"tf": tf, **locals()})

        return f(env["x"], env["m"])

    both.agree(run, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("call", ERRORS)
def test_errors(both, call):
    texts = []
    for tf in (both.theirs, both.ours):
        with pytest.raises(Exception) as error:
            eval(call, environment(tf))
        texts.append((type(error.value).__name__, str(error.value)))
    texts[0] = (texts[0][0], texts[0][1].replace("tocompute", "to compute"))
    assert texts[1] == texts[0]


# Ours tell what is wrong; the other's tell where it came out.
@pytest.mark.parametrize(
    "call, text",
    [
        (
            't.jacobian(y, x, unconnected_gradients="nonsense")',
            "Unknown value for unconnected_gradients: 'nonsense'",
        ),
        (
            't.batch_jacobian(z, m, unconnected_gradients="nonsense")',
            "Unknown value for unconnected_gradients: 'nonsense'",
        ),
        ("t.batch_jacobian(s, m)", "rank at least 2"),
    ],
)
def test_clearer_errors(both, call, text):
    with pytest.raises((ValueError, IndexError)):
        eval(call, environment(both.theirs))
    with pytest.raises(ValueError, match=text):
        eval(call, environment(both.ours))
